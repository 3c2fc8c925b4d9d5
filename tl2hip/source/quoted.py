"""Annotations in quotes: the expression inside the string, placed where the string stands. Imports libcst."""

from __future__ import annotations

import ast

import libcst as cst

from tl2hip.source.places import Places, places
from tl2hip.source.problems.base import Refused
from tl2hip.source.scan import flatten
from tl2hip.source.span import Span


def reason_against(text: str) -> str | None:
    """Why a text is no expression that can be read, None when it is one."""
    try:
        flatten(ast.parse(_whole(text), mode="eval"))
    except SyntaxError as error:
        return error.msg
    except (RecursionError, MemoryError, Refused):
        return "nested too deeply"
    except ValueError as error:
        return str(error)
    return None


def _whole(text: str) -> str:
    """The text as an expression of its own; spaces before it mean nothing to Python either."""
    return text.strip(" \t")


def parse_quoted(text: str, at: Span, column: int | None) -> tuple[cst.CSTNode, Places]:
    """The expression in a text and the places of its nodes in the file.

    `column` is where the text begins in its line; None when the string is written in a way (escapes, several
    parts or lines) in which its characters do not stand one beside the other: all nodes then stand at `at`.
    """
    module = cst.parse_module(_whole(text))
    line = module.body[0]
    assert isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], cst.Expr)
    if column is not None:
        column += len(text) - len(text.lstrip(" \t"))
    return line.body[0].value, {node: _moved(place, at, column) for node, place in places(module).items()}


def _moved(place: Span, at: Span, column: int | None) -> Span:
    if column is None or place.line != 1 or place.end_line != 1:
        return at
    return Span(at.line, place.column + column, at.line, place.end_column + column)
