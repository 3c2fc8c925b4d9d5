"""A histogram of values from 0 up to 1."""

from tl2hip import Tensor, dims, f32, i32, kernel

N, BINS = dims("N BINS")


@kernel
def histogram(x: Tensor[f32, N], hist: Tensor[i32, BINS]) -> None:
    """Adds to hist how many of x fall into each bin; values outside are left out."""
    for i in range(N):
        bin = int(x[i] * BINS)
        if 0 <= bin < BINS:
            hist[bin] += 1
