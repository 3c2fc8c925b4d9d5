"""What waves wait for: which accesses each `s_waitcnt` awaits, and how long before it they were issued."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tl2hip.prove.machine.meanings.memory import Counter
from tl2hip.prove.machine.model.facts import cost
from tl2hip.prove.machine.model.trace import Trace

KINDS = {
    Counter.VECTOR_LOAD: "loads", Counter.VECTOR_STORE: "stores", Counter.FLAT_ACCESS: "loads",
    Counter.LDS_ACCESS: "LDS reads", Counter.SCALAR_LOAD: "scalar loads",
}  # fmt: skip
BY_VMCNT = (Counter.VECTOR_LOAD, Counter.VECTOR_STORE, Counter.FLAT_ACCESS)


@dataclass(frozen=True, slots=True)
class Awaited:
    """What a wait waits for last: `kind` in words. That was issued `ahead` instructions before, on average; a turn
    of the loop has `turn`."""

    kind: str
    ahead: float
    turn: float

    @property
    def turns(self) -> float:
        """How many turns of the loop before the wait what it waits for was issued."""
        return self.ahead / self.turn


def awaited(trace: Trace, loop: Collection[int], header: int) -> dict[tuple[int, str], Awaited]:
    """By instruction and counter (`vmcnt`, `lgkmcnt`), what the first wave's waits in some code, which begins with
    the instruction `header`, wait for.

    Counters count down in the order of issue, as the hardware does for loads of one kind.
    """
    kernel, steps = trace.kernel, trace.waves[0]
    kinds = [KINDS.get(cost(one).counter, "") for one in kernel.code]
    vm = [cost(one).counter in BY_VMCNT for one in kernel.code]
    inside = sum(step.at in loop for step in steps)
    turn = inside / max(1, sum(step.at == header for step in steps))
    under_way: dict[str, list[tuple[int, str]]] = {"vmcnt": [], "lgkmcnt": []}
    found: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for number, step in enumerate(steps):
        for counter, left in kernel.code[step.at].waits.items():
            if counter not in under_way:
                continue
            queue = under_way[counter]
            done = queue[: max(0, len(queue) - left)]
            if done and step.at in loop:
                issued, kind = done[-1]
                found.setdefault((step.at, counter), []).append((number - issued, kind))
            del queue[: len(done)]
        if kinds[step.at]:
            under_way["vmcnt" if vm[step.at] else "lgkmcnt"].append((number, kinds[step.at]))
    return {
        key: Awaited(its[-1][1], sum(ahead for ahead, _ in its) / len(its), turn) for key, its in found.items()
    }
