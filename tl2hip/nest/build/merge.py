"""What names hold where two ways meet: after a branch, and around a loop."""

from __future__ import annotations

from collections.abc import Callable

from tl2hip.dtypes import BF16, F16, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.context import Binding, Bound, Context, Unreadable
from tl2hip.nest.build.types import Typed, described, keeps, merged, rounding, unkept
from tl2hip.nest.build.values import ScalarValue
from tl2hip.nest.walk import all_stmts as nest_stmts
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Problem
from tl2hip.source.span import Span
from tl2hip.source.walk import all_stmts, bound

Names = dict[str, Binding]

_EXTREMES = ("min", "max", "minimum", "maximum", "fmin", "fmax")


def assigned(body: tuple[nodes.Stmt, ...]) -> tuple[str, ...]:
    """Every name that statements assign, in order of first appearance."""
    giving = (s for s in all_stmts(body) if not (isinstance(s, nodes.AnnAssign) and s.value is None))
    return tuple(dict.fromkeys(name for s in giving for name in bound(s)))


def undefined(name: str, reason: str, before: str) -> Unreadable:
    """A name that need not have a value."""
    return Unreadable(lambda at: problems.MaybeUndefined(name, reason, before, at=at))


def _two_types(name: str, one: str, other: str, way: str = "") -> Unreadable:
    def problem(at: Span) -> Problem:
        if way:
            return problems.TypeChanges(name, one, other, way, at=at)
        return problems.TypeChanges(name, one, other, at=at)

    return Unreadable(problem)


def meet(ctx: Context, name: str, one: Binding | None, other: Binding | None, reason: str) -> Binding | Typed:
    """What a name holds where two ways meet: a binding, or the type of the local that carries it."""
    for b in (one, other):
        if isinstance(b, Unreadable):
            return b
    if one is None or other is None:
        return undefined(name, reason, "that")
    assert isinstance(one, Bound) and isinstance(other, Bound)
    if one.value is other.value or (isinstance(one.value, ScalarValue) and one.value == other.value):
        return one
    if isinstance(one.value, tuple) or isinstance(other.value, tuple):
        return _two_types(name, "one tuple", "another")
    if not isinstance(one.value, ScalarValue) or not isinstance(other.value, ScalarValue):
        way = f"change it in place, `{name}[:] = …`, or use two names"
        return _two_types(name, described(one.value), "another array or place", way)
    typed = merged(one.value, other.value)
    if typed is None:
        return _two_types(name, described(one.value), described(other.value))
    for value in (one.value, other.value):
        problem = not_kept(ctx, name, value, typed)
        if problem is None:
            continue
        if not isinstance(value.expr, ir.Var):
            return Unreadable(problem)
        ctx.tell(problem(ctx.at))  # forgotten where a later trial of a loop finds it strong
    return typed


def not_kept(ctx: Context, name: str, value: ScalarValue, typed: Typed) -> Callable[[Span], Problem] | None:
    """What to tell where one way gives a name a Python number that its type does not keep; None where it does."""
    if keeps(ctx, value, typed.dtype):
        return None
    one, way = unkept(value, typed.dtype), rounding(value, typed.dtype)
    return lambda at: problems.TypeChanges(name, one, typed.dtype.name, way, at=at)


def filler(other: Binding) -> Binding:
    """What a name holds on a way that gives it no value and never reads it: a zero like the other way's number."""
    if isinstance(other, Bound) and isinstance(other.value, ScalarValue):
        zero = fold.cast(ir.Const(0, I64), other.value.dtype)
        return Bound(ScalarValue(zero, other.value.weak), other.at)
    return other


def carry(ctx: Context, name: str, typed: Typed, since: Span) -> Bound:
    """The local that carries a name from here on."""
    return Bound(ScalarValue(ctx.version(name, typed.dtype), typed.weak, typed.instead), since)


def set_to(ctx: Context, name: str, typed: Typed, value: Binding | None, at: Span) -> ir.Stmt | None:
    """The statement that puts a way's value into the local that carries the name; None where it is there."""
    assert isinstance(value, Bound) and isinstance(value.value, ScalarValue)
    local = ctx.version(name, typed.dtype)
    if value.value.expr == local:
        return None
    return ir.Set(local.name, fold.cast(value.value.expr, typed.dtype), at=at)


def warn_narrow(ctx: Context, name: str, before: Typed, after: Typed, since: Span, body: list[ir.Stmt]) -> None:
    """Warns where a Python number became a half on its way round a loop; a maximum or minimum loses nothing."""
    if not before.weak or not before.dtype.is_float or after.dtype not in (F16, BF16):
        return
    local = ctx.version(name, after.dtype)
    given = [s.value for s in nest_stmts(body) if isinstance(s, ir.Set) and s.name == local.name]
    if not all(isinstance(e, ir.Binary) and e.op in _EXTREMES and local in (e.left, e.right) for e in given):
        ctx.tell(problems.NarrowAccumulator(name, after.dtype.name, at=since))
