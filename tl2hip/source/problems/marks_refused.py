"""Marks, dims and options that are refused (TL20x, TL21x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem
from tl2hip.source.problems.marks_examples import MARKED, marked


@dataclass(frozen=True)
class UnknownMark(Problem):
    code: ClassVar[str] = "TL201"
    title: ClassVar[str] = "Unknown mark"
    message: ClassVar[str] = "not a mark of a loop"
    help: ClassVar[str] = (
        "a tile size, then any of waves(n), lanes(n), vec(n), unroll(n), stages(n), mfma(n), group(n), split(n), "
        "serial, xf32"
    )
    why: ClassVar[str] = "A mark that is not known cannot be honoured, so it is refused."
    example: ClassVar[str] = marked("i: Tile[int, 128, 4]")
    rewrite: ClassVar[str] = MARKED


@dataclass(frozen=True)
class MarkOutOfRange(Problem):
    code: ClassVar[str] = "TL202"
    title: ClassVar[str] = "Mark out of its range"
    message: ClassVar[str] = "{name} cannot be {value}; what it can be: {allowed}"
    help: ClassVar[str] = "choose one of these, or leave the mark out and let tl2hip choose"
    why: ClassVar[str] = (
        "A block has up to 16 waves of 64 lanes; an access moves up to 16 bytes. stages(n) counts the tiles in "
        "flight, the one in use included: 1 fetches nothing ahead, and matrix products keep up to 3. Matrix "
        "instructions give results of 16 by 16 or 32 by 32."
    )
    example: ClassVar[str] = marked("i: Tile[int, 96, waves(3)]")
    rewrite: ClassVar[str] = MARKED
    name: str
    value: int
    allowed: str


@dataclass(frozen=True)
class MarkNotConstant(Problem):
    code: ClassVar[str] = "TL204"
    title: ClassVar[str] = "Mark that is not a constant"
    message: ClassVar[str] = "a mark or a tile size must be a constant integer"
    help: ClassVar[str] = "write a number, a file-level constant, or a keyword-only parameter with a default"
    why: ClassVar[str] = "Tile sizes and marks shape the printed text, so they are known when it is printed."
    example: ClassVar[str] = marked("i: Tile[int, N]")
    rewrite: ClassVar[str] = MARKED


@dataclass(frozen=True)
class TileNotDivisible(Problem):
    code: ClassVar[str] = "TL205"
    title: ClassVar[str] = "Marks that do not divide the tile"
    message: ClassVar[str] = "a tile of {tile} does not split into {marks}"
    help: ClassVar[str] = "choose marks whose product divides {tile}"
    why: ClassVar[str] = (
        "A tile is split evenly: tile = waves · lanes · vec · rest, and the rest stays in registers."
    )
    example: ClassVar[str] = marked("i: Tile[int, 98, waves(4), unroll(2)]")
    rewrite: ClassVar[str] = MARKED
    tile: int
    marks: str


@dataclass(frozen=True)
class TileWithoutLoop(Problem):
    code: ClassVar[str] = "TL206"
    title: ClassVar[str] = "Tile with no loop"
    message: ClassVar[str] = "no loop over `{name}` follows"
    help: ClassVar[str] = "put the annotation above a `for {name} in range(…):`, or take it out"
    why: ClassVar[str] = "A Tile marks loops. One whose loop is gone, or stands above it, would be ignored."
    example: ClassVar[str] = marked("k: Tile[int, 128]")
    rewrite: ClassVar[str] = MARKED
    name: str


@dataclass(frozen=True)
class TileTwice(Problem):
    code: ClassVar[str] = "TL207"
    title: ClassVar[str] = "Two tiles for one name"
    message: ClassVar[str] = "`{name}` has a tile already, on line {line}"
    help: ClassVar[str] = "marks hold for every loop over a name: keep one, or use tiled(range(…), …) on one loop"
    why: ClassVar[str] = "Marks hold for every loop over a name, so two sets of them contradict each other."
    example: ClassVar[str] = marked("i: Tile[int, 128]\n    i: Tile[int, 64]")
    rewrite: ClassVar[str] = MARKED
    name: str
    line: int


@dataclass(frozen=True)
class BadTile(Problem):
    code: ClassVar[str] = "TL208"
    title: ClassVar[str] = "Tile that is not understood"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "write `i: Tile[int, 128]`, `i: Tile[int, 128, waves(2)]` or `i: Tile[int, serial]`"
    why: ClassVar[str] = "`Tile[int, n, marks…]`: the type of the variable, then the tile size or marks or both."
    example: ClassVar[str] = marked("i: Tile[int]")
    rewrite: ClassVar[str] = MARKED
    reason: str


@dataclass(frozen=True)
class BadOption(Problem):
    code: ClassVar[str] = "TL210"
    title: ClassVar[str] = "Option of a Tensor that is not understood"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "after the extents come strides(…), lds(…) and vec(n)"
    why: ClassVar[str] = "Options stand after the extents, each once."
    example: ClassVar[str] = """\
from tl2hip import Tensor, dims, f32, kernel, strides

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N, strides(1, 2)], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
from tl2hip import Tensor, dims, f32, kernel, strides

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N, strides(2)], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    reason: str


@dataclass(frozen=True)
class BadDims(Problem):
    code: ClassVar[str] = "TL211"
    title: ClassVar[str] = "dims that are not understood"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "A dim is known by its name in messages, in `--set` and in the printed code, so the name in the "
        "string and the name it is bound to are the same."
    )
    example: ClassVar[str] = """\
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("N M")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    reason: str
    way: str = 'write `M, N = dims("M N")`, the same names on both sides'


@dataclass(frozen=True)
class UnknownTile(Problem):
    code: ClassVar[str] = "TL212"
    title: ClassVar[str] = "No loop of that name to tile"
    message: ClassVar[str] = "`{function}` has no loop over `{name}`"
    help: ClassVar[str] = "it loops over: {known}"
    why: ClassVar[str] = "`--tile` sets the tile of a loop by its variable. A name without a loop would be ignored."
    example: ClassVar[str] = """\
tl2hip emit kernel.py --tile q=64
"""
    rewrite: ClassVar[str] = """\
tl2hip emit kernel.py --tile i=64
"""
    function: str
    name: str
    known: str
