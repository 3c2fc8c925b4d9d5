"""A matrix times a vector."""

from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def gemv(A: Tensor[f32, M, N], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    """y = A @ x."""
    for i in range(M):
        y[i] = 0
        for j in range(N):
            y[i] += A[i][j] * x[j]
