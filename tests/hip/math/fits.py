"""How the polynomials of the math helpers were found, and how near they come.

Each is the minimax polynomial of a function on an interval under a weight (Remez' exchange at 200 bits),
its coefficients then rounded. `weight` turns the polynomial's error into the result's relative error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import numpy as np
from mpmath import mpf

Real = Callable[[mpf], mpf]

BITS = 200
TINY = mpf(2) ** -30

with mpmath.workprec(BITS):
    LN2 = mpmath.log(2)
    ROOT = mpmath.sqrt(2)
    HALF_LN2 = LN2 / 2
    MANTISSA = (1 / ROOT - 1, ROOT - 1)
    ATANH = (mpf(0), ((ROOT - 1) / (1 + ROOT) * mpf("1.001")) ** 2)
    EIGHTH_TURN = (mpf(0), (mpmath.pi / 4) ** 2 * mpf("1.01"))
    TAN_PI_8 = (mpf(0), (ROOT - 1) ** 2 * mpf("1.001"))
    ERF_SLOPE = 2 / mpmath.sqrt(mpmath.pi)


@dataclass(frozen=True, slots=True)
class Fit:
    """A polynomial `variable` of a text: its function, interval, degree, and error of at most 2**-bits.

    `also` names the texts that carry the same coefficients; `position` counts the file's polynomials.
    """

    file: str
    function: Real
    interval: tuple[mpf, mpf]
    degree: int
    bits: float
    weight: Real = lambda z: mpf(1)
    single: bool = False
    also: tuple[str, ...] = ()
    position: int = 0


def polynomial(coefficients: list[mpf], z: mpf) -> mpf:
    """Its value, constant term first."""
    value = mpf(0)
    for c in reversed(coefficients):
        value = value * z + c
    return value


def series(term: Callable[[int], mpf], count: int = 100) -> Real:
    """The sum of term(k) * z**k."""
    with mpmath.workprec(BITS):
        terms = [term(k) for k in range(count)]
    return lambda z: polynomial(terms, z)


def at_least(value: mpf, least: mpf) -> mpf:
    return max(value, least)


def by_z(z: mpf) -> mpf:
    return at_least(z, TINY)


def by_z_squared(z: mpf) -> mpf:
    return at_least(z * z, mpf(2) ** -40)


def log_rest(f: mpf) -> mpf:
    """(ln(1 + f) - f + f*f/2) / f**3."""
    return LOG_REST(f) if abs(f) < mpf("0.05") else (mpmath.log1p(f) - f + f * f / 2) / f**3


def log2_rest(f: mpf) -> mpf:
    """log2(1 + f)/f less the nearest float of 1/ln2."""
    near = LOG2_SERIES(f) if abs(f) < mpf("0.05") else mpmath.log1p(f) / f / LN2
    return near - mpf(float(np.float32(float(1 / LN2))))


def tanh_rest(z: mpf) -> mpf:
    """(tanh x - x) / x**3 with z = x*x; near zero by its first terms."""
    if z < mpf("1e-4"):
        first = (mpf(-1) / 3, mpf(2) / 15, mpf(-17) / 315, mpf(62) / 2835, mpf(-1382) / 155925)
        more = (mpf(21844) / 6081075, mpf(-929569) / 638512875, mpf(6404582) / 10854718875)
        return polynomial([*first, *more], z)
    x = mpmath.sqrt(z)
    return (mpmath.tanh(x) - x) / x**3


def scaled_erfc(center: int) -> Real:
    """e**(x*x) * erfc(x) * (1 + 2x) as a function of t = (x - center)/(x + center)."""

    def value(t: mpf) -> mpf:
        x = center * (1 + t) / (1 - t)
        return mpmath.erfc(x) * mpmath.exp(x * x) * (1 + 2 * x)

    return value


def between(low: str, high: str, center: int) -> tuple[mpf, mpf]:
    with mpmath.workprec(BITS):
        a, b = ((mpf(x) - center) / (mpf(x) + center) for x in (low, high))
        return a, b


LOG_REST = series(lambda k: (-1) ** k / mpf(k + 3))
LOG2_SERIES = series(lambda k: (-1) ** k / mpf(k + 1) / LN2)
EXP_REST = series(lambda k: 1 / mpmath.factorial(k + 2), 60)
EXP2_REST = series(lambda k: LN2 ** (k + 1) / mpmath.factorial(k + 1), 60)
ATANH_REST = series(lambda k: 2 / mpf(2 * k + 3))
ATANH_REST_2 = series(lambda k: 2 / mpf(2 * k + 5))
SIN_REST = series(lambda k: (-1) ** (k + 1) / mpmath.factorial(2 * k + 3), 40)
COS_REST = series(lambda k: (-1) ** k / mpmath.factorial(2 * k + 4), 40)
ASIN_REST = series(lambda k: mpmath.binomial(2 * k + 2, k + 1) / mpf(4) ** (k + 1) / (2 * k + 3), 149)
ATAN_REST = series(lambda k: (-1) ** (k + 1) / mpf(2 * k + 3), 120)
SINH_REST = series(lambda k: 1 / mpmath.factorial(2 * k + 3), 40)
ERF = series(lambda k: ERF_SLOPE * (-1) ** k / mpmath.factorial(k) / (2 * k + 1), 80)
ERF_REST = series(lambda k: ERF_SLOPE * (-1) ** (k + 1) / mpmath.factorial(k + 1) / (2 * k + 3), 79)

HALF = (-HALF_LN2, HALF_LN2)
UNIT = (mpf(0), mpf(1))
QUARTER = (mpf(0), mpf("0.2501"))


def exp_weight(r: mpf) -> mpf:
    return at_least(r * r / mpmath.exp(r), TINY)


def expm1_weight(r: mpf) -> mpf:
    return at_least(r * r / abs(mpmath.expm1(r)) if r else mpf(0), mpf(2) ** -20)


def exp2_weight(r: mpf) -> mpf:
    return at_least(abs(r) / mpf(2) ** r, TINY)


def log_weight(f: mpf) -> mpf:
    return at_least(abs(f**3 / mpmath.log1p(f)) if f else mpf(0), TINY)


def log2_weight(f: mpf) -> mpf:
    return 1 / (log2_rest(f) + mpf(float(np.float32(float(1 / LN2)))))


def half_z(z: mpf) -> mpf:
    return at_least(z / 2, TINY)


def half_z_squared(z: mpf) -> mpf:
    return at_least(z * z / 2, mpf(2) ** -40)


FITS = (
    Fit("exp_narrow", EXP_REST, HALF, 6, 39.6, exp_weight, also=("expm1_f32",)),
    Fit("exp_f64", EXP_REST, HALF, 9, 56.2, exp_weight, also=("exp_pair",)),
    Fit("expm1_f64", EXP_REST, HALF, 10, 59.8, expm1_weight),
    Fit("exp2_f64", EXP2_REST, (mpf("-0.5"), mpf("0.5")), 10, 54.9, exp2_weight),
    Fit("log_f32", log_rest, MANTISSA, 7, 27.2, log_weight, single=True),
    Fit("log2_f32", log2_rest, MANTISSA, 9, 26.6, log2_weight, single=True),
    Fit("log_narrow", ATANH_REST, ATANH, 3, 37.5, half_z),
    Fit("log_pair", ATANH_REST, ATANH, 6, 59.0, half_z),
    Fit("pow_f64", ATANH_REST_2, ATANH, 6, 65.6, half_z_squared),
    Fit("reduce_f32", SIN_REST, EIGHTH_TURN, 3, 37.4, by_z),
    Fit("reduce_f32", COS_REST, EIGHTH_TURN, 2, 33.1, by_z_squared, position=1),
    Fit("reduce_f64", SIN_REST, EIGHTH_TURN, 5, 57.3, by_z),
    Fit("reduce_f64", COS_REST, EIGHTH_TURN, 5, 61.9, by_z_squared, position=1),
    Fit("asin_f32", ASIN_REST, QUARTER, 5, 31.6, by_z, also=("acos_f32",)),
    Fit("asin_f64", ASIN_REST, QUARTER, 11, 55.6, by_z, also=("acos_f64",)),
    Fit("atan2_f32", ATAN_REST, TAN_PI_8, 5, 35.3, by_z),
    Fit("atan2_f64", ATAN_REST, TAN_PI_8, 10, 58.5, by_z),
    Fit("sinh_f32", SINH_REST, UNIT, 3, 33.9, by_z),
    Fit("sinh_f64", SINH_REST, UNIT, 6, 56.3, by_z),
    Fit("tanh_f32", tanh_rest, (mpf(0), mpf("0.5625") ** 2), 4, 27.8, by_z, single=True),
    Fit("tanh_f64", tanh_rest, (mpf(0), mpf("0.5625") ** 2), 10, 57.4, by_z),
    Fit("erf_f32", ERF_REST, UNIT, 6, 26.7, by_z, single=True),
    Fit("erf_f32", lambda x: -mpmath.log(mpmath.erfc(x)), (mpf(1), mpf(4)), 7, 27.1, mpmath.erfc, True, position=1),
    Fit("erf_f64", ERF_REST, UNIT, 11, 55.5, by_z),
    Fit("erfc_f32", scaled_erfc(2), between("0.5", "10.2", 2), 11, 33.7),
    Fit("erfc_f32", ERF, QUARTER, 4, 29.2, position=1),
    Fit("erfc_tail", scaled_erfc(4), between("0.5", "28", 4), 22, 54.0),
    Fit("cbrt_f64", mpmath.cbrt, (mpf(1), mpf(2)), 4, 16.6, lambda m: 1 / mpmath.cbrt(m), also=("cbrt_f32",)),
)


CHAIN = re.compile(
    r"^ +(?:float|double) (\w+) = (-?[\d.e-]+f?);\n((?: +\1 = __builtin_fmaf?\(\1, \w+, -?[\d.e-]+f?\);\n)+)", re.M
)


def chains(text: str) -> list[list[float]]:
    """The coefficients of every Horner chain of a text, constant term first."""
    found = []
    for first in CHAIN.finditer(text):
        literals = [first[2], *re.findall(r", (-?[\d.e-]+f?)\);", first[3])]
        found.append([number(literal) for literal in reversed(literals)])
    return found


def number(literal: str) -> float:
    """The value of a C literal."""
    return float(np.float32(literal[:-1])) if literal.endswith("f") else float(literal)


def error(fit: Fit, coefficients: list[float], points: int) -> float:
    """The largest weighted error of the polynomial at points inside the interval."""
    low, high = fit.interval
    worst = mpf(0)
    with mpmath.workprec(BITS):
        for i in range(points):
            z = low + (high - low) * (i + mpf("0.5")) / points
            value = polynomial([mpf(c) for c in coefficients], z)
            worst = max(worst, abs(fit.weight(z) * (value - fit.function(z))))
    return float(worst)


def solve(fit: Fit) -> list[float]:
    """The rounded coefficients of the minimax polynomial, constant term first."""
    with mpmath.workprec(BITS):
        exact = monomials(exchange(fit), fit.interval)
        return [float(np.float32(float(c))) if fit.single else float(c) for c in exact]


def chebyshev_points(interval: tuple[mpf, mpf], count: int) -> list[mpf]:
    low, high = interval
    step = mpmath.pi / (count - 1)
    return [(low + high) / 2 - (high - low) / 2 * mpmath.cos(step * i) for i in range(count)]


def exchange(fit: Fit) -> list[mpf]:
    """Chebyshev coefficients of the minimax polynomial by Remez' exchange on a dense grid."""
    low, high = fit.interval
    count = fit.degree + 2
    points = chebyshev_points(fit.interval, count)
    grid = chebyshev_points(fit.interval, 24 * count)
    wanted = [(fit.function(z), fit.weight(z)) for z in grid]
    best: tuple[mpf, list[mpf]] | None = None
    for _ in range(12):
        rows, right = mpmath.matrix(count, count), mpmath.matrix(count, 1)
        for i, z in enumerate(points):
            for k, value in enumerate(chebyshev((2 * z - low - high) / (high - low), fit.degree)):
                rows[i, k] = value
            rows[i, count - 1] = (-1) ** i / fit.weight(z)
            right[i] = fit.function(z)
        solved = list(mpmath.lu_solve(rows, right))
        levelled = abs(solved.pop())
        errors = [w * (at(solved, z, fit.interval) - g) for z, (g, w) in zip(grid, wanted, strict=True)]
        largest = max(abs(e) for e in errors)
        if best is None or largest < best[0]:
            best = largest, solved
        peaks = alternating(errors, count)
        if largest < levelled * mpf("1.02") or len(peaks) < count:
            break
        points = [grid[i] for i in peaks]
    assert best is not None
    return best[1]


def chebyshev(u: mpf, degree: int) -> list[mpf]:
    values = [mpf(1), u]
    for _ in range(degree - 1):
        values.append(2 * u * values[-1] - values[-2])
    return values[: degree + 1]


def at(coefficients: list[mpf], z: mpf, interval: tuple[mpf, mpf]) -> mpf:
    low, high = interval
    values = chebyshev((2 * z - low - high) / (high - low), len(coefficients) - 1)
    return mpmath.fsum(c * t for c, t in zip(coefficients, values, strict=True))


def alternating(errors: list[mpf], count: int) -> list[int]:
    """Places of `count` extremes of alternating sign, the smallest outer ones dropped."""
    peaks: list[int] = []
    for i, value in enumerate(errors):
        if peaks and (value > 0) == (errors[peaks[-1]] > 0):
            if abs(value) > abs(errors[peaks[-1]]):
                peaks[-1] = i
        else:
            peaks.append(i)
    while len(peaks) > count:
        peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
    return peaks


def monomials(coefficients: list[mpf], interval: tuple[mpf, mpf]) -> list[mpf]:
    """Coefficients of powers of z from Chebyshev coefficients, constant term first."""
    low, high = interval
    scale, shift = 2 / (high - low), -(low + high) / (high - low)

    def times_u(p: list[mpf]) -> list[mpf]:
        return [shift * a + scale * b for a, b in zip([*p, mpf(0)], [mpf(0), *p], strict=True)]

    previous, current = [mpf(1)], times_u([mpf(1)])
    total = [coefficients[0]] + [mpf(0)] * (len(coefficients) - 1)
    for c in coefficients[1:]:
        total = [t + c * (current[i] if i < len(current) else 0) for i, t in enumerate(total)]
        doubled = [2 * v for v in times_u(current)]
        padded = [*previous, *([mpf(0)] * (len(doubled) - len(previous)))]
        previous, current = current, [a - b for a, b in zip(doubled, padded, strict=True)]
    return total
