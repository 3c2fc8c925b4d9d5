"""Orders of blocks: what is tried at last, and where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tune.judgements import TASK, judged, space_of
from tl2hip.prove.emulate import unsupported
from tl2hip.tune import search as searching
from tl2hip.tune.judge import Judged, Looked, judge
from tl2hip.tune.orders import Ranked, in_order
from tl2hip.tune.report import lines
from tl2hip.tune.search import Found, search
from tl2hip.tune.space import Candidate, spelled
from tl2hip.tune.store import Store
from tl2hip.tune.task import Task
from tl2hip.tune.workers import Here, Workers

proves = pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")
GEMM = (Path(__file__).parents[2] / "golden" / "gemm" / "kernel.py").read_text()


def marked(tile: int, group: int | None = None) -> Candidate:
    return (("i", (("tile", tile), *([("group", group)] if group else []))), ("j", ()))


def ranked(tile: int, group: int | None, behind: float | None, registers: int = 64) -> Ranked:
    one = marked(tile, group)
    return Ranked(one, judged(spelled(one), 100.0, registers=registers, behind=behind), 0)


def names(band: list[Ranked]) -> list[str]:
    return [spelled(one.candidate) for one in band]


def test_orders_stand_where_the_first_of_them_does() -> None:
    band = [ranked(4, None, 50.0, 32), ranked(4, 2, 20.0, 40), ranked(8, None, 1.0, 36), ranked(4, 8, 21.0, 39)]

    def place(one: Ranked) -> int:
        return one.judged.registers

    assert names(in_order(band, place)) == ["i: 4, group(8)", "i: 4, group(2)", "i: 4", "i: 8"]
    few = [ranked(4, 2, None, 33), ranked(4, None, None, 32)]
    assert names(in_order(few, place)) == ["i: 4", "i: 4, group(2)"]
    one_known = [ranked(4, None, None, 32), ranked(4, 2, 1e8, 33)]
    assert names(in_order(one_known, place)) == ["i: 4, group(2)", "i: 4"]


class Land:
    """Clocks by tiles, and bytes from behind L2 by the order of blocks along `i`; `j` takes none."""

    def __init__(self, behind: float | None = 1e8) -> None:
        self.behind = behind
        self.asked: list[str] = []
        self.looked: list[Candidate] = []

    def look(self, task: Task, candidate: Candidate) -> Looked:
        self.looked.append(candidate)
        if "group" in dict(dict(candidate)["j"]):
            return Looked(refused=("TL213", "Mark that cannot be", "group"))
        said = tuple(mark for mark in dict(candidate)["i"] if mark != ("group", 4))
        return Looked(spelled((("i", said),)))

    def judge(self, task: Task, code: str, candidate: Candidate, limit: float | None = None) -> Judged:
        self.asked.append(code)
        said = dict(dict(candidate)["i"])
        clocks = 1000.0 * (0.5 if said.get("tile") == 64 else 1.0)
        part = {1: 1.05, 2: 0.6, 8: 2.0}.get(said.get("group", 4), 1.0)
        return judged(code, clocks, behind=None if self.behind is None else self.behind * part)


def run(land: Land, path: Path, monkeypatch: pytest.MonkeyPatch, budget: int | None = 40) -> Found:
    monkeypatch.setattr(searching, "look", land.look)
    monkeypatch.setattr(searching, "judge", land.judge)
    with Workers(Here) as workers:
        space = space_of(TASK, "tile", "group")
        return search(TASK, space, workers, Store(path / "one.jsonl"), budget=budget, tell=None)


@pytest.mark.parametrize("budget", [40, None])
def test_orders_are_tried_on_the_best(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, budget: int | None
) -> None:
    land = Land()
    found = run(land, tmp_path, monkeypatch, budget)
    best = [one for one in found.ranked if "i: 64" in spelled(one.candidate)]
    assert names(best)[:5] == ["i: 64, group(2)", "i: 64", "i: 64, group(1)", "i: 64, group(16)", "i: 64, group(8)"]
    assert best[0] is found.ranked[0] and best[0].judged.behind == 0.6e8
    along_j = [one for one in land.looked if "group" in dict(dict(one)["j"])]
    assert len(along_j) == 1, "where the first value is refused no other is tried"
    asked = [one for one in land.asked if "group" in one]
    assert len(asked) == 4 and land.asked[-4:] == asked, "at last, and of the best alone"
    told = "\n".join(lines(found, TASK, 3))
    assert "  blocks  behind L2" in told and " 60.0 MB  i: 64, group(2)" in told
    assert "; 50% of what blocks ask for comes from behind L2" in told
    before = len(land.asked)
    assert run(land, tmp_path, monkeypatch, budget).ranked == found.ranked and len(land.asked) == before


def test_orders_come_besides_the_budget(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    land = Land()
    found = run(land, tmp_path, monkeypatch, 4)
    assert len(land.asked) == 8 and names([found.ranked[0]]) == ["i: group(2)"] and not found.whole


def test_where_blocks_are_few_no_order_is_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    land = Land(behind=None)
    found = run(land, tmp_path, monkeypatch)
    assert not any("group" in spelled(one) for one in land.looked)
    assert "  -  i: 64" in "\n".join(lines(found, TASK, 3))


@proves
def test_a_judgement_tells_what_comes_from_behind_l2() -> None:
    """Of a product, in tiles of 256 by 256: groups of 16 share less in L2, at the same clocks."""
    task = Task("gemm.py", GEMM, "gemm", sizes=(("M", 8192), ("N", 8192), ("K", 128)))

    def of(n: int) -> Judged:
        rows, columns = (("tile", 256), ("waves", 2), ("group", n)), (("tile", 256), ("waves", 4))
        return judge(task, f"{n}", (("i", rows), ("j", columns), ("k", (("tile", 64), ("stages", 2)))))

    four, sixteen = of(4), of(16)
    (kernel,) = four.kernels
    assert kernel.share is not None and kernel.share == pytest.approx(0.21, abs=0.015)
    assert four.behind == pytest.approx(1024 * 512 * 128 * 2 * kernel.share)
    assert sixteen.behind is not None and sixteen.behind > 1.3 * (four.behind or 0)
    assert sixteen.score == pytest.approx(four.score, rel=0.02)


@proves
def test_what_one_kernel_writes_another_one_does_not_find() -> None:
    """Each kernel of a function is looked at with what was drawn, whatever those before it left: here indices that
    a first one reads lead nowhere once a second one has run."""
    text = TASK.text.replace("Y: Tensor[f32, M]", "Y: Tensor[f32, M], at: Tensor[i32, M]")
    text = text.replace("f32, k", "f32, i32, k").replace("X[i, j]", "X[at[i], j]")
    sizes = ("M", 1 << 17), ("N", 8)

    def of(text: str) -> Judged:
        task = Task("rows.py", text, "totals", sizes=sizes)
        return judge(task, "x", space_of(task, "tile").bare)

    both = of(text + "    for i in range(M):\n        at[i] -= 1_000_000\n")
    (alone,) = of(text).kernels
    first, second = both.kernels
    assert alone.share is not None and second.share is None and second.blocks < 304
    assert both.behind == first.behind == alone.behind
