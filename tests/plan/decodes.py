"""Kernels that are decode attention, spelled as users do."""

import math

import numpy as np

from tl2hip import Tensor, bf16, dims, f16, f32, i32, i64, kernel

B, N, P, W, S = dims("B N P W S")


@kernel
def paged(
    q: Tensor[f16, B, 6, 64],
    k_cache: Tensor[f16, P, 16, 2, 64],
    v_cache: Tensor[f16, P, 16, 2, 64],
    table: Tensor[i32, B, W],
    lengths: Tensor[i32, B],
    out: Tensor[f16, B, 6, 64],
) -> None:
    """Pages of 16 keys; three heads share keys."""
    for b in range(B):
        n = lengths[b]
        for h in range(6):
            scores = np.zeros(W * 16, dtype=np.float32)
            m = f32(-math.inf)
            for j in range(n):
                page = table[b, j // 16]
                s = f32(0)
                for d in range(64):
                    s += f32(q[b, h, d]) * f32(k_cache[page, j % 16, h // 3, d])
                scores[j] = s / f32(8)
                m = max(m, scores[j])
            total = f32(0)
            for j in range(n):
                total += np.exp(scores[j] - m)
            for d in range(64):
                acc = f32(0)
                for j in range(n):
                    page = table[b, j // 16]
                    acc += np.exp(scores[j] - m) * f32(v_cache[page, j % 16, h // 3, d])
                out[b, h, d] = f16(acc / total)


@kernel
def contiguous(
    q: Tensor[bf16, B, 2, 32],
    K: Tensor[bf16, B, N, 2, 32],
    V: Tensor[bf16, B, N, 2, 96],
    out: Tensor[f32, B, 2, 96],
    lse: Tensor[f32, B, 2],
    scale: f32,
) -> None:
    """A head with keys of its own; the logarithm of the total goes out too; weights are stored and divided."""
    for b in range(B):
        for h in range(2):
            p = np.empty(N, dtype=np.float32)
            for j in range(N):
                s = f32(0)
                for d in range(32):
                    s += f32(q[b, h, d]) * f32(K[b, j, h, d])
                p[j] = s * scale
            m = f32(-math.inf)
            for j in range(N):
                if p[j] > m:
                    m = p[j]
            total = f32(0)
            for j in range(N):
                p[j] = np.exp(p[j] - m)
                total += p[j]
            lse[b, h] = m + np.log(total)
            for j in range(N):
                p[j] = p[j] / total
            for e in range(96):
                acc = f32(0)
                for j in range(N):
                    acc += p[j] * f32(V[b, j, h, e])
                out[b, h, e] = acc


@kernel
def windowed(
    q: Tensor[f16, B, 20, 32],
    K: Tensor[f16, B, N, 32],
    V: Tensor[f16, B, N, 32],
    lengths: Tensor[i64, B],
    slope: Tensor[f32, 20],
    sink: Tensor[f32, 20],
    out: Tensor[f32, B, 20, 32],
) -> None:
    """All heads share keys, of which the last 24 count; a bias by distance, a sink in the total, weights
    rounded to f16."""
    for b in range(B):
        for h in range(20):
            n = lengths[b]
            p = np.empty(N, dtype=np.float32)
            for j in range(max(0, n - 24), n):
                s = f32(0)
                for d in range(32):
                    s += f32(q[b, h, d]) * f32(K[b, j, d])
                p[j] = s * f32(0.25) - slope[h] * f32(n - 1 - j)
            m = f32(-math.inf)
            for j in range(max(0, n - 24), n):
                m = max(m, p[j])
            total = f32(0)
            for j in range(max(0, n - 24), n):
                total += np.exp(p[j] - m)
            total = total + np.exp(sink[h] - m)
            for e in range(32):
                acc = f32(0)
                for j in range(max(0, n - 24), n):
                    acc += f32(f16(np.exp(p[j] - m))) * f32(V[b, j, e])
                out[b, h, e] = acc / total


@kernel
def any_page(
    q: Tensor[f16, B, 10, 32],
    k_cache: Tensor[f16, P, S, 2, 32],
    v_cache: Tensor[f16, P, S, 2, 64],
    table: Tensor[i64, B, W],
    lengths: Tensor[i32, B],
    out: Tensor[f32, B, 10, 64],
) -> None:
    """Pages of a size that is known at run time; five heads share keys; a mask by a choice."""
    for b in range(B):
        for h in range(10):
            p = np.empty(W * S, dtype=np.float32)
            for j in range(lengths[b]):
                s = f32(0)
                for d in range(32):
                    s += f32(q[b, h, d]) * f32(k_cache[table[b, j // S], j % S, h // 5, d])
                p[j] = s if j % 3 != 1 else f32(-math.inf)
            m = f32(-math.inf)
            for j in range(lengths[b]):
                m = max(m, p[j])
            total = f32(0)
            for j in range(lengths[b]):
                total += np.exp(p[j] - m)
            for e in range(64):
                acc = f32(0)
                for j in range(lengths[b]):
                    acc += np.exp(p[j] - m) * f32(v_cache[table[b, j // S], j % S, h // 5, e])
                out[b, h, e] = acc / total


@kernel
def running(
    q: Tensor[f16, B, 4, 64],
    k_cache: Tensor[f16, P, 16, 2, 64],
    v_cache: Tensor[f16, P, 16, 2, 64],
    table: Tensor[i32, B, W],
    lengths: Tensor[i32, B],
    out: Tensor[f32, B, 4, 64],
) -> None:
    """One pass over pages with a running maximum, total and sums."""
    for b in range(B):
        n = lengths[b]
        for h in range(4):
            m = f32(-math.inf)
            total = f32(0)
            acc = np.zeros(64, dtype=np.float32)
            for j in range(n):
                page = table[b, j // 16]
                s = f32(0)
                for d in range(64):
                    s += f32(q[b, h, d]) * f32(k_cache[page, j % 16, h // 2, d])
                s = s * f32(0.25)
                new = max(m, s)
                old = np.exp(m - new)
                p = np.exp(s - new)
                total = total * old + p
                for d in range(64):
                    acc[d] = acc[d] * old + p * f32(v_cache[page, j % 16, h // 2, d])
                m = new
            for d in range(64):
                out[b, h, d] = acc[d] / total


@kernel
def opening(
    q: Tensor[f16, B, 4, 32],
    K: Tensor[f16, B, N, 32],
    V: Tensor[f16, B, N, 32],
    lengths: Tensor[i32, B],
    ahead: Tensor[i32, B],
    out: Tensor[f32, B, 4, 32],
) -> None:
    """One pass over cached keys, of which the first `ahead` count for nothing: with any, the running maximum is
    -inf at the first key, and Python gives NaN."""
    for b in range(B):
        for h in range(4):
            m = f32(-math.inf)
            total = f32(0)
            acc = np.zeros(32, dtype=np.float32)
            for j in range(lengths[b]):
                s = f32(0)
                for d in range(32):
                    s += f32(q[b, h, d]) * f32(K[b, j, d])
                s = s if j >= ahead[b] else f32(-math.inf)
                new = max(m, s)
                old = np.exp(m - new)
                p = np.exp(s - new)
                total = total * old + p
                for d in range(32):
                    acc[d] = acc[d] * old + p * f32(V[b, j, d])
                m = new
            for d in range(32):
                out[b, h, d] = acc[d] / total
