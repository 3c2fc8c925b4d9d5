"""Softmax: a total that is rescaled whenever a larger score is met, and weights that are divided by it.

Both sides are what people write: one pass with a running maximum, and several passes over the scores. They are
joined to the passes; a plan may run these as one loop again, over tiles of its own.
"""

from __future__ import annotations

import math

from tl2hip.rule import Extent, Fn, Op, Rounding, Value, combine, rule

Most = Op["max", "maximum"]


@rule(real=True, identity="exp(a) * exp(b) == exp(a + b)")
def online_softmax(most: Most, f: Fn, w: Fn, c: Rounding, N: Extent, z: Value, x: Value) -> tuple[Value, Value]:
    """A sum of weights exp(f - m), kept right for the largest f so far, is the sum for the largest of all."""
    m, total = z, x
    for j in range(N):
        new = combine(most, m, f(j))
        total = total * math.exp(m - new) + c(math.exp(f(j) - new)) * w(j)
        m = new
    return m, total


@online_softmax.becomes
def in_passes(most: Most, f: Fn, w: Fn, c: Rounding, N: Extent, z: Value, x: Value) -> tuple[Value, Value]:
    """The largest first, then the sum."""
    m = z
    for j in range(N):
        m = combine(most, m, f(j))
    total = x * math.exp(z - m)
    for j in range(N):
        total += c(math.exp(f(j) - m)) * w(j)
    return m, total


# hit: a running maximum, for each key
#     def lse(X: Tensor[f32, M, N], out: Tensor[f32, M]) -> None:
#         for i in range(M):
#             m = f32(-math.inf)
#             total = f32(0)
#             for j in range(N):
#                 new = max(m, X[i, j])
#                 total = total * math.exp(m - new) + math.exp(X[i, j] - new)
#                 m = new
#             out[i] = m + math.log(total)

# hit: keys in tiles, weighted values in an array, rounded weights
#     def attention(X: Tensor[f32, M, N], V: Tensor[f16, N, D], out: Tensor[f32, M, D]) -> None:
#         for i in range(M):
#             m = f32(-math.inf)
#             acc = np.zeros(D, dtype=np.float32)
#             for t in range(0, N, 16):
#                 new = m
#                 for j in range(t, min(t + 16, N)):
#                     new = max(new, X[i, j])
#                 for d in range(D):
#                     acc[d] *= np.exp(m - new)
#                 for j in range(t, min(t + 16, N)):
#                     for d in range(D):
#                         acc[d] += f32(f16(np.exp(X[i, j] - new))) * f32(V[j, d])
#                 m = new
#             out[i, :] = acc

# hit: keys left out by a test
#     def lse(X: Tensor[f32, M, N], out: Tensor[f32, M]) -> None:
#         for i in range(M):
#             m = f32(-math.inf)
#             total = f32(0)
#             for j in range(N):
#                 if j > i:
#                     continue
#                 new = max(m, X[i, j])
#                 total = np.exp2(X[i, j] - new) + np.exp2(m - new) * total
#                 m = new
#             out[i] = m + np.log2(total)

# miss: the total is not rescaled
#     def lse(X: Tensor[f32, M, N], out: Tensor[f32, M]) -> None:
#         for i in range(M):
#             m = f32(-math.inf)
#             total = f32(0)
#             for j in range(N):
#                 new = max(m, X[i, j])
#                 total = total + math.exp(X[i, j] - new)
#                 m = new
#             out[i] = m + math.log(total)

# miss: rescaled by another power than its terms have
#     def lse(X: Tensor[f32, M, N], out: Tensor[f32, M]) -> None:
#         for i in range(M):
#             m = f32(-math.inf)
#             total = f32(0)
#             for j in range(N):
#                 new = max(m, X[i, j])
#                 total = total * np.exp2(m - new) + np.exp(X[i, j] - new)
#                 m = new
#             out[i] = m + math.log(total)


@rule(real=True, identity="sum(f / t) == sum(f) / t")
def normalised(most: Most, f: Fn, w: Fn, c: Rounding, N: Extent) -> tuple[Value, Value]:
    """Weights that are divided by their sum before they are used are divided once, after the sum over them."""
    m = -math.inf
    for j in range(N):
        m = combine(most, m, f(j))
    total = 0.0
    for j in range(N):
        total += math.exp(f(j) - m)
    s = 0.0
    for j in range(N):
        s += c(math.exp(f(j) - m) / total) * w(j)
    return total, s


@normalised.becomes
def divided_once(most: Most, f: Fn, w: Fn, c: Rounding, N: Extent) -> tuple[Value, Value]:
    """The sum, divided; of nothing it is 0, as before."""
    m = -math.inf
    for j in range(N):
        m = combine(most, m, f(j))
    total = 0.0
    for j in range(N):
        total += math.exp(f(j) - m)
    s = 0.0
    for j in range(N):
        s += c(math.exp(f(j) - m)) * w(j)
    return total, s / total if N > 0 else 0.0


# hit: softmax as it is usually written, then its product with values
#     def attention(X: Tensor[f32, M, N], V: Tensor[f32, N, D], out: Tensor[f32, M, D]) -> None:
#         for i in range(M):
#             m = X[i, :].max()
#             p = np.exp(X[i, :] - m)
#             p = p / p.sum()
#             for d in range(D):
#                 out[i, d] = (f32(f16(p)) * V[:, d]).sum()

# miss: divided by something else than the weights' sum
#     def attention(X: Tensor[f32, M, N], V: Tensor[f32, N, D], out: Tensor[f32, M, D]) -> None:
#         for i in range(M):
#             m = X[i, :].max()
#             p = np.exp(X[i, :] - m)
#             p = p / (p.sum() + f32(1))
#             for d in range(D):
#                 out[i, d] = (p * V[:, d]).sum()


@rule(real=True, identity="sum(f / t) == sum(f) / t")
def products_normalised(most: Most, f: Fn, w: Fn, c: Rounding, N: Extent) -> tuple[Value, Value]:
    """Weighted values that are divided by the weights' sum one by one are divided once, after the sum over them."""
    m = -math.inf
    for j in range(N):
        m = combine(most, m, f(j))
    total = 0.0
    for j in range(N):
        total += math.exp(f(j) - m)
    s = 0.0
    for j in range(N):
        s += c(math.exp(f(j) - m)) * w(j) / total
    return total, s


@products_normalised.becomes
def products_divided_once(most: Most, f: Fn, w: Fn, c: Rounding, N: Extent) -> tuple[Value, Value]:
    """The sum, divided; of nothing it is 0, as before."""
    m = -math.inf
    for j in range(N):
        m = combine(most, m, f(j))
    total = 0.0
    for j in range(N):
        total += math.exp(f(j) - m)
    s = 0.0
    for j in range(N):
        s += c(math.exp(f(j) - m)) * w(j)
    return total, s / total if N > 0 else 0.0


# hit: a product divided by the sum at each key
#     def attention(X: Tensor[f32, M, N], V: Tensor[f32, N, D], out: Tensor[f32, M, D]) -> None:
#         for i in range(M):
#             m = X[i, :].max()
#             p = np.exp(X[i, :] - m)
#             total = p.sum()
#             for d in range(D):
#                 out[i, d] = (p * V[:, d] / total).sum()


@rule(real=True, identity="sum(f * t) == sum(f) * t")
def weights_scaled(most: Most, f: Fn, w: Fn, c: Rounding, N: Extent, t: Value) -> tuple[Value, Value]:
    """Weights that are multiplied by one factor, such as 1 / total, are multiplied once, after the sum."""
    m = -math.inf
    for j in range(N):
        m = combine(most, m, f(j))
    s = 0.0
    for j in range(N):
        s += c(math.exp(f(j) - m) * t) * w(j)
    return t, s


@weights_scaled.becomes
def scaled_once(most: Most, f: Fn, w: Fn, c: Rounding, N: Extent, t: Value) -> tuple[Value, Value]:
    """The sum, scaled; of nothing it is 0, as before."""
    m = -math.inf
    for j in range(N):
        m = combine(most, m, f(j))
    s = 0.0
    for j in range(N):
        s += c(math.exp(f(j) - m)) * w(j)
    return t, s * t if N > 0 else 0.0


# hit: the sum's reciprocal, multiplied in
#     def attention(X: Tensor[f32, M, N], V: Tensor[f32, N, D], out: Tensor[f32, M, D]) -> None:
#         for i in range(M):
#             m = X[i, :].max()
#             p = np.exp(X[i, :] - m)
#             r = f32(1) / p.sum()
#             for d in range(D):
#                 out[i, d] = (p * r * V[:, d]).sum()
