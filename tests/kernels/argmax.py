"""The largest value of each row and where it stands."""

import math

from tl2hip import Tensor, dims, f32, i32, kernel

M, N = dims("M N")


@kernel
def argmax(X: Tensor[f32, M, N], value: Tensor[f32, M], index: Tensor[i32, M]) -> None:
    """The first of the largest elements of each row: its value and its column."""
    for i in range(M):
        best = f32(-math.inf)
        where = 0
        for j in range(N):
            if X[i, j] > best:
                best = X[i, j]
                where = j
        value[i] = best
        index[i] = where
