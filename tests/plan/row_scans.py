"""Scans along the rows of a matrix, by a block for each row."""

import math

import numpy as np

from tl2hip import Tensor, dims, f16, f32, i32, i64, kernel

M, N = dims("M N")


@kernel
def rows(x: Tensor[f32, M, N], y: Tensor[f32, M, N], total: Tensor[f32, M]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += x[i, j]
            y[i, j] = s
        total[i] = s


@kernel
def backwards(x: Tensor[i32, M, N], y: Tensor[i32, M, N]) -> None:
    for i in range(M):
        s = i32(i)
        for j in range(N - 1, -1, -1):
            y[i, j] = s
            s += x[i, j]


@kernel
def in_place(x: Tensor[f16, M, N]) -> None:
    for i in range(M):
        m = f16(-math.inf)
        for j in range(N):
            m = max(m, x[i, j])
            x[i, j] = m


@kernel
def twice(x: Tensor[i64, M, N], y: Tensor[i64, M, N]) -> None:
    for i in range(M):
        s = 0
        for j in range(N):
            s += x[i, j]
            y[i, j] = s
        for j in range(N):
            s += y[i, j]
            y[i, j] = s


@kernel
def shares(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        total = f32(0)
        for j in range(N):
            total += abs(x[i, j])
        s = f32(0)
        for j in range(N):
            s += abs(x[i, j]) / (total + f32(1))
            y[i, j] = s


@kernel
def some_rows(x: Tensor[i32, M, N], y: Tensor[i32, M, N]) -> None:
    for i in range(M):
        n = 0
        if x[i, 0] > i32(0):
            for j in range(N):
                y[i, j] = n
                if x[i, j] > i32(1):
                    n += 1


@kernel
def triangle(x: Tensor[i32, N, N], y: Tensor[i32, N, N]) -> None:
    for i in range(N):
        s = i32(0)
        for j in range(i, N):
            s = np.maximum(s, x[i, j])
            y[i, j] = s


@kernel
def short(x: Tensor[f32, M, 5], y: Tensor[f32, M, 5]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(5):
            s += x[i, j]
            y[i, j] = s


@kernel
def down_columns(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for j in range(N):
        s = f32(0)
        for i in range(M):
            s += x[i, j]
            y[i, j] = s
