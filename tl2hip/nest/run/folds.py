"""Terms of many turns taken into a variable, in the order of the turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tl2hip.nest.ir import Set
from tl2hip.nest.run.arithmetic import Values
from tl2hip.nest.run.lanes import Frame, Ints, V
from tl2hip.nest.run.together import Unfit, fold_of

if TYPE_CHECKING:
    from tl2hip.nest.run.machine import Machine

PADDING = 4
"""How many times as many places as there are terms a table of them may have."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Terms that lie one behind the other: `counts` of them, at least one, for each value they are taken into."""

    counts: Ints

    @property
    def starts(self) -> Ints:
        """Where each value's terms begin."""
        return np.cumsum(self.counts) - self.counts

    def table(self, first: Values, terms: Values) -> Values:
        """A row for each value: what it was, its terms, and what it was again where others have more terms."""
        rows, width, n = len(self.counts), int(self.counts.max()), int(self.counts.sum())
        made = np.empty((rows, width + 1), terms.dtype)
        if rows * width == n:
            made[:, 0] = first
            made[:, 1:] = np.broadcast_to(terms, (n,)).reshape(rows, width)
            return made
        made[:] = np.broadcast_to(first, (rows,))[:, None]
        row = np.repeat(np.arange(rows), self.counts)
        made[row, np.arange(n) - self.starts[row] + 1] = terms
        return made

    def last(self, table: Values) -> Values:
        """What stands at each row's last term."""
        found: Values = table[np.arange(len(self.counts)), self.counts]
        return found

    def over(self, ufunc: Any, terms: Values) -> Values:
        """The terms of each value together by an operation whose order shows in no bit."""
        if len(terms) == 1:
            return terms
        found: Values = ufunc.reduceat(terms, self.starts)
        return found

    def alike(self) -> Iterator[Ints | None]:
        """The rows in groups of similar counts, so that their tables are not mostly empty; None for all rows."""
        if len(self.counts) * int(self.counts.max()) <= PADDING * int(self.counts.sum()):
            yield None
            return
        size = np.frexp(self.counts.astype(np.float64))[1]
        for one in np.unique(size):
            yield np.flatnonzero(size == one)

    def lanes(self, rows: Ints) -> Ints:
        """Where the terms of some rows lie."""
        counts = self.counts[rows]
        ends = np.cumsum(counts)
        return np.repeat(self.starts[rows] - (ends - counts), counts) + np.arange(int(ends[-1]))


def take_in(machine: Machine[V], s: Set, frame: Frame[V], home: Frame[V], owner: Ints) -> None:
    """The terms of a Set in all lanes of a frame go into the variable of the frame outside their loops; `owner`
    says whose each lane is, in order."""
    reduction = machine.reductions.get(id(s))
    form = (reduction.op, reduction.terms) if reduction else fold_of(s)
    assert form is not None
    depth = machine.depth_of(s)
    if reduction and depth is not None and not machine.even.issuperset(reduction.axes):
        raise Unfit
    arithmetic, (op, terms) = machine.arithmetic, form
    value = _in_turn(machine, [machine.value(t, frame) for t in terms], frame.n)
    first = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
    counts = np.diff(np.concatenate((first, [frame.n]))) * len(terms)
    target = home if len(first) == home.n else home.inner(owner[first])
    old, runs = target.get(s.name), Runs(counts)
    new: V | None = None
    for rows in runs.alike():
        if rows is None:
            a, b, some = old, value, runs
        else:
            a, b, some = arithmetic.take(old, rows), arithmetic.take(value, runs.lanes(rows)), Runs(counts[rows])
        if reduction:
            entry = machine.entries.get(reduction.region, 0)
            part = arithmetic.accumulate_all(a, op, b, some, s.value.dtype, depth, entry)
        else:
            part = arithmetic.fold(a, op, b, some, s.value.dtype)
        new = part if rows is None else arithmetic.put(new, rows, part, len(counts))
    assert new is not None
    target.set(s.name, new)
    if target is not home:
        target.leave()


def _in_turn(machine: Machine[V], values: list[V], n: int) -> V:
    """The terms of each lane one behind the other, lane by lane."""
    if len(values) == 1:
        return values[0]
    made: V | None = None
    for k, value in enumerate(values):
        pick = np.arange(k, n * len(values), len(values))
        made = machine.arithmetic.put(made, pick, value, n * len(values))
    assert made is not None
    return made
