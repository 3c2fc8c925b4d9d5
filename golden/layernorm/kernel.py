"""Layer normalisation, a row at a time."""

import numpy as np

from tl2hip import Tensor, dims, f32, kernel

T, D = dims("T D")


@kernel
def layernorm(
    X: Tensor[f32, T, D], weight: Tensor[f32, D], bias: Tensor[f32, D], Y: Tensor[f32, T, D], eps: f32
) -> None:
    """Each row of X less its mean, over its standard deviation, times weight, plus bias."""
    for t in range(T):
        mean = X[t, :].mean()
        centred = X[t, :] - mean
        variance = (centred * centred).mean()
        Y[t, :] = centred / np.sqrt(variance + eps) * weight + bias
