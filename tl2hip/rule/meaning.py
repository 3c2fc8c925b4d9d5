"""What the words of a rule's right side mean, in plain Python: what is marked is no more than this."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

OPERATIONS = ("+", "*", "max", "min", "maximum", "minimum")
"""What `Op` may list and `combine` takes."""

STAND_INS = ("fmin", "fmax")
"""Operations that no rule speaks of: the left side is read with these in the place of its Op holes."""

ROUNDING = "cbrt"
"""A function that no rule speaks of: the left side is read with it in the place of its Rounding hole."""

MARKERS = ("contract", "row_reduce", "elementwise")
"""The words that mark an idiom; their keywords name the roles of its axes."""

_NEUTRAL = {
    "+": 0,
    "*": 1,
    "max": -math.inf,
    "maximum": -math.inf,
    "min": math.inf,
    "minimum": math.inf,
    "fmin": math.inf,
    "fmax": -math.inf,
}


def neutral(op: str) -> float | int:
    """What leaves every number as it is under `op`."""
    return _NEUTRAL[op]


def combine(op: str, a: Any, b: Any) -> Any:
    """`a op b`: the sum, the product, Python's max and min, or NumPy's (a NaN on either side stays).

    >>> combine("+", 2, 3), combine("max", 2, 3)
    (5, 3)
    """
    match op:
        case "+":
            return a + b
        case "*":
            return a * b
        case "max":
            return b if b > a else a
        case "min":
            return b if b < a else a
        case "maximum":
            return a + b if a != a or b != b else (a if a >= b else b)
        case "minimum":
            return a + b if a != a or b != b else (a if a <= b else b)
    raise ValueError(f"{op} is none of {', '.join(OPERATIONS)}")


def contract(
    f: Callable[..., Any], g: Callable[..., Any], *, over: int, rows: int | None = None, cols: int | None = None
) -> Any:
    """One element of a matrix product: the sum over k of f(row, k) · g(k, column), or of g(k) without columns.

    >>> contract(lambda i, k: i + k, lambda k, j: k * j, over=3, rows=1, cols=2)
    16
    >>> contract(lambda i, k: i + k, lambda k: k, over=3, rows=1)
    8
    """
    row = () if rows is None else (rows,)
    col = () if cols is None else (cols,)
    return sum(f(*row, k) * g(k, *col) for k in range(over))


def row_reduce(op: str, f: Callable[..., Any], *, over: int, row: int | None = None) -> Any:
    """The elements f(row, j) of one row taken together by `op`; of none, what `op` leaves unchanged.

    >>> row_reduce("+", lambda i, j: i * j, over=4, row=2), row_reduce("max", lambda j: j, over=0)
    (12, -inf)
    """
    own = () if row is None else (row,)
    total: Any = neutral(op)
    for j in range(over):
        total = combine(op, total, f(*own, j))
    return total


def elementwise(f: Callable[..., Any], *, at: int) -> Any:
    """One element of an array, computed by itself.

    >>> elementwise(lambda i: i * i, at=3)
    9
    """
    return f(at)
