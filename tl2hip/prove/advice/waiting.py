"""Rules about where waves wait, and about units that are busier than the one that should be."""

from __future__ import annotations

from tl2hip.prove.advice.awaited import Awaited
from tl2hip.prove.advice.figures import Figures
from tl2hip.prove.advice.remark import Remark, count, percent
from tl2hip.prove.machine.model.result import Cause

LEAST = 0.10
"""The part of the waves' clocks from which a wait is said."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


def waits_on_loads(f: Figures) -> Remark | None:
    """Waits for loads that are issued too late."""
    waiting, longest = f.waiting(Cause.VMCNT), f.longest(Cause.VMCNT)
    if max(waiting, default=0) < LEAST or longest is None:
        return None
    place = f.place(longest)
    found = f.awaits(longest, "vmcnt")
    text = f"waves wait {percent(waiting)} on vmcnt at {place}{f': {_prefetch(f, found)}' if found else ''}"
    return Remark("waits_on_loads", f.weight(Cause.VMCNT), text, place)


def _prefetch(f: Figures, found: Awaited) -> str:
    """How deep the loads are prefetched that a wait is for."""
    ago = count(round(found.ahead), "instruction")
    if f.loop is None or found.kind != "loads":
        return f"the {found.kind} are issued {ago} before"
    turn, plural = ("tile", "tiles") if f.loop.own.mfma else ("turn of the loop", "turns of the loop")
    if found.turns < 0.25:
        return f"nothing is prefetched, the loads are issued {ago} before"
    deep = max(1, round(found.turns))
    many = NUMBERS[deep] if deep < len(NUMBERS) else f"{deep}"
    return f"the prefetch is {many} {turn if deep == 1 else plural} deep"


def waits_on_lds(f: Figures) -> Remark | None:
    """Waits for LDS, or for scalar loads, that are issued too late."""
    shares, longest = f.waiting(Cause.LGKMCNT), f.longest(Cause.LGKMCNT)
    if max(shares, default=0) < LEAST or longest is None:
        return None
    place, found = f.place(longest), f.awaits(longest, "lgkmcnt")
    text = f"waves wait {percent(shares)} on lgkmcnt at {place}"
    if found is not None:
        ago = count(round(found.ahead), "instruction")
        for_matrix = " for MFMA" if f.loop is not None and f.loop.own.mfma and found.kind == "LDS reads" else ""
        text += f": the {found.kind}{for_matrix} are issued {ago} before they are used"
    return Remark("waits_on_lds", f.weight(Cause.LGKMCNT), text, place)


def waits_at_barriers(f: Figures) -> Remark | None:
    """Waits of waves for each other."""
    shares, longest = f.waiting(Cause.BARRIER), f.longest(Cause.BARRIER)
    if max(shares, default=0) < LEAST or longest is None:
        return None
    place = f.place(longest)
    text = f"waves wait {percent(shares)} at barriers, longest at {place}"
    if f.loop is not None and f.loop.own.barriers:
        its = count(f.loop.own.total, "instruction")
        text += f": the loop has {count(f.loop.own.barriers, 'barrier')} for {its}"
    return Remark("waits_at_barriers", f.weight(Cause.BARRIER), text, place)


def lds_busier_than_matrix(f: Figures) -> Remark | None:
    """LDS does more than the matrix units: each fragment that is read feeds too few products."""
    if f.loop is None or not f.loop.own.mfma or not f.busy:
        return None
    if not all(one.lds > max(one.mfma, 0.5) for one in f.busy):
        return None
    lds, mfma = percent([one.lds for one in f.busy]), percent([one.mfma for one in f.busy])
    reads = sum(f.loop.own.lds_reads.values())
    many = f"{count(reads, 'read')} for {f.loop.own.mfma} MFMA"
    text = f"LDS is busy {lds}, the matrix units {mfma}: {many}; a larger tile of each wave reads less for each"
    return Remark("lds_busier_than_matrix", max(one.lds - one.mfma for one in f.busy), text)


def vector_beside_matrix(f: Figures) -> Remark | None:
    """The vector unit takes much of the time of a loop of matrix instructions."""
    if f.loop is None or not f.loop.own.mfma:
        return None
    shares = [one.valu for one in f.busy]
    if not shares or max(shares) < 0.3:
        return None
    many = f"{f.loop.own.valu} of them for {f.loop.own.mfma} MFMA a turn of the loop"
    text = f"vector instructions take {percent(shares)} of the time beside MFMA: {many}"
    return Remark("vector_beside_matrix", max(shares) * 0.5, text)
