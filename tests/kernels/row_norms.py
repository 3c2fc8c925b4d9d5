"""The length of each row, as a new array; string annotations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tl2hip import Tensor, Tile, dims, f64, kernel, serial, tiled

M, N = dims("M N")


@kernel(math=f64)
def row_norms(x: Tensor[f64, M, N]) -> NDArray[np.float64]:
    """The Euclidean norm of each row."""
    j: Tile[int, serial]
    norms = np.zeros(M)
    for i in tiled(range(M), 64):
        for j in range(N - 1, -1, -1):
            norms[i] += x[i, j] * x[i, j]
        norms[i] = np.sqrt(norms[i])
    return norms
