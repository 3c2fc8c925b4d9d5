"""Reductions of array expressions: sums, means, extremes, any and all, over all axes or some."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tl2hip.dtypes import BF16, BOOL, F16, F32, F64, I64, DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.attributes import size
from tl2hip.nest.build.broadcast import Shape
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.expand import computed, loops
from tl2hip.nest.build.halves import held_in
from tl2hip.nest.build.types import FP8
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value, View
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True)
class Kind:
    """One reduction: the name of its accumulator, its start, and one step."""

    name: str
    start: Callable[[DType], ir.Const]
    step: Callable[[ir.Expr, ir.Expr], ir.Expr]


def _plain(op: str) -> Callable[[ir.Expr, ir.Expr], ir.Expr]:
    return lambda a, b: ir.Binary(op, a, b)


def _lowest(dtype: DType) -> ir.Const:
    return ir.Const(-math.inf, dtype) if dtype.is_float else ir.Const(dtype.limits[0], dtype)


def _highest(dtype: DType) -> ir.Const:
    return ir.Const(math.inf, dtype) if dtype.is_float else ir.Const(dtype.limits[1], dtype)


def _const(value: int) -> Callable[[DType], ir.Const]:
    return lambda dtype: ir.Const(float(value) if dtype.is_float else value, dtype)


KINDS = {
    "sum": Kind("total", _const(0), _plain("+")),
    "mean": Kind("total", _const(0), _plain("+")),
    "var": Kind("total", _const(0), _plain("+")),
    "std": Kind("total", _const(0), _plain("+")),
    "prod": Kind("product", _const(1), _plain("*")),
    "max": Kind("largest", _lowest, _plain("maximum")),
    "min": Kind("least", _highest, _plain("minimum")),
    "any": Kind("found", lambda dtype: ir.Const(False, BOOL), lambda a, b: ir.Logic("or", a, b)),
    "all": Kind("every", lambda dtype: ir.Const(True, BOOL), lambda a, b: ir.Logic("and", a, b)),
}


MEANS = ("mean", "var", "std")
"""Reductions that divide by the number of elements."""


@dataclass(frozen=True, slots=True)
class Types:
    """The dtype a reduction is carried in, and the one it gives."""

    carried: DType
    result: DType


def types_of(name: str, dtype: DType, wanted: DType | None, at: Span) -> Types:
    """NumPy's dtypes: halves are summed in f32 and rounded at the end, integers in i64."""
    if dtype in FP8:
        raise Refused(problems.NotDefinedFor(name, dtype.name, "cast to f32 first", at=at))
    if name in ("any", "all"):
        return Types(BOOL, BOOL)
    if name in ("max", "min"):
        if dtype is BOOL:
            way = "use `.any()` for max and `.all()` for min"
            raise Refused(problems.NotDefinedFor(name, "bool", way, at=at))
        return Types(dtype, dtype)
    if wanted is not None:
        return Types(F32 if wanted in (F16, BF16) else wanted, wanted)
    if dtype in (F16, BF16):
        return Types(F32, dtype)
    if dtype.is_float:
        return Types(dtype, dtype)
    if name in MEANS:
        return Types(F64, F64)
    if dtype.kind == "uint":
        way = "NumPy sums it in u64, which tl2hip does not carry: pass dtype=np.int64"
        raise Refused(problems.NotDefinedFor(name, dtype.name, way, at=at))
    return Types(I64, I64)


Item = Callable[[Shape], ir.Expr]
"""The element at an index of the axes that are reduced."""


def reduce(
    ctx: Context,
    name: str,
    value: ArrayValue,
    axes: tuple[int, ...],
    keepdims: bool,
    at: Span,
    dtype: DType | None = None,
) -> Value:
    """`value` reduced over some of its axes, in loops emitted here."""
    types = types_of(name, value.dtype, dtype, at)
    inner = tuple(value.shape[a] for a in axes)
    half = held_in(ctx, name, value, axes, dtype, types.result)

    def one(element: Item) -> ir.Expr:
        def item(ix: Shape) -> ir.Expr:
            return fold.cast(element(ix), types.carried)

        total = accumulate(ctx, name, types.carried, inner, at, item, half)
        if name not in MEANS:
            return fold.cast(total, types.result)
        mean = fold.binary("/", total, fold.cast(size(inner), types.carried))
        if name == "mean":
            return fold.cast(mean, types.result)
        return fold.cast(_spread(ctx, name, mean, inner, types, at, item, half), types.result)

    return each_row(ctx, name, value, axes, keepdims, types.result, one)


def each_row(
    ctx: Context,
    name: str,
    value: ArrayValue,
    axes: tuple[int, ...],
    keepdims: bool,
    dtype: DType,
    one: Callable[[Item], ir.Expr],
) -> Value:
    """What `one` makes of the elements along `axes`, for every index of the other axes, in loops emitted here."""
    outer_axes = tuple(a for a in range(len(value.shape)) if a not in axes)

    def row(outer: Shape) -> ir.Expr:
        def item(ix: Shape) -> ir.Expr:
            places = dict(zip(axes, ix, strict=True)) | dict(zip(outer_axes, outer, strict=True))
            return value.element(tuple(places[a] for a in range(len(value.shape))))

        return one(item)

    if not outer_axes and not keepdims:
        return ScalarValue(row(()))
    view = computed(ctx, f"row_{name}", tuple(value.shape[a] for a in outer_axes), dtype, row)
    return _kept(view, value, outer_axes) if keepdims else view


def _spread(
    ctx: Context,
    name: str,
    mean: ir.Expr,
    shape: Shape,
    types: Types,
    at: Span,
    item: Item,
    half: DType | None,
) -> ir.Expr:
    """The mean of the squared distances from the mean, or its root, in a second pass as NumPy does."""
    middle = ctx.temporary(mean, "mean", half)

    def square(ix: Shape) -> ir.Expr:
        distance = fold.binary("-", item(ix), middle)
        if half is not None:
            distance = ctx.temporary(distance, "distance", half)
        return fold.binary("*", distance, distance)

    total = accumulate(ctx, "sum", types.carried, shape, at, square, half)
    variance = fold.binary("/", total, fold.cast(size(shape), types.carried))
    if half is not None:
        variance = ctx.temporary(variance, "variance", half)
    return variance if name == "var" else ir.Call("sqrt", (variance,), types.carried)


def _kept(view: View, value: ArrayValue, outer_axes: tuple[int, ...]) -> View:
    """The result with the reduced axes kept, each of extent 1."""
    shape = tuple(e if a in outer_axes else fold.number(1) for a, e in enumerate(value.shape))
    index = view.index
    whole = (False,) * len(shape)
    return View(view.array, shape, view.dtype, lambda ix: index(tuple(ix[a] for a in outer_axes)), whole)


def accumulate(
    ctx: Context, name: str, dtype: DType, shape: Shape, at: Span, element: Item, half: DType | None = None
) -> ir.Var:
    """One reduction over all of a shape: the accumulator, after its loops. `half`: what NumPy keeps it in."""
    kind = KINDS[name]
    total = ir.Var(ctx.fresh(kind.name), dtype)
    ctx.state.variables[total.name] = dtype
    if half is not None:
        ctx.state.narrower[total.name] = half
    ctx.emit(ir.Set(total.name, kind.start(dtype), at=ctx.at))
    with loops(ctx, shape) as index:
        ctx.emit(ir.Set(total.name, kind.step(total, fold.cast(element(index), dtype)), at=ctx.at))
    return total
