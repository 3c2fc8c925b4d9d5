"""Kernels whose marks their plans honour: products with pads and stages, vectors, lanes and waves elsewhere."""

import numpy as np

from tl2hip import Tensor, Tile, bf16, dims, f16, f32, i8, i32, kernel, lanes, lds, stages, unroll, vec, waves

M, N, K, B = dims("M N K B")


@kernel
def padded(a: Tensor[f16, M, K, lds(pad=8)], b: Tensor[f16, N, K, lds()], c: Tensor[f32, M, N]) -> None:
    i: Tile[int, 64, waves(2)]
    j: Tile[int, 64, waves(2)]
    k: Tile[int, 32, stages(2)]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(a[i, k]) * f32(b[j, k])
            c[i, j] = s


@kernel
def padded_turned(
    a: Tensor[bf16, K, M, lds(pad=16)], b: Tensor[bf16, K, N, lds(pad=8)], c: Tensor[f32, M, N]
) -> None:
    i: Tile[int, 64, waves(2)]
    j: Tile[int, 64, waves(1)]
    k: Tile[int, 64, stages(3), unroll(2)]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(a[k, i]) * f32(b[k, j])
            c[i, j] = s


@kernel
def in_three_stages(a: Tensor[i8, M, K, vec(16)], b: Tensor[i8, N, K], c: Tensor[i32, M, N, vec(4)]) -> None:
    i: Tile[int, 32]
    j: Tile[int, 32]
    k: Tile[int, 64, stages(3)]
    for i in range(M):
        for j in range(N):
            s = i32(0)
            for k in range(K):
                s += i32(a[i, k]) * i32(b[j, k])
            c[i, j] = s


@kernel
def one_stage(a: Tensor[f16, B, M, K], w: Tensor[f16, B, N, K], c: Tensor[f32, B, M, N]) -> None:
    b: Tile[int, 2]
    k: Tile[int, 32, stages(1)]
    for b in range(B):
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s += f32(a[b, i, k]) * f32(w[b, j, k])
                c[b, i, j] = s


@kernel
def pairs(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, 512, vec(2), waves(2)]
    for i in range(N):
        y[i] = x[i] * 2


@kernel
def one_by_one(x: Tensor[f32, N, vec(1)], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * 2


@kernel
def patches(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    i: Tile[int, 8, lanes(4), waves(2)]
    j: Tile[int, 64, lanes(16), vec(4)]
    for i in range(M):
        for j in range(N):
            y[i, j] = x[i, j] + x[0, j]


@kernel
def rows_of_waves(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    j: Tile[int, waves(1), vec(4)]
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += np.exp(x[i, j])
        for j in range(N):
            y[i, j] = np.exp(x[i, j]) / s


@kernel
def rows_in_pairs(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    j: Tile[int, waves(2), vec(2)]
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += np.exp(x[i, j])
        for j in range(N):
            y[i, j] = np.exp(x[i, j]) / s


@kernel
def whole_sum(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:
    i: Tile[int, waves(8), unroll(2)]
    for i in range(N):
        y[0] += x[i]


@kernel
def turned_over(x: Tensor[f32, M, N, lds(), vec(4)], y: Tensor[f32, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            y[j, i] = x[i, j]
