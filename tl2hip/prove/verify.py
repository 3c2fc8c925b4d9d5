"""verify: tries a kernel on drawn shapes and data, and tells what was tried and what was found.

For each case the Python function must equal the nest run on NumPy, and the printed HIP, run on the emulated
compute unit, must lie within the running bound of it, without a finding. So must the machine code that the compiler
makes of it, where that is asked for.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Collection
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from tl2hip.nest.dependence import analyse
from tl2hip.nest.ir import Nest, Store, Update
from tl2hip.nest.run import counted
from tl2hip.nest.run.arithmetic import Values, numpy_type
from tl2hip.nest.run.machine import TooLong
from tl2hip.nest.walk import all_stmts
from tl2hip.prove.bound import Reference, Verdict, compare, reference
from tl2hip.prove.compiler import CompileError
from tl2hip.prove.counters import source_name
from tl2hip.prove.draw import Data, Evaluator, NoScalars, Sizes, data, work
from tl2hip.prove.emulate import Emulator, Library, LoadError, Run
from tl2hip.prove.launching import launch, strides
from tl2hip.prove.machine.program import NotUnderstood
from tl2hip.prove.options import Options
from tl2hip.prove.place import copies, placed
from tl2hip.prove.python import in_order
from tl2hip.prove.reach import launched
from tl2hip.prove.report import Case, Report
from tl2hip.prove.scalars import DRAWS
from tl2hip.prove.trials import Trial, outer, trials
from tl2hip.prove.written import apart
from tl2hip.source.problems.base import Problem
from tl2hip.source.problems.proving import (
    CodeNotUnderstood,
    InputChanged,
    KernelNotRun,
    KernelNotTried,
    LauncherFailed,
    NestDiffers,
    NothingDrawn,
    NotTried,
    PythonFailed,
    RunFinding,
    TextRefused,
    TooNear,
    Undecided,
    WrongValue,
)

if TYPE_CHECKING:
    from tl2hip.hip.launcher import LauncherInfo
    from tl2hip.prove.machine.library import MachineLibrary

__all__ = ["Options", "Session", "verify"]

RAISED = (ArithmeticError, IndexError, ValueError)
"""What Python may raise where the kernel gives the IEEE value, or 0 for a load out of range."""

def verify(
    nest: Nest,
    text: str,
    launcher: LauncherInfo,
    function: Callable[..., Any] | None = None,
    options: Options | None = None,
) -> Report:
    """What trying the printed HIP `text` of a nest found; `function` is the user's own, run where it is given.

    UnsupportedHost and MissingCompiler where the emulated compute unit cannot run here.
    """
    session = Session(nest, launcher, function, options or Options())
    how = session.options
    with ExitStack() as loaded:
        try:
            library = loaded.enter_context(Emulator.load(text, detect=how.detect, origins=how.origins))
            machine = _as_code(text, how) if how.machine else None
        except (CompileError, LoadError) as error:
            log = getattr(error, "log", "") or str(error)
            return Report(nest.name, (), (TextRefused(log.strip(), at=nest.at),))
        except NotUnderstood as error:
            return Report(nest.name, (), (CodeNotUnderstood(str(error), at=nest.at),))
        if machine is not None:
            loaded.enter_context(machine)
            for found in machine.hazards():
                if source_name(found.kernel) in launcher.kernels:
                    session.add(TooNear(str(found), at=nest.at))
        session.try_all(library, machine)
    return session.report()


def _as_code(text: str, how: Options) -> MachineLibrary:
    """The machine code of a text; its tables of meanings are loaded where it is asked for."""
    from tl2hip.prove.machine.library import MachineLibrary

    return MachineLibrary(text, detect=how.detect, origins=how.origins)


class Session:
    """The cases of one kernel and what they have shown so far."""

    def __init__(
        self, nest: Nest, launcher: LauncherInfo, function: Callable[..., Any] | None, options: Options
    ) -> None:
        self.nest = nest
        self.written = options.written or nest
        self.launcher = launcher
        self.function = function and in_order(function, nest.order)
        self.options = options
        kinds = analyse(nest).kinds
        self.parallel = (
            tuple(a for a, k in kinds.items() if k.kind == "parallel")
            if options.parallel is None
            else tuple(options.parallel)
        )
        kinds = kinds if self.written is nest else analyse(self.written).kinds
        self.written_parallel = tuple(a for a, k in kinds.items() if k.kind == "parallel")
        self.cases: list[Case] = []
        self.problems: list[Problem] = []
        self.unfit = 0
        """How many cases were left out because no scalars were found for them."""

    def try_all(self, library: Library, machine: Library | None = None) -> None:
        """Runs every case until time is up, as machine code too where that is given."""
        planned = trials(self.nest, self.options, self.parallel)
        if not planned:
            self.add(NothingDrawn(self.nest.name, at=self.nest.at))
        end = time.process_time() + self.options.seconds
        for k, t in enumerate(planned):
            if time.process_time() > end:
                left = len(planned) - k
                why = f"{self.options.seconds:g} seconds were up"
                self.add(NotTried(left, len(planned), why, at=self.nest.at))
                break
            self.cases.append(self.try_one(library, t.sizes, t.mode, t.seed, t, machine))
        self.judge_kernels(planned)

    def add(self, problem: Problem) -> None:
        """Keeps one problem of a kind at a place: the first case that shows it."""
        same = [p for p in self.problems if type(p) is type(problem)]
        if len(same) < 3 and problem not in same:
            self.problems.append(problem)

    # --- one case

    def try_one(
        self,
        library: Library,
        sizes: Sizes,
        mode: str,
        seed: int,
        trial: Trial | None = None,
        machine: Library | None = None,
    ) -> Case:
        """Runs a case; without a trial arrays are shifted where the seed is odd."""
        steps = trial.steps if trial else self.options.steps
        shifted = trial.shifted if trial else outer(self.nest) if seed % 2 else ()
        nest, told = self.nest, describe(sizes, mode, seed, shifted)
        try:
            drawn = self.drawn(sizes, mode, seed)
        except NoScalars:
            self.unfit += 1
            return Case(sizes, mode, seed, skipped=True)
        given = (drawn.arrays, drawn.scalars, sizes)
        try:
            typed, turns = counted(nest, *given, parallel=self.parallel, steps=steps)
            references = reference(nest, *given, parallel=self.parallel, depths=self.options.depths, steps=steps,
                joins=self.options.joins)
        except TooLong:
            return Case(sizes, mode, seed, skipped=True)
        python = self.run_python(drawn, sizes, typed, references, told)
        ran, verdicts = self.launched(library, drawn, sizes, shifted, turns, typed, references, told)
        as_code = None
        if machine is not None:
            told = f"{told}; machine code"
            as_code = _good(*self.launched(machine, drawn, sizes, shifted, turns, typed, references, told))
        return Case(
            sizes,
            mode,
            seed,
            python=python,
            checked=sum(v.checked for v in verdicts.values()),
            exact=sum(v.exact for v in verdicts.values()),
            undecided=sum(v.undecided for v in verdicts.values()),
            worst=max((v.worst_ratio for v in verdicts.values()), default=0.0),
            good=_good(ran, verdicts) and as_code is not False,
            kernels=tuple(k for k in self.launcher.kernels if k in ran.launches),
            machine=as_code,
        )

    def launched(
        self,
        library: Library,
        drawn: Data,
        sizes: Sizes,
        shifted: Collection[str],
        turns: int,
        typed: dict[str, Values],
        references: dict[str, Reference],
        told: str,
    ) -> tuple[Run, dict[str, Verdict]]:
        """A case launched from a library and judged: the run, and how each array lies beside the nest's."""
        got, ran = self.run_hip(library, drawn, sizes, shifted, turns)
        self.judge_run(ran, told)
        if ran.status:
            return ran, {}
        self.judge_inputs(got, drawn, typed, told)
        return ran, {name: self.judge(name, got[name], typed[name], references[name], told) for name in typed}

    def drawn(self, sizes: Sizes, mode: str, seed: int) -> Data:
        """The data of a case, one array for two names where they may be in place."""
        found = data(self.nest, sizes, mode, seed)
        stated = strides(self.nest, Evaluator(self.nest, sizes, found.scalars))
        for name in stated:  # elements that share memory are one
            found.arrays[name] = placed(found.arrays[name], False, stated[name])
        if seed % 3 == 1:
            paired: set[str] = set()
            for a, b in self.options.in_place:
                one, other = found.arrays.get(a), found.arrays.get(b)
                if (
                    paired.isdisjoint((a, b))
                    and one is not None
                    and other is not None
                    and (one.shape, one.dtype) == (other.shape, other.dtype)
                    and self.nest.array(a).strides == self.nest.array(b).strides
                ):
                    found.arrays[a] = other
                    paired |= {a, b}
        return found

    def run_python(
        self,
        drawn: Data,
        sizes: Sizes,
        typed: dict[str, Values],
        joined: dict[str, Reference],
        told: str,
    ) -> str:
        """Compares the user's function with the nest: "equal", "differs", "raised", or "" where it was not run."""
        if self.function is None or work(self.written, sizes) > self.options.python_work:
            return ""
        arrays = copies(drawn.arrays, ())
        arguments = [arrays[n] if n in arrays else drawn.scalars[n] for n in self.nest.order]
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                returned = self.function(*arguments)
        except RAISED:
            return "raised"
        except Exception as error:  # the user's own code: whatever it raises is told, not ours to handle
            what = f"{type(error).__name__}: {error}"
            self.add(PythonFailed(self.nest.name, what, told, at=self.nest.at))
            return "raised"
        arrays |= self.returned(returned)
        given = (drawn.arrays, drawn.scalars, sizes)
        if self.written is not self.nest:
            typed = counted(self.written, *given, parallel=self.written_parallel)[0]
            for found in apart(self.written, joined, given, self.written_parallel):
                self.add(NestDiffers(*found, told, at=self.nest.at))
        alike = all(_identical(typed[n], arrays[n]) for n in typed)
        if alike:
            return "equal"
        serial = reference(self.written, *given, parallel=self.written_parallel, python=True)
        same = [self.same_as_python(n, typed[n], arrays[n], serial[n], told) for n in typed]
        return "equal" if all(same) else "differs"

    def returned(self, value: Any) -> dict[str, Values]:
        """The arrays that the function returned, by the nest's names."""
        names = self.nest.results
        values = (value,) if len(names) == 1 else tuple(value or ())
        found = {}
        for name, one in zip(names, values, strict=True):
            kind = numpy_type(self.nest.array(name).dtype)
            found[name] = np.array([one], kind) if name in self.nest.scalar_results else np.asarray(one)
        return found

    def same_as_python(self, name: str, got: Values, python: Values, ref: Reference, told: str) -> bool:
        """Whether nest and function agree: bit for bit, and within the bound where a function is approximate or
        NumPy takes a sum in an order of its own."""
        if got.shape != python.shape or got.dtype != python.dtype:
            ours, theirs = (f"{a.dtype}{list(a.shape)}" for a in (got, python))
            self.add(NestDiffers(name, ours, theirs, told, at=self.nest.at))
            return False
        halves = any(v.numpy is not None for v in self.written.variables)
        verdict = compare(python, ref.typed if halves else got, ref)
        if not verdict.good:
            first = verdict.failures[0]
            element, mine = f"{name}{list(first.index)}", str(got[first.index])
            self.add(NestDiffers(element, mine, str(first.got), told, at=self.nest.at))
        return verdict.good

    def run_hip(
        self,
        library: Library,
        drawn: Data,
        sizes: Sizes,
        shifted: Collection[str] | bool = (),
        turns: int | None = None,
    ) -> tuple[dict[str, Values], Run]:
        """The arrays after a launch, and the run. Those that are `shifted` (True: all) start one element into their
        memory."""
        if isinstance(shifted, bool):
            shifted = outer(self.nest) if shifted else ()
        return launch(self.nest, self.launcher, library, drawn, sizes, shifted, turns)

    # --- judging

    def judge_run(self, ran: Run, told: str) -> None:
        """Findings and a bad status are told. What the unit only warns of is a fault here too: printed text
        never hands a value from lane to lane through memory without a barrier."""
        for finding in ran.findings:
            self.add(RunFinding(str(finding), told, at=self.nest.at))
        if ran.status and not ran.findings:
            self.add(LauncherFailed(self.launcher.name, ran.status, told, at=self.nest.at))

    def judge(self, name: str, got: Values, typed: Values, ref: Reference, told: str) -> Verdict:
        verdict = compare(got, typed, ref)
        if not verdict.good:
            first = verdict.failures[0]
            within = "bit for bit" if first.bound == 0 else f"within {first.bound:.3g}"
            element = f"{name}{list(first.index)}"
            self.add(
                WrongValue(
                    element,
                    str(first.got),
                    str(first.expected),
                    within,
                    told,
                    verdict.wrong,
                    got.size,
                    at=self.nest.at,
                )
            )
        return verdict

    def judge_inputs(self, got: dict[str, Values], drawn: Data, typed: dict[str, Values], told: str) -> None:
        written = {id(got[name]) for name in typed}
        for name, before in drawn.arrays.items():
            if id(got[name]) not in written and got[name].tobytes() != before.tobytes():
                self.add(InputChanged(name, told, at=self.nest.at))

    def judge_kernels(self, planned: tuple[Trial, ...]) -> None:
        """Where shapes are drawn, every kernel of the plan must have run that a planned case launches; others are
        told."""
        plan = self.options.plan
        if plan is None or not self.options.shapes or not self.cases:
            return
        ran = {k for c in self.cases for k in c.kernels}
        for kernel, name in zip(plan.kernels, self.launcher.kernels, strict=True):
            if name in ran:
                continue
            case = next((t for t in planned if kernel.name in launched(plan, t.sizes, t.shifted)), None)
            if case is not None:
                told = describe(case.sizes, case.mode, case.seed, case.shifted)
                self.add(KernelNotRun(name, told, at=self.nest.at))
            else:
                self.add(KernelNotTried(name, at=self.nest.at))

    def report(self) -> Report:
        """Everything, with what was left out or undecided."""
        compared = sum(c.checked + c.undecided for c in self.cases)
        drawn = self.nest.dims and self.options.shapes and not self.options.given
        writes = any(isinstance(s, Store | Update) for s in all_stmts(self.nest.body))
        ended = not any(c.skipped or not c.good for c in self.cases)
        if drawn and writes and self.cases and not compared and ended:
            self.add(NothingDrawn(self.nest.name, at=self.nest.at))
        if self.unfit:
            why = f"in {DRAWS} draws each no scalars were found that the asserts admit"
            self.add(NotTried(self.unfit, len(self.cases), why, at=self.nest.at))
        skipped = sum(c.skipped for c in self.cases) - self.unfit
        if skipped:
            why = f"they take more than {self.options.steps} serial iterations"
            self.add(NotTried(skipped, len(self.cases), why, at=self.nest.at))
        undecided = sum(c.undecided for c in self.cases)
        if undecided:
            total = undecided + sum(c.checked for c in self.cases)
            self.add(Undecided(undecided, total, at=self.nest.at))
        return Report(self.nest.name, tuple(self.cases), tuple(self.problems), self.launcher.kernels)


def _good(ran: Run, verdicts: dict[str, Verdict]) -> bool:
    """Whether a launch gave what it must, and nothing was found."""
    return ran.status == 0 and not ran.errors and all(v.good for v in verdicts.values())


def _identical(a: Values, b: Values) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def describe(sizes: Sizes, mode: str, seed: int, shifted: Collection[str] = ()) -> str:
    """A case in words, so that it can be tried again."""
    extents = ", ".join(f"{n}={v}" for n, v in sizes.items())
    data = f"{mode} data, seed {seed}"
    off = f"; {', '.join(shifted)} one element into memory" if shifted else ""
    return f"{extents}; {data}{off}" if extents else data + off
