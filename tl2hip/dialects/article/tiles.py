"""What the names of an article kernel stand for: numbers, tensors, tile indices and tiles.

A tile is a tree of element operations over tile indices; `Reduction` nodes in it become loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tl2hip.dtypes import DType
from tl2hip.source.nodes import Expr
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A Python number: its expression with known parameters filled in, and its value where that is known."""

    expr: Expr
    value: int | float | None
    real: bool


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """A text, a dtype or a library function: known by its expression alone."""

    expr: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Several:
    """A tuple or list."""

    items: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """What `tl.CompileKernel(…)` gives."""


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """One index of a TileLoop, by its place among all of the kernel's: the extent it runs over, its block."""

    number: int
    name: str
    extent: Number
    block: Number | None
    at: Span


@dataclass(slots=True, eq=False)
class Tensor:
    """An InputTensor or OutputTensor; `staged` is where a `.load_shared()` of it stands, the first one."""

    name: str
    shape: tuple[Number, ...]
    dtype: DType
    output: bool
    at: Span
    staged: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """`A[i, k]`, to be loaded or stored."""

    tensor: Tensor
    indices: tuple[Index | Number, ...]
    at: Span

    @property
    def axes(self) -> tuple[Index, ...]:
        return tuple(index for index in self.indices if isinstance(index, Index))


# --- tiles -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A tile as a value: its indices in the order of its axes, and the dtype of its elements."""

    axes: tuple[Index, ...]
    dtype: DType
    at: Span = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Loaded(Tile):
    view: View


@dataclass(frozen=True, slots=True, eq=False)
class Cast(Tile):
    """The tile with each element cast."""

    value: Tile


@dataclass(frozen=True, slots=True, eq=False)
class Combined(Tile):
    """`left op right` on elements; one side may be a number."""

    op: str
    left: Tile | Number
    right: Tile | Number


@dataclass(frozen=True, slots=True, eq=False)
class Negated(Tile):
    value: Tile


@dataclass(frozen=True, slots=True, eq=False)
class Exponential(Tile):
    value: Tile


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of a loop by the user's `word` for it (see `names.OURS`), and its number."""

    word: str
    count: Number
    at: Span


@dataclass(slots=True, eq=False)
class Marking:
    """A `with` block or an option of CompileKernel: its mark, and whether a loop has taken it."""

    mark: Mark
    used: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Reduction(Tile):
    """`body` reduced by `op` ("sum" or "max") over some of its indices, carried in a dtype of its own.

    `hint` names the accumulator; `line` is the statement it comes from.
    """

    op: str
    body: Tile
    over: tuple[Index, ...]
    carried: DType
    hint: str
    marks: tuple[Mark, ...]
    line: Span


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """A tile, or a number, stored into a place of an output."""

    view: View
    value: Tile | Number
    line: Span


Meaning = Number | Word | Several | Compiled | Index | Tensor | View | Tile


def parts(tile: Tile | Number) -> tuple[Tile | Number, ...]:
    """The tiles and numbers right below one."""
    match tile:
        case Combined(left=left, right=right):
            return left, right
        case Cast(value=value) | Negated(value=value) | Exponential(value=value):
            return (value,)
        case Reduction(body=body):
            return (body,)
        case _:
            return ()


def reductions(tile: Tile | Number) -> tuple[Reduction, ...]:
    """The reductions in a tile that stand in no other reduction of it, each once."""
    if isinstance(tile, Reduction):
        return (tile,)
    return tuple(dict.fromkeys(r for part in parts(tile) for r in reductions(part)))


def union(*several: tuple[Index, ...]) -> tuple[Index, ...]:
    """The indices of all, each once, in the order they come."""
    return tuple(dict.fromkeys(index for axes in several for index in axes))
