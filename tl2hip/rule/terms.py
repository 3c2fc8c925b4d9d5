"""terms: when two expressions are one operation, whatever their dtypes."""

from __future__ import annotations

import math

from tl2hip.dtypes import DType
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
from tl2hip.rule.meaning import neutral


def exact(old: DType, new: DType) -> bool:
    """Whether every value of one dtype is a value of the other."""
    if old is new or old.kind == "bool":
        return True
    if old.is_int and new.is_float:
        return new.mantissa + 1 >= old.bits
    if old.is_int and new.is_int:
        return new.bits > old.bits and not (old.kind == "int" and new.kind == "uint")
    return new.is_float and old.is_float and new.mantissa >= old.mantissa and new.bits > old.bits


def above_zero(e: Expr, below: bool = False) -> bool:
    """Whether a factor is surely above 0, such as `1 / sqrt(D)`; `below`: whether it is a divisor, which an extent
    may be, as what is divided by 0 is infinite."""
    match e:
        case Const(value=value):
            return 0 < value < math.inf
        case Dim():
            return below
        case Cast(value=value) | Call(name="sqrt", args=(value,)):
            return above_zero(value, below)
        case Binary(op="*", left=left, right=right):
            return above_zero(left, below) and above_zero(right, below)
        case Binary(op="/", left=left, right=right):
            return above_zero(left, below) and above_zero(right, not below)
    return False


def plus_zero(e: Expr) -> bool:
    """Whether an expression is the number 0, and not -0.0."""
    return isinstance(e, Const) and e.value == 0 and math.copysign(1, e.value) > 0


def narrows(e: Expr) -> bool:
    """Whether an expression is a cast that rounds to a float that does not hold all values."""
    return isinstance(e, Cast) and e.dtype.is_float and not exact(e.value.dtype, e.dtype)


def stripped(e: Expr) -> Expr:
    """An expression without exact widening casts around it; integer arithmetic wraps before it is widened."""
    while isinstance(e, Cast) and exact(e.value.dtype, e.dtype):
        if e.value.dtype.is_int and isinstance(e.value, Binary | Unary):
            break
        e = e.value
    return e


def nothing(op: str, dtype: DType) -> Const:
    """What leaves every value of a dtype as it is under an operation."""
    if op in ("&", "|", "^"):
        ones = {"bool": True, "int": -1, "uint": (1 << dtype.bits) - 1}[dtype.kind]
        return Const(ones if op == "&" else ones & 0, dtype)
    value = neutral(op)
    if not dtype.is_float and value in (math.inf, -math.inf):
        least, most = dtype.limits
        return Const(most if value > 0 else least, dtype)
    return Const(float(value) if dtype.is_float else int(value), dtype)


def positive(e: Expr) -> Expr:
    """`-(a * b)` as `-a * b`, which is the same number in every dtype; any other expression as it is."""
    match e:
        case Unary(op="-", value=Binary(op="*", left=a, right=b)):
            return Binary("*", Unary("-", a), b)
    return e


def alike(p: Expr, e: Expr) -> bool:
    """Whether two terms are one operation, whatever their operands and dtypes."""
    match p, e:
        case Const(value=a), Const(value=b):
            return a == b
        case Unary(op=a), Unary(op=b):
            return a == b
        case (Compare(op=a), Compare(op=b)) | (Logic(op=a), Logic(op=b)):
            return a == b
        case Call(name=a), Call(name=b):
            return a == b
        case Cast(dtype=a), Cast(dtype=b):
            return a is b
        case Select(), Select():
            return True
    return False


def said(e: Expr) -> str:
    """An operation in a word or two."""
    match e:
        case Const(value=value):
            return f"the number {value}"
        case Binary(op=op) | Unary(op=op) | Compare(op=op) | Logic(op=op):
            return f"`{op}`"
        case Call(name=name):
            return f"`{name}`"
        case Cast(dtype=dtype):
            return f"a rounding to {dtype}"
        case Load(array=array):
            return f"an element of {array}"
        case Select():
            return "a choice"
        case AxisRef() | Dim() | Scalar() | Var():
            return "a plain value"


def operands(e: Expr, op: str) -> list[Expr]:
    """The operands of a sum or product of one dtype, left to right."""
    if isinstance(e, Binary) and e.op == op:
        return [*operands(e.left, op), *operands(e.right, op)]
    return [e]


def joined(es: list[Expr], op: str) -> Expr:
    out = es[0]
    for e in es[1:]:
        out = Binary(op, out, e)
    return out
