"""The search: where it goes, that it ends, that its result hangs on nothing but the kernel."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import distributed
import pytest

from tests.tune.judgements import TASK, judged, space_of
from tl2hip.prove.emulate import unsupported
from tl2hip.tune import search as searching
from tl2hip.tune.executors import Cluster, processes
from tl2hip.tune.judge import Judged, Looked
from tl2hip.tune.search import Fatal, Found, search
from tl2hip.tune.space import Candidate, Space, spelled
from tl2hip.tune.store import Store
from tl2hip.tune.task import Task
from tl2hip.tune.workers import Failed, Here, Workers

proves = pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")
SPACE = space_of(TASK, "tile", "waves")


class Land:
    """A landscape in the place of compiler and model: clocks by marks, some of which are refused."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.raises = ""
        self.limits: list[float | None] = []

    def look(self, task: Task, candidate: Candidate) -> Looked:
        said = {(loop, mark): n for loop, marks in candidate for mark, n in marks}
        if said.get(("i", "waves")) == 16:
            return Looked(refused=("TL213", "Mark that cannot be", "waves(16)"))
        if said.get(("j", "tile")) == 1:
            return Looked("lost", missed=("row",))
        return Looked(spelled(candidate).replace("i: 1", "no marks") if len(said) == 1 else spelled(candidate))

    def judge(self, task: Task, code: str, candidate: Candidate, limit: float | None = None) -> Judged:
        self.asked.append(code)
        self.limits.append(limit)
        if code == self.raises:
            raise ZeroDivisionError("no reason")
        said = {(loop, mark): n for loop, marks in candidate for mark, n in marks}
        clocks = 1000.0
        clocks *= {2: 0.9, 4: 0.8, 64: 2.0}.get(said.get(("i", "tile"), 0), 1.0)
        clocks *= {4: 1.2, 8: 0.85}.get(said.get(("j", "waves"), 0), 1.0)
        if said.get(("i", "tile")) == 4 and said.get(("j", "waves")) == 4:
            clocks *= 0.5  # what neither does by itself
        if limit is not None and clocks > limit:
            return Judged(code, bound=clocks)
        return judged(code, clocks, registers=64 + len(said))


@pytest.fixture
def land(monkeypatch: pytest.MonkeyPatch) -> Iterator[Land]:
    made = Land()
    monkeypatch.setattr(searching, "look", made.look)
    monkeypatch.setattr(searching, "judge", made.judge)
    yield made


def run(path: Path, budget: int | None, space: Space = SPACE, tell: Any = None, task: Task = TASK) -> Found:
    with Workers(Here) as workers:
        return search(task, space, workers, Store(path / "one.jsonl"), budget=budget, tell=tell)


def names(found: Found) -> list[str]:
    return [spelled(one.candidate) for one in found.ranked]


def test_the_best_of_marks_that_only_help_together_is_found(land: Land, tmp_path: Path) -> None:
    found = run(tmp_path, 100)
    assert names(found)[0] == "i: 4; j: waves(4)"
    assert found.ranked[0].judged.score == pytest.approx(480)
    assert len(land.asked) == len(set(land.asked)) <= 100
    asked = len(land.asked)
    every = run(tmp_path / "all", None)
    assert every.ranked[0] == found.ranked[0] and every.whole
    assert len(land.asked) - asked > 300 and "lost" not in land.asked
    assert {"i: 64", "j: waves(8)"} <= set(land.asked[asked:]), "each mark by itself is judged too"


def test_a_budget_is_kept_and_goes_on(land: Land, tmp_path: Path) -> None:
    counts: list[int] = []
    found = run(tmp_path, 10, tell=lambda done, most, best: counts.append(done))
    assert not found.whole and len(land.asked) == 10 and max(counts) == 10
    again = run(tmp_path, 10)
    assert replace(again, known=0) == replace(found, known=0) and again.known == 10 and len(land.asked) == 10
    assert run(tmp_path, 100).known >= 6, "marks by themselves are not asked again"


def test_a_search_that_is_interrupted_goes_on(land: Land, tmp_path: Path) -> None:
    def interrupt(done: int, most: int, best: float | None) -> None:
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, 30, tell=interrupt)
    assert len(Store(tmp_path / "one.jsonl").known) == 7
    found = run(tmp_path, 30)
    assert found.known == 7
    assert replace(found, known=0) == run(tmp_path / "other", 30)


def test_what_fails_is_told_once_and_never_kept(land: Land, tmp_path: Path) -> None:
    best = names(run(tmp_path, 100))[0]
    land.raises = best
    found = run(tmp_path / "other", 100)
    assert [(f.kind, f.words) for f in found.failed] == [("ZeroDivisionError", "no reason")]
    assert "in judge" in found.failed[0].where
    assert best not in names(found) and best not in Store(tmp_path / "other" / "one.jsonl").known
    land.raises = ""
    assert names(run(tmp_path / "other", 100))[0] == best


def test_what_this_machine_has_no_memory_for_is_not_kept(
    land: Land, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    best = names(run(tmp_path / "whole", 100))[0]

    def judge(task: Task, code: str, candidate: Candidate, limit: float | None = None) -> Judged:
        if code == best:
            return Judged(code, "cannot be modelled: there is no memory", passing=True)
        return land.judge(task, code, candidate, limit)

    monkeypatch.setattr(searching, "judge", judge)
    found = run(tmp_path, 100)
    assert found.unfit == {"cannot be modelled: there is no memory": 1} and best not in names(found)
    assert best not in Store(tmp_path / "one.jsonl").known
    monkeypatch.setattr(searching, "judge", land.judge)
    assert names(run(tmp_path, 100))[0] == best


def test_nothing_that_is_found_hangs_on_which_worker_is_first(
    land: Land, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class LastFirst(Workers):
        def each(self, function: Any, items: Any) -> Iterator[Any]:
            yield from reversed([*super().each(function, items)])

    def judge(task: Task, code: str, candidate: Candidate, limit: float | None = None) -> Judged:
        if code in ("i: 8", "i: 16", "i: 32"):
            raise ZeroDivisionError(code)
        if code in ("j: 2", "j: 4"):
            return Judged(code, f"cannot be modelled: {code}")
        return land.judge(task, code, candidate, limit)

    monkeypatch.setattr(searching, "judge", judge)
    one = run(tmp_path / "one", 100)
    with LastFirst(Here) as workers:
        other = search(TASK, SPACE, workers, Store(tmp_path / "other"), budget=100)
    assert other == one and [*other.unfit.items()] == [*one.unfit.items()] and len(one.unfit) == 2
    assert len(one.failed) >= 2


def test_no_compiler_ends_a_search(land: Land, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class MissingCompiler(Exception):
        pass

    def judge(*_: object) -> Judged:
        raise MissingCompiler("none here")

    monkeypatch.setattr(searching, "judge", judge)
    with pytest.raises(Fatal, match="none here"):
        run(tmp_path, 10)


def test_what_was_refused_is_counted_by_its_reason(land: Land, tmp_path: Path) -> None:
    found = run(tmp_path, 100)
    count, words = found.refused["TL213", "Mark that cannot be"]
    assert count >= 1 and words == "waves(16)"
    assert ("", "A mark that takes a faster plan away") in found.refused and "lost" not in land.asked


def test_what_is_much_slower_by_its_bound_is_not_modelled(land: Land, tmp_path: Path) -> None:
    found = run(tmp_path, 100)
    assert found.slower >= 1 and "i: 64" not in names(found)
    assert land.limits[0] is None and land.limits[1] == pytest.approx(1500)
    assert "i: 64" not in names(run(tmp_path / "all", None))


def test_candidates_that_print_or_execute_the_same_are_one(
    land: Land, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run(tmp_path, 100)
    assert found.alike == 1 and "i: 1" not in names(found)
    monkeypatch.setattr(searching, "judge", lambda task, code, candidate, limit: judged(code, 5.0, "same"))
    assert names(run(tmp_path / "other", 20)) == ["no marks"]


def test_bands_hold_what_is_not_told_apart_ordered_by_what_it_takes(land: Land, tmp_path: Path) -> None:
    found = run(tmp_path, 100)
    for before, after in zip(found.ranked, found.ranked[1:], strict=False):
        if before.band == after.band:
            there = (SPACE.start, SPACE.bare)
            assert before.judged.registers <= after.judged.registers or before.candidate in there
        else:
            assert after.band == before.band + 1
    for band in {one.band for one in found.ranked}:
        scores = [one.judged.score for one in found.ranked if one.band == band]
        assert max(scores) <= min(scores) * 1.1
        later = [one.judged.score for one in found.ranked if one.band > band]
        assert not later or min(later) > min(scores) * 1.1


def test_the_file_as_it_is_comes_first_among_its_like(land: Land, tmp_path: Path) -> None:
    said = TASK.text.replace("import Tensor", "import Tensor, Tile, unroll").replace(
        "    for i", "    i: Tile[int, 4, unroll(2)]\n    for i", 1
    )
    marked = replace(TASK, text=said)
    found = run(tmp_path, 30, space_of(marked, "tile"), task=marked)
    assert names(found)[0] == "i: 4, unroll(2)" and found.start is found.ranked[0].judged
    assert found.bare is not None and found.bare.score > found.start.score
    assert "i: 4" in [spelled(one.candidate) for one in found.ranked if one.band == 0]
    same = run(tmp_path / "same", 12, space_of(TASK, "mfma"))
    assert names(same)[0] == "no marks" and len({one.band for one in same.ranked}) == 1 and same.whole


@proves
def test_the_result_is_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    space = space_of(TASK, "tile", "waves")
    found = []
    for jobs in (1, 2):
        with Workers(processes(jobs), window=2 * jobs) as workers:
            store = Store(tmp_path / f"{jobs}.jsonl")
            found.append(search(TASK, space, workers, store, budget=6))
    assert found[0] == found[1]
    assert found[0].bare is not None and len(found[0].ranked) >= 4
    assert all(one.judged.registers and len(one.judged.works) == 3 for one in found[0].ranked)


def dying(land: Land, path: Path, die: Any) -> Found:
    """A search in two processes, one of which dies where it is said."""
    judge = land.judge

    def judge_or_die(task: Task, code: str, candidate: Candidate, limit: float | None = None) -> Judged:
        if die(code):
            os._exit(1)
        return judge(task, code, candidate, limit)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "judge", judge_or_die)
        make = partial(ProcessPoolExecutor, 2, mp_context=get_context("fork"))
        with Workers(make) as workers:
            return search(TASK, SPACE, workers, Store(path / "one.jsonl"), budget=30)


def test_a_search_whose_worker_dies_loses_nothing(land: Land, tmp_path: Path) -> None:
    def once(code: str) -> bool:
        try:
            (tmp_path / "died").touch(exist_ok=code != "i: 4")
        except FileExistsError:
            return False
        return code == "i: 4"

    (tmp_path / "of").mkdir()
    assert dying(land, tmp_path / "of", lambda code: code == "i: 4" and once(code)) == run(tmp_path / "still", 30)
    assert (tmp_path / "died").exists()


def test_a_candidate_that_kills_its_worker_is_left_out(land: Land, tmp_path: Path) -> None:
    found = dying(land, tmp_path, lambda code: code == "i: 2")
    assert found.failed == (Failed("WorkerDied", "its worker died twice"),)
    assert "i: 2" not in names(found) and names(found)[0] == names(run(tmp_path / "still", 30))[0]


@proves
def test_a_search_on_a_cluster_loses_nothing_with_a_worker_that_is_killed(tmp_path: Path) -> None:
    space = space_of(TASK, "tile", "waves")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as two:
        pids = [worker.pid for worker in two.workers.values()]

        def kill(done: int, most: int, best: float | None) -> None:
            if done == 3 and len(pids) == 2:
                os.kill(pids.pop(), signal.SIGKILL)

        with Workers(lambda: Cluster(f"dask:{two.scheduler_address}"), window=64) as workers:
            found = search(TASK, space, workers, Store(tmp_path / "two.jsonl"), budget=6, tell=kill)
    assert len(pids) == 1
    with Workers(Here) as workers:
        assert found == search(TASK, space, workers, Store(tmp_path / "one.jsonl"), budget=6)
