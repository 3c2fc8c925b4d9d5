"""What waves wait for: which accesses each `s_waitcnt` awaits, and how long before it they were issued."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tl2hip.prove.machine.meanings.memory import Counter
from tl2hip.prove.machine.model.facts import Unit, cost
from tl2hip.prove.machine.model.trace import Trace

KINDS = {
    Counter.VECTOR_LOAD: "loads", Counter.VECTOR_STORE: "stores", Counter.FLAT_ACCESS: "loads",
    Counter.LDS_ACCESS: "LDS reads", Counter.SCALAR_LOAD: "scalar loads",
}  # fmt: skip
BY_VMCNT = (Counter.VECTOR_LOAD, Counter.VECTOR_STORE, Counter.FLAT_ACCESS)


@dataclass(frozen=True, slots=True)
class Awaited:
    """What a wait waits for last: `kind` in words. That was issued `ahead` instructions before, on average, and
    `turns` of the loop before: by the matrix instructions between, of a loop without any whole turns."""

    kind: str
    ahead: float
    turns: float


def awaited(trace: Trace, loop: Collection[int], header: int) -> dict[tuple[int, str], Awaited]:
    """By instruction and counter (`vmcnt`, `lgkmcnt`), what the first wave's waits in some code, which begins with
    the instruction `header`, wait for.

    Counters count down in the order of issue, as the hardware does for loads of one kind.
    """
    kernel, steps = trace.kernel, trace.waves[0]
    kinds = [KINDS.get(cost(one).counter, "") for one in kernel.code]
    vm = [cost(one).counter in BY_VMCNT for one in kernel.code]
    matrix = {at for at in loop if cost(kernel.code[at]).unit is Unit.MATRIX}
    done_before = [0, *accumulate(step.at in (matrix or {header}) for step in steps)]
    turn = done_before[-1] / max(1, sum(step.at == header for step in steps))
    under_way: dict[str, list[tuple[int, str]]] = {"vmcnt": [], "lgkmcnt": []}
    found: dict[tuple[int, str], list[Awaited]] = {}
    for number, step in enumerate(steps):
        for counter, left in kernel.code[step.at].waits.items():
            if counter not in under_way:
                continue
            queue = under_way[counter]
            done = queue[: max(0, len(queue) - left)]
            if done and step.at in loop:
                issued, kind = done[-1]
                work = (done_before[number] - done_before[issued + 1]) / max(1, turn)
                found.setdefault((step.at, counter), []).append(Awaited(kind, number - issued, work))
            del queue[: len(done)]
        if kinds[step.at]:
            under_way["vmcnt" if vm[step.at] else "lgkmcnt"].append((number, kinds[step.at]))
    return {key: _average(its) for key, its in found.items()}


def _average(its: Sequence[Awaited]) -> Awaited:
    ahead, turns = (sum(getattr(one, name) for one in its) / len(its) for name in ("ahead", "turns"))
    return Awaited(its[-1].kind, ahead, turns)
