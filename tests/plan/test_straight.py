"""Windows around elements are written out and loaded in vectors, right at every size; and what is not, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip.plan.ir import DeviceKernel, LoadVector, MultiplyAdd, StoreVector
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters

WINDOWS = Path(__file__).parent / "windows.py"
SIZES = ((0, 5), (5, 0), (1, 1), (2, 2), (3, 3), (3, 7), (5, 66), (17, 259))
LOADS = {"blur": 9, "halves": 9, "weighted": 15, "row_by_row": 6, "horner": 1, "counted": 3}
"""Places that are loaded in vectors."""


def _kernel(name: str) -> DeviceKernel:
    plan = convert(WINDOWS)[name].plan
    assert plan is not None
    (kernel,) = plan.kernels
    return kernel


def _text(name: str) -> str:
    printed = convert(WINDOWS)[name].printed
    assert printed is not None
    return printed.text


def _shapes(name: str) -> tuple[dict[str, int], ...]:
    nest = convert(WINDOWS)[name].nest
    assert nest is not None
    return tuple({"M": m, "N": n, **({"K": 3} if "K" in nest.dims else {})} for m, n in SIZES)


@pytest.mark.parametrize("name", convert(WINDOWS))
def test_every_size_is_right(name: str) -> None:
    report = prove(WINDOWS, name, shapes=0, given=_shapes(name), python_work=20_000)
    assert report.good, report.text


@pytest.mark.parametrize("name", LOADS)
def test_windows_are_loaded_in_vectors(name: str) -> None:
    stmts = list(all_stmts(_kernel(name).body))
    assert sum(isinstance(s, LoadVector) for s in stmts) == LOADS[name]
    assert sum(isinstance(s, StoreVector) for s in stmts) == 1


@pytest.mark.parametrize("name", sorted({*convert(WINDOWS)} - {*LOADS}))
def test_what_is_long_or_would_round_otherwise_stays_a_loop(name: str) -> None:
    assert not any(isinstance(s, LoadVector) for s in all_stmts(_kernel(name).body))


def test_products_join_a_sum_unrounded_as_in_the_loop() -> None:
    fused = [s for s in all_stmts(_kernel("weighted").body) if isinstance(s, MultiplyAdd)]
    assert len(fused) == 15 + 1, "those written out, and the loop's over the last few elements"


FAULTS = {
    "blur": [("j_first + 1];", "j_first + 2];"), ("s += A_vector_5[e]", "s += A_vector_4[e]")],
    "halves": [("(i + 1) * N + j_first", "i * N + j_first")],
    "weighted": [("A_vector_15[e], W[2 * 5 + 4]", "A_vector_15[e], W[2 * 5 + 3]")],
    "row_by_row": [("t - 1.0f", "t - 2.0f")],
}


@pytest.mark.parametrize(("name", "right", "wrong"), [(n, *pair) for n, pairs in FAULTS.items() for pair in pairs])
def test_planted_faults_are_found(name: str, right: str, wrong: str) -> None:
    text = _text(name)
    assert right in text, "plant it elsewhere"
    report = prove(WINDOWS, name, text.replace(right, wrong), shapes=0, given=_shapes(name), python_work=0)
    assert not report.good


@pytest.mark.parametrize(("name", "loads"), [("blur", {"dwordx2": 3, "dwordx4": 3}), ("halves", {"dwordx4": 9})])
def test_compiled_loops_load_a_window_for_a_vector_of_results(name: str, loads: dict[str, int]) -> None:
    (counters,) = read_counters(compile_device(_text(name)).text)
    assert counters.hot is not None and counters.problems() == ()
    assert dict(counters.hot.own.global_loads) == loads
    assert dict(counters.hot.own.global_stores) == {"dwordx4": 1}
