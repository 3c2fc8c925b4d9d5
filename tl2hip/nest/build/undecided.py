"""Operations on values of which the data decide whether they are NumPy's or the Python number they started as.

`m = 5`, then `m = max(m, x[j])` of i8: after the loop m is an element, or Python's own 5. `m * 100` is then an i8
that wraps, or 500. What Python may have in a value's place is known (`ScalarValue.instead`), so each operation is
built for that too, and refused where the one number that a kernel has cannot be both.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from tl2hip.dtypes import BOOL, F64, DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.constants import converted
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.types import described, gathered, instead, keeps, rounds, unknown, written
from tl2hip.nest.build.values import ScalarValue, Value
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

Scalars = tuple[ScalarValue, ...]
Apply = Callable[[Scalars], ScalarValue]


def decided(ctx: Context, values: Scalars, apply: Apply, at: Span) -> ScalarValue:
    """`apply(values)`, with what Python may have in its place. Tells a problem where that is another number.

    It is told, not raised: what a loop carries may turn out to be strong once its body is built, and the trial is
    then forgotten with all that it told.
    """
    found = apply(values)
    if not any(v.instead for v in values) or rounds(ctx, found.dtype, at):
        return found
    numbers = [found.instead]
    for picked in list(product(*((v, *v.instead) for v in values)))[1:]:
        told = len(ctx.state.problems)
        try:
            other = apply(picked)
        except Refused as stop:
            ctx.tell(stop.problem)
            continue
        del ctx.state.problems[told:]  # of a number that is none here; that it is kept was asked where it came in
        same = _compared if found.dtype is BOOL else _computed
        number = same(ctx, values, picked, found, other, apply)
        if number is None:
            value, now = next((v, p) for v, p in zip(values, picked, strict=True) if p is not v)
            ctx.tell(still_python(value, now, described(other), described(found), at))
        else:
            numbers.append(number)
    return ScalarValue(found.expr, found.weak, gathered(*numbers))


def check_numpys(value: Value, at: Span) -> None:
    """Refuses a number in whose place Python may have its own, where only NumPy's will do."""
    python = [v for v in value.instead if v.weak] if isinstance(value, ScalarValue) else []
    if isinstance(value, ScalarValue) and python:
        raise Refused(still_python(value, python[0], "an AttributeError", described(value), at))


def still_python(value: ScalarValue, number: ScalarValue, other: str, found: str, at: Span) -> problems.StillPython:
    """What is told of a value in whose place Python may have `number`, which would give `other`, not `found`."""
    name = f"`{value.expr.name}`" if isinstance(value.expr, ir.Var) else "a value here"
    kind = f"the Python {described(number)}" if number.weak else f"of dtype {number.dtype}"
    start = "…"
    if isinstance(number.expr, ir.Const) and number.weak:
        kind, start = f"{kind} {number.expr.value}", written(number.expr.value)
    return problems.StillPython(name, kind, value.dtype.name, other, found, start, at=at)


def _computed(
    ctx: Context, values: Scalars, picked: Scalars, found: ScalarValue, other: ScalarValue, apply: Apply
) -> tuple[ScalarValue, ...] | None:
    """What may stand in the place of a result, by what it is for the numbers picked; None where that is another
    number."""
    if found.weak:
        return () if other.weak and _alike(other.expr, apply(_strong(values, picked)).expr) else None
    if found.dtype is F64 and not _held(values, picked):
        return None
    if not other.weak:
        if other.dtype is found.dtype:
            return other.instead
        if _is_zero(other.expr):
            return (ScalarValue(fold.cast(fold.number(0), other.dtype)),)
        return (unknown(other.dtype, weak=False),) if _exact(other.expr) else None
    if _is_zero(other.expr):
        other = ScalarValue(fold.cast(fold.number(0), other.dtype), weak=True)
    return instead(other, weak=False) if keeps(ctx, other, found.dtype) else None


def _compared(
    ctx: Context, values: Scalars, picked: Scalars, found: ScalarValue, other: ScalarValue, apply: Apply
) -> tuple[ScalarValue, ...] | None:
    """As `_computed`, for a bool: whether a comparison comes out as it does for the numbers picked."""
    if other.dtype is not BOOL:
        return instead(other, weak=found.weak) if keeps(ctx, other, found.dtype) else None
    reference = apply(_strong(values, picked)).expr
    if isinstance(other.expr, ir.Const) and isinstance(reference, ir.Const):
        return () if other.expr.value == reference.value else None
    if any(v.dtype is F64 and not v.weak for v in values) and not _held(values, picked):
        return None
    if all(v.dtype.bits >= 32 or not v.dtype.is_float for v in values):
        return ()
    numbers = (p for v, p in zip(values, picked, strict=True) if p is not v or p.weak)
    strong = [v.dtype for v in values if not v.weak]
    exact = (isinstance(p.expr, ir.Const) and all(_is(p.expr, dtype) for dtype in strong) for p in numbers)
    return () if all(exact) else None


def _strong(values: Scalars, picked: Scalars) -> Scalars:
    """The values with each constant picked as the number that its value's dtype holds."""
    return tuple(
        v if p is v or not isinstance(p.expr, ir.Const) else ScalarValue(fold.cast(p.expr, v.dtype), v.weak)
        for v, p in zip(values, picked, strict=True)
    )


def _alike(one: ir.Expr, other: ir.Expr) -> bool:
    """Whether two Python numbers are one, as far as constants tell; floats may differ by their rounding."""
    both = isinstance(one, ir.Const) and isinstance(other, ir.Const) and one.dtype.is_int
    return not both or one == other


def _held(values: Scalars, picked: Scalars) -> bool:
    """Whether each constant picked is exactly what its value's dtype holds."""
    pairs = zip(values, picked, strict=True)
    return all(p is v or not isinstance(p.expr, ir.Const) or _is(p.expr, v.dtype) for v, p in pairs)


def _is(number: ir.Const, dtype: DType) -> bool:
    """Whether a dtype holds a constant exactly; NaN is itself."""
    held = converted(number.value, dtype)
    return held == number.value or (held != held and number.value != number.value)


def _is_zero(e: ir.Expr) -> bool:
    """Whether an expression is 0 for every value of its terms for which Python gives a number."""
    match e:
        case ir.Const(value=value):
            return value == 0
        case ir.Cast(value=value) | ir.Unary(op="-" | "+" | "abs", value=value):
            return _is_zero(value)
        case ir.Binary(op="*", left=a, right=b):
            return _is_zero(a) or _is_zero(b)
        case ir.Binary(op="/" | "//" | "%", left=a):
            return _is_zero(a)
        case _:
            return False


def _exact(e: ir.Expr) -> bool:
    """Whether an expression is one of the numbers in it as it is, rounded and wrapped nowhere."""
    match e:
        case ir.Const() | ir.Load() | ir.Var() | ir.Scalar():
            return True
        case ir.Cast(value=value, dtype=dtype):
            return fold.widens(value.dtype, dtype) and _exact(value)
        case ir.Unary(op="-" | "+" | "abs", value=value):
            return value.dtype.is_float and _exact(value)
        case ir.Binary(op="+", left=a, right=b):
            return (_is_zero(a) and _exact(b)) or (_is_zero(b) and _exact(a))
        case ir.Binary(op="-", left=a, right=b):
            return _is_zero(b) and _exact(a)
        case ir.Select(then=a, orelse=b) | ir.Binary(op="min" | "max", left=a, right=b):
            return _exact(a) and _exact(b)
        case _:
            return False
