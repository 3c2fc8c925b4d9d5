"""Walking and rewriting own nodes: all nodes below one, a map over its parts, what statements bind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar

from tl2hip.source.nodes import (
    AnnAssign,
    Assign,
    AugAssign,
    Expr,
    For,
    If,
    List_,
    Name,
    Node,
    Stmt,
    Tuple_,
    While,
    With,
)

N = TypeVar("N", bound=Node)


def walk(node: Node) -> Iterator[Node]:
    """A node and all nodes in it, in the order of their fields."""
    stack = [node]
    while stack:
        one = stack.pop()
        yield one
        inner: list[Node] = []
        for field in fields(one):
            value = getattr(one, field.name)
            parts = value if isinstance(value, tuple) else (value,)
            inner += [part for part in parts if isinstance(part, Node)]
        stack.extend(reversed(inner))


def map_parts(f: Callable[[Any], Node], node: N) -> N:
    """The node with `f` applied to each node directly in it; `f` gives a node of a kind that may stand there."""
    changed: dict[str, Any] = {}
    for field in fields(node):
        old = getattr(node, field.name)
        if isinstance(old, Node):
            changed[field.name] = f(old)
        elif isinstance(old, tuple) and any(isinstance(x, Node) for x in old):
            changed[field.name] = tuple(f(x) if isinstance(x, Node) else x for x in old)
    return replace(node, **changed) if changed else node


def all_stmts(body: Iterable[Stmt]) -> Iterator[Stmt]:
    """Every statement of a body and of the bodies inside, in the order of the text."""
    for s in body:
        yield s
        match s:
            case For(body=inner) | While(body=inner) | With(body=inner):
                yield from all_stmts(inner)
            case If(then=then, orelse=orelse):
                yield from all_stmts((*then, *orelse))
            case _:
                continue


def bound(s: Stmt) -> Iterator[str]:
    """The names that a statement itself assigns, annotates or loops over, not those of statements inside it."""
    match s:
        case Assign(targets=targets):
            for target in targets:
                yield from target_names(target)
        case AnnAssign(target=target) | AugAssign(target=target) | For(target=target):
            yield from target_names(target)
        case _:
            return


def target_names(target: Expr) -> Iterator[str]:
    """The names in what is assigned to: a name, an element, or a tuple or list of these."""
    if isinstance(target, Name):
        yield target.id
    elif isinstance(target, Tuple_ | List_):
        for item in target.items:
            yield from target_names(item)
