"""Rules about accesses: bank conflicts, requests of which little is used, narrow accesses."""

from __future__ import annotations

from tl2hip.prove.advice.figures import Figures
from tl2hip.prove.advice.remark import Remark
from tl2hip.prove.advice.uses import Group
from tl2hip.prove.machine.model.result import Cause
from tl2hip.prove.machine.model.shared import FABRIC

WASTE = 1.25
"""Clocks of LDS in those without conflicts, and bytes requested in those used, from which it is said."""
SHARE = 0.05
"""The part of all clocks of LDS, or of all bytes requested, below which a line does not matter."""
OVER = 1.1
"""What must come from behind L2, in what may, from which it is said."""
NARROW = 2
"""Bytes a lane, up to which an access is narrow."""


def bank_conflicts(f: Figures) -> Remark | None:
    """The line that loses most clocks of LDS to conflicts.

    A store or read that no rows explain is told without a pitch. Lanes of a store that turns rows may be several
    rows apart: where nothing is read at that pitch, no pad of one row is told.
    """
    of_lds = [one for one in f.groups if one.first.lds]
    clocks = sum(one.total("clocks") for one in of_lds)
    found = [one for one in of_lds if _lost(one) > SHARE * clocks and wasteful(one)]
    if not found:
        return None
    worst = max(found, key=_lost)
    use = worst.worst
    ways = f"conflict {use.ways:.0f}-way" if abs(use.ways - round(use.ways)) < 0.05 else (
        f"take {use.ways:.2g} x the clocks they need"
    )  # fmt: skip
    text = f"{use.kind} {ways} at {use.place}"
    rows = {one.pitch for group in of_lds for one in group.uses if not one.store}
    if use.pitch and use.pitch in rows:
        text += f": row pitch {use.pitch} bytes{_way_out(use.pitch, use.better, f.element)}"
    elif use.pitch:
        text += f": lanes are {use.pitch} bytes apart"
    # They lengthen both the time that LDS is busy and the waits for it.
    waits = max(f.shares(Cause.LGKMCNT), default=0.0)
    part = min(1.0, waits + max((one.lds for one in f.busy), default=1.0))
    return Remark("bank_conflicts", part * sum(map(_lost, found)) / clocks, text, use.place)


def _lost(one: Group) -> int:
    return one.total("clocks") - one.total("free")


def _way_out(old: int, new: int | None, element: int | None) -> str:
    """A pitch without conflicts, and how it is marked where rows have a pad that the user says."""
    if new is None:
        return ""
    mark = f": {(new - old) // element} more in `lds(pad=…)`" if element and (new - old) % element == 0 else ""
    return f"; {new} bytes would not conflict{mark}"


def uncoalesced(f: Figures) -> Remark | None:
    """The line of global memory of whose requests the least is used."""
    of_memory = [one for one in f.groups if not one.first.lds]
    requested = sum(one.total("requested") for one in of_memory)
    found = [one for one in of_memory if _unused(one) > SHARE * requested and wasteful(one)]
    if not found:
        return None
    worst = max(found, key=_unused)
    use = worst.worst
    used, requests = worst.total("used"), worst.total("requested")
    text = f"{use.kind} at {use.place} use {used:,} of {requests:,} bytes requested"
    if use.pitch:
        text += f": lanes are {use.pitch:,} bytes apart"
    busy = max((one.memory for one in f.busy), default=1.0)
    return Remark("uncoalesced", busy * sum(map(_unused, found)) / requested, text, use.place)


def _unused(one: Group) -> int:
    return one.total("requested") - one.total("used")


def wasteful(one: Group) -> bool:
    """Whether it takes much more than it needs. A request of memory is of 64 bytes: what few lanes want wastes one
    or two, which no other order of the lanes would save."""
    if one.first.lds:
        return one.worst.ways >= WASTE
    least = sum(use.times * 2 * 64 for use in one.uses)
    return one.total("requested") > max(least, WASTE * one.total("used"))


def narrow_accesses(f: Figures) -> Remark | None:
    """The line of the hot loop with most accesses of a byte or two a lane, where these are most of its accesses of
    global memory. Without a loop, of the whole kernel."""
    counted = [one for one in f.groups if not one.first.lds and (one.first.hot or f.loop is None)]
    times = sum(one.total("times") for one in counted)
    narrow = [one for one in counted if one.first.width <= NARROW]
    if not narrow or 2 * sum(one.total("times") for one in narrow) <= times:
        return None
    most = max(narrow, key=lambda one: one.total("times"))
    use = most.first
    size = "1 byte" if use.width == 1 else f"{use.width} bytes"
    text = f"{use.kind} at {use.place} move {size} a lane: neighbours in one access need fewer of them"
    return Remark("narrow_accesses", 0.1 * most.total("times") / times, text, use.place)


def behind_l2(f: Figures) -> Remark | None:
    """More from behind L2, in the clocks of the model, than gets there.

    The settings take memory for faster than that, but for the last one; the clocks are those of the fastest.
    """
    if f.shared is None or not f.results:
        return None
    most = max(f.shared.a_clock(one.clocks_a_block) for one in f.results)
    if most <= OVER * FABRIC:
        return None
    text = f"{most:,.0f} bytes a clock must come from behind the L2 of an XCD, which gets {FABRIC:,}: "
    text += f"of what its blocks ask for they share {100 * (1 - f.shared.share):.0f} %"
    return Remark("behind_l2", 1 - FABRIC / most, text)
