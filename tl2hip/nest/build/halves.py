"""Reductions of halves: a kernel takes them in f32, NumPy rounds more often, and `verify` has to know where."""

from __future__ import annotations

from tl2hip.dtypes import BF16, F16, DType
from tl2hip.nest import ir
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.linear import same
from tl2hip.nest.build.values import ArrayValue
from tl2hip.nest.walk import all_parts


def held_in(
    ctx: Context, name: str, value: ArrayValue, axes: tuple[int, ...], wanted: DType | None, result: DType
) -> DType | None:
    """The half that NumPy keeps the partial results of a reduction in; None where it keeps more.

    ml_dtypes rounds each step to bf16. NumPy adds and multiplies along the innermost axis in f32, rounds to f16 for
    each step along the others, takes the mean of f16 in f32, and the variance in f16.
    """
    if result not in (F16, BF16) or name in ("max", "min"):
        return None
    if result is BF16 or name in ("var", "std") or wanted is not None:
        return result
    return None if name == "mean" or _innermost(ctx, value, axes) else F16


def _innermost(ctx: Context, value: ArrayValue, axes: tuple[int, ...]) -> bool:
    """Whether what is reduced surely lies along the innermost axis in memory, or is one piece of it."""
    rank = len(value.shape)
    probes = tuple(ir.AxisRef(f"?{k}") for k in range(rank))
    loads = [e for e in all_parts(value.element(probes)) if isinstance(e, ir.Load)]
    full = [e for e in loads if set(probes) <= {p for i in e.index for p in all_parts(i)}]
    if len(axes) == 1 and full:
        plain = all(ctx.state.arrays[e.array].strides is None for e in full)
        return plain and all(_goes_with(e.index[-1], probes[axes[0]]) for e in full)
    trailing = axes == tuple(range(rank - len(axes), rank))
    if len(axes) == 1:
        return trailing and bool(loads)
    return trailing and bool(full) and all(e.index == probes and _whole(ctx, e, value) for e in full)


def _goes_with(index: ir.Expr, axis: ir.AxisRef) -> bool:
    """Whether an index changes with one axis alone."""
    return {p for p in all_parts(index) if isinstance(p, ir.AxisRef)} == {axis}


def _whole(ctx: Context, e: ir.Load, value: ArrayValue) -> bool:
    """Whether a value has an array's own extents, and that its elements one after the other."""
    array = ctx.state.arrays[e.array]
    return array.strides is None and all(map(same, array.shape, value.shape))
