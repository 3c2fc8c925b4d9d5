"""A tuple or list of numbers at an index that varies: a choice between its items, halved again and again."""

from __future__ import annotations

from tl2hip.dtypes import BOOL, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.assign import stays
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.operators import choose
from tl2hip.nest.build.values import ScalarValue
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

MOST = 64
"""The items of a choice, at most: each costs an instruction or two, and an array in memory one access."""


def chosen(ctx: Context, items: tuple[Result, ...], index: ScalarValue, at: Span) -> ScalarValue:
    """The item of that index, counted from the end where it is negative; one of the items, too, where Python raises
    IndexError."""
    numbers = tuple(v for v in items if isinstance(v, ScalarValue))
    if not items or len(numbers) < len(items):
        way = "write its items out, or pass them as an array"
        raise Refused(problems.NotSupported("a tuple or list at an index that varies", way, at=at))
    if len(items) > MOST:
        what = f"a table of {len(items)} numbers at an index that varies"
        raise Refused(problems.NotSupported(what, f"pass it as an array; up to {MOST} are chosen between", at=at))
    if index.dtype.is_float or (index.dtype is BOOL and not index.weak):
        what = f"a {index.dtype.name} as the index of a tuple or list"
        raise Refused(problems.NotSupported(what, "use an integer, as in `int(…)`", at=at))
    whole = fold.cast(index.expr, I64)
    i = _settled(ctx, whole)
    if not ctx.never_negative(whole):
        from_end = fold.add(i, fold.number(len(items)))
        i = _settled(ctx, fold.select(fold.compare("<", i, fold.number(0)), from_end, i))
    return _among(ctx, numbers, 0, i, at)


def _settled(ctx: Context, e: ir.Expr) -> ir.Expr:
    """An expression that costs nothing to repeat."""
    return e if stays(e) else ctx.temporary(e, "item")


def _among(ctx: Context, items: tuple[ScalarValue, ...], first: int, index: ir.Expr, at: Span) -> ScalarValue:
    """The item of an index among neighbours of which the first has number `first`."""
    if len(items) == 1:
        return items[0]
    half = len(items) // 2
    low, high = _among(ctx, items[:half], first, index, at), _among(ctx, items[half:], first + half, index, at)
    return choose(ctx, "the items", fold.compare("<", index, fold.number(first + half)), low, high, at)
