"""Several loops as one: the axes of a sum, or of rows, run through by one axis in row-major order.

A convolution is a product so: its rows are the places of the result, its sum runs over channels and taps at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, ZERO, floor_div, modulo, product, value_of
from tl2hip.nest.ir import Axis, AxisRef, Expr, Load, Loop, Stmt, Store, Update
from tl2hip.nest.walk import all_parts, map_expr, map_stmt_exprs, map_stmts
from tl2hip.plan.matmul.factors import outermost_loads
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.unfit import Unfit


@dataclass(frozen=True, slots=True)
class Flat:
    """`axis` in the place of `axes`, which all run from 0 by 1; the last of them is the fastest."""

    axis: Axis
    axes: tuple[Axis, ...]

    def expr(self, state: State, e: Expr) -> Expr:
        """An expression of the axis instead of the axes. Indices that name all axes in a row, over an array as
        large as they are, become one: the address is the same, whatever the others were."""
        return map_expr(lambda x: self._one(state, x), self._joined(state, e))

    def stmts(self, state: State, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Statements of the axis instead of the axes."""

        def one(s: Stmt) -> Stmt:
            if isinstance(s, Store | Update) and s.proven:
                index = self._index(state, s.array, s.index)
                if isinstance(s, Store):
                    return Store(s.array, index, s.value, s.proven, s.always, s.at)
                return Update(s.array, index, s.op, s.value, s.proven, s.atomic, s.always, s.at)
            return s

        return tuple(map_stmt_exprs(lambda e: self.expr(state, e), s) for s in map_stmts(one, body))

    def _joined(self, state: State, e: Expr) -> Expr:
        def one(x: Expr) -> Expr:
            if isinstance(x, Load) and x.proven:
                return Load(x.array, self._index(state, x.array, x.index), x.dtype, x.proven, x.always)
            return x

        return map_expr(one, e)

    def _index(self, state: State, array: str, index: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """An index with the axes in a row as one."""
        wanted, array_of = tuple(AxisRef(a.name) for a in self.axes), state.nest.array(array)
        inner = tuple(a.stop for a in self.axes[1:])
        for d in range(len(index) - len(wanted) + 1):
            end = d + len(wanted)
            if index[d:end] == wanted and array_of.shape[d + 1 : end] == inner and array_of.strides is None:
                return (*index[:d], *(ZERO for _ in inner), AxisRef(self.axis.name), *index[end:])
        return index

    def _one(self, state: State, e: Expr) -> Expr:
        """The value of one of the axes."""
        if not isinstance(e, AxisRef):
            return e
        for n, a in enumerate(self.axes):
            if a.name == e.axis:
                inner = product(tuple(x.stop for x in self.axes[n + 1 :]))
                whole = floor_div(AxisRef(self.axis.name), inner) if inner != ONE else AxisRef(self.axis.name)
                return whole if n == 0 else modulo(whole, a.stop)
        return e


def flat(state: State, axes: tuple[Axis, ...]) -> Flat:
    """One axis for several. Raises Unfit where something is said of them that no other axis can honour."""
    _check_marks(axes)
    name = state.names.fresh("_".join(called(a) for a in axes), keep=True)
    state.dtypes[name] = I64
    user = " ".join(called(a) for a in axes)
    return Flat(Axis(name, ZERO, product(tuple(a.stop for a in axes)), user=user), axes)


def _check_marks(axes: tuple[Axis, ...]) -> None:
    """Nothing is said of the axes. Raises Unfit where one has a mark."""
    for a in axes:
        if a.tile is not None or a.marks:
            raise Unfit(f"{called(a)} is one of several loops that become one axis, and has marks of its own")


def flat_sum(state: State, axes: tuple[Axis, ...]) -> Flat:
    """One axis for several of a sum. Raises Unfit where one has marks, or nobody knows how far an inner one runs.

    Every element of a tile would be divided by that number in 64 bits to tell which of the loops it belongs to, and
    read by itself: the code of kernels like that is ten times as large as the instruction cache.
    """
    _check_marks(axes)
    for a in axes[1:]:
        if value_of(a.stop) is None:
            why = f"{called(a)} is one of several loops of a sum that become one, and its end is not known"
            raise Unfit(why, "fix it with --set, or write the number")
    return flat(state, axes)


def sum_axes(over: Loop) -> tuple[tuple[Axis, ...], Loop]:
    """The axes of a nest of loops that holds nothing but each other, and the innermost loop."""
    axes, inner = [over.axis], over
    while len(inner.body) == 1 and isinstance(inner.body[0], Loop):
        inner = inner.body[0]
        axes.append(inner.axis)
    return tuple(axes), inner


def in_memory(axes: tuple[Axis, ...], terms: tuple[Expr, ...]) -> tuple[Axis, ...]:
    """Axes of a sum in the order in which one of the arrays has them all as indices; as they are if none has."""
    named = {AxisRef(a.name): a for a in axes}
    for load in (x for e in terms for x in outermost_loads(e)):
        found = tuple(named[i] for i in load.index if isinstance(i, AxisRef) and i in named)
        if len(found) == len(axes):
            return found
    return axes


def in_a_row(state: State, own: list[Axis], behind: tuple[Stmt, ...]) -> tuple[Axis, ...]:
    """Those axes, the innermost last, that the result has as indices next to each other, over the whole of them."""
    stores = [s for s in behind if isinstance(s, Store | Update) and s.proven]
    names = {a.name: a for a in own}
    best: tuple[Axis, ...] = ()
    for s in stores:
        row: list[Axis] = []
        for d, i in enumerate(s.index):
            a = names.get(i.axis) if isinstance(i, AxisRef) else None
            if a is None or (row and state.nest.array(s.array).shape[d] != a.stop):
                row = []
            if a is not None:
                row.append(a)
                best = max(best, tuple(row), key=len)
    return best


def mentions(e: Expr, axis: Axis) -> bool:
    """Whether an expression changes with an axis."""
    return any(p == AxisRef(axis.name) for p in all_parts(e))
