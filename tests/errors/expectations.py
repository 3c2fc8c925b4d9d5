"""The expectations in the first lines of an error file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tl2hip.source.problems.base import Problem
from tl2hip.source.span import NOWHERE

_LINE = re.compile(r"# expect: (?P<code>TL\d{3})(?: at (?P<place>\d+:\d+-\d+:\d+))?")


@dataclass(frozen=True, slots=True, order=True)
class Expected:
    """A code and its place as a user reads it: `14:9-14:12`, empty for none."""

    code: str
    place: str

    def __str__(self) -> str:
        return f"# expect: {self.code}" + (f" at {self.place}" if self.place else "")


def expectations(text: str) -> list[Expected]:
    """What a file expects. Raises ValueError for a file without any, or with a line that cannot be read."""
    found: list[Expected] = []
    for line in text.split("\n"):
        if not line.startswith("# expect"):
            break
        match = _LINE.fullmatch(line.rstrip())
        if match is None:
            raise ValueError(f"cannot be read: {line}")
        found.append(Expected(match["code"], match["place"] or ""))
    if not found:
        raise ValueError("no `# expect: TLxxx at line:column-line:column` in the first line")
    return found


def observed(problems: list[Problem]) -> list[Expected]:
    """Problems as expectations, in the order of their places."""
    return [Expected(one.code, _place(one)) for one in sorted(problems, key=lambda one: (one.at, one.code))]


def _place(problem: Problem) -> str:
    at = problem.at
    if at == NOWHERE:
        return ""
    return f"{at.line}:{at.column + 1}-{at.end_line}:{max(at.end_column, at.column + 1)}"
