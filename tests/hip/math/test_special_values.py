"""Zeros of either sign, infinities, NaN and subnormal numbers: as NumPy, sign for sign."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.hip.math.library import Library

REAL = {"f32": np.float32, "f64": np.float64}

ONE: dict[str, Callable[..., np.ndarray]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf),
    "erfc": np.vectorize(math.erfc),
    "cbrt": np.cbrt,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}

EXACTLY_ONE: dict[str, Callable[..., np.ndarray]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "sqrt": np.sqrt,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
}

EXACTLY_TWO: dict[str, Callable[..., np.ndarray]] = {
    "copysign": np.copysign,
    "fmod": np.fmod,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
}


def specials(dtype: str) -> np.ndarray:
    kind = np.finfo(REAL[dtype])
    values = [0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 8.0, 100.0, 1e10, 2.0**53, np.inf]
    values += [kind.max, kind.tiny, kind.smallest_subnormal, kind.tiny / 2, kind.eps, 1 - kind.epsneg, 1 + kind.eps]
    return np.array(values + [-v for v in values] + [np.nan], REAL[dtype])


def same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Equal bit for bit, any NaN like any other."""
    return (np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))


def alike(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Equal if special (zero, infinity, NaN), close otherwise."""
    special = ~np.isfinite(want) | (want == 0)
    close = np.isclose(got, want, rtol=4e-7, atol=8 * np.finfo(got.dtype).smallest_subnormal)
    return np.where(special, same(got, want.astype(got.dtype)), close & (np.signbit(got) == np.signbit(want)))


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ONE)
def test_one_argument(library: Library, name: str, dtype: str) -> None:
    x = specials(dtype)
    with np.errstate(all="ignore"):
        want = ONE[name](x.astype(np.float64)).astype(REAL[dtype])
    got = library(f"{name}_{dtype}", x)
    assert alike(got, want).all(), [*zip(x, got, want, strict=True)]


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name,numpy", [("pow", np.power), ("atan2", np.arctan2), ("hypot", np.hypot)])
def test_two_arguments(library: Library, name: str, numpy: Callable[..., np.ndarray], dtype: str) -> None:
    x, y = (a.ravel() for a in np.meshgrid(specials(dtype), specials(dtype)))
    with np.errstate(all="ignore"):
        want = numpy(x.astype(np.float64), y.astype(np.float64)).astype(REAL[dtype])
    got = library(f"{name}_{dtype}", x, y)
    wrong = ~alike(got, want)
    assert not wrong.any(), [*zip(x[wrong], y[wrong], got[wrong], want[wrong], strict=True)][:10]


def bit_patterns(dtype: str, count: int, seed: int) -> np.ndarray:
    kind = np.uint32 if dtype == "f32" else np.uint64
    bits = np.random.default_rng(seed).integers(0, np.iinfo(kind).max, count, kind, endpoint=True)
    return bits.view(REAL[dtype])


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", EXACTLY_ONE)
def test_exact_with_one_argument(library: Library, name: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    x = np.concatenate([specials(dtype), bit_patterns(dtype, 2000, 1)])
    x = np.concatenate([x, (rng.integers(-50, 50, 500) / 2).astype(REAL[dtype])])
    with np.errstate(all="ignore"):
        want = EXACTLY_ONE[name](x)
    got = library(f"{name}_{dtype}", x)
    assert (got == want).all() if want.dtype == bool else same(got, want).all()


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", EXACTLY_TWO)
def test_exact_with_two_arguments(library: Library, name: str, dtype: str) -> None:
    rng = np.random.default_rng(2)
    x, y = (a.ravel() for a in np.meshgrid(specials(dtype), specials(dtype)))
    near = (rng.integers(-40, 40, (2, 3000)) / 8).astype(REAL[dtype])
    plain = rng.normal(0, 10, (2, 3000)).astype(REAL[dtype])
    x = np.concatenate([x, bit_patterns(dtype, 5000, 3), near[0], plain[0], plain[0] * 1000])
    y = np.concatenate([y, bit_patterns(dtype, 5000, 4), near[1], plain[1], plain[1]])
    with np.errstate(all="ignore"):
        want = EXACTLY_TWO[name](x, y)
    got = library(f"{name}_{dtype}", x, y)
    wrong = ~same(got, want)
    assert not wrong.any(), [*zip(x[wrong], y[wrong], got[wrong], want[wrong], strict=True)][:10]


@pytest.mark.parametrize("dtype", REAL)
def test_powers_of_whole_numbers_are_exact(library: Library, dtype: str) -> None:
    base, power = (a.ravel().astype(REAL[dtype]) for a in np.meshgrid(np.arange(-9, 10), np.arange(0, 8)))
    assert np.array_equal(library(f"pow_{dtype}", base, power), base**power)
    whole = np.arange(-20, 60).astype(REAL[dtype])
    assert np.array_equal(library(f"exp2_{dtype}", whole), np.ldexp(REAL[dtype](1), np.arange(-20, 60)))
    assert np.array_equal(library(f"log2_{dtype}", np.exp2(whole)), whole)
    assert np.array_equal(library(f"log10_{dtype}", 10.0 ** np.arange(0, 11)), np.arange(0, 11))
