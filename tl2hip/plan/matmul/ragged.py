"""Rows in groups of any length, each with a right factor of its own: `for i in range(start[g], start[g + 1])`.

No tile crosses from a group to the next. Group g has the tiles from number `start[g] // rows + g` on, which leaves
each as many as its rows can need, whatever `start` holds: nobody counts tiles ahead of the launch, and a block
finds its group by halving.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, ZERO, add, ceil_div, minimum, mul, number, sub
from tl2hip.nest.ir import (
    Array,
    Axis,
    AxisRef,
    Binary,
    Cast,
    Compare,
    Expr,
    Load,
    Logic,
    Nest,
    Set,
    Stmt,
    Store,
    Update,
    Var,
)
from tl2hip.nest.walk import all_stmts, map_expr, map_exprs, map_stmts
from tl2hip.plan.chain import Chain
from tl2hip.plan.ir import Declare, DeviceIf, DeviceStmt, DeviceWhile, Let
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import Remark
from tl2hip.plan.names import called
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.walk import map_exprs as device_exprs


@dataclass(frozen=True, slots=True)
class Ragged:
    """`rows`, the user's axis, runs for each turn of `group` from one offset to the next; rows from `end` on are
    stored nowhere. `starts` is the array of offsets."""

    rows: Axis
    group: Axis
    starts: str
    end: Expr

    @property
    def whole(self) -> Axis:
        """An axis over all rows there may be, in the place of that over those of a group."""
        return replace(self.rows, start=ZERO, stop=self.end)

    def tiles(self, size: int) -> Expr:
        """Tiles of so many rows that all groups have at most, where there is a group."""
        return sub(add(ceil_div(self.end, size), self.group.stop), ONE)

    def _start(self, group: Expr) -> Expr:
        """The first row of a group."""
        to = {AxisRef(self.group.name): group}
        return map_expr(lambda e: to.get(e, e) if isinstance(e, AxisRef) else e, self.rows.start)

    def _first_tile(self, group: Expr, size: int) -> Expr:
        """The number of a group's first tile."""
        return add(_divided(self._start(group), size), group)

    # --- in a kernel -------------------------------------------------------------------------------------

    def stop(self, words: Words) -> Var:
        """Where the rows of the block's group end."""
        return words.var(f"{self.rows.name}_end")

    def inside(
        self, words: Words, number_of: Expr, size: int, tile: str, body: tuple[DeviceStmt, ...]
    ) -> Iterator[DeviceStmt]:
        """A body for the tile of a number, if it is one: its group, the end of its rows, and as `tile` its first
        row."""
        low, high, middle = (words.var(f"{self.group.name}_{w}") for w in ("found", "above", "middle"))
        first, group = words.var(f"{self.rows.name}_first"), Var(self.group.name, I64)
        g, start = called(self.group), self.starts
        yield Remark(
            f"Tiles of {g} are those from {start}[{g}] / {size} + {g} on, so that no tile holds rows of two. Which "
            f"{g} this block's tile belongs to is found by halving."
        )
        yield Declare(low.name, I64, ZERO, "uniform")
        yield Declare(high.name, I64, self.group.stop, "uniform")
        not_above = Compare("<=", self._first_tile(middle, size), number_of)
        halved = DeviceIf(not_above, (Set(low.name, middle),), (Set(high.name, middle),))
        look = (Let(middle.name, _divided(add(low, high), 2), "int"), halved)
        yield DeviceWhile(Compare("<", add(low, ONE), high), look)
        yield Let(group.name, low)
        yield Let(self.stop(words).name, minimum(self._start(add(group, ONE)), self.end))
        behind = sub(number_of, self._first_tile(group, size))
        yield Let(first.name, add(self._start(group), mul(behind, number(size))))
        there = Logic("and", Compare("<=", self._start(group), first), Compare("<", first, self.stop(words)))
        here = _grouped(body, self.group, group)
        yield DeviceIf(there, (Let(tile, first, "uniform"), *here), note=f"rows of this {g} are left for the tile")


def _divided(e: Expr, power: int) -> Expr:
    """A whole number by a power of two, rounded down: nobody knows the sign of what an array holds."""
    return Binary(">>", e, number(power.bit_length() - 1))


def _grouped(body: tuple[DeviceStmt, ...], axis: Axis, group: Var) -> tuple[DeviceStmt, ...]:
    """Statements of the block's group."""
    here = AxisRef(axis.name)
    return device_exprs(lambda e: map_expr(lambda x: group if x == here else x, e), body)


# --- what a nest says ------------------------------------------------------------------------------------


def ragged_rows(nest: Nest, chain: Chain, body: tuple[Stmt, ...]) -> Ragged | None:
    """The axis of a chain that runs from one offset to the next for each turn of another; None where there is none.
    Raises Unfit where offsets may overlap, or nobody knows how many rows there are."""
    for rows in chain.axes:
        start, stop = _offset(rows.start), _offset(rows.stop)
        if start is None or stop is None or rows.step != 1 or start.array != stop.array:
            continue
        group = next((a for a in chain.axes if start.index == (AxisRef(a.name),)), None)
        if group is None or stop.index != (add(AxisRef(group.name), ONE),):
            continue
        if group.start != ZERO or group.step != 1:
            continue
        if start.array not in nest.offsets:
            raise Unfit(f"ranges of {start.array} may overlap", f"say assert offsets({start.array})")
        if not (start.always and stop.always):
            raise Unfit(f"an index of {start.array} may lie outside of it", "give it an element more than groups")
        return Ragged(rows, group, start.array, _rows_stored(nest, rows, body))
    return None


def _offset(e: Expr) -> Load | None:
    """An element of an array as an index."""
    inner = e.value if isinstance(e, Cast) else e
    return inner if isinstance(inner, Load) else None


def _rows_stored(nest: Nest, rows: Axis, body: tuple[Stmt, ...]) -> Expr:
    """How many rows all results have: those behind are stored nowhere."""
    stores = [s for s in all_stmts(body) if isinstance(s, Store | Update)]
    ends = [_extent(nest.array(s.array), s.index, rows) for s in stores]
    if not ends or ends[0] is None or any(e != ends[0] for e in ends):
        raise Unfit(f"nobody knows how many rows of `{called(rows)}` are stored", "index each result by it alone")
    return ends[0]


def _extent(array: Array, index: tuple[Expr, ...], rows: Axis) -> Expr | None:
    """The extent that an axis is an index of by itself."""
    return next((array.shape[d] for d, i in enumerate(index) if i == AxisRef(rows.name)), None)


def known_inside(nest: Nest, axes: tuple[Axis, ...], body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Statements whose accesses by whole axes are known to be inside of their arrays."""

    def stored(s: Stmt) -> Stmt:
        if isinstance(s, Store | Update) and _inside(nest.array(s.array), s.index, axes):
            return replace(s, proven=True, always=True)
        return s

    return map_exprs(lambda e: loads_inside(nest, axes, e), map_stmts(stored, body))


def loads_inside(nest: Nest, axes: tuple[Axis, ...], e: Expr) -> Expr:
    """An expression whose loads by whole axes are known to be inside of their arrays."""

    def one(x: Expr) -> Expr:
        if isinstance(x, Load) and _inside(nest.array(x.array), x.index, axes):
            return replace(x, proven=True, always=True)
        return x

    return map_expr(one, e)


def _inside(array: Array, index: tuple[Expr, ...], axes: tuple[Axis, ...]) -> bool:
    """Whether each index is an axis that runs over the whole extent."""
    ends = {AxisRef(a.name): a.stop for a in axes if a.start == ZERO}
    return all(isinstance(i, AxisRef) and ends.get(i) == n for i, n in zip(index, array.shape, strict=True))
