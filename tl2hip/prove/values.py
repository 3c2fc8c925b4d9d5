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
