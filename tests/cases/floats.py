"""Floats of every width: weak numbers, narrow accumulators, types without infinity."""

import math

import numpy as np

from tl2hip import Tensor, bf16, dims, f8e4m3, f8e5m2, f16, f32, i32, kernel, u8

M, N = dims("M N")


@kernel
def f8max(x: Tensor[f8e4m3, N, M], y: Tensor[f8e4m3, N]) -> None:
    for i in range(N):
        m = x[i, 0]
        for j in range(1, M):
            m = max(m, x[i, j])
        y[i] = m


@kernel
def f8min_full(x: Tensor[f8e5m2, N], a: Tensor[f8e5m2, 1], b: Tensor[f8e4m3, M], idx: Tensor[i32, N]) -> None:
    m = f8e5m2(100)
    for i in range(N):
        m = min(m, x[i])
    a[0] = m
    for i in range(N):
        b[idx[i]] = max(b[idx[i]], f8e4m3(f32(x[i])))


@kernel
def f8(
    x: Tensor[f8e4m3, N], w: Tensor[f8e5m2, N], y: Tensor[f8e4m3, N], z: Tensor[f8e5m2, N], o: Tensor[f32, N]
) -> None:
    for i in range(N):
        o[i] = f32(x[i]) * f32(w[i])
        y[i] = f32(w[i])
        z[i] = f32(x[i]) * 100


@kernel
def f8acc(x: Tensor[f8e4m3, N, M], y: Tensor[f32, N]) -> None:
    for i in range(N):
        s = 0.0
        for j in range(M):
            s += x[i, j]
        y[i] = s


@kernel
def f16acc(x: Tensor[f16, N, M], y: Tensor[f16, N]) -> None:
    for i in range(N):
        s = 0.0
        for j in range(M):
            s += x[i, j]
        y[i] = s


@kernel
def bf16acc(x: Tensor[bf16, N, M], y: Tensor[bf16, N]) -> None:
    for i in range(N):
        s = bf16(0)
        for j in range(M):
            s += x[i, j] * x[i, j]
        y[i] = s


@kernel
def f16weak(x: Tensor[f16, N], n: int, y: Tensor[f16, N]) -> None:
    for i in range(N):
        y[i] = x[i] * 3 + n * 2 + i + 1e-3


@kernel
def argmin_bf16(x: Tensor[bf16, N, M], y: Tensor[i32, N]) -> None:
    for i in range(N):
        best = x[i, 0]
        at = 0
        for j in range(1, M):
            if x[i, j] < best:
                best = x[i, j]
                at = j
        y[i] = at


@kernel
def f16_max_sum(x: Tensor[f16, N, M], y: Tensor[f16, N], z: Tensor[f16, N]) -> None:
    for i in range(N):
        m = f16(-60000)
        for j in range(M):
            m = max(m, x[i, j])
        s = f16(0)
        for j in range(M):
            s += np.exp(x[i, j] - m)
        y[i] = s
        z[i] = m


@kernel
def weak_start_bf16(x: Tensor[bf16, N, M], y: Tensor[bf16, N], z: Tensor[f32, N]) -> None:
    for i in range(N):
        s = 0
        m = -math.inf
        for j in range(M):
            s += x[i, j]
            m = max(m, x[i, j])
        y[i] = s
        z[i] = m


@kernel
def fmods(a: Tensor[f32, N], b: Tensor[f32, N], y: Tensor[f32, N], z: Tensor[f32, N], h: Tensor[f16, N]) -> None:
    for i in range(N):
        y[i] = math.fmod(a[i], b[i])
        z[i] = np.mod(a[i], b[i]) + np.floor_divide(a[i], b[i])
        h[i] = h[i] % 3 + h[i] // 0.5


@kernel
def powers(a: Tensor[f32, N], k: Tensor[i32, N], y: Tensor[f32, N], z: Tensor[i32, N], w: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = a[i] ** 3 + a[i] ** -1 + a[i] ** 0.5 + a[i] ** 0
        z[i] = k[i] ** 2 + 2 ** (k[i] % 5)
        w[i] = a[i] ** a[N - 1 - i]


@kernel
def ifexpr_weak(a: Tensor[f32, N], h: Tensor[f16, N], y: Tensor[f32, N], z: Tensor[f16, N]) -> None:
    for i in range(N):
        y[i] = 0 if a[i] > 0 else a[i]
        z[i] = h[i] if h[i] > 1 else 0.1


@kernel
def nanconst(a: Tensor[f32, N], y: Tensor[f32, N], z: Tensor[bool, N]) -> None:
    for i in range(N):
        y[i] = math.nan if a[i] > 0 else -math.inf
        z[i] = math.isnan(a[i]) or np.isinf(a[i])


@kernel
def clamp(x: Tensor[f32, N], y: Tensor[f32, N], z: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = min(max(x[i], -1.0), 1.0)
        z[i] = np.clip(x[i], -1, 1) + np.minimum(x[i], 0)


@kernel
def idem(x: Tensor[f32, N], y: Tensor[f32, N], z: Tensor[i32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * 0 + (x[i] - x[i])
        z[i] = (x[i] == x[i]) + (x[i] != x[i]) * 2


@kernel
def amax_cast(x: Tensor[f32, N, M], y: Tensor[f8e4m3, N, M], s: Tensor[f32, N]) -> None:
    for i in range(N):
        a = f32(1e-4)
        for j in range(M):
            a = max(a, abs(x[i, j]))
        sc = a / 240
        s[i] = sc
        for j in range(M):
            y[i, j] = f8e4m3(min(max(x[i, j] / sc, -240), 240))


@kernel
def scalar_param_types(x: Tensor[f32, N], a: f16, b: int, c: float, d: bool, e: i32, f: u8, g: bf16) -> None:
    for i in range(N):
        if d:
            x[i] = x[i] * a + b
        else:
            x[i] = x[i] * c + f32(e) - f32(f) * f32(g)
