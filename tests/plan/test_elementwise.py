"""Elementwise nests: one run over memory in tiles, and what is left behind them, at every size and alignment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip.nest.index import ONE, value_of
from tl2hip.plan.ir import Launch, LoadVector, Plan, StoreVector
from tl2hip.plan.walk import all_stmts

RUNS = Path(__file__).parent / "runs.py"

LENGTHS = (0, 1, 7, 511, 512, 4095, 4096, 4097, 12301)
ROWS = ((0, 5), (5, 0), (1, 1), (3, 7), (2, 2048), (1, 4099), (17, 241), (300, 2), (5, 515))


def _plan(name: str) -> Plan:
    plan = convert(RUNS)[name].plan
    assert plan is not None
    return plan


def _shapes(name: str) -> tuple[dict[str, int], ...]:
    nest = convert(RUNS)[name].nest
    assert nest is not None
    if "M" in nest.dims:
        return tuple({"M": m, "N": n} for m, n in ROWS)
    return tuple({"N": n} for n in LENGTHS)


def _text(name: str) -> str:
    printed = convert(RUNS)[name].printed
    assert printed is not None
    return printed.text


@pytest.mark.parametrize("name", convert(RUNS))
def test_every_size_is_right(name: str) -> None:
    report = prove(RUNS, name, shapes=0, given=_shapes(name), python_work=2_000)
    assert report.good, report.text


@pytest.mark.parametrize("name", ["halves", "axpy", "widened"])
def test_further_rows_of_blocks_are_right(name: str) -> None:
    text = _text(name)
    assert text.count("8388608") == 2
    text = text.replace("8388608", "16")  # enough for what is behind the last whole tile
    shapes = ({"M": 5, "N": 15_001},) if "M" in _shapes(name)[0] else ({"N": 75_003},)
    report = prove(RUNS, name, text, shapes=0, given=(*_shapes(name), *shapes), python_work=0)
    assert report.good, report.text
    fault = text.replace("block_y * blocks_x + block_x", "block_x")
    assert fault != text and not prove(RUNS, name, fault, shapes=0, given=shapes, python_work=0).good


FAULTS = {
    "a dropped tail": ("i < N)", "i < N - 1)"),
    "a tail that starts late": ("N / 4096 * 4096 + block", "N / 4096 * 4096 + 1 + block"),
    "a swapped lane": ("thread_x % 64 * 8", "(thread_x ^ 1) % 64 * 4"),
    "waves on one piece": ("thread_x / 64 * 1024", "thread_x / 128 * 1024"),
    "a vector forgotten": ("v < 2; ++v) {\n            f16x8 out", "v < 1; ++v) {\n            f16x8 out"),
    "a tile too many": ("block < N / 4096", "block <= N / 4096"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    right, wrong = FAULTS[fault]
    text = _text("halves")
    assert right in text, f"{fault}: plant it elsewhere"
    report = prove(RUNS, "halves", text.replace(right, wrong), shapes=0, given=_shapes("halves"), python_work=0)
    assert not report.good, fault


@pytest.mark.parametrize(
    ("name", "width", "vectors", "threads"),
    [("halves", 8, 2, 256), ("tiled", 4, 2, 64), ("copied", 16, 4, 256), ("neighbours", 4, 1, 256)],
)
def test_four_loads_are_under_way(name: str, width: int, vectors: int, threads: int) -> None:
    plan = _plan(name)
    (kernel,) = plan.kernels
    loads = [s for s in all_stmts(kernel.body) if isinstance(s, LoadVector)]
    shapes = {p.array.name: p.array.shape for p in plan.arrays if p.space == "vector"}
    moved = {tuple(value_of(n) for n in shapes[s.vector]) for s in loads}
    assert kernel.threads == threads
    assert moved == {(width,) if vectors == 1 else (vectors, width)}


def _streamed(name: str) -> set[bool]:
    moved = (s for k in _plan(name).kernels for s in all_stmts(k.body) if isinstance(s, LoadVector | StoreVector))
    return {s.streamed for s in moved}


def test_only_what_is_read_once_is_streamed() -> None:
    streamed = {name: _streamed(name) for name in ("halves", "widened", "neighbours", "biased", "crossed")}
    assert streamed == {
        "halves": {True},
        "widened": {True},
        "neighbours": {False, True},
        "biased": {False, True},
        "crossed": {False},
    }


def test_whole_arrays_are_one_run_and_others_rows() -> None:
    (run,) = _plan("widened").host
    assert isinstance(run, Launch) and run.grid[2] == ONE
    (kernel,) = _plan("widened").kernels
    assert kernel.block == (256, 1, 1)
    (launch,) = _plan("crossed").host
    assert isinstance(launch, Launch)
    (kernel,) = _plan("crossed").kernels
    assert kernel.block == (64, 4, 1)
