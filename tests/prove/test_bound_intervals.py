"""Errors pass through operations soundly: no point within the inputs' bounds leaves the output's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tl2hip.nest.ir import FUNCTIONS
from tl2hip.nest.run.arithmetic import BINARY, CALLS, TESTS
from tl2hip.prove.interval import binary, call

Values = NDArray[Any]
FLOAT_OPS = ["+", "-", "*", "/", "//", "%", "**", "min", "max", "minimum", "maximum", "fmin", "fmax"]
POINTS = 400


def centers(random: np.random.Generator) -> Values:
    """Values of all sizes, some of them special."""
    v = random.standard_normal(POINTS) * 10.0 ** random.integers(-3, 3, POINTS)
    places = random.integers(0, POINTS, 24)
    v[places] = random.choice([0.0, 1.0, -1.0, 2.0, -3.0, np.inf, -np.inf, np.nan], 24)
    return v


def errors(random: np.random.Generator, v: Values) -> Values:
    """Bounds from none to larger than the value; special values have none."""
    e = np.abs(np.where(np.isfinite(v), v, 0)) * 10.0 ** random.uniform(-9, 0.5, POINTS)
    return np.where(np.isfinite(v) & (random.random(POINTS) < 0.8), e, 0.0)


def inside(random: np.random.Generator, v: Values, e: Values) -> Values:
    """Some point of each interval, its ends among them, and whole numbers between them."""
    t = random.choice([-1.0, 1.0, 0.0, 0.5], POINTS) * random.choice([1.0, random.random()], POINTS)
    some = np.where(e > 0, v + t * e, v)
    whole = (np.abs(np.rint(v) - v) <= e) & (random.random(POINTS) < 0.3)
    return np.where(whole, np.rint(v), some)


def check(center: Values, error: Values, found: Values, *inputs: Values) -> None:
    """Every result lies in its interval, up to the roundings of these f64 evaluations, inputs included."""
    with np.errstate(all="ignore"):
        gap = np.abs(found - center)
        size = np.abs(center) + sum(np.abs(x) for x in inputs)
        near = gap <= error * (1 + 1e-9) + 1e-12 * np.abs(size) + 1e-300
    same = (found == center) | (np.isnan(found) & np.isnan(center))
    assert (near | same | np.isinf(error)).all(), np.flatnonzero(~(near | same | np.isinf(error)))


@pytest.mark.parametrize("op", FLOAT_OPS)
@pytest.mark.parametrize("seed", range(4))
def test_binary(op: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = centers(random), centers(random)
    ea, eb = errors(random, a), errors(random, b)
    with np.errstate(all="ignore"):
        center, error = binary(op, (a, ea), (b, eb))
        for _ in range(20):
            exact = (a, b) if op == "%" else ()
            check(center, error, BINARY[op](inside(random, a, ea), inside(random, b, eb)), *exact)
    assert np.isfinite(error).mean() > 0.2
    assert (error[(ea + eb == 0) & np.isfinite(center)] == 0).all()


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - TESTS))
@pytest.mark.parametrize("seed", range(3))
def test_functions(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = []
    for _ in range(FUNCTIONS[name]):
        v = centers(random)
        if name in ("asin", "acos"):
            v = np.clip(v, -1.5, 1.5)
        if name in ("log", "log2", "log10", "sqrt", "rsqrt"):
            v = np.where(random.random(POINTS) < 0.8, np.abs(v), v)
        pairs.append((v, errors(random, v)))
    with np.errstate(all="ignore"):
        center, error = call(name, pairs)
        for _ in range(20):
            exact = tuple(v for v, _ in pairs) if name == "fmod" else ()
            check(center, error, CALLS[name](*(inside(random, v, e) for v, e in pairs)), *exact)
    assert np.isfinite(error).mean() > 0.2


def test_a_power_that_is_nan_at_the_ends_alone_is_not_known() -> None:
    """(-2.5) ** 2.9 and (-2.5) ** 3.1 are NaN, and (-2.5) ** 3 is not; nan ** 0 and 1 ** nan are 1."""
    cases = (
        ((-2.5, 0.0), (3.0, 1e-6), False),
        ((-2.5, 0.0), (2.9, 0.2), False),
        ((-2.5, 0.1), (2.5, 0.2), True),
        ((-2.5, 0.0), (3.0, 0.0), True),
        ((np.nan, 0.0), (1e-9, 1e-8), False),
        ((np.nan, 0.0), (0.5, 0.1), True),
        ((1 + 1e-9, 1e-8), (np.nan, 0.0), False),
        ((1.5, 0.1), (np.nan, 0.0), True),
    )
    with np.errstate(all="ignore"):
        for base, exponent, known in cases:
            (a, ea), (b, eb) = (tuple(np.array([x]) for x in pair) for pair in (base, exponent))
            for _, error in (binary("**", (a, ea), (b, eb)), call("pow", [(a, ea), (b, eb)])):
                assert np.isfinite(error[0]) == known, (base, exponent)


def test_bounds_are_sharp_where_functions_are_smooth() -> None:
    one, small = np.array([1.0]), np.array([1e-6])
    for name, slope in (
        ("exp", np.e),
        ("log", 1.0),
        ("sqrt", 0.5),
        ("tanh", 0.42),
        ("rsqrt", 0.5),
        ("sin", 1.0),
    ):
        assert call(name, [(one, small)])[1][0] < 1.01 * slope * 1e-6 + 1e-15
    assert binary("*", (one * 3, small), (one * 5, small))[1][0] < 8.1e-6
    assert binary("max", (one * 3, small), (one * 5, small * 2))[1][0] < 2.1e-6
