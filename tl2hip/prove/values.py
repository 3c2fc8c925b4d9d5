"""A value with its running bound, and what the bound's arithmetic knows of each float type."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from tl2hip.dtypes import DType
from tl2hip.nest.run.arithmetic import Values, numpy_type
from tl2hip.nest.run.lanes import Bools, Ints

REORDERED, APPROXIMATE, SIGN_FREE, UNDECIDED, UNSET = 1, 2, 4, 8, 16
"""Flags of a value: its sum may be taken in any order; a function of stated error is in it; a zero of either sign
is right; a decision that went into it is within its bound; nobody has written it."""
INEXACT = REORDERED | APPROXIMATE | UNDECIDED | UNSET
UNKNOWN = UNDECIDED | UNSET

SLACK = 1.01
"""Covers the terms of second order in the unit roundoff, and the wide type's own roundings."""


@dataclass(slots=True)
class Open:
    """A sum or product still being taken: the sum of |terms| (of their logarithms for a product), how many
    operations, the longest chain the plan makes (-1: the same), whether all terms are integers. `entry` tells
    one execution of the loop around it from the next."""

    op: str
    entry: int
    total: Values
    count: Ints
    depth: Ints
    whole: Bools


@dataclass(slots=True)
class Bounded:
    """A value in each lane. `wide` and `error` are None for integers and bool. Every array is over the lanes or
    of one element."""

    typed: Values
    flags: Values
    dtype: DType
    wide: Values | None = None
    error: Values | None = None
    open: Open | None = None


def unit(dtype: DType) -> float:
    """The unit roundoff: half the distance from 1 to the next value."""
    return float(2.0 ** -(dtype.mantissa + 1))


def smallest(dtype: DType) -> float:
    """Half the smallest subnormal: the largest rounding error near zero."""
    return float(np.finfo(np.float64).smallest_subnormal) if dtype.bits == 64 else _limits(dtype)[0] / 2


def largest(dtype: DType) -> float:
    """The largest finite value."""
    return _limits(dtype)[1]


@cache
def _limits(dtype: DType) -> tuple[float, float]:
    info: Any = ml_dtypes.finfo(numpy_type(dtype))  # type: ignore[no-untyped-call]
    return float(info.smallest_subnormal), float(info.max)


NO_FLAGS = np.zeros(1, np.uint8)


def loose(value: Bounded) -> Bools:
    """Where a kernel need not give the typed value bit for bit."""
    return np.asarray((value.flags & INEXACT) != 0)


def pair(value: Bounded) -> tuple[Values, Values]:
    """The wide value of a float and its bound."""
    assert value.wide is not None and value.error is not None
    return value.wide, value.error


def overflowed(
    result: Values, wide: Values, error: Values, flags: Values, dtype: DType
) -> tuple[Values, Values]:
    """A value and its bound past the largest finite one: near that nothing is known; clearly past it, and where an
    exact result is infinite, the value is."""
    inexact = (flags & INEXACT) != 0
    past = np.isinf(result) & np.isfinite(wide) & ~inexact
    if past.any():
        wide, error = np.where(past, np.copysign(np.inf, wide), wide), np.where(past, 0.0, error)
    far = np.abs(wide)
    over = inexact & np.isfinite(wide) & (far + error > largest(dtype))
    if not over.any():
        return wide, error
    sure = over & (far - error > largest(dtype) * (1 + 2 * unit(dtype))) & (dtype.bits >= 32)
    wide = np.where(sure, np.copysign(np.inf, wide), wide)
    return wide, np.where(sure, 0.0, np.where(over, np.inf, error))


def fusable(product: Bounded, wide: Values) -> Bounded:
    """A product past the largest value is not surely infinite: fused into a sum it is never rounded."""
    assert product.wide is not None and product.error is not None
    lost = np.isfinite(wide) & np.isinf(product.wide)
    if lost.any():
        product.wide = np.where(lost, wide, product.wide)
        product.error = np.where(lost, np.inf, product.error)
    return product


SIGNED_ZEROS = {"atan2": (0, 1), "copysign": (1,), "pow": (0,), "rsqrt": (0,)}
"""The arguments of functions by which the sign of a zero shows in more than the sign of a zero."""


def either_sign(value: Bounded, *args: Bounded) -> Bounded:
    """A result that may be any where one of the arguments is a zero of either sign: 1 / 0 is inf or -inf."""
    for a in args:
        if value.error is not None:
            free = ((a.flags & SIGN_FREE) != 0) & (a.typed == 0)
            value.error = np.where(free, np.inf, value.error)
            value.flags = value.flags | np.where(free, np.uint8(UNDECIDED), np.uint8(0))
    return value


NUMPY_ULPS = 4.0
"""The error of NumPy's own functions, in units in the last place (pull requests 13134 and 19478 of numpy/numpy; the
most that was measured is 3.3, of tan)."""


@cache
def ulps_of(name: str, dtype: DType, *, python: bool = False) -> float:
    """The stated error of a function of the printed text, in units in the last place, with its rounding; of NumPy's
    with `python`, where it is larger."""
    from tl2hip.hip.math import ulp  # late: it brings the printer along, which most nests do not need here

    key = dtype.name if dtype.bits >= 32 else "f32"
    rounding = 1.5 if name in ("erf", "erfc") else 0.5  # the wide value of these is itself an f64
    return max(ulp(name, key) + rounding, NUMPY_ULPS if python else 0.0)
