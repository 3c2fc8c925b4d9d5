"""Lists at file level that something in the file may change: what is in them is not known without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

READERS = frozenset(
    {"all", "any", "enumerate", "len", "list", "max", "min", "print", "reversed", "sum", "tuple", "zip"}
)
"""Builtins that leave a list as it is and give no other name to it."""


def changed_lists(tree: ast.Module, every: Iterable[ast.AST]) -> Iterator[str]:
    """The names of lists that are more than read anywhere in the file: an element is set, a method is called, or
    the list goes under another name."""
    lists = {name for statement in tree.body for name in _lists_of(statement)}
    if not lists:
        return
    nodes = list(every)
    read = {id(name) for node in nodes for name in _only_read(node)}
    for node in nodes:
        if (
            isinstance(node, ast.Name)
            and node.id in lists
            and isinstance(node.ctx, ast.Load)
            and id(node) not in read
        ):
            yield node.id


def _lists_of(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds to a list, or to what holds one."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return
    for target in statement.targets if isinstance(statement, ast.Assign) else (statement.target,):
        yield from _holding(target, statement.value)


def _holding(target: ast.expr, value: ast.expr) -> Iterator[str]:
    """The names of a target that hold a list where it takes a value."""
    unpacked = (ast.Tuple, ast.List)
    if isinstance(target, unpacked) and isinstance(value, unpacked) and len(target.elts) == len(value.elts):
        for one, part in zip(target.elts, value.elts, strict=True):
            yield from _holding(one, part)
    elif any(isinstance(part, ast.List) for part in ast.walk(value)):
        yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def _only_read(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that it only reads."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value
    elif isinstance(node, ast.For | ast.comprehension):
        yield node.iter
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in READERS:
        yield from node.args
