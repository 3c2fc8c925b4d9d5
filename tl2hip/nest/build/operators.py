"""Python's operators on typed values."""

from __future__ import annotations

import math
from dataclasses import replace

from tl2hip.dtypes import BF16, BOOL, F16, F32, F64, I64, DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold, whole
from tl2hip.nest.build.broadcast import Operand, lift
from tl2hip.nest.build.constants import fits
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.types import FP8, common, in_type, one_type, stored
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value, View
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

_ON_BOOLS = {"+": "|", "*": "&", "&": "&", "|": "|", "^": "^"}
"""What NumPy's operators on two bools are."""

_PRODUCT_UP_TO = 8
"""The largest constant exponent that becomes products."""


def apply(ctx: Context, op: str, left: Value, right: Value, at: Span) -> Operand:
    """`left op right` for every operator but `@`, element by element."""
    array = isinstance(left, ArrayValue) or (isinstance(left, View) and bool(left.shape))
    return lift(ctx, (left, right), lambda v: binary(ctx, op, v[0], v[1], at, array), at)


def binary(
    ctx: Context, op: str, left: ScalarValue, right: ScalarValue, at: Span, array: bool = False
) -> ScalarValue:
    """`left op right` on scalars, typed as NumPy does. `array`: the left side is an element of an array
    expression, where NumPy has short cuts for some powers."""
    known = whole.worked_out(op, left, right, at)
    if known is not None:
        return known
    if op == "**":
        return _power(ctx, left, right, at, array)
    found = common(op, left, right, at)
    dtype, weak = found.dtype, found.weak
    if dtype is I64:
        whole.check_sum(ctx, op, left, right, at)
    if op == "/" and not dtype.is_float:
        dtype = F64
    if left.dtype is BOOL and right.dtype is BOOL and op in ("&", "|", "^"):
        return ScalarValue(ir.Binary(op, left.expr, right.expr), weak)
    if dtype is BOOL:
        return _bools(op, left, right, at)
    if dtype.is_float and op in ("&", "|", "^", "<<", ">>"):
        raise Refused(problems.NotDefinedFor(op, dtype.name, "cast to an integer dtype first", at=at))
    return ScalarValue(fold.binary(op, in_type(left, dtype, at), in_type(right, dtype, at)), weak)


def _bools(op: str, left: ScalarValue, right: ScalarValue, at: Span) -> ScalarValue:
    if op not in _ON_BOOLS:
        raise Refused(problems.NotDefinedFor(op, "bool", "cast to an integer dtype first, as in `i32(x)`", at=at))
    return ScalarValue(ir.Binary(_ON_BOOLS[op], left.expr, right.expr))


def _power(ctx: Context, left: ScalarValue, right: ScalarValue, at: Span, array: bool) -> ScalarValue:
    found = common("**", left, right, at)
    dtype, weak = found.dtype, found.weak
    if dtype is BOOL:
        raise Refused(problems.NotDefinedFor("**", "bool", "cast to an integer dtype first, as in `i32(x)`", at=at))
    if dtype.is_int and weak and not ctx.never_negative(right.expr):
        if not isinstance(right.expr, ir.Const):
            raise Refused(problems.PowerSign(at=at))
        dtype = F64
    base = in_type(left, dtype, at)
    exponent = right.expr
    if isinstance(exponent, ir.Const) and float(exponent.value).is_integer():
        count = int(exponent.value)
        if 1 <= count <= _PRODUCT_UP_TO:
            wide = F32 if dtype in (F16, BF16) and count > 2 else dtype  # rounded once, as NumPy's power is
            return ScalarValue(fold.cast(_product(fold.cast(base, wide), count), dtype), weak)
        if count == 0:
            return ScalarValue(ir.Const(1.0 if dtype.is_float else 1, dtype), weak)
    if not dtype.is_float:
        return ScalarValue(fold.binary("**", base, in_type(right, dtype, at)), weak)
    if array and isinstance(exponent, ir.Const) and exponent.value == 0.5:
        return ScalarValue(float_call("sqrt", (base,), dtype), weak)  # NumPy's own short cut for arrays
    return ScalarValue(float_call("pow", (base, in_type(right, dtype, at)), dtype), weak)


def _product(base: ir.Expr, count: int) -> ir.Expr:
    if count == 1:
        return base
    half = _product(base, count // 2)
    square = fold.binary("*", half, half)
    return fold.binary("*", square, base) if count % 2 else square


def float_call(name: str, args: tuple[ir.Expr, ...], dtype: DType) -> ir.Expr:
    """A function of the nest in `dtype`; halves are computed in f32 and rounded back."""
    computed = dtype if dtype in (F32, F64) else F32
    call = ir.Call(name, tuple(fold.cast(a, computed) for a in args), computed)
    return fold.cast(call, dtype)


def unary(ctx: Context, op: str, value: Value, at: Span) -> Operand:
    """`-value`, `+value`, `~value`, `abs(value)` element by element."""
    return lift(ctx, (value,), lambda v: unary_scalar(op, v[0], at), at)


def unary_scalar(op: str, value: ScalarValue, at: Span) -> ScalarValue:
    dtype = value.dtype
    if dtype in FP8:
        raise Refused(
            problems.NotDefinedFor(op, dtype.name, "cast to f32 first, and back when it is stored", at=at)
        )
    if dtype is BOOL:
        return _unary_bool(op, value, at)
    if op == "+":
        return value
    if op == "-":
        known = whole.constant(value)
        return ScalarValue(fold.negative(value.expr), value.weak) if known is None else whole.held(-known, at)
    if op == "~" and dtype.is_float:
        raise Refused(problems.NotDefinedFor("~", dtype.name, "cast to an integer dtype first", at=at))
    if op == "abs" and isinstance(value.expr, ir.Const):
        known = whole.constant(value)
        if known is not None:
            return whole.held(abs(known), at)
        return ScalarValue(ir.Const(abs(value.expr.value), dtype), value.weak)
    return ScalarValue(ir.Unary(op, value.expr), value.weak)


def _unary_bool(op: str, value: ScalarValue, at: Span) -> ScalarValue:
    if value.weak:
        return unary_scalar(op, ScalarValue(fold.cast(value.expr, I64), True), at)
    if op == "abs":
        return value
    if op == "~":
        return ScalarValue(fold.negated(value.expr))
    raise Refused(
        problems.NotDefinedFor(f"unary {op}", "bool", "use `not`, `~`, or cast to an integer dtype", at=at)
    )


def cast_value(ctx: Context, v: Value, dtype: DType, at: Span) -> Value:
    """A cast that the user wrote, of a number or of each element; the result is strong."""
    if isinstance(v, ScalarValue):
        _check_cast(v.expr, dtype, at)
    return lift(ctx, (v,), lambda x: ScalarValue(fold.cast(x[0].expr, dtype, explicit=True)), at)


def _check_cast(e: ir.Expr, dtype: DType, at: Span) -> None:
    """Refuses a float constant cast to an integer that does not hold it: C leaves open what that gives, and NumPy
    takes what its machine makes of it."""
    if not isinstance(e, ir.Const) or not e.dtype.is_float or not dtype.is_int:
        return
    value = float(e.value)
    if not math.isfinite(value) or not fits(int(value), dtype):
        way = f"write an integer that it holds, or to wrap, cast from a wider one: `{dtype}(i64(…))`"
        raise Refused(problems.LiteralOutOfRange(str(value), dtype.name, way, at=at))


def compare(ctx: Context, op: str, left: Value, right: Value, at: Span) -> Operand:
    """`left op right` as bools, element by element."""
    return lift(ctx, (left, right), lambda v: compared(op, v[0], v[1], at), at)


def compared(op: str, left: ScalarValue, right: ScalarValue, at: Span) -> ScalarValue:
    """A comparison of scalars: exact between integers, as NumPy's is, whatever their dtypes."""
    weak = left.weak and right.weak
    dtype = _compared_in(op, left, right, at)
    if dtype is BOOL and op not in ("==", "!="):
        dtype = I64
    return ScalarValue(fold.compare(op, fold.cast(left.expr, dtype), fold.cast(right.expr, dtype)), weak)


def _compared_in(op: str, left: ScalarValue, right: ScalarValue, at: Span) -> DType:
    a, b = left.dtype, right.dtype
    if left.weak != right.weak and a.is_int and b.is_int:
        weak, strong = (left, right) if left.weak else (right, left)
        constant = isinstance(weak.expr, ir.Const) and fits(int(weak.expr.value), strong.dtype)
        return strong.dtype if constant else I64
    if a is b and a in FP8:
        return F32
    return common(op, left, right, at).dtype


def truth(value: ScalarValue) -> ir.Expr:
    """A number as a test: whether it is not zero (NaN is true)."""
    return fold.cast(value.expr, BOOL)


def choose(ctx: Context, name: str, test: ir.Expr, then: ScalarValue, orelse: ScalarValue, at: Span) -> ScalarValue:
    """`then if test else orelse`, in the one dtype of both."""
    one, other = alike(ctx, name, then, orelse, at)
    return replace(one, expr=fold.select(test, one.expr, other.expr))


def alike(
    ctx: Context, name: str, one: ScalarValue, other: ScalarValue, at: Span
) -> tuple[ScalarValue, ScalarValue]:
    """Two values of a choice in the one dtype of both."""
    found = one_type(ctx, name, one, other, at)
    a, b = (ScalarValue(stored(v, found.dtype, at), found.weak, found.instead) for v in (one, other))
    return a, b


def extreme(ctx: Context, name: str, left: ScalarValue, right: ScalarValue, at: Span) -> ScalarValue:
    """Python's `max(left, right)` or `min`: a NaN on the right is skipped, one on the left stays."""
    found = one_type(ctx, f"`{name}`", left, right, at)
    if found.dtype is BOOL:
        either = ir.Binary("|" if name == "max" else "&", left.expr, right.expr)
        return ScalarValue(either, found.weak, found.instead)
    a, b = stored(left, found.dtype, at), stored(right, found.dtype, at)
    return ScalarValue(fold.binary(name, a, b), found.weak, found.instead)
