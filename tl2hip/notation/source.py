"""Where the text of a function stands: its file, or for a notebook's cell the text itself."""

from __future__ import annotations

import ast
import linecache
from pathlib import Path
from types import FunctionType


def home(function: FunctionType) -> Path | str:
    """The file a function was read from, or in a notebook the text of its cell; OSError without either."""
    file = Path(function.__code__.co_filename)
    if file.is_file():
        return file
    text = "".join(linecache.getlines(str(file)))
    if not text:
        raise OSError(
            f"the source of {function.__name__} is not to be found: it was defined in {file},"
            " which is no file; put the kernel into one"
        )
    return text


def tree(function: FunctionType) -> ast.FunctionDef | None:
    """The syntax tree of a function, or None where its text is not to be found."""
    text = "".join(linecache.getlines(function.__code__.co_filename))
    try:
        module = ast.parse(text)
    except SyntaxError:
        return None
    first = function.__code__.co_firstlineno
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            lines = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
            if min(lines) == first:
                return node
    return None
