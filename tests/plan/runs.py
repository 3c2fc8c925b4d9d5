"""Kernels without a reduction: elementwise ones that are one run over memory, rows, stencils."""

import numpy as np

from tl2hip import Tensor, Tile, bf16, dims, f16, f32, i8, kernel

M, N = dims("M N")


@kernel
def halves(a: Tensor[f16, N], b: Tensor[f16, N], out: Tensor[f16, N]) -> None:
    for i in range(N):
        out[i] = a[i] + b[i]


@kernel
def brain(a: Tensor[bf16, N], b: Tensor[bf16, N], out: Tensor[bf16, N]) -> None:
    for i in range(N):
        out[i] = a[i] * b[i]


@kernel
def tiled(a: Tensor[f32, N], b: Tensor[f32, N], out: Tensor[f32, N]) -> None:
    i: Tile[int, 512]
    for i in range(N):
        out[i] = a[i] - b[i]


@kernel
def axpy(a: f32, x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] += a * x[i]


@kernel
def copied(a: Tensor[i8, N], out: Tensor[i8, N]) -> None:
    for i in range(N):
        out[i] = a[i]


@kernel
def widened(a: Tensor[f16, M, N], b: Tensor[f32, M, N], out: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            out[i, j] = np.maximum(f32(a[i, j]), b[i, j])


@kernel
def biased(a: Tensor[f16, M, N], b: Tensor[f16, N], out: Tensor[f16, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            out[i, j] = a[i, j] + b[j]


@kernel
def neighbours(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(1, N - 1):
        y[i] = x[i - 1] + x[i] * f32(2) + x[i + 1]


@kernel
def from_elsewhere(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            y[i, j] = x[i, j] * x[M - 1 - i, 0] + f32(i)


@kernel
def crossed(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for i in range(M - 2):
        for j in range(N - 2):
            y[i + 1, j + 1] = x[i, j + 1] + x[i + 2, j + 1] - x[i + 1, j] - x[i + 1, j + 2]


@kernel
def sliced(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    y[:-1, 1:] = x[1:, 1:]


@kernel
def complex_product(a: Tensor[f32, 2 * N], b: Tensor[f32, 2 * N], c: Tensor[f32, 2 * N]) -> None:
    for i in range(N):
        re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1]
        im = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i]
        c[2 * i] = re
        c[2 * i + 1] = im
