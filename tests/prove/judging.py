"""Reference results with their running bounds, and the verdict on what a kernel gave."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.nest import by_hand as h
from tl2hip.dtypes import F32, DType
from tl2hip.nest.ir import (
    Expr,
    Nest,
    Store,
)
from tl2hip.nest.run import run
from tl2hip.nest.run.arithmetic import numpy_type
from tl2hip.prove.bound import Reference, Verdict, compare, reference

Values = NDArray[Any]
LANES = 64


def chain(n: int) -> int:
    """The longest chain of the tree below over n terms."""
    return -(-n // LANES) + 6


@np.errstate(invalid="ignore")
def tree(x: Values, dtype: Any = np.float32) -> Values:
    """The sum over the last axis as a wave takes it: each lane its own part, then lanes in pairs."""
    n = x.shape[-1]
    steps = -(-n // LANES)
    padded = np.zeros((*x.shape[:-1], steps * LANES), dtype)
    padded[..., :n] = x
    parts = padded.reshape(*x.shape[:-1], steps, LANES)
    total = np.zeros((*x.shape[:-1], LANES), dtype)
    for k in range(steps):
        total = (total + parts[..., k, :]).astype(dtype)
    while total.shape[-1] > 1:
        half = total.shape[-1] // 2
        total = (total[..., :half] + total[..., half:]).astype(dtype)
    return total[..., 0]


def normal(seed: int, *shape: int, dtype: DType = F32) -> Values:
    return np.random.default_rng(seed).standard_normal(shape).astype(numpy_type(dtype))


def judged(
    nest: Nest,
    got: dict[str, Values] | Values,
    arrays: dict[str, Values],
    dims: dict[str, int],
    scalars: dict[str, Any] | None = None,
    **options: Any,
) -> Verdict:
    """The verdict on one output."""
    typed, references = both(nest, arrays, dims, scalars, **options)
    name, values = next(iter(got.items())) if isinstance(got, dict) else (next(iter(typed)), got)
    return compare(values, typed[name], references[name])


def both(
    nest: Nest,
    arrays: dict[str, Values],
    dims: dict[str, int],
    scalars: dict[str, Any] | None = None,
    **options: Any,
) -> tuple[dict[str, Values], dict[str, Reference]]:
    parallel = options.pop("parallel", ("i", "j"))
    typed = run(nest, arrays, scalars, dims, parallel=parallel)
    return typed, reference(nest, arrays, scalars, dims, parallel=parallel, **options)


def rows(seed: int, n: int, dtype: DType = F32) -> tuple[Values, dict[str, Values], dict[str, int]]:
    x = normal(seed, 16, n, dtype=dtype)
    return x, {"X": x, "y": np.zeros(16, x.dtype)}, {"M": 16, "N": n}


def elementwise(value: Expr, dtype: DType = F32, out: DType = F32) -> Nest:
    body = [h.loop("i", h.N, Store("z", (h.i,), value, True))]
    return h.nest(body, [h.array("x", dtype, h.N), h.array("z", out, h.N)], "N")


X = h.load("x", h.i)


def of(nest: Nest, x: Values) -> tuple[Values, Reference]:
    z = np.zeros(len(x), numpy_type(nest.array("z").dtype))
    typed, references = both(nest, {"x": x, "z": z}, {"N": len(x)}, parallel=("i",))
    return typed["z"], references["z"]
