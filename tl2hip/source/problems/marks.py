"""Marks and notations: Tile, stages, dims, Tensor options (TL2xx)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class UnknownMark(Problem):
    code: ClassVar[str] = "TL201"
    title: ClassVar[str] = "Unknown mark"
    message: ClassVar[str] = "not a mark of a loop"
    help: ClassVar[str] = "a tile size, then any of waves(n), lanes(n), vec(n), unroll(n), stages(n), serial"


@dataclass(frozen=True)
class MarkOutOfRange(Problem):
    code: ClassVar[str] = "TL202"
    title: ClassVar[str] = "Mark out of its range"
    message: ClassVar[str] = "{name} cannot be {value}: it is {allowed}"
    help: ClassVar[str] = "choose one of these, or leave the mark out and let tl2hip choose"
    name: str
    value: int
    allowed: str


@dataclass(frozen=True)
class MarkNotConstant(Problem):
    code: ClassVar[str] = "TL204"
    title: ClassVar[str] = "Mark that is not a constant"
    message: ClassVar[str] = "a mark or a tile size must be a constant integer"
    help: ClassVar[str] = "write a number, a file-level constant, or a keyword-only parameter with a default"


@dataclass(frozen=True)
class TileNotDivisible(Problem):
    code: ClassVar[str] = "TL205"
    title: ClassVar[str] = "Marks that do not divide the tile"
    message: ClassVar[str] = "a tile of {tile} does not split into {marks}"
    help: ClassVar[str] = "choose marks whose product divides {tile}"
    tile: int
    marks: str


@dataclass(frozen=True)
class TileWithoutLoop(Problem):
    code: ClassVar[str] = "TL206"
    title: ClassVar[str] = "Tile with no loop"
    message: ClassVar[str] = "no loop over `{name}` follows"
    help: ClassVar[str] = "put the annotation above a `for {name} in range(…):`, or take it out"
    name: str


@dataclass(frozen=True)
class TileTwice(Problem):
    code: ClassVar[str] = "TL207"
    title: ClassVar[str] = "Two tiles for one name"
    message: ClassVar[str] = "`{name}` has a tile already, on line {line}"
    help: ClassVar[str] = "marks hold for every loop over a name: keep one, or use tiled(range(…), …) on one loop"
    name: str
    line: int


@dataclass(frozen=True)
class BadTile(Problem):
    code: ClassVar[str] = "TL208"
    title: ClassVar[str] = "Tile that is not understood"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "write `i: Tile[int, 128]`, `i: Tile[int, 128, waves(2)]` or `i: Tile[int, serial]`"
    reason: str


@dataclass(frozen=True)
class NotPlannedYet(Problem):
    code: ClassVar[str] = "TL209"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "Mark that is checked and kept, and not planned yet"
    message: ClassVar[str] = "{name} is checked and kept, and not planned yet"
    help: ClassVar[str] = "the kernel is right without it"
    name: str


@dataclass(frozen=True)
class BadOption(Problem):
    code: ClassVar[str] = "TL210"
    title: ClassVar[str] = "Option of a Tensor that is not understood"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "after the extents come strides(…), lds(…) and vec(n)"
    reason: str


@dataclass(frozen=True)
class BadDims(Problem):
    code: ClassVar[str] = "TL211"
    title: ClassVar[str] = "dims that are not understood"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = 'write `M, N = dims("M N")`, the same names on both sides'
    reason: str


@dataclass(frozen=True)
class UnknownTile(Problem):
    code: ClassVar[str] = "TL212"
    title: ClassVar[str] = "No loop of that name to tile"
    message: ClassVar[str] = "`{function}` has no loop over `{name}`"
    help: ClassVar[str] = "it loops over: {known}"
    function: str
    name: str
    known: str
