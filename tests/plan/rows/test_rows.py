"""Rows in registers: what is loaded and stored, who meets whom, and that each kernel is right at any length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.proofs import convert, module, prove
from tl2hip import api
from tl2hip.plan import rows as plan_rows
from tl2hip.plan.ir import Barrier, DeviceKernel, For, HostLoop, LoadVector, Plan, StoreVector
from tl2hip.plan.lanes_ir import Combine
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.emulate import Emulator
from tl2hip.prove.report import Report
from tl2hip.prove.verify import Options, verify
from tl2hip.source.span import Source

KERNELS = Path(__file__).parent / "kernels.py"
ROWS = (
    "softmax", "softmax_in_place", "softmax_arrays", "log_softmax", "rmsnorm", "layernorm", "argmax",
    "cross_entropy", "quantised", "quantised_fp8", "clipped", "norms",
)  # fmt: skip
FEW: dict[str, Any] = {"modes": ("normal", "edges"), "shapes": 0, "python_work": 0}


def _fixed(name: str, n: int) -> api.Converted:
    """A kernel for rows of one length."""
    done = api.convert(api.source_of(KERNELS), api.Options(sets={"N": n}))
    assert not done.errors, done.told
    return next(k for k in done.kernels if k.name == name)


def _proven(k: api.Converted, rows: int, wrong: tuple[str, str] | None = None) -> Report:
    """What running a kernel on so many rows found, with one piece of its text replaced by another."""
    assert k.nest is not None and k.plan is not None and k.printed is not None
    text = k.printed.text
    if wrong is not None:
        assert wrong[0] in text, f"{wrong[0]} is not printed any more"
        text = text.replace(*wrong)
    depths = {axis: tree.depth for axis, tree in k.plan.trees}
    given: tuple[dict[str, int], ...] = (dict.fromkeys(k.nest.dims, rows),)
    modes = ("normal", "edges", "positive")
    how = Options(shapes=0, given=given, modes=modes, depths=depths, in_place=k.plan.in_place)
    return verify(k.nest, text, k.printed.launcher, None, how)


def _plan(k: api.Converted) -> Plan:
    assert k.plan is not None
    return k.plan


def _moves(kernel: DeviceKernel, kind: type[LoadVector] | type[StoreVector]) -> list[str]:
    return [s.array for s in all_stmts(kernel.body) if isinstance(s, kind)]


# --- the plan --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "loads", "stores"),
    [
        ("softmax", ["X"], ["Y"]),
        ("softmax_in_place", ["X"], ["X"]),
        ("softmax_arrays", ["X"], ["Y"]),
        ("rmsnorm", ["X", "weight"], ["Y"]),
        ("layernorm", ["X", "weight", "weight", "bias", "bias"], ["Y"]),
        ("argmax", ["X"], []),
        ("quantised_fp8", ["X", "X"], ["Y"]),
        ("clipped", ["X", "Y"], ["Y"]),
    ],
)
def test_each_element_is_loaded_and_stored_once(name: str, loads: list[str], stores: list[str]) -> None:
    (kernel,) = _plan(_fixed(name, 4096)).kernels
    assert _moves(kernel, LoadVector) == loads
    assert _moves(kernel, StoreVector) == stores
    assert not any(isinstance(s, Barrier) for s in all_stmts(kernel.body))


@pytest.mark.parametrize(("n", "block"), [(512, 256), (1024, 128), (4096, 512)])
def test_a_row_takes_a_wave_or_a_block(n: int, block: int) -> None:
    (kernel,) = _plan(_fixed("softmax", n)).kernels
    assert kernel.threads == block
    meetings = [s for s in all_stmts(kernel.body) if isinstance(s, Combine)]
    assert [s.threads for s in meetings] == [64 if n == 512 else block] * 2
    assert [s.slot for s in meetings] == ([None, None] if n == 512 else [0, 1])


def test_rows_of_several_axes_keep_the_loops_of_the_grid() -> None:
    plan = _plan(_fixed("log_softmax", 4096))
    (kernel,) = plan.kernels
    assert [s.var for s in all_stmts(kernel.body) if isinstance(s, For) and not s.small] == ["b", "i"]


def test_one_reduction_in_a_loop_over_rows_waits_before_the_next() -> None:
    text = "from tl2hip import *\nB, M = dims('B M')\n@kernel\ndef f(X: Tensor[f32, B, M, 4096]) -> None:\n"
    text += " for b in range(B):\n  for i in range(M):\n   s = f32(0)\n   for j in range(4096):\n"
    text += "    s += X[b, i, j]\n   for j in range(4096):\n    X[b, i, j] -= s\n"
    (k,) = api.convert(Source("k.py", text)).kernels
    (kernel,) = _plan(k).kernels
    assert sum(isinstance(s, Barrier) for s in all_stmts(kernel.body)) == 1


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_any_length_have_a_kernel_for_short_and_one_for_longer_ones(name: str) -> None:
    plan = _plan(convert(KERNELS)[name])
    assert [k.name for k in plan.kernels[-2:]] == [f"{name}_kernel_wave", f"{name}_kernel_block"]
    assert all(_moves(k, LoadVector) for k in plan.kernels[-2:])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("shifted", "j does not end in the same place in all its loops"),
        ("seen_elsewhere", "Y is stored to and used elsewhere, too"),
    ],
)
def test_what_is_no_row_is_told(name: str, why: str) -> None:
    plan = _plan(convert(KERNELS)[name])
    assert [m.why for m in plan.misses if m.plan == "row"] == [why]


def test_trees_are_told_for_the_kernel_that_runs() -> None:
    trees = dict(_plan(_fixed("softmax", 4096)).trees)
    assert {t.depth(4096) for t in trees.values()} == {8 + 6 + 8 + 1}
    trees = dict(_plan(convert(KERNELS)["softmax"]).trees)
    assert {t.depth(1000) for t in trees.values()} == {16 + 7 + 1}
    assert {t.depth(100_000) for t in trees.values()} == {25 * 8 + 6 + 8 + 1}


@pytest.mark.parametrize(("n", "pieces"), [(16_384, False), (65_536, True), (50_257, True)])
def test_rows_that_registers_do_not_hold_are_walked_piece_by_piece(n: int, pieces: bool) -> None:
    (kernel,) = _plan(_fixed("softmax", n)).kernels
    assert _moves(kernel, LoadVector) == (["X"] * (3 if n == 65_536 else 6) if pieces else ["X"])
    loads = [s for s in all_stmts(kernel.body) if isinstance(s, LoadVector)]
    last = 1 if n == 65_536 or not pieces else 2
    assert [s.streamed for s in loads] == [False] * (len(loads) - last) + [True] * last


# --- proofs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROWS)
def test_any_length_is_proven(name: str) -> None:
    given = tuple({"B": 1, "M": m, "N": n} for m, n in ((2, 0), (1, 1), (3, 7), (5, 64), (2, 65), (2, 1000)))
    given = tuple({d: s[d] for d in _dims(name)} for s in given)
    report = prove(KERNELS, name, given=given, **FEW)
    assert report.good, report.text


@pytest.mark.parametrize(("name", "n"), [("softmax", 4096), ("rmsnorm", 5000), ("argmax", 2048)])
def test_a_block_of_any_length_is_proven(name: str, n: int) -> None:
    report = prove(KERNELS, name, given=({"M": 1, "N": n},), **FEW)
    assert report.good, report.text


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("softmax", 4096), ("softmax", 4097), ("softmax_in_place", 1000), ("softmax_arrays", 0),
        ("log_softmax", 1000), ("rmsnorm", 4096), ("layernorm", 1000), ("argmax", 5000), ("cross_entropy", 64),
        ("quantised", 1008), ("quantised_fp8", 4096), ("clipped", 1000), ("norms", 4096),
    ],
)  # fmt: skip
def test_one_length_is_proven(name: str, n: int) -> None:
    report = _proven(_fixed(name, n), 3)
    assert report.good, report.text


@pytest.mark.parametrize(("name", "n"), [("softmax", 64), ("rmsnorm", 4096)])
def test_more_rows_than_a_grid_has_blocks_take_more_launches(
    name: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_rows, "MAX_GRID_X", 2)
    report = _proven(_fixed(name, n), 9)
    assert report.good, report.text
    assert any(isinstance(s, HostLoop) for s in _plan(_fixed(name, n)).host)


@pytest.mark.parametrize("n", [8, 1000])
@pytest.mark.parametrize("name", ["softmax", "softmax_arrays"])
def test_rows_of_infinities_and_nans_are_as_python_has_them(name: str, n: int) -> None:
    k = convert(KERNELS)[name]
    assert k.printed is not None
    x = np.random.default_rng(0).normal(size=(6, n)).astype(np.float16)
    x[0] = -np.inf
    x[1] = np.nan
    x[2, n - 1] = np.nan
    x[3, n - 1] = np.inf
    x[4, : n - 1] = -np.inf
    got, expected = np.zeros_like(x), np.zeros_like(x)
    with Emulator.load(k.printed.text, detect=False) as library:
        run = library.call(name, [x, got, np.int64(6), np.int64(n), *_workspace(k)])
    assert run.status == 0
    with np.errstate(invalid="ignore"):
        getattr(module(KERNELS), name)(x, expected)
    np.testing.assert_allclose(got, expected, rtol=2e-3, atol=1e-7)
    assert np.isnan(got).any(axis=1).tolist() == [True, True, True, True, False, False]


def _workspace(k: api.Converted) -> list[np.ndarray[Any, Any]]:
    """Room for what a kernel that holds no row keeps in memory."""
    assert k.printed is not None
    return [] if k.printed.launcher.workspace is None else [np.zeros(1 << 20, np.uint8)]


@pytest.mark.parametrize("name", ["rmsnorm", "layernorm", "argmax", "quantised"])
def test_long_rows_are_proven(name: str) -> None:
    given = tuple({d: s[d] for d in _dims(name)} for s in ({"M": 1, "N": 16_384}, {"M": 1, "N": 19_011}))
    report = prove(KERNELS, name, given=given, modes=("normal", "edges"), shapes=0, python_work=0)
    assert report.good, report.text


def test_a_row_may_be_a_part_of_another_one() -> None:
    (kernel,) = _plan(convert(KERNELS)["grouped"]).kernels
    assert (_moves(kernel, LoadVector), _moves(kernel, StoreVector)) == (["X", "X"], ["Y"])
    given = ({"M": 0, "N": 2}, {"M": 3, "N": 0}, {"M": 3, "N": 5})
    assert prove(KERNELS, "grouped", given=given, shapes=0, python_work=2_000).good
    printed = convert(KERNELS)["grouped"].printed
    assert printed is not None
    fault = printed.text.replace("Y[i * (64 * N) + 64 * g", "Y[i * (64 * N) + 32 * g")
    assert fault != printed.text
    assert not prove(KERNELS, "grouped", fault, given=given[2:], shapes=0, python_work=0).good


LONG_FAULTS = {
    "a piece left out": ("piece < N / 8192 * 8192", "piece < N / 8192 * 8192 - 8192"),
    "a vector left out": ("piece < N - 7", "piece < N - 15"),
    "elements left out": ("N / 8 * 8 + thread_x", "N / 8 * 8 + 1 + thread_x"),
    "a piece twice": ("N / 8192 * 8192 + first", "N / 8192 * 8192 - 8192 + first"),
}


@pytest.mark.parametrize("fault", LONG_FAULTS)
def test_planted_faults_in_pieces_are_found(fault: str) -> None:
    printed = convert(KERNELS)["rmsnorm"].printed
    assert printed is not None and LONG_FAULTS[fault][0] in printed.text
    text = printed.text.replace(*LONG_FAULTS[fault])
    how: dict[str, Any] = {"given": ({"M": 1, "N": 12_300},), "modes": ("normal",), "shapes": 0, "python_work": 0}
    assert prove(KERNELS, "rmsnorm", printed.text, **how).good
    assert not prove(KERNELS, "rmsnorm", text, **how).good


def _dims(name: str) -> tuple[str, ...]:
    nest = convert(KERNELS)[name].nest
    assert nest is not None
    return nest.dims


# --- planted faults --------------------------------------------------------------------------------------

FAULTS = {
    "the last vectors are dropped": ("rmsnorm", 1000, ("first + v * 512 < 1000", "first + v * 512 < 992")),
    "lanes behind the row take part": ("rmsnorm", 1000, ("first + v * 512 < 1000", "first + v * 512 < 1024")),
    "a lane without elements adds something": (
        "softmax_arrays", 1000, ("total_part = -0.0f", "total_part = 1.0f"),
    ),
    "the least value starts at 0": ("clipped", 8, ("least_part = __builtin_inff()", "least_part = 0.0f")),
    "no barrier in a reduction": ("softmax", 4096, ("    __syncthreads();\n", "")),
    "two reductions share their LDS": ("softmax", 4096, ("lds_values_f32_2, ", "lds_values_f32, ")),
    "a wave is left out": ("rmsnorm", 4096, ("wave < threads / 64", "wave < threads / 64 - 1")),
    "a NaN is dropped": ("quantised_fp8", 512, ("a != a || b != b", "a != a")),
    "bf16 is rounded down": ("rmsnorm", 4096, ("bits + 0x7fff + (bits >> 16 & 1)", "bits")),
    "rows of a block overlap": ("softmax", 512, ("block_x * 4 + wave", "block_x + wave")),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found(fault: str) -> None:
    name, n, wrong = FAULTS[fault]
    assert not _proven(_fixed(name, n), 9, wrong).good
