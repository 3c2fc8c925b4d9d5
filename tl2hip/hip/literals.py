"""C++ literals of a constant: the shortest decimal that reads back as the same value."""

from __future__ import annotations

import math
import struct

from tl2hip.dtypes import BF16, F16, F32, F64, DType

INT_MAX = 2**31 - 1


def float_literal(value: float, dtype: DType) -> str:
    """The value, rounded to the dtype, as a literal of `float` (`double` for f64).

    >>> float_literal(0.1, F32), float_literal(0.1, F64), float_literal(2.0, F16), float_literal(1e30, F32)
    ('0.1f', '0.1', '2.0f', '1e30f')
    >>> float_literal(float("inf"), F32), float_literal(-float("inf"), F64), float_literal(float("nan"), F16)
    ('__builtin_inff()', '-__builtin_inf()', '__builtin_nanf("")')
    """
    suffix = "" if dtype is F64 else "f"
    if math.isnan(value):
        return f'__builtin_nan{suffix}("")'
    value = rounded(value, dtype)
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}__builtin_inf{suffix}()"
    return _with_point(_shortest(value, dtype)) + suffix


def int_literal(value: int, dtype: DType, wide: bool = False) -> str:
    """The value as a literal; `wide` asks for the dtype's own C type where a plain `int` would do elsewhere.

    >>> from tl2hip.dtypes import I32, I64, U32
    >>> int_literal(5, I64), int_literal(5, I64, wide=True), int_literal(2**40, I64), int_literal(7, U32)
    ('5', '5LL', '1099511627776LL', '7u')
    """
    if dtype.name == "u32":
        return f"{value % 2**32}u"
    if value == -(2**63):
        return "(-9223372036854775807LL - 1)"
    if value == -(2**31) and dtype.bits == 32:
        return "(-2147483647 - 1)"
    long = dtype.bits == 64 and (wide or abs(value) > INT_MAX)
    return f"{value}{'LL' if long else ''}"


def rounded(value: float, dtype: DType) -> float:
    """The nearest value of the dtype (ties to even); infinite where it is out of range."""
    if dtype is F64 or not math.isfinite(value):
        return value
    if dtype is F32:
        return _packed(value, "f")
    if dtype is F16:
        return _packed(value, "e")
    if dtype is BF16:
        return _to_bf16(value)
    return _packed(value, "f")


def _packed(value: float, code: str) -> float:
    try:
        (back,) = struct.unpack(code, struct.pack(code, value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(back)


def _to_bf16(value: float) -> float:
    """Rounded once from f64: 8 significant bits, subnormals from 2**-126 down to 2**-133."""
    if value == 0:
        return value
    exponent = max(math.frexp(value)[1] - 8, -133)
    scaled = round(math.ldexp(value, -exponent))
    result = math.ldexp(scaled, exponent)
    return math.copysign(math.inf, value) if abs(result) >= 2.0**128 else result


def _shortest(value: float, dtype: DType) -> str:
    """The fewest digits whose reading as `float` (or `double`), rounded to the dtype, gives the value back."""
    if value == int(value) and abs(value) < 1e7:
        return f"{value:.0f}"
    if dtype is F64:
        return repr(value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if rounded(_packed(float(text), "f"), dtype) == value:
            return text
    return f"{value:.9g}"


def _with_point(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    if e:
        return f"{mantissa}e{int(exponent)}"
    return text if "." in text else f"{text}.0"
