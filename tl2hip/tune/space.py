"""What may be said of the loops of a kernel: the marks and values that are tried.

Nothing here knows plans: a mark that the plan of a loop cannot honour is refused when its text is converted, and a
loop that may take fewer marks only has fewer neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from tl2hip.tune.write import TILE, Marks

VALUES: Mapping[str, tuple[int, ...]] = {
    TILE: (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024),
    "waves": (1, 2, 4, 8, 16),
    "stages": (1, 2, 3),
    "mfma": (16, 32),
    "vec": (1, 2, 4, 8),
    "lanes": (8, 16, 32, 64),
    "unroll": (2, 4, 8),
    "group": (1, 2, 4, 8, 16),
}
"""The marks that are tried, in the order in which they are written, and their values."""
GROUP = "group"
"""The mark that says in which order blocks take tiles. It changes no clocks, and is tried at last."""

SPLITS = ("waves", "lanes", "vec")
"""Marks whose product divides the tile."""
MOST_WAVES = 16
"""Waves of a block (HIP's limit of 1,024 threads)."""

Candidate = tuple[tuple[str, Marks], ...]
"""What is said of each loop that may be marked, in the order of the loops."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A mark of a loop, and the values that it may take."""

    loop: str
    mark: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Space:
    """The candidates for one kernel.

    `start` is what its file says, `bare` says nothing (or, where the file's marks are kept, only these); every
    candidate differs from `bare` in `choices`, and in the order of blocks in one of `orders`.
    """

    start: Candidate
    bare: Candidate
    choices: tuple[Choice, ...]
    orders: tuple[Choice, ...] = ()


def space(stated: Mapping[str, Marks | None], marks: Sequence[str], keep: bool) -> Space:
    """The candidates for a kernel that says so much of its loops.

    `marks` are those that are tried. A loop that is `serial`, or whose marks are no plain numbers, stays as it is;
    with `keep` so does every mark that is there.
    """
    open_ = {loop: said for loop, said in stated.items() if said is not None}
    start: Candidate = tuple(open_.items())
    bare = start if keep else tuple((loop, ()) for loop in open_)
    choices = [
        Choice(loop, mark, VALUES[mark])
        for loop, said in open_.items()
        for mark in VALUES
        if mark in marks and not (keep and mark in dict(said))
    ]
    orders = [one for one in choices if one.mark == GROUP]
    if any(GROUP in dict(said) for _, said in bare):
        orders = []  # an order that stays
    return Space(start, bare, tuple(one for one in choices if one.mark != GROUP), tuple(orders))


def changes(candidate: Candidate, choices: Sequence[Choice]) -> Iterator[tuple[Candidate, Choice, int | None]]:
    """The candidates that differ in one mark of one loop, with the mark and its value; None: it is taken out."""
    said = dict(candidate)
    for choice in choices:
        for value in (*choice.values, None):
            changed = with_mark(said[choice.loop], choice.mark, value)
            made = tuple((loop, changed if loop == choice.loop else marks) for loop, marks in candidate)
            if made != candidate and possible(made):
                yield made, choice, value


def everything(space: Space) -> Iterator[Candidate]:
    """Every candidate there is."""
    for values in product(*((None, *choice.values) for choice in space.choices)):
        said = dict(space.bare)
        for choice, value in zip(space.choices, values, strict=True):
            said[choice.loop] = with_mark(said[choice.loop], choice.mark, value)
        made = tuple(said.items())
        if possible(made):
            yield made


def with_mark(marks: Marks, name: str, value: int | None) -> Marks:
    """The marks of a loop with another value of one of them; None: without it.

    >>> with_mark((("tile", 64), ("stages", 2)), "waves", 4)
    (('tile', 64), ('waves', 4), ('stages', 2))
    """
    said = {**dict(marks), name: value}
    rest = [mark for mark in said if mark not in VALUES]
    return tuple((mark, n) for mark in (*VALUES, *rest) if (n := said.get(mark)) is not None)


def possible(candidate: Candidate) -> bool:
    """Whether marks may stand together: what never can is not even converted."""
    said = [dict(marks) for _, marks in candidate]
    if prod(one.get("waves", 1) for one in said) > MOST_WAVES:
        return False
    return not any(one[TILE] % prod(one.get(name, 1) for name in SPLITS) for one in said if TILE in one)


def size(candidate: Candidate) -> int:
    """How many marks a candidate says."""
    return sum(len(marks) for _, marks in candidate)


def spelled(candidate: Candidate) -> str:
    """A candidate in one line.

    >>> spelled((("i", (("tile", 64), ("waves", 2))), ("j", ()), ("k", (("stages", 3),))))
    'i: 64, waves(2); k: stages(3)'
    """
    words = (
        f"{loop}: " + ", ".join(f"{n}" if mark == TILE else f"{mark}({n})" for mark, n in marks)
        for loop, marks in candidate
        if marks
    )
    return "; ".join(words) or "no marks"
