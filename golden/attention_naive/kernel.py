"""Attention in three passes over the scores, in plain loops."""

import math

import numpy as np

from tl2hip import Tensor, dims, f16, f32, kernel

H, S, T = dims("H S T")


@kernel
def attention_naive(
    Q: Tensor[f16, H, S, 128],
    K: Tensor[f16, H, T, 128],
    V: Tensor[f16, H, T, 128],
    out: Tensor[f16, H, S, 128],
    scale: f32,
) -> None:
    """out = softmax(scale * Q @ K.T) @ V for each head."""
    P = np.empty((H, S, T), dtype=np.float32)
    for h in range(H):
        for i in range(S):
            for j in range(T):
                s = f32(0)
                for d in range(128):
                    s += f32(Q[h, i, d]) * f32(K[h, j, d])
                P[h, i, j] = s * scale
            m = f32(-math.inf)
            for j in range(T):
                if P[h, i, j] > m:
                    m = P[h, i, j]
            total = f32(0)
            for j in range(T):
                total += np.exp(P[h, i, j] - m)
            for d in range(128):
                o = f32(0)
                for j in range(T):
                    o += f32(f16(np.exp(P[h, i, j] - m))) * f32(V[h, j, d])
                out[h, i, d] = f16(o / total)
