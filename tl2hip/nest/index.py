"""Exact arithmetic on i64 index expressions, folded as it is built.

>>> from tl2hip.nest.ir import Dim
>>> n = Dim("N")
>>> add(n, number(0)) == n, mul(number(2), number(3)) == number(6), ceil_div(number(7), 2) == number(4)
(True, True, True)
"""

from __future__ import annotations

from tl2hip.dtypes import I64
from tl2hip.nest.ir import Binary, Const, Dim, Expr

ZERO = Const(0, I64)
ONE = Const(1, I64)


def number(value: int) -> Const:
    """An i64 constant."""
    return Const(value, I64)


def value_of(e: Expr) -> int | None:
    """The value of an integer constant; None for anything else."""
    return e.value if isinstance(e, Const) and type(e.value) is int else None


def add(a: Expr, b: Expr) -> Expr:
    """a + b, with the constants of both put together at the end."""
    (x, m), (y, n) = _apart(a), _apart(b)
    if x is None or y is None:
        return _plus(x if y is None else y, m + n)
    return _plus(Binary("+", x, y), m + n)


def sub(a: Expr, b: Expr) -> Expr:
    """a - b, with the constants of both put together at the end."""
    (x, m), (y, n) = _apart(a), _apart(b)
    if y is None:
        return _plus(x, m - n)
    if x == y:
        return number(m - n)
    return _plus(Binary("-", number(0) if x is None else x, y), m - n)


def _apart(e: Expr) -> tuple[Expr | None, int]:
    """An expression as what varies and a constant added to it."""
    value = value_of(e)
    if value is not None:
        return None, value
    if isinstance(e, Binary) and e.op in ("+", "-"):
        behind = value_of(e.right)
        if behind is not None:
            return e.left, behind if e.op == "+" else -behind
    return e, 0


def _plus(e: Expr | None, constant: int) -> Expr:
    if e is None:
        return number(constant)
    if constant == 0:
        return e
    return Binary("+", e, number(constant)) if constant > 0 else Binary("-", e, number(-constant))


def mul(a: Expr, b: Expr) -> Expr:
    x, y = value_of(a), value_of(b)
    if x is not None and y is not None:
        return number(x * y)
    if x == 0 or y == 0:
        return ZERO
    if x == 1:
        return b
    if y == 1:
        return a
    return Binary("*", a, b)


def floor_div(a: Expr, b: int | Expr) -> Expr:
    """`a // b` for a positive b."""
    by = number(b) if isinstance(b, int) else b
    x, y = value_of(a), value_of(by)
    if y is None:
        return Binary("//", a, by)
    if x is not None:
        return number(x // y)
    if isinstance(a, Binary) and a.op == "*" and (times := value_of(a.right)) is not None and times % y == 0:
        return mul(a.left, number(times // y))
    return a if y == 1 else Binary("//", a, by)


def ceil_div(a: Expr, b: int) -> Expr:
    """The least integer not below a / b, for a positive constant b."""
    return floor_div(add(a, number(b - 1)), b)


def modulo(a: Expr, b: int | Expr) -> Expr:
    """`a % b` for a positive b."""
    by = number(b) if isinstance(b, int) else b
    x, y = value_of(a), value_of(by)
    if y is None:
        return Binary("%", a, by)
    if x is not None:
        return number(x % y)
    if isinstance(a, Binary) and a.op == "%" and 0 < (value_of(a.right) or 0) <= y:
        return a
    multiple = isinstance(a, Binary) and a.op == "*" and (value_of(a.right) or 1) % y == 0
    return ZERO if y == 1 or multiple else Binary("%", a, by)


def xor(a: Expr, b: Expr) -> Expr:
    """`a ^ b`, of values that are 0 or more."""
    x, y = value_of(a), value_of(b)
    if x is not None and y is not None:
        return number(x ^ y)
    if x == 0 or y == 0:
        return b if x == 0 else a
    return Binary("^", a, b)


def minimum(a: Expr, b: Expr) -> Expr:
    x, y = value_of(a), value_of(b)
    if x is not None and y is not None:
        return number(min(x, y))
    return a if a == b else Binary("min", a, b)


def maximum(a: Expr, b: Expr) -> Expr:
    x, y = value_of(a), value_of(b)
    if x is not None and y is not None:
        return number(max(x, y))
    return a if a == b else Binary("max", a, b)


def product(factors: tuple[Expr, ...]) -> Expr:
    """The product of all factors; 1 for none."""
    total: Expr = ONE
    for f in factors:
        total = mul(total, f)
    return total


def trip_count(start: Expr, stop: Expr, step: int) -> Expr:
    """How many values range(start, stop, step) has, as an expression (0 where it is empty)."""
    span = sub(stop, start) if step > 0 else sub(start, stop)
    count = ceil_div(span, abs(step))
    return count if isinstance(span, Dim) else maximum(count, ZERO)
