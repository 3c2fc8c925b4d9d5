"""The text of a function and its syntax tree, from its file or from a notebook's cell."""

from __future__ import annotations

import ast
import linecache
from types import FunctionType


def text(function: FunctionType) -> str:
    """The whole text that a function stands in, a file's or a cell's; empty where it is not to be found."""
    return "".join(linecache.getlines(function.__code__.co_filename))


def tree(function: FunctionType) -> ast.FunctionDef | None:
    """The syntax tree of a function, or None where its text is not to be found."""
    try:
        module = ast.parse(text(function))
    except SyntaxError:
        return None
    first = function.__code__.co_firstlineno
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            lines = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
            if min(lines) == first:
                return node
    return None
