"""The article's notation: what it declares, its tile indices, its marks (TL22x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


def _kernel(body: str, parameters: str = "M, N", shape: str = "[M, N]") -> str:
    """The text of a kernel that reads x, of that shape, and writes y: what the examples share."""
    return (
        "import tl2hip as tl\n"
        "\n"
        f"def f({parameters}):\n"
        f'    x = tl.InputTensor("x", {shape}, "f32")\n'
        '    y = tl.OutputTensor("y", [M], "f32")\n'
        "    i, j = tl.TileLoop([M, N], [64, 64])\n"
        f"{body}"
        "    return tl.CompileKernel(f)\n"
    )


@dataclass(frozen=True)
class NotInArticle(Problem):
    code: ClassVar[str] = "TL220"
    title: ClassVar[str] = "What the article's notation has no meaning for"
    message: ClassVar[str] = "{what} has no meaning in a kernel of tile loops"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "A kernel that declares InputTensor, OutputTensor and TileLoop is a straight list of tile operations: tiles"
        " are loaded, computed with and stored. Everything else is refused, as it would be dropped otherwise."
    )
    example: ClassVar[str] = _kernel("    y[i].store(x[i, j].load() ** 2)\n")
    rewrite: ClassVar[str] = _kernel("    t = x[i, j].load()\n    y[i].store(t * t)\n")
    what: str
    way: str = "load, compute with and store tiles; for anything else write the loops (`for i in range(M):`)"


@dataclass(frozen=True)
class BadDeclaration(Problem):
    code: ClassVar[str] = "TL221"
    title: ClassVar[str] = "Tensor or tile loop that is not understood"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = "Names, extents, blocks and dtypes are read from the text, without running it."
    example: ClassVar[str] = _kernel("    y[i].store(x[i, j].load())\n", shape="M")
    rewrite: ClassVar[str] = _kernel("    y[i].store(x[i, j].load())\n")
    reason: str
    way: str = 'write `A = tl.InputTensor("A", [M, K], "float16")` and `i, j = tl.TileLoop([M, N], [64, 64])`'


@dataclass(frozen=True)
class BadTileIndex(Problem):
    code: ClassVar[str] = "TL222"
    title: ClassVar[str] = "Tile index that does not fit"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "An index that is in some store is kept; any other index of a stored tile is summed over. `tl.dot` sums"
        " over the indices that both factors have and no store has."
    )
    example: ClassVar[str] = _kernel("    y[i].store(x[i].load())\n")
    rewrite: ClassVar[str] = _kernel("    y[i].store(x[i, j].load())\n")
    reason: str
    way: str = "index a tensor with one tile index or constant for each axis, as in `A[i, k]`"


@dataclass(frozen=True)
class NoValue(Problem):
    code: ClassVar[str] = "TL223"
    title: ClassVar[str] = "Parameter without a value"
    message: ClassVar[str] = "the value of `{name}` is not known, and no tensor's extent gives it"
    help: ClassVar[str] = "give it a default, call the function with constants in the file, or set it"
    why: ClassVar[str] = (
        "Parameters of a kernel in the article's notation are fixed when it is printed. Only those that stand in a"
        " tensor's shape or in a TileLoop's extents can stay open until run time."
    )
    example: ClassVar[str] = _kernel("    y[i].store(scale * x[i, j].load())\n", "M, N, scale")
    rewrite: ClassVar[str] = _kernel("    y[i].store(scale * x[i, j].load())\n", "M, N, scale=0.5")
    name: str


@dataclass(frozen=True)
class NothingToMark(Problem):
    code: ClassVar[str] = "TL224"
    title: ClassVar[str] = "Mark or index with no loop"
    message: ClassVar[str] = "{name} has no loop to act on"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = "A mark is honoured or refused, never ignored."
    example: ClassVar[str] = _kernel("    with tl.Unroll(4):\n        t = x[i, j].load()\n    y[i].store(t)\n")
    rewrite: ClassVar[str] = _kernel("    with tl.Unroll(4):\n        y[i].store(x[i, j].load())\n")
    name: str
    way: str = "put the tl.dot, tl.sum or tl.max whose loop it marks inside, or take it out"
