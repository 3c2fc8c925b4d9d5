"""What a loop may run over besides a range: arrays, `enumerate`, `zip`, each as a length and an item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tl2hip.dtypes import I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.arguments import Arguments
from tl2hip.nest.build.broadcast import equal
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.names import means
from tl2hip.nest.build.operands import integer
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value, View
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused

Range = tuple[ir.Expr, ir.Expr, int]


@dataclass(frozen=True, slots=True)
class Sequence:
    """`length` items; `item` gives the one at an i64 index from 0 up. `counts`: the item is the index itself."""

    length: ir.Expr
    item: Callable[[ir.Expr], Result]
    counts: bool = False


def range_of(ctx: Context, e: nodes.Expr) -> Range | None:
    """Start, stop and step of `range(…)` or `reversed(range(…))`; None for anything else."""
    if not isinstance(e, nodes.Call):
        return None
    name = means(ctx, e.func)
    if name == "builtins.reversed" and len(e.args) == 1 and not e.keywords:
        _check_reversible(ctx, e.args[0])
        inner = range_of(ctx, e.args[0])
        return None if inner is None else _backwards(*inner)
    if name != "builtins.range":
        return None
    if not 1 <= len(e.args) <= 3 or e.keywords:
        raise Refused(problems.WrongArguments("range", "takes one to three integers", at=e.at))
    bounds = [integer(ctx, a, "an argument of range") for a in e.args]
    step = fold.value_of(bounds[2]) if len(bounds) == 3 else 1
    if not step:
        raise Refused(problems.BadStep(at=e.args[2].at))
    start, stop = (fold.number(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    return start, stop, step


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


def sequence(ctx: Context, e: nodes.Expr) -> Sequence:
    """What a loop runs over, in any form that converts."""
    found = range_of(ctx, e)
    if found is not None:
        return _of_range(*found)
    name = means(ctx, e.func) if isinstance(e, nodes.Call) else None
    if isinstance(e, nodes.Call) and name == "builtins.enumerate":
        return _enumerate(ctx, e)
    if isinstance(e, nodes.Call) and name == "builtins.zip":
        return _zip(ctx, e)
    if isinstance(e, nodes.Call) and name == "builtins.reversed" and len(e.args) == 1:
        _check_reversible(ctx, e.args[0])
        return _reversed(sequence(ctx, e.args[0]))
    if isinstance(e, nodes.Tuple_ | nodes.List_ | nodes.Text):
        raise Refused(problems.NotARange(at=e.at))
    value = ctx.evaluate(ctx, e)
    if isinstance(value, tuple | ScalarValue) or not value.shape:
        raise Refused(problems.NotARange(at=e.at))
    return _of_array(value)


def _of_range(start: ir.Expr, stop: ir.Expr, step: int) -> Sequence:
    def item(k: ir.Expr) -> Result:
        return ScalarValue(fold.add(start, fold.multiply(fold.number(step), k)), weak=True)

    return Sequence(turns(start, stop, step), item, (fold.value_of(start), step) == (0, 1))


def _of_array(value: ArrayValue | View) -> Sequence:
    rest = value.shape[1:]

    def item(k: ir.Expr) -> Value:
        if isinstance(value, View):
            index = value.index
            return View(value.array, rest, value.dtype, lambda ix: index((k, *ix)), value.whole[1:])
        element = value.element
        if not rest:
            return ScalarValue(element((k,)), value.weak)
        return ArrayValue(rest, value.dtype, lambda ix: element((k, *ix)), value.reads, value.weak)

    return Sequence(value.shape[0], item)


def _enumerate(ctx: Context, e: nodes.Call) -> Sequence:
    given = Arguments(ctx, "enumerate", e, ("iterable", "start"), ("iterable",))
    inner = sequence(ctx, given.node("iterable"))
    first = given.optional("start")
    offset = fold.number(0) if first is None else integer(ctx, first, "the start of enumerate")
    counts = fold.value_of(offset) == 0
    return Sequence(inner.length, lambda k: (ScalarValue(fold.add(k, offset), weak=True), inner.item(k)), counts)


def _zip(ctx: Context, e: nodes.Call) -> Sequence:
    if not e.args or any(k.name != "strict" for k in e.keywords):
        raise Refused(problems.WrongArguments("zip", "takes one or more arrays or ranges", at=e.at))
    parts = [sequence(ctx, a) for a in e.args]
    length = parts[0].length
    for p in parts[1:]:
        if not equal(ctx, length, p.length):
            length = fold.binary("min", length, p.length)
    return Sequence(length, lambda k: tuple(p.item(k) for p in parts), parts[0].counts)


def _reversed(inner: Sequence) -> Sequence:
    last = fold.subtract(inner.length, fold.number(1))
    return Sequence(inner.length, lambda k: inner.item(fold.subtract(last, fold.cast(k, I64))))
