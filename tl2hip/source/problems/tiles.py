"""Tile loops (`tile.range`): what stands in them, the axes of their tiles, what may share a loop (TL23x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


def _kernel(body: str) -> str:
    """The text of a kernel over X that writes Y and S: what the examples share."""
    return (
        "import numpy as np\n"
        "from tl2hip import Tensor, dims, f16, f32, kernel, tile\n"
        "\n"
        'M, N = dims("M N")\n'
        "\n"
        "@kernel\n"
        "def f(X: Tensor[f32, M, N], Y: Tensor[f32, M, N], S: Tensor[f32, M]) -> None:\n"
        "    for i in tile.range(M, 64):\n"
        f"{body}"
    )


@dataclass(frozen=True)
class NotInTiles(Problem):
    code: ClassVar[str] = "TL230"
    title: ClassVar[str] = "What has no meaning for tiles"
    message: ClassVar[str] = "{what} has no meaning in a kernel of tile loops"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "The body of a tile loop is rewritten to loops over single elements. What is understood: NumPy's"
        " element-wise functions and operators, `.sum`, `.max` and `.min`, `tile.dot`, loads and stores at index"
        " tiles, and ordinary loops, branches and arithmetic on single numbers."
    )
    example: ClassVar[str] = _kernel("        S[i] = X[i, 0:3].sum(axis=1)\n")
    rewrite: ClassVar[str] = _kernel(
        "        j = tile.all(3)\n        S[i] = X[i, j].sum(axis=1)\n",
    )
    what: str
    way: str = "compute with tiles and NumPy's element-wise functions, or write the loops (`for i in range(M):`)"


@dataclass(frozen=True)
class BadTileLoop(Problem):
    code: ClassVar[str] = "TL231"
    title: ClassVar[str] = "Tile loop or tile that is not understood"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = "Extents, sizes, marks and dtypes are read from the text, without running it."
    example: ClassVar[str] = _kernel(
        "        acc = tile.zeros(i)\n        S[i] = acc\n",
    )
    rewrite: ClassVar[str] = _kernel(
        "        acc = tile.zeros(i, dtype=f32)\n        S[i] = acc\n",
    )
    reason: str
    way: str = "write `for i in tile.range(M, 128):` and `acc = tile.zeros(i, j, dtype=f32)`"


@dataclass(frozen=True)
class TileAxes(Problem):
    code: ClassVar[str] = "TL232"
    title: ClassVar[str] = "Axes of tiles that do not fit"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "The axes of a tile are named after the loops of its index tiles, and arithmetic pairs them by these. A"
        " tile is stored where all of its axes are; `tile.dot` sums over the one axis that both tiles have; a tile"
        " ends with the turn of its loop."
    )
    example: ClassVar[str] = _kernel("        for j in tile.range(N, 64):\n            S[i] = X[i, j]\n")
    rewrite: ClassVar[str] = _kernel("        j = tile.all(N)\n        S[i] = X[i, j].sum(axis=1)\n")
    reason: str
    way: str


@dataclass(frozen=True)
class TileChanges(Problem):
    code: ClassVar[str] = "TL233"
    title: ClassVar[str] = "Tile that changes its kind in a loop"
    message: ClassVar[str] = "`{name}` is {before} before this line and {after} after it"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "A name that is carried through a loop or a branch stands for one local of one dtype and with the same axes"
        " all along. `tile.zeros(i, j, dtype=f32)` makes it with the right ones."
    )
    example: ClassVar[str] = _kernel(
        "        acc = tile.zeros(i, dtype=f16)\n"
        "        for j in tile.range(N, 64):\n"
        "            acc += X[i, j].sum(axis=1)\n"
        "        S[i] = acc\n"
    )
    rewrite: ClassVar[str] = _kernel(
        "        acc = tile.zeros(i, dtype=f32)\n"
        "        for j in tile.range(N, 64):\n"
        "            acc += X[i, j].sum(axis=1)\n"
        "        S[i] = acc\n"
    )
    name: str
    before: str
    after: str
    way: str = "start with those axes and that dtype, cast the new value, or give it another name"


@dataclass(frozen=True)
class TileOverlap(Problem):
    code: ClassVar[str] = "TL234"
    title: ClassVar[str] = "Elements of a tile that meet in memory"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "A statement of a tile loop acts on all elements of a tile before the next one does. Its rewritten loops go"
        " through all statements for one element, then for the next, which is the same only where no element"
        " touches what another one writes."
    )
    example: ClassVar[str] = _kernel(
        "        S[i] = S[i] * 2\n        j = tile.all(N)\n        Y[i, j] = X[i, j] + S[i + 1]\n"
    )
    rewrite: ClassVar[str] = _kernel(
        "        S[i] = S[i] * 2\n"
        "    for i in tile.range(M, 64):\n"
        "        j = tile.all(N)\n"
        "        Y[i, j] = X[i, j] + S[i + 1]\n"
    )
    reason: str
    way: str


@dataclass(frozen=True)
class TileDType(Problem):
    code: ClassVar[str] = "TL235"
    title: ClassVar[str] = "Tile whose dtype is not known"
    message: ClassVar[str] = "the dtype of {what} is not known here"
    help: ClassVar[str] = "cast it: `f32(…)`"
    why: ClassVar[str] = (
        "A tile that is kept, or summed, needs a dtype when the kernel is printed. That of tensors, parameters,"
        " casts and what is computed with these is known; that of what other functions give is not."
    )
    example: ClassVar[str] = _kernel(
        "        j = tile.all(N)\n        for h in X[0]:\n            S[i] = (X[i, j] * h).sum(axis=1)\n"
    )
    rewrite: ClassVar[str] = _kernel(
        "        j = tile.all(N)\n        for h in X[0]:\n            S[i] = (X[i, j] * f32(h)).sum(axis=1)\n"
    )
    what: str
