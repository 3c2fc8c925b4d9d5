"""What a body of vectors moves once, and what caches serve again."""

from __future__ import annotations

from collections.abc import Iterable

from tl2hip.nest.index import sub, value_of
from tl2hip.nest.ir import Axis
from tl2hip.plan.access import coefficient
from tl2hip.plan.places import Place
from tl2hip.plan.state import State
from tl2hip.plan.widen import Moves

CLOSE = 16
"""Elements along an axis within which caches serve what a neighbour has read."""


def streams(state: State, axes: Iterable[Axis], found: Moves) -> frozenset[Place]:
    """The places of the caller's arrays that a nest over these axes moves and does not want again soon: they are
    elsewhere at each of its points, and nothing close to them is moved, too."""
    names = [a.name for a in axes]
    places = dict.fromkeys((*found.loads, *found.stores))
    near = neighbours(found)
    return frozenset(
        p
        for p in places
        if p not in near
        and state.placed[p[0]].space == "global"
        and all(any(coefficient(i, n) != 0 for i in p[1]) for n in names)
    )


def neighbours(found: Moves) -> frozenset[Place]:
    """The places that have others of the same array close to them, as in a stencil."""
    places = dict.fromkeys((*found.loads, *found.stores))
    return frozenset(p for p in places if any(q != p and q[0] == p[0] and _near(p, q) for q in places))


def _near(p: Place, q: Place) -> bool:
    """Whether two places of an array surely lie no more than CLOSE elements apart along each of its axes."""
    apart = (value_of(sub(i, j)) for i, j in zip(p[1], q[1], strict=True))
    return all(n is not None and abs(n) <= CLOSE for n in apart)
