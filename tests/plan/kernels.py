"""Kernels whose plans differ in kind: what is shared out, to whom, and what passes between launches."""

import math

import numpy as np

from tl2hip import Tensor, Tile, dims, f16, f32, f64, i32, i64, kernel, serial

M, N, K = dims("M N K")


@kernel
def atax(A: Tensor[f32, M, N], x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = 0
    for i in range(M):
        tmp = f32(0)
        for j in range(N):
            tmp += A[i, j] * x[j]
        for j in range(N):
            y[j] += A[i, j] * tmp


@kernel
def bicg(A: Tensor[f32, M, N], p: Tensor[f32, N], r: Tensor[f32, M], q: Tensor[f32, M], s: Tensor[f32, N]) -> None:
    for i in range(N):
        s[i] = 0.0
    for i in range(M):
        q[i] = 0.0
        for j in range(N):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]


@kernel
def doitgen(A: Tensor[f32, M, N, K], C: Tensor[f32, K, K]) -> None:
    for r in range(M):
        for q in range(N):
            row = np.zeros(K, dtype=np.float32)
            for p in range(K):
                for s in range(K):
                    row[p] += A[r, q, s] * C[s, p]
            for p in range(K):
                A[r, q, p] = row[p]


@kernel
def total_argmax(x: Tensor[f32, M, N], out: Tensor[i64, 2], best: Tensor[f32, 1]) -> None:
    m = f32(-math.inf)
    bi = -1
    bj = -1
    for i in range(M):
        for j in range(N):
            if x[i, j] > m:
                m = x[i, j]
                bi = i
                bj = j
    out[0] = bi
    out[1] = bj
    best[0] = m


@kernel
def last_argmin(x: Tensor[f32, N], out: Tensor[i64, 1]) -> None:
    m = x[0]
    w = 0
    for i in range(N):
        if x[i] <= m:
            m = x[i]
            w = i * 2 + 1
    out[0] = w


@kernel
def normalise(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        s += x[i] * x[i]
    r = f32(1) / np.sqrt(s + f32(1))
    m = x[0]
    for i in range(N):
        m = max(m, x[i])
    for i in range(N):
        y[i] = x[i] * r + m


@kernel
def power(A: Tensor[f32, N, N], v: Tensor[f32, N], w: Tensor[f32, N], steps: int) -> None:
    for _ in range(steps):
        n = f32(0)
        for i in range(N):
            s = f32(0)
            for j in range(N):
                s += A[i, j] * v[j]
            w[i] = s
        for i in range(N):
            n += w[i] * w[i]
        for i in range(N):
            v[i] = w[i] / (np.sqrt(n) + f32(1))


@kernel
def four(A: Tensor[i32, M, N, 3, K], B: Tensor[i32, M, N, 3, K]) -> None:
    for a in range(M):
        for b in range(N):
            for c in range(3):
                for d in range(K):
                    B[a, b, c, d] = A[a, b, 2 - c, d] * 2 + a - b


@kernel
def down(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N - 1, -1, -1):
        y[i] = x[N - 1 - i]
    for i in range(1, N, 3):
        y[i] += y[i - 1]


@kernel
def prefix(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, serial]
    s = f32(0)
    for i in range(N):
        s += x[i]
        y[i] = s


@kernel
def rows_prefix(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += x[i, j]
            y[i, j] = s


@kernel
def choose(x: Tensor[f32, N], n: int, flag: int) -> None:
    if flag > 3:
        for i in range(N):
            x[i] = x[i] * 2
    else:
        for i in range(N):
            x[i] = x[i] + 1
    if n == 7:
        x[0] = 5


@kernel
def converge(x: Tensor[f32, N], e: Tensor[f32, 1]) -> None:
    d = f32(100)
    n = 0
    while d > f32(1) and n < 50:
        d = f32(0)
        for i in range(N):
            x[i] = x[i] * f32(0.5)
        for i in range(N):
            d += x[i] * x[i]
        n += 1
    e[0] = d + n


@kernel
def trisum(A: Tensor[f64, N, N], y: Tensor[f64, N]) -> None:
    for i in range(N):
        s = 0.0
        for j in range(i + 1):
            for k in range(j, i + 1):
                s += A[j, k]
        y[i] = s


@kernel
def colmean(A: Tensor[f32, M, N], y: Tensor[f32, N]) -> None:
    for j in range(N):
        y[j] = 0
    for i in range(M):
        for j in range(N):
            y[j] += A[i, j]
    for j in range(N):
        y[j] /= M


@kernel
def anyneg(A: Tensor[f32, M, N], out: Tensor[i32, M]) -> None:
    for i in range(M):
        found = 0
        for j in range(N):
            if A[i, j] < 0:
                found = 1
        out[i] = found


@kernel
def correlate(A: Tensor[f32, M, N], C: Tensor[f32, N, N]) -> None:
    mean = np.zeros(N, dtype=np.float32)
    for j in range(N):
        for i in range(M):
            mean[j] += A[i, j]
        mean[j] /= f32(M)
    for i in range(M):
        for j in range(N):
            A[i, j] -= mean[j]
    for i in range(N):
        for j in range(i, N):
            C[i, j] = 0
            for k in range(M):
                C[i, j] += A[k, i] * A[k, j]
            C[j, i] = C[i, j]


@kernel
def left_of_diagonal(A: Tensor[f32, N, N], C: Tensor[f32, N, N]) -> None:
    for i in range(N):
        for j in range(i - 3):
            C[i, j] = A[i, j] * f32(2)


@kernel
def plus_diagonal(A: Tensor[f32, N, N], C: Tensor[f32, N, N]) -> None:
    for i in range(N):
        for j in range(N):
            C[i, j] = A[i, j] + A[j, j]


@kernel
def first_rows(A: Tensor[f32, K, N], C: Tensor[f32, M]) -> None:
    for i in range(N):
        for k in range(K):
            if i < M:
                C[i] += A[k, i]


@kernel
def none_waits(A: Tensor[f32, N, K], B: Tensor[f32, N, 2], C: Tensor[f32, N, K], n: int) -> None:
    for i in range(N):
        B[i, 0] = f32(3)
        x = f32(0)
        t = 0
        while t < n:
            x = x + B[i, 0]
            t += 1
        y = B[i, 0]
        for k in range(K):
            C[i, k] = A[i, k] * y + x


@kernel
def winner_leaves(A: Tensor[f32, N, K], B: Tensor[f32, N, K], C: Tensor[f32, N]) -> None:
    for i in range(N):
        m = f32(0)
        p = f32(0)
        for k in range(K):
            if A[i, k] > m:
                m = A[i, k]
                p = B[i, k]
        B[i, 0] = m
        C[i] = p


@kernel
def below_rows(A: Tensor[f32, K, N], C: Tensor[f32, K, N]) -> None:
    for i in range(N):
        for j in range(N):
            for k in range(i, K):
                C[i, j] += A[k, j]


@kernel
def windows(A: Tensor[f32, N, M, K], C: Tensor[f32, M, N]) -> None:
    for i in range(N):
        for j in range(M):
            for k in range(K):
                C[0, i] += A[i, j, k]


@kernel
def mirrored_slabs(z: Tensor[f64, N, K, M]) -> None:
    """Loads and stores one array at two places along the lanes."""
    for i in range(N - 1, -1, -1):
        for j in range(K):
            for k in range(M):
                z[i, j, k] = z[N - 1 - i, j, k] + 1


@kernel
def named_like_a_loop(C: Tensor[f32, M, N], D: Tensor[f32, M]) -> None:
    """A local that the plan copies, named as its loops over elements are."""
    for i in range(M):
        s = f32(0)
        m = f32(0)
        for j in range(1, N - 1):
            e = C[i, j] + C[0, j]
            m += C[i, j]
            s += e * e
        D[i] = s * m


@kernel
def product_of_rows(A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N], b: Tensor[f32, N]) -> None:
    """A product and what is done with it, in slices."""
    for i in range(M):
        C[i, :] = np.maximum(A[i, :] @ B + b, 0)


@kernel
def product_in_place(A: Tensor[f32, M, M], B: Tensor[f32, M, M]) -> None:
    """Each row is read whole before it is written."""
    for i in range(M):
        A[i, :] = A[i, :] @ B


@kernel
def late_start(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            s = C[i, j]
            C[i, j] = f32(5)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[k, j])
            C[i, j] += s


@kernel
def late_start_twice(
    A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N], T: Tensor[f32, M, N]
) -> None:
    for i in range(M):
        for j in range(N):
            s = T[i, j] * f32(2)
            T[i, j] += f32(1)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[k, j])
            C[i, j] = s


@kernel
def guarded_neighbour(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i - 1] if i > 0 else f32(0)


@kernel
def guarded_row_above(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            y[i, j] = x[i - 1, j] if i > 0 else f32(0)


@kernel
def guarded_turn(A: Tensor[f32, M, N], B: Tensor[f32, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j + 1] if j + 1 < N else A[i, j]


@kernel
def guarded_gemv(A: Tensor[f32, M, N], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += A[i - 1, j] * x[j] if i > 0 else x[j]
        y[i] = s


@kernel
def guarded_columns(A: Tensor[f32, M, N], y: Tensor[f32, N]) -> None:
    for j in range(N):
        s = f32(0)
        for i in range(M):
            s += A[i + 1, j] - A[i, j] if i + 1 < M else f32(0)
        y[j] = s


@kernel
def guarded_bias(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N], b: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[k, j])
            C[i, j] = s + b[i - 1, j] if i > 0 else s


@kernel
def guarded_row(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        m = f32(0)
        for j in range(N):
            m += X[i, j]
        for j in range(N):
            if i > 0:
                Y[i, j] = X[i - 1, j] - m
            else:
                Y[i, j] = m


@kernel
def guarded_next_row(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += X[i, j]
        for j in range(N):
            if i + 1 < M:
                Y[i + 1, j] = X[i, j] * s


@kernel
def every_other_row(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += X[i, j]
        for j in range(N):
            if i % 2 == 0:
                Y[i // 2, j] = X[i, j] * s


@kernel
def last_row(X: Tensor[f32, M, N], Z: Tensor[f32, N]) -> None:
    for i in range(M):
        m = f32(0)
        for j in range(N):
            m += X[i, j]
        for j in range(N):
            if i == M - 1:
                Z[j] = m
