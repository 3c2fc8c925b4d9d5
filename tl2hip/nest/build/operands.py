"""Source expressions as the operands that calls, subscripts and statements need."""

from __future__ import annotations

from tl2hip.dtypes import I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.broadcast import operand, scalar
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value, View
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span


def value(ctx: Context, e: nodes.Expr) -> Value:
    """The one value an expression is; refused for a tuple."""
    return one_value(ctx.evaluate(ctx, e), e.at)


def one_value(found: Result, at: Span) -> Value:
    """What was found, where it is no tuple."""
    if isinstance(found, tuple):
        way = "use its items one by one, or make an array with np.zeros"
        raise Refused(problems.NotSupported("a tuple or list as a value", way, at=at))
    return found


def with_axes(found: Value, what: str, at: Span) -> ArrayValue | View:
    """A value that has axes, a place in an array as such; refused for one number."""
    if isinstance(found, ScalarValue) or not found.shape:
        raise Refused(problems.NeedsArray(what, at=at))
    return found


def array(found: Value, what: str, at: Span) -> ArrayValue:
    """An array to compute with; refused for one number."""
    values = operand(with_axes(found, what, at))
    assert isinstance(values, ArrayValue)
    return values


def number(ctx: Context, e: nodes.Expr, what: str) -> ScalarValue:
    """The one number an expression is; refused for an array."""
    return scalar(value(ctx, e), what, e.at)


def integer(ctx: Context, e: nodes.Expr, what: str) -> ir.Expr:
    """An integer expression, in i64."""
    found = number(ctx, e, what)
    if not found.dtype.is_int:
        raise Refused(
            problems.NotSupported(f"a {found.dtype} as {what}", "use an integer, as in `int(…)`", at=e.at)
        )
    return fold.cast(found.expr, I64)


def shape_of(ctx: Context, e: nodes.Expr) -> tuple[ir.Expr, ...]:
    """The extents that an argument such as `(M, N)` or `M` gives."""
    found = ctx.evaluate(ctx, e)
    items = found if isinstance(found, tuple) else (found,)
    extents = []
    for item in items:
        if isinstance(item, tuple):
            raise Refused(problems.NotSupported("a nested shape", "give one tuple of integers", at=e.at))
        one = scalar(item, "an extent", e.at)
        if not one.dtype.is_int:
            raise Refused(problems.NotSupported(f"a {one.dtype} as an extent", "use an integer", at=e.at))
        extents.append(fold.cast(one.expr, I64))
    return tuple(extents)
