"""Tables of changes by name, which their functions enter themselves into."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable

from tests.fuzz.mutants.edits import Edit
from tests.fuzz.mutants.places import File, rows

Change = Callable[[File, ast.FunctionDef, random.Random], Edit | None]
"""A change to a function of a file; None where the function has nothing to change so."""


class Table(dict[str, Change]):
    """Changes by name; called with a name it is the decorator that enters a function."""

    def __call__(self, name: str) -> Callable[[Change], Change]:
        def enter(made: Change) -> Change:
            self[name] = made
            return made

        return enter


def own_lines(at: File, statement: ast.stmt) -> list[str]:
    """The lines of a statement, its decorators included."""
    first, last = rows(statement)
    return list(at.lines[first - 1 : last])
