"""Expressions of the nest as C++: one small function per node, exact to the bit.

`show(e, ctx)` gives the text. Values of one dtype have the C type of that dtype, but integer literals, which stay
plain `int` where the surrounding operation widens them, and fp8, which computes in f32 and is stored as a byte.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch

from tl2hip.dtypes import BF16, BOOL, F16, F32, F64, I64, ML_DTYPES, U32, DType
from tl2hip.hip import facts, helpers
from tl2hip.hip.access import load
from tl2hip.hip.casts import cast
from tl2hip.hip.context import Context
from tl2hip.hip.functions import math_call
from tl2hip.hip.literals import float_literal, int_literal
from tl2hip.hip.text import UNARY, Text, call, infix, joined, prefix, ternary
from tl2hip.nest.ir import (
    AxisRef,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Dim,
    Expr,
    Load,
    Logic,
    Scalar,
    Select,
    Unary,
    Var,
)

FP8 = tuple(t for t in ML_DTYPES if t.bits == 8)


@singledispatch
def show(e: Expr, ctx: Context) -> Text:
    """The C++ of an expression. Raises TypeError for a node that no function below knows."""
    raise TypeError(f"no C++ for {type(e).__name__}")


@show.register
def _const(e: Const, ctx: Context) -> Text:
    t = e.dtype
    if t is BOOL:
        return Text("true" if e.value else "false")
    if not t.is_float:
        return _signed(int_literal(int(e.value), t))
    if t in FP8:
        return cast(Text(float_literal(float(e.value), F32)), F32, t, ctx)
    literal = _signed(float_literal(float(e.value), t))
    return prefix(f"({t.c})", literal) if t in (F16, BF16) else literal


def _signed(literal: str) -> Text:
    return Text(literal, UNARY) if literal.startswith("-") else Text(literal)


@show.register
def _axis(e: AxisRef, ctx: Context) -> Text:
    return Text(ctx.c(e.axis))


@show.register(Dim)
@show.register(Scalar)
@show.register(Var)
def _name(e: Dim | Scalar | Var, ctx: Context) -> Text:
    return Text(ctx.c(e.name))


@show.register
def _load(e: Load, ctx: Context) -> Text:
    return load(e, ctx, show)


@show.register
def _cast(e: Cast, ctx: Context) -> Text:
    if isinstance(e.value, Const) and e.dtype.is_float and not e.value.dtype.is_float and e.dtype not in FP8:
        return _const(Const(float(e.value.value), e.dtype), ctx)
    return cast(show(e.value, ctx), e.value.dtype, e.dtype, ctx)


@show.register
def _compare(e: Compare, ctx: Context) -> Text:
    return infix(e.op, value(e.left, ctx), value(e.right, ctx))


@show.register
def _logic(e: Logic, ctx: Context) -> Text:
    return infix({"and": "&&", "or": "||"}[e.op], show(e.left, ctx), show(e.right, ctx))


@show.register
def _select(e: Select, ctx: Context) -> Text:
    return ternary(show(e.test, ctx), show(e.then, ctx), show(e.orelse, ctx))


@show.register
def _call(e: Call, ctx: Context) -> Text:
    args = [show(a, ctx).argument for a in e.args]
    return call(math_call(e.name, e.args[0].dtype, ctx), *args)


@show.register
def _unary(e: Unary, ctx: Context) -> Text:
    return _UNARY[e.op](e.value, ctx)


@show.register
def _binary(e: Binary, ctx: Context) -> Text:
    return _BINARY[e.op](e.op, e.left, e.right, ctx)


# --- values beside an operator ---------------------------------------------------------------------------


def value(e: Expr, ctx: Context) -> Text:
    """An operand: fp8 as the f32 it stands for, everything else as it is."""
    return cast(show(e, ctx), e.dtype, F32, ctx) if e.dtype in FP8 else show(e, ctx)


def _back(text: Text, dtype: DType, ctx: Context) -> Text:
    """A result computed beside an operator, in the dtype again: fp8 is rounded, C's promoted ints narrowed."""
    if dtype in FP8:
        return cast(text, F32, dtype, ctx)
    if dtype.is_int and dtype.bits < 32:
        return prefix(f"({dtype.c})", text)
    return text


def _is_literal(e: Expr) -> bool:
    """Whether an i64 prints as a plain `int`: nothing in it has the C type of its own."""
    match e:
        case Const():
            return True
        case Select(then=a, orelse=b):
            return _is_literal(a) and _is_literal(b)
        case Unary(value=v):
            return _is_literal(v)
        case _:
            return False


def _operands(a: Expr, b: Expr, ctx: Context) -> tuple[Text, Text]:
    """Both sides of an operator, where at least one has the C type of the dtype."""
    left, right = value(a, ctx), value(b, ctx)
    if a.dtype is I64 and _is_literal(a) and _is_literal(b):
        return _widened(a, left), right
    return left, right


def _widened(e: Expr, text: Text) -> Text:
    """An i64 that prints as a plain `int`, in its own C type."""
    return _signed(int_literal(int(e.value), I64, wide=True)) if isinstance(e, Const) else prefix("(i64)", text)


# --- binary operations -----------------------------------------------------------------------------------


def _arithmetic(op: str, a: Expr, b: Expr, ctx: Context) -> Text:
    t = a.dtype
    if t is BOOL:
        return infix({"+": "||", "*": "&&"}[op], show(a, ctx), show(b, ctx))
    if _counts(a, b, ctx):
        return joined(op, *_operands(a, b, ctx))
    if t.kind == "int" and t.bits >= 32 and not facts.stays_inside(op, a, b):
        return call(ctx.call(helpers.wrapping(op, t)), show(a, ctx).argument, show(b, ctx).argument)
    return _back(infix(op, *_operands(a, b, ctx)), t, ctx)


def plain_is_exact(op: str, a: Expr, b: Expr, ctx: Context) -> bool:
    """Whether C++'s own `a op b` gives the right i32 or i64: it cannot overflow, or only counts and addresses."""
    return _counts(a, b, ctx) or facts.stays_inside(op, a, b)


def _counts(a: Expr, b: Expr, ctx: Context) -> bool:
    """Whether the sum, difference or product of two numbers only counts or addresses things."""
    return a.dtype is I64 and facts.is_index(a, ctx.known) and facts.is_index(b, ctx.known)


def _divide(op: str, a: Expr, b: Expr, ctx: Context) -> Text:
    return _back(infix("/", *_operands(a, b, ctx)), a.dtype, ctx)


def _floor(op: str, a: Expr, b: Expr, ctx: Context) -> Text:
    """`//` and `%`: C++'s own where neither side is negative and the divisor is not 0, else a helper."""
    t = a.dtype
    positive = facts.is_positive(b, ctx.known) or facts.divides_below(a, b, ctx.known)
    natural = not t.is_float and positive and facts.is_natural(a, ctx.known)
    if natural:
        return _back(infix({"//": "/", "%": "%"}[op], *_operands(a, b, ctx)), t, ctx)
    return _helped({"//": "floordiv", "%": "mod"}[op], a, b, ctx)


def _helped(name: str, a: Expr, b: Expr, ctx: Context) -> Text:
    """A function of `hip.math`; 16-bit and 8-bit floats compute in f32 and round once more."""
    t = a.dtype
    if t.is_float and t not in (F32, F64):
        args = [cast(show(e, ctx), t, F32, ctx).argument for e in (a, b)]
        return cast(call(math_call(name, F32, ctx), *args), F32, t, ctx)
    return call(math_call(name, t, ctx), show(a, ctx).argument, show(b, ctx).argument)


def _power(op: str, a: Expr, b: Expr, ctx: Context) -> Text:
    t = a.dtype
    if t in (F32, F64) and isinstance(b, Const) and b.value == 2:
        return call(ctx.call(helpers.squared(t)), show(a, ctx).argument)
    return _helped("pow" if t.is_float else "ipow", a, b, ctx)


def _bits(op: str, a: Expr, b: Expr, ctx: Context) -> Text:
    if a.dtype is BOOL:
        return infix({"&": "&&", "|": "||", "^": "!="}[op], show(a, ctx), show(b, ctx))
    return _back(infix(op, *_operands(a, b, ctx)), a.dtype, ctx)


def _shift(op: str, a: Expr, b: Expr, ctx: Context) -> Text:
    t = a.dtype
    if op == ">>" and isinstance(b, Const) and 0 <= b.value < t.bits:
        return _back(infix(op, *_operands(a, b, ctx)), t, ctx)
    if op == "<<" and t is U32 and isinstance(b, Const) and 0 <= b.value < t.bits:
        return infix(op, *_operands(a, b, ctx))
    return _helped({"<<": "shl", ">>": "shr"}[op], a, b, ctx)


def _choice(op: str, a: Expr, b: Expr, ctx: Context) -> Text:
    t = a.dtype
    if t in FP8:
        args = [cast(show(e, ctx), t, F32, ctx).argument for e in (a, b)]
        return cast(call(ctx.call(helpers.chosen(op, F32)), *args), F32, t, ctx)
    return call(ctx.call(helpers.chosen(op, t)), show(a, ctx).argument, show(b, ctx).argument)


_BINARY: dict[str, Callable[[str, Expr, Expr, Context], Text]] = {
    **dict.fromkeys(["+", "-", "*"], _arithmetic),
    "/": _divide,
    **dict.fromkeys(["//", "%"], _floor),
    "**": _power,
    **dict.fromkeys(["&", "|", "^"], _bits),
    **dict.fromkeys(["<<", ">>"], _shift),
    **dict.fromkeys(["min", "max", "minimum", "maximum", "fmin", "fmax"], _choice),
}


# --- unary operations ------------------------------------------------------------------------------------


def _minus(v: Expr, ctx: Context) -> Text:
    t = v.dtype
    wraps = t.kind == "int" and t.bits >= 32
    exact = facts.is_index(v, ctx.known) if t is I64 else facts.bounds(v)[0] > t.limits[0] if wraps else True
    if not exact:
        return call(ctx.call(helpers.negated(t)), show(v, ctx).argument)
    return _back(prefix("-", value(v, ctx)), t, ctx)


def _invert(v: Expr, ctx: Context) -> Text:
    return prefix("!", show(v, ctx)) if v.dtype is BOOL else _back(prefix("~", show(v, ctx)), v.dtype, ctx)


def _not(v: Expr, ctx: Context) -> Text:
    return prefix("!", show(v, ctx))


def _absolute(v: Expr, ctx: Context) -> Text:
    t = v.dtype
    if t is BOOL or t.kind == "uint":
        return show(v, ctx)
    if t.is_float:
        wide = F64 if t is F64 else F32
        plain = cast(show(v, ctx), t, wide, ctx)
        return cast(call("__builtin_fabs" if t is F64 else "__builtin_fabsf", plain.argument), wide, t, ctx)
    return call(ctx.call(helpers.absolute(t)), show(v, ctx).argument)


_UNARY: dict[str, Callable[[Expr, Context], Text]] = {
    "-": _minus,
    "~": _invert,
    "not": _not,
    "abs": _absolute,
}
