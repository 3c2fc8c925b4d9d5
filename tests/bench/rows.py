"""Row and elementwise kernels of the table, as a user writes them."""

from __future__ import annotations

from tests.bench.aims import Aim
from tests.bench.sources import Case

HEAD = """\
import math

import numpy as np

from tl2hip import Tensor, Tile, bf16, dims, f16, f32, i32, kernel

B, M, N = dims("B M N")


@kernel
"""
SOFTMAX = '''\
def softmax(X: Tensor[f16, M, N], Y: Tensor[f16, M, N]) -> None:
    """Each row of Y is softmax(row of X), computed in f32."""
    for i in range(M):
        m = f32(-math.inf)
        for j in range(N):
            m = max(m, f32(X[i, j]))
        total = f32(0)
        for j in range(N):
            total += np.exp(f32(X[i, j]) - m)
        for j in range(N):
            Y[i, j] = f16(np.exp(f32(X[i, j]) - m) / total)
'''
RMSNORM = '''\
def rmsnorm(X: Tensor[{t}, M, N], weight: Tensor[{t}, N], Y: Tensor[{t}, M, N], eps: f32) -> None:
    """Each row of X over its root mean square, times weight; computed in f32."""
    for i in range(M):
        x = f32(X[i, :])
        scale = 1 / np.sqrt(np.mean(x * x) + eps)
        Y[i, :] = {t}(x * scale * f32(weight))
'''
LAYERNORM = '''\
def layernorm(
    X: Tensor[f32, M, N], weight: Tensor[f32, N], bias: Tensor[f32, N], Y: Tensor[f32, M, N], eps: f32
) -> None:
    """Each row of X less its mean, over its standard deviation, times weight, plus bias."""
    for i in range(M):
        mean = X[i, :].mean()
        centred = X[i, :] - mean
        variance = (centred * centred).mean()
        Y[i, :] = centred / np.sqrt(variance + eps) * weight + bias
'''
ARGMAX = '''\
def argmax(X: Tensor[f32, M, N], value: Tensor[f32, M], index: Tensor[i32, M]) -> None:
    """The first of the largest elements of each row: its value and its column."""
    for i in range(M):
        best = f32(-math.inf)
        where = 0
        for j in range(N):
            if X[i, j] > best:
                best = X[i, j]
                where = j
        value[i] = best
        index[i] = where
'''
ADD = '''\
def add(a: Tensor[{t}, N], b: Tensor[{t}, N], out: Tensor[{t}, N]) -> None:
    """out = a + b."""
    i: Tile[int, 4096]
    for i in range(N):
        out[i] = a[i] + b[i]
'''
TRANSPOSE = '''\
def transpose(A: Tensor[{t}, M, N], B: Tensor[{t}, N, M]) -> None:
    """B = A.T."""
    i: Tile[int, 64]
    j: Tile[int, 64]
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j]
'''
GEMV = '''\
def gemv(A: Tensor[{t}, M, N], x: Tensor[{t}, N], y: Tensor[f32, M]) -> None:
    """y = A @ x."""
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += f32(A[i, j]) * f32(x[j])
        y[i] = s
'''
GEMV_BATCH = '''\
def gemv_batch(A: Tensor[{t}, B, M, N], x: Tensor[{t}, B, N], y: Tensor[f32, B, M]) -> None:
    """y[b] = A[b] @ x[b]."""
    for b in range(B):
        for i in range(M):
            s = f32(0)
            for j in range(N):
                s += f32(A[b, i, j]) * f32(x[b, j])
            y[b, i] = s
'''
GEMV_COLUMNS = '''\
def gemv_columns(x: Tensor[{t}, N], A: Tensor[{t}, N, M], y: Tensor[f32, M]) -> None:
    """y = x @ A."""
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += f32(x[j]) * f32(A[j, i])
        y[i] = s
'''
NO_SPILLS = Aim("spills", 0)


def _row(name: str, text: str, shape: str, peer: str, *aims: Aim, n: int | None = 4096, **run: int) -> Case:
    sets = {} if n is None else {"N": n}
    return Case(name, HEAD + text, "row", shape, peer, (*aims, NO_SPILLS), sets=sets, run=run)


ROWS = (
    _row("softmax f16", SOFTMAX, "4,096", "Triton 301, TileLang 513", Aim("inst", 300), M=3),
    _row("softmax f16 any N", SOFTMAX, "N", "Triton 301 (4,096)", n=None, M=3, N=1024),
    _row("RMSNorm f16", RMSNORM.format(t="f16"), "4,096", "TileLang 233", Aim("inst", 230), M=3),
    _row(
        "RMSNorm bf16", RMSNORM.format(t="bf16"), "4,096", "TileLang 468",
        Aim("inst", 250), Aim("branches", 4, "branches, of its loops and ends,"), M=3,
    ),
    _row("LayerNorm f32", LAYERNORM, "4,096", "Triton 257, TileLang 308", M=3),
    _row("argmax f32", ARGMAX, "4,096", "-", M=3),
    _row("add f16", ADD.format(t="f16"), "tile 4,096", "TileLang 146", Aim("inst", 60), n=None, N=8192),
    _row("add bf16", ADD.format(t="bf16"), "tile 4,096", "TileLang 1,312", n=None, N=8192),
    _row("transpose f32", TRANSPOSE.format(t="f32"), "64x64", "-", n=None, M=128, N=128),
    _row("transpose f16", TRANSPOSE.format(t="f16"), "64x64", "-", n=None, M=128, N=128),
    _row("gemv f32", GEMV.format(t="f32"), "4,096", "-", M=8),
    _row("gemv f16", GEMV.format(t="f16"), "4,096", "-", M=8),
    _row("gemv f16 few long rows", GEMV.format(t="f16"), "65,536", "-", n=65_536, M=2),
    _row("gemv batch f16", GEMV_BATCH.format(t="f16"), "4,096", "-", B=2, M=8),
    _row("gemv columns f32", GEMV_COLUMNS.format(t="f32"), "4,096", "-", M=64),
    _row("gemv columns f16", GEMV_COLUMNS.format(t="f16"), "4,096", "-", M=128),
)  # fmt: skip
