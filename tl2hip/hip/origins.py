"""Which line of the user each line of a printed text is from."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.source.span import Source


@dataclass(frozen=True, slots=True)
class UserLine:
    """A line of the user: its file without folders, its number from 1, its text without indentation."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Origins:
    """The user's file, and for each line of the text made from it the number of the user's line; 0 where there is
    none, as of helpers and launchers.

    A line of a kernel is from the innermost statement of the user that it is printed for, or else from the head of
    the function.
    """

    source: Source
    lines: tuple[int, ...]

    def of(self, line: int) -> UserLine | None:
        """The user's line that a line of the text (from 1) is from."""
        number = self.lines[line - 1] if 0 < line <= len(self.lines) else 0
        if not number:
            return None
        return UserLine(file_name(self.source), number, self.source.line(number))


def file_name(source: Source) -> str:
    """The name of the user's file without folders, as texts tell it."""
    return source.name.replace("\\", "/").rpartition("/")[2]


def placed(text: str, parts: list[tuple[str, tuple[int, ...]]]) -> tuple[int, ...]:
    """The user's lines of a text, from those of its parts, each of which stands in it.

    >>> placed("a\\nb\\nc\\n", [("b\\nc", (7, 8))])
    (0, 7, 8)
    """
    lines = [0] * len(text.splitlines())
    for part, its in parts:
        first = text.count("\n", 0, text.index(part))
        lines[first : first + len(its)] = its
    return tuple(lines)
