"""LDS: two pairs of SIMDs, each with a way of its own, and banks that serve one access after the other."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING

from tl2hip.prove.machine.model.facts import LDS_LATENCY, LDS_PAIR, SIMDS

if TYPE_CHECKING:
    from tl2hip.prove.machine.model.unit import Wave


class Access:
    """An access under way: `done` is when its counter counts it no more, which is not known before it is served."""

    __slots__ = ("came", "clocks", "done", "moved", "wave")

    def __init__(self, wave: Wave, came: float, clocks: int, moved: int, done: float = inf) -> None:
        self.wave = wave
        self.came = came
        self.clocks = clocks
        self.moved = moved
        self.done = done


class Lds:
    """The accesses that wait, by pair; and when the banks and the pairs' ways are free."""

    def __init__(self) -> None:
        self.queues: list[deque[Access]] = [deque() for _ in range(SIMDS // 2)]
        self.ways: list[float] = [0] * len(self.queues)
        self.banks: float = 0
        self.last = 0

    def serve(self, now: float) -> list[Access]:
        """Serve all that starts before now; what is served. Pairs take turns where both could be next."""
        served: list[Access] = []
        while True:
            pair, start = self.first()
            if start >= now:
                return served
            access = self.queues[pair].popleft()
            self.banks = start + access.clocks
            self.ways[pair] = start + max(access.clocks, access.moved / LDS_PAIR)
            access.done = self.ways[pair] + LDS_LATENCY
            self.last = pair
            served.append(access)

    def first(self) -> tuple[int, float]:
        """The pair whose access is served next, and when: never where none waits."""
        best, soonest = 0, inf
        for pair, queue in enumerate(self.queues):
            if queue:
                start = max(self.banks, self.ways[pair], queue[0].came)
                if start < soonest or (start == soonest and pair != self.last):
                    best, soonest = pair, start
        return best, soonest
