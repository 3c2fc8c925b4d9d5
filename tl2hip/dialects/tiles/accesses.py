"""Which elements of tensors meet: refuses what would not be the same element by element.

Two rules. A store reaches each element of its place once: each of its axes is an index there, as it is or shifted
by a number. And where one loop over elements goes through a store and another access of the same tensor, that
loop's axis is the same index of both: no element touches what another one writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl2hip.dialects.tiles.values import (
    Around,
    Axis,
    IndexOf,
    Keep,
    Let,
    Load,
    Pointwise,
    Put,
    Scalar,
    Statement,
    Tile,
    TileLoop,
    bodies,
    every,
    tree,
    union,
    values,
)
from tl2hip.source import nodes
from tl2hip.source.problems.base import Problem
from tl2hip.source.problems.tiles import TileOverlap
from tl2hip.source.span import Span
from tl2hip.source.walk import walk

ANY: tuple[Tile, ...] = ()
"""The index of an access that may be anywhere."""


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """One access of a tensor: the tile loops around it, and whether an ordinary loop in these is too."""

    tensor: str
    index: tuple[Tile, ...]
    stores: bool
    around: tuple[Axis, ...]
    repeated: bool
    of: Statement
    at: Span


def overlaps(
    statements: tuple[Statement, ...], fused: frozenset[Axis], restless: frozenset[str]
) -> Iterator[Problem]:
    """A problem for each store that is not the same when its loops go element by element.

    `restless` are names that need not stand for the same number throughout a turn of a tile loop.
    """
    found = list(_accesses(statements, (), False))
    for store in (a for a in found if a.stores):
        others = [a for a in found if a.tensor == store.tensor and (a is not store or store.repeated)]
        problem = _unique(store, others) or next(
            filter(None, (_apart(store, other, fused, restless) for other in others)), None
        )
        if problem is not None:
            yield problem


def _unique(store: Access, others: list[Access]) -> Problem | None:
    """The problem of a store that may reach one element twice in a turn."""
    assert isinstance(store.of, Put)
    axes = union(*(part.axes for part in store.index))
    loose = [a for a in axes if not any(_shift(part, a) is not None for part in store.index)]
    in_order = axes == store.around and len(axes) == 1 and not others and not store.of.op
    if not loose or in_order:
        return None
    reason = f"this store may reach an element of {store.tensor} for several {loose[0].name} of one tile"
    way = "store at the index tiles themselves, or write the loops over elements (`for i in range(M):`)"
    return TileOverlap(reason, way, at=store.at)


def _apart(store: Access, other: Access, fused: frozenset[Axis], restless: frozenset[str]) -> Problem | None:
    """The problem of two accesses that meet across the elements of a loop."""
    shared = [a for a in store.around if a in other.around and a in fused]
    if store.of is other.of and store is not other:
        shared += [a for part in store.index for a in part.axes if a not in shared]
    for axis in shared:
        pairs = zip(store.index, other.index, strict=False)
        if not any(_alike(_shift(p, axis), _shift(q, axis), restless) for p, q in pairs):
            what = f"{store.tensor} is stored here for one {axis.name}"
            reason = f"{what}, and line {other.at.line} reaches it for others"
            way = f"index both with {axis.name} in the same place, store into another tensor, or use two loops"
            return TileOverlap(reason, way, at=store.at)
    return None


def _alike(a: nodes.Expr | None, b: nodes.Expr | None, restless: frozenset[str]) -> bool:
    if a is None or a != b:
        return False
    return not any(isinstance(one, nodes.Name) and one.id in restless for one in walk(a))


def _shift(part: Tile, axis: Axis) -> nodes.Expr | None:
    """What is added to an index tile in `i`, `i + 1` or `i - n`; None for any other index."""
    match part:
        case IndexOf(axis=found) if found is axis:
            return nodes.Number(0)
        case Pointwise(op="+", parts=(IndexOf(axis=found), Scalar(expr=expr))) if found is axis:
            return expr
        case Pointwise(op="+", parts=(Scalar(expr=expr), IndexOf(axis=found))) if found is axis:
            return expr
        case Pointwise(op="-", parts=(IndexOf(axis=found), Scalar(expr=expr))) if found is axis:
            return nodes.Unary("-", expr)
        case _:
            return None


def _accesses(statements: tuple[Statement, ...], around: tuple[Axis, ...], repeated: bool) -> Iterator[Access]:
    for s in statements:
        if isinstance(s, Put):
            yield Access(s.tensor, s.index, True, around, repeated, s, s.place_at)
            if s.op:
                yield Access(s.tensor, s.index, False, around, repeated, s, s.place_at)
        for value in values(s):
            for part in tree(value):
                if isinstance(part, Load):
                    yield Access(part.tensor, part.index, False, around, repeated, s, part.at)
                elif isinstance(part, Scalar):
                    yield from _in_numbers(part.expr, around, s)
        match s:
            case Keep(statement=statement):
                yield from _in_numbers(statement, around, s)
            case Around(statement=nodes.For(iterable=e) | nodes.If(test=e)):
                yield from _in_numbers(e, around, s)
            case _:
                pass
        inside = (*around, s.axis) if isinstance(s, TileLoop) else around
        again = repeated or (bool(around) and isinstance(s, Around) and isinstance(s.statement, nodes.For))
        for body in bodies(s):
            yield from _accesses(body, inside, again)


def _in_numbers(e: nodes.Node, around: tuple[Axis, ...], s: Statement) -> Iterator[Access]:
    """Every mention of a name, as an access that may be anywhere in a tensor of that name."""
    shapes = {id(one.value) for one in walk(e) if isinstance(one, nodes.Attribute) and one.name == "shape"}
    for one in walk(e):
        if isinstance(one, nodes.Name) and id(one) not in shapes:
            yield Access(one.id, ANY, False, around, False, s, one.at)


def restless_names(statements: tuple[Statement, ...]) -> frozenset[str]:
    """The names that ordinary loops inside tile loops bind: each of their turns may give them another value."""
    loops = (s for t in every(statements) if isinstance(t, TileLoop) for s in every(t.body))
    found: set[str] = set()
    for loop in loops:
        if isinstance(loop, Around) and isinstance(loop.statement, nodes.For):
            found.update(n.id for n in walk(loop.statement.target) if isinstance(n, nodes.Name))
            found.update(s.variable.name for s in every(loop.bodies[0]) if isinstance(s, Let))
    return frozenset(found)
