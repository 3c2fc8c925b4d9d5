"""Order of evaluation: chained assignment, what is evaluated only sometimes, loop variables after their loops."""

import numpy as np

from tl2hip import Tensor, dims, f32, i32, i64, kernel

M, N, K = dims("M N K")


def first(x, k):
    n = 0
    for j in range(len(x)):
        if x[j] > k:
            return j
        n += 1
    return n


def down(x, v):
    while v > x:
        v = v - f32(1)
    return v


@kernel
def order(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    for i in range(N):
        a = x[i]
        b = a
        a, b = b + 1, a * 2
        a = b = a - b
        y[i] = a * 10 + b
        y[i] += a


@kernel
def chain(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    for i in range(N):
        x[i] = y[i] = x[i] + 1
        (a, b), c = (x[i], y[i]), x[i]
        (a, b), c = (b, c), a
        y[i] = y[i] + a + 3 * b + c
        c = a = b = a * b + c
        x[i] = y[i] = x[i] + c


@kernel
def guarded(
    x: Tensor[f32, M, N], p: Tensor[i32, K], y: Tensor[i32, K], z: Tensor[f32, K], w: Tensor[i32, K]
) -> None:
    for k in range(K):
        y[k] = first(x[p[k], :], f32(0.5)) if p[k] < M and p[k] >= 0 else -1
    for k in range(K):
        if p[k] < M and p[k] >= 0 and first(x[p[k], :], f32(1)) > 2:
            z[k] = 1
        else:
            z[k] = 0 if p[k] < 0 or p[k] >= M or np.sum(x[p[k], :]) < 0 else 2
    for k in range(K):
        w[k] = 0
        while p[k] >= 0 and p[k] < M and first(x[p[k], :], f32(w[k])) < 5 and w[k] < 3:
            w[k] += 1
            if w[k] == 2:
                continue
            if w[k] > 2:
                break


@kernel
def chained(x: Tensor[f32, M, N], y: Tensor[i32, M]) -> None:
    for i in range(M):
        y[i] = 1 if 0 < x[i, :].sum() < first(x[i, :], f32(0.25)) < 4 else 0


@kernel
def after(x: Tensor[f32, M, N], y: Tensor[i64, M], z: Tensor[i64, M]) -> None:
    for i in range(M):
        j = -1
        for j in range(N):
            if x[i, j] > 0.5:
                break
        y[i] = j
        k = 5
        for k in range(N - 2, 3, -3):
            y[i] += k
        z[i] = k
        for k in range(4):
            if x[i, 0] > k:
                break
        z[i] = z[i] * 100 + k
        for q in range(3, 20, 4):
            z[i] += q
        z[i] = z[i] * 100 + q
        for q in range(N + 1):
            y[i] += q
        z[i] = z[i] * 100 + q
        for q in range(N):
            y[i] += q
        z[i] = z[i] * 100 + q


@kernel
def host(x: Tensor[f32, N], y: Tensor[i64, N]) -> None:
    for _t in range(3):
        for i in range(N):
            y[i] = y[i] + i
    for t in range(4):
        for i in range(N):
            y[i] = y[i] * 2 + t
    for i in range(N):
        t = y[i]
        y[i] = t * t


@kernel
def runs(x: Tensor[i32, N], y: Tensor[i64, N]) -> None:
    for i in range(N):
        b = i
        for b in range(i + 1, N):
            if x[b] == x[i]:
                break
        y[i] = b
        y[i] += b
