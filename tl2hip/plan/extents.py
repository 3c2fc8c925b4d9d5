"""How many iterations a loop can have, as the launcher can know it."""

from __future__ import annotations

from collections.abc import Sequence

from tl2hip.nest.index import ONE, add, ceil_div, maximum, minimum, number, sub, trip_count, value_of
from tl2hip.nest.ir import Axis, AxisRef, Expr
from tl2hip.nest.walk import all_parts, substitute
from tl2hip.plan.access import coefficient, loads_or_locals


def largest_trip(axis: Axis, outer: Sequence[Axis]) -> Expr | None:
    """The trip count of an axis at its largest over the axes around it, over dims and scalars only.

    None where the launcher cannot know it (bounds from memory, or not linear in the axes around).
    """
    start, stop = axis.start, axis.stop
    for around in reversed(outer):
        low = start if axis.step > 0 else stop
        high = stop if axis.step > 0 else start
        least, most = _extreme(low, around, largest=False), _extreme(high, around, largest=True)
        if least is None or most is None:
            return None
        start, stop = (least, most) if axis.step > 0 else (most, least)
    trip = trip_count(start, stop, axis.step)
    return None if loads_or_locals(trip) else trip


def _extreme(e: Expr, axis: Axis, largest: bool) -> Expr | None:
    """The expression at the end of the axis where it is largest (or smallest)."""
    if not any(p == AxisRef(axis.name) for p in all_parts(e)):
        return e
    slope = coefficient(e, axis.name)
    if slope is None:
        return None
    up = axis.step > 0
    low = axis.start if up else add(axis.stop, ONE)
    high = sub(axis.stop, ONE) if up else axis.start
    return substitute(e, {AxisRef(axis.name): high if (slope > 0) == largest else low})


def is_exact(axis: Axis, outer: Sequence[Axis]) -> bool:
    """Whether the trip count is the same in every iteration of the axes around it."""
    names = {a.name for a in outer}
    return not any(
        isinstance(p, AxisRef) and p.axis in names for e in (axis.start, axis.stop) for p in all_parts(e)
    )


def block_count(axis: Axis, outer: Sequence[Axis], tile: int, most: int) -> Expr:
    """How many blocks to give an axis that takes `tile` iterations a block: at most `most`, and 0 only where
    the axis is empty for certain."""
    trip = largest_trip(axis, outer)
    if trip is None:
        return ONE
    count = minimum(ceil_div(trip, tile), number(most))
    return count if is_exact(axis, outer) else maximum(count, ONE)


def constant_trip(axis: Axis, outer: Sequence[Axis] = ()) -> int | None:
    """The largest trip count where it is a constant."""
    trip = largest_trip(axis, outer)
    return None if trip is None else value_of(trip)
