"""Goldens with tokens dropped, doubled, swapped and replaced are read whole or refused, never a traceback."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path
from random import Random

import pytest

from tests.source.conservation import missing
from tests.source.reading import read_text
from tl2hip.source.problems.base import Problem, show
from tl2hip.source.span import Source

ROOT = Path(__file__).parents[2]
GOLDEN = sorted(ROOT.glob("golden/*/kernel.py"))
WORDS = [
    *("not", "is", "in", "lambda:", "yield", "await", "async", "del", "global g;", "import m;", "pass"),
    *("1j", "b''", "f''", "...", "*", "**", "@", ":=", ":", ",", "=", "(", ")", "[", "]", "{", "}", "\\\n"),
    *("if 1 else", "for q in", "try:", "else:", "class C:", "def f():", "\t", "\x0c", "\0", "é", '"""'),
]


def mutated(text: str, random: Random) -> str:
    """The text with one to three changes, each at the border of a token."""
    for _ in range(random.randint(1, 3)):
        spots = [place(text, token.start) for token in tokens(text)] or [0]
        start, end = sorted(random.choice(spots) for _ in range(2))
        change = random.randrange(4)
        if change == 0:
            text = f"{text[:start]} {random.choice(WORDS)} {text[start:]}"
        elif change == 1:
            text = text[:start] + text[min(end, start + 12) :]
        elif change == 2:
            text = text[:end] + text[start : start + 12] + text[end:]
        else:
            text = text[:start] + text[end : end + 8] + text[start:]
    return text


def tokens(text: str) -> list[tokenize.TokenInfo]:
    found: list[tokenize.TokenInfo] = []
    try:
        found.extend(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError, SystemError):  # SystemError: CPython 3.13.0 at a null character
        return found
    return found


def place(text: str, start: tuple[int, int]) -> int:
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: start[0] - 1]) + start[1]


def check_place(problem: Problem, source: Source) -> None:
    """The span lies in the file, and the message with its carets can be shown."""
    at, lines = problem.at, (*source.lines, "")
    assert 1 <= at.line <= at.end_line <= len(lines)
    assert (at.line, at.column) <= (at.end_line, at.end_column)
    assert at.column <= len(lines[at.line - 1]) + 1
    assert problem.code in show(problem, source)


@pytest.mark.parametrize("seed", range(12))
def test_mutated_goldens(seed: int) -> None:
    random = Random(seed)
    for _ in range(25):
        text = mutated(random.choice(GOLDEN).read_text(encoding="utf-8"), random)
        module, report = read_text(text)
        for problem in report.problems:
            check_place(problem, report.source)
        if module.functions:
            defined = {one.name: one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)}
            for function in module.functions:
                assert missing(defined[function.name], function, report.problems, text) == [], text
