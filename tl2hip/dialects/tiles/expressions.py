"""Reads expressions of a tile kernel: single numbers as they are, tiles as trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl2hip.dialects.tiles import calls, types
from tl2hip.dialects.tiles.values import (
    Axis,
    IndexOf,
    Load,
    Pointwise,
    Read,
    Scalar,
    Tile,
    Typed,
    Variable,
    pointwise,
    reductions,
    union,
)
from tl2hip.dtypes import BOOL, DType
from tl2hip.source import nodes
from tl2hip.source.problems.base import Refused
from tl2hip.source.problems.tiles import NotInTiles, TileAxes
from tl2hip.source.problems.types import NoCommonType
from tl2hip.source.walk import walk

if TYPE_CHECKING:
    from tl2hip.dialects.tiles.reading import Reader


def has_tiles(reader: Reader, e: nodes.Expr) -> bool:
    """Whether a tile stands in an expression."""
    for one in walk(e):
        if isinstance(one, nodes.Name) and one.id in reader.names:
            found = reader.meaning(one)
            if isinstance(found, Axis) or (isinstance(found, Variable) and found.axes):
                return True
        elif isinstance(one, nodes.Call) and (reader.means(one.func) or "").startswith("tl2hip.tile."):
            return True
    return False


def no_tiles(reader: Reader, e: nodes.Expr, what: str, way: str) -> None:
    """Refuses an expression in which a tile stands."""
    if has_tiles(reader, e):
        raise Refused(NotInTiles(what, way, at=e.at))


def tile(reader: Reader, e: nodes.Expr) -> Tile:
    """What an expression stands for. Raises Refused where it stands for nothing."""
    if not has_tiles(reader, e):
        _check_helpers(reader, e)
        return Scalar((), reader.typed(e), e, at=e.at)
    match e:
        case nodes.Name():
            return _name(reader, e)
        case nodes.Unary(op=op, value=value):
            if op == "not":
                raise Refused(NotInTiles("`not` of a tile", "use `np.logical_not` or `~`", at=e.at))
            x = tile(reader, value)
            return pointwise(op, x.typed, (x,), lambda p: nodes.Unary(op, p[0], at=e.at), e.at)
        case nodes.Binary(op=op, left=left, right=right):
            return _binary(op, tile(reader, left), tile(reader, right), e)
        case nodes.Compare(first=first, ops=(op,), rest=(second,)):
            return _compared(op, tile(reader, first), tile(reader, second), e)
        case nodes.Subscript(value=base, index=index):
            if _tensor(reader, e) is not None:
                tensor, places = place(reader, e)
                return _loaded(tensor, places, Typed(_dtype(reader, tensor)), e)
            return _viewed(tile(reader, base), index, e)
        case nodes.Call():
            return calls.call(reader, e)
        case nodes.Attribute(value=value, name="T") if has_tiles(reader, value):
            x = tile(reader, value)
            return Pointwise(x.axes[::-1], x.typed, "view", (x,), lambda p: p[0], ordered=x.ordered, at=e.at)
        case _:
            raise Refused(NotInTiles(*_described(e), at=e.at))


def _check_helpers(reader: Reader, e: nodes.Expr) -> None:
    """A function of the file that is given a tensor might store into it."""
    for one in walk(e):
        if isinstance(one, nodes.Call) and (reader.means(one.func) or "").startswith("."):
            for arg in (*one.args, *(k.value for k in one.keywords)):
                if isinstance(arg, nodes.Name) and _tensor(reader, arg) is not None:
                    way = "pass it elements, such as A[0, 1], or write its loops here"
                    raise Refused(NotInTiles("a tensor passed to another function", way, at=arg.at))


def _name(reader: Reader, e: nodes.Name) -> Tile:
    found = reader.meaning(e)
    if isinstance(found, Axis):
        return IndexOf((found,), calls.INDEX, found, at=e.at)
    assert isinstance(found, Variable)
    if found.alias is not None:
        return found.alias
    return Read(found.axes, found.typed, found, ordered=found.ordered, at=e.at)


def _loaded(tensor: str, index: tuple[Tile, ...], typed: Typed, e: nodes.Expr) -> Load:
    axes = union(*(p.axes for p in index))
    counted = all(p.ordered for p in index) and sum(len(p.axes) for p in index) == len(axes)
    return Load(axes, typed, tensor, index, ordered=counted or len(axes) < 2, at=e.at)


def _binary(op: str, a: Tile, b: Tile, e: nodes.Expr) -> Tile:
    if op == "@":
        raise Refused(
            NotInTiles("`@` of tiles", "write `tile.dot(a, b)`, which names the axis it sums over", at=e.at)
        )
    typed = types.operated(op, a.typed, b.typed)
    if typed is None:
        raise Refused(NoCommonType(op, str(a.typed), str(b.typed), at=e.at))
    return pointwise(op, typed, (a, b), lambda p: nodes.Binary(op, p[0], p[1], at=e.at), e.at)


def _compared(op: str, a: Tile, b: Tile, e: nodes.Expr) -> Tile:
    """A mask: NumPy's bools, those of index tiles too, whose elements alone would give Python's."""
    python = a.typed.weak and b.typed.weak

    def make(p: tuple[nodes.Expr, ...]) -> nodes.Expr:
        found = nodes.Compare(p[0], (op,), (p[1],), at=e.at)
        return nodes.Call(calls.dtype_node(BOOL, e.at), (found,), at=e.at) if python else found

    return pointwise(op, Typed(BOOL), (a, b), make, e.at)


def _viewed(x: Tile, index: tuple[nodes.Expr, ...], e: nodes.Expr) -> Tile:
    """`x[:, None]`: axes are paired by their loops, so it is `x`."""
    whole = [i for i in index if isinstance(i, nodes.Slice) and (i.start, i.stop, i.step) == (None, None, None)]
    if len(whole) + sum(isinstance(i, nodes.Nothing) for i in index) < len(index) or len(whole) != len(x.axes):
        way = "index the tensor itself with index tiles; axes of tiles pair by their loops, no `None` is needed"
        raise Refused(NotInTiles("an index of a tile", way, at=e.at))
    return x


# --- places ----------------------------------------------------------------------------------------------


def _tensor(reader: Reader, e: nodes.Expr) -> str | None:
    """The tensor that `A[i, k]`, or `A[h][i, k]`, is a place of."""
    while isinstance(e, nodes.Subscript):
        e = e.value
    if not isinstance(e, nodes.Name) or e.id not in reader.names:
        return None
    found = reader.meaning(e)
    return None if found is None or isinstance(found, (Axis, Variable)) else e.id


def _dtype(reader: Reader, name: str) -> DType | None:
    return reader.typed(nodes.Name(name)).dtype


def place(reader: Reader, e: nodes.Subscript) -> tuple[str, tuple[Tile, ...]]:
    """The tensor of a place and its indices, one for each axis."""
    name = _tensor(reader, e)
    if name is None:
        way = "store into a tensor that is a parameter of the kernel; tiles are values and do not change"
        raise Refused(NotInTiles("an element of anything but a tensor", way, at=e.at))
    given: tuple[nodes.Expr, ...] = ()
    base: nodes.Expr = e
    while isinstance(base, nodes.Subscript):
        given, base = (*base.index, *given), base.value
    rank = reader.rank(name)
    indices = tuple(_index(reader, one) for one in given)
    if len(indices) != rank:
        axes = "1 axis" if rank == 1 else f"{rank} axes"
        way = "give an index tile or a number for each axis; `tile.all(N)` is the whole of one"
        raise Refused(TileAxes(f"{name} has {axes} and is indexed with {len(indices)}", way, at=e.at))
    return name, indices


def _index(reader: Reader, e: nodes.Expr) -> Tile:
    if isinstance(e, (nodes.Slice, nodes.Nothing, nodes.Ellipsis_)):
        way = "use an index tile: `j = tile.all(N)` is the whole of an axis"
        raise Refused(NotInTiles("a slice of a tensor", way, at=e.at))
    found = tile(reader, e)
    dtype = found.typed.dtype
    if found.axes and (dtype is None or not dtype.is_int):
        raise Refused(
            TileAxes(f"an index is a whole number, and this is {found.typed}", "cast it: `i32(…)`", at=e.at)
        )
    if reductions(found):
        raise Refused(NotInTiles("a reduction in an index", "give it a name on a line before", at=e.at))
    return found


def _described(e: nodes.Expr) -> tuple[str, str]:
    match e:
        case nodes.Logic(op=op):
            return f"`{op}` of tiles", f"write `np.logical_{op}(a, b)`"
        case nodes.IfExp():
            return "a choice on tiles", "write `np.where(test, a, b)`"
        case nodes.Compare():
            return "a chain of comparisons of tiles", "compare two by two: `(a < b) & (b < c)`"
        case nodes.Attribute(name=name):
            return f"`.{name}` of a tile", "methods of tiles are .sum, .max, .min and .astype"
        case _:
            return "this expression", "compute with tiles and NumPy's element-wise functions"
