"""What vector instructions on floats mean, said again in Python with exact fractions.

As reference_vector.py; a source of a type `bits32` is the bits of a float, where it matters which NaN it is.
"""

from __future__ import annotations

import math
from bisect import bisect
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tests.prove.machine.numbers import (
    INF,
    NAN,
    added,
    bits_of,
    divided,
    float_of,
    floor_log2,
    fma,
    is_nan,
    is_subnormal,
    multiplied,
    narrowed,
    nearest,
    raw_exponent,
    root,
    scaled,
    signals,
    signed,
)
from tests.prove.machine.reference_scalar import Statement

REFERENCE: dict[str, Statement] = {}


def _add(types: str, **statements: Any) -> None:
    for name, function in statements.items():
        REFERENCE[name] = (types, function)


def _order(bits: int, width: int) -> int:
    """A number that goes up with the float, -0 before +0."""
    size = bits & ((1 << (width - 1)) - 1)
    return -1 - size if bits >> (width - 1) else size


def _extreme(a: int, b: int, width: int, choose: Any) -> int:
    for x in (a, b):
        if signals(x, width):
            return bits_of(NAN, width)
    if is_nan(a, width):
        return b
    return a if is_nan(b, width) else int(choose(a, b, key=lambda x: _order(x, width)))


def _least(a: int, b: int, width: int) -> int:
    return _extreme(a, b, width, min)


def _most(a: int, b: int, width: int) -> int:
    return _extreme(a, b, width, max)


def _med(a: int, b: int, c: int, w: int) -> int:
    if any(is_nan(x, w) for x in (a, b, c)):
        return _least(_least(a, b, w), c, w)
    most = float_of(_most(_most(a, b, w), c, w), w)
    if most == float_of(a, w):
        return _most(b, c, w)
    return _most(a, c, w) if most == float_of(b, w) else _most(a, b, w)


def _whole(x: float, how: Any) -> float:
    """An integer of a float, which keeps the float's sign."""
    return x if math.isnan(x) or math.isinf(x) else math.copysign(float(how(x)), x)


def _fract(x: float, width: int) -> float:
    if math.isnan(x) or math.isinf(x):
        return NAN
    below_one = float_of(bits_of(1.0, width) - 1, width)
    return min(nearest(Fraction(x) - math.floor(x), width), below_one)


def _exponent(x: float) -> int:
    return 0 if math.isnan(x) or math.isinf(x) else math.frexp(x)[1]


def _mantissa(x: float) -> float:
    return x if math.isnan(x) or math.isinf(x) else math.frexp(x)[0]


for _w in (16, 32, 64):
    _t, _b = f"f{_w}", f"bits{_w}"
    REFERENCE |= {
        f"v_add_{_t}": (f"{_t} {_t} : {_t}", lambda a, b, w=_w: added(a, b, w)),
        f"v_sub_{_t}": (f"{_t} {_t} : {_t}", lambda a, b, w=_w: added(a, -b, w)),
        f"v_subrev_{_t}": (f"{_t} {_t} : {_t}", lambda a, b, w=_w: added(b, -a, w)),
        f"v_mul_{_t}": (f"{_t} {_t} : {_t}", lambda a, b, w=_w: multiplied(a, b, w)),
        f"v_fma_{_t}": (f"{_t} {_t} {_t} : {_t}", lambda a, b, c, w=_w: fma(a, b, c, w)),
        f"v_min_{_t}": (f"{_b} {_b} : {_t}", lambda a, b, w=_w: float_of(_least(a, b, w), w)),
        f"v_max_{_t}": (f"{_b} {_b} : {_t}", lambda a, b, w=_w: float_of(_most(a, b, w), w)),
        f"v_min3_{_t}": (
            f"{_b} {_b} {_b} : {_t}", lambda a, b, c, w=_w: float_of(_least(_least(a, b, w), c, w), w)
        ),
        f"v_max3_{_t}": (f"{_b} {_b} {_b} : {_t}", lambda a, b, c, w=_w: float_of(_most(_most(a, b, w), c, w), w)),
        f"v_med3_{_t}": (f"{_b} {_b} {_b} : {_t}", lambda a, b, c, w=_w: float_of(_med(a, b, c, w), w)),
        f"v_floor_{_t}": (f"{_t} : {_t}", lambda a: _whole(a, math.floor)),
        f"v_ceil_{_t}": (f"{_t} : {_t}", lambda a: _whole(a, math.ceil)),
        f"v_trunc_{_t}": (f"{_t} : {_t}", lambda a: _whole(a, math.trunc)),
        f"v_rndne_{_t}": (f"{_t} : {_t}", lambda a: _whole(a, round)),
        f"v_fract_{_t}": (f"{_t} : {_t}", lambda a, w=_w: _fract(a, w)),
        f"v_rcp_{_t}": (f"{_t} : {_t}", lambda a, w=_w: divided(1.0, a, w)),
        f"v_sqrt_{_t}": (f"{_t} : {_t}", lambda a, w=_w: root(a, w)),
        f"v_rsq_{_t}": (f"{_t} : {_t}", lambda a, w=_w: root(a, w, inverse=True)),
        f"v_frexp_mant_{_t}": (f"{_t} : {_t}", _mantissa),
    }  # fmt: skip
for _name in ("sub", "subrev", "min3", "max3", "med3"):
    del REFERENCE[f"v_{_name}_f64"]
for _name in ("fma", "min3", "max3", "med3"):
    _types, _f = REFERENCE[f"v_{_name}_f16"]
    REFERENCE[f"v_{_name}_f16"] = (_types.replace(": ", ": keep "), _f)
_add("f32 f32 : f32", v_mul_legacy_f32=lambda a, b: 0.0 if a == 0 or b == 0 else multiplied(a, b, 32))
_add("f32 f32 d : f32", v_fmac_f32=lambda a, b, d: fma(a, b, d, 32))
_add("f64 f64 d : f64", v_fmac_f64=lambda a, b, d: fma(a, b, d, 64))
_add("f32 f32 f32 : f32", v_fmaak_f32=REFERENCE["v_fma_f32"][1], v_fmamk_f32=REFERENCE["v_fma_f32"][1])
_add("mix mix mix : f32", v_fma_mix_f32=lambda a, b, c: fma(a, b, c, 32))
_add("mix mix mix : keep f16", v_fma_mixlo_f16=lambda a, b, c: narrowed(fma(a, b, c, 32), 16))
_add("mix mix mix d : above f16", v_fma_mixhi_f16=lambda a, b, c, d: narrowed(fma(a, b, c, 32), 16))
for _name, _f in (("add", added), ("mul", multiplied)):
    for _w in (16, 32):
        REFERENCE[f"v_pk_{_name}_f{_w}"] = (f"f{_w}x2 f{_w}x2 : f{_w}x2", lambda a, b, f=_f, w=_w: f(a, b, w))
_add("f16x2 f16x2 f16x2 : f16x2", v_pk_fma_f16=lambda a, b, c: fma(a, b, c, 16))
_add("f32x2 f32x2 f32x2 : f32x2", v_pk_fma_f32=lambda a, b, c: fma(a, b, c, 32))
_add(
    "bits16x2 bits16x2 : f16x2",
    v_pk_min_f16=lambda a, b: float_of(_least(a, b, 16), 16),
    v_pk_max_f16=lambda a, b: float_of(_most(a, b, 16), 16),
)


def _dot(a: int, b: int, c: float) -> float:
    for shift in (0, 16):
        x, y = float_of(a >> shift & 0xFFFF, 16), float_of(b >> shift & 0xFFFF, 16)
        c = added(c, multiplied(x, y, 32), 32)
    return c


_add("pair_f16 pair_f16 f32 : f32", v_dot2_f32_f16=_dot)
_add("pair_f16 pair_f16 d : f32", v_dot2c_f32_f16=_dot)

# ---- powers of two


def _power(x: float) -> float:
    if math.isnan(x):
        return NAN
    return INF if x > 1000 else 0.0 if x < -1000 else math.exp2(x)


def _logarithm(x: float) -> float:
    if math.isnan(x) or x < 0:
        return NAN
    return -INF if x == 0 else math.log2(x)


def _flushed(x: float) -> float:
    return math.copysign(0.0, x) if is_subnormal(x, 32) else x


_add(
    "f32 : f32",
    v_exp_f32=lambda a: _flushed(narrowed(_power(_flushed(a)), 32)),
    v_log_f32=lambda a: narrowed(_logarithm(_flushed(a)), 32),
)
_add(
    "f32 : f32",
    v_rcp_f32=lambda a: _flushed(divided(1.0, _flushed(a), 32)),
    v_rcp_iflag_f32=lambda a: _flushed(divided(1.0, _flushed(a), 32)),
    v_sqrt_f32=lambda a: root(_flushed(a), 32),
    v_rsq_f32=lambda a: root(_flushed(a), 32, inverse=True),
)


def _rough(x: float) -> float:
    """As rough as the instruction set lets f64 be: a whole number of 2**30 units in the last place."""
    if x == 0 or not math.isfinite(x):
        return x
    unit = Fraction(2) ** (max(floor_log2(Fraction(x)), -1022) - 52 + 30)
    return math.copysign(float(math.floor(abs(Fraction(x)) / unit + Fraction(1, 2)) * unit), x)


def _reciprocal(x: float) -> float:
    """Where all bits of the mantissa are ones no rough one would do: see the executor's."""
    near = divided(1.0, x, 64)
    return near if bits_of(x, 64) % (1 << 52) == (1 << 52) - 1 else _rough(near)


_add(
    "f64 : f64",
    v_rcp_f64=_reciprocal,
    v_sqrt_f64=lambda a: _rough(root(a, 64)),
    v_rsq_f64=lambda a: _rough(root(a, 64, inverse=True)),
)
_add("f16 : f16", v_exp_f16=lambda a: narrowed(_power(a), 16), v_log_f16=lambda a: narrowed(_logarithm(a), 16))
_add("f32 i32 : f32", v_ldexp_f32=lambda a, b: scaled(a, min(max(b, -999), 999), 32))
_add("f64 i32 : f64", v_ldexp_f64=lambda a, b: scaled(a, min(max(b, -9999), 9999), 64))
_add("f16 i16 : f16", v_ldexp_f16=lambda a, b: scaled(a, min(max(b, -99), 99), 16))
_add("f32 : i32", v_frexp_exp_i32_f32=_exponent)
_add("f64 : i32", v_frexp_exp_i32_f64=_exponent)
_add("f16 : i16", v_frexp_exp_i16_f16=_exponent)

# ---- division, as the instruction set's pseudo code says it


def _div_scale(s0: int, s1: int, s2: int, width: int) -> tuple[float, int]:
    scale, far, tiny = (64, 96, 23) if width == 32 else (128, 768, 53)
    x, denominator, numerator = (float_of(s, width) for s in (s0, s1, s2))
    if denominator == 0 or numerator == 0:
        return NAN, 0
    if raw_exponent(numerator, width) - raw_exponent(denominator, width) >= far:
        return (scaled(x, scale, width) if s0 == s1 else x), 1
    if is_subnormal(denominator, width):
        return scaled(x, scale, width), 0
    inverse_small = is_subnormal(divided(1.0, denominator, width), width)
    quotient_small = is_subnormal(divided(numerator, denominator, width), width)
    if inverse_small and quotient_small:
        return (scaled(x, -scale, width) if s0 == s1 else x), 1
    if inverse_small:
        return scaled(x, -scale, width), 0
    if quotient_small:
        return (scaled(x, scale, width) if s0 == s2 else x), 1
    return (scaled(x, scale, width) if raw_exponent(numerator, width) <= tiny else x), 0


def _div_fmas(a: float, b: float, c: float, vcc: int, width: int) -> float:
    near = fma(a, b, c, width)
    if not vcc or not math.isfinite(a) or not math.isfinite(b) or not math.isfinite(c):
        return near
    scale, bias = (64, 127) if width == 32 else (128, 1023)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return near
    return nearest(exact * Fraction(2) ** (scale if raw_exponent(c, width) > bias else -scale), width)


def _div_fixup(a: float, b: float, c: float, width: int) -> float:
    sign = math.copysign(1, b) * math.copysign(1, c)
    if math.isnan(b) or math.isnan(c) or (b == 0 and c == 0) or (math.isinf(b) and math.isinf(c)):
        return NAN
    if b == 0 or math.isinf(c):
        return sign * INF
    if math.isinf(b) or c == 0:
        return sign * 0.0
    least = {16: -999, 32: -150, 64: -1075}[width]
    if raw_exponent(c, width) - raw_exponent(b, width) < least:
        return sign * 0.0
    if width > 16 and not math.isfinite(a):
        return sign * INF
    return NAN if math.isnan(a) else sign * abs(a)


for _w in (32, 64):
    _b, _t = f"bits{_w}", f"f{_w}"
    REFERENCE |= {
        f"v_div_scale_{_t}": (f"{_b} {_b} {_b} : {_t} mask", lambda a, b, c, w=_w: _div_scale(a, b, c, w)),
        f"v_div_fmas_{_t}": (f"{_t} {_t} {_t} vcc : {_t}", lambda a, b, c, vcc, w=_w: _div_fmas(a, b, c, vcc, w)),
        f"v_div_fixup_{_t}": (f"{_t} {_t} {_t} : {_t}", lambda a, b, c, w=_w: _div_fixup(a, b, c, w)),
    }
_add("f16 f16 f16 : keep f16", v_div_fixup_f16=lambda a, b, c: _div_fixup(a, b, c, 16))

# ---- conversions


def _integer(x: float, least: int, most: int) -> int:
    return 0 if math.isnan(x) else most if x > most else least if x < least else int(x)


def _toward_zero(x: float) -> float:
    if not math.isfinite(x):
        return x
    near = bits_of(narrowed(x, 16), 16)
    return float_of(near - 1 if abs(float_of(near, 16)) > abs(x) else near, 16)


def _eight(bits: int, mantissa: int, bias: int) -> float:
    """A number of the target's fp8, from its byte."""
    size, fraction = bits & 0x7F, bits & ((1 << mantissa) - 1)
    exponent = size >> mantissa
    value = math.ldexp(fraction + (1 << mantissa if exponent else 0), max(exponent, 1) - bias - mantissa)
    return NAN if bits == 0x80 else -value if bits & 0x80 else value


@lru_cache(maxsize=2)
def _eights(mantissa: int, bias: int) -> list[float]:
    """The numbers from 0 up, and the one that would come after the last."""
    numbers = [_eight(i, mantissa, bias) for i in range(128)]
    return [*numbers, 2 * numbers[-1] - numbers[-2]]


def _to_eight(x: float, mantissa: int, bias: int) -> int:
    """The byte whose number is nearest; of two as near the even one; past the last there is only the NaN."""
    numbers = _eights(mantissa, bias)
    if not abs(x) < numbers[-1]:
        return 0x80
    above = bisect(numbers, abs(x))
    best = min((above - 1, above), key=lambda i: (abs(Fraction(abs(x)) - Fraction(numbers[i])), i & 1))
    return 0x80 if best == 128 else best | (0x80 if x < 0 and best else 0)


def _pair_of_eights(mantissa: int, bias: int) -> Any:
    def written(a: float, b: float, d: int, high: int) -> int:
        half = _to_eight(a, mantissa, bias) + 256 * _to_eight(b, mantissa, bias)
        return half * 65536 + d % 65536 if high else d // 65536 * 65536 + half

    return written


for _name, _format in (("fp8", (3, 8)), ("bf8", (2, 16))):
    REFERENCE[f"v_cvt_pk_{_name}_f32"] = ("f32 f32 d : u32", _pair_of_eights(*_format))
    REFERENCE[f"v_cvt_f32_{_name}"] = ("u32 : f32", lambda a, f=_format: _eight(a % 256, *f))
    REFERENCE[f"v_cvt_pk_f32_{_name}"] = (
        "u32 : two f32", lambda a, f=_format: (_eight(a % 256, *f), _eight(a // 256 % 256, *f))
    )  # fmt: skip
_add("f16 : f32", v_cvt_f32_f16=lambda a: a)
_add("f32 : f16", v_cvt_f16_f32=lambda a: narrowed(a, 16))
_add("f64 : f32", v_cvt_f32_f64=lambda a: narrowed(a, 32))
_add("f32 : f64", v_cvt_f64_f32=lambda a: a)
_add("i32 : f32", v_cvt_f32_i32=lambda a: nearest(Fraction(a), 32))
_add("u32 : f32", v_cvt_f32_u32=lambda a: nearest(Fraction(a), 32))
_add("i32 : f64", v_cvt_f64_i32=float)
_add("u32 : f64", v_cvt_f64_u32=float)
_add("i16 : f16", v_cvt_f16_i16=lambda a: nearest(Fraction(a), 16))
_add("u16 : f16", v_cvt_f16_u16=lambda a: nearest(Fraction(a), 16))
for _n in range(4):
    REFERENCE[f"v_cvt_f32_ubyte{_n}"] = ("u32 : f32", lambda a, n=_n: float(a.to_bytes(4, "little")[n]))
_add(
    "f32 : i32",
    v_cvt_i32_f32=lambda a: _integer(a, -(2**31), 2**31 - 1),
    v_cvt_flr_i32_f32=lambda a: _integer(_whole(a, math.floor), -(2**31), 2**31 - 1),
    v_cvt_rpi_i32_f32=lambda a: _integer(_whole(added(a, 0.5, 32), math.floor), -(2**31), 2**31 - 1),
)
_add("f32 : u32", v_cvt_u32_f32=lambda a: _integer(a, 0, 2**32 - 1))
_add("f64 : i32", v_cvt_i32_f64=lambda a: _integer(a, -(2**31), 2**31 - 1))
_add("f64 : u32", v_cvt_u32_f64=lambda a: _integer(a, 0, 2**32 - 1))
_add("f16 : i16", v_cvt_i16_f16=lambda a: _integer(a, -(2**15), 2**15 - 1))
_add("f16 : u16", v_cvt_u16_f16=lambda a: _integer(a, 0, 2**16 - 1))
_add("f32 f32 : two f16", v_cvt_pkrtz_f16_f32=lambda a, b: (_toward_zero(a), _toward_zero(b)))
_add("bits16 bits16 : u32", v_pack_b32_f16=lambda a, b: a + b * 65536)
_add("u32 u32 : u32", v_cvt_pk_u16_u32=lambda a, b: min(a, 65535) + min(b, 65535) * 65536)
_add(
    "i32 i32 : u32",
    v_cvt_pk_i16_i32=lambda a, b: sum(
        signed(min(max(x, -32768), 32767), 16) % 65536 << 16 * i for i, x in enumerate((a, b))
    ),
)
