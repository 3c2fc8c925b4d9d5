"""The variable of a loop after it: what the last turn gave it, or what it held before where there was none."""

from __future__ import annotations

from tl2hip.dtypes import BOOL
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.assign import bind_scalar, put
from tl2hip.nest.build.context import Binding, Bound, Context
from tl2hip.nest.build.merge import assigned, filler, meet, undefined
from tl2hip.nest.build.sequences import turns
from tl2hip.nest.build.types import Typed
from tl2hip.nest.build.values import ScalarValue
from tl2hip.source import nodes

_NO_TURNS = "a loop without turns leaves it as it was"


def follow(ctx: Context, s: nodes.For, axis: ir.Axis) -> str:
    """A name that each turn of a loop with a `break` gives its variable; "" where that cannot be read after it."""
    target = _variable(s)
    old = ctx.state.names.get(target)
    if not isinstance(old, Bound) and _has_turns(axis) == ir.Const(True, BOOL):
        old = filler(Bound(_last(axis)))
    if not target or not isinstance(old, Bound):
        return ""
    name = ctx.unused(f"{target}_last")
    put(ctx, nodes.Name(name, at=s.at), old.value, s.at)
    return name


def bind_last(ctx: Context, s: nodes.For, axis: ir.Axis | None, copy: str, before: Binding | None) -> None:
    """Says what the targets of a loop hold after it. `axis` is None for a loop over anything but a range,
    `copy` the name that followed the variable, `before` what the variable held before the loop."""
    for name in assigned((nodes.For(s.target, s.iterable, ()),)):
        ctx.state.names[name] = undefined(name, "a loop leaves no value where it has no turns", "the loop")
    target = _variable(s)
    if copy:
        ctx.state.names[target] = ctx.state.names[copy]
    elif target and axis is not None:
        _bind(ctx, target, axis, before, s)


def _variable(s: nodes.For) -> str:
    """The one target of a loop that its body leaves alone; "" for any other."""
    return s.target.id if isinstance(s.target, nodes.Name) and s.target.id not in assigned(s.body) else ""


def _bind(ctx: Context, name: str, axis: ir.Axis, before: Binding | None, s: nodes.For) -> None:
    last, test = _last(axis), _has_turns(axis)
    if isinstance(test, ir.Const):
        if test.value:
            bind_scalar(ctx, name, last, s.at)
        elif before is not None:
            ctx.state.names[name] = before
        return
    found = meet(ctx, name, Bound(last, s.at), before, reason=_NO_TURNS)
    if not isinstance(found, Typed):
        ctx.state.names[name] = found
        return
    assert isinstance(before, Bound) and isinstance(before.value, ScalarValue)
    one, other = (fold.cast(v.expr, found.dtype) for v in (last, before.value))
    bind_scalar(ctx, name, ScalarValue(fold.select(test, one, other), found.weak, found.instead), s.at)


def _has_turns(axis: ir.Axis) -> ir.Expr:
    return fold.compare("<" if axis.step > 0 else ">", axis.start, axis.stop)


def _last(axis: ir.Axis) -> ScalarValue:
    """The value of the last turn, where there is one."""
    if abs(axis.step) == 1:
        return ScalarValue(fold.subtract(axis.stop, fold.number(axis.step)), weak=True)
    far = fold.subtract(turns(axis.start, axis.stop, axis.step), fold.number(1))
    return ScalarValue(fold.add(axis.start, fold.multiply(fold.number(axis.step), far)), weak=True)
