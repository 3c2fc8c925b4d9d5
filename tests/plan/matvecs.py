"""Kernels whose rows are each one reduction, most of them with a vector that rows share."""

import math

import numpy as np

from tl2hip import Tensor, bf16, dims, f16, f32, f64, i8, i32, kernel

B, M, N = dims("B M N")


@kernel
def plain(A: Tensor[f32, M, N], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += A[i, j] * x[j]
        y[i] = s


@kernel
def halves(A: Tensor[f16, M, N], x: Tensor[f16, N], b: Tensor[f32, M], y: Tensor[f16, M], alpha: f32) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += f32(A[i, j]) * f32(x[j])
        y[i] = f16(alpha * s + b[i])


@kernel
def brain(A: Tensor[bf16, M, N], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    for i in range(M):
        y[i] = 0
        for j in range(N):
            y[i] += f32(A[i, j]) * x[j]


@kernel
def doubles(A: Tensor[f64, M, N], x: Tensor[f64, N], y: Tensor[f64, M]) -> None:
    for i in range(M):
        for j in range(N):
            y[i] += A[i, j] * x[j]


@kernel
def inner_part(A: Tensor[f32, M, N], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    for i in range(1, M - 1):
        s = f32(2)
        for j in range(2, N - 1):
            s += A[i - 1, j + 1] * x[j]
        y[i + 1] = s


@kernel
def far_and_near(A: Tensor[f32, M, N], x: Tensor[f32, N], d: Tensor[f32, M], e: Tensor[f32, M]) -> None:
    for i in range(M):
        s = f32(0)
        m = f32(-math.inf)
        for j in range(N):
            t = A[i, j] * x[j]
            s += t
            m = np.maximum(m, t)
        d[i] = s
        if s > f32(0):
            e[i] = m


@kernel
def counted(A: Tensor[i32, M, N], x: Tensor[i32, N], y: Tensor[i32, M]) -> None:
    for i in range(M):
        s = i32(0)
        for j in range(N):
            s += A[i, j] * x[j]
        y[i] = s


@kernel
def sliced(A: Tensor[f32, M, N], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    y[:] = A @ x


@kernel
def small_integers(A: Tensor[i8, M, N], x: Tensor[i8, N], y: Tensor[i32, M]) -> None:
    for i in range(M):
        s = i32(0)
        for j in range(N):
            s += i32(A[i, j]) * i32(x[j])
        y[i] = s


@kernel
def activated(A: Tensor[bf16, M, N], x: Tensor[bf16, N], b: Tensor[bf16, M], y: Tensor[bf16, M]) -> None:
    for i in range(M):
        s = f32(b[i])
        for j in range(N):
            s += f32(A[i, j]) * f32(x[j])
        y[i] = bf16(max(s, f32(0)))


@kernel
def batch(A: Tensor[f16, B, M, N], x: Tensor[f16, B, N], y: Tensor[f32, B, M]) -> None:
    for b in range(B):
        for i in range(M):
            s = f32(0)
            for j in range(N):
                s += f32(A[b, i, j]) * f32(x[b, j])
            y[b, i] = s


@kernel
def batch_inside(A: Tensor[f32, M, N, B], x: Tensor[f32, M, B], bias: Tensor[f32, N], y: Tensor[f32, N, M]) -> None:
    for j in range(1, N):
        for i in range(M):
            s = bias[j]
            for b in range(B):
                s += A[i, j, b] * x[i, b]
            y[j, i] = s


@kernel
def one_vector(A: Tensor[f32, B, M, N], x: Tensor[f32, N], y: Tensor[f16, B, M]) -> None:
    for b in range(B):
        for i in range(M):
            s = f32(0)
            for j in range(N):
                s += A[b, i, j] * x[j]
            y[b, i] = f16(s)


@kernel
def dots(A: Tensor[f16, M, N], C: Tensor[f16, M, N], y: Tensor[f32, M]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += f32(A[i, j]) * f32(C[i, j])
        y[i] = s
