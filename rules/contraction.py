"""Matrix products: a sum of products whose factors share only the summed axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl2hip.rule import Axis, Extent, Fn, Value, contract, rule

if TYPE_CHECKING:
    from tl2hip.rule import Match


@rule
def contraction(f: Fn, g: Fn, K: Extent, z: Value, i: Axis, j: Axis) -> Value:
    """A sum of products whose factors share only the summed axis is a matrix product."""
    s = z
    for k in range(K):
        s += f(i, k) * g(k, j)
    return s


@contraction.becomes
def product(f: Fn, g: Fn, K: Extent, z: Value, i: Axis, j: Axis) -> Value:
    """What it starts from, and one element of the product."""
    return z + contract(f, g, over=K, rows=i, cols=j)


@contraction.when
def not_a_dot_product(m: Match) -> str | None:
    """A row times a column with nothing else around is a reduction of one row."""
    if not m.axes("i") and not m.axes("j"):
        return "neither factor has an axis of its own beside the summed one"
    return None


# hit: the usual three loops
#     def product(A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:
#         for i in range(M):
#             for j in range(N):
#                 s = f32(0)
#                 for k in range(K):
#                     s += A[i, k] * B[k, j]
#                 C[i, j] = s

# hit: the summed loop outside, into what C holds
#     def product(A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:
#         for k in range(K):
#             for j in range(N):
#                 for i in range(M):
#                     C[i, j] += B[k, j] * A[i, k]

# hit: a matrix times a vector, which has no columns
#     def product(A: Tensor[f32, M, K], x: Tensor[f32, K], y: Tensor[f32, M]) -> None:
#         for i in range(M):
#             y[i] = A[i, :] @ x

# hit: a convolution sums over three loops at once
#     def conv(x: Tensor[f32, C, H], w: Tensor[f32, O, C, F], y: Tensor[f32, O, H - F + 1]) -> None:
#         for o in range(O):
#             for h in range(H - F + 1):
#                 s = f32(0)
#                 for c in range(C):
#                     for d in range(F):
#                         s += x[c, h + d] * w[o, c, d]
#                 y[o, h] = s

# miss: a dot product has neither rows nor columns
#     def dot(x: Tensor[f32, N], y: Tensor[f32, N], out: Tensor[f32, 1]) -> None:
#         s = f32(0)
#         for i in range(N):
#             s += x[i] * y[i]
#         out[0] = s

# miss: every factor changes with both i and j
#     def distances(X: Tensor[f32, M, K], Y: Tensor[f32, N, K], D: Tensor[f32, M, N]) -> None:
#         for i in range(M):
#             for j in range(N):
#                 s = f32(0)
#                 for k in range(K):
#                     s += (X[i, k] - Y[j, k]) * (X[i, k] - Y[j, k])
#                 D[i, j] = s

# miss: a sum of sums
#     def sums(A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:
#         for i in range(M):
#             for j in range(N):
#                 for k in range(K):
#                     C[i, j] += A[i, k] + B[k, j]
