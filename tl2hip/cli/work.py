"""One source converted: what a process of `--jobs` does, and what it gives back (only plain data)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tl2hip.cli.inputs import STDIN, WRITTEN, Input
from tl2hip.source.problems.base import Problem, Refused, show
from tl2hip.source.span import NOWHERE, Source

if TYPE_CHECKING:
    from tl2hip.api import Conversion, Converted, Options


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of every source."""

    sets: Mapping[str, int] = field(default_factory=dict)
    tiles: Mapping[str, int] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    kernels: tuple[str, ...] = ()
    every: bool = False
    stage: str = ""
    each: bool = False
    """Whether the text of each kernel by itself is asked for."""
    argv: tuple[str, ...] = ()

    @property
    def options(self) -> Options:
        """The same as the pipeline takes it."""
        from tl2hip.api import Options

        return Options(self.sets, self.tiles, tuple(Path(r) for r in self.rules), self.types)


@dataclass(frozen=True, slots=True)
class Told:
    """One problem as plain data; lines and columns count from 1, 0 where it has no place."""

    code: str
    severity: str
    message: str
    help: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel of a source: whether it was converted, its text by itself, what was told of it."""

    name: str
    line: int
    good: bool
    text: str
    problems: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one source.

    `text` is what it is converted to, empty where nothing was; `told` the problems for people; `rest` those that
    belong to no kernel. `refused`: there is an error. `internal`: the block to report for a fault of ours.
    """

    source: Input
    text: str = ""
    told: str = ""
    kernels: tuple[Kernel, ...] = ()
    rest: tuple[Told, ...] = ()
    refused: bool = False
    internal: str = ""

    @property
    def empty(self) -> bool:
        """Whether there was no kernel, and nothing to tell."""
        return not (self.kernels or self.told or self.internal)


def read_input(source: Input) -> Source:
    """The text of an input. Raises Refused where it cannot be read or is an output of ours."""
    from tl2hip.source.load import decode, load

    if source.path == STDIN:
        import sys

        return decode(sys.stdin.buffer.read(), source.name)
    return load(source.path, source.name)


def work(source: Input, wanted: Wanted) -> Outcome:
    """One source through the stages; nothing is raised, faults of ours apart from interruption are told."""
    try:
        return _work(source, wanted)
    except Exception as error:  # one bad file never stops the others
        from tl2hip.cli.internal import block

        return Outcome(source, internal=block(error, wanted.argv, source.name))


def _work(source: Input, wanted: Wanted) -> Outcome:
    try:
        read = read_input(source)
        if WRITTEN in read.text[:200].partition("\n")[0]:
            if not source.named:
                return Outcome(source)
            from tl2hip.source.problems.use import OutputGiven

            raise Refused(OutputGiven())
    except Refused as refused:
        shown = Source(source.name, "")
        return Outcome(source, told=show(refused.problem, shown), rest=(told(refused.problem),), refused=True)
    from tl2hip.api import convert

    done = convert(read, wanted.options, wanted=wanted.kernels, every=wanted.every, stop_after=wanted.stage)
    return _outcome(source, done, wanted)


def _outcome(source: Input, done: Conversion, wanted: Wanted) -> Outcome:
    texts = [_text(k, done, wanted) for k in done.kernels]
    kernels = tuple(_kernel(k, done, t if wanted.each else "") for k, t in zip(done.kernels, texts, strict=True))
    of_kernels = [p for k in done.kernels for p in k.problems]
    rest = tuple(told(p) for p in done.problems if p not in of_kernels)
    whole = _joined(done, [t for k, t in zip(kernels, texts, strict=True) if k.good], wanted)
    return Outcome(source, whole, done.told, kernels, rest, bool(done.errors))


def _kernel(kernel: Converted, done: Conversion, text: str) -> Kernel:
    problems = tuple(told(p) for p in kernel.problems)
    return Kernel(kernel.name, kernel.function.at.line, _is_good(kernel, done), text, problems)


def _is_good(kernel: Converted, done: Conversion) -> bool:
    """Whether a kernel came through; one whose helper function was refused did not."""
    refused = kernel.name in done.module.refused
    return not refused and not any(p.severity == "error" for p in kernel.problems)


def _text(kernel: Converted, done: Conversion, wanted: Wanted) -> str:
    if wanted.stage:
        from tl2hip.cli.stages import stage_text

        return stage_text(kernel, wanted.stage, wanted.options)
    return kernel.printed.text if kernel.printed else ""


def _joined(done: Conversion, texts: list[str], wanted: Wanted) -> str:
    if not any(texts):
        return ""
    if not wanted.stage:
        return done.text
    name = done.source.name.rpartition("/")[2]
    return f"# Written by tl2hip from {name}: {wanted.stage}.\n" + "".join(f"\n{t}" for t in texts)


def told(problem: Problem) -> Told:
    """A problem as plain data."""
    at, words = problem.at, (problem.code, problem.severity, problem.text, problem.way_out)
    if at == NOWHERE:
        return Told(*words, 0, 0, 0, 0)
    return Told(*words, at.line, at.column + 1, at.end_line, at.end_column + 1)


def as_data(one: Told) -> dict[str, Any]:
    """A problem as a JSON object."""
    return {name: getattr(one, name) for name in one.__dataclass_fields__}
