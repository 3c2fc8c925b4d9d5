"""What is done with each element of a product, as the nest says: bias, activation, scale, residual, cast, stores.

A lane holds runs of consecutive columns of one row, so that what runs along columns moves in vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce

from tl2hip.dtypes import I64
from tl2hip.nest.index import ZERO, add, floor_div, modulo, mul, number
from tl2hip.nest.ir import Axis, AxisRef, Compare, Expr, Load, Logic, Stmt, Var
from tl2hip.nest.walk import map_expr, map_exprs
from tl2hip.plan.gfx942 import ACCESS_BYTES
from tl2hip.plan.ir import DeviceIf, DeviceStmt, Let
from tl2hip.plan.matmul.find import MatrixProduct
from tl2hip.plan.matmul.side import each
from tl2hip.plan.matmul.sums import summed
from tl2hip.plan.matmul.tile import Tile, tiled
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import Remark, TakeLane
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.walk import map_exprs as device_exprs
from tl2hip.plan.widen import LEAST_BYTES, Moves, Widened, moves


@dataclass(frozen=True, slots=True)
class Epilogue:
    """The end of one kernel: `row` and `column` are the first of the tile, the others say which wave this is."""

    words: Words
    state: State
    product: MatrixProduct
    tile: Tile
    sums: tuple[str, ...]
    row: Expr
    column: Expr
    wave_row: Expr
    wave_column: Expr
    moves: Moves | None

    def whole(self) -> Iterator[DeviceStmt]:
        p, t = self.product, self.tile
        m, run = t.mfma.m, t.run
        down, across = t.fragments[0], t.fragments[1] // t.joined
        i, j = self.words.index("r"), self.words.index("c")
        lane = self.words.var("lane_again")
        first_row = add(self.row, add(mul(self.wave_row, number(t.rows // t.down)), modulo(lane, m)))
        inside = mul(floor_div(lane, m), number(run))
        first_column = add(self.column, add(mul(self.wave_column, number(t.columns // t.across)), inside))
        row = Let(p.rows.name, add(first_row, mul(i, number(m))))
        runs = t.mfma.result_slots // t.mfma.run
        place = add(first_column, mul(j, number(m * t.joined)))
        if runs == 1:
            column = tuple(self._run((i, j), ZERO, place))
        else:
            h = self.words.index("h")
            again = tuple(self._run((i, j), mul(h, number(t.mfma.run)), add(place, mul(h, number(run * t.groups)))))
            column = (each(h.axis, runs, again),)
        what = f"{run} neighbouring {called(p.columns)} of one {called(p.rows)}" if run > 1 else "elements"
        where = "each of its fragments" if t.joined == 1 else f"{t.joined} fragments, whose columns take turns"
        yield Remark(f"What is done with the sums: a lane has {what} in {where}.")
        yield TakeLane(self.words.name("lane_again"))
        yield each(i.axis, down, (row, each(j.axis, across, column)))

    def _run(self, slot: tuple[Expr, ...], first: Expr, place: Expr) -> Iterator[DeviceStmt]:
        """A run of consecutive columns: in vectors where all of it is inside, else one by one."""
        p, run = self.product, self.tile.run
        inside = self._below(p.rows, self.tile.rows)
        if run == 1:
            yield Let(p.columns.name, place)
            yield from _where((*inside, *self._in_columns()), self._lowered((*slot, first)))
            return
        name, e = Var(self.words.name(f"{called(p.columns)}_first"), I64), self.words.index("e")
        lowered = self._lowered(self._sum(slot, first, e))
        one = (Let(p.columns.name, add(name, e)), *_where(self._in_columns(), lowered))
        each_one = (each(e.axis, run, one),)
        yield Let(name.name, place)
        if self.moves is None:
            yield from _where(inside, each_one)
            return
        vectors = self._in_vectors(slot, first, name, self.moves)
        whole = Compare("<=", add(name, number(run)), p.columns.stop)
        if self._in_columns():
            vectors = (DeviceIf(whole, vectors, each_one),)
        yield from _where(inside, vectors)

    def _in_columns(self) -> tuple[Expr, ...]:
        return self._below(self.product.columns, self.tile.columns)

    def _below(self, axis: Axis, size: int) -> tuple[Expr, ...]:
        """What must hold for an element of the tile to be inside along an axis: nothing where tiles divide it."""
        return () if tiled(axis.stop, size) else (Compare("<", Var(axis.name, I64), axis.stop),)

    def _in_vectors(self, slot: tuple[Expr, ...], first: Expr, name: Expr, wide: Moves) -> tuple[DeviceStmt, ...]:
        p = self.product
        index = self._sum(slot, first, AxisRef(self.state.names.local("e")))

        def lower(body: tuple[Stmt, ...]) -> tuple[DeviceStmt, ...]:
            return self._code(self._summed(body, index))

        code = Widened(self.state, wide, p.body, p.at, lower).code(name)
        row = AxisRef(p.rows.name)
        return device_exprs(lambda e: map_expr(lambda x: Var(row.axis, I64) if x == row else x, e), code)

    def _sum(self, slot: tuple[Expr, ...], first: Expr, e: Expr) -> tuple[Expr, ...]:
        """The register of element e of a run, which starts at `first` of the fragments of a slot."""
        run, joined = self.tile.mfma.run, self.tile.joined
        if joined == 1:
            return (*slot, add(first, e))
        i, j = slot
        return i, add(mul(j, number(joined)), floor_div(e, run)), add(first, modulo(e, run))

    def _lowered(self, index: tuple[Expr, ...]) -> tuple[DeviceStmt, ...]:
        p = self.product
        column = Var(p.columns.name, I64)
        body = _moved(_moved(p.body, p.rows.name, Var(p.rows.name, I64)), p.columns.name, column)
        return self._code(self._summed(body, index))

    def _summed(self, body: tuple[Stmt, ...], index: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        """Statements with the registers that hold an element's sums."""
        dtype = self.product.dtype
        held = {summed(n, dtype): Load(sums, index, dtype, True) for n, sums in enumerate(self.sums)}
        return map_exprs(lambda e: held.get(e, e) if isinstance(e, Var) else e, body)

    def _code(self, body: tuple[Stmt, ...]) -> tuple[DeviceStmt, ...]:
        return ThreadCode(self.state.names, self.state.dtypes, self.state.kinds).lower(body)


def _where(tests: tuple[Expr, ...], body: tuple[DeviceStmt, ...]) -> tuple[DeviceStmt, ...]:
    """A body behind all of some tests."""
    if not tests:
        return body
    return (DeviceIf(reduce(lambda a, b: Logic("and", a, b), tests), body),)


def moved_in_vectors(state: State, p: MatrixProduct, tile: Tile) -> Moves | None:
    """How the body moves runs of columns; None where it cannot, or a run is one element."""
    found = _moves(state, p) if tile.run > 1 else None
    if found is None:
        return None
    sizes = [state.nest.array(array).dtype.bytes for array, _ in (*found.loads, *found.stores)]
    return replace(found, width=tile.run) if tile.run * min(sizes) >= LEAST_BYTES else None


def stored_together(state: State, p: MatrixProduct) -> int:
    """Neighbouring elements of a row that fill an access where they are stored; 1 where they are no neighbours."""
    found = _moves(state, p)
    if found is None:
        return 1
    return ACCESS_BYTES // min(state.nest.array(array).dtype.bytes for array, _ in found.stores)


def _moves(state: State, p: MatrixProduct) -> Moves | None:
    try:
        return moves(state, p.columns, p.body, ())
    except Unfit:
        return None


def _moved(body: tuple[Stmt, ...], axis: str, to: Expr) -> tuple[Stmt, ...]:
    return map_exprs(lambda e: map_expr(lambda x: to if x == AxisRef(axis) else x, e), body)
