"""Elements computed each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl2hip.rule import Axis, Fn, Value, rule
from tl2hip.rule import elementwise as each

if TYPE_CHECKING:
    from tl2hip.rule import Match


@rule
def elementwise(f: Fn, i: Axis) -> Value:
    """An expression stored at axes of its own."""
    return f(i)


@elementwise.becomes
def by_itself(f: Fn, i: Axis) -> Value:
    """The same expression, marked."""
    return each(f, at=i)


@elementwise.when
def has_its_own_axes(m: Match) -> str | None:
    """The last step of a reduction belongs to that reduction."""
    if not m.axes("i"):
        return "no parallel loop around it has an element of its own for each turn"
    made = m.made_per_element("f")
    return f"{made[0]} is made by a reduction for this very element" if made else None


# hit: one expression
#     def add(a: Tensor[f32, N], b: Tensor[f32, N], out: Tensor[f32, N]) -> None:
#         for i in range(N):
#             out[i] = a[i] + b[i]

# hit: in place, each element by itself
#     def scale(X: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
#         for i in range(M):
#             X[i, :] *= y[i]

# hit: from one place to another
#     def transpose(A: Tensor[f32, M, N], B: Tensor[f32, N, M]) -> None:
#         for i in range(M):
#             for j in range(N):
#                 B[j, i] = A[i, j]

# miss: the last step of a sum belongs to the sum
#     def lengths(X: Tensor[f32, M, N], out: Tensor[f32, M]) -> None:
#         for i in range(M):
#             s = f32(0)
#             for j in range(N):
#                 s += X[i, j] * X[i, j]
#             out[i] = math.sqrt(s)

# miss: an element made of the one before
#     def doubled(x: Tensor[f32, N]) -> None:
#         for i in range(1, N):
#             x[i] = x[i] + x[i - 1]
