"""Rules about what a kernel takes: registers, scratch memory, LDS, compute units."""

from __future__ import annotations

from dataclasses import astuple
from math import ceil

from tl2hip.plan.gfx942 import COMPUTE_UNITS, LDS_BYTES, MAX_WAVES, REGISTER_STEP, REGISTERS, SIMDS, WAVE
from tl2hip.prove.advice.figures import Figures
from tl2hip.prove.advice.remark import Remark, count, percent
from tl2hip.prove.machine.model.result import Cause

FEW_WAVES = 2
"""Waves a SIMD, up to which there are few to take turns."""
IDLE = 0.2
"""The part of their clocks that waves wait for data, from which more of them would help."""
WORKS = 0.6
"""The part of its time that some unit works, above which more waves would bring little."""


def scratch(f: Figures) -> Remark | None:
    """Registers that are spilled, and arrays of a thread that are kept in memory."""
    c = f.counters
    if not (c.vgpr_spills or c.sgpr_spills or c.scratch_bytes):
        return None
    kinds = (c.vgpr_spills, "vector"), (c.sgpr_spills, "scalar")
    spilled = [count(n, f"{kind} register") for n, kind in kinds if n]
    told = [f"{' and '.join(spilled)} spilled"] if spilled else []
    told += [f"{c.scratch_bytes:,} bytes a thread are in scratch memory"] if c.scratch_bytes else []
    inside = f.loop.own.scratch if f.loop is not None else c.whole.scratch
    where = "the loop" if f.loop is not None else "the code"
    text = f"{', '.join(told)}: {where} goes there with {count(inside, 'instruction')}"
    return Remark("scratch", 1.0 if inside else 0.05, text)


def few_waves(f: Figures) -> Remark | None:
    """Too few waves a SIMD to cover what they wait for, and what limits them: registers or LDS."""
    c = f.counters
    shares = [sum(one.share(cause) for cause in (Cause.VMCNT, Cause.LGKMCNT)) for one in f.parts]
    resident = min([c.occupancy, *(ceil(one.resident * one.waves / SIMDS) for one in f.results[:1])])
    if resident > FEW_WAVES or not shares or max(shares) < IDLE or all(max(astuple(one)) > WORKS for one in f.busy):
        return None
    limits = [*_by_lds(f, resident), *_by_registers(f, resident)]
    if not limits:
        return None
    many = "1 wave" if resident == 1 else f"{resident} waves"
    text = f"{many} a SIMD cannot cover the {percent(shares)} that waves wait for data: {', and '.join(limits)}"
    return Remark("few_waves", 0.25 * max(f.weight(Cause.VMCNT), f.weight(Cause.LGKMCNT)), text)


def _by_registers(f: Figures, waves: int) -> list[str]:
    """That registers allow no more waves, and how many would allow one more."""
    most = REGISTERS // (waves + 1) // REGISTER_STEP * REGISTER_STEP
    if waves >= MAX_WAVES or f.counters.registers <= most:
        return []
    return [f"one more wave needs {most} registers a lane or fewer, it takes {f.counters.registers}"]


def _by_lds(f: Figures, waves: int) -> list[str]:
    """That LDS allows no more blocks, and how much would allow one more."""
    of_block = ceil(f.counters.threads / WAVE)
    blocks = max(1, waves * SIMDS // of_block)
    most = LDS_BYTES // (blocks + 1)
    if f.counters.lds_bytes <= most:
        return []
    return [f"one more block needs {most:,} bytes of LDS or fewer, it takes {f.counters.lds_bytes:,}"]


def few_blocks(f: Figures) -> Remark | None:
    """Too few blocks for the compute units, at sizes that somebody chose."""
    if not f.asked or not f.launched or f.launched >= COMPUTE_UNITS:
        return None
    idle = COMPUTE_UNITS - f.launched
    text = f"{count(f.launched, 'block')} for {COMPUTE_UNITS} compute units of an MI300X: {idle} have nothing to do"
    return Remark("few_blocks", idle / COMPUTE_UNITS, text)
