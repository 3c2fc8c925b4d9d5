"""Operands that Python evaluates only sometimes: the statements they need go where Python would get to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tl2hip.nest import ir
from tl2hip.nest.build import fold, operators
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.values import ScalarValue
from tl2hip.source.span import Span


def logic(ctx: Context, op: str, values: Iterable[Callable[[], ir.Expr]]) -> ir.Expr:
    """`and`, `or` of bools: each value from the second on only where those before it have not decided.

    A value may read what the statements of one before it have set, so once one has some, all later ones stand
    under the same test.
    """
    first, *rest = values
    whole, held = first(), False
    for value in rest:
        with ctx.block() as body:
            right = value()
        if not body and not held:
            whole = fold.logic(op, whole, right)
        elif isinstance(whole, ir.Const):
            if bool(whole.value) == (op == "and"):
                ctx.out += body
                whole = right
        else:
            holds = whole if held else ctx.temporary(whole, "holds")
            assert isinstance(holds, ir.Var)
            body.append(ir.Set(holds.name, right, at=ctx.at))
            ctx.emit(ir.If(holds if op == "and" else fold.negated(holds), tuple(body), at=ctx.at))
            whole, held = holds, True
    return whole


def choice(
    ctx: Context, test: ir.Expr, then: Callable[[], ScalarValue], orelse: Callable[[], ScalarValue], at: Span
) -> ScalarValue:
    """`then if test else orelse`."""
    with ctx.block() as one:
        a = then()
    with ctx.block() as other:
        b = orelse()
    found = operators.choose(ctx, "the conditional expression", test, a, b, at)
    if not one and not other:
        return found
    if isinstance(test, ir.Const):
        ctx.out += one if test.value else other
        return found
    a, b = operators.alike(ctx, "the conditional expression", a, b, at)
    name = ctx.fresh("chosen")
    ctx.state.variables[name] = found.dtype
    one.append(ir.Set(name, a.expr, at=ctx.at))
    other.append(ir.Set(name, b.expr, at=ctx.at))
    ctx.emit(ir.If(test, tuple(one), tuple(other), at=ctx.at))
    return replace(found, expr=ir.Var(name, found.dtype))
