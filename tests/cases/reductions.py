"""Reductions: several at once, under conditions, with starts of their own, extremes with ties and NaN."""

import math

import numpy as np

from tl2hip import Tensor, dims, f8e4m3, f32, i32, kernel, u8

M, N, K = dims("M N K")


@kernel
def many(
    x: Tensor[f32, N, M], s_: Tensor[f32, N], m_: Tensor[f32, N], c_: Tensor[i32, N], p_: Tensor[f32, N]
) -> None:
    for i in range(N):
        s = f32(2)
        m = f32(5)
        c = 3
        p = f32(1)
        for j in range(M):
            v = x[i, j]
            if v > 0:
                s += v
                c += 1
            else:
                s -= 1
            if v < m:
                m = v
            p = max(p, abs(v))
        s_[i] = s
        m_[i] = m
        c_[i] = c
        p_[i] = p


@kernel
def condseed(x: Tensor[i32, N, M], y: Tensor[i32, N], k: int) -> None:
    for i in range(N):
        s = x[i, 0] if k > 2 else k
        for j in range(M):
            if x[i, j] > i:
                s += x[i, j] * j
        y[i] = s


@kernel
def nested_red(x: Tensor[i32, N, M, K], y: Tensor[i32, N]) -> None:
    for i in range(N):
        s = 10
        for j in range(M):
            m = -1
            for k in range(K):
                if x[i, j, k] > m:
                    m = x[i, j, k]
            if m >= 0:
                s += m
        y[i] = s


@kernel
def red_store(x: Tensor[f32, N, M], y: Tensor[f32, N, M], z: Tensor[f32, N]) -> None:
    for i in range(N):
        s = f32(0)
        for j in range(M):
            y[i, j] = x[i, j] * 2
            s += y[i, j]
            y[i, j] += 1
        z[i] = s


@kernel
def mean_var(x: Tensor[f32, N, M], y: Tensor[f32, N, M]) -> None:
    for i in range(N):
        s = f32(0)
        q = f32(0)
        for j in range(M):
            s += x[i, j]
            q += x[i, j] * x[i, j]
        mu = s / M
        var = q / M - mu * mu
        for j in range(M):
            y[i, j] = (x[i, j] - mu) * (1 / math.sqrt(abs(var) + 1))


@kernel
def nmax(x: Tensor[f32, N, M], y: Tensor[f32, N], z: Tensor[f32, N], w: Tensor[f32, N]) -> None:
    for i in range(N):
        m = f32(-math.inf)
        for j in range(M):
            m = np.maximum(m, x[i, j])
        y[i] = m
        t = f32(0)
        for j in range(M):
            if x[i, j] >= t:
                t = x[i, j]
        z[i] = t
        u = f32(math.inf)
        for j in range(M):
            u = x[i, j] if x[i, j] < u else u
        w[i] = u


@kernel
def not_lt(x: Tensor[f32, N, M], y: Tensor[f32, N]) -> None:
    for i in range(N):
        m = f32(0)
        for j in range(M):
            if not (x[i, j] <= m):
                m = x[i, j]
        y[i] = m


@kernel
def several_full(x: Tensor[f32, N], y: Tensor[f32, 3]) -> None:
    s = f32(0)
    m = f32(-math.inf)
    c = 0
    for i in range(N):
        s += x[i]
        m = max(m, x[i])
        if x[i] > 1:
            c += 1
    y[0] = s
    y[1] = m
    y[2] = c


@kernel
def colsum(x: Tensor[f32, N, M], y: Tensor[f32, M]) -> None:
    for j in range(M):
        y[j] = 0
    for i in range(N):
        for j in range(M):
            y[j] += x[i, j]


@kernel
def argmin_le(x: Tensor[f32, N, M], y: Tensor[i32, N]) -> None:
    for i in range(N):
        best = f32(math.inf)
        at = -1
        for j in range(M):
            if x[i, j] <= best:
                best = x[i, j]
                at = j
        y[i] = at


@kernel
def argmin_rev(x: Tensor[f32, N, M], y: Tensor[i32, N]) -> None:
    for i in range(N):
        b = x[i, M - 1]
        at = M - 1
        for j in range(M - 2, -1, -1):
            if x[i, j] < b:
                b = x[i, j]
                at = j
        y[i] = at


@kernel
def argmax_full(x: Tensor[f32, N], y: Tensor[i32, 1]) -> None:
    best = f32(-1)
    at = -7
    for j in range(N):
        if x[j] > best:
            at = j
            best = x[j]
    y[0] = at


@kernel
def argmax2d(x: Tensor[i32, N, M], y: Tensor[i32, 3]) -> None:
    b = -5
    r = -1
    c = -1
    for i in range(N):
        for j in range(M):
            if x[i, j] > b:
                b = x[i, j]
                r = i
                c = j
    y[0] = b
    y[1] = r
    y[2] = c


@kernel
def argmax_payload(x: Tensor[f32, N, M], w: Tensor[i32, M], y: Tensor[i32, N], z: Tensor[f32, N]) -> None:
    for i in range(N):
        b = f32(-1)
        p = -1
        q = f32(0)
        for j in range(1, M, 3):
            if abs(x[i, j]) > b:
                b = abs(x[i, j])
                p = w[j]
                q = x[i, j] * 2
        y[i] = p
        z[i] = q


@kernel
def argmax_else(x: Tensor[f32, N, M], y: Tensor[i32, N], z: Tensor[i32, N]) -> None:
    for i in range(N):
        b = f32(-math.inf)
        p = -1
        c = 0
        for j in range(M):
            if x[i, j] > b:
                b = x[i, j]
                p = j
            else:
                c += 1
        y[i] = p
        z[i] = c


@kernel
def minmax_swap(x: Tensor[f32, N, M], y: Tensor[f32, N], z: Tensor[f32, N]) -> None:
    for i in range(N):
        lo = x[i, 0]
        hi = x[i, 0]
        for j in range(M):
            v = x[i, j]
            if v < lo:
                lo = v
            elif v > hi:
                hi = v
        y[i] = lo
        z[i] = hi


@kernel
def red_mixed_ops(x: Tensor[i32, N, M], y: Tensor[i32, N]) -> None:
    for i in range(N):
        s = 1
        for j in range(M):
            if j % 2 == 0:
                s += x[i, j]
            else:
                s *= x[i, j]
        y[i] = s


@kernel
def red_array_cross(x: Tensor[f32, N, M], y: Tensor[f32, N, 2]) -> None:
    for i in range(N):
        for j in range(M):
            y[i, j % 2] += x[i, j]


@kernel
def sum_then_used(x: Tensor[f32, N, M], y: Tensor[f32, N]) -> None:
    for i in range(N):
        s = f32(0)
        for j in range(M):
            s += x[i, j]
            if s > 3:
                s = f32(0)
        y[i] = s


@kernel
def max_of_red(x: Tensor[f32, N, M], y: Tensor[f32, 2]) -> None:
    best = f32(-math.inf)
    at = -1
    for i in range(N):
        s = f32(0)
        for j in range(M):
            s += x[i, j]
        if s > best:
            best = s
            at = i
    y[0] = best
    y[1] = at


@kernel
def red_two_level(x: Tensor[f32, N, M, K], y: Tensor[f32, N], z: Tensor[f32, N, M]) -> None:
    for i in range(N):
        t = f32(0)
        for j in range(M):
            s = f32(1)
            for k in range(K):
                s += x[i, j, k]
            z[i, j] = s
            t += s * s
        y[i] = t


@kernel
def online_softmax(x: Tensor[f32, N, M], y: Tensor[f32, N, M]) -> None:
    for i in range(N):
        m = f32(-math.inf)
        d = f32(0)
        for j in range(M):
            mn = max(m, x[i, j])
            d = d * np.exp(m - mn) + np.exp(x[i, j] - mn)
            m = mn
        for j in range(M):
            y[i, j] = np.exp(x[i, j] - m) / d


@kernel
def red_in_if(x: Tensor[f32, N, M], f: Tensor[i32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        if f[i] > 0:
            s = f32(0)
            for j in range(M):
                s += x[i, j]
            y[i] = s
        else:
            p = f32(1)
            for j in range(M):
                p = max(p, x[i, j])
            y[i] = p


@kernel
def red_idx(x: Tensor[i32, N, M], y: Tensor[i32, N]) -> None:
    for i in range(N):
        last = -1
        first = M
        for j in range(M):
            if x[i, j] > 3:
                last = j
                first = min(first, j)
        y[i] = last * 1000 + first


@kernel
def axes(x: Tensor[f32, N, M, K], y: Tensor[f32, N, K], z: Tensor[f32, N, M], w: Tensor[f32, M]) -> None:
    y[:] = x.sum(axis=1)
    z[:] = np.max(x, axis=-1)
    w[:] = np.mean(x, axis=(0, 2))


@kernel
def bytes_of_two(x: Tensor[u8, N, M], y: Tensor[f8e4m3, N, M], a: Tensor[u8, N], b: Tensor[f8e4m3, N]) -> None:
    for i in range(N):
        p = u8(0)
        q = y[i, 0]
        for j in range(M):
            p = max(p, x[i, j])
            q = max(q, y[i, j])
        a[i] = p
        b[i] = q


@kernel
def best_of_some(d: Tensor[f32, N], skip: Tensor[bool, N], y: Tensor[f32, 3]) -> None:
    best = f32(100)
    at = -1
    for n in range(N):
        if not skip[n] and d[n] < best:
            best = d[n]
            at = n
    top = f32(-1)
    last = -1
    for n in range(N):
        if d[n] >= top and n % 3 != 0 and not skip[n]:
            top = d[n]
            last = n
    least = f32(5)
    for n in range(N):
        if least > d[n] and skip[n]:
            least = d[n]
    y[0] = at
    y[1] = last
    y[2] = least


@kernel
def element_of_some(d: Tensor[f32, N, M], skip: Tensor[bool, N, M], y: Tensor[f32, M]) -> None:
    for i in range(N):
        for j in range(M):
            if not skip[i, j] and y[j] < d[i, j]:
                y[j] = d[i, j]
