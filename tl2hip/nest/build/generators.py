"""Python's sum, any, all, min and max over a generator or over an array."""

from __future__ import annotations

from collections.abc import Callable

from tl2hip.dtypes import BF16, BOOL, F16, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold, operators
from tl2hip.nest.build.broadcast import scalar
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.operands import number
from tl2hip.nest.build.sequences import Sequence, sequence
from tl2hip.nest.build.types import Typed, common, described, joined, merged, stored
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
    given = call.args[0]
    generator = given if isinstance(given, nodes.Generator) else None
    seq = sequence(ctx, generator.iterable if generator else given)
    if name in ("min", "max"):
        return _extreme(ctx, name, call, seq, generator)
    start = number(ctx, call.args[1], "the start of sum") if len(call.args) == 2 else _start(name)
    return _folded(ctx, name, call, seq, generator, start)


def _start(name: str) -> ScalarValue:
    return ScalarValue(ir.Const(0, I64) if name == "sum" else ir.Const(name == "all", BOOL), weak=True)


def _item(ctx: Context, generator: nodes.Generator | None, found: Result, call: nodes.Call) -> ScalarValue:
    """The value of one turn: the item itself, or the generator's element, its variable being bound."""
    if generator is not None:
        return number(ctx, generator.element, "an item")
    if isinstance(found, tuple):
        raise Refused(problems.NotSupported("a reduction of tuples", "reduce one value", at=call.at))
    return scalar(found, "an item", call.at)


def _bind(ctx: Context, generator: nodes.Generator | None, found: Result) -> None:
    if generator is not None:
        ctx.put(ctx, generator.target, found, generator.target.at)


def _folded(
    ctx: Context,
    name: str,
    call: nodes.Call,
    seq: Sequence,
    generator: nodes.Generator | None,
    start: ScalarValue,
) -> ScalarValue:
    hint = {"sum": "total", "any": "found", "all": "every"}[name]
    total = ctx.fresh(hint)

    def turn(k: ir.Expr) -> Typed:
        found = seq.item(k)
        _bind(ctx, generator, found)
        test = _test(ctx, generator)
        with ctx.block() as inner:
            item = _item(ctx, generator, found, call)
            typed = _carried_type(ctx, name, start, item, call)
            inner.append(ir.Set(total, _step(name, ir.Var(total, typed.dtype), item, typed), at=ctx.at))
        for s in inner if test is None else (ir.If(test, tuple(inner), at=ctx.at),):
            ctx.emit(s)
        return typed

    loop, typed = _loop(ctx, fold.number(0), seq.length, generator, turn)
    ctx.state.variables[total] = typed.dtype
    ctx.emit(ir.Set(total, fold.cast(start.expr, typed.dtype), at=ctx.at))
    ctx.emit(loop)
    return ScalarValue(ir.Var(total, typed.dtype), typed.weak)


def _test(ctx: Context, generator: nodes.Generator | None) -> ir.Expr | None:
    """All conditions of a generator as one; None where there is none."""
    conditions = generator.conditions if generator else ()
    return ctx.test(ctx, nodes.Logic("and", conditions, at=conditions[0].at)) if conditions else None


def _carried_type(ctx: Context, name: str, start: ScalarValue, item: ScalarValue, call: nodes.Call) -> Typed:
    if name != "sum":
        return Typed(BOOL, weak=True)
    first = common("+", start, item, call.at)
    after = joined(first, Typed.of(item)) or first
    if after.dtype in (F16, BF16) and start.weak:
        ctx.tell(problems.NarrowAccumulator("sum", after.dtype.name, at=call.at))
    return after if after.dtype is not BOOL else Typed(I64, after.weak)


def _step(name: str, total: ir.Var, item: ScalarValue, typed: Typed) -> ir.Expr:
    if name == "sum":
        return ir.Binary("+", total, fold.cast(item.expr, typed.dtype))
    return ir.Logic("or" if name == "any" else "and", total, operators.truth(item))


def _extreme(
    ctx: Context, name: str, call: nodes.Call, seq: Sequence, generator: nodes.Generator | None
) -> ScalarValue:
    """The first item, then each later one that is beyond it."""
    if generator is not None and generator.conditions:
        way = f"write the loop, with its `if` and a start value for `{name}`"
        raise Refused(problems.NotSupported(f"`{name}` of a generator with `if`", way, at=call.at))
    names = dict(ctx.state.names)
    head = seq.item(fold.number(0))
    _bind(ctx, generator, head)
    first = _item(ctx, generator, head, call)
    local = ctx.temporary(first.expr, "largest" if name == "max" else "least")

    def turn(k: ir.Expr) -> Typed:
        head = seq.item(k)
        _bind(ctx, generator, head)
        item = _item(ctx, generator, head, call)
        found = merged(Typed.of(first), Typed.of(item), loop=False)
        if found is None or found.dtype is not first.dtype:
            raise Refused(problems.TwoTypes(f"`{name}`", described(first), described(item), at=call.at))
        ctx.emit(ir.Set(local.name, ir.Binary(name, local, stored(item, local.dtype, call.at)), at=ctx.at))
        return found

    loop, found = _loop(ctx, fold.number(1), seq.length, generator, turn)
    ctx.emit(loop)
    ctx.state.names = names
    return ScalarValue(local, found.weak)


def _loop(
    ctx: Context,
    start: ir.Expr,
    stop: ir.Expr,
    generator: nodes.Generator | None,
    turn: Callable[[ir.Expr], Typed],
) -> tuple[ir.Loop, Typed]:
    """A loop whose turns see the generator's variable; the names outside stay as they were."""
    target = generator.target if generator else None
    hint = target.id if isinstance(target, nodes.Name) else "k"
    axis = ir.Axis(ctx.fresh(hint), start, stop)
    names = dict(ctx.state.names)
    ctx.axes[axis.name] = axis
    with ctx.block() as body:
        typed = turn(ir.AxisRef(axis.name))
    del ctx.axes[axis.name]
    ctx.state.names = names
    return ir.Loop(axis, tuple(body), at=ctx.at), typed
