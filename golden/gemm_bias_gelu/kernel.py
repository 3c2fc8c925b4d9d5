"""The first half of a feed-forward layer: product, bias and activation in one kernel."""

import math

from tl2hip import Tensor, Tile, dims, f16, f32, kernel, waves

T, D, H = dims("T D H")


@kernel
def gemm_bias_gelu(
    X: Tensor[f16, T, D], W: Tensor[f16, H, D], bias: Tensor[f32, H], Y: Tensor[f16, T, H]
) -> None:
    """Y = gelu(X @ W.T + bias), GELU by its tanh form."""
    t: Tile[int, 128, waves(2)]
    h: Tile[int, 128, waves(2)]
    d: Tile[int, 64]
    for t in range(T):
        for h in range(H):
            s = f32(0)
            for d in range(D):
                s += f32(X[t, d]) * f32(W[h, d])
            x = s + bias[h]
            inner = f32(0.7978846) * (x + f32(0.044715) * x * x * x)
            Y[t, h] = f16(f32(0.5) * x * (1 + math.tanh(inner)))
