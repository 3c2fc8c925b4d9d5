"""Tiles in LDS, and what accesses cost: the known table of conflicts, linear algebra, the emulator's own count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.prove.emulate.kernels import HEAD
from tl2hip.dtypes import F16, F32
from tl2hip.plan.layout.count import LdsCost, MemoryCost, lds, lds_phases, memory, total, wave_addresses
from tl2hip.plan.layout.gf2 import solver
from tl2hip.plan.layout.lds import Tile, XorTerm, padded, swizzled, transposing
from tl2hip.plan.layout.linear import LANES, deal
from tl2hip.plan.layout.mfma import find
from tl2hip.plan.layout.product import wide
from tl2hip.prove.emulate import Emulator

ROWS = 128


def by_mask(row_bytes: int, *masks: int) -> Tile:
    return Tile(ROWS, row_bytes, row_bytes, masks)


def fragment(tile: Tile, m: int, piece: int = 16) -> float:
    """An operand's reads: row l % m, pieces base + l / m."""
    steps = range(0, tile.row_bytes, 64 // m * piece)
    reads = ([tile.address(lane % m, base + lane // m * piece) for lane in range(LANES)] for base in steps)
    return total(lds(read, piece, write=False) for read in reads).ways


def fill(tile: Tile, piece: int = 16) -> float:
    """Lanes write the tile row by row."""
    pieces = tile.row_bytes // piece
    places = [divmod(number, pieces) for number in range(ROWS * pieces)]
    writes = ([tile.address(r, p * piece) for r, p in places[at : at + 64]] for at in range(0, len(places), 64))
    return total(lds(write, piece, write=True) for write in writes).ways


def transposed_fill(tile: Tile) -> float:
    """Lanes hold 8 consecutive rows each, and write a piece of each row in turn."""
    writes = (
        [tile.address(lane % 16 * 8 + e, (base + lane // 16) * 16) for lane in range(LANES)]
        for base in range(0, tile.row_bytes // 16, 4)
        for e in range(8)
    )
    return total(lds(write, 16, write=True) for write in writes).ways


@pytest.mark.parametrize(
    ("tile", "costs"),
    [
        (padded(ROWS, 128), (4, 8, 1, 8)),
        (by_mask(128, 1, 2, 4), (1, 1, 1, 8)),
        (by_mask(128, 1, 2, 4, 1, 2, 4), (1, 1, 1, 1)),
        (padded(ROWS, 128, 16), (2, 1, 1, 8)),
        (padded(ROWS, 128, 32), (1, 2, 1, 8)),
        (by_mask(64, 1, 2), (1, 2, 1, 8)),
        (by_mask(64, 0, 1, 2), (1, 1, 1, 8)),
        (padded(ROWS, 64, 16), (2, 1, 2, 8)),
        (by_mask(256, 1, 2, 4), (1, 1, 1, 8)),
        (by_mask(256, 1, 2, 4, 8), (1, 1, 1, 8)),
        (by_mask(256, 1, 2, 4, 1, 2, 4), (1, 1, 1, 1)),
        (padded(ROWS, 256, 16), (2, 1, 1, 8)),
        (transposing(ROWS, 64), (1, 1, 1, 2)),
        (padded(ROWS, 256, 16), (2, 1, 1, 8)),
    ],
)  # fmt: skip
def test_conflicts_of_known_layouts(tile: Tile, costs: tuple[int, ...]) -> None:
    """Operand reads 16x16 and 32x32, fill, fill from columns: the table of the measured bank model."""
    assert (fragment(tile, 16), fragment(tile, 32), fill(tile), transposed_fill(tile)) == costs


def test_swizzles_are_the_known_ones() -> None:
    for row in range(ROWS):
        assert swizzled(ROWS, 128).piece_xor(row) == row % 8
        assert swizzled(ROWS, 64).piece_xor(row) == row // 2 % 4
        assert swizzled(ROWS, 256).piece_xor(row) == row % 8
        assert transposing(ROWS, 128).piece_xor(row) == (row ^ row >> 3) % 8
        assert transposing(ROWS, 256).piece_xor(row) == (row ^ row >> 3) % 8
        assert swizzled(ROWS, 128, piece=8).piece_xor(row) == row % 16
        assert swizzled(ROWS, 192).piece_xor(row) == row % 4


@pytest.mark.parametrize("row_bytes", [64, 128, 256, 512])
def test_swizzles_have_no_conflicts(row_bytes: int) -> None:
    for piece in (8, 16):
        tile = swizzled(ROWS, row_bytes, piece)
        assert (fragment(tile, 16, piece), fragment(tile, 32, piece), fill(tile, piece)) == (1, 1, 1)


def test_8_byte_reads() -> None:
    """A swizzle of 16-byte pieces is two-way for them, a pad of 8 bytes free."""
    assert fragment(swizzled(ROWS, 128), 16, 8) == fragment(swizzled(ROWS, 128), 32, 8) == 2
    assert fragment(padded(ROWS, 128, 8, piece=8), 16, 8) == fragment(padded(ROWS, 128, 8, piece=8), 32, 8) == 1


def test_columns_of_attention_values_written_by_halves() -> None:
    """Threads with 4 k of 8 columns d write 8 bytes: two-way, until bit 6 of d flips the halves of a piece."""
    by_chunks = (2, 4, 8, 2, 4, 8)
    for masks, ways in ((by_chunks, 2), ((*by_chunks, 1), 1)):
        tile = Tile(128, 128, 128, masks, piece=8)
        writes = ([tile.address(lane % 16 * 8 + e, lane // 16 * 8) for lane in range(LANES)] for e in range(8))
        assert total(lds(write, 8, write=True) for write in writes).ways == ways


@pytest.mark.parametrize("tile", [swizzled(24, 192), transposing(96, 64), padded(5, 80, 16), swizzled(9, 96, 8)])
def test_every_byte_has_its_own_place(tile: Tile) -> None:
    places = [tile.address(row, byte) for row in range(tile.rows) for byte in range(tile.row_bytes)]
    assert len(set(places)) == len(places) and max(places) < tile.bytes
    for row in range(tile.rows):
        assert all(tile.address(row, b) // tile.pitch == row for b in range(tile.row_bytes))
        assert all(tile.address(row, b) % tile.piece == b % tile.piece for b in range(tile.row_bytes))


@settings(max_examples=60)
@given(st.lists(st.integers(0, 7), max_size=7))
def test_xor_terms(masks: list[int]) -> None:
    tile = Tile(ROWS, 128, 128, tuple(masks))
    for row in range(ROWS):
        value = 0
        for term in tile.xor_terms():
            value ^= (row >> term.low & term.mask) << term.left
        assert value == tile.piece_xor(row)


def test_few_xor_terms() -> None:
    assert padded(8, 128).xor_terms() == ()
    assert swizzled(ROWS, 64).xor_terms() == (XorTerm(1, 3, 0),)
    assert len(transposing(ROWS, 256).xor_terms()) == 2


def linear_ways(tile: Tile, phases: Sequence[Sequence[int]], m: int) -> float:
    """Ways of an operand's 16-byte read by rank: lanes of a phase are a plane, and so are the banks they use."""
    word = [tile.address(lane % m, lane // m * 16) // 16 for lane in range(LANES)]
    ways = []
    for phase in phases:
        first = phase[0]
        plane = solver(lane ^ first for lane in phase)
        assert 1 << plane.rank == len(phase), "the lanes of a phase are a plane"
        directions = [vector for vector, _ in plane.pivots.values()]
        banks = solver((word[first ^ d] ^ word[first]) % 8 for d in directions)
        ways.append(1 << (plane.rank - banks.rank))
    return sum(ways) / len(ways)


@settings(max_examples=100)
@given(st.sampled_from([64, 128, 256]), st.lists(st.integers(0, 3), max_size=7), st.sampled_from([16, 32]))
def test_counting_agrees_with_linear_algebra(row_bytes: int, masks: list[int], m: int) -> None:
    tile = Tile(ROWS, row_bytes, row_bytes, tuple(masks))
    read = [tile.address(lane % m, lane // m * 16) for lane in range(LANES)]
    for write in (False, True):
        assert lds(read, 16, write).ways == linear_ways(tile, lds_phases(16, write), m)


def test_phases_hold_every_lane_once() -> None:
    for width in (1, 2, 4, 8, 16):
        for write in (False, True):
            phases = lds_phases(width, write)
            assert sorted(lane for phase in phases for lane in phase) == list(range(LANES))
            assert len(phases) == {16: 8, 8: 4}.get(width, 2)
    assert lds_phases(16, False)[3] == (12, 13, 14, 15, 24, 25, 26, 27)
    assert lds_phases(16, False)[4] == (32, 33, 34, 35, 52, 53, 54, 55)


def test_masks_broadcasts_and_pads() -> None:
    assert lds([None] * 64, 16, False) == LdsCost(0, 0) and LdsCost(0, 0).ways == 1
    assert lds([128 * lane if lane < 3 else None for lane in range(64)], 4, False) == LdsCost(3, 1)
    assert lds([4] * 64, 4, False) == LdsCost(2, 2)
    assert lds([2 * lane for lane in range(64)], 2, True).extra == 0
    assert lds([65 * 4 * lane for lane in range(64)], 4, False).ways == 1
    assert lds([64 * 4 * lane for lane in range(64)], 4, False).ways == 32


def test_requests_and_lines() -> None:
    assert memory([16 * lane for lane in range(64)], 16) == MemoryCost(16, 8, 1024, 1024)
    assert memory([16 * lane + 2 for lane in range(64)], 16) == MemoryCost(17, 9, 1024, 1024)
    assert memory([4096 * lane for lane in range(64)], 2) == MemoryCost(64, 64, 128, 128)
    assert memory([4096 * lane for lane in range(64)], 2).efficiency == 1 / 32
    assert memory([256 + 4 * (lane % 8) for lane in range(64)], 4) == MemoryCost(1, 1, 256, 32)
    assert memory([None] * 64, 4) == MemoryCost(0, 0, 0, 0) and MemoryCost(0, 0, 0, 0).efficiency == 1
    halo = [4 * lane - 4 if lane else None for lane in range(64)]
    assert memory(halo, 4) == MemoryCost(4, 2, 252, 252)


def test_addresses_of_a_layout() -> None:
    rows = deal("i k", ("slot", "k", 8), ("lane", "k", 8), ("lane", "i", 8), ("wave", "i", 4))
    at = wave_addresses(rows, 0, 3, lambda i, k: 1000 * i + 2 * k if i < 30 else None)
    assert at[:9] == (24000, 24016, 24032, 24048, 24064, 24080, 24096, 24112, 25000) and at[-1] is None
    x = find(F16, F16, F32, 32)
    assert x is not None
    operand, tile = wide(x, 8, 8).left, swizzled(32, 128)
    reads = [wave_addresses(operand, slot, 0, lambda i, k: tile.address(i, 2 * k)) for slot in range(0, 32, 8)]
    assert [lds(read, 16, write=False).extra for read in reads] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Tile(8, 128, 120), "have no pitch 120"),
        (lambda: Tile(8, 128, 136), "have no pitch 136"),
        (lambda: Tile(8, 120, 128), "8 rows of 120 bytes are no pieces of 16"),
        (lambda: swizzled(8, 8), "8 rows of 8 bytes are no pieces of 16"),
        (lambda: Tile(8, 128, 128, (), 4), "no pieces of 4"),
        (lambda: Tile(8, 128, 128, (8,)), "leaves rows of 8 pieces"),
        (lambda: Tile(8, 192, 192, (4,)), "leaves rows of 12 pieces"),
        (lambda: padded(8, 128).address(8, 0), "row 8, byte 0 is outside 8 rows of 128 bytes"),
        (lambda: padded(8, 128).address(0, 128), "row 0, byte 128 is outside"),
        (lambda: lds([0] * 63, 4, False), "63 addresses for 64 lanes"),
        (lambda: lds([0] * 64, 12, False), "no access of 12 bytes"),
        (lambda: lds([2] * 64, 4, False), "4 bytes at address 2"),
        (lambda: memory([0] * 64, 32), "no access of 32 bytes"),
        (lambda: memory([-4] * 64, 4), "at address -4"),
    ],
)
def test_what_is_refused(make: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make()  # type: ignore[operator]


EMULATED = (
    HEAD
    + """
typedef float vector __attribute__((ext_vector_type(WIDTH)));

__global__ __attribute__((amdgpu_flat_work_group_size(64, 64)))
void touch_kernel(const int* at, vector* y) {
    __shared__ vector room[16384 / WIDTH];
    const int lane = threadIdx.x;
    const int mine = at[lane];
    if (mine >= 0) room[mine] = (vector)(1.0f);
    __syncthreads();
    if (mine >= 0) y[mine] = room[mine];
}

extern "C" hipError_t touch(const int* at, vector* y, hipStream_t stream) {
    hipLaunchKernelGGL(touch_kernel, dim3(1), dim3(64), 0, stream, at, y);
    return hipGetLastError();
}
"""
)


@pytest.mark.parametrize("words", [1, 2, 4])
def test_counts_are_those_of_the_emulator(words: int) -> None:
    library = Emulator.load(EMULATED.replace("WIDTH", str(words)))
    rng = np.random.default_rng(words)
    width = 4 * words
    for spread, shift in ((64, 0), (64, 20), (100, 0), (1000, 44), (16384 // words, 0)):
        at = rng.permutation(spread)[:64].astype(np.int32)
        at[rng.random(64) < 0.2] = -1
        run = library.call("touch", [at, np.zeros(16384 + 64, np.float32)[shift:]])
        addresses = [int(a) * width if a >= 0 else None for a in at]
        banks = {count.store: count for count in run.bank_conflicts if count.bytes == width}
        for write in (False, True):
            mine, theirs = lds(addresses, width, write), banks[write]
            assert theirs.instructions == 1
            assert (mine.clocks, mine.phases) == (theirs.clocks, theirs.ideal)
        (store,) = (count for count in run.coalescing if count.store)
        found = memory([a + 4 * shift if a is not None else None for a in addresses], width)
        assert (found.requests, found.lines) == (store.requests, store.lines)
