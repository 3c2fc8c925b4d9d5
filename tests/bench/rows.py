"""Row and elementwise kernels of the table, as a user writes them."""

from __future__ import annotations

from tests.bench.aims import Aim
from tests.bench.sources import Case

HEAD = """\
import math

import numpy as np

from tl2hip import Tensor, Tile, bf16, dims, distinct, f8e4m3, f16, f32, i8, i32, i64, kernel

B, H, M, N, V = dims("B H M N V")


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
ADD_RMSNORM = '''\
def add_rmsnorm(
    X: Tensor[{t}, M, N], R: Tensor[{t}, M, N], weight: Tensor[{t}, N], S: Tensor[{t}, M, N], Y: Tensor[{t}, M, N],
    eps: f32,
) -> None:
    """S = X + R, and each row of it over its root mean square, times weight."""
    for i in range(M):
        total = f32(0)
        for j in range(N):
            s = {t}(f32(X[i, j]) + f32(R[i, j]))
            S[i, j] = s
            total += f32(s) * f32(s)
        scale = f32(1) / np.sqrt(total / f32(N) + eps)
        for j in range(N):
            Y[i, j] = {t}(f32(S[i, j]) * scale * f32(weight[j]))
'''
CROSS_ENTROPY = '''\
def cross_entropy(X: Tensor[bf16, M, N], target: Tensor[i64, M], loss: Tensor[f32, M], ignore: int) -> None:
    """The logarithm of the sum of each row's exponentials, less the target's element; 0 where it is ignored."""
    for i in range(M):
        m = f32(-math.inf)
        for j in range(N):
            m = max(m, f32(X[i, j]))
        total = f32(0)
        for j in range(N):
            total += np.exp(f32(X[i, j]) - m)
        if target[i] == ignore:
            loss[i] = f32(0)
        else:
            loss[i] = m + np.log(total) - f32(X[i, target[i]])
'''
QUANTISE = '''\
def quantise(X: Tensor[f16, M, N], Q: Tensor[i8, M, N], S: Tensor[f32, M]) -> None:
    """Each row of X by its largest element, in 8 bits."""
    for i in range(M):
        top = f32(0)
        for j in range(N):
            top = max(top, abs(f32(X[i, j])))
        scale = max(top, f32(1e-10)) / f32(127)
        S[i] = scale
        for j in range(N):
            Q[i, j] = i8(min(max(np.rint(f32(X[i, j]) / scale), f32(-127)), f32(127)))
'''
DEQUANTISE = '''\
def dequantise(Q: Tensor[i8, M, N], S: Tensor[f32, M], Y: Tensor[bf16, M, N]) -> None:
    """Each row of Q times its scale."""
    for i in range(M):
        for j in range(N):
            Y[i, j] = bf16(f32(Q[i, j]) * S[i])
'''
SWIGLU = '''\
def swiglu(X: Tensor[{t}, M, 2 * N], Y: Tensor[{t}, M, N]) -> None:
    """The first half of each row of X through silu, times the other half."""
    for i in range(M):
        for j in range(N):
            g = f32(X[i, j])
            Y[i, j] = {t}(g / (f32(1) + np.exp(-g)) * f32(X[i, j + N]))
'''
ROPE = '''\
def rope(Q: Tensor[{t}, M, H, N], cos: Tensor[f32, M, N // 2], sin: Tensor[f32, M, N // 2]) -> None:
    """Each head of Q turned by the angles of its row, the halves of a head paired, in place."""
    for m in range(M):
        for h in range(H):
            for i in range(N // 2):
                a, b = f32(Q[m, h, i]), f32(Q[m, h, i + N // 2])
                Q[m, h, i] = {t}(a * cos[m, i] - b * sin[m, i])
                Q[m, h, i + N // 2] = {t}(b * cos[m, i] + a * sin[m, i])
'''
ROPE_PAIRS = '''\
def rope_pairs(Q: Tensor[{t}, M, H, N], cos: Tensor[f32, M, N // 2], sin: Tensor[f32, M, N // 2]) -> None:
    """Each head of Q turned by the angles of its row, neighbours paired, in place."""
    for m in range(M):
        for h in range(H):
            for p in range(N // 2):
                a, b = f32(Q[m, h, 2 * p]), f32(Q[m, h, 2 * p + 1])
                Q[m, h, 2 * p] = {t}(a * cos[m, p] - b * sin[m, p])
                Q[m, h, 2 * p + 1] = {t}(b * cos[m, p] + a * sin[m, p])
'''
ROPE_BY_TWOS = '''\
def rope_by_twos(
    X: Tensor[f32, M, N], cos: Tensor[f32, M, N // 2], sin: Tensor[f32, M, N // 2], Y: Tensor[f32, M, N]
) -> None:
    """Neighbours of each row of X turned by its angles."""
    assert N % 2 == 0
    for m in range(M):
        for i in range(0, N, 2):
            c, s = cos[m, i // 2], sin[m, i // 2]
            Y[m, i] = X[m, i] * c - X[m, i + 1] * s
            Y[m, i + 1] = X[m, i] * s + X[m, i + 1] * c
'''
BIAS = '''\
def bias(X: Tensor[{t}, M, N], b: Tensor[{t}, N], Y: Tensor[{t}, M, N]) -> None:
    """Y = X + b."""
    for i in range(M):
        for j in range(N):
            Y[i, j] = {t}(f32(X[i, j]) + f32(b[j]))
'''
EMBEDDING = '''\
def embedding(ids: Tensor[i64, M], W: Tensor[bf16, V, N], Y: Tensor[bf16, M, N]) -> None:
    """The rows of W that ids says."""
    for i in range(M):
        for j in range(N):
            Y[i, j] = W[ids[i], j]
'''
HEADS = '''\
def heads(X: Tensor[bf16, B, M, H, N], Y: Tensor[bf16, B, H, M, N]) -> None:
    """The heads of X ahead of its rows."""
    for b in range(B):
        for h in range(H):
            for i in range(M):
                for j in range(N):
                    Y[b, h, i, j] = X[b, i, h, j]
'''
CAST = '''\
def cast(X: Tensor[f32, N], Y: Tensor[bf16, N]) -> None:
    """X in 16 bits."""
    for i in range(N):
        Y[i] = bf16(X[i])
'''
DECODE = '''\
def decode(
    q: Tensor[f16, B, {h}, 128],
    keys: Tensor[f16, M, 16, {kv}, 128],
    values: Tensor[f16, M, 16, {kv}, 128],
    table: Tensor[i32, B, N],
    lengths: Tensor[i32, B],
    out: Tensor[f16, B, {h}, 128],
) -> None:
    """One token of each sequence over cached keys and values in pages of 16."""
    for b in range(B):
        for h in range({h}):
            scores = np.empty(N * 16, dtype=np.float32)
            for j in range(lengths[b]):
                s = f32(0)
                for d in range(128):
                    s += f32(q[b, h, d]) * f32(keys[table[b, j // 16], j % 16, h // {g}, d])
                scores[j] = s * f32(0.125)
            m = f32(-math.inf)
            for j in range(lengths[b]):
                m = max(m, scores[j])
            total = f32(0)
            for j in range(lengths[b]):
                total += np.exp(scores[j] - m)
            for d in range(128):
                o = f32(0)
                for j in range(lengths[b]):
                    o += np.exp(scores[j] - m) * f32(values[table[b, j // 16], j % 16, h // {g}, d])
                out[b, h, d] = f16(o / total)
'''
NO_SPILLS = Aim("spills", 0)
SIX_WAVES = Aim("waves", 6, least=True)
STREAMED = (Aim("wide loads", True, "loads of 16 bytes only"), Aim("conflicts", 0, "bank conflicts"))


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
    _row("add RMSNorm bf16 short", ADD_RMSNORM.format(t="bf16"), "128", "-", n=128, M=9),
    _row("add RMSNorm bf16", ADD_RMSNORM.format(t="bf16"), "4,096", "TileLang 468 (no add)", Aim("inst", 250), M=3),
    _row("quantise i8", QUANTISE, "4,096", "-", M=3),
    _row("dequantise i8", DEQUANTISE, "N", "-", SIX_WAVES, n=None, M=17, N=1024),
    _row("SwiGLU f16 halves", SWIGLU.format(t="f16"), "N", "-", SIX_WAVES, n=None, M=17, N=1024),
    _row("SwiGLU bf16 halves", SWIGLU.format(t="bf16"), "N", "-", SIX_WAVES, n=None, M=17, N=1024),
    _row("rope bf16 in place", ROPE.format(t="bf16"), "128", "-", SIX_WAVES, n=128, M=5, H=65),
    _row("rope bf16 of neighbours in place", ROPE_PAIRS.format(t="bf16"), "128", "-", SIX_WAVES, n=128, M=5, H=65),
    _row("rope f32 by twos", ROPE_BY_TWOS, "N", "-", SIX_WAVES, n=None, M=17, N=1024),
    _row("bias bf16", BIAS.format(t="bf16"), "N", "-", SIX_WAVES, n=None, M=17, N=1024),
    _row("embedding bf16", EMBEDDING, "4,096", "-", SIX_WAVES, M=5, V=7),
    _row("heads bf16", HEADS, "128", "-", SIX_WAVES, n=128, B=2, H=3, M=65),
    _row("cast bf16", CAST, "N", "-", SIX_WAVES, n=None, N=8192),
    _row("gemv columns f16", GEMV_COLUMNS.format(t="f16"), "4,096", "-", M=128),
    _row("decode f16 8:1", DECODE.format(h=8, kv=1, g=8), "pages of 16", "-", *STREAMED, n=None, B=1, M=20, N=20),
    _row("decode f16 1:1", DECODE.format(h=2, kv=2, g=1), "pages of 16", "-", *STREAMED, n=None, B=1, M=20, N=20),
)  # fmt: skip
