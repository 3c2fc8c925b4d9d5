"""How a loop takes its turns: one after the other, or each in a lane of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tl2hip.nest.ir import Alloc, Loop
from tl2hip.nest.run.lanes import Frame, Ints, V
from tl2hip.nest.run.together import Together, Unfit
from tl2hip.nest.walk import all_stmts

if TYPE_CHECKING:
    from tl2hip.nest.run.machine import Machine

LANES = 1 << 17
"""How many lanes run at once; more are run in turns, which bounds memory."""
LANES_WITH_LOCALS = 1 << 11
"""The same where each lane makes an array of its own."""
MANY = 1 << 12
"""So many lanes are enough: what else could run beside them is taken one after the other."""


def iterate(machine: Machine[V], s: Loop, frame: Frame[V], start: Ints, trips: Ints) -> None:
    """All turns of a loop in all lanes of a frame; `trips` and `start` are over the lanes, or of one element."""
    machine.turns += int(np.broadcast_to(trips, (frame.n,)).sum())
    if s.axis.name in machine.parallel:
        _spread(machine, s, frame, start, trips)
        return
    found = _together(machine, s, frame) if int(trips.max()) > 1 else None
    if found is None:
        _one_by_one(machine, s, frame, start, trips)
    elif machine.shared:
        _shared(machine, s, frame, start, trips, found)
    else:
        _tried(machine, s, frame, start, trips, found)


def _together(machine: Machine[V], s: Loop, frame: Frame[V]) -> Together | None:
    """How a loop's turns go side by side; None where they follow one another."""
    found = machine.together.of(s)
    if found is None or machine.shared:
        return found
    unsure = not machine.arithmetic.certain and not found.sure
    many = frame.n >= MANY or id(s) in machine.unfit
    return None if unsure or many or found.writes & machine.aliased else found


def _tried(
    machine: Machine[V], s: Loop, frame: Frame[V], start: Ints, trips: Ints, found: Together
) -> None:
    """The turns side by side where that turns out to give what they give one after the other."""
    kept = dict(frame.written), dict(machine.trips), dict(machine.entries), machine.turns, machine.steps
    try:
        _shared(machine, s, frame, start, trips, found)
    except Unfit:
        machine.unfit.add(id(s))
        frame.written, machine.trips, machine.entries, machine.turns, machine.steps = kept
        _one_by_one(machine, s, frame, start, trips)


def _shared(
    machine: Machine[V], s: Loop, frame: Frame[V], start: Ints, trips: Ints, found: Together
) -> None:
    machine.shared += 1
    try:
        _spread(machine, s, frame, start, trips, found.folds)
    finally:
        machine.shared -= 1


def _one_by_one(machine: Machine[V], s: Loop, frame: Frame[V], start: Ints, trips: Ints) -> None:
    if len(trips) > 1:
        _ragged(machine, s, frame, np.broadcast_to(start, (frame.n,)), trips)
        return
    for t in range(int(trips[0])):
        machine.step(int(trips[0]) - t - 1)
        frame.read["@" + s.axis.name] = machine.arithmetic.whole(start + t * s.axis.step)
        machine.block(s.body, frame)


def _ragged(machine: Machine[V], s: Loop, frame: Frame[V], start: Ints, trips: Ints) -> None:
    """A loop whose lanes make different numbers of trips: those that are done drop out."""
    current = frame
    for t in range(int(np.max(trips))):
        machine.step()
        pick = np.flatnonzero(trips > t)
        if len(pick) != current.n:
            if current is not frame:
                current.leave()
            current = frame.inner(pick)
        current.read["@" + s.axis.name] = machine.arithmetic.whole(start[pick] + t * s.axis.step)
        machine.block(s.body, current)
    if current is not frame:
        current.leave()


def _spread(
    machine: Machine[V], s: Loop, frame: Frame[V], start: Ints, trips: Ints, folds: frozenset[str] = frozenset()
) -> None:
    """One lane for each iteration, in order; what a last iteration set is what stays after the loop, and what
    all of them fold terms into is the variable outside."""
    counts = np.broadcast_to(trips, (frame.n,))
    ends = np.cumsum(counts)
    total = int(ends[-1])
    makes = any(isinstance(x, Alloc) for x in all_stmts(s.body))
    width = LANES_WITH_LOCALS if makes else LANES
    for low in range(0, total, width):
        machine.step((total - low - 1) // width)
        lane = np.arange(low, min(low + width, total))
        pick = np.searchsorted(ends, lane, side="right") if frame.n > 1 else np.zeros(len(lane), np.int64)
        turn = lane - (ends - counts)[pick]
        inner = frame.inner(pick)
        inner.folds = folds
        first = start if len(start) == 1 else start[pick]
        inner.read["@" + s.axis.name] = machine.arithmetic.whole(first + turn * s.axis.step)
        machine.block(s.body, inner)
        final = np.flatnonzero(turn == counts[pick] - 1)
        for name, value in inner.written.items():
            some = machine.arithmetic.take(value, final)
            frame.written[name] = machine.arithmetic.put(frame.find(name), pick[final], some, frame.n)
