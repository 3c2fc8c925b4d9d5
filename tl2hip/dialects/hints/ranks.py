"""How many axes an array has by what a function does with it, where its type does not say."""

from __future__ import annotations

from collections.abc import Iterator

from tl2hip.source import nodes
from tl2hip.source.walk import walk


def rank(function: nodes.Function, name: str) -> int:
    """The most axes that the function indexes at once, or asks the extents of; 0 where it does neither."""
    return max((n for s in function.body for n in _uses(s, name)), default=0)


def _uses(root: nodes.Node, name: str) -> Iterator[int]:
    for one in walk(root):
        match one:
            case nodes.Subscript(value=value, index=index):
                yield _depth(one, name)
                if _is_shape(value, name) and isinstance(index[0], nodes.Number):
                    yield int(index[0].value) + 1
            case nodes.Assign(targets=(nodes.Tuple_(items=items),), value=value) if _is_shape(value, name):
                yield len(items)


def _is_shape(e: nodes.Expr, name: str) -> bool:
    return isinstance(e, nodes.Attribute) and e.name == "shape" and e.value == nodes.Name(name)


def _depth(e: nodes.Expr, name: str) -> int:
    """The axes that `name[i][j, k]` indexes; 0 where it is about something else."""
    count = 0
    while isinstance(e, nodes.Subscript):
        items = e.index[0].items if len(e.index) == 1 and isinstance(e.index[0], nodes.Tuple_) else e.index
        count += sum(not isinstance(i, nodes.Nothing | nodes.Ellipsis_) for i in items)
        e = e.value
    return count if e == nodes.Name(name) else 0
