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
def rope_of_neighbours(
    X: Tensor[bf16, M, H, N], cos: Tensor[f32, M, N // 2], sin: Tensor[f32, M, N // 2], Y: Tensor[bf16, M, H, N]
) -> None:
    for m in range(M):
        for h in range(H):
            for p in range(N // 2):
                a, b = f32(X[m, h, 2 * p]), f32(X[m, h, 2 * p + 1])
                Y[m, h, 2 * p] = bf16(a * cos[m, p] - b * sin[m, p])
                Y[m, h, 2 * p + 1] = bf16(b * cos[m, p] + a * sin[m, p])


@kernel
def rope_by_twos(X: Tensor[f16, M, 72], cos: Tensor[f32, M, 36], sin: Tensor[f32, M, 36]) -> None:
    for m in range(M):
        for i in range(0, 72, 2):
            a, b = f32(X[m, i]), f32(X[m, i + 1])
            X[m, i] = f16(a * cos[m, i // 2] - b * sin[m, i // 2])
            X[m, i + 1] = f16(a * sin[m, i // 2] + b * cos[m, i // 2])


@kernel
def rope_by_twos_of_any_row(X: Tensor[f32, M, N], cos: Tensor[f32, M, N // 2], sin: Tensor[f32, M, N // 2]) -> None:
    assert N % 2 == 0
    for m in range(M):
        for i in range(0, N, 2):
            c = cos[m, i // 2]
            s = sin[m, i // 2]
            a = X[m, i]
            b = X[m, i + 1]
            X[m, i] = a * c - b * s
            X[m, i + 1] = a * s + b * c


@kernel
def rope_of_complex(
    X: Tensor[bf16, M, H, 32, 2], turn: Tensor[f32, M, 32, 2], Y: Tensor[bf16, M, H, 32, 2]
) -> None:
    for m in range(M):
        for h in range(H):
            for p in range(32):
                a, b = f32(X[m, h, p, 0]), f32(X[m, h, p, 1])
                Y[m, h, p, 0] = bf16(a * turn[m, p, 0] - b * turn[m, p, 1])
                Y[m, h, p, 1] = bf16(a * turn[m, p, 1] + b * turn[m, p, 0])


@kernel
def gated_by_neighbours(X: Tensor[f16, M, 2 * N], Y: Tensor[f16, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            Y[i, j] = f16(f32(X[i, 2 * j]) * f32(X[i, 2 * j + 1]))


@kernel
def every_other(X: Tensor[f32, M, 2 * N], Y: Tensor[f32, M, 2 * N]) -> None:
    for i in range(M):
        for j in range(N):
            Y[i, 2 * j] = X[i, 2 * j] + Y[i, 2 * j + 1]


@kernel
def fours(X: Tensor[i8, M, 4 * N], Y: Tensor[i8, M, 4 * N]) -> None:
    for i in range(M):
        for j in range(N):
            Y[i, 4 * j] = X[i, 4 * j + 3]
            Y[i, 4 * j + 1] = X[i, 4 * j + 2]
            Y[i, 4 * j + 2] = X[i, 4 * j + 1]
            Y[i, 4 * j + 3] = X[i, 4 * j]


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
