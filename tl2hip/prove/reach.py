"""Which kernels of a plan its launcher takes for given sizes and alignment, told from the plan alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from tl2hip.plan.ir import Aligned, HostIf, HostLet, HostLoop, HostStmt, HostWhile, Launch, Leave, Plan
from tl2hip.prove.evaluate import Evaluator, Sizes

TURNS = 16
"""How many turns of a loop of the launcher are looked at."""


def launched(plan: Plan, sizes: Sizes, shifted: Collection[str] = ()) -> tuple[str, ...]:
    """The names in the plan of the kernels that surely run, in the order of `plan.kernels`. The arrays `shifted`
    start one element into an allocation, the others at its start. What depends on scalars is not sure."""
    at = Evaluator(plan.nest, sizes)
    found = set(_of(plan.host, plan, at, shifted))
    return tuple(k.name for k in plan.kernels if k.name in found)


def _of(body: tuple[HostStmt, ...], plan: Plan, at: Evaluator, shifted: Collection[str]) -> Iterator[str]:
    for s in body:
        if isinstance(s, Launch):
            if all((at.whole(g) or 0) > 0 for g in s.grid):
                yield s.kernel
        elif isinstance(s, HostLoop):
            yield from _turns(s, plan, at, shifted)
        elif isinstance(s, HostWhile):
            yield from _of(s.body, plan, at, shifted)
        elif isinstance(s, Leave):
            if not at.whole(s.unless):
                return
        elif isinstance(s, HostLet):
            value = at.whole(s.value)
            if value is not None:
                at.frame.set(s.name, np.array([value], np.int64))
        elif isinstance(s, HostIf):
            taken = _taken(s, plan, at, shifted)
            if taken is not None:
                yield from _of(s.then if taken else s.orelse, plan, at, shifted)


def _turns(s: HostLoop, plan: Plan, at: Evaluator, shifted: Collection[str]) -> Iterator[str]:
    start, stop = at.whole(s.start), at.whole(s.stop)
    if start is None or stop is None:
        return
    for value in range(start, stop, s.step)[:TURNS]:
        at.frame.read["@" + s.var] = np.array([value], np.int64)
        yield from _of(s.body, plan, at, shifted)


def _taken(s: HostIf, plan: Plan, at: Evaluator, shifted: Collection[str]) -> bool | None:
    """Whether the test holds; None where that is not known."""
    if isinstance(s.test, Aligned):
        sizes = [at.whole(m) for m in s.test.multiples]
        starts = [plan.placed(a).array.dtype.bytes if a in shifted else 0 for a in s.test.arrays]
        if any(n is None for n in sizes):
            return None
        whole = all(n is not None and n % s.test.of == 0 for n in sizes)
        return whole and all(n % s.test.bytes == 0 for n in starts)
    value = at.whole(s.test)
    return None if value is None else value != 0
