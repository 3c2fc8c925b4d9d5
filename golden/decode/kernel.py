"""Attention of one new token of each sequence over its cached keys and values, which lie in pages."""

import math

import numpy as np

from tl2hip import Tensor, dims, f16, f32, i32, kernel

B, P, W = dims("B P W")


@kernel
def decode(
    q: Tensor[f16, B, 16, 128],
    keys: Tensor[f16, P, 16, 2, 128],
    values: Tensor[f16, P, 16, 2, 128],
    table: Tensor[i32, B, W],
    lengths: Tensor[i32, B],
    out: Tensor[f16, B, 16, 128],
) -> None:
    """A page has 16 tokens, of 2 heads each; 8 query heads share one of these."""
    scale = f32(1 / math.sqrt(128))
    for b in range(B):
        n = lengths[b]
        for h in range(16):
            scores = np.empty(W * 16, dtype=np.float32)
            for j in range(n):
                page = table[b, j // 16]
                s = f32(0)
                for d in range(128):
                    s += f32(q[b, h, d]) * f32(keys[page, j % 16, h // 8, d])
                scores[j] = s * scale
            most = f32(-math.inf)
            for j in range(n):
                most = max(most, scores[j])
            total = f32(0)
            for j in range(n):
                total += np.exp(scores[j] - most)
            for d in range(128):
                o = f32(0)
                for j in range(n):
                    page = table[b, j // 16]
                    o += np.exp(scores[j] - most) * f32(values[page, j % 16, h // 8, d])
                out[b, h, d] = f16(o / total)
