"""Rows of a factor that are looked up, `A[rows[i], k]`: read in vectors, though nobody knows what `rows` holds.

An index from -n to -1 counts from the end, as everywhere; with any other outside of the array a load gives 0. So
the row that is read is the nearest one there is, and what is read counts where that is the row that was asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from tl2hip.nest.index import ONE, ZERO, add, maximum, minimum, sub
from tl2hip.nest.ir import Array, Axis, AxisRef, Compare, Const, Expr, Load, Logic, Loop, Nest, Select
from tl2hip.nest.walk import all_parts, all_stmts, map_expr


def looked_up(nest: Nest, e: Expr) -> tuple[Expr, tuple[Expr, ...]]:
    """An expression whose looked-up rows are surely inside of their arrays, and the extents that must not be 0."""
    axes = [s.axis for s in all_stmts(nest.body) if isinstance(s, Loop)]
    extents: list[Expr] = []

    def one(x: Expr) -> Expr:
        d = _looked_up_at(nest.array(x.array), x, axes) if isinstance(x, Load) and not x.always else None
        if d is None or not isinstance(x, Load):
            return x
        extent = nest.array(x.array).shape[d]
        extents.append(extent)
        return _guarded(x, d, extent)

    return map_expr(one, e), tuple(dict.fromkeys(extents))


def _looked_up_at(array: Array, e: Load, axes: Sequence[Axis]) -> int | None:
    """The one dimension, not the last, whose index is what an array holds; None where another may lie outside."""
    whole = {(AxisRef(a.name), a.stop) for a in axes if a.start == ZERO}
    others = [d for d, i in enumerate(e.index) if (i, array.shape[d]) not in whole]
    if len(others) != 1 or others[0] == len(e.index) - 1 or array.strides is not None:
        return None
    loads = [p for p in all_parts(e.index[others[0]]) if isinstance(p, Load)]
    return others[0] if loads and all(p.always for p in loads) else None


def _guarded(e: Load, d: int, extent: Expr) -> Expr:
    """A load at the nearest row there is along a dimension, 0 where that is not the row asked for."""
    asked = e.index[d]
    row = Select(Compare("<", asked, ZERO), add(asked, extent), asked)
    inside = Logic("and", Compare("<=", ZERO, row), Compare("<", row, extent))
    nearest = maximum(minimum(row, sub(extent, ONE)), ZERO)
    read = Load(e.array, (*e.index[:d], nearest, *e.index[d + 1 :]), e.dtype, True, True)
    return Select(inside, read, Const(0.0 if e.dtype.is_float else 0, e.dtype))
