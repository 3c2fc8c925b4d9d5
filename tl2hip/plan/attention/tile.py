"""How attention is cut: rows and waves of a block, the tile of keys, the matrix instructions.

A wave has 32 rows. Its scores are key @ query, so that an instruction's columns are rows of the result: a lane has
the scores of one row, and the lane 32 on the others of it. A result of one instruction then holds, in each lane,
just what the next takes as its second operand, so that weights stay in registers: the weighted sums are
value @ weight.
"""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import F32
from tl2hip.plan.attention.find import Attention, Factor
from tl2hip.plan.gfx942 import LDS_BYTES, REGISTERS, WAVE
from tl2hip.plan.layout.mfma import Mfma, find
from tl2hip.plan.matmul.factors import Operand
from tl2hip.plan.matmul.fill import Fill, fill
from tl2hip.plan.matmul.tile import Tile
from tl2hip.plan.unfit import Unfit

SIZE = 32
"""Rows and columns of the matrix instructions' results."""

KEYS = 64
"""Keys of a tile."""

WAVES = 4
"""Waves of a block, one for each SIMD: another block hides its waits."""

OTHERS = 50
"""Registers of a lane for addresses, offsets, fragments and what the compiler needs besides."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The tile of a block: `rows` rows of `depth` elements, `keys` keys at a time, `width` columns.

    `score` and `weigh` are the instructions of both products, `keys_fill` and `values_fill` the ways of a tile of
    keys and of values into LDS.
    """

    keys: int
    depth: int
    width: int
    score: Mfma
    weigh: Mfma
    keys_fill: Fill
    values_fill: Fill

    @property
    def rows(self) -> int:
        return WAVES * SIZE

    @property
    def threads(self) -> int:
        return WAVES * WAVE

    @property
    def fragments(self) -> int:
        """Results of the first product in a tile of keys: 32 keys each."""
        return self.keys // SIZE

    @property
    def blocks(self) -> int:
        """Results of the second product: 32 columns each."""
        return self.width // SIZE

    @property
    def registers(self) -> int:
        """Registers of a lane: sums, queries, scores, weights, and the tiles that wait."""
        waiting = self.keys * (self.depth + self.width) * 2 // self.threads // 4
        weights = self.keys // 2 if self.weigh.first is F32 else self.keys // 4
        return self.width // 2 + self.depth // 4 + self.keys // 2 + weights + waiting + OTHERS

    @property
    def waves(self) -> int:
        """Waves on a SIMD."""
        return 2 if self.registers <= REGISTERS // 2 else 1


def cut(p: Attention, depth: int, width: int) -> Cut:
    """The cut for so many elements of a row and so many columns. Raises Unfit where there is none."""
    if p.query.dtype is not p.key.dtype:
        raise Unfit(f"queries are {p.query.dtype} and keys {p.key.dtype}")
    score, turned = (find(d, d, F32, SIZE) for d in (p.key.dtype, p.value.dtype))
    weigh = turned if p.weight is p.value.dtype else find(F32, F32, F32, SIZE)
    assert score is not None and turned is not None and weigh is not None
    keys = Tile(KEYS, WAVES * SIZE, depth, 1, WAVES, score)
    values = Tile(width, WAVES * SIZE, KEYS, 1, WAVES, turned)
    if depth % WAVE or width % SIZE or keys.row_pieces & (keys.row_pieces - 1):
        raise Unfit(f"rows of {depth} elements and {width} columns: one takes 64, 128 or 256 of each")
    first, second = fill(_along(p.key), keys, KEYS, 0), fill(_across(p.value), values, width, 0)
    if first is None or second is None:
        raise Unfit(f"{keys.threads} threads do not share {KEYS} rows of {depth} and {width} elements evenly")
    made = Cut(KEYS, depth, width, score, weigh, first, second)
    if keys.rows * keys.depth * keys.bytes + values.rows * values.depth * values.bytes > LDS_BYTES:
        raise Unfit(f"keys and values of {depth} and {width} elements leave no room in LDS")
    if made.registers > REGISTERS:
        raise Unfit(f"rows of {depth} elements and {width} columns need more registers than there are")
    return made


def _along(f: Factor) -> Operand:
    """Keys as a factor of the first product, which sums along their rows."""
    return Operand(f.array, f.dtype, f.index, f.axis, f.along)


def _across(f: Factor) -> Operand:
    """Values as a factor of the second product, which sums over their rows."""
    return Operand(f.array, f.dtype, f.index, f.along, f.axis)
