"""Columns that are each one reduction: rows shared by the threads of a block, and by blocks where columns are few,
at every size and alignment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip import api
from tl2hip.plan.ir import Barrier, HostIf, Launch, LoadVector, Plan
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.prove.draw import MODES

COLUMNS = Path(__file__).parent / "columns.py"
SIZES = ((0, 5), (5, 0), (1, 1), (63, 64), (64, 1), (65, 67), (257, 130), (331, 9), (600, 3))
SLICED = ((1, 1), (257, 130), (331, 9), (1301, 3))
"""A slice has 256 rows, and the last one fewer."""
FEW_MODES = ("integers", "normal")
SIDES = {"few rows": ("< 0", "< 0"), "shared": (">= 0", "< 0"), "slices": (">= 0", "< 152")}
"""What the tests for enough rows and for few columns become, the launcher's and those of the workspace."""
TWO_SLICES = ("i_share = max_i64(304 / max_i64((N + 63) / 64, 1), 1);", "i_share = 2;")


def _prove(
    name: str,
    side: str,
    sizes: tuple[tuple[int, int], ...] = SIZES,
    change: tuple[str, str] = ("", ""),
    modes: tuple[str, ...] = MODES,
    fault: tuple[str, str] = ("", ""),
) -> bool:
    """Whether the kernel of one side of the launcher's choice is right at every size, with its text changed."""
    printed, nest = convert(COLUMNS)[name].printed, convert(COLUMNS)[name].nest
    assert printed is not None and nest is not None
    enough, few = SIDES[side]
    text, n = re.subn(r" >= 64(\) \{|\s+&& \()", rf" {enough}\1", printed.text)
    text, m = re.subn(r"< 152 && (.*?) >= 1024\)", rf"{few} && \1 >= 1)", text)
    assert n == m >= 2
    for old, new in (change, fault):
        assert old in text
        text = text.replace(old, new) if old else text
    given = ({"B": 2, "M": m, "N": n} for m, n in sizes if m > 0 or name != "doubles")
    given = tuple({d: v for d, v in g.items() if d in nest.dims} for g in given)
    report = prove(COLUMNS, name, text, shapes=0, given=given, python_work=2_000, modes=modes)
    print(report.text)
    return report.good


@pytest.mark.parametrize("side", ["few rows", "shared"])
@pytest.mark.parametrize("name", convert(COLUMNS))
def test_every_size_is_right(name: str, side: str) -> None:
    assert _prove(name, side)


@pytest.mark.parametrize("name", convert(COLUMNS))
def test_slices_of_every_size_are_right(name: str) -> None:
    assert _prove(name, "slices", SLICED)


def test_slices_of_several_pieces_are_right() -> None:
    assert _prove("plain", "slices", ((1301, 66), (700, 1)), TWO_SLICES, FEW_MODES)


FAULTS = {
    "a missing barrier": ("__syncthreads();  // the partial results are all there", ";"),
    "a dropped tail": ("if (j_first + 1 < N)", "if (j_first + 2 < N)"),
    "a row too few": ("i < M; i += 64) {\n                f32x4", "i < M - 1; i += 64) {\n                f32x4"),
    "rows twice": ("i = M / 256 * 256 + thread_y", "i = thread_y"),
    "a slice too few": ("n < 64; ++n", "n < 63; ++n"),
    "a column past the end": ("mine < 64 && j < N", "mine < 64"),
}


SLICE_FAULTS = {
    "a slice dropped by the launcher": ("grid_z = i_slices;", "grid_z = i_slices - 1;"),
    "a partial not taken in": ("slice < i_slices; slice += 64", "slice < i_slices - 1; slice += 64"),
    "a partial taken twice": ("i_slices, 0) / 256 * 256 + thread_y", "i_slices, 0) / 256 * 256 + thread_y / 2"),
    "a slice past its end": ("min_i64(i_start + i_slice, M)", "(i_start + i_slice)"),
    "slices that overlap": ("i_start = block_z * i_slice;", "i_start = block_z * (i_slice - 1);"),
    "a slice too short": ("min_i64(i_start + i_slice, M)", "min_i64(i_start + i_slice - 1, M)"),
    "another column's partials left": ("s_parts[block_z * N + j]", "s_parts[block_z * N + j / 2]"),
    "partials behind the workspace": ("s_parts[block_z * N + j]", "s_parts[(block_z + 304) * 64 + j]"),
    "another slice's partials taken": ("s_parts[slice * N + j_first]", "s_parts[slice / 2 * N + j_first]"),
    "too few slices counted": ("(M + i_slice - 1) / i_slice", "M / i_slice"),
    "a workspace too small": ("(19456 * 4 + 255) / 256 * 256", "256"),
    "pieces counted from the first row": ("i_tiled = i_start + max", "i_tiled = max"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    assert not _prove("plain", "shared", fault=FAULTS[fault])


@pytest.mark.parametrize("fault", SLICE_FAULTS)
def test_planted_faults_of_slices_are_found(fault: str) -> None:
    assert not _prove("plain", "slices", SLICED, modes=FEW_MODES, fault=SLICE_FAULTS[fault])


def _plan(name: str, **sets: int) -> Plan:
    done = api.convert(api.source_of(COLUMNS), api.Options(sets=sets))
    plan = next(k.plan for k in done.kernels if k.name == name)
    assert plan is not None
    return plan


FIXED = (
    ({"M": 65_536, "N": 64}, ["plain_kernel_slices", "plain_finish"]),
    ({"M": 1024, "N": 9664}, ["plain_kernel_slices", "plain_finish"]),
    ({"M": 1023, "N": 9664}, ["plain_kernel"]),
    ({"M": 1024, "N": 9665}, ["plain_kernel"]),
    ({"M": 63, "N": 64}, ["plain_kernel_few_rows"]),
    ({"M": 1024}, ["plain_kernel_slices", "plain_finish", "plain_kernel"]),
    ({"N": 64}, ["plain_kernel_slices", "plain_finish", "plain_kernel", "plain_kernel_few_rows"]),
)


@pytest.mark.parametrize(("sets", "kernels"), FIXED)
def test_fixed_sizes_are_decided_while_planning(sets: dict[str, int], kernels: list[str]) -> None:
    plan = _plan("plain", **sets)
    assert [k.name for k in plan.kernels] == kernels
    if len(sets) == 2:
        assert all(isinstance(s, Launch) for s in plan.host)


def test_columns_of_a_batch_are_counted_together() -> None:
    assert "batch_finish" in [k.name for k in _plan("batch", B=151, M=4096, N=128).kernels]
    assert "batch_finish" not in [k.name for k in _plan("batch", B=152, M=4096, N=128).kernels]


def test_four_rows_are_under_way() -> None:
    plan = convert(COLUMNS)["halves"].plan
    assert plan is not None
    (choice,) = plan.host
    assert isinstance(choice, HostIf)
    kernels = [k for k in plan.kernels if any(isinstance(s, Barrier) for s in all_stmts(k.body))]
    assert [k.block for k in kernels] == [(16, 64, 1)] * 3
    slots = [p.array.shape for p in plan.arrays if p.array.name == "A_vectors"]
    assert [[str(getattr(n, "value", "")) for n in s] for s in slots] == [["4", "8"]]
    assert all(s.streamed for k in kernels for s in all_stmts(k.body) if isinstance(s, LoadVector))


@pytest.mark.parametrize("name", convert(COLUMNS))
def test_no_registers_are_spilled(name: str) -> None:
    printed = convert(COLUMNS)[name].printed
    assert printed is not None
    for one in read_counters(compile_device(printed.text).text):
        assert (one.sgpr_spills, one.vgpr_spills) == (0, 0), one.name
