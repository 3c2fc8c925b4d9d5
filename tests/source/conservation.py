"""Counts, independently of the reader, that nothing of a function was dropped.

Every statement and expression of CPython's tree must have an own node of the right kind at its place, or stand
inside the span of a problem, or belong to something kept as text.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import fields

from tl2hip.source import nodes
from tl2hip.source.nodes import Function, Node
from tl2hip.source.problems.base import Problem
from tl2hip.source.span import Span

KINDS: dict[type[ast.AST], tuple[type[Node], ...]] = {
    ast.Assign: (nodes.Assign,),
    ast.AnnAssign: (nodes.AnnAssign,),
    ast.AugAssign: (nodes.AugAssign,),
    ast.For: (nodes.For,),
    ast.While: (nodes.While,),
    ast.If: (nodes.If,),
    ast.With: (nodes.With,),
    ast.Return: (nodes.Return,),
    ast.Break: (nodes.Break,),
    ast.Continue: (nodes.Continue,),
    ast.Pass: (nodes.Pass,),
    ast.Assert: (nodes.Assert,),
    ast.Expr: (nodes.Evaluate,),
    ast.Name: (nodes.Name,),
    ast.Constant: (nodes.Number, nodes.Bool, nodes.Text, nodes.Nothing, nodes.Ellipsis_),
    ast.Attribute: (nodes.Attribute,),
    ast.Slice: (nodes.Slice,),
    ast.Subscript: (nodes.Subscript,),
    ast.Call: (nodes.Call,),
    ast.UnaryOp: (nodes.Unary,),
    ast.BinOp: (nodes.Binary,),
    ast.Compare: (nodes.Compare,),
    ast.BoolOp: (nodes.Logic,),
    ast.IfExp: (nodes.IfExp,),
    ast.Tuple: (nodes.Tuple_,),
    ast.List: (nodes.List_, nodes.Tuple_),
    ast.GeneratorExp: (nodes.Generator,),
    ast.ListComp: (nodes.Generator,),
}


LOOSE = (ast.Tuple, ast.List, ast.GeneratorExp, ast.ListComp, ast.BoolOp)
"""The kinds whose own nodes need not stand exactly where CPython's do."""


def missing(definition: ast.FunctionDef, function: Function, problems: list[Problem], text: str) -> list[str]:
    """What of a function has no node and no problem, as `kind at line:column`; empty when all is there."""
    lines = text.split("\n")
    left = Counter((type(one), one.at) for one in walk(function))
    lost: list[str] = []
    for node in covered_by_nothing(definition, problems, lines):
        at = span(node, lines)
        exact = [(kind, at) for kind in KINDS[type(node)]]
        loose = left if isinstance(node, LOOSE) else exact
        key = next((key for key in loose if left.get(key) and fits(node, at, *key)), None)
        if key is None:
            lost.append(f"{type(node).__name__} at {at.line}:{at.column}")
        elif not isinstance(node, ast.BoolOp):  # `(a and b) and c` is one own node for two of Python's
            left[key] -= 1
    return lost


def fits(node: ast.AST, at: Span, kind: type[Node], own: Span) -> bool:
    """Whether an own node can be what became of a node. Brackets do not belong to own tuples and generators."""
    if kind not in KINDS[type(node)]:
        return False
    if isinstance(node, (ast.Tuple, ast.List, ast.GeneratorExp, ast.ListComp)):
        return inside(own, at)
    if isinstance(node, ast.BoolOp):
        return inside(at, own)
    return own == at


def covered_by_nothing(definition: ast.FunctionDef, problems: list[Problem], lines: list[str]) -> list[ast.AST]:
    """The statements and expressions of a function that must have an own node."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = [*definition.body]
    if ast.get_docstring(definition, clean=False) is not None:
        stack = [*definition.body[1:]]
    while stack:
        node = stack.pop()
        at = span(node, lines)
        if isinstance(node, (ast.stmt, ast.expr)):
            if any(inside(at, one.at) or brackets(node, at, one) for one in problems):
                continue
            found.append(node)
        skipped: tuple[ast.AST, ...] = ()
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            skipped = (node.slice,)
            stack += node.slice.elts
        if isinstance(node, ast.Assert) and isinstance(node.msg, ast.JoinedStr):
            skipped = (node.msg,)
        if isinstance(node, ast.AnnAssign) and isinstance(node.annotation, ast.Constant):
            skipped = (node.annotation,)
        stack += [one for one in ast.iter_child_nodes(node) if one not in skipped]
    return found


def brackets(node: ast.AST, at: Span, problem: Problem) -> bool:
    """Whether a problem covers a generator but for its brackets, which belong to it only in CPython's tree."""
    start = (problem.at.line, problem.at.column) == (at.line, at.column + 1)
    return isinstance(node, ast.GeneratorExp) and problem.code == "TL133" and start


def span(node: ast.AST, lines: list[str]) -> Span:
    """The place of a node in characters."""
    if not isinstance(node, (ast.stmt, ast.expr)):
        return Span(0, 0, 0, 0)
    line, end_line = node.lineno, node.end_lineno or node.lineno
    column = len(lines[line - 1].encode()[: node.col_offset].decode())
    end_column = len(lines[end_line - 1].encode()[: node.end_col_offset].decode())
    return Span(line, column, end_line, end_column)


def inside(inner: Span, outer: Span) -> bool:
    start = (outer.line, outer.column) <= (inner.line, inner.column)
    return start and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def walk(node: Node) -> list[Node]:
    """A node and all nodes in it."""
    found = [node]
    for field in fields(node):
        value = getattr(node, field.name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Node):
                found += walk(one)
    return found
