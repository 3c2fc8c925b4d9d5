"""Fills that are overwritten whole go, all others stay."""

from __future__ import annotations

import pytest

from tl2hip import api
from tl2hip.nest.ir import Const, Store
from tl2hip.nest.walk import all_stmts
from tl2hip.source.span import Source

HEAD = """
import numpy as np
from numpy.typing import NDArray
from tl2hip import Tensor, dims, f32, kernel
M, N, K = dims("M N K")
@kernel
def f(A: Tensor[f32, M, K], B: Tensor[f32, K, N]) -> NDArray[np.float32]:
    C = np.zeros((M, N), dtype=np.float32)
"""

PRODUCT = """
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += A[i, k] * B[k, j]
            C[i, j] = s
    return C
"""


def fills(text: str) -> int:
    """How many stores of zeros a kernel has."""
    done = api.convert(Source("k.py", HEAD + text))
    assert not done.errors, done.told
    nest = done.kernels[0].nest
    assert nest is not None
    return sum(isinstance(s, Store) and isinstance(s.value, Const) for s in all_stmts(nest.body))


def test_an_overwritten_fill_goes() -> None:
    assert fills(PRODUCT) == 0


@pytest.mark.parametrize(
    ("right", "other"),
    [
        ("C[i, j] = s", "C[i, j] += s"),
        ("for j in range(N)", "for j in range(1, N)"),
        ("for j in range(N)", "for j in range(N - 1)"),
        ("for j in range(N)", "for j in range(0, N, 2)"),
        ("            C[i, j] = s", "            if s > 0:\n                C[i, j] = s"),
        ("C[i, j] = s", "C[i, 0] = s"),
        ("C[i, j] = s", "C[i, j] = s + C[i, 0]"),
    ],
)
def test_a_fill_that_shows_stays(right: str, other: str) -> None:
    assert right in PRODUCT
    assert fills(PRODUCT.replace(right, other)) == 1
