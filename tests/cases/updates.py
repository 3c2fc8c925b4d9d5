"""Updates of elements that several iterations share."""

import numpy as np

from tl2hip import Tensor, bf16, dims, f16, f32, f64, i8, i16, i32, i64, kernel, strides, u8, u32

M, N = dims("M N")


@kernel
def atomic_all(
    idx: Tensor[i32, N],
    a: Tensor[f32, N],
    h16: Tensor[f16, M],
    hb: Tensor[bf16, M],
    h64: Tensor[f64, M],
    q8: Tensor[i8, M],
    qu8: Tensor[u8, M],
    q16: Tensor[i16, M],
    q32: Tensor[i32, M],
    qu32: Tensor[u32, M],
    q64: Tensor[i64, M],
    f: Tensor[f32, M],
) -> None:
    for i in range(N):
        f[idx[i]] += a[i]
        h64[idx[i]] += a[i]
        q32[idx[i]] += 3
        qu32[idx[i]] += 3
        q64[idx[i]] += i
        q8[idx[i]] += 1
        qu8[idx[i]] += 1
        q16[idx[i]] += 2


@kernel
def atomic_16(idx: Tensor[i64, N], a: Tensor[f16, N], h16: Tensor[f16, M], hb: Tensor[bf16, M]) -> None:
    for i in range(N):
        h16[idx[i]] += a[i]
        hb[idx[i]] += bf16(a[i])


@kernel
def atomic_minmax(
    idx: Tensor[i32, N],
    a: Tensor[f32, N],
    b: Tensor[i32, N],
    f: Tensor[f32, M],
    g: Tensor[i32, M],
    h: Tensor[f16, M],
    w: Tensor[u8, M],
    d: Tensor[f64, M],
    z: Tensor[i64, M],
) -> None:
    for i in range(N):
        f[idx[i]] = max(f[idx[i]], a[i])
        g[idx[i]] = min(g[idx[i]], b[i])
        h[idx[i]] = np.maximum(h[idx[i]], f16(a[i]))
        w[idx[i]] = max(w[idx[i]], 7)
        d[idx[i]] = min(d[idx[i]], f64(a[i]))
        z[idx[i]] = np.minimum(z[idx[i]], i)


@kernel
def atomic_mul(idx: Tensor[i32, N], b: Tensor[i32, N], f: Tensor[i32, M], g: Tensor[f32, M]) -> None:
    for i in range(N):
        f[idx[i]] *= b[i]
        g[idx[i]] -= f32(b[i])


@kernel
def collide_add(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i // 2] += x[i]
    for i in range(N):
        y[i % 3] += 1


@kernel
def overlap_store(x: Tensor[f32, N], y: Tensor[f32, 3 * N + 1]) -> None:
    for i in range(N):
        for k in range(4):
            y[3 * i + k] = x[i] * k


@kernel
def st_atomic(x: Tensor[i32, N], y: Tensor[f32, M, strides(5)]) -> None:
    for i in range(N):
        y[x[i]] += 1
