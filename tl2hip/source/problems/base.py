"""What a refusal or a warning is: one class each, with a stable code, a sentence and a way out.

A problem is a frozen dataclass whose fields fill its `message` and `help` templates. The modules beside this
one hold the catalogue: reading (TL1xx), marks (TL2xx), types (TL3xx), dependence (TL4xx), planning (TL5xx),
rules (TL6xx), proving (TL7xx), use (TL8xx). Codes are never reused.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar

from tl2hip.source.span import NOWHERE, Source, Span

CATALOGUE: dict[str, type[Problem]] = {}
"""Every problem class by its code, filled as the modules of this package are imported."""


@dataclass(frozen=True)
class Problem:
    """One thing to tell the user, at its place."""

    code: ClassVar[str] = ""
    severity: ClassVar[str] = "error"
    """`error` refuses the kernel, `warning` is told and goes on."""
    title: ClassVar[str] = ""
    """A heading of a few words for the page of this code."""
    message: ClassVar[str] = ""
    """One line; `{field}` is replaced."""
    help: ClassVar[str] = ""
    """The way out, one line; empty only where there is none."""
    why: ClassVar[str] = ""
    """A paragraph for `tl2hip explain CODE`: what the rule is and why it stands."""
    example: ClassVar[str] = ""
    """A kernel (or fragment of one) that meets this problem."""
    rewrite: ClassVar[str] = ""
    """The same, rewritten so that it converts."""

    at: Span = field(default=NOWHERE, kw_only=True)
    via: tuple[Span, ...] = field(default=(), kw_only=True, compare=False, repr=False)
    """The calls of helper functions that led to `at`, the innermost first."""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if cls.code:
            known = CATALOGUE.setdefault(cls.code, cls)
            if known.__qualname__ != cls.__qualname__:
                raise TypeError(f"{cls.code} is both {known.__qualname__} and {cls.__qualname__}")
            CATALOGUE[cls.code] = cls

    def _values(self) -> dict[str, object]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def text(self) -> str:
        """The message with its fields filled in."""
        return self.message.format_map(self._values())

    @property
    def way_out(self) -> str:
        """The help line with its fields filled in."""
        return self.help.format_map(self._values())


class Refused(Exception):
    """Raised where reading or planning a kernel cannot go on; carries the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text)
        self.problem = problem


@dataclass(slots=True)
class Report:
    """Collects the problems of one file, so that all of them are told in one run."""

    source: Source
    problems: list[Problem] = field(default_factory=list)

    def add(self, problem: Problem) -> None:
        """Keep a problem; the same one at the same place is kept once."""
        if problem not in self.problems:
            self.problems.append(problem)

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(p for p in self.problems if p.severity == "error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return tuple(p for p in self.problems if p.severity == "warning")


def show(problem: Problem, source: Source) -> str:
    """The problem as the user sees it: place, code, message, the line with carets, the calls that led there, help.

    Columns are printed from 1. A span over several lines underlines its first line to the end.
    """
    at = problem.at
    word = "warning: " if problem.severity == "warning" else ""
    if at == NOWHERE:
        lines = [f"{source.name}: {word}{problem.code}: {problem.text}"]
    else:
        lines = [f"{source.name}:{at.line}:{at.column + 1}: {word}{problem.code}: {problem.text}"]
        lines += _quote(at, source)
    lines += [f"  called on line {call.line}: {source.line(call.line)}" for call in problem.via]
    if problem.way_out:
        lines.append(f"  help: {problem.way_out}")
    return "\n".join(lines)


def _quote(at: Span, source: Source) -> list[str]:
    lines = source.lines
    if at.line > len(lines):
        return []
    line = lines[at.line - 1]
    end = at.end_column if at.end_line == at.line else len(line)
    carets = "^" * max(1, end - at.column)
    number = f"{at.line:>5}"
    pad = "".join("\t" if c == "\t" else " " for c in line[: at.column])
    return [f"{number} | {line}", f"{' ' * 5} | {pad}{carets}"]
