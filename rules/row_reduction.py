"""Sums, products, maxima and minima of each row."""

from __future__ import annotations

from tl2hip.rule import Axis, Extent, Fn, Op, Value, combine, row_reduce, rule

Operation = Op["+", "*", "max", "min", "maximum", "minimum"]


@rule
def row_reduction(op: Operation, f: Fn, N: Extent, z: Value, i: Axis) -> Value:
    """The elements of each row, taken together by one operation."""
    s = z
    for j in range(N):
        s = combine(op, s, f(i, j))
    return s


@row_reduction.becomes
def reduced(op: Operation, f: Fn, N: Extent, z: Value, i: Axis) -> Value:
    """What it starts from, and the reduction of the row."""
    return combine(op, z, row_reduce(op, f, over=N, row=i))


# hit: the largest of each row
#     def largest(X: Tensor[f32, M, N], out: Tensor[f32, M]) -> None:
#         for i in range(M):
#             m = X[i, 0]
#             for j in range(1, N):
#                 if X[i, j] > m:
#                     m = X[i, j]
#             out[i] = m

# hit: a mean of squares, by slices
#     def power(X: Tensor[f32, M, N], out: Tensor[f32, M]) -> None:
#         for i in range(M):
#             out[i] = (X[i, :] * X[i, :]).mean()

# hit: sums of columns, rows outside
#     def columns(X: Tensor[f32, M, N], out: Tensor[f32, N]) -> None:
#         for i in range(M):
#             for j in range(N):
#                 out[j] += X[i, j]

# hit: only some of the elements
#     def positive(X: Tensor[f32, M, N], out: Tensor[f32, M]) -> None:
#         for i in range(M):
#             s = f32(0)
#             for j in range(N):
#                 if X[i, j] > 0:
#                     s += X[i, j]
#             out[i] = s

# hit: rows of different lengths
#     def ragged(start: Tensor[i32, M + 1], x: Tensor[f32, N], out: Tensor[f32, M]) -> None:
#         for i in range(M):
#             for p in range(start[i], start[i + 1]):
#                 out[i] += x[p]

# miss: running sums need every step
#     def running(X: Tensor[f32, M, N], out: Tensor[f32, M, N]) -> None:
#         for i in range(M):
#             s = f32(0)
#             for j in range(N):
#                 s += X[i, j]
#                 out[i, j] = s

# miss: the elements that are counted are known only as the loop goes
#     def histogram(bin: Tensor[i32, N], out: Tensor[i32, M]) -> None:
#         for i in range(N):
#             out[bin[i]] += 1
