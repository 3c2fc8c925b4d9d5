"""fp8 conversions equal ml_dtypes': every byte, every f16, and every tie between neighbours."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from tests.hip.math.library import Library

SMALL = {"f8e4m3": ml_dtypes.float8_e4m3fnuz, "f8e5m2": ml_dtypes.float8_e5m2fnuz}
BYTES = np.arange(256).astype(np.uint8)


def finite_values(name: str) -> np.ndarray:
    """Every finite value, in order."""
    wide = BYTES.view(SMALL[name]).astype(np.float64)
    return np.sort(wide[np.isfinite(wide)])


@pytest.mark.parametrize("name", SMALL)
def test_every_byte_to_float(library: Library, name: str) -> None:
    want = BYTES.view(SMALL[name]).astype(np.float32)
    got = library(f"{name}_to_f32", BYTES)
    assert np.array_equal(got, want, equal_nan=True)
    assert not np.signbit(got[0])


@pytest.mark.parametrize("name", SMALL)
def test_every_half_from_float(library: Library, name: str) -> None:
    x = np.arange(1 << 16).astype(np.uint16).view(np.float16).astype(np.float32)
    with np.errstate(all="ignore"):
        want = x.astype(SMALL[name]).view(np.uint8)
        double = x.astype(np.float64)
    assert np.array_equal(library(f"f32_to_{name}", x), want)
    assert np.array_equal(library(f"f64_to_{name}", double), want)


@pytest.mark.parametrize("name", SMALL)
def test_ties_and_their_neighbours(library: Library, name: str) -> None:
    """From f32 as ml_dtypes; from f64 to the nearest even, in exact arithmetic, rounded once."""
    finite = finite_values(name)
    middle = np.append((finite[1:] + finite[:-1]) / 2, finite[-1] + (finite[-1] - finite[-2]) / 2)
    single = middle.astype(np.float32)
    single = np.concatenate([single, np.nextafter(single, np.float32(9e9)), np.nextafter(single, np.float32(-9e9))])
    with np.errstate(all="ignore"):
        assert np.array_equal(library(f"f32_to_{name}", single), single.astype(SMALL[name]).view(np.uint8))
    double = np.concatenate([middle, np.nextafter(middle, 9e9), np.nextafter(middle, -9e9)])
    want = [nearest_even(name, v) for v in double]
    assert np.array_equal(library(f"f64_to_{name}", double), want)


def nearest_even(name: str, x: float) -> int:
    """The byte nearest x, ties to the even byte; 0x80 where a step past the largest is at least as near."""
    codes = list(range(129))
    exact = [Fraction(float(v)) for v in BYTES[:128].view(SMALL[name]).astype(np.float64)]
    exact.append(2 * exact[127] - exact[126])
    size = abs(Fraction(x))
    best = min(codes, key=lambda c: (abs(exact[c] - size), c % 2))
    return best if best == 0 or x > 0 or best == 128 else best | 0x80


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_special_values(library: Library, name: str, dtype: str) -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30, -1e-30])
    with np.errstate(all="ignore"):
        want = x.astype(SMALL[name]).view(np.uint8)
    assert np.array_equal(library(f"{dtype}_to_{name}", x), want)
    assert list(want[[0, 1, 2, 4, 8]]) == [0, 0, 0x80, 0x80, 0]
