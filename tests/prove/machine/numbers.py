"""Numbers of the target in plain Python: floats of every width are Python's, rounded from exact fractions."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

FORMATS = {16: (10, 15), 32: (23, 127), 64: (52, 1023)}
"""Bits of the mantissa, and the exponent's bias."""
LETTERS = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}
NAN = math.nan
INF = math.inf


def float_of(bits: int, width: int) -> float:
    letter, whole = LETTERS[width]
    return float(struct.unpack(letter, struct.pack(whole, bits))[0])


def bits_of(x: float, width: int) -> int:
    """The bits of a number that has this width already, or of an infinity or NaN."""
    if math.isnan(x):
        return infinity_bits(width) | 1 << (FORMATS[width][0] - 1)
    letter, whole = LETTERS[width]
    return int(struct.unpack(whole, struct.pack(letter, x))[0])


def infinity_bits(width: int) -> int:
    mantissa, bias = FORMATS[width]
    return (2 * bias + 1) << mantissa


def is_nan(bits: int, width: int) -> bool:
    return bits & ((1 << (width - 1)) - 1) > infinity_bits(width)


def signals(bits: int, width: int) -> bool:
    return is_nan(bits, width) and not bits >> (FORMATS[width][0] - 1) & 1


def signed(x: int, width: int) -> int:
    x &= (1 << width) - 1
    return x - (1 << width) if x >> (width - 1) else x


def floor_log2(x: Fraction) -> int:
    e = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= abs(x) else e - 1


def nearest(x: Fraction, width: int) -> float:
    """The number of a width that is nearest to x, ties to even."""
    if x == 0:
        return 0.0
    mantissa, bias = FORMATS[width]
    unit = Fraction(2) ** (max(floor_log2(x), 1 - bias) - mantissa)
    near = round(x / unit) * unit
    if abs(near) >= Fraction(2) ** (bias + 1):
        return -INF if x < 0 else INF
    return -float(-near) if x < 0 else float(near)


def narrowed(x: float, width: int) -> float:
    """A double rounded to a width."""
    return x if math.isnan(x) or math.isinf(x) or x == 0 else nearest(Fraction(x), width)


def fma(x: float, y: float, z: float, width: int) -> float:
    """x * y + z, rounded once."""
    if any(map(math.isnan, (x, y, z))):
        return NAN
    minus = math.copysign(1, x) * math.copysign(1, y)
    if math.isinf(x) or math.isinf(y):
        return NAN if x == 0 or y == 0 else math.copysign(INF, minus) + z
    if math.isinf(z):
        return z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact:
        return nearest(exact, width)
    return math.copysign(0.0, minus) + z if z == 0 and (x == 0 or y == 0) else 0.0


def divided(x: float, y: float, width: int) -> float:
    """IEEE division."""
    if math.isnan(x) or math.isnan(y) or (x == 0 and y == 0) or (math.isinf(x) and math.isinf(y)):
        return NAN
    sign = math.copysign(1, x) * math.copysign(1, y)
    if math.isinf(x) or y == 0:
        return math.copysign(INF, sign)
    if math.isinf(y) or x == 0:
        return math.copysign(0.0, sign)
    return nearest(Fraction(x) / Fraction(y), width)


def added(x: float, y: float, width: int) -> float:
    return fma(1.0, x, y, width) if x or y else x + y


def multiplied(x: float, y: float, width: int) -> float:
    return fma(x, y, math.copysign(0.0, math.copysign(1, x) * math.copysign(1, y)), width)


def root(x: float, width: int, inverse: bool = False) -> float:
    """The square root, or one over it: by integers, with far more bits than are kept."""
    if math.isnan(x) or x < 0:
        return NAN
    if x == 0 or math.isinf(x):
        if not inverse:
            return x
        return math.copysign(INF, x) if x == 0 else 0.0
    exact = Fraction(x)
    shift = 2 * (600 + max(0, -floor_log2(exact)))
    near = Fraction(math.isqrt(math.floor(exact * 2**shift)), 2 ** (shift // 2))
    return nearest(1 / near if inverse else near, width)


def is_subnormal(x: float, width: int) -> bool:
    return 0 < abs(x) < 2.0 ** (1 - FORMATS[width][1])


def raw_exponent(x: float, width: int) -> int:
    return bits_of(x, width) >> FORMATS[width][0] & (2 * FORMATS[width][1] + 1)


def scaled(x: float, n: int, width: int) -> float:
    """x times a power of two, rounded once."""
    return x if math.isnan(x) or math.isinf(x) or x == 0 else nearest(Fraction(x) * Fraction(2) ** n, width)
