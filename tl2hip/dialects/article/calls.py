"""The article's calls: declarations, loads, functions of tiles, and the contexts that mark loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl2hip.dialects.article import numbers, types
from tl2hip.dialects.article.operations import reduction
from tl2hip.dialects.article.tiles import (
    Cast,
    Combined,
    Exponential,
    Index,
    Loaded,
    Mark,
    Marking,
    Meaning,
    Number,
    Several,
    Tensor,
    Tile,
    View,
    Word,
    union,
)
from tl2hip.dtypes import BOOL, DType
from tl2hip.source import nodes
from tl2hip.source.problems.article import BadDeclaration, BadTileIndex, NotInArticle
from tl2hip.source.problems.base import Refused
from tl2hip.source.problems.types import NoCommonType, UnknownDType
from tl2hip.source.span import Span

if TYPE_CHECKING:
    from tl2hip.dialects.article.reading import Reader


def call(reader: Reader, e: nodes.Call, hint: str) -> Meaning:
    """What a call gives."""
    name = reader.means(e.func)
    if name is None and isinstance(e.func, nodes.Attribute):
        return _method(reader, e, e.func)
    match name:
        case "tl2hip.InputTensor" | "tl2hip.OutputTensor":
            return _tensor(reader, e, output=name == "tl2hip.OutputTensor")
        case "tl2hip.TileLoop":
            return tile_loop(reader, e, ())
        case "tl2hip.dot":
            a, b = arguments(e, "dot", ("a", "b"), positional=2)
            return _dot(reader, _tile(reader, a, "dot"), _tile(reader, b, "dot"), hint, e.at)
        case "tl2hip.exp":
            (x,) = arguments(e, "exp", ("x",), positional=1)
            tile = _tile(reader, x, "exp")
            return Exponential(tile.axes, types.exponential(tile.dtype), tile, at=e.at)
        case "tl2hip.max" | "tl2hip.sum":
            op = name.removeprefix("tl2hip.")
            x, axis = arguments(e, op, ("x", "axis"), positional=1)
            return _reduced(reader, op, _tile(reader, x, op), axis, hint, e.at)
        case "tl2hip.PipelineStage" | "tl2hip.Unroll":
            way = "write it as a context: `with tl.PipelineStage(stage=2):`"
            raise Refused(NotInArticle("this call here", way, at=e.at))
        case _:
            return _number(reader, e, name)


def _number(reader: Reader, e: nodes.Call, name: str | None) -> Meaning:
    """A function of Python numbers."""
    given = tuple(map(reader.value, e.args))
    if name is None or not all(isinstance(v, Number) for v in given):
        way = "functions of tiles are tl.dot, tl.exp, tl.max and tl.sum"
        raise Refused(NotInArticle("this call", way, at=e.at))
    return numbers.function(name, tuple(v for v in given if isinstance(v, Number)), e)


def arguments(
    e: nodes.Call, name: str, takes: tuple[str, ...], positional: int | None = None
) -> tuple[nodes.Expr, ...]:
    """The arguments of a call in order; the first `positional` of them cannot be named."""
    named = {k.name: k.value for k in e.keywords}
    unnamed = takes[: positional or 0]
    found = dict(zip(takes, e.args, strict=False))
    clash = len(e.args) > len(takes) or any(k in found or k not in takes or k in unnamed for k in named)
    found |= named
    if clash or len(found) < len(takes):
        reason = f"{name} takes {' and '.join(takes)}"
        raise Refused(BadDeclaration(reason, f"write `tl.{name}({', '.join(takes)})`", at=e.at))
    return tuple(found[take] for take in takes)


def _method(reader: Reader, e: nodes.Call, func: nodes.Attribute) -> Meaning:
    base = reader.value(func.value)
    if not isinstance(base, View) or func.name not in ("load", "load_shared") or e.args or e.keywords:
        way = "`A[i, k].load()`, `A[i, k].load_shared()` and `C[i, j].store(x)` are all there is"
        raise Refused(NotInArticle(f"`.{func.name}` here", way, at=e.at))
    tensor = base.tensor
    if tensor.output:
        way = "compute with the tile that was stored into it"
        raise Refused(NotInArticle(f"a load of {tensor.name}, an output,", way, at=e.at))
    if func.name == "load_shared" and tensor.staged is None:
        tensor.staged = Span(func.value.at.end_line, func.value.at.end_column, e.at.end_line, e.at.end_column)
    return Loaded(base.axes, tensor.dtype, base, at=e.at)


def _tile(reader: Reader, e: nodes.Expr, what: str) -> Tile:
    found = reader.value(e)
    if not isinstance(found, Tile):
        way = "load tensors first, such as A[i, k].load()"
        raise Refused(NotInArticle(f"{what} of anything but a loaded tile", way, at=e.at))
    return found


# --- declarations ----------------------------------------------------------------------------------------


def _tensor(reader: Reader, e: nodes.Call, output: bool) -> Tensor:
    what = "OutputTensor" if output else "InputTensor"
    name, shape, dtype = arguments(e, what, ("name", "shape", "dtype"))
    word = reader.value(name)
    text = word.expr.value if isinstance(word, Word) and isinstance(word.expr, nodes.Text) else ""
    if not text.isidentifier():
        raise Refused(BadDeclaration("a tensor's name is a text that Python can have as a name", at=name.at))
    if any(t.name == text for t in reader.tensors):
        raise Refused(BadDeclaration(f"two tensors are called {text}", "give each its own name", at=name.at))
    sizes = _sizes(reader, shape, what)
    if not sizes:
        raise Refused(BadDeclaration(f"{text} has no axes", "give it one axis of extent 1", at=shape.at))
    found = Tensor(text, sizes, _dtype(reader, dtype), output, e.at)
    reader.tensors.append(found)
    return found


def _dtype(reader: Reader, e: nodes.Expr) -> DType:
    found = reader.value(e) if not isinstance(e, nodes.Call) else Word(e.args[0] if e.args else e)
    inner = found.expr if isinstance(found, Word) else e
    if isinstance(e, nodes.Call) and reader.means(e.func) != "numpy.dtype":
        raise Refused(UnknownDType(at=e.at))
    name = inner.value if isinstance(inner, nodes.Text) else reader.means(inner)
    dtype = types.dtype_of_word(name)
    if dtype is None:
        raise Refused(UnknownDType(at=e.at))
    return dtype


def _sizes(reader: Reader, e: nodes.Expr, what: str) -> tuple[Number, ...]:
    """The sizes of a list."""
    found = reader.value(e)
    if not isinstance(found, Several):
        raise Refused(BadDeclaration(f"{what}: sizes come as a list, such as [M, N]", at=e.at))
    items = e.items if isinstance(e, (nodes.Tuple_, nodes.List_)) else (e,) * len(found.items)
    sizes: list[Number] = []
    for item, written in zip(found.items, items, strict=True):
        whole = isinstance(item, Number) and not item.real and not isinstance(item.expr, nodes.Bool)
        if not isinstance(item, Number) or not whole:
            raise Refused(BadDeclaration(f"{what}: this is no size", at=written.at))
        if item.value is not None and item.value < 0:
            raise Refused(BadDeclaration(f"{what}: a size is 0 or more, not {item.value}", at=written.at))
        sizes.append(item)
    return tuple(sizes)


def tile_loop(reader: Reader, e: nodes.Call, targets: tuple[nodes.Expr, ...]) -> Several:
    """`i, j = tl.TileLoop([M, N], [64, 64])`; the indices are called what they are bound to."""
    first, second = arguments(e, "TileLoop", ("extents", "blocks"))
    extents = _sizes(reader, first, "TileLoop")
    blocks = _sizes(reader, second, "TileLoop")
    if len(extents) != len(blocks):
        reason = f"TileLoop: {len(extents)} extents and {len(blocks)} blocks"
        raise Refused(BadDeclaration(reason, "give one block for each extent", at=e.at))
    found: list[Index] = []
    for place, (extent, block) in enumerate(zip(extents, blocks, strict=True)):
        target = targets[place] if place < len(targets) else None
        name, at = (target.id, target.at) if isinstance(target, nodes.Name) else ("i", e.at)
        if block.value is not None and block.value < 1:
            raise Refused(BadDeclaration(f"TileLoop: a block is 1 or more, not {block.value}", at=second.at))
        known = block if block.value is not None else None
        found.append(Index(len(reader.indices), name, extent, known, at))
        reader.indices.append(found[-1])
    return Several(tuple(found))


# --- reductions ------------------------------------------------------------------------------------------


def _dot(reader: Reader, a: Tile, b: Tile, hint: str, at: Span) -> Tile:
    shared = tuple(x for x in a.axes if x in b.axes and x.number not in reader.kept)
    if not shared:
        reason = "the factors of dot share no index to sum over: each index they share is in a store"
        raise Refused(
            BadTileIndex(reason, "multiply them with `*`, or sum over an index that is not stored", at=at)
        )
    dtype = types.combined("*", types.widened(a.dtype), types.widened(b.dtype))
    if dtype is None:
        raise Refused(NoCommonType("dot", a.dtype.name, b.dtype.name, at=at))
    if dtype is BOOL:
        raise Refused(NotInArticle("a dot of bool tiles", "multiply one by 1 first", at=at))
    left, right = cast(a, dtype), cast(b, dtype)
    body = Combined(union(a.axes, b.axes), dtype, "*", left, right, at=at)
    return reduction(reader, "sum", body, shared, dtype, hint or "total", at)


def cast(tile: Tile, dtype: DType) -> Tile:
    """The tile with elements of a dtype."""
    return tile if tile.dtype is dtype else Cast(tile.axes, dtype, tile, at=tile.at)


def _reduced(reader: Reader, op: str, x: Tile, axis: nodes.Expr, hint: str, at: Span) -> Tile:
    over = _axis(reader, op, x, axis)
    if op == "max":
        return reduction(reader, op, x, (over,), x.dtype, hint or "largest", at)
    if x.dtype is BOOL:
        raise Refused(NotInArticle("a sum of bool tiles", "multiply it by 1 first", at=at))
    return cast(reduction(reader, op, x, (over,), types.summed(x.dtype), hint or "total", at), x.dtype)


def _axis(reader: Reader, op: str, x: Tile, axis: nodes.Expr) -> Index:
    found = reader.value(axis)
    if isinstance(found, Index):
        if found not in x.axes:
            raise Refused(BadTileIndex(f"{op}: the tile has no index {found.name}", at=axis.at))
        return found
    place = found.value if isinstance(found, Number) else None
    if not isinstance(place, int):
        way = "give a number, or one of the tile's indices"
        raise Refused(BadTileIndex(f"{op}: the axis must be known", way, at=axis.at))
    if not -len(x.axes) <= place < len(x.axes):
        known = ", ".join(a.name for a in x.axes)
        reason = f"{op}: axis {place} of a tile with {len(x.axes)} axes ({known})"
        raise Refused(BadTileIndex(reason, "an axis is a place from 0, or one of the tile's indices", at=axis.at))
    return x.axes[place]


# --- marks -----------------------------------------------------------------------------------------------


def context(reader: Reader, e: nodes.Expr) -> Marking:
    """`tl.PipelineStage(stage=n)` or `tl.Unroll(n)` as the mark it is."""
    name = reader.means(e.func) if isinstance(e, nodes.Call) else None
    if not isinstance(e, nodes.Call) or name not in ("tl2hip.PipelineStage", "tl2hip.Unroll"):
        way = "the contexts are tl.PipelineStage(stage=n) and tl.Unroll(n)"
        raise Refused(NotInArticle("this `with`", way, at=e.at))
    short = name.removeprefix("tl2hip.")
    takes = "stage" if short == "PipelineStage" else "times"
    (count,) = arguments(e, short, (takes,))
    return marking(reader, short, count, e.at)


def marking(reader: Reader, word: str, count: nodes.Expr, at: Span, more: int = 0) -> Marking:
    """A mark with its number, `more` added to it."""
    number = reader.number(count, f"{word} of anything but a number")
    if not isinstance(number.value, int):
        way = f"give {word} a number, or a parameter that has a value"
        raise Refused(NotInArticle(f"{word} of a number that is not known", way, at=count.at))
    if number.value < 1:
        reason = f"{word} takes a number of 1 or more, not {number.value}"
        raise Refused(BadDeclaration(reason, "leave it out, or give it such a number", at=count.at))
    return Marking(Mark(word, numbers.literal(number.value + more, count.at), at))
