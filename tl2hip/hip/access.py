"""Elements of arrays: offsets in row-major or strided order, and Python's rules for indices nobody proved."""

from __future__ import annotations

from collections.abc import Callable

from tl2hip.dtypes import I64
from tl2hip.hip import helpers
from tl2hip.hip.context import Context
from tl2hip.hip.facts import is_inside
from tl2hip.hip.text import Text, call, infix, joined
from tl2hip.nest.ir import Array, Cast, Const, Expr, Load

Show = Callable[[Expr, Context], Text]


def load(e: Load, ctx: Context, show: Show) -> Text:
    """One element; where the index is not proven, 0 outside the array."""
    if e.array in ctx.vectors:
        return Text(element(e.array, e.index, ctx, show))
    if e.proven:
        return Text(f"{ctx.c(e.array)}[{offset(e.array, e.index, ctx, show).argument}]")
    at = guarded_offset(e.array, e.index, ctx, show)
    return call(ctx.call(helpers.LOAD_OR_ZERO), ctx.c(e.array), at.argument)


def element(vector: str, index: tuple[Expr, ...], ctx: Context, show: Show) -> str:
    """`sums[i][j][e]`: an element of a vector in registers."""
    return ctx.c(vector) + "".join(f"[{show(i, ctx).argument}]" for i in index)


def offset(array: str, index: tuple[Expr, ...], ctx: Context, show: Show) -> Text:
    """Where an element stands, counted in elements from the start of the array.

    Row-major order prints in Horner's form, `(i * N + j) * K + k`; strides print as a sum of products.
    """
    a = ctx.arrays[array]
    shown = [show(i, ctx) for i in index]
    if a.strides is not None:
        return _sum([_times(x, s, ctx, show) for x, s in zip(shown, a.strides, strict=True)])
    total = Text("0")
    for position, (x, extent) in enumerate(zip(shown, a.shape, strict=True)):
        total = _plus(_times(total, extent, ctx, show) if position else total, x)
    return total


def _sum(terms: list[Text]) -> Text:
    total = Text("0")
    for t in terms:
        total = _plus(total, t)
    return total


def _plus(a: Text, b: Text) -> Text:
    if a.text == "0":
        return b
    if b.text == "0":
        return a
    return joined("+", a, b)


def _times(x: Text, by: Expr, ctx: Context, show: Show) -> Text:
    if x.text == "0" or by == Const(0, by.dtype):
        return Text("0")
    if by == Const(1, by.dtype):
        return x
    return infix("*", x, show(by, ctx))


def guarded_offset(array: str, index: tuple[Expr, ...], ctx: Context, show: Show) -> Text:
    """The same place, each index wrapped as Python does; negative where one lies outside the array."""
    a = ctx.arrays[array]
    if not index:
        return Text("0")
    places = [_guarded(i, n, ctx, show) for i, n in zip(index, a.shape, strict=True)]
    extents = [show(n, ctx).argument for n in a.shape]
    return _strided(a, places, ctx, show) if a.strides is not None else _row_major(extents, places, ctx)


def _guarded(index: Expr, extent: Expr, ctx: Context, show: Show) -> Text:
    """One index, wrapped or -1; bare where its loop keeps it inside."""
    if is_inside(index, extent, ctx.known):
        return show(index, ctx)
    return call(ctx.call(helpers.WRAPPED), show(_narrow(index), ctx).argument, show(extent, ctx).argument)


def _narrow(e: Expr) -> Expr:
    """An index without the cast to i64 that passing it as an argument makes anyway."""
    return e.value if isinstance(e, Cast) and e.dtype is I64 and e.value.dtype.is_int else e


def _row_major(extents: list[str], places: list[Text], ctx: Context) -> Text:
    total = places[0]
    for place, n in zip(places[1:], extents[1:], strict=True):
        total = call(ctx.call(helpers.ROW_MAJOR), total.argument, place.argument, n)
    return total


def _strided(a: Array, places: list[Text], ctx: Context, show: Show) -> Text:
    strides = [show(s, ctx).argument for s in a.strides or ()]
    terms = [
        p if s == "1" else call(ctx.call(helpers.STRIDED), p.argument, s)
        for p, s in zip(places, strides, strict=True)
    ]
    total = terms[0]
    for t in terms[1:]:
        total = call(ctx.call(helpers.TOGETHER), total.argument, t.argument)
    return total
