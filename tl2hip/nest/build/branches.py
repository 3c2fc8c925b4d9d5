"""`if`, `elif`, `else`."""

from __future__ import annotations

from collections.abc import Callable

from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.context import Bound, Context
from tl2hip.nest.build.expressions import test
from tl2hip.nest.build.merge import assigned, carry, filler, meet, set_to
from tl2hip.nest.build.stores import as_extreme
from tl2hip.nest.build.types import Typed
from tl2hip.nest.build.values import ScalarValue
from tl2hip.source import nodes

Build = Callable[[Context, tuple[nodes.Stmt, ...]], None]


def branch(ctx: Context, s: nodes.If, build: Build) -> None:
    """Both sides, each from the names before it, and one local for each name that they leave different."""
    chosen = test(ctx, s.test)
    if isinstance(chosen, ir.Const):
        build(ctx, s.then if chosen.value else s.orelse)
        return
    before = dict(ctx.state.names)
    with ctx.block() as then:
        build(ctx, s.then)
    after_then = ctx.state.names
    ctx.state.names = dict(before)
    with ctx.block() as orelse:
        build(ctx, s.orelse)
    after_orelse = ctx.state.names
    names = dict(before)
    for name in assigned((s,)):
        one, other = after_then.get(name), after_orelse.get(name)
        known = one or other
        if known is None:
            continue
        if name in ctx.results:
            one, other = one or filler(known), other or filler(known)
        found = meet(ctx, name, one, other, reason="only one side of an `if` gives it one")
        if not isinstance(found, Typed):
            names[name] = found
            continue
        old = before.get(name)
        constant = (
            isinstance(old, Bound) and isinstance(old.value, ScalarValue) and isinstance(old.value.expr, ir.Const)
        )
        for binding, body in ((one, then), (other, orelse)):
            at = binding.at if isinstance(binding, Bound) else s.at
            statement = set_to(ctx, name, found, binding, at)
            if statement is not None:
                (ctx.out if constant and binding is old else body).append(statement)
        since = one.at if isinstance(one, Bound) else s.at
        names[name] = carry(ctx, name, found, since)
    ctx.state.names = names
    if then:
        ctx.emit(as_extreme(ir.If(chosen, tuple(then), tuple(orelse), at=s.at)))
    elif orelse:
        ctx.emit(as_extreme(ir.If(fold.negated(chosen), tuple(orelse), at=s.at)))
