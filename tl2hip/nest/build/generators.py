"""Python's sum, any, all, min and max over a generator or over an array."""

from __future__ import annotations

from collections.abc import Callable

from tl2hip.dtypes import BF16, BOOL, F16, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold, operators
from tl2hip.nest.build.broadcast import scalar
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.operands import number
from tl2hip.nest.build.sequences import Sequence, is_product, levels
from tl2hip.nest.build.types import (
    Typed,
    check_kept,
    common,
    described,
    gathered,
    instead,
    joined,
    one_type,
    stored,
    unknown,
)
from tl2hip.nest.build.undecided import decided
from tl2hip.nest.build.values import ScalarValue
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused

REDUCERS = ("sum", "any", "all", "min", "max")


def reduces(name: str, call: nodes.Call) -> bool:
    """Whether a call of a builtin reduces one iterable (`max(a, b)` does not)."""
    return name in REDUCERS and (len(call.args) == 1 or name == "sum")


def python_reduction(ctx: Context, name: str, call: nodes.Call) -> ScalarValue:
    """`sum(x[i] * y[i] for i in range(n))` and its kin, one item after the other as Python goes."""
    if call.keywords or not 1 <= len(call.args) <= 2:
        raise Refused(problems.WrongArguments(name, "takes one iterable here", at=call.at))
    if name in ("min", "max"):
        return _extreme(ctx, name, call)
    start = number(ctx, call.args[1], "the start of sum") if len(call.args) == 2 else _start(name)
    return _folded(ctx, name, call, start)


def _start(name: str) -> ScalarValue:
    return ScalarValue(ir.Const(0, I64) if name == "sum" else ir.Const(name == "all", BOOL), weak=True)


def _folded(ctx: Context, name: str, call: nodes.Call, start: ScalarValue) -> ScalarValue:
    hint = {"sum": "total", "any": "found", "all": "every"}[name]
    total = ctx.fresh(hint)
    types: dict[Typed, None] = {}

    def step(item: ScalarValue) -> None:
        typed = _carried_type(ctx, name, start, item, call)
        types[typed] = None
        ctx.emit(ir.Set(total, _step(name, ir.Var(total, typed.dtype), item, typed), at=ctx.at))

    with ctx.block() as body:
        _each(ctx, call, call.args[0], step)
    typed, *others = types or {Typed.of(start): None}
    if others:
        kinds = [ir.Const(0, t.dtype) for t in (typed, others[0])]
        one, other = (described(ScalarValue(k, t.weak)) for k, t in zip(kinds, (typed, others[0]), strict=True))
        raise Refused(problems.TwoTypes(f"`{name}`", one, other, at=call.at))
    check_kept(ctx, f"`{name}`", (start,), typed.dtype, call.at)
    ctx.state.variables[total] = typed.dtype
    ctx.emit(ir.Set(total, fold.cast(start.expr, typed.dtype), at=ctx.at))
    ctx.out += body
    return ScalarValue(ir.Var(total, typed.dtype), typed.weak, instead(start, typed.weak))


def _test(ctx: Context, generator: nodes.Generator) -> ir.Expr | None:
    """All conditions of a `for` as one; None where there is none."""
    conditions = generator.conditions
    return ctx.test(ctx, nodes.Logic("and", conditions, at=conditions[0].at)) if conditions else None


def _carried_type(ctx: Context, name: str, start: ScalarValue, item: ScalarValue, call: nodes.Call) -> Typed:
    if name != "sum":
        return Typed(BOOL, weak=True)
    first = common("+", start, item, call.at)
    after = joined(first, Typed.of(item)) or first
    sum_ = decided(ctx, (start, item), lambda v: operators.binary(ctx, "+", v[0], v[1], call.at), call.at)
    check_kept(ctx, "`sum`", tuple(unknown(v.dtype, v.weak) for v in sum_.instead), after.dtype, call.at)
    if after.dtype in (F16, BF16) and start.weak:
        ctx.tell(problems.NarrowAccumulator("sum", after.dtype.name, at=call.at))
    return after if after.dtype is not BOOL else Typed(I64, after.weak)


def _step(name: str, total: ir.Var, item: ScalarValue, typed: Typed) -> ir.Expr:
    if name == "sum":
        return ir.Binary("+", total, fold.cast(item.expr, typed.dtype))
    return ir.Logic("or" if name == "any" else "and", total, operators.truth(item))


def _extreme(ctx: Context, name: str, call: nodes.Call) -> ScalarValue:
    """The first item, then each later one that is beyond it."""
    given = call.args[0]
    generator = given if isinstance(given, nodes.Generator) else None
    if generator is not None and (generator.conditions or isinstance(generator.element, nodes.Generator)):
        way = f"write the loops, with a start value for `{name}`"
        what = f"`{name}` of a generator with `if` or a second `for`"
        raise Refused(problems.NotSupported(what, way, at=call.at))
    found = levels(ctx, generator.iterable if generator else given)
    names = dict(ctx.state.names)
    first = _item(ctx, call, generator, tuple(x.item(fold.number(0)) for x in found))
    ctx.state.names = names
    local = ctx.temporary(first.expr, "largest" if name == "max" else "least")
    weak, others = first.weak, first.instead

    def step(item: ScalarValue) -> None:
        nonlocal weak, others
        typed = one_type(ctx, f"`{name}`", first, item, call.at)
        if typed.dtype is not first.dtype:
            raise Refused(problems.TwoTypes(f"`{name}`", described(first), described(item), at=call.at))
        weak, others = weak and typed.weak, gathered(others, typed.instead)
        ctx.emit(ir.Set(local.name, ir.Binary(name, local, stored(item, local.dtype, call.at)), at=ctx.at))

    _nested(ctx, found, (), lambda items: step(_item(ctx, call, generator, items)), _hints(generator), skip=1)
    return ScalarValue(local, weak, others)


# --- items, one after the other --------------------------------------------------------------------------

Items = tuple[Result, ...]


def _each(ctx: Context, call: nodes.Call, given: nodes.Expr, step: Callable[[ScalarValue], None]) -> None:
    """The statements that take a step for every item of an iterable or of a generator, in order."""
    generator = given if isinstance(given, nodes.Generator) else None

    def turn(items: Items) -> None:
        if generator is None:
            step(_item(ctx, call, None, items))
            return
        _bind(ctx, generator, items)
        test = _test(ctx, generator)
        with ctx.block() as inner:
            if isinstance(generator.element, nodes.Generator):
                _each(ctx, call, generator.element, step)
            else:
                step(number(ctx, generator.element, "an item"))
        ctx.out += inner if test is None else [ir.If(test, tuple(inner), at=ctx.at)]

    found = levels(ctx, generator.iterable if generator else given)
    _nested(ctx, found, (), turn, _hints(generator))


def _item(ctx: Context, call: nodes.Call, generator: nodes.Generator | None, items: Items) -> ScalarValue:
    """The value of one turn: the item itself, or the generator's element, its variable being bound."""
    if generator is not None:
        _bind(ctx, generator, items)
        return number(ctx, generator.element, "an item")
    if len(items) > 1 or isinstance(items[0], tuple):
        raise Refused(problems.NotSupported("a reduction of tuples", "reduce one value", at=call.at))
    return scalar(items[0], "an item", call.at)


def _bind(ctx: Context, generator: nodes.Generator, items: Items) -> None:
    found = items if is_product(ctx, generator.iterable) else items[0]
    ctx.put(ctx, generator.target, found, generator.target.at)


def _hints(generator: nodes.Generator | None) -> tuple[str, ...]:
    """Names for the axes: those of the generator's variables."""
    target = generator.target if generator else None
    parts = target.items if isinstance(target, nodes.Tuple_) else (target,)
    return tuple(p.id if isinstance(p, nodes.Name) else "k" for p in parts)


def _nested(
    ctx: Context,
    found: tuple[Sequence, ...],
    items: Items,
    turn: Callable[[Items], None],
    hints: tuple[str, ...],
    skip: int = 0,
) -> None:
    """Loops over sequences one inside the other; the names outside stay as they were. `skip`: where there is one
    sequence alone, so many of its items are left out."""
    if not found:
        turn(items)
        return
    names = dict(ctx.state.names)
    first, rest, start = found[0], found[1:], 0 if len(found) > 1 else skip
    if first.listed:
        for item in first.items[start:]:
            _nested(ctx, rest, (*items, item), turn, hints[1:])
    else:
        axis = ir.Axis(ctx.fresh(hints[0] if hints else "k"), fold.number(start), first.length)
        ctx.axes[axis.name] = axis
        with ctx.block() as body:
            _nested(ctx, rest, (*items, first.item(ir.AxisRef(axis.name))), turn, hints[1:])
        del ctx.axes[axis.name]
        ctx.emit(ir.Loop(axis, tuple(body), at=ctx.at))
    ctx.state.names = names
