"""The same elements under other axes: reshape, ravel, transpose and swapaxes, as views where NumPy's are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.attributes import size
from tl2hip.nest.build.broadcast import Shape, equal, operand, show_shape
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.operands import shape_of
from tl2hip.nest.build.slices import transposed
from tl2hip.nest.build.values import ArrayValue, Value, View
from tl2hip.nest.walk import substitute
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

Axes = ArrayValue | View
Group = tuple[range, range]
"""Old axes next to each other, and the new ones that take their place."""


# --- the order of axes -----------------------------------------------------------------------------------


def permuted(ctx: Context, base: Axes, name: str, order: tuple[nodes.Expr, ...], at: Span) -> Value:
    """The axes in the order given, one by one or as a tuple; turned round where none is."""
    rank = len(base.shape)
    if not order or (len(order) == 1 and isinstance(order[0], nodes.Nothing)):
        return transposed(base, tuple(reversed(range(rank))))
    axes = _axes(ctx, name, order, rank, at)
    if sorted(axes) != list(range(rank)):
        way = f"give each of the {rank} axes once, counted from 0"
        raise Refused(problems.WrongArguments(name, "needs every axis of the array", way, at=at))
    return transposed(base, axes)


def swapped(ctx: Context, base: Axes, name: str, given: tuple[nodes.Expr, ...], at: Span) -> Value:
    """Two axes exchanged."""
    if len(given) != 2:
        raise Refused(problems.WrongArguments(name, "needs two axes", "as in `x.swapaxes(0, 1)`", at=at))
    order = list(range(len(base.shape)))
    a, b = _axes(ctx, name, given, len(order), at)
    order[a], order[b] = order[b], order[a]
    return transposed(base, tuple(order))


def _axes(ctx: Context, name: str, given: tuple[nodes.Expr, ...], rank: int, at: Span) -> tuple[int, ...]:
    counts = [fold.value_of(e) for e in _integers(ctx, given, at)]
    axes: list[int] = []
    for count in counts:
        if count is None:
            raise Refused(problems.WrongArguments(name, "needs constant integers as axes", at=at))
        if not -rank <= count < rank:
            raise Refused(problems.WrongAxis(count, rank, at=at))
        axes.append(count % rank)
    return tuple(axes)


def _integers(ctx: Context, given: tuple[nodes.Expr, ...], at: Span) -> Shape:
    """Integers given one by one, or as one tuple."""
    return shape_of(ctx, given[0] if len(given) == 1 else nodes.Tuple_(given, at=at))


# --- other extents ---------------------------------------------------------------------------------------


def raveled(ctx: Context, base: Axes, at: Span) -> Value:
    """All elements along one axis."""
    return _in_shape(ctx, base, (size(base.shape),), at)


def reshaped(ctx: Context, base: Axes, name: str, given: tuple[nodes.Expr, ...], at: Span) -> Value:
    """The elements, in row-major order, in the extents given, one of which may be -1."""
    if not given:
        raise Refused(problems.WrongArguments(name, "needs the new extents", at=at))
    shape = _integers(ctx, given, at)
    unknown = [k for k, e in enumerate(shape) if fold.value_of(e) == -1]
    if len(unknown) > 1:
        raise Refused(problems.WrongArguments(name, "takes one -1", "write the other extents out", at=at))
    if unknown:
        shape = tuple(_rest(ctx, base.shape, shape, at) if k == unknown[0] else e for k, e in enumerate(shape))
    return _in_shape(ctx, base, shape, at)


def _in_shape(ctx: Context, base: Axes, shape: Shape, at: Span) -> Value:
    groups = tuple(_groups(ctx, base.shape, shape, at))

    def old(ix: Shape) -> Shape:
        found: list[ir.Expr] = []
        for before, after in groups:
            flat = flat_index(shape[after.start : after.stop], ix[after.start : after.stop])
            found += _unraveled(base.shape[before.start : before.stop], flat)
        return tuple(found)

    if isinstance(base, View) and all(_runs_on(ctx, base, before) for before, _ in groups):
        index = base.index
        return View(base.array, shape, base.dtype, lambda ix: index(old(ix)), (False,) * len(shape))
    values = operand(base)
    assert isinstance(values, ArrayValue)
    element = values.element
    shares = values.shares or isinstance(base, View)
    return replace(values, shape=shape, element=lambda ix: element(old(ix)), shares=shares)


def _groups(ctx: Context, before: Shape, after: Shape, at: Span) -> Iterator[Group]:
    """The shortest runs of old and new axes with as many elements each, from the left."""
    i = j = 0
    while i < len(before) or j < len(after):
        run = _first_run(ctx, before[i:], after[j:])
        if run is None:
            way = "say so: `assert` that the extents have as many elements, as in `assert N == M * K`"
            raise Refused(problems.ShapesDiffer(show_shape(before), show_shape(after), way, at=at))
        yield range(i, i + run[0]), range(j, j + run[1])
        i, j = i + run[0], j + run[1]


def _first_run(ctx: Context, before: Shape, after: Shape) -> tuple[int, int] | None:
    counts = [(a, b) for a in range(len(before) + 1) for b in range(len(after) + 1) if a + b > 0]
    for a, b in sorted(counts, key=sum):
        if _as_many(ctx, before[:a], after[:b]):
            return a, b
    return None


def _as_many(ctx: Context, a: Shape, b: Shape) -> bool:
    return _factors(ctx, a) == _factors(ctx, b) or equal(ctx, size(a), size(b))


def _factors(ctx: Context, shape: Shape) -> tuple[int, Counter[ir.Expr]]:
    """The product of extents: its constant, and what else is multiplied, each as often as it is."""
    constant, others = 1, Counter[ir.Expr]()
    waiting = [substitute(e, ctx.state.equal) for e in shape]
    while waiting:
        e = waiting.pop()
        count = fold.value_of(e)
        if count is not None:
            constant *= count
        elif isinstance(e, ir.Binary) and e.op == "*":
            waiting += [e.left, e.right]
        else:
            others[e] += 1
    return constant, others


def _rest(ctx: Context, before: Shape, after: Shape, at: Span) -> ir.Expr:
    """The extent that -1 stands for."""
    whole, factors = _factors(ctx, before)
    known, others = _factors(ctx, tuple(e for e in after if fold.value_of(e) != -1))
    if known <= 0 or whole % known or others - factors:
        way = "write the extent out in place of -1"
        raise Refused(problems.WrongArguments("reshape", "cannot tell what -1 stands for", way, at=at))
    return size((fold.number(whole // known), *(factors - others).elements()))


def _runs_on(ctx: Context, base: View, axes: range) -> bool:
    """Whether axes of a view are as many next to each other in memory, without a gap: NumPy makes them one."""
    if len(axes) < 2:
        return True
    array = ctx.state.arrays[base.array]
    probe = tuple(ir.AxisRef(f"?{k}") for k in range(len(base.shape)))
    index = base.index(probe)
    own = [probe[k] for k in axes]
    if array.strides is not None or own[0] not in index:
        return False
    first = index.index(own[0])
    there = index[first : first + len(axes)] == tuple(own)
    inner = zip(base.shape[axes.start + 1 : axes.stop], array.shape[first + 1 : first + len(axes)], strict=False)
    return there and all(equal(ctx, a, b) for a, b in inner)


def contiguous(ctx: Context, base: Axes) -> Axes:
    """The array itself where it is known to lie in one piece, else one that NumPy may or may not have copied."""
    if isinstance(base, View) and all(base.whole) and _runs_on(ctx, base, range(len(base.shape))):
        return base
    values = operand(base)
    assert isinstance(values, ArrayValue)
    return replace(values, shares=values.shares or isinstance(base, View))


def flat_index(shape: Shape, index: Shape) -> ir.Expr:
    """The place of an index among all of a shape, in row-major order."""
    place: ir.Expr = fold.number(0)
    for extent, i in zip(shape, index, strict=True):
        place = fold.add(fold.multiply(place, extent), i)
    return place


def _unraveled(shape: Shape, flat: ir.Expr) -> list[ir.Expr]:
    """The index of the element at a place of a shape."""
    if len(shape) < 2:
        return [flat] * len(shape)
    index: list[ir.Expr] = []
    for extent in reversed(shape[1:]):
        index.append(fold.binary("%", flat, extent))
        flat = fold.binary("//", flat, extent)
    return [flat, *reversed(index)]


def new_axis(base: Value, place: int) -> Value:
    """A flat array with an axis of extent 1 before (0) or behind (1) its own."""
    values = operand(base)
    assert isinstance(values, ArrayValue) and len(values.shape) == 1
    one, element = fold.number(1), values.element
    shape = (one, values.shape[0]) if place == 0 else (values.shape[0], one)
    return replace(values, shape=shape, element=lambda ix: element((ix[1 - place],)))
