"""How errors pass through operations: a value v that may be off by e gives f(v), off by what is said here.

Arrays are of one wide float type (f64, or long double for f64 kernels); an error of infinity means that nothing
is known. Roundings of the operation itself are added by `prove.bound`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tl2hip.nest.run.arithmetic import BINARY, CALLS, Values, power
from tl2hip.nest.run.lanes import Bools

Pair = tuple[Values, Values]

INCREASING = frozenset({
    "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "asin", "atan", "sinh", "tanh", "erf"
})  # fmt: skip
DECREASING = frozenset({"rsqrt", "acos", "erfc"})
STEPS = frozenset({"floor", "ceil", "trunc", "rint"})
"""Functions that jump: bounds on both sides of a jump leave the result undecided."""


def around(corners: list[Values], v: Values) -> Values:
    """The largest distance of any corner from v; infinity where one is not finite and not v itself."""
    error = np.zeros(1, v.dtype)
    for c in corners:
        gap = np.where(c == v, 0.0, np.abs(c - v))
        error = np.maximum(error, np.where(np.isnan(gap), np.where(np.isnan(v) & np.isnan(c), 0.0, np.inf), gap))
    return error


def corners(f: Callable[..., Any], *args: Pair) -> list[Values]:
    """f at every combination of the ends of its arguments' intervals."""
    points: list[tuple[Values, ...]] = [()]
    for v, e in args:
        points = [(*p, end) for p in points for end in (v - e, v + e)]
    return [np.asarray(f(*p)) for p in points]


def settle(f: Callable[..., Any], v: Values, e: Values, *args: Pair) -> Values:
    """The error with its special cases put right: a result that is NaN or infinite is certain only if all
    corners of the arguments agree on it, and an error that is NaN is unknown."""
    odd = ~np.isfinite(v)
    if odd.any():
        shape = np.broadcast_shapes(v.shape, *(a.shape for p in args for a in p))
        e = np.where(odd, around([np.broadcast_to(c, shape) for c in corners(f, *args)], v), e)
        unknown = np.zeros(1, np.bool_)
        for _, error in args:
            unknown = unknown | np.isinf(error)
        e = np.where(odd & unknown, np.inf, e)
    return np.where(np.isnan(e), np.inf, e)


# --- binary ----------------------------------------------------------------------------------------------


def binary(op: str, a: Pair, b: Pair) -> Pair:
    """Value and error of `a op b` for floats; KeyError on an operation that floats do not have."""
    f = BINARY[op]
    v = np.asarray(f(a[0], b[0]))
    error = settle(f, v, _ERRORS[op](v, a, b), a, b)
    return v, np.where(_real_between(a, b), np.inf, error) if op == "**" else error


def _sum(v: Values, a: Pair, b: Pair) -> Values:
    return a[1] + b[1]


def _product(v: Values, a: Pair, b: Pair) -> Values:
    return _times(np.abs(a[0]), b[1]) + _times(np.abs(b[0]), a[1]) + _times(a[1], b[1])


def _times(x: Values, e: Values) -> Values:
    """x·e, where no error stays none."""
    return np.where(e == 0, 0.0, x * e)


def _quotient(v: Values, a: Pair, b: Pair) -> Values:
    low = np.abs(b[0]) - b[1]
    error = (a[1] + _times(np.abs(v), b[1])) / low
    return np.where((low <= 0) & (b[1] > 0), np.inf, np.where(a[1] + b[1] == 0, 0.0, error))


def _monotone(op: str) -> Callable[[Values, Pair, Pair], Values]:
    return lambda v, a, b: around(corners(BINARY[op], a, b), v)


def _floor_quotient(v: Values, a: Pair, b: Pair) -> Values:
    ends = corners(np.floor_divide, a, b)
    gap = around(ends, v)
    return np.where((gap > 0) | (np.abs(b[0]) <= b[1]) & (b[1] > 0), np.inf, 0.0)


def _remainder(v: Values, a: Pair, b: Pair) -> Values:
    q = np.floor_divide(a[0], b[0])
    return _floor_quotient(q, a, b) + a[1] + _times(np.abs(q), b[1])


def _real_between(a: Pair, b: Pair) -> Bools:
    """Where a power is NaN at the ends of intervals and need not be between: of a negative number to a whole one,
    of NaN to 0, of 1 to NaN."""
    whole = (b[1] > 0) & (np.ceil(b[0] - b[1]) <= np.floor(b[0] + b[1]))
    nothing = np.isnan(a[0]) & (b[1] > 0) & (np.abs(b[0]) <= b[1])
    one = np.isnan(b[0]) & (a[1] > 0) & (np.abs(a[0] - 1) <= a[1])
    return np.asarray((a[0] - a[1] < 0) & whole | nothing | one)


def _power(v: Values, a: Pair, b: Pair) -> Values:
    error = around(corners(power, a, b), v)
    across = (np.abs(a[0]) <= a[1]) & (a[1] > 0)
    fixed = (b[1] == 0) & (b[0] == np.floor(b[0])) & (b[0] >= 0)
    negative = (a[0] - a[1] < 0) & ~fixed & (a[1] + b[1] > 0)
    error = np.where(across & fixed, np.maximum(error, np.abs(v)), error)
    return np.where(negative, np.inf, error)


_ERRORS: dict[str, Callable[[Values, Pair, Pair], Values]] = {
    "+": _sum,
    "-": _sum,
    "*": _product,
    "/": _quotient,
    "//": _floor_quotient,
    "%": _remainder,
    "**": _power,
    **{op: _monotone(op) for op in ("min", "max", "minimum", "maximum", "fmin", "fmax")},
}


# --- functions -------------------------------------------------------------------------------------------


def call(name: str, args: list[Pair]) -> Pair:
    """Value and propagated error of a float function; KeyError on an unknown one."""
    f = CALLS[name]
    v = np.asarray(f(*(a[0] for a in args)))
    if v.dtype != args[0][0].dtype:  # erf and erfc are Python's own, in f64
        v = v.astype(args[0][0].dtype)
    error = settle(f, v, _propagated(name, f, v, args), *args)
    if name == "pow":
        error = np.where(_real_between(args[0], args[1]), np.inf, error)
    if name in ("asin", "acos"):  # NaN at both ends, but not between
        x, e = args[0]
        error = np.where((x - e < -1) & (x + e > 1), np.inf, error)
    return v, error


def _propagated(name: str, f: Callable[..., Any], v: Values, args: list[Pair]) -> Values:
    if name in INCREASING or name in DECREASING:
        return around(corners(f, args[0]), v)
    if name in STEPS:
        return np.where(around(corners(f, args[0]), v) > 0, np.inf, 0.0)
    return _OTHERS[name](v, args)


def _wave(v: Values, args: list[Pair]) -> Values:
    """sin and cos move no faster than their argument, and stay within 2."""
    return np.minimum(args[0][1], 2.0)


def _tan(v: Values, args: list[Pair]) -> Values:
    ends = corners(np.tan, args[0])
    (x, e) = args[0]
    branch = [np.floor((p + math.pi / 2) / math.pi) for p in (x - e, x + e)]
    return np.where(branch[0] == branch[1], around(ends, v), np.inf)


def _cosh(v: Values, args: list[Pair]) -> Values:
    x, e = args[0]
    return _times(np.sinh(np.abs(x) + e), e)


def _atan2(v: Values, args: list[Pair]) -> Values:
    (y, ey), (x, ex) = args
    across = (x - ex < 0) & (np.abs(y) <= ey) & (ex + ey > 0)
    away = np.hypot(np.maximum(np.abs(x) - ex, 0), np.maximum(np.abs(y) - ey, 0))
    return np.where(across, np.inf, np.where(ex + ey == 0, 0.0, (ex + ey) / away))


def _hypot(v: Values, args: list[Pair]) -> Values:
    return args[0][1] + args[1][1]


def _fmod(v: Values, args: list[Pair]) -> Values:
    (a, ea), (b, eb) = args
    q = np.trunc(a / b)
    ends = around([np.trunc(c) for c in corners(np.divide, *args)], q)
    jumps = (ends > 0) | ((np.abs(b) <= eb) & (eb > 0))
    return np.where(ea + eb == 0, 0.0, np.where(jumps, np.inf, ea + _times(np.abs(q), eb)))


def _copysign(v: Values, args: list[Pair]) -> Values:
    (_, ea), (b, eb) = args
    return np.where((np.abs(b) <= eb) & (eb > 0), np.inf, ea)


def _pow(v: Values, args: list[Pair]) -> Values:
    return _power(v, args[0], args[1])


_OTHERS: dict[str, Callable[[Values, list[Pair]], Values]] = {
    "sin": _wave,
    "cos": _wave,
    "tan": _tan,
    "cosh": _cosh,
    "atan2": _atan2,
    "hypot": _hypot,
    "fmod": _fmod,
    "copysign": _copysign,
    "pow": _pow,
}
