"""What is noted while the compute unit runs, and the result made of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from tl2hip.prove.machine.model.decode import Act, Decoded
from tl2hip.prove.machine.model.facts import REQUEST, SIMDS, SLOT
from tl2hip.prove.machine.model.loops import InnerLoop
from tl2hip.prove.machine.model.result import Busy, Cause, LoopResult, Place, Result, Waits
from tl2hip.prove.machine.model.settings import Settings
from tl2hip.prove.machine.model.trace import Step, Trace

if TYPE_CHECKING:
    from tl2hip.prove.machine.model.unit import Wave


class Recorder:
    """Counts, by the index of an instruction, and times, by the number of a loop."""

    def __init__(self, size: int, loops: Sequence[InnerLoop]) -> None:
        self.loops = loops
        self.loop_of = [-1] * size
        for number, loop in enumerate(loops):
            for at in loop.code:
                self.loop_of[at] = number
        self.times = [0] * size
        self.waits: defaultdict[tuple[int, Cause], float] = defaultdict(float)
        self.matrix = [0] * size  # clocks of a matrix unit
        self.vector = [0] * size  # clocks of a vector unit
        self.lds = [0] * size  # clocks of LDS's banks
        self.requests = [0] * size
        self.iterations = [0] * len(loops)
        self.iteration_clocks: list[float] = [0] * len(loops)
        self.visits: list[list[tuple[float, float]]] = [[] for _ in loops]
        self.lived: float = 0
        self.alive = 0
        self.inside = [0] * len(loops)  # waves in each
        self.all_in = -1  # the loop in which all waves are
        self.since: float = 0
        self.together: list[float] = [0] * len(loops)  # clocks so far
        self.done_together = [[0] * 4 for _ in loops]  # as the four counts above

    def born(self, now: float) -> None:
        """A wave starts."""
        self.lived -= now
        self.alive += 1
        self.look(now)

    def died(self, wave: Wave, now: float) -> None:
        """A wave issues its last instruction."""
        self.lived += now + SLOT
        self.alive -= 1
        self.enter(wave, -1, now)

    def waited(self, wave: Wave, until: float) -> None:
        """A wave has waited since it was last asked, by its cause."""
        if until > wave.since:
            self.waits[wave.steps[wave.position].at, wave.cause] += until - wave.since
            wave.since = until

    def issued(self, wave: Wave, step: Step, decoded: Decoded, now: int) -> None:
        """A wave issues an instruction."""
        at = step.at
        self.waited(wave, now)
        self.times[at] += 1
        matrix = decoded.busy if decoded.act is Act.MATRIX else 0
        vector = decoded.busy if decoded.vector_unit else 0
        lds = step.lds or decoded.port
        self.matrix[at] += matrix
        self.vector[at] += vector
        self.lds[at] += lds
        self.requests[at] += step.requests
        loop = self.loop_of[at]
        if loop != wave.loop:
            self.enter(wave, loop, now)
        elif loop >= 0 and at == self.loops[loop].header:
            self.iterations[loop] += 1
            self.iteration_clocks[loop] += now - wave.passed
            wave.passed = now
        if self.all_in >= 0:
            counts = self.done_together[self.all_in]
            counts[0] += matrix
            counts[1] += vector
            counts[2] += lds
            counts[3] += step.requests

    def enter(self, wave: Wave, loop: int, now: float) -> None:
        """A wave goes from one loop to another, or out of all."""
        if wave.loop >= 0:
            self.visits[wave.loop].append((wave.entered, now))
            self.inside[wave.loop] -= 1
        if loop >= 0:
            self.inside[loop] += 1
        wave.loop, wave.entered, wave.passed = loop, now, now
        self.look(now)

    def look(self, now: float) -> None:
        """See whether all waves are in one loop now."""
        if self.all_in >= 0:
            self.together[self.all_in] += now - self.since
        self.since = now
        self.all_in = self.inside.index(self.alive) if self.alive and self.alive in self.inside else -1

    def result(self, trace: Trace, settings: Settings, resident: int, blocks: int, clocks: int) -> Result:
        """What the model says."""
        places = [self.place(trace, at) for at in range(len(self.times))]
        loops = [
            self.loop(trace, number, places, settings.bandwidth)
            for number in range(len(self.loops))
            if self.visits[number]
        ]
        return Result(
            kernel=trace.kernel,
            settings=settings,
            resident=resident,
            blocks=blocks,
            launched=trace.blocks,
            waves=len(trace.waves),
            clocks=clocks,
            busy=self.busy(range(len(self.times)), clocks, settings.bandwidth),
            waits=_sum(places),
            wave_clocks=self.lived,
            loops=tuple(loops),
            places=tuple(place for place in places if place.issued),
        )

    def place(self, trace: Trace, at: int) -> Place:
        instruction = trace.kernel.code[at]
        waits = {cause: self.waits[at, cause] for cause in Cause if (at, cause) in self.waits}
        return Place(instruction.line, instruction.source, instruction.text.strip(), self.times[at], waits)

    def loop(self, trace: Trace, number: int, places: Sequence[Place], bandwidth: float) -> LoopResult:
        loop, times, together = self.loops[number], self.iterations[number], self.together[number]
        inside = [places[at] for at in sorted(loop.code) if self.times[at]]
        window = _covered(self.visits[number])
        first = trace.kernel.code[loop.header]
        return LoopResult(
            label=loop.label,
            line=first.line,
            source=first.source,
            iterations=times,
            clocks=self.iteration_clocks[number] / times if times else 0.0,
            window=window,
            busy=self.busy(loop.code, window, bandwidth),
            together=_busy(self.done_together[number], together, bandwidth) if together else None,
            waits=_sum(inside),
            wave_clocks=sum(place.waited + SLOT * place.issued for place in inside),
            places=tuple(inside),
        )

    def busy(self, code: Collection[int], clocks: float, bandwidth: float) -> Busy:
        counts = [sum(all_[at] for at in code) for all_ in (self.matrix, self.vector, self.lds, self.requests)]
        return _busy(counts, clocks, bandwidth)


def _busy(counts: Sequence[int], clocks: float, bandwidth: float) -> Busy:
    """Of clocks of the matrix and the vector units and of LDS's banks, and of requests."""
    matrix, vector, lds, requests = counts
    parts = matrix / SIMDS, vector / SIMDS, lds, requests * REQUEST / bandwidth
    return Busy(*(min(1.0, part / clocks) for part in parts))


def _sum(places: Iterable[Place]) -> Waits:
    total: dict[Cause, float] = {}
    for place in places:
        for cause, clocks in place.waits.items():
            total[cause] = total.get(cause, 0.0) + clocks
    return total


def _covered(intervals: Iterable[tuple[float, float]]) -> float:
    """The clocks that lie in at least one of the intervals.

    >>> _covered([(0, 10), (5, 12), (20, 21)])
    13.0
    """
    total, reached = 0.0, 0.0
    for start, stop in sorted(intervals):
        total += max(0.0, stop - max(start, reached))
        reached = max(reached, stop)
    return total
