"""Operations on tiles: places in tensors, arithmetic by index, and the sum over what no store has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl2hip.dialects.article import numbers, types
from tl2hip.dialects.article.names import OURS
from tl2hip.dialects.article.tiles import (
    Combined,
    Index,
    Meaning,
    Negated,
    Number,
    Reduction,
    Several,
    Tensor,
    Tile,
    View,
    union,
)
from tl2hip.dtypes import BOOL, DType
from tl2hip.source import nodes
from tl2hip.source.problems.article import BadTileIndex, NotInArticle
from tl2hip.source.problems.base import Refused
from tl2hip.source.problems.types import NoCommonType
from tl2hip.source.span import Span

if TYPE_CHECKING:
    from tl2hip.dialects.article.reading import Reader

OPS = ("+", "-", "*", "/")
"""What tiles can be combined by."""


def item(reader: Reader, base: Meaning, given: tuple[nodes.Expr, ...], at: Span) -> Meaning:
    """`A[i, k]`, or `A.shape[0]`."""
    if not isinstance(base, Several):
        return view(reader, base, given, at)
    place = reader.value(given[0])
    count = place.value if isinstance(place, Number) and len(given) == 1 else None
    if not isinstance(count, int) or not -len(base.items) <= count < len(base.items):
        raise Refused(BadTileIndex("there is no such item", "count from 0", at=at))
    return base.items[count]


def view(reader: Reader, base: Meaning, given: tuple[nodes.Expr, ...], at: Span) -> View:
    """`A[i, k]`."""
    if not isinstance(base, Tensor):
        raise Refused(NotInArticle("an index of anything but a declared tensor", at=at))
    if len(given) != len(base.shape):
        reason = f"{base.name} has {_axes(len(base.shape))} and is indexed with {len(given)}"
        raise Refused(BadTileIndex(reason, at=at))
    indices: list[Index | Number] = []
    for axis, e in enumerate(given):
        found = reader.value(e)
        if not isinstance(found, (Index, Number)) or (isinstance(found, Number) and found.real):
            raise Refused(BadTileIndex(f"{base.name} is indexed with tile indices and ints", at=e.at))
        if isinstance(found, Index) and found in indices:
            way = "give each axis an index of its own"
            raise Refused(BadTileIndex("a tile index stands twice in one place", way, at=e.at))
        _check_reach(base, axis, found, e.at)
        indices.append(found)
    return View(base, tuple(indices), at)


def _axes(count: int) -> str:
    return "1 axis" if count == 1 else f"{count} axes"


def _check_reach(tensor: Tensor, axis: int, index: Index | Number, at: Span) -> None:
    """An index that is known to pass the end of its axis is refused, as Python raises IndexError."""
    size = tensor.shape[axis].value
    reach = index.extent.value if isinstance(index, Index) else index.value
    if size is None or reach is None:
        return
    last = size if isinstance(index, Index) else size - 1
    if reach > last or reach < -size:
        what = f"an index over {reach}" if isinstance(index, Index) else f"index {reach}"
        reason = f"{what} passes axis {axis} of {tensor.name}, whose extent is {size}"
        raise Refused(BadTileIndex(reason, "make the extents fit", at=at))


def unary(op: str, found: Meaning, at: Span) -> Meaning:
    """`-x`."""
    if isinstance(found, Number) and op in ("-", "+"):
        return numbers.negative(found, at) if op == "-" else found
    if not isinstance(found, Tile) or op != "-":
        raise Refused(NotInArticle(f"`{op}` of this", at=at))
    return Negated(found.axes, found.dtype, found, at=at)


def binary(reader: Reader, op: str, left: Meaning, right: Meaning, at: Span) -> Meaning:
    """Arithmetic on two numbers, on two tiles index by index, or on a tile and a number."""
    if isinstance(left, Number) and isinstance(right, Number):
        return numbers.binary(op, left, right, at)
    if not isinstance(left, (Tile, Number)) or not isinstance(right, (Tile, Number)):
        way = "load tensors first, such as A[i, k].load()"
        raise Refused(NotInArticle("arithmetic on anything but tiles and numbers", way, at=at))
    if op not in OPS:
        raise Refused(NotInArticle(f"`{op}` on tiles", "tiles are combined with + - * and /", at=at))
    axes = union(*(side.axes for side in (left, right) if isinstance(side, Tile)))
    if isinstance(left, Tile) and isinstance(right, Tile):
        dtype = types.combined(op, left.dtype, right.dtype)
        if dtype is None:
            raise Refused(NoCommonType(op, left.dtype.name, right.dtype.name, at=at))
    else:
        tile, number = (left, right) if isinstance(left, Tile) else (right, left)
        assert isinstance(tile, Tile) and isinstance(number, Number)
        dtype = types.with_number(tile.dtype, number.real)
        if isinstance(number.expr, nodes.Bool):
            dtype = tile.dtype
        dtype = types.divided(dtype) if op == "/" else dtype
    return Combined(axes, dtype, op, left, right, at=at)


def reduction(
    reader: Reader, op: str, body: Tile, over: tuple[Index, ...], carried: DType, hint: str, at: Span
) -> Reduction:
    """A reduction as its own loop, with the marks that stand around it; over indices that no store has, options
    of CompileKernel stand in for those that do not. Its dtype is the carried one."""
    axes = tuple(axis for axis in body.axes if axis not in over)
    marks = reader.marks()
    if all(axis.number not in reader.kept for axis in over):
        near = {OURS[f"?{mark.word}"] for mark in marks}
        marks += reader.options(lambda word: OURS[f"?{word}"] not in near)
    return Reduction(axes, carried, op, body, over, carried, hint, marks, reader.line, at=at)


def summed(reader: Reader, value: Tile, view: View, at: Span) -> Tile:
    """A tile summed over its indices that are not in the place it is stored to; none of them may be in
    another store."""
    rest = tuple(axis for axis in value.axes if axis not in view.axes)
    for axis in rest:
        if axis.number in reader.kept:
            reason = f"the tile has the index {axis.name}, which is in another store and not in this one"
            way = f"reduce it over {axis.name} with tl.sum or tl.max, or use another index"
            raise Refused(BadTileIndex(reason, way, at=at))
    if not rest:
        return value
    if value.dtype is BOOL:
        raise Refused(NotInArticle("a sum of bool tiles", "multiply it by 1 first", at=at))
    return reduction(reader, "sum", value, rest, types.summed(value.dtype), "total", at)
