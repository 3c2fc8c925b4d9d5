"""Matrix times vector: four rows a wave where they are many, one a block where they are fewer, and one slice of a
row a block where they are few and long."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip import api
from tl2hip.plan.ir import HostIf, HostLet, Launch, LoadVector, Plan
from tl2hip.plan.lanes_ir import Combine
from tl2hip.plan.tree import Tree
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.draw import MODES

MATVECS = Path(__file__).parent / "matvecs.py"
KERNELS = tuple(convert(MATVECS))
SIZES = (
    (3, 0, 5), (3, 5, 0), (0, 3, 5), (2, 1, 1), (1, 3, 7), (3, 17, 64), (2, 5, 257), (2, 37, 130),
)  # fmt: skip
"""Turns of a batch, rows, and elements of a row."""
LONG = ((3, 2, 4099), (1, 4, 8192))
SLICED = ((3, 1, 16), (2, 1, 4099), (1, 7, 2053), (2, 3, 4096), (1, 1, 8197))
"""Those whose slices are one piece of 256 vectors, or less."""
LONGER = ((1, 2, 13_001), (1, 1, 7_203))
"""Those cut into two: pieces of 256 vectors four at a time, and one at a time."""
MANY_SLICES = ((1, 301, 4_099),)
FEW_MODES = ("integers", "normal")
TWO_SLICES = ("j_share = max_i64(1024 / max_i64(M, 1), 1);", "j_share = 2;")
SIDES = {"waves": (">= 0", "< 304"), "block": ("< 0", "< 0"), "slices": ("< 0", "< 304")}
"""What the tests for many and for few rows become, the launcher's and those of the workspace."""


def _given(name: str, sizes: Sequence[tuple[int, int, int]]) -> tuple[dict[str, int], ...]:
    """Sizes by name; of a kernel whose rows go along B their elements come last, too."""
    names = ("N", "M", "B") if name == "batch_inside" else ("B", "M", "N")
    nest = convert(MATVECS)[name].nest
    assert nest is not None
    given = [{n: v for n, v in zip(names, s, strict=True) if n in nest.dims} for s in sizes]
    return tuple(g for n, g in enumerate(given) if g not in given[:n])


def _prove(
    name: str,
    side: str,
    sizes: Sequence[tuple[int, int, int]] = SIZES,
    change: tuple[str, str] = ("", ""),
    modes: tuple[str, ...] = MODES,
    fault: tuple[str, str] = ("", ""),
) -> bool:
    """Whether the kernel of one side of the launcher's choice is right at every size, with its text changed."""
    printed = convert(MATVECS)[name].printed
    assert printed is not None
    many, few = SIDES[side]
    text, m = re.subn(r"< 304 && (.*?) >= \d+\)", rf"{few} && \1 >= 16)", printed.text)
    text, n = re.subn(r" >= 8192( && \w+ >= 4)?\)", rf" {many})", text)
    places = 1 + printed.text.count("8192) && (") + printed.text.count(">= 4) && (")
    assert (n, m, places > 1) == (places, places, True)
    for old, new in (change, fault):
        assert old in text
        text = text.replace(old, new) if old else text
    report = prove(MATVECS, name, text, shapes=0, given=_given(name, sizes), python_work=2_000, modes=modes)
    print(report.text)
    return report.good


@pytest.mark.parametrize("side", ["waves", "block"])
@pytest.mark.parametrize("name", KERNELS)
def test_every_size_is_right(name: str, side: str) -> None:
    assert _prove(name, side)
    assert _prove(name, side, LONG, modes=FEW_MODES)


@pytest.mark.parametrize("name", KERNELS)
def test_slices_of_every_size_are_right(name: str) -> None:
    assert _prove(name, "slices", SLICED[:1])
    assert _prove(name, "slices", SLICED, modes=FEW_MODES)


def test_slices_of_several_pieces_are_right() -> None:
    assert _prove("plain", "slices", LONGER, TWO_SLICES, FEW_MODES)


def test_many_slices_are_right() -> None:
    assert _prove("plain", "slices", MANY_SLICES, modes=FEW_MODES[:1])


WAVE_FAULTS = {
    "a row past the end": ("i < M) {  // a lane", "i <= M) {  // a lane"),
    "rows mixed up": ("thread_x == 2 ? s_part_2", "thread_x == 2 ? s_part_1"),
    "a dropped tail": ("if (j < N) {", "if (j < N - 1) {"),
    "a swapped lane": ("from_lane<0x4e>", "from_lane<0xb1>"),
    "a vector too few": ("j_vector < N / 4; j_vector += 64", "j_vector < N / 4 - 1; j_vector += 64"),
}
BLOCK_FAULTS = {
    "a missing barrier": ("parts[thread / 64] = x;\n    __syncthreads();", "parts[thread / 64] = x;"),
    "a piece forgotten": ("j_tile += 1024", "j_tile += 2048"),
    "a piece twice": ("j_vector = N / 4 / 1024 * 1024 + thread_x", "j_vector = N / 4 / 1024 * 1024 - 1 + thread_x"),
}
SLICE_FAULTS = {
    "a slice dropped by the launcher": ("grid_x = j_slices,", "grid_x = j_slices - 1,"),
    "a partial not taken in": ("slice < j_slices; slice += 256", "slice < j_slices - 1; slice += 256"),
    "a partial taken twice": ("slice = thread_x; slice", "slice = max_i64(thread_x - 1, 0); slice"),
    "a slice past its end": ("min_i64(j_start + j_slice, N / 4)", "(j_start + j_slice)"),
    "slices that overlap": ("j_start = block_x * j_slice;", "j_start = block_x * (j_slice - 1);"),
    "a slice too short": ("min_i64(j_start + j_slice,", "min_i64(j_start + j_slice - 1,"),
    "a tail in every slice": ("block_x == j_slices - 1 && j < N", "j < N"),
    "no tail": ("block_x == j_slices - 1 && j < N", "block_x == j_slices && j < N"),
    "another row's partials left": ("s_parts[i * j_slices + block_x]", "s_parts[i + block_x]"),
    "another row's partials taken": ("s_parts[i * j_slices + slice]", "s_parts[i + slice]"),
    "partials behind the workspace": ("s_parts[i * j_slices + block_x]", "s_parts[(i + 1) * 1024 + block_x]"),
    "too few slices counted": ("(N / 4 + j_slice - 1) / j_slice", "N / 4 / j_slice"),
}
LONGER_FAULTS = {
    "whole pieces in the next slice": ("/ 1024 * 1024;", "/ 1024 * 1024 + 1024;"),
    "a slice ahead of its start": ("j_vector = j_tiled + thread_x", "j_vector = j_tiled - 1 + thread_x"),
    "pieces counted from the row": ("j_tiled = j_start + max", "j_tiled = max"),
}
MANY_FAULTS = {
    "a workspace too small": ("(1024 * 4 + 255) / 256 * 256", "256"),
    "more slices than there is workspace for": ("const i64 j_share = ", "const i64 j_share = 2 * "),
}


@pytest.mark.parametrize("fault", WAVE_FAULTS)
def test_planted_faults_of_waves_are_found(fault: str) -> None:
    assert not _prove("plain", "waves", (*SIZES, *LONG), modes=FEW_MODES, fault=WAVE_FAULTS[fault])


@pytest.mark.parametrize("fault", BLOCK_FAULTS)
def test_planted_faults_of_blocks_are_found(fault: str) -> None:
    assert not _prove("plain", "block", (*SIZES, *LONG), modes=FEW_MODES, fault=BLOCK_FAULTS[fault])


@pytest.mark.parametrize("fault", SLICE_FAULTS)
def test_planted_faults_of_slices_are_found(fault: str) -> None:
    assert not _prove("plain", "slices", SLICED, modes=FEW_MODES, fault=SLICE_FAULTS[fault])


@pytest.mark.parametrize("fault", LONGER_FAULTS)
def test_planted_faults_of_longer_slices_are_found(fault: str) -> None:
    assert not _prove("plain", "slices", LONGER, TWO_SLICES, FEW_MODES, LONGER_FAULTS[fault])


@pytest.mark.parametrize("fault", MANY_FAULTS)
def test_planted_faults_of_many_slices_are_found(fault: str) -> None:
    assert not _prove("plain", "slices", MANY_SLICES, modes=FEW_MODES[:1], fault=MANY_FAULTS[fault])


def _plan(name: str, **sets: int) -> Plan:
    done = api.convert(api.source_of(MATVECS), api.Options(sets=sets))
    plan = next(k.plan for k in done.kernels if k.name == name)
    assert plan is not None
    return plan


def test_the_matrix_is_streamed_and_the_vector_kept() -> None:
    waves, slices, finish, block = _plan("plain").kernels
    for kernel in (waves, slices, block):
        moved = {s.array: s.streamed for s in all_stmts(kernel.body) if isinstance(s, LoadVector)}
        assert moved == {"A": True, "x": False}
    threads = [[s.threads for s in all_stmts(k.body) if isinstance(s, Combine)] for k in (waves, slices, block)]
    assert threads == [[64] * 4, [256], [256]]
    assert [s.threads for s in all_stmts(finish.body) if isinstance(s, Combine)] == [256]


def test_the_launcher_chooses_by_rows_and_length() -> None:
    (many,) = _plan("plain").host
    assert isinstance(many, HostIf)
    (few,) = many.orelse
    assert isinstance(few, HostIf)
    assert [type(s) for s in few.then] == [HostLet] * 3 + [Launch] * 2
    assert [type(s) for s in (*many.then, *few.orelse)] == [Launch] * 2
    where = {n.axis: n.where for n in _plan("plain").notes}
    assert where == {
        "i": "grid, 4 a wave or one a block below 8192 or in slices below 304",
        "j": "lanes, 4 elements at a time; from 16384 on in slices, one a block",
    }


FIXED = (
    ({"M": 1, "N": 65_536}, ["plain_kernel_slices", "plain_finish"]),
    ({"M": 303, "N": 16_384}, ["plain_kernel_slices", "plain_finish"]),
    ({"M": 303, "N": 16_383}, ["plain_kernel_block"]),
    ({"M": 304, "N": 65_536}, ["plain_kernel_block"]),
    ({"M": 8192, "N": 64}, ["plain_kernel_waves"]),
    ({"M": 303}, ["plain_kernel_slices", "plain_finish", "plain_kernel_block"]),
    ({"N": 16_383}, ["plain_kernel_waves", "plain_kernel_block"]),
)


@pytest.mark.parametrize(("sets", "kernels"), FIXED)
def test_fixed_sizes_are_decided_while_planning(sets: dict[str, int], kernels: list[str]) -> None:
    plan = _plan("plain", **sets)
    assert [k.name for k in plan.kernels] == kernels
    if len(sets) == 2:
        assert all(isinstance(s, Launch) for s in plan.host)


def test_rows_of_a_batch_are_counted_together() -> None:
    assert [k.name for k in _plan("batch", B=16, M=16, N=65_536).kernels] == ["batch_kernel_slices", "batch_finish"]
    assert [k.name for k in _plan("batch", B=32, M=16, N=65_536).kernels] == ["batch_kernel_block"]
    assert [k.name for k in _plan("batch", B=2, M=4096, N=64).kernels] == ["batch_kernel_waves"]
    assert [k.name for k in _plan("batch", B=4096, M=2, N=64).kernels] == ["batch_kernel_block"]


@pytest.mark.parametrize(
    ("name", "sets"), [("plain", {"M": 1, "N": 16_387}), ("small_integers", {"M": 2, "N": 65_536})]
)
def test_slices_of_fixed_sizes_are_right(name: str, sets: dict[str, int], tmp_path: Path) -> None:
    given = "".join(f"{n} = {v}\n" for n, v in sets.items())
    path = tmp_path / "fixed.py"
    path.write_text(MATVECS.read_text().replace('B, M, N = dims("B M N")\n', f'B = dims("B")\n{given}'))
    plan = convert(path)[name].plan
    assert plan is not None and [k.name for k in plan.kernels] == [f"{name}_kernel_slices", f"{name}_finish"]
    report = prove(path, name, shapes=1, modes=FEW_MODES[:1], steps=100_000, python_work=0)
    print(report.text)
    assert report.good


def test_sums_are_told_as_trees() -> None:
    tree = dict(_plan("plain").trees)["j"]
    assert (tree.threads, tree.width, tree.others[0].threads) == (64, 4, 256)
    slices = tree.others[1]
    assert (slices.threads, slices.blocks, slices.fewest, slices.least) == (256, 1024, 3, 16_384)
    fixed = dict(_plan("plain", M=16, N=1 << 20).trees)["j"]
    assert (fixed.blocks, fixed.fewest) == (64, 64)


@pytest.mark.parametrize("rows", [1, 3, 16, 100, 301, 303])
def test_a_tree_is_as_deep_as_its_slices(rows: int) -> None:
    """Additions on the way of one term, counted as the launcher cuts rows and as blocks add."""
    known = dict(_plan("plain", M=rows).trees)["j"].others[0]
    unknown = dict(_plan("plain").trees)["j"].others[1]
    for n in (16_384, 16_387, 100_000, 1 << 20, (1 << 20) + 4093, 5_000_001):
        share = 1024 // rows
        pieces = -(-(n // 4) // 256)
        each = -(-pieces // share)
        count = -(-(n // 4) // (each * 256))
        deepest = 4 * each + 1 + 6 + 4 + -(-count // 256) + 6 + 4
        assert count * rows <= 1024
        assert deepest <= known.depth(n) <= unknown.depth(n) <= Tree(256, width=4).depth(n)
