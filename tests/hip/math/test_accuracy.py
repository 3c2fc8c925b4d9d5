"""Every real function stays within its stated error, against mpmath on random and edge inputs."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
import pytest

from tests.hip.math.library import Library
from tl2hip.hip import math as helpers

REAL = {"f32": np.float32, "f64": np.float64}
BITS = {"f32": (np.uint32, 24, -126), "f64": (np.uint64, 53, -1022)}

# Where a function is used: a range for f32 and one for f64.
RANGES = {
    "exp": ((-105, 89), (-750, 710)),
    "exp2": ((-152, 129), (-1080, 1025)),
    "expm1": ((-30, 89), (-50, 710)),
    "log": ((0.4, 3), (0.4, 3)),
    "log2": ((0.4, 3), (0.4, 3)),
    "log10": ((0.4, 3), (0.4, 3)),
    "log1p": ((-0.999, 3), (-0.999, 3)),
    "sin": ((-40, 40), (-40, 40)),
    "cos": ((-40, 40), (-40, 40)),
    "tan": ((-40, 40), (-40, 40)),
    "asin": ((-1, 1), (-1, 1)),
    "acos": ((-1, 1), (-1, 1)),
    "atan": ((-8, 8), (-8, 8)),
    "sinh": ((-90, 90), (-711, 711)),
    "cosh": ((-90, 90), (-711, 711)),
    "tanh": ((-10, 10), (-20, 20)),
    "erf": ((-5, 5), (-7, 7)),
    "erfc": ((-5, 10.5), (-6, 27.5)),
    "cbrt": ((-30, 30), (-30, 30)),
    "sqrt": ((0, 30), (0, 30)),
    "rsqrt": ((0.01, 30), (0.01, 30)),
}

EXACT: dict[str, Callable[..., mpmath.mpf]] = {
    "exp2": lambda x: mpmath.power(2, x),
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "pow": mpmath.power,
    "hypot": lambda x, y: mpmath.sqrt(x * x + y * y),
}


def exact(name: str, *arguments: float) -> mpmath.mpf:
    """The true value to 40 digits, after a reduction of as many digits as the argument needs."""
    function = EXACT.get(name) or getattr(mpmath, name)
    with mpmath.workprec(1300 if name in ("sin", "cos", "tan") else 160):
        return function(*(mpmath.mpf(float(a)) for a in arguments))


def error_in_ulp(got: float, true: mpmath.mpf, dtype: str) -> float:
    """|got - true| in units of the last place of true in dtype; an infinity stands for the next power of two."""
    _, digits, least = BITS[dtype]
    limit = mpmath.ldexp(1, -least + 2)
    if np.isnan(got):
        return float("inf")
    value = mpmath.sign(got) * limit if np.isinf(got) else mpmath.mpf(float(got))
    bounded = max(min(true, limit), -limit)
    exponent = max(mpmath.frexp(bounded)[1] - 1, least) if bounded != 0 else least
    return float(abs(value - bounded) / mpmath.ldexp(1, exponent - digits + 1))


def spread(dtype: str, seed: int, count: int) -> np.ndarray:
    """Finite numbers of every exponent and sign."""
    kind = BITS[dtype][0]
    bits = np.random.default_rng(seed).integers(0, np.iinfo(kind).max, count, kind, endpoint=True)
    numbers = bits.view(REAL[dtype])
    return numbers[np.isfinite(numbers)]


def one_argument(name: str, dtype: str) -> np.ndarray:
    """Inputs in the range of use, of every exponent, near one and zero, and near multiples of pi/2 and ln2/2."""
    rng = np.random.default_rng(3)
    low, high = RANGES[name][dtype == "f64"]
    steps = rng.integers(1, 300, 60)
    x = np.concatenate(
        [
            rng.uniform(low, high, 300),
            1 + rng.choice([-1, 1], 60) * 2.0 ** rng.uniform(-50, -1, 60),
            rng.choice([-1, 1], 60) * 2.0 ** rng.uniform(-60, 8, 60),
            steps * (np.pi / 2),
            steps * (np.log(2) / 2),
            steps / 16.0,
        ]
    ).astype(REAL[dtype])
    x = np.concatenate([x, spread(dtype, 5, 150)])
    return x[inside(name, x)]


def inside(name: str, x: np.ndarray) -> np.ndarray:
    """Where the function is real, finite and not absurdly large or small for mpmath."""
    if name in ("log", "log2", "log10", "rsqrt"):
        return x > 0
    if name == "sqrt":
        return x >= 0
    if name == "log1p":
        return x > -1
    if name in ("asin", "acos"):
        return abs(x) <= 1
    return abs(x) < 1e4 if name in ("exp", "exp2", "expm1", "sinh", "cosh", "erfc") else np.isfinite(x)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", RANGES)
def test_one_argument(library: Library, name: str, dtype: str) -> None:
    x = one_argument(name, dtype)
    got = library(f"{name}_{dtype}", x)
    errors = [error_in_ulp(y, exact(name, v), dtype) for v, y in zip(x, got, strict=True)]
    worst = int(np.argmax(errors))
    stated = helpers.ulp(name, dtype) or 0.5
    assert errors[worst] <= stated, (x[worst], got[worst])


@pytest.mark.parametrize("way", [-1, 1])
@pytest.mark.parametrize("name", ["exp", "exp2", "tanh", "erf"])
def test_whatever_the_unit_gives(library: Library, name: str, way: int) -> None:
    """Their stated error holds as well where v_exp_f32 is nearly a place off."""
    x = one_argument(name, "f32")
    library.unit(way)
    got = library(f"{name}_f32", x)
    library.unit(0)
    assert (got != library(f"{name}_f32", x)).any()
    worst = max(error_in_ulp(y, exact(name, v), "f32") for v, y in zip(x, got, strict=True))
    assert worst <= helpers.ulp(name, "f32")


def two_arguments(name: str, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    real = REAL[dtype]
    x = np.concatenate([2.0 ** rng.uniform(-20, 20, 300), 1 + 2.0 ** rng.uniform(-20, -1, 100)])
    y = np.concatenate([2.0 ** rng.uniform(-6, 6, 300), 2.0 ** rng.uniform(0, 22, 100)])
    y = y * rng.choice([-1, 1], y.size)
    if name != "pow":
        x = x * rng.choice([-1, 1], x.size)
    many = spread(dtype, 6, 200)[:150], spread(dtype, 7, 200)[:150]
    if name != "pow":
        return np.concatenate([x.astype(real), many[0]]), np.concatenate([y.astype(real), many[1]])
    top = 700 if dtype == "f64" else 87
    base = abs(many[0][many[0] != 0])
    power = rng.uniform(-top, top, base.size) / np.log(base.astype(float))
    return np.concatenate([x.astype(real), base]), np.concatenate([y.astype(real), power.astype(real)])


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", ["pow", "atan2", "hypot"])
def test_two_arguments(library: Library, name: str, dtype: str) -> None:
    x, y = two_arguments(name, dtype)
    got = library(f"{name}_{dtype}", x, y)
    errors = [error_in_ulp(r, exact(name, a, b), dtype) for a, b, r in zip(x, y, got, strict=True)]
    worst = int(np.argmax(errors))
    assert errors[worst] <= helpers.ulp(name, dtype), (x[worst], y[worst], got[worst])


def test_circular_functions_where_reduction_is_hardest(library: Library) -> None:
    """Near multiples of pi/2 over the whole range: the rest must keep all its bits."""
    multiples = [6381956970095103.0 * 2.0**797, 2.0**28 - 1, 2.0**28, np.finfo(np.float64).max]
    with mpmath.workprec(1300):
        multiples += [float(mpmath.ldexp(mpmath.pi, k)) for k in range(0, 1020, 17)]
        multiples += [float(mpmath.pi / 2 * 10**k) for k in range(0, 300, 7)]
    for dtype in ("f64", "f32"):
        x = np.array(multiples)
        x = x[x < float(np.finfo(REAL[dtype]).max)].astype(REAL[dtype])
        x = np.concatenate([x, -x])
        for name in ("sin", "cos", "tan"):
            got = library(f"{name}_{dtype}", x)
            worst = max(error_in_ulp(y, exact(name, v), dtype) for v, y in zip(x, got, strict=True))
            assert worst <= helpers.ulp(name, dtype)


def test_the_measure_sees_an_error_of_one_place() -> None:
    true = exact("exp", 1.0)
    near = np.float32(float(true))
    assert error_in_ulp(near, true, "f32") <= 0.5
    assert error_in_ulp(np.nextafter(near, np.float32(9)), true, "f32") > 0.5
    assert error_in_ulp(np.inf, true, "f32") > 1e6
    assert error_in_ulp(np.nan, true, "f32") == float("inf")
