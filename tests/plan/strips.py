"""Kernels over several axes whose rows are no one run over memory."""

import numpy as np

from tl2hip import Tensor, bf16, dims, distinct, f16, f32, i8, i32, i64, kernel

B, H, L, M, N, V = dims("B H L M N V")


@kernel
def biased(X: Tensor[bf16, M, N], b: Tensor[bf16, N], Y: Tensor[bf16, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            Y[i, j] = bf16(f32(X[i, j]) + f32(b[j]))


@kernel
def swiglu(X: Tensor[f16, M, 2 * N], Y: Tensor[f16, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            g = f32(X[i, j])
            Y[i, j] = f16(g / (f32(1) + np.exp(-g)) * f32(X[i, j + N]))


@kernel
def rope(Q: Tensor[f16, M, H, 64], cos: Tensor[f32, M, 32], sin: Tensor[f32, M, 32]) -> None:
    for m in range(M):
        for h in range(H):
            for i in range(32):
                a, b = f32(Q[m, h, i]), f32(Q[m, h, i + 32])
                Q[m, h, i] = f16(a * cos[m, i] - b * sin[m, i])
                Q[m, h, i + 32] = f16(b * cos[m, i] + a * sin[m, i])


@kernel
def dequantised(Q: Tensor[i8, M, N], s: Tensor[f32, M], Y: Tensor[bf16, M, N]) -> None:
    for i in range(M):
        scale = s[i]
        for j in range(N):
            Y[i, j] = bf16(f32(Q[i, j]) * scale)


@kernel
def heads(X: Tensor[bf16, B, L, H, 32], Y: Tensor[bf16, B, H, L, 32]) -> None:
    for b in range(B):
        for h in range(H):
            for i in range(L):
                for d in range(32):
                    Y[b, h, i, d] = X[b, i, h, d]


@kernel
def embedding(ids: Tensor[i64, M], W: Tensor[bf16, V, N], Y: Tensor[bf16, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            Y[i, j] = W[ids[i], j]


@kernel
def embedding_of_positions(
    ids: Tensor[i32, M], W: Tensor[f32, V, N], P: Tensor[f32, L, N], Y: Tensor[f16, M, N]
) -> None:
    for i in range(M):
        row = ids[i]
        for j in range(N):
            Y[i, j] = f16(W[row, j] + P[i % L, j])


@kernel
def written(slot: Tensor[i64, M], X: Tensor[f32, M, N], cache: Tensor[f32, V, N]) -> None:
    assert distinct(slot)
    for i in range(M):
        for j in range(N):
            cache[slot[i], j] = X[i, j]


@kernel
def masked(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            Y[i, j] = X[i, j] if j <= i else f32(-1)


@kernel
def from_first(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        first = X[i, N // 2]
        for j in range(N):
            Y[i, j] = X[i, j] - first


@kernel
def from_first_in_place(X: Tensor[f32, M, N]) -> None:
    for i in range(M):
        first = X[i, N // 2]
        for j in range(N):
            X[i, j] -= first


@kernel
def joined(a: Tensor[f32, M, N], b: Tensor[f32, M, N], out: Tensor[f32, M, 2 * N]) -> None:
    out[:, :N] = a
    out[:, N:] = b
