"""Attention by tiles of keys, with an online softmax."""

import math

import numpy as np

from tl2hip import Tensor, dims, f16, f32, kernel, tile

H, S, T = dims("H S T")


@kernel
def attention_tiles(
    Q: Tensor[f16, H, S, 128],
    K: Tensor[f16, H, T, 128],
    V: Tensor[f16, H, T, 128],
    out: Tensor[f16, H, S, 128],
    scale: f32,
) -> None:
    """out = softmax(scale * Q @ K.T) @ V for each head; maximum, total and output go from tile to tile."""
    for h in range(H):
        for i in tile.range(S, 64):
            d = tile.all(128)
            m = tile.full(i, value=-math.inf, dtype=f32)
            total = tile.zeros(i, dtype=f32)
            acc = tile.zeros(i, d, dtype=f32)
            for j in tile.range(T, 32):
                s = tile.dot(Q[h, i, d], K[h, j, d]) * scale
                new = np.maximum(m, s.max(axis=1))
                p = np.exp(s - new)
                before = np.exp(m - new)
                total = total * before + p.sum(axis=1)
                acc = acc * before + tile.dot(f16(p), V[h, j, d])
                m = new
            out[h, i, d] = f16(acc / total)
