"""Language models as they are served: decoding from a cache, experts, small types."""

import math

import numpy as np

from tl2hip import Tensor, Tile, dims, f8e4m3, f16, f32, i32, kernel, offsets, serial, u8

B, H, G, S, T, D, P, N, M, K, L, E = dims("B H G S T D P N M K L E")
PAGES, PAGE = dims("PAGES PAGE")


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
def gemm_fp8(A: Tensor[f8e4m3, M, K], B: Tensor[f8e4m3, N, K], C: Tensor[f32, M, N]) -> None:
    """C = A @ B.T, 8-bit floats summed in f32."""
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[j, k])
            C[i, j] = s
