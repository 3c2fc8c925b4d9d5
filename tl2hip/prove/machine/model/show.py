"""What the model says, as text. Each one says that it ranks and does not tell time, and states its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tl2hip.prove.machine.model.result import Busy, Cause, LoopResult, Result
from tl2hip.prove.machine.model.settings import Settings

RANKS = "The model of one compute unit ranks kernels of one family; its clocks are no times."
LEAST = "L2: the least, of blocks that run at once and in step; nothing is kept from those before."
CLOSE = 0.10
"""A difference that says nothing: kernels of one class are not told apart."""


def show(results: Sequence[Result], places: int = 4) -> str:
    """A kernel at several settings: clocks, how busy units are, where its waves wait, and by which instructions."""
    lines = [RANKS, assumed([one.settings for one in results])]
    for one in results:
        lines += ["", _head(one), f"  whole: {one.clocks:,.0f} clk, {_busy(one.busy)}", f"    waves: {_waits(one)}"]
        for loop in one.loops:
            lines += _loop(loop)
        lines += _places(one, places)
    return "\n".join(lines)


def assumed(settings: Sequence[Settings]) -> str:
    """The parameters besides memory's, which are told with each result."""
    scalars = " or ".join(sorted({f"{one.scalar_latency}" for one in settings}))
    ways = sorted({"go" if one.transcendental_overlaps else "do not go" for one in settings})
    return f"Scalar loads take {scalars} clk; transcendentals {' or '.join(ways)} beneath matrix instructions."


def _head(one: Result) -> str:
    blocks = f"{one.resident} blocks of {one.waves} waves at once, {one.blocks} in all"
    return f"{one.kernel.name} at {one.settings}: {blocks}"


def _busy(busy: Busy) -> str:
    parts = [("MFMA", busy.mfma), ("VALU", busy.valu), ("LDS", busy.lds), ("memory", busy.memory)]
    return ", ".join(f"{name} {part:.0%}" for name, part in parts)


def _waits(one: Result | LoopResult) -> str:
    """The parts of the waves' clocks, the largest first; what is left they issue."""
    parts = [(one.share(cause), cause.value) for cause in Cause]
    told = [f"{share:.0%} {name}" for share, name in sorted(parts, reverse=True) if share >= 0.005]
    issue = 1 - sum(share for share, _ in parts)
    return ", ".join([f"{issue:.0%} issue", *told])


def _loop(loop: LoopResult) -> list[str]:
    place = f"line {loop.line}" + (f", HIP line {loop.source}" if loop.source else "")
    clocks = f"{loop.clocks:,.0f} clk an iteration" if loop.iterations else "one iteration each"
    lines = [f"  loop {loop.label} ({place}): {clocks}, {_busy(loop.busy)}"]
    if loop.together:
        lines.append(f"    while all waves are in it: {_busy(loop.together)}")
    return [*lines, f"    waves: {_waits(loop)}"]


def _places(one: Result, count: int) -> list[str]:
    lines = []
    for place in one.slowest(count):
        if place.waited < 0.01 * one.wave_clocks:
            break
        causes = ", ".join(f"{cause.value}" for cause in sorted(place.waits, key=lambda c: -place.waits[c]))
        where = f"line {place.line}" + (f", HIP line {place.source}" if place.source else "")
        lines.append(f"  {place.waited / one.wave_clocks:4.0%} before {where}: {place.text} ({causes})")
    return lines


def ranking(candidates: Mapping[str, Sequence[Result]]) -> str:
    """Candidates for one task, best first at each of the settings, and whether the order holds at all of them.

    Each has one result for each of the settings, the same for all. Those within a tenth of the one before are not
    told apart from it (`~`).
    """
    settings = [one.settings for one in next(iter(candidates.values()))]
    if any([one.settings for one in results] != settings for results in candidates.values()):
        raise ValueError("candidates are ranked at the same settings")
    lines = [RANKS, assumed(settings)]
    for at, setting in enumerate(settings):
        best_first = sorted((results[at].work, name) for name, results in candidates.items())
        lines.append(f"{setting}: {_ordered(best_first)}")
    lines.append(holds({name: [one.work for one in results] for name, results in candidates.items()}))
    return "\n".join(lines)


def _ordered(best_first: Sequence[tuple[float, str]]) -> str:
    least = best_first[0][0]
    parts: list[str] = []
    before = 0.0
    for work, name in best_first:
        sign = "" if not parts else "~ " if work <= before * (1 + CLOSE) else "< "
        parts.append(f"{sign}{name} {work / least:.2f}")
        before = work
    return " ".join(parts)


def holds(works: Mapping[str, Sequence[float]]) -> str:
    """Whether candidates have one order at all settings: each has its work at each of them. Pairs are told that
    differ by more than a tenth, one way at one setting and the other way at another."""
    names = list(works)
    turned = []
    for at, first in enumerate(names):
        for second in names[at + 1 :]:
            ways = {_way(one, other) for one, other in zip(works[first], works[second], strict=True)}
            if {-1, 1} <= ways:
                turned.append(f"{first} and {second}")
    if turned:
        return f"The order turns with the memory's settings: {', '.join(turned)}."
    each = zip(*works.values(), strict=True)
    if len({tuple(sorted(names, key=dict(zip(names, found, strict=True)).__getitem__)) for found in each}) == 1:
        return "The order is the same at all settings."
    return "The order is the same at all settings but for what is not told apart."


def _way(one: float, other: float) -> int:
    if max(one, other) <= min(one, other) * (1 + CLOSE):
        return 0
    return -1 if one < other else 1
