"""Elements of arrays: offsets in row-major or strided order, and Python's rules for indices nobody proved."""

from __future__ import annotations

import math
from collections.abc import Callable

from tl2hip.dtypes import I64
from tl2hip.hip import helpers
from tl2hip.hip.context import Context
from tl2hip.hip.facts import is_inside, is_narrow
from tl2hip.hip.text import Text, call, infix, joined, prefix
from tl2hip.nest.index import value_of
from tl2hip.nest.ir import Array, Cast, Const, Expr, Load

Show = Callable[[Expr, Context], Text]

NEAR = 2**31
"""Elements whose numbers an int holds."""


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

    Row-major order prints in Horner's form, `(i * N + j) * K + k`; strides print as a sum of products. Where the
    array may have 2**31 elements, no product is left to 32 bits.
    """
    a = ctx.arrays[array]
    far = _elements(a) >= NEAR
    shown = [show(i, ctx) for i in index]
    narrow = [far and is_narrow(i, ctx.known) for i in index]
    if a.strides is not None:
        terms = zip(shown, narrow, a.strides, strict=True)
        return _sum([_times(_wide(x) if small and _narrows(s, ctx) else x, s, ctx, show) for x, small, s in terms])
    total, small = Text("0"), True
    for position, (x, extent) in enumerate(zip(shown, a.shape, strict=True)):
        if position and total.text != "0":
            if small and far and _narrows(extent, ctx):
                total, small = _wide(total), False
            total = _times(total, extent, ctx, show)
        total, small = _plus(total, x), small and narrow[position]
    return total


def _elements(a: Array) -> float:
    """How many elements an array has, at most."""
    known = [value_of(n) for n in a.shape]
    return math.inf if a.strides is not None or None in known else math.prod(n for n in known if n is not None)


def _narrows(by: Expr, ctx: Context) -> bool:
    """Whether what is in 32 bits stays so when it is multiplied by this."""
    return by != Const(1, by.dtype) and is_narrow(by, ctx.known)


def _wide(x: Text) -> Text:
    return x if x.text == "0" else prefix("(i64)", x)


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
