"""Fills that turn a factor on its way to LDS: threads share them evenly, and no write meets another at a bank."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tl2hip.dtypes import F8E4M3, F16, F32, F64, I8, I32, DType
from tl2hip.nest.index import number, value_of
from tl2hip.nest.ir import AxisRef, Expr
from tl2hip.plan.layout.count import LdsCost, lds, total
from tl2hip.plan.layout.lds import transposing
from tl2hip.plan.layout.mfma import find
from tl2hip.plan.matmul.fill import Fill, fill
from tl2hip.plan.matmul.find import Operand
from tl2hip.plan.matmul.tile import Tile

SUMS = {F16: F32, F8E4M3: F32, I8: I32, F32: F32, F64: F64}
WAVE = 64


def _tile(dtype: DType, rows: int, columns: int, waves: tuple[int, int], depth: int = 128) -> Tile:
    """A tile of `depth` bytes."""
    mfma = find(dtype, dtype, SUMS[dtype], 16)
    assert mfma is not None
    return Tile(rows, columns, depth // dtype.bytes, *waves, mfma)


def _fill(tile: Tile, dtype: DType) -> Fill:
    """That of a right factor stored [K, N]."""
    made = fill(Operand("B", dtype, (AxisRef("k"), AxisRef("j")), "j", "k"), tile, tile.columns, 0)
    assert made is not None and made.turn > 1
    return made


def _value(e: Expr) -> int:
    value = value_of(e)
    assert value is not None
    return value


def _written(f: Fill) -> Iterator[list[tuple[int, int]]]:
    """Row and first element of the sum of what the lanes of a wave write, write by write."""
    for first in range(0, f.tile.threads, WAVE):
        starts = [(_value(f.row(number(t))), _value(f.k(number(t)))) for t in range(first, first + WAVE)]
        for group in range(f.loads // f.turn):
            for e in range(f.run):
                yield [(row + e, k + group * f.k_apart) for row, k in starts]


def _writes(f: Fill) -> LdsCost:
    size = f.tile.bytes
    places = ([f.layout.address(row, k * size) for row, k in lanes] for lanes in _written(f))
    return total(lds(each, f.turn * size, write=True) for each in places)


def _reads(f: Fill) -> LdsCost:
    """Of the fragments of all slices."""
    t = f.tile
    return total(
        lds([f.layout.address(n + x % 16, (s * 4 + x // 16) * 16) for x in range(WAVE)], 16, write=False)
        for n in range(0, f.rows, 16)
        for s in range(t.slices)
    )


SHAPES = [
    (rows, columns, waves)
    for rows, columns in ((16, 16), (16, 64), (32, 32), (64, 32), (64, 64), (128, 64), (128, 128), (128, 256))
    for waves in ((1, 1), (1, 2), (2, 2), (2, 4))
]


@pytest.mark.parametrize("dtype", SUMS, ids=str)
def test_all_tiles_of_whole_bank_lines_are_filled_evenly_and_without_conflicts(dtype: DType) -> None:
    seen = 0
    for rows, columns, waves in SHAPES:
        tile = _tile(dtype, rows, columns, waves)
        few = columns * 128 // tile.threads < 32 and dtype.bytes in (1, 8)
        if tile.fault() or few:  # four rows of 8 bytes, or two of 16, are the least that a thread turns of these
            continue
        f, seen = _fill(tile, dtype), seen + 1
        elements = [(row, k + q) for lanes in _written(f) for row, k in lanes for q in range(f.turn)]
        assert len(elements) == len({*elements}) == columns * tile.depth, (tile, "each element is written once")
        assert (_writes(f).ways, _reads(f).ways) == (1.0, 1.0), (tile, f)
    assert seen > 8


@pytest.mark.parametrize("waves", [(1, 1), (1, 2)])
def test_addresses_of_a_tile_of_32_by_32_halves(waves: tuple[int, int]) -> None:
    f = _fill(_tile(F16, 32, 32, waves), F16)
    assert (f.run, f.turn, f.near, f.left) == (8, 4 if waves == (1, 1) else 2, 4, 1)
    lanes = next(_written(f))
    assert lanes == [(x % 4 * 8, x // 4 * f.turn) for x in range(WAVE)]
    byte = [r * 128 + ((k // 8) ^ (r % 8) ^ (r // 8 * 2)) * 16 + k % 8 * 2 for r, k in lanes]
    assert byte == [f.layout.address(r, k * 2) for r, k in lanes]
    assert byte == [_value(f.element(number(r), number(k))) * 2 for r, k in lanes]
    assert lds(byte, f.turn * 2, write=True).ways == 1.0


def test_a_swizzle_that_does_not_fit_the_lanes_has_conflicts() -> None:
    lanes = [(x % 4 * 8, x // 4 * 4) for x in range(WAVE)]
    ways = [
        lds([transposing(32, 128, left).address(r, k) for r, k in lanes], 4, write=True).ways for left in range(3)
    ]
    assert ways == [2.0, 1.0, 2.0]


def test_rows_of_half_a_bank_line_are_written_two_ways() -> None:
    f = _fill(_tile(F8E4M3, 128, 128, (2, 2), depth=64), F8E4M3)
    assert (f.run, f.turn) == (8, 4), "pieces of 8 bytes, which 256 threads share evenly"
    assert (_writes(f).ways, _reads(f).ways) == (2.0, 1.0)
