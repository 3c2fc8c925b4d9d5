"""Softmax of each row, in the usual three loops."""

import math

from tl2hip import Tensor, Tile, dims, f32, kernel

M, N = dims("M N")


@kernel
def softmax(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    """Each row of Y is softmax(row of X); the row's maximum is taken out first."""
    i: Tile[int, 1]
    for i in range(M):
        m = f32(-math.inf)
        for j in range(N):
            m = max(m, X[i, j])
        total = f32(0)
        for j in range(N):
            Y[i, j] = math.exp(X[i, j] - m)
            total += Y[i, j]
        for j in range(N):
            Y[i, j] /= total
