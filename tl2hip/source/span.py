"""Where a piece of source stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one file: lines count from 1, columns from 0 (characters, end exclusive), as CPython's."""

    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """The stretch from the start of this one to the end of the other."""
        return Span(self.line, self.column, other.end_line, other.end_column)


NOWHERE = Span(0, 0, 0, 0)
"""The span of things no user wrote: what tl2hip itself made."""


@dataclass(frozen=True, slots=True)
class Source:
    """The text of one file and the name it is shown by (relative where possible, `<stdin>` for none)."""

    name: str
    text: str

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends; line n is `lines[n - 1]`. Only Python's own line ends count."""
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return tuple(lines if lines[-1] else lines[:-1])

    def line(self, number: int) -> str:
        """One line, stripped at both ends; empty where there is none."""
        lines = self.lines
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""
