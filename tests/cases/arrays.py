"""NumPy's functions of whole arrays: winners, running sums, products, norms, rounding, other shapes."""

import numpy as np
from numpy.typing import NDArray

from tl2hip import Tensor, bf16, dims, f16, f32, f64, i8, i16, i32, i64, kernel

M, N, K = dims("M N K")
B, H, T, D = dims("B H T D")


@kernel
def argmax_rows(x: Tensor[f32, M, N], y: Tensor[i32, M], z: Tensor[i64, M]) -> None:
    assert N > 0
    for i in range(M):
        y[i] = np.argmin(x[i])
        z[i] = x[i, :].argmax()


@kernel
def argmax_axes(
    x: Tensor[f16, M, N], h: Tensor[i8, M, N], b: Tensor[bf16, M, N], p: Tensor[i64, N], q: Tensor[i64, M, 1]
) -> NDArray[np.int64]:
    assert N > 0
    assert M > 0
    p[:] = np.argmin(h, axis=0)
    q[:] = (h * 2).argmax(axis=-1, keepdims=True) + b.argmax(axis=1, keepdims=True)
    return np.argmax(x, axis=1)


@kernel
def argmax_all(x: Tensor[f32, M, N], y: Tensor[i64, 2]) -> None:
    assert N > 0
    assert M > 0
    y[0] = np.argmax(x)
    y[1] = (x > 1).argmin()


@kernel
def cumsum_rows(x: Tensor[f32, M, N], h: Tensor[i16, M, N], y: Tensor[f32, M, N], z: Tensor[i64, M, N]) -> None:
    for i in range(M):
        y[i, :] = np.cumsum(x[i])
        z[i] = h[i, ::-1].cumprod()


@kernel
def cumsum_axes(x: Tensor[f32, M, N], f: Tensor[f16, M, N], b: Tensor[bf16, M, N], y: Tensor[f32, M, N]) -> None:
    f[:] = f.cumsum(axis=1)
    b[:] = np.cumsum(b, axis=0)
    y[:] = np.cumsum(x, axis=0) + np.cumsum(x, axis=1, dtype=np.float32)


@kernel
def outer_(x: Tensor[f32, M], w: Tensor[f32, N], y: Tensor[f32, M, N]) -> None:
    y[:] = np.outer(x, w) + np.outer(x, w + 1) - x[:, np.newaxis] * w[np.newaxis]


@kernel
def inner_(a: Tensor[f32, N, N], b: Tensor[f32, N, N], c: Tensor[f32, N, N]) -> None:
    c[:] = np.inner(a, b)


@kernel
def norms(x: Tensor[f32, M, N], h: Tensor[i32, N], y: Tensor[f32, M], z: Tensor[f32, N], w: Tensor[f64, 3]) -> None:
    for i in range(M):
        y[i] = np.linalg.norm(x[i])
    z[:] = np.linalg.norm(x, axis=0)
    w[0] = np.linalg.norm(h)
    w[1] = np.linalg.norm(x)
    w[2] = np.linalg.norm(h, ord=2)


@kernel
def rounds(
    x: Tensor[f32, N], d: Tensor[f64, N], h: Tensor[f16, N], y: Tensor[f32, N], z: Tensor[f64, N], v: Tensor[f16, N]
) -> None:
    for i in range(N):
        y[i] = round(x[i], 2) + np.round(x[i])
    z[:] = np.round(d, 3) + np.around(d * 100, -1)
    v[:] = h.round(1)


@kernel
def divmods(x: Tensor[f32, N], n: Tensor[i32, N], q: Tensor[i32, N], r: Tensor[f32, N]) -> None:
    for i in range(N):
        a, b = divmod(i, 7)
        q[i], c = divmod(n[i], 5)
        q[i] += a * b + c
        d, r[i] = divmod(x[i], 3)
        r[i] += d * 2


@kernel
def spaced(y: Tensor[f64, N], z: Tensor[f32, 5], w: Tensor[f64, 1]) -> None:
    y[:] = np.linspace(-1, 1, N)
    z[:] = np.linspace(0.1, 0.7, 5)
    w[:] = np.linspace(2, 3, num=1)


@kernel
def einsum_(
    a: Tensor[f32, M, K], b: Tensor[f32, K, N], c: Tensor[f32, M, N], t: Tensor[f32, N, M], d: Tensor[f32, M]
) -> None:
    c[:] = np.einsum("ik,kj->ij", a, b)
    t[:] = np.einsum("ij->ji", c) * 2
    d[:] = np.einsum("ij, ij -> i", c, c)


@kernel
def einsum_batch(
    a: Tensor[f16, B, M, K],
    b: Tensor[f16, B, K, N],
    c: Tensor[f32, B, M, N],
    s: Tensor[f32, K, K],
    o: Tensor[f32, 2],
) -> None:
    c[:] = np.einsum("bij,bjk->bik", a.astype(np.float32), b.astype(f32))
    o[0] = np.einsum("ii", s)
    o[1] = np.einsum("ij,jk,ki->", s, s, s)


@kernel
def einsum_whole(h: Tensor[i8, M, M], g: Tensor[i32, M], e: Tensor[i32, M]) -> None:
    e[:] = np.einsum("ii->i", h) + np.einsum("ba", h)[0] + np.einsum("a,a", g, g) + np.einsum("ij,i->j", h, g)


@kernel
def heads(x: Tensor[f32, B, T, H * D], y: Tensor[f32, B, H, T, D], z: Tensor[f32, B, T, H * D]) -> None:
    y[:] = x.reshape(B, T, H, D).transpose(0, 2, 1, 3)
    z[:] = y.transpose(0, 2, 1, 3).reshape(B, T, -1) * 2


@kernel
def flat_views(f: Tensor[f32, M * N], g: Tensor[f32, M, N]) -> None:
    g[:] = f.reshape((M, N))
    v = g.reshape(-1)
    v += 1
    q = np.reshape(g, M * N)
    for i in range(M * N):
        q[i] += i


@kernel
def split(x: Tensor[f32, N], y: Tensor[f32, M, 4]) -> None:
    assert N == 4 * M
    t = x[::-1].reshape(M, 4)
    t[:, 1] = 7
    y[:] = t


@kernel
def views(x: Tensor[f32, M, N], y: Tensor[f32, N, M], z: Tensor[f32, M * N], w: Tensor[f32, M * N]) -> None:
    t = x.swapaxes(0, 1)
    t[:, 0] = 3
    y[:] = np.transpose(x, (1, 0)) + np.swapaxes(x, 1, 0)
    z[:] = x.T.ravel() + x.T.flatten()
    w[:] = x[:, ::-1].reshape(M * N)
    a = np.asarray(x)
    a[:, 1:] *= 2


@kernel
def same_bounds(
    row: Tensor[i32, M + 1], col: Tensor[i32, K], val: Tensor[f32, K], x: Tensor[f32, N], y: Tensor[f32, M]
) -> None:
    for i in range(M):
        cols = col[row[i] : row[i + 1]]
        vals = val[row[i] : row[i + 1]]
        y[i] = vals @ x[cols]


@kernel
def same_bounds_changed(at: Tensor[i32, M], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    for i in range(M):
        n = at[i] % 5
        a = x[:n]
        s = a.sum()
        n += 1
        b = x[:n]
        y[i] = s + b.sum() * 2


@kernel
def cut_off(x: Tensor[f32, M, N], y: Tensor[f32, M, 3]) -> None:
    assert N >= 3
    for i in range(M):
        a = x[i, 0:3]
        b = a[1:]
        y[i, :2] = b
        y[i, 2] = a[0]
