"""Where the compiler reads a function: its file, or the text of its notebook cell made whole.

What a cell uses from other cells is added at its end, so that every line of it keeps its number.
"""

from __future__ import annotations

import ast
import math
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from tl2hip.notation.extents import Dim, Extent
from tl2hip.notation.source import text, tree


def home(function: FunctionType) -> Path | str:
    """The file a function was read from, or in a notebook the text of its cell; OSError without either."""
    file = Path(function.__code__.co_filename)
    if file.is_file():
        return file
    cell = text(function)
    if not cell:
        raise OSError(
            f"the source of {function.__name__} is not to be found: it was defined in {file},"
            " which is no file; put the kernel into one"
        )
    return whole(cell, function)


def whole(given: str, function: FunctionType) -> str:
    """A cell's text with an import, an assignment or a definition for each name that only other cells bind.

    Names that cannot be written down are left out; reading the text then says at its place what is missing.
    """
    try:
        cell = ast.parse(given)
    except SyntaxError:
        return given
    lines = _Lines(function.__globals__, _bound(cell))
    lines.add_used(cell)
    if not lines.written:
        return given
    return "\n".join([given.rstrip("\n"), "", *lines.written, ""])


class _Lines:
    """Lines for names that are used and not bound, in the order they are come upon."""

    def __init__(self, names: dict[str, Any], bound: set[str]) -> None:
        self.names = names
        self.bound = bound
        self.written: list[str] = []

    def add_used(self, node: ast.AST) -> None:
        """Lines for all the names in a piece of syntax that nothing binds yet."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                self.add(inner.id)

    def add(self, name: str) -> None:
        if name in self.bound or name not in self.names:
            return
        self.bound.add(name)
        value = self.names[name]
        function = getattr(value, "__wrapped__", value)
        if isinstance(function, FunctionType) and function.__globals__ is self.names:
            self.add_function(function)
        elif isinstance(value, Extent):
            self.add_extent(name, value)
        elif isinstance(value, (bool, int, float)):
            finite = isinstance(value, int) or math.isfinite(value)
            self.written.append(f"{name} = {value!r}" if finite else f'{name} = float("{value}")')
        else:
            self.add_import(name, value)

    def add_function(self, function: FunctionType) -> None:
        node = tree(function)
        if node is not None:
            self.written.append(ast.unparse(node))
            self.add_used(node)

    def add_extent(self, name: str, value: Extent) -> None:
        if isinstance(value, Dim):
            if "tl2hip" not in self.bound:
                self.bound.add("tl2hip")
                self.written.append("import tl2hip")
            self.written.append(f'{name} = tl2hip.dims("{value}")')
            return
        for dim in sorted(value.names()):
            self.add(dim)
        self.written.append(f"{name} = {value}")

    def add_import(self, name: str, value: object) -> None:
        module, own = _export(value)
        if isinstance(value, ModuleType) and module != "tl2hip":
            self.written.append(f"import {value.__name__} as {name}")
            return
        if isinstance(module, str) and isinstance(own, str):
            self.written.append(f"from {module} import {own} as {name}")


def _export(value: object) -> tuple[object, object]:
    """The module that a value is imported from and its name there; a generic alias tells only its class's."""
    import tl2hip

    for name in tl2hip.__all__:
        if getattr(tl2hip, name) is value:
            return "tl2hip", name
    import numpy.typing

    # A generic alias; in newer NumPys a type alias, which names a private module.
    if value is numpy.typing.NDArray:
        return "numpy.typing", "NDArray"
    if hasattr(value, "__origin__"):
        return None, None
    return getattr(value, "__module__", None), getattr(value, "__name__", None)


def _bound(cell: ast.Module) -> set[str]:
    """The names that the statements of a cell bind at its top level."""
    bound: set[str] = set()
    for statement in cell.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            bound.add(statement.name)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            bound |= {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
        else:
            stores = (n for n in ast.walk(statement) if isinstance(n, ast.Name))
            bound |= {name.id for name in stores if isinstance(name.ctx, ast.Store)}
    return bound
