"""Several nests: scalars and arrays between them, loops and decisions of the launcher."""

import numpy as np
from numpy.typing import NDArray

from tl2hip import Tensor, dims, f32, i32, kernel

M, N, K = dims("M N K")


@kernel
def hostif(x: Tensor[f32, N], y: Tensor[f32, N], n: int, flag: bool) -> None:
    if n > 3 and flag:
        for i in range(N):
            y[i] = x[i]
    elif n < 0:
        for i in range(N):
            y[i] = -x[i]
    else:
        s = f32(0)
        for i in range(N):
            s += x[i]
        for i in range(N):
            y[i] = s / (n + 1)


@kernel
def hostloop(x: Tensor[f32, N], y: Tensor[f32, N], steps: int) -> None:
    for t in range(steps):
        m = f32(0)
        for i in range(N):
            m += x[i] * t
        for i in range(1, N - 1):
            y[i] = (x[i - 1] + x[i + 1]) * f32(0.5) + m
        for i in range(1, N - 1):
            x[i] = y[i]


@kernel
def hostloop_swap(x: Tensor[i32, N], y: Tensor[i32, N], steps: int) -> None:
    acc = 0
    for t in range(steps):
        for i in range(N):
            y[i] = x[N - 1 - i] + t
        for i in range(N):
            x[i] = y[i]
        if t % 2 == 0:
            for i in range(N):
                acc += x[i]
    for i in range(N):
        x[i] += acc


@kernel
def local_shared(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    t = np.zeros(N, dtype=np.float32)
    u = np.empty((N, 2), np.float32)
    for i in range(N):
        t[i] = x[i] * 2
        u[i, 0] = x[N - 1 - i]
        u[i, 1] = 1
    for i in range(N):
        y[i] = t[N - 1 - i] + u[i, 0] * u[(i + 1) % N, 1]


@kernel
def local_private(x: Tensor[f32, N, 8], y: Tensor[f32, N, 8]) -> None:
    for i in range(N):
        b = np.zeros(8, np.float32)
        for j in range(8):
            b[j] = x[i, j]
        for j in range(1, 8):
            b[j] += b[j - 1]
        for j in range(8):
            y[i, j] = b[7 - j]


@kernel
def local_private_dyn(x: Tensor[i32, N, M], y: Tensor[i32, N, 5]) -> None:
    for i in range(N):
        h = np.zeros(5, np.int32)
        for j in range(M):
            h[x[i, j] % 5] += 1
        for j in range(5):
            y[i, j] = h[j]


@kernel
def local_big(x: Tensor[i32, N, M], y: Tensor[i32, N, M]) -> None:
    for i in range(N):
        h = np.zeros(M, np.int32)
        for j in range(M):
            h[(j * 3) % M] += x[i, j]
        for j in range(M):
            y[i, j] = h[j]


@kernel
def local_in_hostloop(x: Tensor[f32, N], steps: int) -> None:
    for _ in range(steps):
        b = np.zeros(N, np.float32)
        for i in range(N):
            b[i] += x[(i + 1) % N]
        for i in range(N):
            x[i] = b[i] + 1


@kernel
def ret2(x: Tensor[f32, N]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    y = np.ones(N, np.float32)
    z = np.full((N, 3), 7)
    for i in range(1, N, 2):
        y[i] = x[i]
        z[i, 1] = i
    return y, z


@kernel
def whil_arr(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    for i in range(N):
        d = np.zeros(8, np.int32)
        v = abs(x[i]) % 256
        n = 0
        while v > 0:
            d[n] = v % 2
            v //= 2
            n += 1
        s = 0
        for k in range(8):
            s += d[7 - k] << k
        y[i] = s


@kernel
def while_norm(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    err = f32(10)
    it = 0
    while err > 1 and it < 5:
        err = f32(0)
        for i in range(N):
            y[i] = x[i] * f32(0.5)
            err += abs(x[i] - y[i])
        for i in range(N):
            x[i] = y[i]
        it += 1


@kernel
def host_scalar_if(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        s += x[i]
    if s > 0:
        for i in range(N):
            y[i] = x[i] / s
    else:
        for i in range(N):
            y[i] = 0


@kernel
def host_loop_dep_scalar(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    n = 0
    for i in range(N):
        if x[i] > 0:
            n += 1
    for i in range(n):
        y[i] = i
    for t in range(n):
        for i in range(N):
            y[i] += t


@kernel
def local_2nests_hostloop(x: Tensor[f32, N], T: int) -> None:
    a = np.zeros(N + 2, np.float32)
    for _ in range(T):
        for i in range(N):
            a[i + 1] = x[i]
        for i in range(N):
            x[i] = a[i] + a[i + 2]


@kernel
def gemm_poly(A: Tensor[f32, N, K], B: Tensor[f32, K, M], C: Tensor[f32, N, M], alpha: f32, beta: f32) -> None:
    for i in range(N):
        for j in range(M):
            C[i, j] *= beta
        for k in range(K):
            for j in range(M):
                C[i, j] += alpha * A[i, k] * B[k, j]


@kernel
def fdtd(ex: Tensor[f32, N, M], ey: Tensor[f32, N, M], hz: Tensor[f32, N, M], T: int) -> None:
    for t in range(T):
        for j in range(M):
            ey[0, j] = t
        for i in range(1, N):
            for j in range(M):
                ey[i, j] = ey[i, j] - f32(0.5) * (hz[i, j] - hz[i - 1, j])
        for i in range(N):
            for j in range(1, M):
                ex[i, j] = ex[i, j] - f32(0.5) * (hz[i, j] - hz[i, j - 1])
        for i in range(N - 1):
            for j in range(M - 1):
                hz[i, j] = hz[i, j] - f32(0.7) * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


@kernel
def doitgen(A: Tensor[f32, N, M, K], C: Tensor[f32, K, K]) -> None:
    for r in range(N):
        for q in range(M):
            s = np.zeros(K, np.float32)
            for p in range(K):
                for t in range(K):
                    s[p] += A[r, q, t] * C[t, p]
            for p in range(K):
                A[r, q, p] = s[p]


@kernel
def of_what_nothing_reads(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        r = x[i].copy()
        r[0] = 3


@kernel
def intdiv_loop(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for b in range((N + 63) // 64):
        for t in range(64):
            i = b * 64 + t
            if i < N:
                y[i] = x[i] * 2
