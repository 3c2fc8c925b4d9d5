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
