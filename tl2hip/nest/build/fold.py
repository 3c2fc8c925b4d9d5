"""Expressions made with what is constant in them worked out, exactly: no result ever changes a bit."""

from __future__ import annotations

import operator
from collections.abc import Callable

from tl2hip.dtypes import BOOL, F64, I64, DType, promote
from tl2hip.nest import ir
from tl2hip.nest.build.constants import converted, fits, wrapped
from tl2hip.nest.build.linear import ONE, difference

_INTEGER: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "//": lambda a, b: a // b if b else 0,
    "%": lambda a, b: a % b if b else 0,
    "min": min,
    "max": max,
    "minimum": min,
    "maximum": max,
}

_COMPARE: dict[str, Callable[[int | float, int | float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}

_NOTHING_RIGHT = {"+": 0, "-": 0, "*": 1, "//": 1, "<<": 0, ">>": 0, "|": 0, "^": 0}
_NOTHING_LEFT = {"+": 0, "*": 1, "|": 0, "^": 0}


def number(value: int) -> ir.Const:
    """An i64 constant."""
    return ir.Const(value, I64)


def value_of(e: ir.Expr) -> int | None:
    """The value of an integer constant; None for anything else."""
    return e.value if isinstance(e, ir.Const) and type(e.value) is int else None


def binary(op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """`left op right`, both of one dtype."""
    if left.dtype.is_int:
        return _binary_integer(op, left, right)
    if op == "+" and isinstance(right, ir.Unary) and right.op == "-" and left.dtype.is_float:
        return ir.Binary("-", left, right.value)
    if left.dtype is F64 and isinstance(left, ir.Const) and isinstance(right, ir.Const):
        return _binary_float(op, left, right)
    return ir.Binary(op, left, right)


def _binary_integer(op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    a, b = value_of(left), value_of(right)
    if a is not None and b is not None and op in _INTEGER:
        return ir.Const(wrapped(_INTEGER[op](a, b), left.dtype), left.dtype)
    if b is not None and _NOTHING_RIGHT.get(op) == b:
        return left
    if a is not None and _NOTHING_LEFT.get(op) == a:
        return right
    if op in ("+", "-") and b is not None:
        return _gathered(op, left, b)
    if op == "+" and a is not None:
        return _gathered(op, right, a)
    return ir.Binary(op, left, right)


def _gathered(op: str, left: ir.Expr, count: int) -> ir.Expr:
    """`(x + 2) - 3` as `x - 1`: in i64 only, where a wrapped sum is the same in any order."""
    total = count if op == "+" else -count
    if isinstance(left, ir.Binary) and left.op in ("+", "-") and left.dtype is I64:
        inner = value_of(left.right)
        if inner is not None:
            return add(left.left, number(total + (inner if left.op == "+" else -inner)))
    return _offset(left, total)


def _offset(left: ir.Expr, total: int) -> ir.Expr:
    sign, size = ("-", -total) if total < 0 else ("+", total)
    if not fits(size, left.dtype):
        sign, size = "+", wrapped(total, left.dtype)
    return ir.Binary(sign, left, ir.Const(size, left.dtype)) if size else left


def _binary_float(op: str, left: ir.Const, right: ir.Const) -> ir.Expr:
    """Python's own arithmetic on two f64 constants, where it gives a number."""
    plain = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
    if op not in plain or (op == "/" and right.value == 0):
        return ir.Binary(op, left, right)
    return ir.Const(float(plain[op](left.value, right.value)), F64)


def add(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """`a + b` of two i64 expressions."""
    return binary("+", a, b)


def subtract(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """`a - b` of two i64 expressions; what stands in both goes away."""
    rest = difference(a, b)
    count = rest.pop(ONE, 0)
    if not rest:
        return number(count)
    if len(rest) == 1 and set(rest.values()) == {1}:
        return add(next(iter(rest)), number(count))
    return binary("-", a, b)


def multiply(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """`a * b` of two i64 expressions."""
    return number(0) if 0 in (value_of(a), value_of(b)) else binary("*", a, b)


def negative(value: ir.Expr) -> ir.Expr:
    """`-value`."""
    if isinstance(value, ir.Const) and value.dtype.kind != "bool":
        if value.dtype.is_float:
            return ir.Const(-value.value, value.dtype)
        return ir.Const(wrapped(-int(value.value), value.dtype), value.dtype)
    if isinstance(value, ir.Unary) and value.op == "-":
        return value.value
    return ir.Unary("-", value)


def compare(op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """`left op right` as a bool, both of one dtype."""
    if isinstance(left, ir.Const) and isinstance(right, ir.Const):
        return ir.Const(_COMPARE[op](left.value, right.value), BOOL)
    if left == right and not left.dtype.is_float:
        return ir.Const(op in ("==", "<=", ">="), BOOL)
    return ir.Compare(op, left, right)


def logic(op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """`left and right` or `left or right` of bools."""
    if isinstance(left, ir.Const):
        decided = bool(left.value) == (op == "or")
        return left if decided else right
    if isinstance(right, ir.Const):
        return left if bool(right.value) == (op == "and") else right
    return ir.Logic(op, left, right)


def negated(value: ir.Expr) -> ir.Expr:
    """`not value` of a bool."""
    if isinstance(value, ir.Const):
        return ir.Const(not value.value, BOOL)
    if isinstance(value, ir.Unary) and value.op == "not":
        return value.value
    return ir.Unary("not", value)


def select(test: ir.Expr, then: ir.Expr, orelse: ir.Expr) -> ir.Expr:
    """`then if test else orelse`, as `min` or `max` where it is exactly that."""
    if isinstance(test, ir.Const):
        return then if test.value else orelse
    if isinstance(test, ir.Compare) and then.dtype.kind != "bool":
        # max(a, b) is `b if b > a else a`, min(a, b) is `b if b < a else a`
        said = (test.op, test.left, test.right)
        if said in ((">", then, orelse), ("<", orelse, then)):
            return binary("max", orelse, then)
        if said in (("<", then, orelse), (">", orelse, then)):
            return binary("min", orelse, then)
    return ir.Select(test, then, orelse)


def cast(value: ir.Expr, dtype: DType, explicit: bool = False) -> ir.Expr:
    """The value in another dtype; unchanged where it has it already."""
    if value.dtype is dtype:
        return value
    if isinstance(value, ir.Const):
        return ir.Const(converted(value.value, dtype), dtype)
    if isinstance(value, ir.Select) and _of_constants(value):
        return select(value.test, cast(value.then, dtype), cast(value.orelse, dtype))
    if isinstance(value, ir.Cast) and value.value.dtype is dtype and widens(dtype, value.dtype):
        return value.value
    return ir.Cast(value, dtype, explicit)


def _of_constants(e: ir.Expr) -> bool:
    """Whether an expression is a constant, or one of several."""
    return isinstance(e, ir.Const) or (
        isinstance(e, ir.Select) and _of_constants(e.then) and _of_constants(e.orelse)
    )


def widens(narrow: DType, wide: DType) -> bool:
    """Whether every value of one dtype is one of the other: a cast there and back changes nothing."""
    if promote(narrow, wide) is not wide or narrow.kind == "bool":
        return False
    return narrow.is_float == wide.is_float or wide.mantissa >= narrow.bits
