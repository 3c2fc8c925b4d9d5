"""How the elements that a factor is computed from are read: which of them one access takes.

A factor is computed a block of elements at a time: `turn` elements of the sum by `run` rows where memory runs along
the factor's own axis, else `run` elements of the sum of one row.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tl2hip.dtypes import BOOL, I64
from tl2hip.nest.index import ZERO, add, floor_div, modulo, mul, number, value_of
from tl2hip.nest.ir import Array, AxisRef, Binary, Const, Expr, Load, Select, Var
from tl2hip.nest.walk import all_parts, parts, rebuild
from tl2hip.plan.matmul.address import address
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
    pieces: frozenset[Expr] = frozenset()
    """Extents that are whole pieces of `run` elements, where nobody knows more of them."""

    @property
    def deep(self) -> bool:
        """Whether it is one row."""
        return self.turn == 1

    @property
    def known(self) -> Known:
        """How the factor's axes spread over a block."""
        pieces = {e: Spread(e, multiple=self.run if self.deep else 1) for e in self.pieces}
        if self.deep:
            along = Spread(FIRST_K, K, self.run, self.run - 1)
            return {AxisRef(self.over): along, AxisRef(self.axis): Spread(FIRST_ROW), **pieces}
        across = Spread(FIRST_K, K, self.turn, self.turn - 1)
        rows = Spread(FIRST_ROW, ROW, self.run, self.run - 1)
        return {AxisRef(self.over): across, AxisRef(self.axis): rows, **pieces}

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
    `test`: what the source asks before it reads, the same for all elements of a block; where it does not hold, the
    registers are 0.

    `index`: where slot 0 starts, by `FIRST_K` and `FIRST_ROW`; `shared` and `own`: the same index as what all lanes
    share and what a lane adds, empty where that is not known apart; `moving`: the dimension that goes up by one
    from slot to slot. Where `index` is empty, every element is read by itself.
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
    test: Expr | None = None
    unfit: Unfit | None = field(default=None, compare=False)
    """Why every element is read by itself."""

    @property
    def free(self) -> bool:
        """Whether each block has an address of its own, not that of the tile before and a step for all lanes."""
        return bool(self.index) and not self.shared

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
        return max(0, min(still, len(self.shared) - 1))


def taken(load: Load, array: Array, block: Block, value: Expr | None = None) -> Taken:
    """How a load is read for blocks of which none lies past an end in part. `value`: what it is a part of."""
    try:
        return _together(load, array, block, value)
    except Unfit as unfit:
        if block.deep:
            return Taken(load, array, 1, 1, block.run, ZERO, K, unfit=unfit)
        return Taken(load, array, block.turn, 1, block.run, K, ROW, unfit=unfit)


def _together(load: Load, array: Array, block: Block, value: Expr | None) -> Taken:
    """The accesses where elements of a block lie side by side, or are one. Raises Unfit where they do not."""
    test = None if load.always or value is None or not load.proven else _asked(value, load, block)
    if not load.always and test is None:
        raise Unfit(f"an index of {array.name} may lie outside of it", ASSERT.format(array.name))
    if array.strides is not None:
        raise Unfit(f"{array.name} has strides of its own", STRIDES.format(array.name))
    at = [s for i in load.index if (s := spread(i, block.known)) is not None]
    moving = [d for d, s in enumerate(at[:-1]) if s.most]
    lanes = [s for i in at if (s := _by_lane(i.base, block)) is not None]
    if test is not None or len(lanes) < len(load.index):
        lanes = []
    if len(at) < len(load.index) or len(moving) > 1 or not (
        lanes or address(load, array, block.axis, block.over)
    ):
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
        test,
    )


def _asked(e: Expr, load: Load, block: Block) -> Expr | None:
    """The test under which an expression has a load; None where there is not one, or not one for a whole block."""
    found = [x for x in all_parts(e) if isinstance(x, Select) and load in all_parts(x)]
    tests = [x.test for x in found if load in all_parts(x.then) and load not in (*all_parts(x.test), x.orelse)]
    if len(tests) != 1 or len(found) != 1 or sum(x == load for x in all_parts(e)) != 1:
        return None
    return tests[0] if _alike(tests[0], block) else None


def _alike(test: Expr, block: Block) -> bool:
    """Whether a test is one for all elements of a block."""
    if isinstance(test, Load):
        return False
    if test.dtype is I64:
        found = spread(test, block.known)
        return found is not None and found.offset == ZERO and found.most == 0
    return all(_alike(p, block) for p in parts(test)) and not isinstance(test, Var)


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
