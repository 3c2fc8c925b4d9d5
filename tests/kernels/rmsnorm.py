"""Root-mean-square normalisation, a row at a time."""

import numpy as np

from tl2hip import Tensor, dims, f16, f32, kernel

T, D = dims("T D")


@kernel
def rmsnorm(X: Tensor[f16, T, D], weight: Tensor[f16, D], Y: Tensor[f16, T, D], eps: f32) -> None:
    """Each row of X over its root mean square, times weight; computed in f32."""
    for t in range(T):
        x = f32(X[t, :])
        scale = 1 / np.sqrt(np.mean(x * x) + eps)
        Y[t, :] = f16(x * scale * f32(weight))
