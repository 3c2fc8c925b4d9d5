"""Annotations in quotes: the expression inside the string, placed where the string stands. Imports libcst."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import libcst as cst
from libcst.metadata import CodePosition, CodeRange, MetadataWrapper, PositionProvider

from tl2hip.source.problems.base import Refused
from tl2hip.source.scan import check_depth
from tl2hip.source.span import Span


def reason_against(text: str) -> str | None:
    """Why a text is no expression that can be read, None when it is one."""
    try:
        check_depth(ast.parse(_whole(text), mode="eval"))
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


def parse_quoted(
    text: str, at: Span, column: int | None
) -> tuple[cst.CSTNode, Mapping[cst.CSTNode, CodeRange]]:
    """The expression in a text and the places of its nodes in the file.

    `column` is where the text begins in its line; None when the string is written in a way (escapes, several
    parts or lines) in which its characters do not stand one beside the other: all nodes then stand at `at`.
    """
    module = cst.parse_module(_whole(text))
    line = module.body[0]
    assert isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], cst.Expr)
    places = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    if column is not None:
        column += len(text) - len(text.lstrip(" \t"))
    return line.body[0].value, {node: _moved(place, at, column) for node, place in places.items()}


def _moved(place: CodeRange, at: Span, column: int | None) -> CodeRange:
    if column is None or place.start.line != 1 or place.end.line != 1:
        return CodeRange(CodePosition(at.line, at.column), CodePosition(at.end_line, at.end_column))
    start, end = place.start.column + column, place.end.column + column
    return CodeRange(CodePosition(at.line, start), CodePosition(at.line, end))
