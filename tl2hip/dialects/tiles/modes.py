"""How each tile loop is spelled: as one loop over elements, or as a loop over tiles with loops in it.

A loop over tiles is one loop over its elements where each statement can be taken element by element: values over
its axis are computed at one element, and what is carried from one tile to the next is a sum, maximum or minimum
over the axis, whose order is free. Otherwise (a running statistic that later statements of the same turn read) the
tiles stay: a loop with the tile's size as its step, and in it a loop over the elements for each statement.
"""

from __future__ import annotations

from collections.abc import Iterator

from tl2hip.dialects.tiles.values import (
    Around,
    Axis,
    Keep,
    Let,
    Load,
    Pointwise,
    Put,
    Read,
    Reduce,
    Scalar,
    Statement,
    Tile,
    TileLoop,
    Variable,
    every,
    tree,
    values,
)
from tl2hip.source import nodes
from tl2hip.source.walk import walk

OPERATORS = {("+", "sum"), ("numpy.maximum", "max"), ("numpy.minimum", "min")}
"""What carries a reduction on, and which one."""


def fused_axes(statements: tuple[Statement, ...]) -> frozenset[Axis]:
    """The axes whose tile loop is one loop over elements."""
    loops = (s for s in every(statements) if isinstance(s, TileLoop))
    return frozenset(loop.axis for loop in loops if _fuses(loop))


def accumulation(s: Let) -> Reduce | None:
    """The reduction that a statement carries on: `acc += r`, `acc = np.maximum(acc, r)`; None where it is another
    statement, or where rounding a tile's part of it has a meaning of its own."""
    match s.value:
        case Pointwise(op=op, parts=(Read(variable=variable), Reduce() as r)) if variable is s.variable:
            pass
        case Pointwise(op=op, parts=(Reduce() as r, Read(variable=variable))) if variable is s.variable:
            pass
        case Pointwise(op=op, parts=(Scalar(expr=nodes.Name(id=name)), Reduce() as r)) if name == s.variable.name:
            pass
        case _:
            return None
    alike = (op, r.op) in OPERATORS and not s.new and r.typed == s.variable.typed
    return r if alike and s.variable.name not in set(_names(r)) else None


def _fuses(loop: TileLoop) -> bool:
    """Whether a tile loop is one loop over its elements."""
    axis, inside = loop.axis, list(every(loop.body))
    made = {s.variable for s in inside if isinstance(s, Let) and s.new}
    carried: dict[Variable, str] = {}
    for s in inside:
        match s:
            case Let(variable=variable) if variable not in made:
                r = accumulation(s)
                if r is None or axis not in r.over or carried.setdefault(variable, r.op) != r.op:
                    return False
                if _reduces(r.body, axis):
                    return False
            case Put(index=index):
                if not any(axis in part.axes for part in index) or any(_reduces(v, axis) for v in values(s)):
                    return False
            case _:
                if any(_reduces(v, axis) for v in values(s)):
                    return False
    return not _read({v.name for v in carried}, inside)


def _reduces(tile: Tile, axis: Axis) -> bool:
    return any(isinstance(part, Reduce) and axis in part.over for part in tree(tile))


CHEAP = 4
"""Operations on an element that may be done again at each reader, rather than kept in an array."""

SLOW = ("/", "//", "%", "**", "numpy.divide", "numpy.true_divide", "numpy.power")


def cheap(value: Tile, changing: frozenset[str]) -> bool:
    """Whether a tile may be worked out again at each of its readers: soon done, and of what does not change."""
    parts = list(tree(value))
    slow = any(isinstance(p, Reduce) or (isinstance(p, Pointwise) and p.op in SLOW) for p in parts)
    count = sum(isinstance(p, Pointwise) for p in parts)
    return not slow and count <= CHEAP and not changing & set(_names(value))


def _read(names: set[str], statements: list[Statement]) -> bool:
    """Whether a statement reads one of these names, but for what carries it on."""
    for s in statements:
        if isinstance(s, Let) and s.variable.name in names:
            r = accumulation(s)
            if r is None or names & set(_names(r.body)):
                return True
        elif names & {name for v in values(s) for name in _names(v)} or names & set(_kept(s)):
            return True
    return False


def _names(tile: Tile) -> Iterator[str]:
    """The locals and tensors that a tile speaks of."""
    for part in tree(tile):
        match part:
            case Read(variable=variable):
                yield variable.name
            case Load(tensor=tensor):
                yield tensor
            case Scalar(expr=expr):
                yield from words(expr)
            case _:
                continue


def words(node: nodes.Node) -> Iterator[str]:
    """Every name that is mentioned."""
    return (one.id for one in walk(node) if isinstance(one, nodes.Name))


def _kept(s: Statement) -> Iterator[str]:
    """The names in the parts of a statement that are no tiles."""
    match s:
        case Keep(statement=statement):
            yield from words(statement)
        case Around(statement=nodes.For(iterable=iterable)):
            yield from words(iterable)
        case Around(statement=nodes.If(test=test)):
            yield from words(test)
        case _:
            return
