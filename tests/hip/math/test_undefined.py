"""No helper does what C++ leaves undefined (overflow, shifts, casts out of range), whatever it is given."""

from __future__ import annotations

import ctypes
import faulthandler
import os

import numpy as np
import pytest

from tests.hip.math.library import NUMPY, Library
from tl2hip.hip.math.table import ROWS

TRAP = ("-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all", "-O1")

PLANTED = """
extern "C" void run_planted(long, int* out) { *out = *out * 65536; }
extern "C" void run_planted_cast(long, float* out) { *out = (float)(int)*out; }
"""


@pytest.fixture(scope="module")
def trapping(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("trapping"), *TRAP, more=PLANTED)


def edges(kind: str) -> np.ndarray:
    """Extreme, small, special and random values of a C type."""
    dtype = np.dtype(NUMPY[kind])
    rng = np.random.default_rng(12)
    if dtype.kind == "f":
        real = np.finfo(dtype)
        some = [0, 0.1, 0.5, 1, 1.5, 3, 100, 1e5, 3e8, 3e9, 1e19, 1e30, np.inf, np.nan]
        some += [real.max, real.tiny, real.smallest_subnormal]
        bits = np.dtype(f"u{dtype.itemsize}")
        random = rng.integers(0, np.iinfo(bits).max, 60, bits, endpoint=True).view(dtype)
        return np.concatenate([np.array(some + [-v for v in some], dtype), random])
    whole = np.iinfo(dtype)
    few = [whole.min, whole.min + 1, whole.max, *range(max(whole.min, -3), 9), 15, 16, 17, 31, 32, 33, 63, 64, 65]
    return np.concatenate([np.array(few, dtype), rng.integers(whole.min, whole.max, 30, dtype, endpoint=True)])


def survives(work: object) -> bool:
    """Whether calling `work` in a child process ends well; a trap kills the child only."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        work()  # type: ignore[operator]
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def test_nothing_undefined_happens(trapping: Library) -> None:
    for symbol, (_, parameters) in trapping.types.items():
        if ROWS[symbol].name == symbol:  # a shared part, which its callers keep in range
            continue
        grid = np.meshgrid(*(edges(kind) for kind in parameters))
        assert survives(lambda s=symbol, g=grid: trapping(s, *(a.ravel() for a in g))), symbol


def test_planted_faults_are_seen(trapping: Library) -> None:
    overflow = ctypes.byref(ctypes.c_int(1 << 20))
    cast = ctypes.byref(ctypes.c_float(1e20))
    assert not survives(lambda: trapping.shared.run_planted(ctypes.c_long(1), overflow))
    assert not survives(lambda: trapping.shared.run_planted_cast(ctypes.c_long(1), cast))
    assert survives(lambda: trapping.shared.run_planted(ctypes.c_long(1), ctypes.byref(ctypes.c_int(3))))
