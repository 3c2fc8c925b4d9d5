"""Where an array has its largest or least element: np.argmax and np.argmin."""

from __future__ import annotations

from tl2hip.dtypes import BOOL, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.attributes import size
from tl2hip.nest.build.broadcast import Shape
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.expand import loops
from tl2hip.nest.build.reductions import KINDS, Item, each_row
from tl2hip.nest.build.shapes import flat_index
from tl2hip.nest.build.types import FP8
from tl2hip.nest.build.values import ArrayValue, Value
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span


def winner(ctx: Context, name: str, value: ArrayValue, axis: int | None, keepdims: bool, at: Span) -> Value:
    """The index of the first largest (`argmax`) or least (`argmin`) element along an axis, or of the whole array
    laid out flat; of the first NaN where there is one. An i64, as NumPy's."""
    if value.dtype in FP8:
        raise Refused(problems.NotDefinedFor(name, value.dtype.name, "cast to f32 first", at=at))
    axes = tuple(range(len(value.shape))) if axis is None else (axis,)
    inner = tuple(value.shape[a] for a in axes)
    return each_row(ctx, name, value, axes, keepdims, I64, lambda item: _first(ctx, name, inner, item, value))


def _first(ctx: Context, name: str, shape: Shape, item: Item, value: ArrayValue) -> ir.Expr:
    kind = KINDS[name.removeprefix("arg")]
    dtype = I64 if value.dtype is BOOL else value.dtype
    best, place = ir.Var(ctx.fresh(kind.name), dtype), ir.Var(ctx.fresh("place"), I64)
    nan, count = ir.Var(ctx.fresh("first_nan"), I64), size(shape)
    starts = [(best, kind.start(dtype)), (place, fold.number(0)), *([(nan, count)] if dtype.is_float else [])]
    for local, start in starts:
        ctx.state.variables[local.name] = local.dtype
        ctx.emit(ir.Set(local.name, start, at=ctx.at))
    with loops(ctx, shape) as index:
        x, here = fold.cast(item(index), dtype), flat_index(shape, index)
        if not isinstance(x, ir.Load):
            x = ctx.temporary(x, "item")
        beyond = ir.Compare(">" if name == "argmax" else "<", x, best)
        taken = (ir.Set(best.name, x, at=ctx.at), ir.Set(place.name, here, at=ctx.at))
        ctx.emit(ir.If(beyond, taken, at=ctx.at))
        if dtype.is_float:
            first = ir.Binary("min", nan, ir.Select(ir.Compare("!=", x, x), here, count))
            ctx.emit(ir.Set(nan.name, first, at=ctx.at))
    return ir.Select(ir.Compare("<", nan, count), nan, place) if dtype.is_float else place
