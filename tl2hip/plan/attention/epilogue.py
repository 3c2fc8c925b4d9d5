"""What is done with each row and with each weighted sum, as the nest says: division, scale, cast, stores.

A lane holds runs of four consecutive columns of one row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from tl2hip.dtypes import F32, I64
from tl2hip.nest.index import add, floor_div, mul, number
from tl2hip.nest.ir import AxisRef, Binary, Compare, Const, Expr, Load, Loop, Set, Stmt, Store, Var
from tl2hip.nest.walk import all_exprs, map_expr, map_exprs
from tl2hip.plan.attention.find import Attention
from tl2hip.plan.attention.softmax import Scale, greatest_score
from tl2hip.plan.attention.tile import SIZE, Cut
from tl2hip.plan.gfx942 import ACCESS_BYTES, WAVE
from tl2hip.plan.ir import Declare, DeviceIf, DeviceStmt, For, Let, MultiplyAdd
from tl2hip.plan.lanes_ir import Combine
from tl2hip.plan.matmul.side import each
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import Remark
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.walk import map_exprs as device_exprs
from tl2hip.plan.widen import Moves, Widened, moves


@dataclass(frozen=True, slots=True)
class Epilogue:
    """The end of one kernel; `row` is the row of this lane, `sums` the vectors of the weighted sums."""

    words: Words
    state: State
    attention: Attention
    cut: Cut
    scale: Scale | None
    sums: str
    row: Expr
    ends: tuple[Expr, Expr]
    moves: Moves | None

    def whole(self) -> Iterator[DeviceStmt]:
        w, p = self.words, self.attention
        run = self.cut.weigh.run
        yield from self._most()
        inside = Compare("<", self.row, p.rows.stop)
        c, h = w.index("c"), w.index("r")
        first = add(mul(floor_div(w.var("lane"), SIZE), number(run)), mul(c, number(SIZE)))
        name = Var(w.name(f"{called(p.columns.axis)}_first"), I64)
        place = Let(name.name, add(first, mul(h, number(2 * run))), "int")
        body = (place, *self._run(c, mul(h, number(run)), name))
        runs = self.cut.weigh.result_slots // run
        columns = each(c.axis, self.cut.blocks, (each(h.axis, runs, body),))
        yield Remark(f"What is done with the sums: a lane has runs of {run} neighbouring {called(p.columns.axis)}.")
        if not p.ragged:
            yield DeviceIf(inside, (*self._of_row(), columns))
            return
        odd = w.var32("odd")
        yield Remark(
            "A value that is no finite number, in a tile of which some rows have not all keys, shows in the sums "
            "of these: 0 times that is not a number."
        )
        yield Declare(odd.name, F32, Const(0.0, F32))
        e = w.index("e")
        seen = MultiplyAdd(odd.name, Load(self.sums, (c, e), F32, True), Const(0.0, F32))
        yield each(c.axis, self.cut.blocks, (each(e.axis, self.cut.weigh.result_slots, (seen,)),))
        yield Combine("+", ((odd.name, F32),), WAVE)
        fine = DeviceIf(Compare("==", odd, odd), (columns,), tuple(self._one_by_one()))
        yield DeviceIf(inside, (*self._of_row(), fine))

    def _most(self) -> Iterator[DeviceStmt]:
        """The maximum, where anything asks for it."""
        p = self.attention
        asked = any(isinstance(e, Var) and e.name == p.most for e in all_exprs((*p.row_behind, *p.behind)))
        if asked or p.ragged:
            yield Let(p.most, greatest_score(p, self.scale, self.words.var32("greatest")))

    def _of_row(self) -> Iterator[DeviceStmt]:
        """What is done with the row, whose stores one of its two lanes does."""
        for stores, run in groupby(self.attention.row_behind, lambda s: isinstance(s, Store)):
            done = self._placed(tuple(run))
            if stores:
                yield DeviceIf(Compare("<", self.words.var("lane"), number(SIZE)), done)
            else:
                yield from done

    def _one_by_one(self) -> Iterator[DeviceStmt]:
        """The row's sums term by term, as the nest has them: each of its two lanes takes every other column."""
        p = self.attention
        score = self.words.name("score")
        self.state.dtypes[score] = F32
        term = map_expr(lambda x: Var(score, F32) if isinstance(x, Load) and x.array == p.scores else x, p.weighing)
        scoring = tuple(Set(score, s.value, at=s.at) if isinstance(s, Store) else s for s in p.scoring)
        total = Set(p.sum, Binary("+", Var(p.sum, F32), term), at=p.sum_at)
        axis = replace(p.keys.axis, start=self.ends[0], stop=self.ends[1])
        keys = Loop(axis, (*scoring, total), at=p.keys.at)
        body = (Set(p.sum, Const(0.0, F32)), keys, *p.behind)
        columns = p.columns.axis
        first = floor_div(self.words.var("lane"), SIZE)
        yield Remark("Sums are taken term by term, of each row's own keys.")
        loop = For(columns.name, first, columns.stop, number(2), self._placed(body), unroll=1, at=p.columns.at)
        yield loop

    def _run(self, c: Expr, first: Expr, name: Var) -> tuple[DeviceStmt, ...]:
        """A run of consecutive columns: in vectors where it can be, else one by one."""
        p, e = self.attention, self.words.index("e")
        if self.moves is None:
            columns = Var(p.columns.axis.name, I64)
            body = self._summed(self._moved(p.behind, p.columns.axis.name, columns), c, add(first, e))
            one = (Let(columns.name, add(name, e), "int"), *self._placed(body))
            return (each(e.axis, self.cut.weigh.run, one),)

        def lower(body: tuple[Stmt, ...]) -> tuple[DeviceStmt, ...]:
            return self._code(self._summed(body, c, add(first, AxisRef(self.state.names.local("e")))))

        code = Widened(self.state, self.moves, p.behind, p.sum_at, lower).code(name)
        row = AxisRef(p.rows.name)
        return device_exprs(lambda e: map_expr(lambda x: self.row if x == row else x, e), code)

    def _summed(self, body: tuple[Stmt, ...], c: Expr, element: Expr) -> tuple[Stmt, ...]:
        """The body with the register that holds it in the place of the sum."""
        total = Var(self.attention.sum, F32)
        value = Load(self.sums, (c, element), F32, True)
        return map_exprs(lambda x: value if x == total else x, body)

    def _placed(self, body: tuple[Stmt, ...]) -> tuple[DeviceStmt, ...]:
        """A body for the row of this lane."""
        return self._code(self._moved(body, self.attention.rows.name, self.row))

    def _moved(self, body: tuple[Stmt, ...], axis: str, to: Expr) -> tuple[Stmt, ...]:
        return map_exprs(lambda x: to if x == AxisRef(axis) else x, body)

    def _code(self, body: tuple[Stmt, ...]) -> tuple[DeviceStmt, ...]:
        return ThreadCode(self.state.names, self.state.dtypes, self.state.kinds).lower(body)


def moved_in_vectors(state: State, p: Attention, cut: Cut) -> Moves | None:
    """How what is done with an element moves runs of columns; None where it cannot."""
    run = cut.weigh.run
    try:
        found = moves(state, p.columns.axis, p.behind, ())
    except Unfit:
        return None
    sizes = [state.nest.array(array).dtype.bytes for array, _ in (*found.loads, *found.stores)]
    return replace(found, width=run) if run * min(sizes) >= 4 and run * max(sizes) <= ACCESS_BYTES else None
