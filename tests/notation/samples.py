"""Kernels that use what the goldens do not, in loops and slices; type checkers read them, none runs."""

import math

import numpy as np
from numpy.typing import NDArray

from tl2hip import (
    Lds,
    Tensor,
    Tile,
    bf16,
    bool_,
    dims,
    distinct,
    f8e5m2,
    f16,
    f32,
    f64,
    i8,
    i32,
    kernel,
    lanes,
    lds,
    serial,
    stages,
    strides,
    tiled,
    u8,
    u32,
    unroll,
    vec,
    waves,
    xf32,
)

B, M, N, K, LD = dims("B M N K LD")
V = dims("V")
(P,) = dims("P")


@kernel
def every_mark(
    A: Tensor[f16, M, K, strides(LD, 1), lds(pad=8), vec(8)],
    X: Tensor[f16, K, N],
    C: Tensor[f32, M, N],
    *,
    block: int = 64,
) -> None:
    i: Tile[int, 128, waves(2), lanes(8), vec(2)]
    j: Tile[int, 64, unroll(4)]
    k: Tile[int, 32, stages(2), serial]
    for i in range(M):
        for j in tiled(range(N), block, waves(2)):
            s = f32(0)
            for k in range(K):
                a: Lds[f16] = A[i, k]
                s += f32(a) * f32(X[k, j])
            C[i, j] = max(s, 0)


@kernel(math=f64)
def rows(X: Tensor[bf16, :, :], bias: Tensor[f32, N], Y: Tensor[bf16, :, :], causal: bool) -> None:
    m, n = X.shape
    assert len(bias) == n and n % 4 == 0
    for i in range(m):
        x = f32(X[i, :]) + bias
        top = x.max()
        e = np.exp(x - top)
        if causal and i > 0:
            e = np.where(np.arange(n) <= i, e, 0)
        e /= e.sum(axis=-1, keepdims=True)
        Y[i, :] = bf16(e)


@kernel
def products(A: Tensor[f32, B, M, K], X: Tensor[f32, B, K, N], y: Tensor[f32, M]) -> NDArray[np.float32]:
    C = np.zeros((B, M, N), dtype=np.float32)
    for b in range(B):
        for i in range(M):
            C[b, i, :] = A[b, i, :] @ X[b]
            C[b, i, :] += np.einsum("k,kj->j", A[b, i], X[b]) * 0.5
            y[i] = np.dot(A[b, i, :i], A[b, i, :i]) + y[i]
    return C


def relu(x: f32, slope: float = 0.0) -> f32:
    return x if x > 0 else x * slope


@kernel
def mixed(
    x: Tensor[f32, N], q: Tensor[i8, N], mask: Tensor[bool_, N], where: Tensor[i32, N], out: Tensor[f8e5m2, V]
) -> None:
    assert distinct(where)
    best = -math.inf
    total = 0.0
    count = 0
    for p in range(N):
        if not mask[p] or math.isnan(x[p]):
            continue
        v = relu(f32(x[p])) ** 2 + f32(q[p]) / 3 - 1
        w = 2.0 - v
        best = max(best, v)
        total += v * w
        total = total + math.exp(-abs(v))
        count += 1
        bits = u32(q[p]) & 15 | (u32(q[p]) >> 4) << 2
        code = u8(bits) ^ u8(3)
        if 0 <= where[p] < V and code < 7:
            out[where[p]] = f8e5m2(v * float(total) / (count + int(code) % 5))


@kernel
def in_rows(X: Tensor[f32, M, N], Y: Tensor[f32, P]) -> None:
    for row in X:
        m = f32(-math.inf)
        for v in row:
            if v > m:
                m = v
        row[:] = row - m
    for p in range(P):
        Y[p] += p


@kernel
def ten_bits(A: Tensor[f32, M, K], X: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:
    k: Tile[int, xf32]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += A[i, k] * X[k, j]
            C[i, j] = s
