"""What a plan writes of a layout: the width of an access, coordinates as sums of parts of slot, lane and wave."""

from __future__ import annotations

from typing import NamedTuple

from tl2hip.plan.layout.linear import Layout, Vector, Who


class Term(NamedTuple):
    """`(who >> low) % size * weight`, one summand of a coordinate; `who` is the slot in the atom, lane or wave."""

    who: Who
    low: int
    size: int
    weight: int

    def of(self, number: int) -> int:
        return (number >> self.low) % self.size * self.weight


def terms(layout: Layout, axis: str) -> tuple[Term, ...]:
    """The coordinate along an axis, inside the atom, as a sum; ValueError where two bits flip the same one.

    >>> from tl2hip.plan.layout.linear import deal
    >>> terms(deal("i j", ("slot", "i", 4), ("lane", "j", 32), ("lane", "i", 2), ("slot", "i", 4)), "i")
    (Term(who='slot', low=0, size=4, weight=1), Term(who='slot', low=2, size=4, weight=8), \
Term(who='lane', low=5, size=2, weight=4))
    """
    at = layout.names.index(axis)
    sides: tuple[tuple[Who, tuple[Vector, ...]], ...] = (
        ("slot", layout.slots), ("lane", layout.lanes), ("wave", layout.waves)
    )  # fmt: skip
    found: list[Term] = []
    taken = 0
    for who, vectors in sides:
        for bit, weight in enumerate(vector[at] for vector in vectors):
            if weight & (weight - 1) or weight & taken:
                raise ValueError(f"{axis} is no sum of parts of slot, lane and wave")
            taken |= weight
            if found and Term(who, bit, 2, weight) == _next(found[-1]):
                found[-1] = found[-1]._replace(size=found[-1].size * 2)
            elif weight:
                found.append(Term(who, bit, 2, weight))
    return tuple(found)


def _next(term: Term) -> Term:
    """The one-bit term that would lengthen this one."""
    return Term(term.who, term.low + term.size.bit_length() - 1, 2, term.weight * term.size)


def vector(layout: Layout, axis: str) -> int:
    """How many consecutive slots, from any multiple of it on, run along an axis contiguously and aligned.

    >>> from tl2hip.plan.layout.linear import deal
    >>> vector(deal("i k", ("slot", "k", 8), ("lane", "i", 16), ("lane", "k", 4)), "k")
    8
    """
    at = layout.names.index(axis)
    run = 0
    for slot in layout.slots:
        if slot != tuple(1 << run if a == at else 0 for a in range(len(layout.axes))):
            break
        run += 1
    others = 0
    for other in layout.slots[run:] + layout.lanes + layout.waves:
        others |= other[at]
    while run and others & ((1 << run) - 1):
        run -= 1
    return 1 << run
