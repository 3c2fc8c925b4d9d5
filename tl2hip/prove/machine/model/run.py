"""The model of a kernel: of a trace, or of a launcher's call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tl2hip.prove.machine.model.decode import decode
from tl2hip.prove.machine.model.loops import inner_loops
from tl2hip.prove.machine.model.recorder import Recorder
from tl2hip.prove.machine.model.result import Result
from tl2hip.prove.machine.model.settings import STANDARD, Settings, rounds
from tl2hip.prove.machine.model.settings import resident as most_resident
from tl2hip.prove.machine.model.trace import Trace
from tl2hip.prove.machine.model.unit import ComputeUnit

if TYPE_CHECKING:
    from tl2hip.prove.emulate.library import Argument
    from tl2hip.prove.machine.library import MachineLibrary


def model(
    trace: Trace, settings: Settings = STANDARD[0], *, resident: int | None = None, blocks: int | None = None
) -> Result:
    """What one compute unit does with blocks that all execute this trace.

    `resident` blocks are there at once, by default as many as fit; `blocks` run in all, by default as many rounds
    of those as make starts and ends weigh little. Raises NotUnderstood for an instruction whose cost is not known,
    and ValueError where a block does not fit, or a wave of the trace does not end.
    """
    at_once = most_resident(trace.kernel, len(trace.waves)) if resident is None else resident
    in_all = at_once * rounds(at_once * trace.steps) if blocks is None else blocks
    if at_once < 1 or in_all < 1 or not trace.waves:
        raise ValueError("a model needs blocks, and waves in them")
    if any(not steps or trace.kernel.code[steps[-1].at].name != "s_endpgm" for steps in trace.waves):
        raise ValueError("a wave of the trace does not end")
    at_once = min(at_once, in_all)
    code = decode(trace.kernel, settings.transcendental_overlaps)
    recorder = Recorder(code, inner_loops(trace.kernel))
    clocks = ComputeUnit(trace, code, settings, recorder).run(at_once, in_all)
    return recorder.result(trace, settings, at_once, in_all, clocks)


def modelled(
    library: MachineLibrary,
    launcher: str,
    args: Sequence[Argument],
    *,
    kernel: str | None = None,
    settings: Sequence[Settings] = STANDARD,
    block: int = 0,
    launch: int = 0,
) -> tuple[Result, ...]:
    """What the model says of a kernel that a launcher's call launches, at each of the settings.

    `launch` says which of the launches is looked at, counted of `kernel` alone where one is named; `block` which of
    the blocks, counted along x first: all blocks are taken to do what it does. Raises what `MachineLibrary.trace`
    and `model` raise.
    """
    trace = library.trace(launcher, args, kernel=kernel, block=block, launch=launch)
    return tuple(model(trace, one) for one in settings)
