"""Where in an array an element stands, as what the rows of a factor and what its sum say of it."""

from __future__ import annotations

from tl2hip.nest.index import ZERO, add, mul, product, sub
from tl2hip.nest.ir import Array, AxisRef, Binary, Expr, Load
from tl2hip.nest.walk import all_parts


def address(load: Load, array: Array, axis: str, over: str) -> tuple[Expr, Expr] | None:
    """The number of the element that a load takes: what does not change with the sum, and what changes with nothing
    else. None where it is no such sum."""
    if array.strides is not None:
        return None
    row: Expr = ZERO
    k: Expr = ZERO
    for d, i in enumerate(load.index):
        two = _separate(i, axis, over)
        if two is None:
            return None
        pitch = product(array.shape[d + 1 :])
        row, k = add(row, mul(two[0], pitch)), add(k, mul(two[1], pitch))
    return row, k


def _separate(e: Expr, axis: str, over: str) -> tuple[Expr, Expr] | None:
    """An integer as a sum of what does not change with the sum, and what changes with nothing else."""
    names = {p.axis for p in all_parts(e) if isinstance(p, AxisRef)} & {axis, over}
    if over not in names:
        return e, ZERO
    if axis not in names and not (isinstance(e, Binary) and e.op in ("+", "-")):
        return ZERO, e
    if not isinstance(e, Binary) or e.op not in ("+", "-", "*"):
        return None
    a, b = _separate(e.left, axis, over), _separate(e.right, axis, over)
    if a is None or b is None:
        return None
    if e.op == "*":
        return _times(a, e.right, axis, over) or _times(b, e.left, axis, over)
    by = add if e.op == "+" else sub
    return by(a[0], b[0]), by(a[1], b[1])


def _times(two: tuple[Expr, Expr], by: Expr, axis: str, over: str) -> tuple[Expr, Expr] | None:
    """A sum times what changes with neither axis; None where it does."""
    if any(p in (AxisRef(axis), AxisRef(over)) for p in all_parts(by)):
        return None
    return mul(two[0], by), mul(two[1], by)
