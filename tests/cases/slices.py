"""Slices, views, strides and array expressions."""

import numpy as np

from tl2hip import Tensor, dims, f16, f32, i8, i32, kernel, strides

M, N, K = dims("M N K")


@kernel
def sl_neg(x: Tensor[f32, N, M], y: Tensor[f32, N, M]) -> None:
    for i in range(N):
        y[i, :] = x[i, ::-1]


@kernel
def sl_negb(x: Tensor[f32, N, M], y: Tensor[f32, N, M]) -> None:
    for i in range(N):
        y[i, 1:-1] = x[i, :-2] + x[i, 2:]
        y[i, -1] = x[i, -1]
        y[-1 - i, 0] = 3


@kernel
def sl_trim(x: Tensor[f32, N, M], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = np.sum(x[i, i:]) + np.sum(x[i, -3:]) + np.sum(x[i, :100]) + np.sum(x[i, 5:2])


@kernel
def sl_negstep(x: Tensor[f32, N, M], y: Tensor[f32, N]) -> None:
    for i in range(N):
        s = f32(0)
        r = x[i, M - 2 : 0 : -3]
        for k in range(len(r)):
            s += r[k] * (k + 1)
        y[i] = s


@kernel
def view(x: Tensor[f32, N, M]) -> None:
    for i in range(N):
        r = x[i]
        r[0] = 1
        q = r[1:]
        for j in range(M - 1):
            q[j] += 2


@kernel
def copy_(x: Tensor[f32, N, M], y: Tensor[f32, N, M]) -> None:
    for i in range(N):
        r = x[i].copy()
        for j in range(M):
            y[i, j] = r[M - 1 - j]
            x[i, j] = r[j] + 1


@kernel
def inplace_slice(x: Tensor[f32, N, M]) -> None:
    for i in range(N):
        x[i, 1:] = x[i, :-1]


@kernel
def inplace_rev(x: Tensor[i32, N, M]) -> None:
    for i in range(N):
        x[i, :] = x[i, ::-1]


@kernel
def bcast_new(x: Tensor[f32, N], w: Tensor[f32, M], y: Tensor[f32, N, M]) -> None:
    y[:] = x[:, None] * w[None, :] - w


@kernel
def whr(x: Tensor[f32, N, M], y: Tensor[f32, N, M], z: Tensor[f16, N, M]) -> None:
    for i in range(N):
        y[i] = np.where(x[i] > 0, x[i], 0.1 * x[i])
        z[i, :] = np.where((x[i] > 1) & (x[i] < 3), f16(1), z[i])


@kernel
def f16dot(a: Tensor[f16, N, K], b: Tensor[f16, K, M], c: Tensor[f16, N, M], d: Tensor[f32, N]) -> None:
    for i in range(N):
        for j in range(M):
            c[i, j] = a[i, :] @ b[:, j]
        d[i] = np.dot(a[i], a[i])


@kernel
def mm_i8(a: Tensor[i8, N, K], b: Tensor[i8, K, M], c: Tensor[i32, N, M]) -> None:
    c[:, :] = a @ b


@kernel
def tri_dot(A: Tensor[f32, N, N], y: Tensor[f32, N, N]) -> None:
    for i in range(N):
        for j in range(i + 1):
            y[i, j] = A[i, :j] @ A[:j, i]


@kernel
def gather_fancy(x: Tensor[f32, N, M], idx: Tensor[i32, K], y: Tensor[f32, K, M]) -> None:
    y[:] = x[idx]


@kernel
def st_col(x: Tensor[f32, N, M, strides(1, N)], y: Tensor[f16, N, M, strides(M + 8, 1)]) -> None:
    for i in range(N):
        for j in range(M):
            y[i, j] = x[i, j] * 2


@kernel
def st_row(x: Tensor[f32, N, M, strides(M + 3, 1)], y: Tensor[f32, N]) -> None:
    for i in range(N):
        s = f32(0)
        for j in range(M):
            s += x[i, j]
        y[i] = s


@kernel
def st_bcast(x: Tensor[f32, N, M, strides(0, 1)], y: Tensor[f32, N, M]) -> None:
    for i in range(N):
        for j in range(M):
            y[i, j] = x[i, j] + 1


@kernel
def strided(x: Tensor[f32, N, M, strides(2 * M, 1)], y: Tensor[f32, N, M]) -> None:
    for i in range(N):
        for j in range(M):
            y[i, j] = x[i, j]


@kernel
def tuple_index(x: Tensor[f32, N, M], y: Tensor[f32, N, M]) -> None:
    for i in range(N):
        for j in range(M):
            at = (i, M - 1 - j)
            y[at] = x[at] + 1
            y[at] += x[i, j]


@kernel
def newaxis(x: Tensor[f32, N, M], w: Tensor[f32, M, K], y: Tensor[f32, N, M, K]) -> None:
    y[:] = x[:, :, np.newaxis] * w[np.newaxis]


@kernel
def csr_slices(
    r: Tensor[i32, N + 1], c: Tensor[i32, K], v: Tensor[f32, K], x: Tensor[f32, M], y: Tensor[f32, N]
) -> None:
    for i in range(N):
        cols = c[r[i] : r[i + 1]]
        vals = v[r[i] : r[i + 1]]
        y[i] = vals @ x[cols]


@kernel
def bounds_change(r: Tensor[i32, N + 1], x: Tensor[f32, M], y: Tensor[f32, N], z: Tensor[f32, N]) -> None:
    for i in range(N):
        a, b = r[i], r[i + 1]
        p = x[a:b]
        a = a + 1
        q = x[a:b]
        y[i] = np.sum(p)
        z[i] = np.sum(q)


@kernel
def bounds_stored(r: Tensor[i32, N + 1], x: Tensor[f32, M], y: Tensor[f32, N], z: Tensor[f32, N]) -> None:
    for i in range(N):
        p = x[r[i] : r[i + 1]]
        r[i] = 0
        q = x[r[i] : r[i + 1]]
        y[i] = np.sum(p)
        z[i] = np.sum(q)
