"""np.linalg.norm: the root of the sum of squares."""

from __future__ import annotations

from collections.abc import Callable

from tl2hip.dtypes import F64
from tl2hip.nest.build import fold, operators
from tl2hip.nest.build.broadcast import lift, operand
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.operands import number
from tl2hip.nest.build.products import dot
from tl2hip.nest.build.reductions import reduce
from tl2hip.nest.build.shapes import raveled
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span


def norm(
    ctx: Context,
    value: ArrayValue,
    order: nodes.Expr | None,
    axes: tuple[int, ...] | None,
    keepdims: bool,
    at: Span,
) -> Value:
    """The 2-norm of a vector or along an axis, the Frobenius norm of a matrix; integers in f64, as in NumPy."""
    one_axis = len(value.shape) == 1 if axes is None else len(axes) == 1
    if order is not None and not (one_axis and fold.value_of(number(ctx, order, "ord").expr) == 2):
        way = "write it out, as in `np.abs(x).sum(axis=1)` for ord=1"
        raise Refused(problems.WrongArguments("np.linalg.norm", "has no conversion for this ord", way, at=order.at))
    if not value.dtype.is_float:
        value = _mapped(ctx, value, lambda x: ScalarValue(fold.cast(x.expr, F64)), at)
    if axes is None and not keepdims:
        flat = raveled(ctx, value, at)
        total = dot(ctx, flat, flat, at)
    else:
        square = _mapped(ctx, value, lambda x: operators.binary(ctx, "*", x, x, at, array=True), at)
        total = reduce(ctx, "sum", square, axes or tuple(range(len(value.shape))), keepdims, at)
    return lift(ctx, (total,), lambda v: ScalarValue(operators.float_call("sqrt", (v[0].expr,), v[0].dtype)), at)


def _mapped(ctx: Context, value: ArrayValue, f: Callable[[ScalarValue], ScalarValue], at: Span) -> ArrayValue:
    found = operand(lift(ctx, (value,), lambda v: f(v[0]), at))
    assert isinstance(found, ArrayValue)
    return found
