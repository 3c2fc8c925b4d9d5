"""Integer division, shifts, powers and casts: exactly NumPy's, all pairs for 8 bits."""

from __future__ import annotations

import numpy as np
import pytest

from tests.hip.math.library import NUMPY, Library
from tl2hip.hip.math.table import INTS, REALS


def values(dtype: str) -> np.ndarray:
    """All values of 8 bits; edges, small and random ones of more."""
    kind = np.dtype(NUMPY[INTS[dtype]])
    info = np.iinfo(kind)
    if kind.itemsize == 1:
        return np.arange(info.min, info.max + 1).astype(kind)
    edges = [info.min, info.min + 1, info.max - 1, info.max, *range(max(info.min, -9), 10)]
    edges += [kind.itemsize * 8 + d for d in (-1, 0, 1)]
    random = np.random.default_rng(9).integers(info.min, info.max, 60, kind, endpoint=True)
    return np.concatenate([np.array(edges, kind), random, (random >> (kind.itemsize * 4)).astype(kind)])


def pairs(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.meshgrid(values(dtype), values(dtype))
    return x.ravel(), y.ravel()


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize(
    "name,numpy",
    [("floordiv", np.floor_divide), ("mod", np.remainder), ("shl", np.left_shift), ("shr", np.right_shift)],
)
def test_as_numpy(library: Library, name: str, numpy: np.ufunc, dtype: str) -> None:
    """NumPy gives 0 for a zero divisor and wraps at the least value // -1."""
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        want = numpy(x, y)
    assert np.array_equal(library(f"{name}_{dtype}", x, y), want)


@pytest.mark.parametrize("dtype", INTS)
def test_power(library: Library, dtype: str) -> None:
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        want = np.where(y < 0, 0, x ** abs(np.where(y < 0, 0, y)).astype(x.dtype)).astype(x.dtype)
    assert np.array_equal(library(f"ipow_{dtype}", x, y), want)
    assert library(f"ipow_{dtype}", np.array([3]), np.array([4]))[0] == 81


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("dtype", [dtype for dtype in INTS if dtype != "u32"])
def test_cast(library: Library, real: str, dtype: str) -> None:
    """Truncated, held within 64 bits, wrapped to the type; NaN gives 0."""
    kind = np.dtype(NUMPY[INTS[dtype]])
    rng = np.random.default_rng(8)
    edges = [2.0**k + d for k in (7, 8, 15, 16, 31, 32, 62, 63, 64, 100) for d in (-1, -0.5, 0, 0.5, 1)]
    some = [0.0, 0.3, 0.99, 1e30, np.inf, np.nan, *edges, *rng.uniform(0, 300, 50), *2.0 ** rng.uniform(0, 70, 200)]
    x = np.array(some + [-v for v in some], NUMPY[REALS[real]])
    whole = [0 if np.isnan(v) else int(max(min(v, 2.0**64), -(2.0**64))) for v in x]
    held = np.array([max(min(w, 2**63 - 1), -(2**63)) for w in whole], np.int64)
    assert np.array_equal(library(f"cast_{real}_{dtype}", x), held.astype(kind))
