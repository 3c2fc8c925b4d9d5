"""Attributes: what an array says of itself, and constants of libraries."""

from __future__ import annotations

from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.names import library_number, means
from tl2hip.nest.build.slices import transposed
from tl2hip.nest.build.undecided import check_numpys
from tl2hip.nest.build.values import ScalarValue, Value
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused


def attribute(ctx: Context, e: nodes.Attribute) -> Result:
    """`A.shape`, `A.size`, `A.ndim`, `A.T`, or a constant such as `math.pi`."""
    name = means(ctx, e)
    if name is not None:
        known = library_number(ctx, e)
        if known is None:
            raise Refused(problems.UndefinedName(name, at=e.at))
        return known
    base = ctx.evaluate(ctx, e.value)
    if isinstance(base, tuple):
        raise Refused(problems.UnknownAttribute(e.name, at=e.at))
    return of_value(base, e)


def of_value(base: Value, e: nodes.Attribute) -> Result:
    """An attribute of an array or of one of NumPy's numbers; Python's have none of these."""
    if isinstance(base, ScalarValue) and base.weak:
        raise Refused(problems.UnknownAttribute(e.name, at=e.at))
    check_numpys(base, e.at)
    shape = () if isinstance(base, ScalarValue) else base.shape
    if e.name == "shape":
        return tuple(ScalarValue(extent, weak=True) for extent in shape)
    if e.name == "ndim":
        return ScalarValue(fold.number(len(shape)), weak=True)
    if e.name == "size":
        return ScalarValue(size(shape), weak=True)
    if e.name == "T" and not isinstance(base, ScalarValue):
        return transposed(base, tuple(reversed(range(len(shape)))))
    raise Refused(problems.UnknownAttribute(e.name, at=e.at))


def size(shape: tuple[ir.Expr, ...]) -> ir.Expr:
    """The number of elements of a shape."""
    total: ir.Expr = fold.number(1)
    for extent in shape:
        total = fold.multiply(total, extent)
    return total
