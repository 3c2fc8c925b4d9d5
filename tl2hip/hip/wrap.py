"""Long lines of printed code, broken before an operator or after a comma where the nesting is least deep, and
there before the operator that binds the least."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tl2hip.hip.helpers import WIDTH

_BREAK = re.compile(r" (?=(?:[-+*/%&|^?:]|<<|>>|&&|\|\||[<>=!]=|[<>]) )|(?<=,) |(?<==) |(?<=;) ")
_LOOSE = re.compile(r" (?:&&|\|\||[?:]) ")
"""The operators that bind the least."""


def wrapped_lines(line: str, width: int = WIDTH) -> list[str]:
    """The line, and what did not fit on further lines: under the first character inside the bracket that is
    open there, or eight spaces further in than the first line where there is none.

    >>> wrapped_lines("    x = f(aaaa, bb + cc);", 20)
    ['    x = f(aaaa,', '          bb + cc);']
    """
    if len(line) <= width:
        return [line]
    indent = len(line) - len(line.lstrip())
    lines, rest, pad = [], line, indent
    brackets: list[int] = []
    while len(rest) > width:
        at = _break(rest, pad, width, indent + 8)
        if at is None:
            break
        lines.append(rest[:at].rstrip())
        brackets = _open_brackets(rest[:at], brackets)
        pad = brackets[-1] + 1 if brackets and brackets[-1] < width * 2 // 3 else indent + 8
        rest = " " * pad + rest[at:].lstrip()
    return [*lines, rest]


def _break(line: str, start: int, width: int, pad: int) -> int | None:
    """Where to break: the last of the loosest places that fit, else the first place at all. Behind a `=`
    only if that is enough."""
    places = list(_places(line, start))
    fitting = [p for p in places if p[-1] <= width]
    enough = [p for p in fitting if line[p[-1] - 2 : p[-1]] != " =" or pad + len(line) - p[-1] <= width]
    if not fitting:
        return places[0][-1] if places else None
    least = min(looseness for *looseness, _ in enough or fitting)
    return max(at for *looseness, at in enough or fitting if looseness == least)


def _open_brackets(text: str, before: list[int]) -> list[int]:
    """Where the brackets stand that are still open at the end of a line, those of lines before it first."""
    stack = [*before]
    for at, c in enumerate(text):
        if c in "([{":
            stack.append(at)
        elif c in ")]}" and stack:
            stack.pop()
    return stack


def _places(line: str, start: int) -> Iterator[tuple[int, bool, int]]:
    """(nesting, whether the operator there binds tighter than `&&`, position) of each place where the line may
    break."""
    depth, at = 0, 0
    for found in _BREAK.finditer(line, start + 1):
        between = line[at : found.start()]
        depth += sum(between.count(c) for c in "([{") - sum(between.count(c) for c in ")]}")
        at = found.start()
        yield depth, _LOOSE.match(line, at) is None and line[at - 1] not in ",;=", at
