"""Sums and products whose order is free: what they keep while they are taken, and their bound at the end."""

from __future__ import annotations

import numpy as np

from tl2hip.nest.run.arithmetic import Values
from tl2hip.prove.values import REORDERED, SLACK, Bounded, Open, largest, loose, pair, smallest, unit


def opened(value: Bounded, op: str, entry: int = 0) -> Open:
    """What a value is before the first term goes in."""
    wide, error = pair(value)
    total = size(op, wide, error)
    count = np.zeros(1, np.int64)
    whole = (error == 0) & (wide == np.floor(wide)) & ~loose(value)
    return Open(op, entry, total, count, count - 1, whole)


def size(op: str, wide: Values, error: Values) -> Values:
    """What one term adds to the total."""
    part = np.where(np.isfinite(wide), np.abs(wide) + error, 0.0)
    if op == "+":
        return part
    powers: Values = np.abs(np.log2(np.where(part == 0, 1.0, part)))
    return powers


def closed(value: Bounded, o: Open, epsilon: float) -> Bounded:
    """The value with the roundings of the sum, whatever its order, in its bound."""
    wide, error = pair(value)
    some = o.count > 0
    depth = np.where(o.depth >= 0, np.minimum(o.count, o.depth), o.count)
    reach = largest(value.dtype)
    if o.op == "+":
        exact = o.whole & (o.total <= 2.0 ** (value.dtype.mantissa + 1))
        growth = (SLACK * unit(value.dtype) * depth + epsilon * o.count) * o.total
        over = o.total > reach
    else:
        exact = o.whole & (o.total <= value.dtype.mantissa + 1)
        growth = (SLACK * unit(value.dtype) + epsilon) * o.count * np.abs(wide)
        growth = growth + smallest(value.dtype) * 2
        over = o.total > np.log2(reach) - 1
    changed = some & ~exact
    finite = np.isfinite(wide)
    grown = np.where(changed, np.where(over, np.inf, np.where(finite, error + growth, error)), error)
    flags = value.flags | np.where(changed, np.uint8(REORDERED), np.uint8(0))
    return Bounded(value.typed, flags, value.dtype, wide, grown)
