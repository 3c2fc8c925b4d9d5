"""What is counted of a kernel: by the compiler for gfx942, and on the emulated compute unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tl2hip.nest.ir import Nest
from tl2hip.plan.ir import Plan
from tl2hip.prove.counters import KernelCounters, Loop
from tl2hip.prove.draw import data
from tl2hip.prove.emulate import Emulator, Run
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

    def lines(self, accesses: bool) -> Iterator[str]:
        """What the run on the emulated compute unit found, and with `accesses` what each line of it does."""
        if self.run is None:
            yield "  Not run on the emulated compute unit: no sizes were found for it; choose them with --set"
            return
        extents = " ".join(f"{n}={v}" for n, v in self.sizes.items()) or "its own sizes"
        if accesses or self.run.findings:
            yield f"  On the emulated compute unit with {extents}:"
        if accesses:
            yield from _accesses(self.run)
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


def _accesses(run: Run) -> Iterator[str]:
    """A line for each line of the text and kind of access."""
    told: dict[str, int] = {}
    for one in run.coalescing:
        kind = f"global {'store' if one.store else 'load'} of {one.bytes} bytes a lane"
        text = f"{kind}, {one.efficiency:.0%} coalesced{_at(one.line, one.text)}"
        told[text] = told.get(text, 0) + 1
    for bank in run.bank_conflicts:
        kind = f"LDS {'store' if bank.store else 'load'} of {bank.bytes} bytes a lane"
        text = f"{kind}, {bank.ways:.2f} x the clocks without conflicts{_at(bank.line, bank.text)}"
        told[text] = told.get(text, 0) + 1
    yield from (f"    {f'{times} x ' if times > 1 else ''}{text}" for text, times in told.items())


def _at(line: int, text: str) -> str:
    return f" at line {line}: {text.strip()}" if line else " in no line of its own"


def _kernel_data(c: KernelCounters) -> dict[str, Any]:
    found = asdict(c)
    del found["symbol"], found["code"]
    found["loops"] = [_loop_data(loop) for loop in c.loops]
    found["hot_loop"] = _loop_data(c.hot) if c.hot else None
    return found


def _loop_data(loop: Loop) -> dict[str, Any]:
    mixes = {"all": asdict(loop.all), "own": asdict(loop.own)}
    return {"label": loop.label, "depth": loop.depth, "innermost": loop.innermost, **mixes}
