"""Calls in a tile kernel: casts, NumPy's element-wise functions, reductions, and what `tile` offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl2hip.dialects.article.names import ours
from tl2hip.dialects.article.types import dtype_of_word
from tl2hip.dialects.tiles import expressions, types
from tl2hip.dialects.tiles.values import Axis, IndexOf, Pointwise, Reduce, Tile, Typed, pointwise, union
from tl2hip.dtypes import BOOL, I64, DType
from tl2hip.source import nodes
from tl2hip.source.problems.base import Refused
from tl2hip.source.problems.tiles import BadTileLoop, NotInTiles, TileAxes, TileDType
from tl2hip.source.problems.types import NoCommonType
from tl2hip.source.span import Span
from tl2hip.source.walk import walk

if TYPE_CHECKING:
    from tl2hip.dialects.tiles.reading import Reader

INDEX = Typed(I64, weak=True)
"""The type of an index tile, as of a loop variable."""

REDUCTIONS = ("sum", "max", "min")
FUNCTIONS = "`.sum`, `.max`, `.min`, `.astype`, casts, `tile.dot` and NumPy's element-wise functions take tiles"


def call(reader: Reader, e: nodes.Call) -> Tile:
    """What a call with tiles gives."""
    name = reader.means(e.func) or ""
    module, _, last = name.rpartition(".")
    if module == "tl2hip.tile":
        return _of_tile(reader, last, e)
    if not name and isinstance(e.func, nodes.Attribute):
        return _method(reader, e, e.func)
    if module == "tl2hip" and dtype_of_word(name) is not None:
        (x,) = _parts(reader, e, last, 1)
        return cast(x, _dtype(reader, e.func, e.at), e.at)
    if module == "numpy" and last in REDUCTIONS and e.args:
        return _reduced(reader, last, e.args[0], e.args[1:], e)
    if name == "builtins.abs":
        (x,) = _parts(reader, e, last, 1)
        return pointwise("abs", x.typed, (x,), lambda p: nodes.Call(e.func, p, at=e.at), e.at)
    if module == "numpy" and last in types.ARITY:
        return _elementwise(reader, last, e)
    raise Refused(NotInTiles(*_unknown(name, module, last), at=e.at))


def _unknown(name: str, module: str, last: str) -> tuple[str, str]:
    if module == "math":
        return f"math.{last} of a tile", f"NumPy's functions take tiles: np.{last}"
    if name in ("builtins.max", "builtins.min"):
        return f"{last}() of tiles", f"write np.{last}imum(a, b), or x.{last}(axis=1)"
    if dtype_of_word(name) is not None:
        return f"{last}() of a tile", "cast with `f32(x)` or `x.astype(f32)`"
    if name.startswith("."):
        return f"a tile passed to {last}, a function of the file,", "write its lines here"
    return "this call", FUNCTIONS


def _parts(reader: Reader, e: nodes.Call, name: str, count: int) -> tuple[Tile, ...]:
    if len(e.args) != count or e.keywords:
        takes = "one argument" if count == 1 else f"{count} arguments"
        raise Refused(NotInTiles(f"this call of {name}", f"{name} of tiles takes {takes}", at=e.at))
    return tuple(expressions.tile(reader, arg) for arg in e.args)


def _elementwise(reader: Reader, name: str, e: nodes.Call) -> Tile:
    parts = _parts(reader, e, f"np.{name}", types.ARITY[name])
    typed = types.called(name, tuple(p.typed for p in parts))
    if typed is None:
        raise Refused(NoCommonType(f"np.{name}", *(str(p.typed) for p in parts[-2:]), at=e.at))
    return pointwise(f"numpy.{name}", typed, parts, lambda p: nodes.Call(e.func, p, at=e.at), e.at)


def _method(reader: Reader, e: nodes.Call, func: nodes.Attribute) -> Tile:
    if func.name in ("sum", "max", "min"):
        return _reduced(reader, func.name, func.value, e.args, e)
    if func.name == "astype" and len(e.args) == 1 and not e.keywords:
        x = expressions.tile(reader, func.value)
        return cast(x, _dtype(reader, e.args[0], e.args[0].at), e.at)
    if func.name == "mean":
        raise Refused(NotInTiles("`.mean` of a tile", "divide the sum: `x.sum(axis=1) / N`", at=e.at))
    raise Refused(NotInTiles(f"`.{func.name}` of a tile", FUNCTIONS, at=e.at))


def _dtype(reader: Reader, e: nodes.Expr, at: Span) -> DType:
    found = dtype_of_word(e.value if isinstance(e, nodes.Text) else reader.means(e))
    if found is None:
        raise Refused(BadTileLoop("this is no element type", "give one, such as f32", at=at))
    return found


def dtype_node(dtype: DType, at: Span) -> nodes.Expr:
    """`f32`, whatever the file calls it."""
    return ours("tl2hip", "bool_" if dtype is BOOL else dtype.name, at)


def cast(x: Tile, dtype: DType, at: Span) -> Tile:
    """The tile with each element cast."""
    return pointwise("cast", Typed(dtype), (x,), lambda p: nodes.Call(dtype_node(dtype, at), p, at=at), at)


def as_dtype(x: Tile, dtype: DType) -> Tile:
    """The tile with elements of a dtype, cast where they are not."""
    return x if x.typed == Typed(dtype) else cast(x, dtype, x.at)


# --- reductions ------------------------------------------------------------------------------------------


def _reduced(reader: Reader, op: str, of: nodes.Expr, rest: tuple[nodes.Expr, ...], e: nodes.Call) -> Tile:
    x = expressions.tile(reader, of)
    named = {k.name: k.value for k in e.keywords}
    keep = named.pop("keepdims", nodes.Bool(False))
    axis = named.pop("axis", rest[0] if rest else None)
    if named or len(rest) > 1 or not isinstance(keep, nodes.Bool):
        raise Refused(NotInTiles(f"this call of {op}", f"{op} of tiles takes axis= and keepdims=", at=e.at))
    over = x.axes if axis is None or isinstance(axis, nodes.Nothing) else (_axis(reader, op, x, axis),)
    dtype = x.typed.dtype
    if dtype is None:
        raise Refused(TileDType(f"the tile that {op} takes", at=e.at))
    if dtype is BOOL and op != "sum":
        raise Refused(NotInTiles(f"{op} of a tile of bool", "cast it first: `i32(x)`", at=e.at))
    if dtype.kind == "uint" and op == "sum":
        raise Refused(
            NotInTiles(
                f"the sum of a tile of {dtype}, which NumPy gives as u64,", "cast it first: `i64(x)`", at=e.at
            )
        )
    carried = types.carried(op, dtype)
    axes = tuple(a for a in x.axes if a not in over)
    ordered = x.ordered or len(axes) < 2
    found = Reduce(axes, Typed(carried), op, as_dtype(x, carried), over, carried, ordered=ordered, at=e.at)
    return as_dtype(found, dtype) if op == "sum" and dtype.is_float else found


def _axis(reader: Reader, op: str, x: Tile, e: nodes.Expr) -> Axis:
    known = ", ".join(a.name for a in x.axes)
    if expressions.has_tiles(reader, e):
        found = expressions.tile(reader, e)
        if not isinstance(found, IndexOf) or found.axis not in x.axes:
            way = f"give one of its index tiles ({known}) or a place from 0"
            raise Refused(TileAxes(f"{op}: the tile has no such axis", way, at=e.at))
        return found.axis
    place = e.value if isinstance(e, nodes.Number) else None
    if isinstance(e, nodes.Unary) and e.op == "-" and isinstance(e.value, nodes.Number):
        place = -e.value.value
    if not isinstance(place, int):
        way = "write one number, or an index tile"
        raise Refused(NotInTiles(f"an axis of {op} that is not known", way, at=e.at))
    if not x.ordered:
        reason = f"{op}: the axes of this tile ({known}) have no order to count them by"
        raise Refused(TileAxes(reason, f"name the axis: `axis={x.axes[-1].name}`", at=e.at))
    if not -len(x.axes) <= place < len(x.axes):
        reason = f"{op}: axis {place} of a tile with the axes {known}"
        raise Refused(TileAxes(reason, "count from 0, or give the index tile", at=e.at))
    return x.axes[place]


# --- what `tile` offers ----------------------------------------------------------------------------------


def _of_tile(reader: Reader, name: str, e: nodes.Call) -> Tile:
    match name:
        case "zeros" | "full":
            return _filled(reader, name, e)
        case "dot":
            a, b = _parts(reader, e, "tile.dot", 2)
            return _dot(a, b, e.at)
        case "all":
            raise Refused(BadTileLoop("tile.all has no name here", "name it first: `d = tile.all(D)`", at=e.at))
        case "range":
            raise Refused(BadTileLoop("tile.range stands at the head of a loop", at=e.at))
        case _:
            raise Refused(NotInTiles(f"tile.{name}", "`tile` has range, all, zeros, full and dot", at=e.at))


def whole(reader: Reader, e: nodes.Call, name: str) -> Axis:
    """`tile.all(N)`, called by what it is bound to."""
    if len(e.args) != 1 or e.keywords:
        raise Refused(BadTileLoop("tile.all takes an extent", "write `d = tile.all(D)`", at=e.at))
    check_extent(reader, e.args[0])
    return Axis(name, e.args[0], None, (), e.at, loop=False)


def check_extent(reader: Reader, e: nodes.Expr) -> None:
    """An extent is one number that stays what it is."""
    expressions.no_tiles(reader, e, "a tile as an extent", "write a number, or arithmetic on sizes")
    for one in walk(e):
        if isinstance(one, nodes.Name) and one.id in reader.changing | reader.written:
            way = f"give the extent a name of its own, bound once: `n = {one.id}`"
            raise Refused(BadTileLoop(f"the extent speaks of `{one.id}`, which changes", way, at=one.at))


def _filled(reader: Reader, name: str, e: nodes.Call) -> Tile:
    takes = ("dtype",) if name == "zeros" else ("value", "dtype")
    named = {k.name: k.value for k in e.keywords}
    if not e.args or sorted(named) != sorted(takes):
        shown = "dtype=f32" if name == "zeros" else "value=-math.inf, dtype=f32"
        reason = f"tile.{name} takes index tiles, then {' and '.join(f'{t}=' for t in takes)}"
        raise Refused(BadTileLoop(reason, f"write `tile.{name}(i, j, {shown})`", at=e.at))
    axes: list[Axis] = []
    for arg in e.args:
        index = expressions.tile(reader, arg)
        if not isinstance(index, IndexOf) or index.axis in axes:
            way = "give index tiles of loops around, each once"
            raise Refused(BadTileLoop(f"tile.{name}: this is no index tile, or one given twice", way, at=arg.at))
        axes.append(index.axis)
    dtype = _dtype(reader, named["dtype"], named["dtype"].at)
    value = named.get("value", nodes.Number(0, at=e.at))
    expressions.no_tiles(reader, value, "a tile of tiles", "give the value as one number")
    filled = expressions.tile(reader, value)
    made = Typed(dtype)

    def make(p: tuple[nodes.Expr, ...]) -> nodes.Expr:
        return nodes.Call(dtype_node(dtype, e.at), p, at=e.at)

    return Pointwise(tuple(axes), made, "full", (filled,), make, at=e.at)


def _dot(a: Tile, b: Tile, at: Span) -> Tile:
    shared = tuple(x for x in a.axes if x in b.axes)
    if len(shared) != 1:
        names = ", ".join(x.name for x in shared) or "none"
        way = "load them as A[i, k] and B[k, j]; for anything else write `(a * b).sum(axis=…)`"
        raise Refused(
            TileAxes(f"tile.dot sums over the one axis that both tiles have; these share {names}", way, at=at)
        )
    dtype = types.dotted(a.typed, b.typed)
    if dtype is None:
        if BOOL in (a.typed.dtype, b.typed.dtype):
            raise Refused(NotInTiles("tile.dot of tiles of bool", "cast them first", at=at))
        if a.typed.dtype is None or b.typed.dtype is None:
            raise Refused(TileDType("a factor of tile.dot", at=at))
        raise Refused(NoCommonType("dot", str(a.typed), str(b.typed), at=at))
    axes = union(a.axes, b.axes)
    parts = (as_dtype(a, dtype), as_dtype(b, dtype))
    body = Pointwise(axes, Typed(dtype), "*", parts, lambda p: nodes.Binary("*", p[0], p[1], at=at), at=at)
    rest = tuple(x for x in axes if x not in shared)
    ordered = a.ordered and b.ordered
    return Reduce(rest, Typed(dtype), "sum", body, shared, dtype, ordered=ordered or len(rest) < 2, at=at)
