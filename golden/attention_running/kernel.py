"""Attention in one pass with a running maximum, in plain loops."""

import math

import numpy as np

from tl2hip import Tensor, dims, f16, f32, kernel

H, S, T = dims("H S T")


@kernel
def attention_running(
    Q: Tensor[f16, H, S, 128],
    K: Tensor[f16, H, T, 128],
    V: Tensor[f16, H, T, 128],
    out: Tensor[f16, H, S, 128],
    scale: f32,
) -> None:
    """out = softmax(scale * Q @ K.T) @ V for each head; what is summed so far follows the largest score."""
    for h in range(H):
        for i in range(S):
            m = f32(-math.inf)
            total = f32(0)
            acc = np.zeros(128, dtype=np.float32)
            for j in range(T):
                s = f32(0)
                for d in range(128):
                    s += f32(Q[h, i, d]) * f32(K[h, j, d])
                new = max(m, s * scale)
                p = np.exp(s * scale - new)
                before = np.exp(m - new)
                total = total * before + p
                for d in range(128):
                    acc[d] = acc[d] * before + f32(f16(p)) * f32(V[h, j, d])
                m = new
            for d in range(128):
                out[h, i, d] = f16(acc[d] / total)
