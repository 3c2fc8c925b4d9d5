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
