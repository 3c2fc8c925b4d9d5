"""Kernels with tile loops, as users write them."""

import math

import numpy as np

from tl2hip import Lds, Tensor, dims, f16, f32, f64, i8, i32, i64, kernel, tile, unroll, waves

H, M, N, K, D = dims("H M N K D")


@kernel
def softmax(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    """Softmax of each row, a whole row at a time."""
    for i in tile.range(M, 4):
        j = tile.all(N)
        x = X[i, j]
        e = np.exp(x - x.max(axis=1, keepdims=True))
        Y[i, j] = e / e.sum(axis=1, keepdims=True)


@kernel
def log_total(X: Tensor[f32, M, N], Y: Tensor[f32, M]) -> None:
    """log(sum(exp(x))) of each row, the maximum carried from tile to tile."""
    for i in tile.range(M, 4):
        m = tile.full(i, value=-1e30, dtype=f32)
        total = tile.zeros(i, dtype=f32)
        for j in tile.range(N, 8):
            new = np.maximum(m, X[i, j].max(axis=1))
            total = total * np.exp(m - new) + np.exp(X[i, j] - new[:, None]).sum(axis=1)
            m = new
        Y[i] = m + np.log(total)


@kernel
def attention(
    Q: Tensor[f16, H, M, D],
    K_: Tensor[f16, H, N, D],
    V: Tensor[f16, H, N, D],
    out: Tensor[f32, H, M, D],
    scale: f32,
) -> None:
    """Attention in one pass: maximum, total and output carried from tile to tile."""
    for h in range(H):
        for i in tile.range(M, 16):
            d = tile.all(D)
            m = tile.full(i, value=-1e30, dtype=f32)
            total = tile.zeros(i, dtype=f32)
            acc = tile.zeros(i, d, dtype=f32)
            for j in tile.range(N, 8):
                s = tile.dot(Q[h, i, d], K_[h, j, d]) * scale
                new = np.maximum(m, s.max(axis=1))
                p = np.exp(s - new)
                kept = np.exp(m - new)
                total = total * kept + p.sum(axis=1)
                acc = acc * kept + tile.dot(p, V[h, j, d])
                m = new
            out[h, i, d] = acc / total


@kernel
def causal(X: Tensor[f32, M, N], Y: Tensor[f32, M]) -> None:
    """The sum of each row up to the diagonal, by comparing index tiles."""
    for i in tile.range(M, 4):
        s = tile.zeros(i, dtype=f32)
        for j in tile.range(N, 4):
            s += np.where(j <= i, X[i, j], 0).sum(axis=j)
        Y[i] = s


@kernel
def scaled_product(
    A: Tensor[i8, M, K], B: Tensor[i8, N, K], bias: Tensor[f32, N], C: Tensor[f16, M, N], *, block: int = 16
) -> None:
    """relu(A @ B.T / 16 + bias), whose tiles are as large as a parameter says."""
    for i in tile.range(M, block):
        for j in tile.range(N, block):
            acc = tile.zeros(i, j, dtype=i32)
            for k in tile.range(K, 64, unroll(2)):
                a: Lds[i8] = A[i, k]
                acc += tile.dot(a, B[j, k])
            C[i, j] = np.maximum(f32(acc) / 16 + bias[j], 0).astype(f16)


@kernel
def centred(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    """Each element without the mean of its row and of its column, columns first."""
    for j in tile.range(N, 4):
        i = tile.all(M)
        Y[i, j] = X[i, j] - X[i, j].sum(axis=0) / M
    for i in tile.range(M, 4):
        for j in tile.range(N):
            Y[i, j] -= Y[i, j].sum(axis=1) / N


@kernel
def statistics(X: Tensor[f64, M, N], out: Tensor[f64, 3]) -> None:
    """Sum, greatest and least of all elements."""
    total = f64(0)
    high = f64(-math.inf)
    low = f64(math.inf)
    for i in tile.range(M, 4):
        for j in tile.range(N, 4):
            total += X[i, j].sum()
            high = np.maximum(high, X[i, j].max())
            low = np.minimum(low, X[i, j].min())
    out[0] = total
    out[1] = high
    out[2] = low


@kernel
def shifted(X: Tensor[f32, N], Y: Tensor[f32, N], turns: int) -> None:
    """Neighbours by arithmetic on an index tile, in an ordinary loop."""
    for i in tile.range(N - 2, 8):
        s = tile.zeros(i, dtype=f32)
        for t in range(3):
            s = s + X[i + t] * (t + 1)
        if turns > 2:
            Y[i + 1] = s
        else:
            Y[i + 1] = -s


@kernel
def gathered(X: Tensor[f32, M, N], rows: Tensor[i32, K], Y: Tensor[f32, K, N]) -> None:
    """Rows picked by an array of indices."""
    for k in tile.range(K, 4):
        r = np.minimum(np.maximum(rows[k], 0), M - 1)
        for j in tile.range(N, 8):
            Y[k, j] = X[r, j] * 2


@kernel
def turned(X: Tensor[f32, M, N], Y: Tensor[f32, N, M]) -> None:
    """A transpose: the place says the order."""
    for i in tile.range(M, 128, waves(2)):
        for j in tile.range(N, 8):
            Y[j, i] = X[i, j]


@kernel
def least_of_steps(X: Tensor[i64, M, N], Y: Tensor[i64, M]) -> None:
    """The least total of any 4 neighbours: a statistic of each tile."""
    for i in tile.range(M, 2):
        best = tile.full(i, value=2**40, dtype=i64)
        for j in tile.range(N, 4):
            best = np.minimum(best, X[i, j].sum(axis=1))
        Y[i] = best
