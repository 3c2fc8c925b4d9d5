"""Constants in each dtype, exactly as NumPy and ml_dtypes round them, without importing either.

>>> from tl2hip.dtypes import BF16, F16, F32, U8
>>> rounded(0.1, F32), rounded(70000.0, F16), rounded(1.01, BF16), converted(300, U8)
(0.10000000149011612, inf, 1.0078125, 44)
"""

from __future__ import annotations

import math

from tl2hip.dtypes import BF16, F8E4M3, F8E5M2, F16, F32, F64, I64, U32, DType

_LOWEST_EXPONENT = {F32: -126, F16: -14, BF16: -126, F8E4M3: -7, F8E5M2: -15}
"""Exponent of the smallest normal number."""

_LARGEST = {
    F32: (2 - 2.0**-23) * 2.0**127,
    F16: 65504.0,
    BF16: (2 - 2.0**-7) * 2.0**127,
    F8E4M3: 240.0,
    F8E5M2: 57344.0,
}


def rounded(value: float, dtype: DType) -> float:
    """A float rounded to nearest even in a float dtype; past the largest it is inf, or NaN in fp8."""
    if dtype is F64 or math.isnan(value):
        return value
    small = dtype in (F8E4M3, F8E5M2)
    if math.isinf(value):
        return math.nan if small else value
    if value == 0:
        return 0.0 if small else value
    exponent = max(math.frexp(value)[1] - 1, _LOWEST_EXPONENT[dtype])
    quantum = math.ldexp(1.0, exponent - dtype.mantissa)
    result = math.copysign(round(abs(value) / quantum) * quantum, value)
    if abs(result) > _LARGEST[dtype]:
        return math.nan if small else math.copysign(math.inf, value)
    return 0.0 if small and result == 0 else result


def fits(value: int, dtype: DType) -> bool:
    """Whether an integer dtype holds the value."""
    low, high = dtype.limits
    return low <= value <= high


def wrapped(value: int, dtype: DType) -> int:
    """An integer of any size in two's complement of the dtype's width."""
    low = value & ((1 << dtype.bits) - 1)
    return low - (1 << dtype.bits) if dtype.kind == "int" and low >> (dtype.bits - 1) else low


def converted(value: int | float | bool, dtype: DType) -> int | float | bool:
    """The value of a constant after a cast, by the rules of `nest.ir.Cast`."""
    if dtype.kind == "bool":
        return bool(value != 0)
    if dtype.is_float:
        return rounded(_as_float(value), dtype)
    return wrapped(_truncated(value, dtype) if isinstance(value, float) else int(value), dtype)


def _as_float(value: int | float | bool) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _truncated(value: float, dtype: DType) -> int:
    if math.isnan(value):
        return 0
    low, high = (U32 if dtype is U32 else I64).limits
    if value <= low:
        return low
    return high if value >= high else int(value)
