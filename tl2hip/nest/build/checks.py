"""`assert`: over sizes it becomes a check of the launcher, over an index array a promise."""

from __future__ import annotations

from tl2hip.dtypes import I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.expressions import test
from tl2hip.nest.build.names import means
from tl2hip.nest.build.operands import value
from tl2hip.nest.build.values import View
from tl2hip.nest.walk import MIRRORED, all_parts, conjuncts, substitute
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Source, Span


def assertion(ctx: Context, s: nodes.Assert) -> None:
    """`assert K % 64 == 0`, `assert distinct(index)` or `assert offsets(start)`, outside all loops."""
    if isinstance(s.test, nodes.Call):
        promise = (means(ctx, s.test.func) or "").removeprefix("tl2hip.")
        if promise in ctx.state.promised:
            _promise(ctx, promise, s.test)
            return
    found = test(ctx, s.test)
    if ctx.axes or not all(_of_sizes(p) for p in all_parts(found)):
        raise Refused(problems.AssertNotSizes(at=s.at))
    if isinstance(found, ir.Const):
        if not found.value:
            raise Refused(problems.NeverTrue(at=s.at))
        return
    _learn(ctx, found)
    ctx.state.checks.append(ir.Check(found, quoted(ctx.module.source, s.test.at), at=s.at))


def _learn(ctx: Context, e: ir.Expr) -> None:
    """Remembers the equalities and the limits of sizes that an assertion states."""
    for stated in conjuncts(e):
        if isinstance(stated, ir.Compare):
            _limit(ctx, stated.op, stated.left, stated.right)
            _limit(ctx, MIRRORED[stated.op], stated.right, stated.left)
            if stated.op == "==":
                _equate(ctx, stated.left, stated.right)


def _equate(ctx: Context, a: ir.Expr, b: ir.Expr) -> None:
    known = ctx.state.equal
    x, y = substitute(a, known), substitute(b, known)
    if not isinstance(y, ir.Dim):
        x, y = y, x
    if isinstance(y, ir.Dim) and y not in all_parts(x):
        ctx.state.equal = {k: substitute(v, {y: x}) for k, v in known.items()} | {y: x}


def _limit(ctx: Context, op: str, term: ir.Expr, bound: ir.Expr) -> None:
    """Remembers `term op bound`, where that is a size or parameter beside a constant."""
    if not isinstance(term, ir.Dim | ir.Scalar) or not isinstance(bound, ir.Const) or not bound.dtype.is_int:
        return
    value = int(bound.value)
    term = fold.cast(term, I64)
    low, high = ctx.state.limits.get(term, (None, None))
    least = {">": value + 1, ">=": value, "==": value}.get(op)
    most = {"<": value - 1, "<=": value, "==": value}.get(op)
    lows, highs = [x for x in (low, least) if x is not None], [x for x in (high, most) if x is not None]
    ctx.state.limits[term] = (max(lows, default=None), min(highs, default=None))


def _of_sizes(e: ir.Expr) -> bool:
    return not isinstance(e, ir.Var | ir.Load | ir.AxisRef)


def _promise(ctx: Context, promise: str, call: nodes.Call) -> None:
    if call.keywords or not call.args:
        why = "takes index arrays, without their names"
        raise Refused(problems.WrongArguments(promise, why, f"as in `assert {promise}(index)`", at=call.at))
    for a in call.args:
        found = value(ctx, a)
        if not isinstance(found, View) or not found.shape or not found.dtype.is_int:
            raise Refused(problems.NeedsArray(f"`{promise}`", at=a.at))
        known = ctx.state.promised[promise]
        ctx.state.promised[promise] = tuple(dict.fromkeys((*known, found.array)))


def quoted(source: Source, at: Span) -> str:
    """The text of a span on one line."""
    if at.line == at.end_line:
        lines = source.lines
        return lines[at.line - 1][at.column : at.end_column] if 0 < at.line <= len(lines) else ""
    lines = source.lines[at.line - 1 : at.end_line]
    parts = [lines[0][at.column :], *lines[1:-1], lines[-1][: at.end_column]]
    return " ".join(p.strip() for p in parts)
