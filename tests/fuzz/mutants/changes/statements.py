"""Statements that go, double, move or change places; tests and loops turned round."""

from __future__ import annotations

import ast
import random

from tests.fuzz.mutants.changes.table import Table, own_lines
from tests.fuzz.mutants.edits import Edit, lined, spliced
from tests.fuzz.mutants.places import File, blocks, indentation, movable, rows

CHANGES = change = Table()


def some_statement(at: File, function: ast.FunctionDef, draw: random.Random) -> ast.stmt | None:
    own = [s for b in blocks(function) for s in movable(at, b)]
    return draw.choice(own) if own else None


@change("statement deleted")
def _deleted(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    found = some_statement(at, function, draw)
    if found is None:
        return None
    alone = any(b == [found] for b in blocks(function))
    pad = indentation(at, found)
    return lined(at, *rows(found), [f"{pad}pass"] if alone else [], "statement deleted")


@change("statement doubled")
def _doubled(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    found = some_statement(at, function, draw)
    if found is None:
        return None
    return lined(at, *rows(found), own_lines(at, found) * 2, "statement doubled")


@change("statements swapped")
def _swapped(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    pairs = [(a, b) for block in blocks(function) for a, b in zip(block, block[1:], strict=False)]
    pairs = [(a, b) for a, b in pairs if a in movable(at, [a]) and b in movable(at, [b])]
    if not pairs:
        return None
    one, other = draw.choice(pairs)
    return lined(at, rows(one)[0], rows(other)[1], own_lines(at, other) + own_lines(at, one), "statements swapped")


@change("statement moved")
def _moved(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    """A copy of a statement where another stands, at its depth; at times in the place of it."""
    one, other = some_statement(at, function, draw), some_statement(at, function, draw)
    if one is None or other is None:
        return None
    old, new = indentation(at, one), indentation(at, other)
    copy = [new + line.removeprefix(old) for line in own_lines(at, one)]
    first, last = rows(other)
    return lined(at, first, last if draw.random() < 0.5 else first - 1, copy, "statement moved")


@change("branches exchanged")
def _exchanged(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    found = [n for n in ast.walk(function) if isinstance(n, (ast.If, ast.IfExp, ast.While))]
    if not found:
        return None
    test = draw.choice(found).test
    return spliced(at, *at.span(test), f"not ({at.source(test)})", "test turned round")


@change("loop turned round")
def _turned(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    loops = [n for n in ast.walk(function) if isinstance(n, ast.For)]
    if not loops:
        return None
    iterated = draw.choice(loops).iter
    old = at.source(iterated)
    new = draw.choice(
        (
            f"reversed({old})",
            f"list({old})",
            f"{old}[::-1]",
            f"{old}[1:]",
            old.replace("range(", "range(1, ", 1),
            old.replace(")", ", 2)", 1),
            old.replace("range(", "range(-1 - ", 1),
            old.replace("range(", "range(2 * ", 1),
            f"enumerate({old})",
            f"tiled({old}, 64)",
        )
    )
    return spliced(at, *at.span(iterated), new, f"loop over {new}")
