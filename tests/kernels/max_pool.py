"""The largest value of each window of a picture."""

import numpy as np

from tl2hip import Tensor, dims, f32, kernel

H, W = dims("H W")


@kernel
def max_pool(x: Tensor[f32, H, W], y: Tensor[f32, H // 2, W // 2]) -> None:
    """Windows of two by two, side by side; what is left over at the edges is dropped."""
    for i in range(H // 2):
        for j in range(W // 2):
            y[i, j] = np.max(x[2 * i : 2 * i + 2, 2 * j : 2 * j + 2])
