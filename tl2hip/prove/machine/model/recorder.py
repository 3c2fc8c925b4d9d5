"""What is noted while the compute unit runs, and the result made of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tl2hip.prove.machine.model.decode import Act, Decoded
from tl2hip.prove.machine.model.facts import REQUEST, SIMDS, SLOT
from tl2hip.prove.machine.model.loops import InnerLoop
from tl2hip.prove.machine.model.result import Busy, Cause, LoopResult, Place, Result, Waits
from tl2hip.prove.machine.model.settings import Settings
from tl2hip.prove.machine.model.trace import Trace

if TYPE_CHECKING:
    from tl2hip.prove.machine.model.unit import Wave


class Recorder:
    """Counts, by the index of an instruction, and times, by the number of a loop."""

    def __init__(self, code: Sequence[Decoded], loops: Sequence[InnerLoop]) -> None:
        size = len(code)
        self.code = code
        self.loops = loops
        self.loop_of = [-1] * size
        for number, loop in enumerate(loops):
            for at in loop.code:
                self.loop_of[at] = number
        self.times = [0] * size
        self.waits: defaultdict[tuple[int, Cause], float] = defaultdict(float)
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
        self.times_together = [[0] * size for _ in loops]  # and what was counted meanwhile
        self.lds_together = [0] * len(loops)
        self.requests_together = [0] * len(loops)

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

    def issued(self, wave: Wave, at: int, now: int) -> None:
        """A wave issues an instruction."""
        self.waited(wave, now)
        self.times[at] += 1
        loop = self.loop_of[at]
        if loop != wave.loop:
            self.enter(wave, loop, now)
        elif loop >= 0 and at == self.loops[loop].header:
            self.iterations[loop] += 1
            self.iteration_clocks[loop] += now - wave.passed
            wave.passed = now
        if self.all_in >= 0:
            self.times_together[self.all_in][at] += 1

    def moved(self, at: int, lds: int, requests: int) -> None:
        """What the access just issued takes."""
        self.lds[at] += lds
        self.requests[at] += requests
        if self.all_in >= 0:
            self.lds_together[self.all_in] += lds
            self.requests_together[self.all_in] += requests

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
            together=self.busy_together(number, bandwidth) if together else None,
            waits=_sum(inside),
            wave_clocks=sum(place.waited + SLOT * place.issued for place in inside),
            places=tuple(inside),
        )

    def busy(self, code: Collection[int], clocks: float, bandwidth: float) -> Busy:
        lds, requests = (sum(all_[at] for at in code) for all_ in (self.lds, self.requests))
        return self.parts({at: self.times[at] for at in code}, lds, requests * REQUEST / bandwidth, clocks)

    def busy_together(self, loop: int, bandwidth: float) -> Busy:
        times, transfers = self.times_together[loop], self.requests_together[loop] * REQUEST / bandwidth
        return self.parts(dict(enumerate(times)), self.lds_together[loop], transfers, self.together[loop])

    def parts(self, times: Mapping[int, int], lds: int, memory: float, clocks: float) -> Busy:
        """The parts of the clocks in which units work, given how often instructions were issued."""
        matrix = sum(self.code[at].busy * count for at, count in times.items() if self.code[at].act is Act.MATRIX)
        vector = sum(self.code[at].busy * count for at, count in times.items() if self.code[at].vector_unit)
        return Busy(*(min(1.0, part / clocks) for part in (matrix / SIMDS, vector / SIMDS, lds, memory)))


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
