"""Other indentation, and comments."""

from __future__ import annotations

import ast
import random

from tests.fuzz.mutants.changes.statements import some_statement
from tests.fuzz.mutants.changes.table import Table, own_lines
from tests.fuzz.mutants.edits import Edit, lined
from tests.fuzz.mutants.places import File, indentation, rows

CHANGES = change = Table()


@change("line indented")
def _reindented(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    number = draw.randint(function.lineno, function.end_lineno or function.lineno)
    line = at.lines[number - 1]
    new = draw.choice(
        ("    " + line, " " + line, line[4:], line[1:], "\t" + line.lstrip(), "\f" + line, line.lstrip())
    )
    return lined(at, number, number, [new], "line indented")


@change("lines indented")
def _all_reindented(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    """A statement with all that is in it, one step deeper or less deep."""
    found = some_statement(at, function, draw)
    if found is None:
        return None
    deeper = draw.random() < 0.5
    made = ["    " + line if deeper else line.removeprefix("    ") for line in own_lines(at, found)]
    return lined(at, *rows(found), made, "lines indented")


@change("tabs")
def _tabs(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    first, last = function.body[0].lineno, function.end_lineno or function.lineno
    step = draw.choice(("\t", "  ", " ", "      "))
    made = []
    for line in at.lines[first - 1 : last]:
        depth = (len(line) - len(line.lstrip(" "))) // 4
        made.append(step * depth + line.lstrip(" "))
    return lined(at, first, last, made, "other indentation")


COMMENTS = (
    "# type: ignore",
    "# type: (...) -> int",
    "# type: int",
    "# noqa",
    "# coding: latin-1",
    "#",
    "; pass",
    "\\",
    "# é\u2028",
)


@change("comment")
def _comment(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    number = draw.randint(function.lineno, function.end_lineno or function.lineno)
    added = draw.choice(COMMENTS)
    return lined(at, number, number, [f"{at.lines[number - 1]}  {added}"], f"comment {added!r}")


@change("type comment")
def _type_comment(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    """What type checkers read: a function's types in its first line, and errors to ignore."""
    line = function.body[0].lineno
    pad = indentation(at, function.body[0])
    new = [f"{pad}# type: (int) -> int", f"{pad}pass  # type: ignore[misc]"]
    return lined(at, line, line - 1, new, "type comment")
