"""What a search found, for people and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tl2hip.tune.judge import Judged
from tl2hip.tune.orders import Ranked
from tl2hip.tune.search import Found
from tl2hip.tune.space import spelled
from tl2hip.tune.task import Task

UNKNOWN = (
    "It knows no power: not that larger matrix instructions run at a lower clock.",
    "Of caches it knows what blocks that run at once share in L2, which tells orders, group(n), apart.",
)
HEAD = ("", "clocks", "of now", "regs", "LDS", "waves", "blocks", "behind L2", "")
UNITS = ("MFMA", "VALU", "LDS", "memory")


def lines(found: Found, task: Task, top: int) -> Iterator[str]:
    """The best few of a search, with reasons, and what became of the others."""
    from tl2hip.prove.machine.model.settings import STANDARD
    from tl2hip.prove.machine.model.show import RANKS, assumed, holds

    sizes = " ".join(f"{name}={n}" for name, n in task.sizes)
    yield f"{task.name}: {task.kernel}, launched for {sizes or 'its own sizes'}"
    yield f"  {RANKS}"
    yield from (f"  {one}" for one in UNKNOWN)
    yield f"  {assumed(STANDARD)}"
    yield f"  clocks of the busiest unit: the mean over {'; '.join(map(str, STANDARD))}"
    best = found.ranked[:top]
    if best:
        yield from _table(best, found)
        yield f"  {holds({f'{n}': one.judged.works for n, one in enumerate(best, 1)})} (~: not told apart.)"
        yield f"  {_verdict(found)}"
    yield from _rest(found)


def _table(best: Sequence[Ranked], found: Found) -> Iterator[str]:
    now = found.start or found.bare
    rows: list[tuple[str, ...]] = [HEAD]
    for n, one in enumerate(best):
        alike = "~" if n and one.band == best[n - 1].band else ""
        rows.append((f"{alike}{n + 1}", *_figures(one.judged, now), _named(one, found)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD) - 1)]
    reasons = ["", *(f"  {' ' * widths[0]}  {_why(one.judged)}" for one in best)]
    for row, reason in zip(rows, reasons, strict=True):
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=False))
        yield f"  {'  '.join(cells)}  {row[-1]}".rstrip()
        if reason:
            yield reason


def _figures(one: Judged, now: Judged | None) -> tuple[str, ...]:
    part = f"{one.score / now.score:.2f}" if now else ""
    heavy = max(one.kernels, key=lambda k: max(k.clocks) * k.launches)
    compiled = f"{one.registers}", f"{one.lds:,}", f"{heavy.waves}"
    return f"{one.score:,.0f}", part, *compiled, f"{heavy.blocks:,}", _behind(one)


def _behind(one: Judged) -> str:
    """What must come from behind L2; "-" where that is not counted."""
    return "-" if one.behind is None else f"{one.behind / 1e6:,.1f} MB"


def _named(one: Ranked, found: Found) -> str:
    there = {id(found.bare): " (what tl2hip chooses)", id(found.start): " (the file as it is)"}
    return spelled(one.candidate) + there.get(id(one.judged), "")


def _why(one: Judged) -> str:
    """Where the time of the heaviest kernel goes."""
    heavy = max(one.kernels, key=lambda k: max(k.clocks) * k.launches)
    busy = ", ".join(f"{unit} {part:.0%}" for unit, part in zip(UNITS, heavy.busy, strict=True) if part >= 0.005)
    waits = ", ".join(f"{cause} {part:.0%}" for cause, part in heavy.waits if part >= 0.005)
    shared = f"; {heavy.share:.0%} of what blocks ask for comes from behind L2" if heavy.share is not None else ""
    return f"{heavy.name}: busy {busy}; waits {waits or 'for nothing'}{shared}"


def _verdict(found: Found) -> str:
    """What to do with it."""
    best = found.ranked[0]
    if found.start is best.judged:
        return "Nothing is better than the file as it is, as far as the model tells candidates apart."
    if found.bare is best.judged:
        return "Nothing is better than what tl2hip chooses: --apply takes the marks out."
    return f"--apply writes: {spelled(best.candidate)}"


def _rest(found: Found) -> Iterator[str]:
    """What was looked at and is not in the table."""
    judged = len(found.ranked)
    yield f"  {found.looked} texts converted, {judged} kept apart and ranked, {found.known} known from before:"
    if found.alike:
        yield f"    {found.alike} alike: another text prints the same"
    if found.slower:
        yield f"    {found.slower} slower: not modelled, what they ask of the units alone takes longer"
    for (code, title), (count, words) in sorted(found.refused.items(), key=lambda one: -one[1][0]):
        named = f"{code}: " if code else ""
        yield f"    {count} refused, {named}{title[0].lower() + title[1:]}; one of them: {words}"
    for words, count in found.unfit.items():
        yield f"    {count} cannot be ranked: {words}"
    for one in found.failed:
        yield f"    1 not judged: {one.kind}: {one.words}"
    if not found.whole:
        yield "    The budget ended the search; a larger --budget goes on from here."


def data(found: Found, task: Task, top: int) -> dict[str, Any]:
    """The same as plain data."""
    from tl2hip.prove.machine.model.settings import STANDARD

    return {
        "kernel": task.kernel,
        "sizes": dict(task.sizes),
        "settings": [{"latency": one.latency, "bandwidth": one.bandwidth} for one in STANDARD],
        "ranked": [_ranked(one) for one in found.ranked[:top]],
        "start": found.start.score if found.start else None,
        "without_marks": found.bare.score if found.bare else None,
        "converted": found.looked,
        "alike": found.alike,
        "known": found.known,
        "slower": found.slower,
        "refused": [
            {"code": code, "title": title, "count": count, "example": words}
            for (code, title), (count, words) in found.refused.items()
        ],
        "unfit": found.unfit,
        "failed": [f"{one.kind}: {one.words}" for one in found.failed],
        "whole": found.whole,
    }


def _ranked(one: Ranked) -> dict[str, Any]:
    marks = {loop: dict(said) for loop, said in one.candidate if said}
    return {"marks": marks, "band": one.band, "score": one.judged.score, **one.judged.data()}
