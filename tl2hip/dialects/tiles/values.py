"""What the names of a tile kernel stand for, and its statements: a small tree between the text and its loops.

A tile is a tree of element operations over named axes; `Reduce` nodes in it become loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tl2hip.dtypes import DType
from tl2hip.source import nodes
from tl2hip.source.span import NOWHERE, Span


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """The axis of one tile loop, or of a `tile.all` where `loop` is False; `size` None is the whole extent."""

    name: str
    extent: nodes.Expr
    size: nodes.Expr | None
    marks: tuple[nodes.Expr, ...]
    at: Span
    loop: bool = True


@dataclass(frozen=True, slots=True)
class Typed:
    """A dtype (None: not known) and whether it is weak, as Python's numbers are."""

    dtype: DType | None
    weak: bool = False

    def __str__(self) -> str:
        return "of an unknown dtype" if self.dtype is None else "a Python number" if self.weak else self.dtype.name


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """One local: the user's name for it, its axes and its type. `block` tells in which body it was made."""

    name: str
    axes: tuple[Axis, ...]
    typed: Typed
    block: int
    ordered: bool = True
    alias: Tile | None = None
    """What stands for it wherever it is read, where that can be written down again each time."""


Make = Callable[[tuple[nodes.Expr, ...]], nodes.Expr]
"""Writes an operation down, given the elements of its parts."""

# --- tiles -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A tile as a value: its axes, and the type of its elements. `ordered` is whether the axes have an order that
    NumPy gives them too, so that they may be counted (`axis=1`); otherwise they are known by name alone."""

    axes: tuple[Axis, ...]
    typed: Typed
    ordered: bool = field(default=True, kw_only=True)
    at: Span = field(default=NOWHERE, kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Scalar(Tile):
    """One number for all elements: an expression in which no tile stands."""

    expr: nodes.Expr


@dataclass(frozen=True, slots=True, eq=False)
class IndexOf(Tile):
    """An index tile: at each element, the number of it."""

    axis: Axis


@dataclass(frozen=True, slots=True, eq=False)
class Load(Tile):
    tensor: str
    index: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Read(Tile):
    variable: Variable


@dataclass(frozen=True, slots=True, eq=False)
class Pointwise(Tile):
    """`op` of the elements of its parts; `make` writes it down, given them."""

    op: str
    parts: tuple[Tile, ...]
    make: Make


@dataclass(frozen=True, slots=True, eq=False)
class Reduce(Tile):
    """`body` reduced by `op` ("sum", "max", "min") over some of its axes, carried in a dtype of its own."""

    op: str
    body: Tile
    over: tuple[Axis, ...]
    carried: DType


def pointwise(op: str, typed: Typed, parts: tuple[Tile, ...], make: Make, at: Span) -> Pointwise:
    """An operation on elements, axes paired by their loops.

    Its axes have the order of a part that has all of them, if no part has another; else none.
    """
    axes = union(*(p.axes for p in parts))
    leading = next((p for p in parts if p.ordered and len(p.axes) == len(axes)), None)
    if leading is None:
        return Pointwise(axes, typed, op, parts, make, ordered=len(axes) < 2, at=at)
    rest = [tuple(a for a in leading.axes if a in p.axes) == p.axes for p in parts if p.ordered]
    return Pointwise(leading.axes, typed, op, parts, make, ordered=all(rest), at=at)


# --- statements ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Let:
    """A local gets a value; `new` where it is made here, `op` where the text has `name op= value`.

    Then `value` is all of `name op value`.
    """

    variable: Variable
    value: Tile
    new: bool
    op: str
    at: Span


@dataclass(frozen=True, slots=True, eq=False)
class Put:
    """A value is stored into a place of a tensor, or combined with what is there by `op`."""

    tensor: str
    index: tuple[Tile, ...]
    value: Tile
    op: str
    at: Span
    place_at: Span


@dataclass(frozen=True, slots=True, eq=False)
class Keep:
    """A statement in which no tile stands, as it is."""

    statement: nodes.Stmt


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """An ordinary loop or branch around statements with tiles; `bodies` are its one or two bodies."""

    statement: nodes.For | nodes.If
    bodies: tuple[tuple[Statement, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class TileLoop:
    axis: Axis
    body: tuple[Statement, ...]


Statement = Let | Put | Keep | Around | TileLoop


def inner(tile: Tile) -> tuple[Tile, ...]:
    """The tiles right below one."""
    match tile:
        case Load(index=index):
            return index
        case Pointwise(parts=parts):
            return parts
        case Reduce(body=body):
            return (body,)
        case _:
            return ()


def tree(tile: Tile) -> Iterator[Tile]:
    """A tile and all tiles in it."""
    yield tile
    for part in inner(tile):
        yield from tree(part)


def reductions(tile: Tile) -> tuple[Reduce, ...]:
    """The reductions in a tile that stand in no other reduction of it."""
    if isinstance(tile, Reduce):
        return (tile,)
    return tuple(r for part in inner(tile) for r in reductions(part))


def bodies(s: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The bodies of a statement."""
    match s:
        case Around(bodies=found):
            return found
        case TileLoop(body=body):
            return (body,)
        case _:
            return ()


def every(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements, those in bodies too, each before those in it."""
    for s in statements:
        yield s
        for body in bodies(s):
            yield from every(body)


def values(s: Statement) -> tuple[Tile, ...]:
    """The tiles of one statement, without those of its bodies."""
    match s:
        case Let(value=value):
            return (value,)
        case Put(index=index, value=value):
            return (*index, value)
        case _:
            return ()


def union(*several: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """The axes of all, each once, in the order they come."""
    return tuple(dict.fromkeys(axis for axes in several for axis in axes))
