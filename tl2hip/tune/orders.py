"""Orders of blocks: candidates that differ in nothing else take the same clocks, and are told apart by what must
come from behind L2."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from tl2hip.tune.judge import Judged
from tl2hip.tune.space import GROUP, Candidate, Choice, with_mark

CLOSE = 1.10
"""What differs by less is not told apart: clocks of the model, and bytes from behind L2."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in its place: those of one `band` are not told apart."""

    candidate: Candidate
    judged: Judged
    band: int


def unordered(candidate: Candidate) -> Candidate:
    """A candidate without what it says of the order of blocks.

    >>> unordered((("i", (("tile", 64), ("group", 8))), ("j", ())))
    (('i', (('tile', 64),)), ('j', ()))
    """
    return tuple((loop, with_mark(marks, GROUP, None)) for loop, marks in candidate)


def orders(candidate: Candidate, choice: Choice) -> Iterator[Candidate]:
    """The orders of blocks along one loop.

    >>> [dict(one)["j"] for one in orders((("i", (("group", 8),)), ("j", ())), Choice("j", "group", (1, 2)))]
    [(('group', 1),), (('group', 2),)]
    """
    for value in choice.values:
        yield tuple(
            (loop, with_mark(marks, GROUP, value) if loop == choice.loop else marks)
            for loop, marks in unordered(candidate)
        )


def in_order(band: Sequence[Ranked], place: Callable[[Ranked], Any]) -> list[Ranked]:
    """Candidates that clocks do not tell apart, by their places: but of those that differ in the order of blocks
    alone, which all stand where the first of them does, those first that need less from behind L2."""
    families: dict[Candidate, list[Ranked]] = {}
    for one in sorted(band, key=place):
        families.setdefault(unordered(one.candidate), []).append(one)
    return [one for family in families.values() for one in _by_l2(family)]


def _by_l2(family: Sequence[Ranked]) -> Iterator[Ranked]:
    left = list(family)
    while left:
        least = min(map(_behind, left))
        yield from (one for one in left if _behind(one) <= least * CLOSE)
        left = [one for one in left if _behind(one) > least * CLOSE]


def _behind(one: Ranked) -> float:
    """Bytes from behind L2; where they are not known it stands last."""
    return inf if one.judged.behind is None else one.judged.behind
