"""The figures of one kernel that rules look at: what the compiler, the trace and the model say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field

from tl2hip.hip.origins import Origins
from tl2hip.prove.advice.awaited import Awaited, awaited
from tl2hip.prove.advice.uses import Group, Place, grouped, place_of, uses
from tl2hip.prove.counters import KernelCounters, Loop
from tl2hip.prove.machine.model.loops import inner_loops
from tl2hip.prove.machine.model.result import Busy, Cause, LoopResult, Result
from tl2hip.prove.machine.model.result import Place as Waited
from tl2hip.prove.machine.model.shared import Shared
from tl2hip.prove.machine.model.trace import Trace

USED_UP = 0.85
"""The part of its time that a unit works from which it is what limits a kernel."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What is known of a kernel at some sizes.

    `results` has one entry for each setting of memory. `groups` are its memory instructions, `awaited` what waits
    in its hot loop wait for, in all its code where there is none. `launched` blocks are in the launch; `asked` says
    whether somebody chose the sizes. `element` are the bytes of an element of the rows in LDS that have a pad which
    the user says, None where there are none. `shared` is what blocks share in L2, None where they are few.
    """

    counters: KernelCounters
    results: tuple[Result, ...]
    groups: tuple[Group, ...] = ()
    awaited: Mapping[tuple[int, str], Awaited] = field(default_factory=dict)
    origins: Origins | None = None
    launched: int = 0
    asked: bool = False
    element: int | None = None
    shared: Shared | None = None

    @property
    def parts(self) -> tuple[LoopResult | Result, ...]:
        """At each setting the loop that matters, the whole where there is none."""
        label = hot_label(self.results)
        loops = ({loop.label: loop for loop in one.loops} for one in self.results)
        return tuple(its.get(label) or one for its, one in zip(loops, self.results, strict=True))

    @property
    def loop(self) -> Loop | None:
        """The compiler's figures of the loop that matters: by the model where there is one."""
        if not self.results:
            return self.counters.hot
        return next((one for one in self.counters.loops if one.label == hot_label(self.results)), None)

    @property
    def busy(self) -> tuple[Busy, ...]:
        """How busy units are in the parts, while all waves are in them where they ever are."""
        return tuple((isinstance(one, LoopResult) and one.together) or one.busy for one in self.parts)

    def shares(self, cause: Cause) -> tuple[float, ...]:
        """The parts of the waves' clocks that they wait by a cause, at each setting."""
        return tuple(one.share(cause) for one in self.parts)

    def waiting(self, cause: Cause) -> tuple[float, ...]:
        """The same at the settings at which no unit is used up: where one is, waves wait for it by any cause."""
        both = zip(self.shares(cause), self.busy, strict=True)
        return tuple(share for share, busy in both if max(astuple(busy)) < USED_UP)

    def weight(self, cause: Cause) -> float:
        """The largest part of the whole kernel's clocks that is lost so."""
        of_whole = (part.wave_clocks / one.wave_clocks for part, one in zip(self.parts, self.results, strict=True))
        return max((s * w for s, w in zip(self.shares(cause), of_whole, strict=True)), default=0.0)

    def longest(self, cause: Cause) -> Waited | None:
        """The instruction before which waves wait longest by a cause."""
        parts = sorted(self.parts, key=lambda one: one.share(cause))
        places = parts[-1].places if parts else ()
        found = max(places, key=lambda one: one.waits.get(cause, 0.0), default=None)
        return found if found is not None and found.waits.get(cause) else None

    def place(self, waited: Waited) -> Place:
        """Where such an instruction stands."""
        code = self.results[0].kernel.code
        return place_of(next(one for one in code if one.line == waited.line), self.origins)

    def awaits(self, waited: Waited, counter: str) -> Awaited | None:
        """What such an instruction waits for."""
        code = self.results[0].kernel.code
        return self.awaited.get((next(k for k, one in enumerate(code) if one.line == waited.line), counter))


LEAST = 0.2
"""A loop in which waves spend less of their time than this does not matter."""


def hot_label(results: Sequence[Result]) -> str:
    """The label of the loop that matters, at all settings; "" where waves spend their time outside loops."""
    parts: dict[str, float] = {}
    for one in results:
        for loop in one.loops:
            if loop.iterations:
                parts[loop.label] = parts.get(loop.label, 0.0) + loop.wave_clocks / one.wave_clocks / len(results)
    label = max(parts, key=lambda name: parts[name], default="")
    return label if parts.get(label, 0.0) >= LEAST else ""


def figures(
    counters: KernelCounters,
    results: Sequence[Result],
    trace: Trace,
    origins: Origins | None = None,
    *,
    asked: bool = False,
    element: int | None = None,
) -> Figures:
    """The figures of a kernel of which a block was traced and modelled."""
    label = hot_label(results)
    loop = next((one for one in inner_loops(trace.kernel) if label and one.label == label), None)
    code = loop.code if loop else frozenset(range(len(trace.kernel.code)))
    waits = awaited(trace, code, loop.header if loop else 0)
    groups = grouped(uses(trace, code, origins))
    return Figures(counters, tuple(results), groups, waits, origins, trace.blocks, asked, element)
