"""How decode attention is cut: the heads of a block, the keys of a step, the waves that walk their own keys.

A wave takes keys by 16. Their scores are key @ query by instructions of 16 by 16, whose columns are the heads that
share the keys: a lane has four scores of one head. The instruction for f32 takes just these as its second operand,
so that weights stay where they are, in full: the weighted sums are value @ weight. Keys and values go from memory
to registers and nowhere else. The arithmetic fits in the time in which memory brings keys and values in, though
columns be idle: 32 keys of 128 elements take a wave 4,500 clocks of its SIMD, and memory at copy bandwidth 9,900
for each SIMD (16 KiB, 6.6 bytes a clock and compute unit).
"""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import F32
from tl2hip.nest.index import value_of
from tl2hip.plan.decode.record import Decode
from tl2hip.plan.gfx942 import ACCESS_BYTES, WAVE
from tl2hip.plan.layout.mfma import Mfma, find
from tl2hip.plan.unfit import Unfit

SIZE = 16
"""Keys of an instruction, and heads at most of a block."""

GROUPS = WAVE // SIZE
"""Lanes that share a column of a result."""

RUN = 4
"""Neighbouring keys of which a lane has the scores."""

ELEMENTS = 256
"""Elements of keys, and as many of values, that a lane group has under way: eight loads of 16 bytes a lane each."""

WIDEST = 256
"""Elements of a row at most: more leave too few registers."""

MERGE_BYTES = 32_768
"""LDS in which the waves of a block meet: two blocks and more still fit a compute unit."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A load of a value's row: 16 lanes take `width` elements each from column `first` on."""

    first: int
    width: int


@dataclass(frozen=True, slots=True)
class Cut:
    """`tiles` of 16 keys are a step of a wave, `waves` a block, `columns` the heads of which it keeps sums.

    `score` and `weigh` are the instructions of both products, `pieces` the loads of a row of values.
    """

    tiles: int
    waves: int
    columns: int
    score: Mfma
    weigh: Mfma
    pieces: tuple[Piece, ...]

    @property
    def step(self) -> int:
        """Keys that a wave takes at a time."""
        return self.tiles * SIZE

    @property
    def threads(self) -> int:
        return self.waves * WAVE


def cut(p: Decode) -> Cut:
    """The cut of an attention. Raises Unfit where there is none."""
    if p.depth % (2 * SIZE) or p.width % (2 * SIZE) or not 0 < p.depth <= WIDEST or not 0 < p.width <= WIDEST:
        raise Unfit(f"rows of {p.depth} and {p.width} elements: one takes multiples of 32 up to {WIDEST}")
    score, weigh = find(p.key.dtype, p.key.dtype, F32, SIZE), find(F32, F32, F32, SIZE)
    assert score is not None and weigh is not None
    columns = min(value_of(p.group) or SIZE, SIZE)
    waves = 4 if 4 * columns * p.width * F32.bytes <= MERGE_BYTES else 2
    tiles = max(1, ELEMENTS // max(p.depth, p.width))
    return Cut(tiles, waves, columns, score, weigh, _pieces(p.width // SIZE, ACCESS_BYTES // p.value.dtype.bytes))


def _pieces(elements: int, widest: int) -> tuple[Piece, ...]:
    """The loads by which each of 16 lanes takes so many elements of a row, the widest first."""
    found, first, width = [], 0, widest
    while elements:
        if width <= elements:
            found.append(Piece(first, width))
            first, elements = first + width * SIZE, elements - width
        else:
            width //= 2
    return tuple(found)
