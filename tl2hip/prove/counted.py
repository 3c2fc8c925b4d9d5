"""What is counted of a kernel: by the compiler for gfx942, and on the emulated compute unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tl2hip.nest.ir import Nest
from tl2hip.plan.ir import Plan
from tl2hip.prove.counters import LDS_LIMIT, KernelCounters, Loop, Mix
from tl2hip.prove.draw import data
from tl2hip.prove.emulate import Coalescing, Emulator, Run
from tl2hip.prove.evaluate import Sizes
from tl2hip.prove.launching import launch
from tl2hip.prove.shapes import largest

if TYPE_CHECKING:
    from tl2hip.hip.launcher import LauncherInfo

BUDGET = 300_000
"""The innermost statements that a counted run may take."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One function: the counters of its kernels, and a run on `sizes` (None: no sizes could be found)."""

    name: str
    plan: Plan
    counters: tuple[KernelCounters, ...]
    sizes: Sizes
    run: Run | None

    def lines(self) -> Iterator[str]:
        """The figures for people."""
        named = {c.name: c for c in self.counters}
        yield f"{self.name}:"
        for kernel in self.plan.kernels:
            if kernel.name in named:
                block = " x ".join(str(n) for n in kernel.block if n > 1) or "1"
                yield from _of_kernel(named[kernel.name], f"{block} threads")
        if self.run is None:
            yield "  no sizes were found to run it with: choose them with --set"
            return
        extents = " ".join(f"{n}={v}" for n, v in self.sizes.items()) or "its own sizes"
        yield f"  on the emulated compute unit with {extents}:"
        for access in self.run.coalescing:
            yield from _of_access(access)
        for bank in self.run.bank_conflicts:
            kind = "store" if bank.store else "load"
            yield f"    LDS {kind} of {bank.bytes} bytes a lane, {bank.ways:.2f} x the clocks without conflicts"
            yield f"      line {bank.line}: {bank.text.strip()}"
        if not self.run.bank_conflicts:
            yield "    no LDS access, so no bank conflict"
        for finding in self.run.findings:
            yield f"    {finding}"

    def data(self) -> dict[str, Any]:
        """The same as plain data."""
        run = self.run
        return {
            "kernel": self.name,
            "kernels": [_kernel_data(c) for c in self.counters],
            "sizes": self.sizes,
            "coalescing": [{**asdict(c), "efficiency": c.efficiency} for c in run.coalescing] if run else None,
            "bank_conflicts": [{**asdict(b), "ways": b.ways} for b in run.bank_conflicts] if run else None,
            "findings": [str(f) for f in run.findings] if run else None,
        }


def count(plan: Plan, text: str, launcher: LauncherInfo, counters: tuple[KernelCounters, ...]) -> Counted:
    """The figures of one function of a printed text. Raises MissingCompiler and UnsupportedHost."""
    own = {k.name for k in plan.kernels}
    sizes = largest(plan.nest, BUDGET)
    run = _run(plan.nest, text, launcher, sizes) if sizes is not None else None
    return Counted(plan.nest.name, plan, tuple(c for c in counters if c.name in own), sizes or {}, run)


def _run(nest: Nest, text: str, launcher: LauncherInfo, sizes: Sizes) -> Run:
    with Emulator.load(text) as library:
        return launch(nest, launcher, library, data(nest, sizes, "normal", 0), sizes, (), None)[1]


def _of_kernel(c: KernelCounters, block: str) -> Iterator[str]:
    yield f"  {c.name}: {block}"
    spills = f"{c.vgpr_spills + c.sgpr_spills} spilled, {c.scratch_bytes} bytes of scratch a thread"
    yield f"    registers: {c.vgprs} VGPRs, {c.agprs} AGPRs, {c.sgprs} SGPRs, {spills}"
    yield f"    LDS: {c.lds_bytes:,} of {LDS_LIMIT:,} bytes"
    yield f"    occupancy: {c.occupancy} waves a SIMD; {c.code_bytes:,} bytes of code"
    if c.hot is None:
        yield f"    no loop; all its code: {_mix(c.whole)}"
    else:
        yield f"    hot loop (depth {c.hot.depth}): {_mix(c.hot.own)}"


def _mix(m: Mix) -> str:
    widths = {
        "global loads": m.global_loads,
        "global stores": m.global_stores,
        "LDS reads": m.lds_reads,
        "LDS writes": m.lds_writes,
    }
    counts = {
        "MFMA": m.mfma,
        "VALU": m.valu,
        "SALU": m.salu,
        "scalar loads": m.scalar_loads,
        "atomics": m.global_atomics,
        "exchanges": m.exchanges,
        "scratch": m.scratch,
        "waits": m.waits,
        "barriers": m.barriers,
        "branches": m.branches,
    }
    told = [f"{n} {name}" for name, n in counts.items() if n]
    for name, by_width in widths.items():
        if by_width:
            each = ", ".join(f"{n} {width}" for width, n in by_width.items())
            told.append(f"{sum(by_width.values())} {name} ({each})")
    return f"{m.total} instructions: {', '.join(told)}"


def _of_access(access: Coalescing) -> Iterator[str]:
    kind = "store" if access.store else "load"
    share = f"{access.requests} requests of 64 bytes where {access.ideal} would do"
    yield f"    global {kind} of {access.bytes} bytes a lane, {access.efficiency:.0%} coalesced: {share}"
    yield f"      line {access.line}: {access.text.strip()}" if access.line else "      in no line of its own"


def _kernel_data(c: KernelCounters) -> dict[str, Any]:
    found = asdict(c)
    del found["loops"], found["symbol"], found["code"]
    found["hot_loop"] = _loop_data(c.hot) if c.hot else None
    return found


def _loop_data(loop: Loop) -> dict[str, Any]:
    return {"depth": loop.depth, "innermost": loop.innermost, "all": asdict(loop.all), "own": asdict(loop.own)}
