"""Products of arrays: `@`, `np.dot`, `np.inner` and `np.outer`."""

from __future__ import annotations

from tl2hip.dtypes import BF16, BOOL, F16, F32, DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold, operators
from tl2hip.nest.build.broadcast import Shape, equal, operand, shapes_differ
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.expand import computed
from tl2hip.nest.build.operands import with_axes
from tl2hip.nest.build.reductions import accumulate
from tl2hip.nest.build.shapes import new_axis, raveled
from tl2hip.nest.build.slices import transposed
from tl2hip.nest.build.types import common
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span


def matmul(ctx: Context, left: Value, right: Value, at: Span) -> Value:
    """`left @ right`; NumPy gives f32 for bf16 here."""
    return _product(ctx, "@", left, right, at)


def dot(ctx: Context, left: Value, right: Value, at: Span) -> Value:
    """`np.dot(left, right)` of arrays of one or two axes."""
    return _product(ctx, "np.dot", left, right, at)


def inner(ctx: Context, left: Value, right: Value, at: Span) -> Value:
    """`np.inner(left, right)`: summed over the last axis of both."""
    turned = transposed(right, (1, 0)) if not isinstance(right, ScalarValue) and len(right.shape) == 2 else right
    return _product(ctx, "np.inner", left, turned, at)


def outer(ctx: Context, left: Value, right: Value, at: Span) -> Value:
    """`np.outer(left, right)`: each element of one times each of the other, both laid out flat."""
    rows, columns = (raveled(ctx, with_axes(v, "`np.outer`", at), at) for v in (left, right))
    return operators.apply(ctx, "*", new_axis(rows, 1), new_axis(columns, 0), at)


def _product(ctx: Context, name: str, left: Value, right: Value, at: Span) -> Value:
    a, b = operand(left), operand(right)
    if isinstance(a, ScalarValue) or isinstance(b, ScalarValue):
        raise Refused(problems.NeedsArray(f"`{name}`", at=at))
    if max(len(a.shape), len(b.shape)) > 2:
        way = "write the loops over the outer axes, and the product of two matrices inside"
        raise Refused(problems.NotSupported(f"`{name}` of arrays of more than two axes", way, at=at))
    depth = a.shape[-1]
    if not equal(ctx, depth, b.shape[0]):
        raise Refused(shapes_differ(ctx, a.shape[-1:], b.shape[:1], at))
    carried, result = _types(name, a, b, at)

    def one(outer: Shape) -> ir.Expr:
        rows, columns = outer[: len(a.shape) - 1], outer[len(a.shape) - 1 :]

        def term(ix: Shape) -> ir.Expr:
            x, y = a.element((*rows, *ix)), b.element((*ix, *columns))
            return fold.binary("*", fold.cast(x, carried), fold.cast(y, carried))

        return fold.cast(accumulate(ctx, "sum", carried, (depth,), at, term), result)

    shape = (*a.shape[:-1], *b.shape[1:])
    if not shape:
        return ScalarValue(one(()))
    return computed(ctx, "product", shape, result, one)


def _types(name: str, a: ArrayValue, b: ArrayValue, at: Span) -> tuple[DType, DType]:
    """The dtype a product is summed in, f32 for halves, and the one it is given in."""
    dtype = common(name, a, b, at).dtype
    if dtype is BOOL:
        raise Refused(problems.NotDefinedFor(name, "bool", "cast to an integer dtype first", at=at))
    if dtype is BF16 and name == "@":
        return F32, F32
    return (F32, dtype) if dtype in (F16, BF16) else (dtype, dtype)
