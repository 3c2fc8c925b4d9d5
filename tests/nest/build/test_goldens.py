"""The golden kernels all build, and their shown nests run as the kernels do."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.nest.build.helpers import shown_function
from tl2hip import api
from tl2hip.nest.ir import Array, Nest

GOLDEN = Path(__file__).parents[3] / "golden"
KERNELS = sorted(p.parent.name for p in GOLDEN.glob("*/kernel.py") if p.parent.name != "gemm_article")
SIZES = (3, 5, 4, 6, 7, 2, 8)


def built(name: str) -> Nest:
    done = api.convert(api.source_of(GOLDEN / name / "kernel.py"), stop_after="nest")
    nest = done.kernels[0].nest
    assert nest is not None and not done.errors
    return nest


def extent(e: Any, sizes: dict[str, int]) -> int:
    from tl2hip.nest.ir import Binary, Const, Dim

    match e:
        case Const(value=value):
            return int(value)
        case Dim(name=name):
            return sizes[name]
        case Binary(op="+", left=a, right=b):
            return extent(a, sizes) + extent(b, sizes)
    raise AssertionError(e)


def argument(array: Array, sizes: dict[str, int], seed: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    shape = tuple(extent(e, sizes) for e in array.shape)
    if array.dtype.is_int:
        return np.sort(draw.integers(0, 3, shape).astype(array.dtype.numpy))
    return draw.uniform(0.1, 0.9, shape).astype(array.dtype.numpy)


@pytest.mark.parametrize("name", KERNELS)
def test_goldens_build_and_run(name: str) -> None:
    nest = built(name)
    sizes = dict(zip(nest.dims, SIZES, strict=False))
    if name == "transpose":
        sizes |= {"B_0": sizes["A_1"], "B_1": sizes["A_0"]}
    if name == "paged_gather":
        sizes |= {"T": 5, "L": 2, "PAGE": 3}
    scalars = {s.name: np.float32(0.25) if s.dtype.is_float else 3 for s in nest.scalars}
    given = [scalars[n] if n in scalars else argument(nest.array(n), sizes, k) for k, n in enumerate(nest.order)]
    spec = importlib.util.spec_from_file_location(f"golden_{name}", GOLDEN / name / "kernel.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    mine, theirs = (
        [np.copy(a) if np.ndim(a) else a for a in given],
        [np.copy(a) if np.ndim(a) else a for a in given],
    )
    expected = getattr(module, nest.name)(*theirs)
    got = shown_function(nest)(*mine)
    for a, b in [*zip(mine, theirs, strict=True), (got, expected)]:
        if b is None:
            continue
        # math functions are held in f32, so the last bits may differ
        tolerance = 2e-3 if np.asarray(b).dtype == np.float16 else 1e-5
        assert np.allclose(np.asarray(a, np.float64), np.asarray(b, np.float64), rtol=tolerance, atol=tolerance)
