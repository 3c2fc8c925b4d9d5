"""What a loop may run over: ranges, arrays, tuples, `enumerate`, `zip`, products of these; each as a length and an
item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from tl2hip.dtypes import I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.arguments import Arguments
from tl2hip.nest.build.assign import settled
from tl2hip.nest.build.broadcast import equal
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.expand import fixed_extent
from tl2hip.nest.build.names import means
from tl2hip.nest.build.operands import integer, shape_of
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value, View
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

Range = tuple[ir.Expr, ir.Expr, int]


PRODUCTS = ("itertools.product", "numpy.ndindex")
"""What nests several sequences, and gives tuples of one item from each."""

_DEEPEST = 16
"""Loops that one product may stand for."""
_LARGEST_LIST = 64
"""Items of a tuple or list that a loop is written out for."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """`length` items; `item` gives the one at an i64 index from 0 up. `counts`: the item is the index itself.

    `bounds`: the items are those of this range. `listed`: they differ in more than an index, so that each turn is
    written out; `length` and the index are constants then.
    """

    length: ir.Expr
    item: Callable[[ir.Expr], Result]
    counts: bool = False
    bounds: Range | None = None
    listed: bool = False

    @property
    def items(self) -> tuple[Result, ...]:
        """Every item of what is listed."""
        count = fold.value_of(self.length)
        assert self.listed and count is not None
        return tuple(self.item(fold.number(k)) for k in range(count))


def _range(ctx: Context, e: nodes.Call) -> Sequence:
    """`range(…)`, its step a constant or of a known sign."""
    if not 1 <= len(e.args) <= 3 or e.keywords:
        raise Refused(problems.WrongArguments("range", "takes one to three integers", at=e.at))
    bounds = [integer(ctx, a, "an argument of range") for a in e.args]
    start, stop = (fold.number(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    step = bounds[2] if len(bounds) == 3 else fold.number(1)
    count = fold.value_of(step)
    if count:
        return _of_range(start, stop, count)
    up = ctx.at_most(fold.number(1), step)
    if not up and not ctx.at_most(step, fold.number(-1)):
        raise Refused(_unknown_step(e.args[2], count))
    return _of_steps(fixed_extent(ctx, start), stop, step, up)


def _unknown_step(e: nodes.Expr, count: int | None) -> problems.BadStep:
    if count == 0:
        return problems.BadStep("Python raises for a step of 0", "use another step", at=e.at)
    shown = e.id if isinstance(e, nodes.Name) else "step"
    way = f"say which way it goes, above all loops: `assert {shown} > 0`; a step from data is refused"
    return problems.BadStep("whether the step of this range is above or below 0 is not known", way, at=e.at)


def _of_steps(start: ir.Expr, stop: ir.Expr, step: ir.Expr, up: bool) -> Sequence:
    """A range whose step is known at run time: its items by their number."""
    far, size = (fold.subtract(stop, start), step) if up else (fold.subtract(start, stop), fold.negative(step))
    one = fold.number(1)
    count = fold.add(
        fold.binary("//", fold.subtract(far, one), size), one
    )  # no sum here passes i64 for a large step

    def item(k: ir.Expr) -> Result:
        return ScalarValue(fold.add(start, fold.multiply(k, step)), weak=True)

    return Sequence(fold.binary("max", count, fold.number(0)), item)


def _check_reversible(ctx: Context, e: nodes.Expr) -> None:
    """Python reverses ranges and arrays, and no iterator over them."""
    name = means(ctx, e.func) if isinstance(e, nodes.Call) else None
    if name in ("builtins.enumerate", "builtins.zip", "builtins.reversed"):
        short = name.removeprefix("builtins.")
        way = "reverse the range or the array inside it"
        raise Refused(problems.WrongArguments("reversed", f"cannot reverse what {short} gives", way, at=e.at))


def _backwards(start: ir.Expr, stop: ir.Expr, step: int) -> Range:
    """The same values, the last one first."""
    if abs(step) == 1:
        shift = fold.number(step)
        return fold.subtract(stop, shift), fold.subtract(start, shift), -step
    far = fold.multiply(fold.number(step), fold.subtract(turns(start, stop, step), fold.number(1)))
    return fold.add(start, far), fold.subtract(start, fold.number(step)), -step


def turns(start: ir.Expr, stop: ir.Expr, step: int) -> ir.Expr:
    """How many values range(start, stop, step) has."""
    size = abs(step)
    gap = fold.subtract(stop, start) if step > 0 else fold.subtract(start, stop)
    count = fold.binary("//", fold.add(gap, fold.number(size - 1)), fold.number(size))
    return count if isinstance(count, ir.Dim) else fold.binary("max", count, fold.number(0))


def levels(ctx: Context, e: nodes.Expr) -> tuple[Sequence, ...]:
    """What a loop runs over: one sequence, or the several that `product` and `np.ndindex` nest."""
    name = means(ctx, e.func) if isinstance(e, nodes.Call) else None
    if isinstance(e, nodes.Call) and name == "itertools.product":
        return _product(ctx, e)
    if isinstance(e, nodes.Call) and name == "numpy.ndindex":
        return _ndindex(ctx, e)
    return (sequence(ctx, e),)


def is_product(ctx: Context, e: nodes.Expr) -> bool:
    """Whether a loop runs over tuples of one item from each of several sequences."""
    return isinstance(e, nodes.Call) and means(ctx, e.func) in PRODUCTS


def _product(ctx: Context, e: nodes.Call) -> tuple[Sequence, ...]:
    """Ranges and lists of numbers: Python takes the items of all of them before the first turn."""
    given = Arguments(ctx, "product", nodes.Call(e.func, (), e.keywords, at=e.at), ("repeat",), ())
    repeat = given.optional("repeat")
    times = 1 if repeat is None else fold.value_of(integer(ctx, repeat, "repeat"))
    if not times or times < 0 or not e.args or times * len(e.args) > _DEEPEST:
        way = f"write `product(range(M), range(N))`, or `repeat=` with a constant: up to {_DEEPEST} loops in all"
        raise Refused(problems.WrongArguments("product", "needs what to take the product of", way, at=e.at))
    parts = []
    for a in e.args:
        part = sequence(ctx, a)
        if part.bounds is None and not part.listed:
            reason, way = "takes ranges and tuples of numbers here", "write one loop inside the other"
            raise Refused(problems.WrongArguments("product", reason, way, at=a.at))
        if part.bounds is not None:
            start, stop, step = part.bounds
            part = _of_range(fixed_extent(ctx, start), fixed_extent(ctx, stop), step)
        parts.append(part)
    return tuple(parts) * times


def _ndindex(ctx: Context, e: nodes.Call) -> tuple[Sequence, ...]:
    if e.keywords or not e.args:
        raise Refused(problems.WrongArguments("np.ndindex", "takes extents", "as in `np.ndindex(M, N)`", at=e.at))
    extents = shape_of(ctx, e.args[0] if len(e.args) == 1 else nodes.Tuple_(e.args, at=e.at))
    return tuple(_of_range(fold.number(0), fixed_extent(ctx, extent), 1) for extent in extents)


def sequence(ctx: Context, e: nodes.Expr) -> Sequence:
    """What a loop over one sequence runs over, in any form that converts."""
    name = means(ctx, e.func) if isinstance(e, nodes.Call) else None
    if isinstance(e, nodes.Call) and name == "builtins.range":
        return _range(ctx, e)
    if isinstance(e, nodes.Call) and name == "builtins.enumerate":
        return _enumerate(ctx, e)
    if isinstance(e, nodes.Call) and name == "builtins.zip":
        return _zip(ctx, e)
    if isinstance(e, nodes.Call) and name == "builtins.reversed" and len(e.args) == 1:
        _check_reversible(ctx, e.args[0])
        inner = sequence(ctx, e.args[0])
        return _reversed(inner) if inner.bounds is None else _of_range(*_backwards(*inner.bounds))
    if is_product(ctx, e):
        way = "let the loop run over it alone, and count in a loop of its own"
        raise Refused(problems.NotARange(way, at=e.at))
    if isinstance(e, nodes.Text):
        raise Refused(problems.NotARange(at=e.at))
    value = ctx.evaluate(ctx, e)
    if isinstance(value, tuple):
        return _of_items(tuple(settled(ctx, v) for v in value), e.at)
    if isinstance(value, ScalarValue) or not value.shape:
        raise Refused(problems.NotARange(at=e.at))
    return _of_array(value)


def _of_range(start: ir.Expr, stop: ir.Expr, step: int) -> Sequence:
    def item(k: ir.Expr) -> Result:
        return ScalarValue(fold.add(start, fold.multiply(fold.number(step), k)), weak=True)

    counts = (fold.value_of(start), step) == (0, 1)
    return Sequence(turns(start, stop, step), item, counts, (start, stop, step))


def _of_items(items: tuple[Result, ...], at: Span) -> Sequence:
    """A tuple or list: a range where its items are evenly spaced integers, else one turn after the other."""
    numbers = [_constant(v) for v in items]
    whole = [n for n in numbers if n is not None]
    steps = {b - a for a, b in pairwise(whole)} or {1}
    if whole and len(whole) == len(items) and len(steps) == 1 and steps != {0}:
        (step,) = steps
        return _of_range(fold.number(whole[0]), fold.number(whole[-1] + step), step)
    if len(items) > _LARGEST_LIST:
        way = "pass the items as an array and loop over that"
        raise Refused(problems.NotSupported(f"a loop over a list of {len(items)} items", way, at=at))
    return _listed(len(items), lambda k: items[k])


def _constant(v: Result) -> int | None:
    return fold.value_of(v.expr) if isinstance(v, ScalarValue) and v.weak else None


def _listed(length: int, item: Callable[[int], Result]) -> Sequence:
    def at_index(k: ir.Expr) -> Result:
        place = fold.value_of(k)
        assert place is not None
        return item(place)

    return Sequence(fold.number(length), at_index, listed=True)


def _of_array(value: ArrayValue | View) -> Sequence:
    rest = value.shape[1:]

    def item(k: ir.Expr) -> Value:
        if isinstance(value, View):
            index = value.index
            return View(value.array, rest, value.dtype, lambda ix: index((k, *ix)), value.whole[1:])
        element = value.element
        if not rest:
            return ScalarValue(element((k,)), value.weak)
        return ArrayValue(rest, value.dtype, lambda ix: element((k, *ix)), value.reads, value.weak, value.shares)

    return Sequence(value.shape[0], item)


def _enumerate(ctx: Context, e: nodes.Call) -> Sequence:
    given = Arguments(ctx, "enumerate", e, ("iterable", "start"), ("iterable",))
    inner = sequence(ctx, given.node("iterable"))
    first = given.optional("start")
    offset = fold.number(0) if first is None else integer(ctx, first, "the start of enumerate")
    counts = fold.value_of(offset) == 0

    def item(k: ir.Expr) -> Result:
        return ScalarValue(fold.add(k, offset), weak=True), inner.item(k)

    return Sequence(inner.length, item, counts, listed=inner.listed)


def _zip(ctx: Context, e: nodes.Call) -> Sequence:
    if not e.args or any(k.name != "strict" or not isinstance(k.value, nodes.Bool) for k in e.keywords):
        reason = "takes one or more arrays or ranges, and strict= as True or False"
        raise Refused(problems.WrongArguments("zip", reason, at=e.at))
    parts = [sequence(ctx, a) for a in e.args]
    length = parts[0].length
    for p in parts[1:]:
        if not equal(ctx, length, p.length):
            length = fold.binary("min", length, p.length)
    listed = any(p.listed for p in parts)
    if listed and fold.value_of(length) is None:
        reason, way = "cannot pair a list with what has no fixed length", "write the turns of the list out"
        raise Refused(problems.WrongArguments("zip", reason, way, at=e.at))
    return Sequence(length, lambda k: tuple(p.item(k) for p in parts), parts[0].counts, listed=listed)


def _reversed(inner: Sequence) -> Sequence:
    last = fold.subtract(inner.length, fold.number(1))
    return Sequence(inner.length, lambda k: inner.item(fold.subtract(last, fold.cast(k, I64))), listed=inner.listed)
