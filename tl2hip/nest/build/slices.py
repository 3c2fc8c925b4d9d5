"""Subscripts: elements, slices, new axes, rows picked by an array of indices. Python's rules throughout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tl2hip.dtypes import BOOL, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.broadcast import Shape, operand
from tl2hip.nest.build.context import Context, Listed
from tl2hip.nest.build.linear import ONE, linear
from tl2hip.nest.build.names import means
from tl2hip.nest.build.operands import one_value, value
from tl2hip.nest.build.types import described
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value, View
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

_NOWHERE = -(2**62)
"""An index outside every array: loads there give 0, stores are dropped."""


@dataclass(frozen=True, slots=True)
class Pick:
    """What one index does with one axis: the axes it leaves, and the old index from the new ones.

    `consumes` is False for a new axis. `whole`: the axis is left as it was.
    """

    extents: Shape
    old: Callable[[Shape], ir.Expr]
    consumes: bool = True
    whole: bool = False
    reads: frozenset[str] = frozenset()
    gathers: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One index as it was written: a slice, `...`, a new axis (None), or the value it is."""

    what: nodes.Slice | nodes.Ellipsis_ | Value | None
    at: Span


def subscript(ctx: Context, base: Value, index: tuple[nodes.Expr, ...], at: Span) -> Value:
    """`base[index]`: an element, a view of the same array, or an array expression."""
    if isinstance(base, ScalarValue) or not base.shape:
        raise Refused(problems.NeedsArray("an index", at=at))
    rank = len(base.shape)
    _check_count(sum(not isinstance(e, nodes.Ellipsis_) and not _is_new_axis(ctx, e) for e in index), rank, at)
    items = _without_ellipsis(_items(ctx, index), rank, at)
    picks: list[Pick] = []
    axis = 0
    for item in items:
        pick = _pick(ctx, base, axis, item)
        picks.append(pick)
        axis += pick.consumes
    for rest in range(axis, len(base.shape)):
        picks.append(_all(base.shape[rest], _is_whole(base, rest)))
    return _picked(base, tuple(picks), at)


def _is_new_axis(ctx: Context, e: nodes.Expr) -> bool:
    return isinstance(e, nodes.Nothing) or means(ctx, e) == "numpy.newaxis"


def _check_count(given: int, rank: int, at: Span) -> None:
    if given > rank:
        raise Refused(problems.WrongRank(rank, given, at=at))


def _items(ctx: Context, index: tuple[nodes.Expr, ...]) -> tuple[Item, ...]:
    """The indices, those of a tuple in a name one by one."""
    items: list[Item] = []
    for e in index:
        if isinstance(e, nodes.Slice | nodes.Ellipsis_):
            items.append(Item(e, e.at))
        elif _is_new_axis(ctx, e):
            items.append(Item(None, e.at))
        else:
            found = ctx.evaluate(ctx, e)
            inner = found if isinstance(found, tuple) else (found,)
            if (inner is found and len(index) > 1) or isinstance(found, Listed):
                way = "index by an array of integers, or write the loop over elements"
                raise Refused(problems.NotSupported("a list, or a tuple beside others, as an index", way, at=e.at))
            items += [Item(one_value(x, e.at), e.at) for x in inner]
    return tuple(items)


def _without_ellipsis(items: tuple[Item, ...], rank: int, at: Span) -> tuple[Item, ...]:
    given = sum(i.what is not None and not isinstance(i.what, nodes.Ellipsis_) for i in items)
    _check_count(given, rank, at)
    dots = [place for place, i in enumerate(items) if isinstance(i.what, nodes.Ellipsis_)]
    if not dots:
        return items
    if len(dots) > 1:
        raise Refused(problems.NotSupported("a second `...` in one index", "write the axes out with `:`", at=at))
    full = Item(nodes.Slice(None, None, None), items[dots[0]].at)
    return (*items[: dots[0]], *(full,) * (rank - given), *items[dots[0] + 1 :])


def _is_whole(base: Value, axis: int) -> bool:
    return isinstance(base, View) and bool(base.whole) and base.whole[axis]


def _all(extent: ir.Expr, whole: bool) -> Pick:
    return Pick((extent,), lambda ix: ix[0], whole=whole)


def _pick(ctx: Context, base: ArrayValue | View, axis: int, item: Item) -> Pick:
    if item.what is None:
        return Pick((fold.number(1),), lambda ix: ix[0], consumes=False)
    assert not isinstance(item.what, nodes.Ellipsis_)
    extent, whole = base.shape[axis], _is_whole(base, axis)
    if isinstance(item.what, nodes.Slice):
        return _slice(ctx, item.what, extent, whole)
    found = operand(item.what)
    if found.dtype is BOOL:
        way = "a mask does not index: write `if` inside a loop, or `np.where`"
        raise Refused(problems.IndexNotInteger(found.dtype.name, way, at=item.at))
    if not found.dtype.is_int and isinstance(found, ArrayValue):
        way = "a loop over an array gives its rows; `for i, a in enumerate(A)` gives their numbers too"
        raise Refused(problems.IndexNotInteger(described(found), way, at=item.at))
    if not found.dtype.is_int:
        raise Refused(problems.IndexNotInteger(found.dtype.name, at=item.at))
    if isinstance(found, ArrayValue):
        return _gather(ctx, found, extent, whole)
    place = fold.cast(found.expr, I64)
    if not whole:
        place = _inside(ctx, place, extent)
    return Pick((), lambda ix: place)


def _gather(ctx: Context, rows: ArrayValue, extent: ir.Expr, whole: bool) -> Pick:
    def old(ix: Shape) -> ir.Expr:
        place = fold.cast(rows.element(ix), I64)
        return place if whole else _inside(ctx, place, extent)

    return Pick(rows.shape, old, reads=rows.reads, gathers=True)


def _inside(ctx: Context, place: ir.Expr, extent: ir.Expr) -> ir.Expr:
    """An index of an axis that is not the array's own: wrapped by the axis' extent, out of it nowhere."""
    last = fold.subtract(extent, fold.number(1))
    if ctx.never_negative(place) and ctx.at_most(place, last):
        return place
    wrapped = fold.select(fold.compare("<", place, fold.number(0)), fold.add(place, extent), place)
    inside = fold.logic("and", fold.compare("<=", fold.number(0), wrapped), fold.compare("<", wrapped, extent))
    return fold.select(inside, wrapped, fold.number(_NOWHERE))


def _slice(ctx: Context, item: nodes.Slice, extent: ir.Expr, whole: bool) -> Pick:
    step = _step(ctx, item)
    if item.start is None and item.stop is None and step == 1:
        return _all(extent, whole)
    lower = None if item.start is None else _bound(ctx, item.start)
    upper = None if item.stop is None else _bound(ctx, item.stop)
    start, length = span(ctx, lower, upper, step, extent)
    return Pick((length,), lambda ix: fold.add(start, fold.multiply(fold.number(step), ix[0])))


def _step(ctx: Context, item: nodes.Slice) -> int:
    if item.step is None or isinstance(item.step, nodes.Nothing):
        return 1
    step = operand(value(ctx, item.step))
    count = None if isinstance(step, ArrayValue) else fold.value_of(step.expr)
    if not count:
        way = "write the loop, over a range with this step"
        raise Refused(problems.BadStep("the step of a slice must be a constant other than 0", way, at=item.step.at))
    return count


def _bound(ctx: Context, e: nodes.Expr) -> ir.Expr | None:
    if isinstance(e, nodes.Nothing):
        return None
    found = operand(value(ctx, e))
    if isinstance(found, ArrayValue) or not found.dtype.is_int:
        raise Refused(problems.IndexNotInteger(found.dtype.name, at=e.at))
    return fold.cast(found.expr, I64)


def span(
    ctx: Context, lower: ir.Expr | None, upper: ir.Expr | None, step: int, extent: ir.Expr
) -> tuple[ir.Expr, ir.Expr]:
    """First index and length of `lower:upper:step` of an axis, clamped as Python clamps."""
    zero, last = fold.number(0), fold.subtract(extent, fold.number(1))
    if step > 0:
        # the start matters only where the length is not 0: it need not be clamped from above
        start = zero if lower is None else _clamped(ctx, lower, extent, low=zero)
        stop = extent if upper is None else _clamped(ctx, upper, extent, high=extent)
        count = fold.subtract(stop, start)
    else:
        start = last if lower is None else _clamped(ctx, lower, extent, high=last)
        stop = fold.number(-1) if upper is None else _clamped(ctx, upper, extent, low=fold.number(-1))
        count = fold.subtract(start, stop)
    if not ctx.never_negative(count):
        count = _at_least_zero(count)
    size = abs(step)
    if size == 1:
        return start, count
    return start, fold.binary("//", fold.add(count, fold.number(size - 1)), fold.number(size))


def _at_least_zero(count: ir.Expr) -> ir.Expr:
    """`max(count, 0)`; what is taken off a length that has 0 as its least may be taken off before."""
    terms = linear(count)
    off = terms.pop(ONE, 0)
    match list(terms.items()):
        case [(ir.Binary(op="max", left=whole, right=ir.Const(value=0)), 1)] if off <= 0:
            count = fold.add(whole, fold.number(off))
    return fold.binary("max", count, fold.number(0))


def _clamped(
    ctx: Context, e: ir.Expr, extent: ir.Expr, low: ir.Expr | None = None, high: ir.Expr | None = None
) -> ir.Expr:
    """A bound of a slice: counted from the end where it is below 0, then kept over `low` or under `high`."""
    inner = e
    if high is not None and not ctx.at_most(e, high):
        inner = fold.binary("min", e, high)
    if ctx.never_negative(e):
        return inner
    back = fold.add(extent, e)
    if low is not None and not ctx.at_most(low, back):
        back = fold.binary("max", back, low)
    if ctx.at_most(e, fold.number(-1)):
        return back
    return ir.Select(fold.compare("<", e, fold.number(0)), back, inner)


def _picked(base: ArrayValue | View, picks: tuple[Pick, ...], at: Span) -> Value:
    if sum(p.gathers for p in picks) > 1:
        raise Refused(
            problems.NotSupported("indexing by two arrays at once", "write the loop over elements", at=at)
        )
    shape = tuple(e for p in picks for e in p.extents)

    def old(ix: Shape) -> Shape:
        result: list[ir.Expr] = []
        place = 0
        for p in picks:
            own = ix[place : place + len(p.extents)]
            place += len(p.extents)
            if p.consumes:
                result.append(p.old(own))
        return tuple(result)

    if isinstance(base, View) and not any(p.gathers for p in picks):
        view = base
        whole = tuple(p.whole for p in picks for _ in p.extents)
        return View(view.array, shape, view.dtype, lambda ix: view.index(old(ix)), whole)
    values = operand(base)
    assert isinstance(values, ArrayValue)
    reads = values.reads.union(*(p.reads for p in picks))
    inner = values.element
    if not shape:
        return ScalarValue(inner(old(())), values.weak)
    shares = values.shares and not any(p.gathers for p in picks)
    return ArrayValue(shape, values.dtype, lambda ix: inner(old(ix)), reads, values.weak, shares)


def transposed(base: ArrayValue | View, order: tuple[int, ...]) -> Value:
    """The axes in another order; `order[k]` is the old axis that becomes axis k."""
    shape = tuple(base.shape[a] for a in order)

    def old(ix: Shape) -> Shape:
        back: list[ir.Expr] = list(ix)
        for new, axis in enumerate(order):
            back[axis] = ix[new]
        return tuple(back)

    if isinstance(base, View):
        view = base
        whole = tuple(view.whole[a] for a in order) if view.whole else ()
        return View(view.array, shape, view.dtype, lambda ix: view.index(old(ix)), whole)
    element = base.element
    return ArrayValue(shape, base.dtype, lambda ix: element(old(ix)), base.reads, base.weak, base.shares)
