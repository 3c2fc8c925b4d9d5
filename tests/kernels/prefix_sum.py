"""Running sums along rows."""

from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def prefix_sum(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    """y[i, j] is the sum of x[i, 0] to x[i, j]."""
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += x[i, j]
            y[i, j] = s
