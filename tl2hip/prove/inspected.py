"""Everything that `inspect` tells of one function: counted, modelled, and what an expert would say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tl2hip.plan.ir import DeviceKernel, Plan
from tl2hip.prove.advice import Figures, figures, remarks
from tl2hip.prove.advice.table import line, table
from tl2hip.prove.counted import Counted, count
from tl2hip.prove.counters import KernelCounters
from tl2hip.prove.evaluate import Sizes
from tl2hip.prove.machine.model.show import LEAST, RANKS, assumed
from tl2hip.prove.machine.program import NotUnderstood
from tl2hip.prove.modelled import Modelled, model_of

if TYPE_CHECKING:
    from tl2hip.hip import PrintedFile
    from tl2hip.hip.launcher import LauncherInfo


@dataclass(frozen=True, slots=True)
class Inspected:
    """One function: what is counted of its kernels, what the model says, or why it says nothing ("" where it was
    not asked), and the figures of each kernel by name."""

    counted: Counted
    modelled: Modelled | None
    unmodelled: str
    figures: Mapping[str, Figures]

    def lines(self, everything: bool = False) -> Iterator[str]:
        """For people: a table for each kernel and what there is to say; `everything`: each access by its line."""
        at = f" at {_told(self.modelled.sizes)}" if self.modelled else ""
        yield f"{self.counted.name}{at}:"
        kernels = [one for one in self.counted.plan.kernels if one.name in self.figures]
        for kernel in kernels:
            if self.modelled is None or kernel.name in self.modelled.results:
                yield from table(self.figures[kernel.name], _block(kernel), everything)
        if self.modelled:
            why = "not launched at these sizes" if self.modelled.whole else "not modelled"
            yield from (line(self.figures[k.name], why) for k in kernels if k.name not in self.modelled.results)
        if self.modelled:
            settings = [one.settings for found in self.modelled.results.values() for one in found]
            yield from (f"  {told}" for told in ((RANKS, assumed(settings)) if settings else ()))
            if any(self.modelled.shared.values()):
                yield f"  {LEAST}"
        if self.modelled and not self.modelled.whole:
            yield "  These sizes are too large for a whole run: of the kernels only the first one is modelled."
        if self.unmodelled:
            yield f"  not modelled: {self.unmodelled}"
        yield from self.counted.lines(accesses=self.modelled is None)

    def data(self) -> dict[str, Any]:
        """The same as plain data, with every access and every loop."""
        found = self.counted.data()
        for kernel in found["kernels"]:
            f = self.figures[kernel["name"]]
            kernel["launched_blocks"] = f.launched
            kernel["l2"] = f.shared.data() if f.shared else None
            kernel["accesses"] = [use.data() for group in f.groups for use in group.uses]
            kernel["remarks"] = [one.data() for one in remarks(f)]
        found["model"] = self.modelled.data() if self.modelled else None
        found["not_modelled"] = self.unmodelled
        return found


def inspect(
    plan: Plan,
    file: PrintedFile,
    launcher: LauncherInfo,
    counters: tuple[KernelCounters, ...],
    *,
    sizes: Sizes | None = None,
    with_model: bool = True,
) -> Inspected:
    """What is told of one function of a printed file, modelled at `sizes` (None: as large as runs in a second).

    Raises MissingCompiler and UnsupportedHost.
    """
    counted = count(plan, file.text, launcher, counters)
    modelled, why = None, ""
    if with_model:
        try:
            modelled = model_of(plan.nest, file.text, launcher, sizes)
        except (NotUnderstood, ValueError) as error:
            why = str(error)
    asked = sizes is not None or not plan.nest.dims
    kernels = {one.name: one for one in plan.kernels}
    found = {}
    for one in counted.counters:
        if modelled is None or one.name not in modelled.results:
            found[one.name] = Figures(one, (), origins=file.origins)
            continue
        results, trace = modelled.results[one.name], modelled.traces[one.name]
        element = _element(plan, kernels[one.name])
        made = figures(one, results, trace, file.origins, asked=asked, element=element)
        found[one.name] = replace(made, shared=modelled.shared[one.name])
    return Inspected(counted, modelled, why, found)


def _element(plan: Plan, kernel: DeviceKernel) -> int | None:
    """Bytes of an element of a kernel's arrays in LDS, where all have as many and the user says a pad of one."""
    if not any(mark.name == "lds" and mark.value for array in plan.nest.arrays for mark in array.marks):
        return None
    placed = [plan.placed(name) for name in kernel.local_arrays]
    sizes = {one.array.dtype.bytes for one in placed if one.space == "shared"}
    return sizes.pop() if len(sizes) == 1 else None


def _block(kernel: DeviceKernel) -> str:
    return f"{' x '.join(str(n) for n in kernel.block if n > 1) or '1'} threads a block"


def _told(sizes: Sizes) -> str:
    return " ".join(f"{n}={v}" for n, v in sizes.items()) or "its own sizes"
