"""One candidate judged: refused with the reason, or what its machine code takes and what the model says of it.

The score of a candidate is the clocks of the busiest of the chip's compute units, as the model of one has them: the
blocks of the launch over all units, rounded up, with as many of them there at once as registers and LDS allow. Of a
launch one block is executed, the one in the middle; of several launches of one kernel, the first.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

from tl2hip.plan.gfx942 import COMPUTE_UNITS
from tl2hip.tune.space import Candidate
from tl2hip.tune.task import Task, convert, text_of

if TYPE_CHECKING:
    from tl2hip.plan.ir import HostStmt
    from tl2hip.prove.counters import KernelCounters
    from tl2hip.prove.draw import Data
    from tl2hip.prove.emulate import Run
    from tl2hip.prove.machine.library import MachineLibrary
    from tl2hip.prove.machine.model import Result, Settings, Trace
    from tl2hip.prove.machine.model.shared import Shared

BLOCK = 1 << 16
"""Elements of the block of drawn numbers that arrays of plain numbers repeat: which way a kernel goes does not
hang on more of them."""
FEW = 8
"""Rounds of blocks from which the last one's weight is left out."""
MOST_STEPS = 2_000_000
"""Instructions in a run of the model, at most: some ten seconds."""
MIDDLE = 1
"""The setting whose waits are told: memory behind the cache."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What conversion makes of a candidate: a digest of the printed code, comments left out, and of what the kernel
    is promised of its indices, by which they are drawn; or why it is refused: a code of the catalogue, its title,
    and the words. `missed` are the faster plans that did not fit."""

    code: str = ""
    refused: tuple[str, str, str] | None = None
    missed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figures:
    """One kernel that is launched: its registers a lane, bytes of LDS and waves a SIMD as compiled; its blocks,
    and how often it is launched; at each setting the clocks of the busiest unit for one launch.

    `busy` are the parts of the clocks in which the units for MFMA, VALU, LDS and memory work, `waits` the largest
    parts of the waves' time that they waited, by cause; both at the middle setting. `machine` is a digest of what
    was executed: kernels that differ in what is not executed at these sizes have the same. `behind` are the bytes
    of one launch that must come from behind L2, `share` their part of what blocks ask for; None where blocks are
    few.
    """

    name: str
    machine: str
    threads: int
    registers: int
    lds: int
    waves: int
    blocks: int
    launches: int
    clocks: tuple[float, ...]
    busy: tuple[float, ...]
    waits: tuple[tuple[str, float], ...]
    behind: float | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate's code, judged: what its kernels take, or why it cannot be ranked.

    Where there is neither, its score is `bound` or more, which was too much to look closer. `passing`: refused for
    want of this machine's memory or time, which is not kept.
    """

    code: str
    refused: str = ""
    kernels: tuple[Figures, ...] = ()
    bound: float = 0.0
    passing: bool = False

    @property
    def works(self) -> tuple[float, ...]:
        """At each setting, the clocks of the busiest unit for all launches."""
        each = [[n * k.launches for n in k.clocks] for k in self.kernels]
        return tuple(map(sum, zip(*each, strict=True)))

    @property
    def score(self) -> float:
        """What candidates are ranked by, the less the better: the geometric mean over the settings. It weighs each
        of them alike, whatever its clocks, and needs no candidate to compare with."""
        return _mean(self.works)

    @property
    def machine(self) -> tuple[tuple[str, int], ...]:
        """What is executed, and how often."""
        return tuple((k.machine, k.launches) for k in self.kernels)

    @property
    def behind(self) -> float | None:
        """Bytes of all launches that must come from behind L2; None where that is counted of no kernel."""
        each = [k.behind * k.launches for k in self.kernels if k.behind is not None]
        return sum(each) if each else None

    @property
    def registers(self) -> int:
        """Registers of the kernel that takes most."""
        return max(k.registers for k in self.kernels)

    @property
    def lds(self) -> int:
        """Bytes of LDS of the kernel that takes most."""
        return max(k.lds for k in self.kernels)

    def data(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)


def judged_of(data: Mapping[str, Any]) -> Judged:
    """A judgement out of plain data. Raises KeyError, TypeError or ValueError where that is none."""
    kernels = tuple(
        Figures(**{**one, "clocks": _floats(one["clocks"]), "busy": _floats(one["busy"]), "waits": _waits(one)})
        for one in data["kernels"]
    )
    return Judged(str(data["code"]), str(data["refused"]), kernels, float(data["bound"]))


def _mean(numbers: Sequence[float]) -> float:
    """The geometric mean."""
    return prod(numbers) ** (1 / len(numbers))


def _floats(numbers: Sequence[Any]) -> tuple[float, ...]:
    return tuple(map(float, numbers))


def _waits(one: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    return tuple((str(cause), float(part)) for cause, part in one["waits"])


# --- what is asked of a candidate ------------------------------------------------------------------------


def look(task: Task, candidate: Candidate) -> Looked:
    """Converts a candidate."""
    done = convert(task, text_of(task, candidate))
    if done.errors:
        first = min(done.errors, key=lambda p: p.at)
        return Looked(refused=(first.code, first.title, first.text))
    bare = re.sub(r"//[^\n]*|\s+", " ", done.text)
    ((plan, nest),) = ((one.plan, one.nest) for one in done.kernels)
    assert nest is not None
    missed = tuple(dict.fromkeys(miss.plan for miss in plan.misses)) if plan else ()
    known = f"{bare} {nest.distinct} {nest.offsets}"
    return Looked(hashlib.sha256(known.encode()).hexdigest()[:24], missed=missed)


def judge(task: Task, code: str, candidate: Candidate, limit: float | None = None) -> Judged:
    """Compiles a candidate, executes a block of each kernel that it launches, and models these: unless what they
    ask of the unit alone makes a score beyond `limit`.

    Raises MissingCompiler and UnsupportedHost.
    """
    from tl2hip.prove.compiled import compiled, findings
    from tl2hip.prove.compiler import compile_device
    from tl2hip.prove.launching import launch
    from tl2hip.prove.machine import assembly
    from tl2hip.prove.machine.library import MachineLibrary
    from tl2hip.prove.machine.program import NotUnderstood
    from tl2hip.prove.machine.tracing import Starved

    done = convert(task, text_of(task, candidate))
    (one,), file = done.kernels, done.printed
    assert one.plan is not None
    if _waits_for_kernels(one.plan.host):
        return Judged(code, "cannot be modelled: its launcher waits for what its kernels compute")
    found = compiled(file.text, one.function.at)
    problems = found.problems or tuple(findings(one.plan, found.counters))
    if wrong := [p.text for p in problems if p.severity == "error"]:
        return Judged(code, wrong[0])
    program = assembly.read(compile_device(file.text).text)
    try:
        machine = MachineLibrary(file.text, detect=False, program=program)
        with machine:
            tracing = _Tracing(machine, limit)
            launch(one.plan.nest, file.launchers[0], tracing, drawn(task), dict(task.sizes), (), None)
        if not tracing.traces:
            raise ValueError("nothing is launched for these sizes")
        if not tracing.found:
            return Judged(code, bound=tracing.least)
        counters = {c.name: c for c in found.counters}
        kernels = [
            figures(trace, counters[trace.kernel.name], times, one)
            for (trace, times), one in zip(tracing.traces, tracing.found, strict=True)
        ]
        return Judged(code, kernels=tuple(kernels))
    except (NotUnderstood, ValueError, MemoryError) as error:
        passing = isinstance(error, MemoryError | Starved)
        return Judged(code, f"cannot be modelled: {str(error) or 'there is no memory'}", passing=passing)


def _waits_for_kernels(host: Sequence[HostStmt]) -> bool:
    """Whether a launcher reads back what a kernel computes: what it launches then hangs on that."""
    from tl2hip.plan.ir import HostIf, HostLoop, HostWhile, ReadBack

    for s in host:
        if isinstance(s, ReadBack) or (isinstance(s, HostLoop | HostWhile) and _waits_for_kernels(s.body)):
            return True
        if isinstance(s, HostIf) and _waits_for_kernels((*s.then, *s.orelse)):
            return True
    return False


@lru_cache(maxsize=1)
def drawn(task: Task) -> Data:
    """The data that all candidates of a search run on; drawn once in each process."""
    from tl2hip.prove.draw import data

    (one,) = convert(task, task.text, "nest").kernels
    assert one.nest is not None
    return data(one.nest, dict(task.sizes), "normal", 0, block=BLOCK)


class _Tracing:
    """A library whose calls trace the middle block of each kernel that they launch, and count its launches; then
    what blocks share, unless the bound is beyond a limit. Nothing else runs."""

    def __init__(self, machine: MachineLibrary, limit: float | None) -> None:
        self.machine = machine
        self.limit = limit
        self.least = 0.0
        self.traces: list[tuple[Trace, int]] = []
        self.found: list[Shared | None] = []

    def call(self, launcher: str, args: Sequence[Any], *, calls: int | None = None) -> Run:
        from tl2hip.prove.emulate import Run
        from tl2hip.prove.machine.model.shared import shared
        from tl2hip.prove.modelled import Given

        launches = self.machine.launches(launcher, args)
        given = Given(args if len(launches) > 1 else ())
        for name, times in launches.items():
            trace = self.machine.trace(launcher, args, kernel=name, block=None, alone=True)
            self.traces.append((trace, times))
            given.restore()
        self.least = bound(self.traces)
        if self.limit is None or self.least <= self.limit:
            for trace, _ in self.traces:
                self.found.append(shared(self.machine, launcher, args, trace, alone=True))
                given.restore()
        return Run(0, (), launches, (), ())

    def value(self, function: str, args: Sequence[Any]) -> int:
        return self.machine.value(function, args)


@dataclass(frozen=True, slots=True)
class Executed:
    """A traced block, known by the digest of its trace."""

    digest: str
    trace: Trace = field(compare=False)


@dataclass(frozen=True, slots=True)
class Modelled:
    """What the model says of a kernel, as in Figures."""

    clocks: tuple[float, ...]
    busy: tuple[float, ...]
    waits: tuple[tuple[str, float], ...]


def digest(trace: Trace) -> str:
    """A digest of a trace: the kernel's code, the launch's blocks, and what one of them executed."""
    kernel = trace.kernel
    sha = hashlib.sha256(f"{trace.grid} {kernel.vgprs} {kernel.agprs} {kernel.lds}\n".encode())
    code = "\n".join(one.text.strip() for one in kernel.code)
    sha.update(re.sub(r"\.LBB\d+_", ".LBB_", code).encode())  # labels count the kernels before
    for wave in trace.waves:
        sha.update(" ".join(f"{one.at},{one.lds},{one.requests}" for one in wave).encode() + b"\n")
    return sha.hexdigest()[:24]


@lru_cache(maxsize=16)
def modelled(executed: Executed) -> Modelled:
    """What the model says of a traced block. What was modelled lately is known: marks often change only what other
    sizes execute."""
    from tl2hip.prove.machine.model import STANDARD
    from tl2hip.prove.machine.model.result import Cause

    found = [busiest(executed.trace, settings) for settings in STANDARD]
    middle = found[MIDDLE][1]
    busy = middle.busy
    waits = sorted(((cause.value, middle.share(cause)) for cause in Cause), key=lambda one: -one[1])
    return Modelled(
        clocks=tuple(clocks for clocks, _ in found),
        busy=(busy.mfma, busy.valu, busy.lds, busy.memory),
        waits=tuple(waits[:3]),
    )


def figures(trace: Trace, counters: KernelCounters, launches: int, shared: Shared | None) -> Figures:
    """What a trace, the compiler's counters and what blocks share say of a kernel that is launched so often."""
    executed = Executed(digest(trace), trace)
    its = modelled(executed)
    return Figures(
        name=counters.name,
        machine=executed.digest,
        threads=counters.threads,
        registers=counters.registers,
        lds=counters.lds_bytes,
        waves=counters.occupancy,
        blocks=trace.blocks,
        launches=launches,
        clocks=its.clocks,
        busy=its.busy,
        waits=its.waits,
        behind=None if shared is None else shared.behind * trace.blocks,
        share=None if shared is None else shared.share,
    )


def bound(traces: Sequence[tuple[Trace, int]]) -> float:
    """A score that launches do not come below: at each setting the clocks for which the unit that gets most blocks
    keeps its matrix units, vector units, LDS or share of memory."""
    from tl2hip.prove.machine.model import STANDARD
    from tl2hip.prove.machine.model.decode import decode
    from tl2hip.prove.machine.model.facts import REQUEST, SIMDS, Unit

    least = [0.0] * len(STANDARD)
    for trace, launches in traces:
        code = decode(trace.kernel, False)
        matrix = vector = banks = requests = 0
        for wave in trace.waves:
            times = Counter(map(id, wave))  # steps that are alike are one object
            for step in {id(step): step for step in wave}.values():
                count, one = times[id(step)], code[step.at]
                matrix += count * one.busy * (one.unit == Unit.MATRIX.value)
                vector += count * one.busy * one.vector_unit
                banks += count * step.lds
                requests += count * step.requests
        blocks = -(-trace.blocks // COMPUTE_UNITS) * launches
        for n, settings in enumerate(STANDARD):
            memory = requests * REQUEST / settings.bandwidth
            least[n] += blocks * max(matrix / SIMDS, vector / SIMDS, banks, memory)
    return _mean(least)


def busiest(trace: Trace, settings: Settings) -> tuple[float, Result]:
    """The clocks of the compute unit that gets most blocks of the launch, and what the model says of those that it
    runs: all of them, or as many rounds as make starts and ends weigh little. Raises ValueError where that takes
    too long."""
    from tl2hip.prove.machine.model import model
    from tl2hip.prove.machine.model.settings import resident, rounds

    at_once = resident(trace.kernel, len(trace.waves))
    blocks = -(-trace.blocks // COMPUTE_UNITS)
    run = min(blocks, at_once * rounds(at_once * trace.steps))
    if run * trace.steps > MOST_STEPS:
        raise ValueError(
            f"{trace.kernel.name} executes {trace.steps:,} instructions a block at these sizes; choose smaller ones"
        )
    result = model(trace, settings, resident=min(at_once, run), blocks=run)
    whole, left = divmod(blocks, run)
    if not left or whole >= FEW:
        return result.clocks * blocks / run, result
    last = model(trace, settings, resident=min(at_once, left), blocks=left)
    return result.clocks * whole + last.clocks, result
