"""Rows put where an index says, each to a place of its own."""

from tl2hip import Tensor, dims, distinct, f32, i32, kernel

M, N, R = dims("M N R")


@kernel
def scatter_rows(x: Tensor[f32, M, N], place: Tensor[i32, M], y: Tensor[f32, R, N]) -> None:
    """y[place[i]] = x[i]; rows of y that are not named keep their value."""
    assert distinct(place)
    for i in range(M):
        for j in range(N):
            y[place[i], j] = x[i, j]
