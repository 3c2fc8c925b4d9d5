"""Operators of language models."""

import math

import numpy as np

from tl2hip import (
    Tensor,
    Tile,
    dims,
    f8e4m3,
    f16,
    f32,
    i32,
    i64,
    kernel,
    offsets,
    serial,
    stages,
    tile,
    u8,
)

B, H, G, S, T, D, P, N, M, K, V, L, E = dims("B H G S T D P N M K V L E")
PAGES, PAGE = dims("PAGES PAGE")


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


def softmax_of(x: Tensor[f32, T], size: int) -> None:
    """The first elements of x become their softmax."""
    max_val = x[0]
    for i in range(1, size):
        if x[i] > max_val:
            max_val = x[i]
    total = f32(0)
    for i in range(size):
        x[i] = math.exp(x[i] - max_val)
        total += x[i]
    for i in range(size):
        x[i] /= total


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


@kernel
def decode_attention(
    q: Tensor[f32, H * D],
    key_cache: Tensor[f32, T, H * D],
    value_cache: Tensor[f32, T, H * D],
    att: Tensor[f32, H, T],
    xb: Tensor[f32, H * D],
    pos: int,
) -> None:
    """One new token's attention to tokens 0 to pos, a head at a time."""
    assert 0 <= pos < T
    for h in range(H):
        for t in range(pos + 1):
            score = sum(q[h * D + i] * key_cache[t, h * D + i] for i in range(D))
            att[h, t] = score / math.sqrt(D)
        softmax_of(att[h], pos + 1)
        for i in range(D):
            xb[h * D + i] = 0
        for t in range(pos + 1):
            a = att[h, t]
            for i in range(D):
                xb[h * D + i] += a * value_cache[t, h * D + i]


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
def sample(probabilities: Tensor[f32, N], r: f32) -> int:
    """The first place at which the running sum passes r."""
    cdf = f32(0)
    for i in range(N):
        cdf += probabilities[i]
        if r < cdf:
            return i  # TL407
    return N - 1


@kernel
def sample_rows(probabilities: Tensor[f32, M, N], r: Tensor[f32, M], chosen: Tensor[i32, M]) -> None:
    """The same, one draw a row."""
    for m in range(M):
        chosen[m] = N - 1
        cdf = f32(0)
        for i in range(N):
            cdf += probabilities[m, i]
            if r[m] < cdf:
                chosen[m] = i
                break


@kernel
def paged_decode(
    q: Tensor[f32, S, H, D],
    key_cache: Tensor[f32, PAGES, PAGE, H, D],
    value_cache: Tensor[f32, PAGES, PAGE, H, D],
    table: Tensor[i32, S, L],
    length: Tensor[i32, S],
    out: Tensor[f32, S, H, D],
    scale: f32,
) -> None:
    """A decode step over keys and values kept in pages; table[s, b] is the page of tokens from b * PAGE on."""
    att = np.zeros((S, H, L * PAGE), dtype=np.float32)
    for s in range(S):
        for h in range(H):
            n = min(length[s], L * PAGE)
            m = f32(-math.inf)
            for t in range(n):
                page = table[s, t // PAGE]
                dot = f32(0)
                for d in range(D):
                    dot += q[s, h, d] * key_cache[page, t % PAGE, h, d]
                att[s, h, t] = dot * scale
                m = max(m, att[s, h, t])
            total = f32(0)
            for t in range(n):
                total += math.exp(att[s, h, t] - m)
            for d in range(D):
                o = f32(0)
                for t in range(n):
                    page = table[s, t // PAGE]
                    o += math.exp(att[s, h, t] - m) * value_cache[page, t % PAGE, h, d]
                out[s, h, d] = o / total if n > 0 else f32(0)


@kernel
def moe_align_lists(topk: Tensor[i32, N], block: int, sorted_ids: Tensor[i32, M]) -> None:
    """Tokens by expert, each bucket padded to a whole block: with lists."""
    buckets = [[] for _ in range(8)]  # TL131
    for t in range(N):
        buckets[topk[t]].append(t)
    at = 0
    for e in range(8):
        for t in buckets[e]:
            sorted_ids[at] = t
            at += 1


@kernel
def moe_count(topk: Tensor[i32, N], count: Tensor[i32, E]) -> None:
    """How many tokens go to each expert."""
    for t in range(N):
        count[topk[t]] += 1


@kernel
def moe_start(count: Tensor[i32, E], start: Tensor[i32, E + 1], block: int) -> None:
    """Where each bucket starts, all padded to whole blocks."""
    e: Tile[int, serial]
    assert block > 0
    at = 0
    for e in range(E):
        start[e] = at
        at += (count[e] + block - 1) // block * block
    start[E] = at


@kernel
def moe_place(topk: Tensor[i32, N], start: Tensor[i32, E + 1], place: Tensor[i32, N]) -> None:
    """Where each token stands among the sorted ones: after those of its expert that come before it."""
    for t in range(N):
        before = 0
        for u in range(t):
            if topk[u] == topk[t]:
                before += 1
        place[t] = start[topk[t]] + before


@kernel
def moe_grouped_gemm(
    X: Tensor[f32, T, K], W: Tensor[f32, E, K, N], start: Tensor[i32, E + 1], Y: Tensor[f32, T, N]
) -> None:
    """Rows start[e] up to start[e + 1] of X times the weights of expert e."""
    assert offsets(start)
    for e in range(E):
        for t in range(start[e], start[e + 1]):
            for n in range(N):
                s = f32(0)
                for k in range(K):
                    s += X[t, k] * W[e, k, n]
                Y[t, n] = s


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
def cast_fp8(X: Tensor[f32, M, N], Y: Tensor[f8e4m3, M, N], scale: Tensor[f32, M, N // 16]) -> None:
    """Each group of 16 in a row over a scale of its own; a group of zeros has a small scale, not 0."""
    assert N % 16 == 0
    for i in range(M):
        for g in range(N // 16):
            amax = f32(1e-4)
            for j in range(16):
                amax = max(amax, abs(X[i, g * 16 + j]))
            s = amax / f32(240)
            scale[i, g] = s
            for j in range(16):
                Y[i, g * 16 + j] = f8e4m3(max(f32(-240), min(f32(240), X[i, g * 16 + j] / s)))


@kernel
def topk_radix(x: Tensor[u8, N], k: int, out: Tensor[i32, N]) -> None:
    """The places of the k largest values by counting values from the top."""
    hist = np.zeros(256, dtype=np.int32)
    for i in range(N):
        hist[x[i]] += 1
    left = k
    threshold = 255
    for v in range(255, -1, -1):
        threshold = v
        left -= hist[v]
        if left <= 0:
            break  # TL407
    n = 0
    for i in range(N):
        if x[i] >= threshold:
            out[n] = i
            n += 1


@kernel
def topk_mask(x: Tensor[f32, M, N], k: int, keep: Tensor[bool, M, N]) -> None:
    """The same as a mask: an element is kept where fewer than k are larger, or equal and before it."""
    for i in range(M):
        for j in range(N):
            rank = 0
            for p in range(N):
                if x[i, p] > x[i, j] or (x[i, p] == x[i, j] and p < j):
                    rank += 1
            keep[i, j] = rank < k


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
def gqa_decode(
    Q: Tensor[f16, B, H * G, D],
    K: Tensor[f16, B, T, H, D],
    V: Tensor[f16, B, T, H, D],
    mask: Tensor[bool, B, T],
    out: Tensor[f32, B, H * G, D],
) -> None:
    """One query a sequence, G query heads for each of keys; masked tokens do not count."""
    for b in range(B):
        for h in range(H * G):
            s = np.zeros(T, dtype=np.float32)
            m = f32(-1e30)
            for t in range(T):
                for d in range(D):
                    s[t] += f32(Q[b, h, d]) * f32(K[b, t, h // G, d])
                s[t] = s[t] / math.sqrt(D) if mask[b, t] else f32(-1e30)
                m = max(m, s[t])
            total = f32(0)
            for t in range(T):
                total += math.exp(s[t] - m)
            for d in range(D):
                o = f32(0)
                for t in range(T):
                    o += math.exp(s[t] - m) * f32(V[b, t, h // G, d])
                out[b, h, d] = o / total


@kernel
def gqa_decode_merge(part: Tensor[f32, P, H, D], lse: Tensor[f32, P, H], out: Tensor[f32, H, D]) -> None:
    """Parts of attention over P pieces of the cache, merged by their log-sum-exp."""
    for h in range(H):
        m = f32(-math.inf)
        for p in range(P):
            m = max(m, lse[p, h])
        total = f32(0)
        for p in range(P):
            total += math.exp(lse[p, h] - m)
        for d in range(D):
            o = f32(0)
            for p in range(P):
                o += math.exp(lse[p, h] - m) * part[p, h, d]
            out[h, d] = o / total


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
def gemm_int4(
    A: Tensor[f16, M, K], W: Tensor[u8, N, K // 2], scale: Tensor[f32, N, K // 32], C: Tensor[f32, M, N]
) -> None:
    """C = A @ W.T, W of two signed 4-bit numbers a byte, a scale for each 32 of them."""
    assert K % 32 == 0
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                nibble = (int(W[j, k // 2]) >> (k % 2 * 4)) & 15
                if nibble >= 8:
                    nibble -= 16
                s += f32(A[i, k]) * f32(nibble) * scale[j, k // 32]
            C[i, j] = s


FP4 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


@kernel
def dequant_fp4(W: Tensor[u8, N, K // 2], out: Tensor[f32, N, K]) -> None:
    """Two numbers a byte, each a sign and one of eight sizes."""
    assert K % 2 == 0
    for j in range(N):
        for k in range(K):
            code = (int(W[j, k // 2]) >> (k % 2 * 4)) & 15
            size = f32(FP4[code & 7])
            out[j, k] = -size if code & 8 else size


@kernel
def dequant_fp4_computed(W: Tensor[u8, N, K // 2], out: Tensor[f32, N, K]) -> None:
    """The same, the size computed from exponent and mantissa."""
    assert K % 2 == 0
    for j in range(N):
        for k in range(K):
            code = (int(W[j, k // 2]) >> (k % 2 * 4)) & 15
            e = (code >> 1) & 3
            h = code & 1
            size = f32(h) * f32(0.5) if e == 0 else (f32(1) + f32(h) * f32(0.5)) * f32(1 << e) * f32(0.5)
            out[j, k] = -size if code & 8 else size


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


@kernel
def gemm_fp8(A: Tensor[f8e4m3, M, K], B: Tensor[f8e4m3, N, K], C: Tensor[f32, M, N]) -> None:
    """C = A @ B.T, 8-bit floats summed in f32."""
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[j, k])
            C[i, j] = s
