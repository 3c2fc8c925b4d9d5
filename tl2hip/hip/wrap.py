"""Long lines of printed code, broken before an operator or after a comma where the nesting is least deep."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tl2hip.hip.helpers import WIDTH

_BREAK = re.compile(r" (?=(?:[-+*/%&|^?:]|<<|>>|&&|\|\||[<>=!]=|[<>]) )|(?<=,) |(?<==) |(?<=;) ")


def wrapped_lines(line: str, width: int = WIDTH) -> list[str]:
    """The line, and what did not fit on further lines indented by eight spaces more than the first.

    >>> wrapped_lines("    x = aaaa * (bb + cc) + dddd;", 20)
    ['    x = aaaa', '            * (bb', '            + cc)', '            + dddd;']
    """
    indent = len(line) - len(line.lstrip())
    lines, rest, pad = [], line, indent
    while len(rest) > width:
        at = _break(rest, pad, width)
        if at is None:
            break
        lines.append(rest[:at].rstrip())
        pad = indent + 8
        rest = " " * pad + rest[at:].lstrip()
    return [*lines, rest]


def _break(line: str, start: int, width: int) -> int | None:
    """Where to break: the last of the least nested places that fit, else the first place at all."""
    places = list(_places(line, start))
    fitting = [p for p in places if p[1] <= width]
    if not fitting:
        return places[0][1] if places else None
    least = min(depth for depth, _ in fitting)
    return max(at for depth, at in fitting if depth == least)


def _places(line: str, start: int) -> Iterator[tuple[int, int]]:
    """(nesting, position) of each place where the line may break."""
    depth, at = 0, 0
    for found in _BREAK.finditer(line, start + 1):
        between = line[at : found.start()]
        depth += sum(between.count(c) for c in "([{") - sum(between.count(c) for c in ")]}")
        at = found.start()
        yield depth, at
