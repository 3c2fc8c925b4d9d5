"""The running total of an array: a prefix sum."""

from tl2hip import Tensor, dims, f32, kernel

(N,) = dims("N")


@kernel
def prefix_sum(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        s += x[i]
        y[i] = s
