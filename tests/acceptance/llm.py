"""Operators of language models."""

import math

import numpy as np

from tl2hip import Tensor, dims, f16, f32, i64, kernel, stages, tile

S, T, D, P, N, M, K, V = dims("S T D P N M K V")


def llama_rmsnorm(o: Tensor[f32, D], x: Tensor[f32, D], weight: Tensor[f32, D]) -> None:
    """o = x over its root mean square, times weight."""
    ss = f32(0)
    for j in range(len(x)):
        ss += x[j] * x[j]
    ss /= len(x)
    ss += f32(1e-5)
    ss = 1.0 / math.sqrt(ss)
    for j in range(len(x)):
        o[j] = weight[j] * (ss * x[j])


@kernel
def rmsnorm(o: Tensor[f32, D], x: Tensor[f32, D], weight: Tensor[f32, D]) -> None:
    """One vector, normalised."""
    llama_rmsnorm(o, x, weight)


@kernel
def softmax(x: Tensor[f32, M, N]) -> None:
    """Each row in place, in three loops."""
    for r in range(M):
        max_val = x[r, 0]
        for i in range(1, N):
            if x[r, i] > max_val:
                max_val = x[r, i]
        total = f32(0)
        for i in range(N):
            x[r, i] = math.exp(x[r, i] - max_val)
            total += x[r, i]
        for i in range(N):
            x[r, i] /= total


@kernel
def accum(a: Tensor[f32, D], b: Tensor[f32, D]) -> None:
    """a += b."""
    for i in range(len(a)):
        a[i] += b[i]


@kernel
def rope(q: Tensor[f32, N], k: Tensor[f32, N], cr: Tensor[f32, P], ci: Tensor[f32, P]) -> None:
    """Turns the pairs of every head of q and k, both flat; P pairs a head."""
    for h in range(N // (2 * P)):
        for i in range(0, 2 * P, 2):
            c, s = cr[i // 2], ci[i // 2]
            q0, q1 = q[h * 2 * P + i], q[h * 2 * P + i + 1]
            k0, k1 = k[h * 2 * P + i], k[h * 2 * P + i + 1]
            q[h * 2 * P + i], q[h * 2 * P + i + 1] = q0 * c - q1 * s, q0 * s + q1 * c
            k[h * 2 * P + i], k[h * 2 * P + i + 1] = k0 * c - k1 * s, k0 * s + k1 * c


class State:
    """What a step keeps."""


@kernel
def transformer_step(token: int, pos: int, s: State, emb: Tensor[f32, V, D]) -> None:
    """A step over an object that holds the arrays."""
    s.x = emb[token]  # TL127


@kernel
def transformer_parts(
    emb: Tensor[f32, V, D], x: Tensor[f32, D], xb: Tensor[f32, D], w: Tensor[f32, D], token: int
) -> None:
    """The start of a step, its arrays given one by one."""
    assert 0 <= token < V
    for i in range(D):
        x[i] = emb[token, i]
    llama_rmsnorm(xb, x, w)


@kernel
def argmax(v: Tensor[f32, N]) -> int:
    """The place of the first largest element."""
    max_i = 0
    max_p = v[0]
    for i in range(1, N):
        if v[i] > max_p:
            max_i = i
            max_p = v[i]
    return max_i


@kernel
def rms_norm_tiles(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    """Each row over its root mean square, a tile of rows at a time."""
    for i in tile.range(M, 4):
        n = tile.all(N)
        x = X[i, n]
        Y[i, n] = x / np.sqrt((x * x).sum(axis=1, keepdims=True) / N + 1e-5)


@kernel
def rms_norm_split(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    """The same with the row's squares summed part by part."""
    for i in tile.range(M, 4):
        total = tile.zeros(i, dtype=f32)
        for k in tile.range(N, 64):
            x = X[i, k]
            total += (x * x).sum(axis=1)
        scale = 1 / np.sqrt(total / N + 1e-5)
        for k in tile.range(N, 64):
            Y[i, k] = X[i, k] * scale[:, None]


@kernel
def gemv_split(A: Tensor[f16, M, K], x: Tensor[f16, K], y: Tensor[f32, M]) -> None:
    """y += A @ x, k in four parts."""
    part = (K + 3) // 4
    for p in range(4):
        for i in range(M):
            s = f32(0)
            for k in range(p * part, min(K, (p + 1) * part)):
                s += f32(A[i, k]) * f32(x[k])
            y[i] += s


@kernel
def gemv(A: Tensor[f16, M, K], x: Tensor[f16, K], y: Tensor[f16, M]) -> None:
    """y = A @ x by the dot product of rows."""
    for i in range(M):
        y[i] = f16(f32(A[i, :]) @ f32(x))


@kernel
def matmul_relu(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f16, M, N]) -> None:
    """C = relu(A @ B), tile by tile with two tiles in flight."""
    for i in tile.range(M, 64):
        for j in tile.range(N, 64):
            acc = tile.zeros(i, j, dtype=f32)
            for k in tile.range(K, 32, stages(2)):
                acc += tile.dot(A[i, k], B[k, j])
            C[i, j] = f16(np.maximum(acc, 0))


@kernel
def flash_causal(Q: Tensor[f16, S, D], K: Tensor[f16, S, D], V: Tensor[f16, S, D], out: Tensor[f32, S, D]) -> None:
    """Causal attention in one pass over tiles of keys."""
    for i in tile.range(S, 32):
        d = tile.all(D)
        m = tile.full(i, value=-math.inf, dtype=f32)
        total = tile.zeros(i, dtype=f32)
        acc = tile.zeros(i, d, dtype=f32)
        for j in tile.range(S, 32):
            s = np.where(j[None, :] <= i[:, None], tile.dot(Q[i, d], K[j, d]) / math.sqrt(D), -1e30)
            new = np.maximum(m, s.max(axis=1))
            p = np.exp(s - new[:, None])
            total = total * np.exp(m - new) + p.sum(axis=1)
            acc = acc * np.exp(m - new)[:, None] + tile.dot(p, V[j, d])
            m = new
        out[i, d] = acc / total[:, None]


@kernel
def online_softmax(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    """Maximum and sum of a row in one loop."""
    for i in range(M):
        m = f32(-math.inf)
        total = f32(0)
        for j in range(N):
            new = max(m, X[i, j])
            total = total * math.exp(m - new) + math.exp(X[i, j] - new)
            m = new
        for j in range(N):
            Y[i, j] = math.exp(X[i, j] - m) / total


@kernel
def cross_entropy(logits: Tensor[f32, N, V], target: Tensor[i64, N], loss: Tensor[f32, N]) -> None:
    """The log-sum-exp of each row less the target's logit."""
    for i in range(N):
        m = f32(-math.inf)
        for j in range(V):
            m = max(m, logits[i, j])
        total = f32(0)
        for j in range(V):
            total += math.exp(logits[i, j] - m)
        loss[i] = m + math.log(total) - logits[i, target[i]]


@kernel
def layer_norm(X: Tensor[f32, M, N], w: Tensor[f32, N], b: Tensor[f32, N], Y: Tensor[f32, M, N]) -> None:
    """Mean and variance in two loops."""
    for i in range(M):
        mean = f32(0)
        for j in range(N):
            mean += X[i, j]
        mean /= N
        var = f32(0)
        for j in range(N):
            var += (X[i, j] - mean) ** 2
        var /= N
        for j in range(N):
            Y[i, j] = (X[i, j] - mean) / math.sqrt(var + 1e-5) * w[j] + b[j]


@kernel
def welford(X: Tensor[f32, M, N], mean: Tensor[f32, M], var: Tensor[f32, M]) -> None:
    """Mean and variance in one loop, by Welford's recurrence."""
    for i in range(M):
        mu = f32(0)
        m2 = f32(0)
        for j in range(N):
            delta = X[i, j] - mu
            mu += delta / (j + 1)
            m2 += delta * (X[i, j] - mu)
        mean[i] = mu
        var[i] = m2 / N


@kernel
def geglu(a: Tensor[f32, T, D], b: Tensor[f32, T, D], c: Tensor[f32, T, D]) -> None:
    """gelu(a) * b, GELU by its tanh form."""
    for t in range(T):
        for d in range(D):
            x = a[t, d]
            c[t, d] = 0.5 * x * (1 + math.tanh(0.7978845608 * (x + 0.044715 * x**3))) * b[t, d]


@kernel
def fused_linear_cross_entropy(
    X: Tensor[f32, N, D], W: Tensor[f32, V, D], target: Tensor[i64, N], loss: Tensor[f32, N]
) -> None:
    """Cross-entropy of X @ W.T, a chunk of 32 rows at a time."""
    for c in range((N + 31) // 32):
        logits = np.zeros((32, V), dtype=np.float32)
        rows = min(32, N - c * 32)
        for i in range(rows):
            for v in range(V):
                for d in range(D):
                    logits[i, v] += X[c * 32 + i, d] * W[v, d]
        for i in range(rows):
            m = f32(-math.inf)
            for v in range(V):
                m = max(m, logits[i, v])
            total = f32(0)
            for v in range(V):
                total += math.exp(logits[i, v] - m)
            loss[c * 32 + i] = m + math.log(total) - logits[i, target[c * 32 + i]]
