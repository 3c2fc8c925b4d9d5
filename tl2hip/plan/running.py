"""How a block walks a scan: tile by tile, each thread with a short run of iterations of each tile.

The run's body is taken twice: first the part of it that decides what the running values are, starting from what
changes nothing. These parts are scanned over the block, which says what each thread's run starts from; then the
user's body runs with that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tl2hip.dtypes import I64, DType
from tl2hip.nest.dependence import Reduction, feeding
from tl2hip.nest.index import ZERO, add, floor_div, minimum, mul, number, trip_count
from tl2hip.nest.ir import Axis, AxisRef, Expr, Loop, Set, Stmt, Var, While
from tl2hip.nest.walk import all_stmts, map_exprs, map_stmts
from tl2hip.plan import marks
from tl2hip.plan.ir import Declare, DeviceStmt, For, Let
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.reduce import identity, merge
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.widen import Moves, Widened, moves

RUN = 4
"""Iterations of a thread at a time where no vectors are moved."""

MOST = 16
"""Iterations of a thread at a time, at most, where the user's tile asks for many."""

THREAD = Var("thread.x", I64)


@dataclass(frozen=True, slots=True)
class Running:
    """One running value: the user's variable, and what the plan keeps beside it. `part`: what a thread's run adds;
    `whole`: what a tile adds; `so_far`: the value before the tile."""

    reduction: Reduction
    dtype: DType
    part: str
    whole: str
    so_far: str

    @property
    def name(self) -> str:
        return self.reduction.variables[0]

    @property
    def op(self) -> str:
        return self.reduction.op

    def var(self, name: str) -> Var:
        return Var(name, self.dtype)

    def nothing(self, name: str) -> Declare:
        """A variable that starts with what changes nothing."""
        return Declare(name, self.dtype, identity(self.op, self.dtype))

    def take(self, name: str, more: Expr) -> Set:
        """`name = name op more`."""
        return Set(name, merge(self.op, self.var(name), more))


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan in the making, by blocks of so many threads. `fed`: the part of the body that decides what the running
    values are, working on the parts of a thread. `run`: iterations of a thread at a time, which are moved as
    vectors where `wide` says how. `atomic` names the arrays whose Updates may meet another thread's."""

    state: State
    loop: Loop
    values: tuple[Running, ...]
    fed: tuple[Stmt, ...]
    threads: int
    run: int
    wide: Moves | None
    wide_fed: Moves | None
    atomic: frozenset[str]

    @classmethod
    def of(
        cls, state: State, loop: Loop, threads: int, atomic: frozenset[str] = frozenset(), *, keep: bool = False
    ) -> Scan:
        """The scan that a loop is; `keep`: its names are used in more than one kernel."""
        axis, kind = loop.axis, state.kinds[loop.axis.name]
        values = []
        for r in kind.scans:
            v, dtype = r.variables[0], state.dtypes[r.variables[0]]
            part, whole, so_far = (state.names.fresh(f"{v}_{x}", keep=keep) for x in ("part", "tile", "so_far"))
            state.dtypes.update(dict.fromkeys((part, whole, so_far), dtype))
            values.append(Running(r, dtype, part, whole, so_far))
        fed = _renamed(feeding(loop.body, [v.name for v in values]), {v.name: v.part for v in values})
        atomic |= {u.array for u in kind.updates}
        wide, wide_fed = (_moves(state, axis, body, atomic) for body in (loop.body, fed))
        run = 1 if any(isinstance(s, Loop | While) for s in all_stmts(loop.body)) else RUN
        if wide is not None:
            arrays = [state.nest.array(a) for a in dict.fromkeys(a for a, _ in (*wide.loads, *wide.stores))]
            run = marks.width(axis, arrays, wide.width)
        if axis.tile is not None and axis.tile % threads == 0 and axis.tile // threads <= MOST:
            run = axis.tile // threads
        if wide is None or wide_fed is None or run == 1 or wide.width % run:
            wide = wide_fed = None
        else:
            wide, wide_fed = replace(wide, width=run), replace(wide_fed, width=run)
        return cls(state, loop, tuple(values), fed, threads, run, wide, wide_fed, atomic)

    @property
    def code(self) -> ThreadCode:
        """What lowers bodies, fed or whole: sums of products are fused."""
        sums = frozenset(n for v in self.values if v.op == "+" for n in (v.name, v.part))
        return ThreadCode(self.state.names, self.state.dtypes, self.state.kinds, self.atomic, sums)

    @property
    def tile(self) -> int:
        return self.threads * self.run

    @property
    def trips(self) -> Expr:
        axis = self.loop.axis
        return trip_count(axis.start, axis.stop, axis.step)

    @property
    def tiled(self) -> Expr:
        """The trips of the whole tiles."""
        return mul(floor_div(self.trips, self.tile), number(self.tile))

    def local(self, wish: str) -> Var:
        """A whole number of a kernel's own."""
        return Var(self.state.names.local(wish), I64)

    def at(self, trip: Expr) -> Expr:
        """The loop variable in a trip."""
        axis = self.loop.axis
        return add(axis.start, mul(trip, number(axis.step)))

    def combine(self, v: Running, name: str) -> Combine:
        """A variable becomes what all threads of the block have in it together."""
        return Combine(v.op, ((name, v.dtype),), self.threads)

    # --- the walk

    def alone(self, starts: Mapping[str, Expr]) -> tuple[DeviceStmt, ...]:
        """The whole loop by one block; `starts` gives each variable's value before it. The value behind it is in
        `so_far`."""
        before = tuple(Declare(v.so_far, v.dtype, starts[v.name]) for v in self.values)
        if self.wide is None:
            return (*before, *self.walk(ZERO, ZERO, self.trips))
        whole = Var(self.state.names.fresh("whole"), I64)
        return (*before, Let(whole.name, self.tiled), *self.walk(ZERO, whole, self.trips))

    def walk(self, begin: Expr, whole: Expr, end: Expr) -> tuple[DeviceStmt, ...]:
        """The trips from `begin` to before `end`, those before `whole` in tiles of vectors."""
        at = self.loop.at
        first, last, tile = map(self.local, ("first", "last", "tile"))
        fed, body = ((self.iterations(first, last, 1, self.code.lower(b)),) for b in (self.fed, self.loop.body))
        runs = (
            Let(first.name, add(AxisRef(tile.name), mul(THREAD, number(self.run)))),
            Let(last.name, minimum(add(first, number(self.run)), end)),
            *self._scanned(fed, body),
        )
        note = f"{self.run} a thread at a time"
        rest = For(tile.name, whole, end, number(self.tile), runs, note=note, at=at)
        if self.wide is None:
            return (rest,)
        wide = Widened(self.state, self.wide, self.loop.body, at, self.code.lower)
        return (self.whole_tiles(begin, whole, lambda x: wide.twice(x, self.fed, self._scanned)), rest)

    def _scanned(self, fed: tuple[DeviceStmt, ...], body: tuple[DeviceStmt, ...]) -> tuple[DeviceStmt, ...]:
        """One tile: what the runs add, the values that they start from, and the user's body."""
        values = self.values
        return (
            *(v.nothing(v.part) for v in values),
            *fed,
            *(Declare(v.whole, v.dtype, None) for v in values),
            *(Prefix(v.op, v.part, v.whole, v.dtype, self.threads) for v in values),
            *(Set(v.name, merge(v.op, v.var(v.so_far), v.var(v.part))) for v in values),
            *body,
            *(v.take(v.so_far, v.var(v.whole)) for v in values),
        )

    def whole_tiles(self, begin: Expr, end: Expr, vectors: Callable[[Expr], tuple[DeviceStmt, ...]]) -> For:
        """Whole tiles, each thread with `vectors` at its first iteration."""
        tile, first = self.local("tile"), self.local("first")
        here = self.at(add(AxisRef(tile.name), mul(THREAD, number(self.run))))
        body = (Let(first.name, here), *vectors(first))
        note = f"{self.run} a thread, as a vector"
        return For(tile.name, begin, end, number(self.tile), body, note=note, at=self.loop.at)

    def iterations(self, first: Expr, end: Expr, stride: int, body: tuple[DeviceStmt, ...]) -> For:
        """The user's loop over trips, each `stride`-th of them."""
        axis = self.loop.axis
        step = number(stride * axis.step)
        return For(axis.name, self.at(first), self.at(end), step, body, down=axis.step < 0, at=self.loop.at)


def _moves(state: State, axis: Axis, body: tuple[Stmt, ...], atomic: frozenset[str]) -> Moves | None:
    """How a body can move vectors; None where it cannot."""
    try:
        return moves(state, axis, body, atomic)
    except Unfit:
        return None


def _renamed(body: tuple[Stmt, ...], names: dict[str, str]) -> tuple[Stmt, ...]:
    """A body working on other variables."""

    def expr(e: Expr) -> Expr:
        return replace(e, name=names[e.name]) if isinstance(e, Var) and e.name in names else e

    def stmt(s: Stmt) -> Stmt:
        return replace(s, name=names.get(s.name, s.name)) if isinstance(s, Set) else s

    return map_stmts(stmt, map_exprs(expr, body))
