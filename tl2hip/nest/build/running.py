"""Running sums and products along an axis: np.cumsum and np.cumprod."""

from __future__ import annotations

from tl2hip.dtypes import DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.broadcast import operand
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.expand import allocate, loops
from tl2hip.nest.build.reductions import types_of
from tl2hip.nest.build.shapes import raveled
from tl2hip.nest.build.values import ArrayValue, View
from tl2hip.source.span import Span


def running(ctx: Context, name: str, value: ArrayValue, axis: int | None, dtype: DType | None, at: Span) -> View:
    """`cumsum` or `cumprod` along an axis, one element after the other; without an axis, of the array laid out
    flat. Each partial result is rounded to the dtype of the result, as NumPy does."""
    if axis is None:
        flat = operand(raveled(ctx, value, at))
        assert isinstance(flat, ArrayValue)
        value, axis = flat, 0
    carried = types_of(name, value.dtype, dtype, at).result
    hint, op, nothing = ("total", "+", -0.0) if name == "cumsum" else ("product", "*", 1.0)
    start = ir.Const(nothing if carried.is_float else int(nothing), carried)
    view = allocate(ctx, name, value.shape, carried)
    with loops(ctx, (*value.shape[:axis], *value.shape[axis + 1 :])) as outer:
        total = ir.Var(ctx.fresh(hint), carried)
        ctx.state.variables[total.name] = total.dtype
        ctx.emit(ir.Set(total.name, start, at=ctx.at))
        with loops(ctx, (value.shape[axis],)) as (k,):
            index = (*outer[:axis], k, *outer[axis:])
            item = fold.cast(value.element(index), carried)
            ctx.emit(ir.Set(total.name, ir.Binary(op, total, item), at=ctx.at))
            ctx.emit(ir.Store(view.array, view.index(index), total, at=ctx.at))
    return view
