"""How the elements that a factor is computed from are read: which of them one access takes.

A factor is computed a block of elements at a time: `turn` elements of the sum by `run` rows where memory runs along
the factor's own axis, else `run` elements of the sum of one row.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tl2hip.dtypes import BOOL, I64
from tl2hip.nest.index import ZERO, add, floor_div, modulo, mul, number, value_of
from tl2hip.nest.ir import Array, AxisRef, Binary, Const, Expr, Load, Var
from tl2hip.nest.walk import all_parts, parts, rebuild
from tl2hip.plan.matmul.spread import UNBOUNDED, Known, Spread, moved, spread
from tl2hip.plan.unfit import ASSERT, STRIDES, Unfit

FIRST_K, FIRST_ROW = Var("first k of the block", I64), Var("first row of the block", I64)
"""Where a block starts. No user's name has spaces."""

K, ROW = Var("number along the sum", I64), Var("number along the rows", I64)
"""Which element of a block it is: along the sum where blocks are turned, else a block is one row."""

TILE, LANE = Var("first k of the tile", I64), Var("first k of the block in the tile", I64)
"""`FIRST_K` as what all lanes share, and what a lane adds."""

ACCESS = 16
"""Bytes of an access, at most."""

LEAST = 4
"""Bytes of a vector in registers, at least."""


@dataclass(frozen=True, slots=True)
class Block:
    """The elements that are computed together: `turn` of the sum and `run` rows, or with a turn of 1 `run` elements
    of the sum. `depth` elements of the sum are a tile's."""

    axis: str
    over: str
    run: int
    turn: int
    depth: int

    @property
    def deep(self) -> bool:
        """Whether it is one row."""
        return self.turn == 1

    @property
    def known(self) -> Known:
        """How the factor's axes spread over a block."""
        if self.deep:
            along = Spread(FIRST_K, K, self.run, self.run - 1)
            return {AxisRef(self.over): along, AxisRef(self.axis): Spread(FIRST_ROW)}
        across = Spread(FIRST_K, K, self.turn, self.turn - 1)
        return {AxisRef(self.over): across, AxisRef(self.axis): Spread(FIRST_ROW, ROW, self.run, self.run - 1)}

    @property
    def by_lane(self) -> Known:
        """How the start of a block spreads over lanes."""
        most = self.depth - (self.run if self.deep else self.turn)
        return {
            FIRST_K: Spread(TILE, LANE, self.depth, most),
            FIRST_ROW: Spread(ZERO, FIRST_ROW, 0, UNBOUNDED),
        }


@dataclass(frozen=True, slots=True)
class Taken:
    """The accesses for one load of a block: `slots` rows of memory, of each `vectors` vectors of `width` elements
    that follow each other. Element `ROW`, `K` of the block is in slot `slot`, `column` elements behind its start.

    `index`: where slot 0 starts, by `FIRST_K` and `FIRST_ROW`; `shared` and `own`: the same index as what all lanes
    share and what a lane adds; `moving`: the dimension that goes up by one from slot to slot. Where `index` is
    empty, every element is read by itself.
    """

    load: Load
    array: Array
    slots: int
    vectors: int
    width: int
    slot: Expr
    column: Expr
    index: tuple[Expr, ...] = ()
    shared: tuple[Expr, ...] = ()
    own: tuple[Expr, ...] = ()
    moving: int | None = None
    unfit: Unfit | None = field(default=None, compare=False)
    """Why every element is read by itself."""

    @property
    def wide(self) -> bool:
        """Whether its registers are vectors."""
        size = self.width * self.array.dtype.bytes
        return self.width > 1 and size >= LEAST and self.array.dtype is not BOOL

    @property
    def counts(self) -> tuple[int, int]:
        """Registers of a block, as rows of vectors or of single elements."""
        return self.slots * self.vectors, self.width

    def element(self) -> tuple[Expr, Expr]:
        """Which of the registers of a block holds element `ROW`, `K`."""
        if self.vectors == 1:
            return self.slot, self.column
        which = add(mul(self.slot, number(self.vectors)), floor_div(self.column, self.width))
        return which, modulo(self.column, self.width)

    @property
    def batch(self) -> int:
        """Dimensions in front that neither lanes nor steps of the sum move along."""
        still = 0
        for shared, own in zip(self.shared, self.own, strict=True):
            if own != ZERO or self.moving == still or any(p == TILE for p in all_parts(shared)):
                break
            still += 1
        return min(still, len(self.shared) - 1)


def taken(load: Load, array: Array, block: Block) -> Taken:
    """How a load is read for blocks of which none lies past an end in part."""
    try:
        return _together(load, array, block)
    except Unfit as unfit:
        if block.deep:
            return Taken(load, array, 1, 1, block.run, ZERO, K, unfit=unfit)
        return Taken(load, array, block.turn, 1, block.run, K, ROW, unfit=unfit)


def _together(load: Load, array: Array, block: Block) -> Taken:
    """The accesses where elements of a block lie side by side, or are one. Raises Unfit where they do not."""
    if not load.always:
        raise Unfit(f"an index of {array.name} may lie outside of it", ASSERT.format(array.name))
    if array.strides is not None:
        raise Unfit(f"{array.name} has strides of its own", STRIDES.format(array.name))
    at = [s for i in load.index if (s := spread(i, block.known)) is not None]
    moving = [d for d, s in enumerate(at[:-1]) if s.most]
    lanes = [s for i in at if (s := _by_lane(i.base, block)) is not None]
    if len(lanes) < len(load.index) or len(moving) > 1:
        raise Unfit(f"nobody knows which elements of {array.name} lie side by side")
    last, size = at[-1], array.dtype.bytes
    side = last.most + 1
    if last.multiple % side or side & (side - 1) or array.dtype is BOOL:
        raise Unfit(f"elements of {array.name} do not lie side by side")
    width = min(side, ACCESS // size)
    if width * size < LEAST:
        width = 1
    slot = at[moving[0]] if moving else Spread(ZERO)
    return Taken(
        load,
        array,
        slot.most + 1,
        side // width,
        width,
        slot.offset,
        last.offset,
        tuple(s.base for s in at),
        tuple(s.base for s in lanes),
        tuple(s.offset for s in lanes),
        moving[0] if moving else None,
    )


def _by_lane(e: Expr, block: Block) -> Spread | None:
    """How the start of a block along a dimension spreads over lanes: what they share goes up from 0 with the tiles,
    so that it is never negative."""
    found = spread(e, block.by_lane)
    if found is None or not any(isinstance(p, Var) for p in all_parts(e)):
        return found
    if any(p == TILE for p in all_parts(found.base)):
        rising = all(isinstance(p, Const | Binary) or p == TILE for p in all_parts(found.base))
        first = value_of(moved({TILE: ZERO}, found.base))
        return found if rising and first is not None and first >= 0 else None
    return Spread(ZERO, add(found.base, found.offset), 0, UNBOUNDED)


def placed(e: Expr, block: Block, values: dict[Expr, Expr], loads: dict[Load, Load]) -> Expr:
    """What a factor is for element `ROW`, `K` of a block, its loads replaced; `values` are those of `FIRST_K` and
    of the other names here."""
    if isinstance(e, Load) and e in loads:
        return loads[e]
    if e.dtype is I64 and not isinstance(e, Load) and any(p in block.known for p in all_parts(e)):
        found = spread(e, block.known)
        if found is not None:
            return moved(values, add(found.base, found.offset))
    old = parts(e)
    return rebuild(e, tuple(placed(p, block, values, loads) for p in old)) if old else values.get(e, e)
