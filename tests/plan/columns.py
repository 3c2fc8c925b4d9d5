"""Kernels whose columns are each one reduction over the rows."""

import numpy as np

from tl2hip import Tensor, bf16, dims, f16, f32, f64, i8, i32, kernel

B, M, N = dims("B M N")


@kernel
def plain(A: Tensor[f32, M, N], x: Tensor[f32, M], y: Tensor[f32, N]) -> None:
    for j in range(N):
        s = f32(0)
        for i in range(M):
            s += A[i, j] * x[i]
        y[j] = s


@kernel
def halves(A: Tensor[f16, M, N], x: Tensor[f16, M], b: Tensor[f32, N], y: Tensor[f16, N]) -> None:
    for j in range(N):
        s = b[j]
        for i in range(M):
            s += f32(A[i, j]) * f32(x[i])
        y[j] = f16(s)


@kernel
def doubles(A: Tensor[f64, M, N], y: Tensor[f64, N], z: Tensor[f64, N]) -> None:
    for j in range(1, N):
        y[j] = 0
        m = A[0, j]
        for i in range(2, M):
            y[j] += A[i, j - 1]
            m = np.maximum(m, A[i - 1, j])
        z[j] = m


@kernel
def small_integers(x: Tensor[i8, M], A: Tensor[i8, M, N], y: Tensor[i32, N]) -> None:
    for j in range(N):
        s = i32(0)
        for i in range(M):
            s += i32(x[i]) * i32(A[i, j])
        y[j] = s


@kernel
def batch(A: Tensor[bf16, B, M, N], x: Tensor[bf16, B, M], b: Tensor[f32, N], y: Tensor[bf16, B, N]) -> None:
    for k in range(B):
        for j in range(N):
            s = b[j]
            for i in range(M):
                s += f32(A[k, i, j]) * f32(x[k, i])
            y[k, j] = bf16(max(s, f32(0)))


@kernel
def batch_inside(A: Tensor[f32, B, M, N], x: Tensor[f32, M], y: Tensor[f32, N, B]) -> None:
    for j in range(N):
        for k in range(B):
            s = f32(0)
            for i in range(M):
                s += A[k, i, j] * x[i]
            y[j, k] = s


@kernel
def product(x: Tensor[f32, M], A: Tensor[f32, M, N], y: Tensor[f32, N]) -> None:
    y[:] = x @ A


@kernel
def four(
    A: Tensor[f32, M, N], P: Tensor[f32, M, N], Q: Tensor[f32, M, N],
    sums: Tensor[f32, N], dots: Tensor[f32, N], high: Tensor[f32, N], low: Tensor[f32, N],
) -> None:  # fmt: skip
    for j in range(N):
        s = f32(0)
        d = f32(0)
        h = f32(-np.inf)
        m = f32(np.inf)
        for i in range(M):
            s += A[i, j]
            d += A[i, j] * P[i, j]
            h = max(h, Q[i, j])
            m = min(m, Q[i, j])
        sums[j] = s
        dots[j] = d
        high[j] = h
        low[j] = m
