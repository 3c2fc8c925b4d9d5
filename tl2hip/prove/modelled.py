"""What the model of a compute unit says of the kernels that a launcher's call launches, and what it is fed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tl2hip.nest.ir import Nest
from tl2hip.prove.draw import data
from tl2hip.prove.emulate import Run
from tl2hip.prove.evaluate import Sizes
from tl2hip.prove.launching import launch
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.model.result import Cause, LoopResult, Result
from tl2hip.prove.machine.model.run import model
from tl2hip.prove.machine.model.settings import STANDARD
from tl2hip.prove.machine.model.shared import Shared, shared
from tl2hip.prove.machine.model.trace import Trace
from tl2hip.prove.shapes import elements, largest, work

if TYPE_CHECKING:
    from tl2hip.hip.launcher import LauncherInfo


BUDGET = 150_000_000
"""The innermost statements that a run of the executor may take."""
ELEMENTS = 1 << 27
"""How many elements all arrays of a run may have together."""


class Given:
    """The arguments of a call as they were given: several runs of it are each to find the same data."""

    def __init__(self, args: Sequence[Any]) -> None:
        self.arrays = [one for one in args if isinstance(one, np.ndarray) and one.flags.writeable]
        self.before = [one.copy() for one in self.arrays]

    def restore(self) -> None:
        """Takes out of them what a run wrote."""
        for one, old in zip(self.arrays, self.before, strict=True):
            one[...] = old


@dataclass(slots=True)
class _Modelling:
    """A library whose calls are modelled, kernel by kernel, at each of the standard settings of memory. Where a run
    would take too long, only of the first kernel that is launched."""

    machine: MachineLibrary
    whole: bool = True
    results: dict[str, tuple[Result, ...]] = field(default_factory=dict)
    traces: dict[str, Trace] = field(default_factory=dict)
    shared: dict[str, Shared | None] = field(default_factory=dict)

    def call(self, launcher: str, args: Sequence[Any], *, calls: int | None = None) -> Run:
        given = Given(args)

        def model_one(kernel: str | None = None) -> None:
            given.restore()
            trace = self.machine.trace(launcher, args, kernel=kernel)
            self.model(trace)
            given.restore()
            self.shared[trace.kernel.name] = shared(self.machine, launcher, args, trace)

        if not self.whole:
            model_one()
            return Run(0, (), {}, (), ())
        ran = self.machine.call(launcher, args, calls=calls)
        if ran.status:
            told = ran.errors[0].message if ran.errors else f"the launcher gives {ran.status}"
            raise ValueError(f"the run that is traced fails: {told}")
        for name in ran.launches:
            model_one(name)
        return ran

    def model(self, trace: Trace) -> None:
        self.traces[trace.kernel.name] = trace
        self.results[trace.kernel.name] = tuple(model(trace, one) for one in STANDARD)

    def value(self, function: str, args: Sequence[Any]) -> int:
        return self.machine.value(function, args)


@dataclass(frozen=True, slots=True)
class Modelled:
    """What the model says of each kernel that is launched for some sizes, at each setting, the trace of a block
    that it was fed, and what blocks share in L2. `whole`: of all kernels, else of the first one that is
    launched."""

    sizes: Sizes
    results: dict[str, tuple[Result, ...]]
    traces: dict[str, Trace] = field(default_factory=dict)
    shared: dict[str, Shared | None] = field(default_factory=dict)
    whole: bool = True

    def data(self) -> dict[str, Any]:
        """The results as plain data: by kernel, one entry a setting."""
        kernels = {name: [_of_result(one) for one in found] for name, found in self.results.items()}
        return {"sizes": self.sizes, "kernels": kernels}


def model_of(nest: Nest, text: str, launcher: LauncherInfo, sizes: Sizes | None = None) -> Modelled:
    """What the model says of a launcher's kernels, for sizes as large as the executor runs in a second where none
    are given.

    Raises UnsupportedHost, MissingCompiler and program.NotUnderstood, and ValueError where there are no such sizes
    or a block executes more than can be modelled.
    """
    chosen = largest(nest, BUDGET) if sizes is None and nest.dims else sizes or {}
    if chosen is None:
        raise ValueError("no sizes were found to run it with: choose them with --for")
    if elements(nest, chosen) > ELEMENTS:
        raise ValueError(f"its arrays have more than {ELEMENTS:,} elements")
    with MachineLibrary(text, detect=False) as machine:
        assert isinstance(machine, MachineLibrary)
        modelling = _Modelling(machine, work(nest, chosen) <= BUDGET)
        launch(nest, launcher, modelling, data(nest, chosen, "normal", 0), chosen, (), None)
        return Modelled(chosen, modelling.results, modelling.traces, modelling.shared, modelling.whole)


def _of_result(one: Result) -> dict[str, Any]:
    return {
        "latency": one.settings.latency,
        "bandwidth": one.settings.bandwidth,
        "resident_blocks": one.resident,
        "clocks_a_block": one.clocks_a_block,
        **_figures(one),
        "loops": [_of_loop(loop) for loop in one.loops],
    }


def _of_loop(loop: LoopResult) -> dict[str, Any]:
    place = {"assembly_line": loop.line, "hip_line": loop.source}
    return {**place, "iterations": loop.iterations, "clocks": loop.clocks, **_figures(loop)}


def _figures(one: Result | LoopResult) -> dict[str, Any]:
    busy = {"mfma": one.busy.mfma, "valu": one.busy.valu, "lds": one.busy.lds, "memory": one.busy.memory}
    return {"busy": busy, "waits": {cause.value: one.share(cause) for cause in Cause if one.share(cause)}}
