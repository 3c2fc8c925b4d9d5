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
