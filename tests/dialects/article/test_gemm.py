"""The article's gemm is the loop notation's gemm: one nest, in both shapes of CompileKernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.article.helpers import converted, nest
from tl2hip.nest.ir import Axis, Loop, Nest
from tl2hip.nest.walk import all_stmts

GOLDEN = Path(__file__).parents[3] / "golden"
ARTICLE = (GOLDEN / "gemm_article" / "kernel.py").read_text()
OUTSIDE = ARTICLE.split("    return")[0] + "kernel = tl.CompileKernel(matmul_kernel, block_m=32)\n"
SIZES = {"M": 1024, "N": 1024, "K": 1024}
NAMES = ("name", "user", "doc", "source", "at", "tile_at", "array", "order", "marks")


def golden(name: str, sets: Mapping[str, int], tiles: Mapping[str, int]) -> Nest:
    made, report = converted((GOLDEN / name / "kernel.py").read_text(), sets, tiles, head="")
    assert made is not None, report.problems
    return made


def shape(x: Any) -> Any:
    """A nest as plain tuples, without names, marks, places and else what nests are not compared by."""
    if isinstance(x, tuple):
        return tuple(map(shape, x))
    if not is_dataclass(x):
        return x
    return (type(x).__name__, *(shape(getattr(x, f.name)) for f in fields(x) if f.compare and f.name not in NAMES))


def axes(nest: Nest) -> Iterator[Axis]:
    return (s.axis for s in all_stmts(nest.body) if isinstance(s, Loop))


def tiles(nest: Nest) -> dict[str, int | None]:
    return {str(a.user): a.tile for a in axes(nest)}


def test_the_golden_is_the_nest_of_the_loops() -> None:
    """The article's text binds its sizes; the loops' dims are set to the same."""
    ours = golden("gemm_article", {}, {})
    loops = golden("gemm", SIZES, {"i": 64, "j": 64, "k": 32})
    assert shape(ours) == shape(loops)
    assert ours.dims == () and [a.name for a in ours.arrays] == ["A", "B", "C"]


def test_open_sizes_are_dims() -> None:
    made, _ = converted(OUTSIDE, head="")
    assert made is not None and made.dims == ("M", "K", "N")
    assert tiles(made) == {"i": 32, "j": None, "k": None}


def test_marks_are_kept_and_told_at_their_places() -> None:
    made, report = converted(ARTICLE, head="")
    assert made is not None
    assert [(m.name, m.value) for a in made.arrays for m in a.marks] == [("lds", 0), ("lds", 0)]
    marks = {a.user: [(m.name, m.value) for m in a.marks] for a in axes(made)}
    assert marks == {"i": [], "j": [], "k": [("stages", 2)]}
    kept = [*(m for a in made.arrays for m in a.marks), *(m for a in axes(made) for m in a.marks)]
    lines = report.source.lines
    assert [(m.text, m.at.line, lines[m.at.line - 1][m.at.column : m.at.end_column]) for m in kept] == [
        ("load_shared", 9, ".load_shared()"),
        ("load_shared", 10, ".load_shared()"),
        ("PipelineStage", 11, "tl.PipelineStage(stage=2)"),
    ]
    assert not report.problems


def test_a_block_alone_is_another_variant() -> None:
    made, _ = converted(ARTICLE, {"block_m": 32}, head="")
    assert made is not None and tiles(made) == {"i": 32, "j": 64, "k": 32}
    made, _ = converted(ARTICLE, {"M": 100}, {"k": 16}, head="")
    assert made is not None and tiles(made) == {"i": 64, "j": 64, "k": 16}
    assert {shape(a.stop)[1] for a in axes(made)} == {100, 1024}


def test_the_old_import_is_read() -> None:
    made, _ = converted(ARTICLE.replace("import tl2hip as tl", "import tilelang as tl"), head="")
    assert made is not None and shape(made) == shape(golden("gemm_article", {}, {}))


@pytest.mark.parametrize(
    ("calls", "dims", "blocks"),
    [
        ("k = f(8, 16)", (), 16),
        ("k = f(M=8, block=16)", (), 16),
        ("k = f(8)", (), 4),
        ("k = f(8); l = f(9)", ("M",), 4),
        ("k = f(8, block=2); l = f(8, block=3)", (), None),
        ("k = tl.CompileKernel(f, block=32)", ("M",), 32),
        ("print(tl.CompileKernel(f, block=32))", ("M",), 32),
        ("if __name__ == '__main__':\n    k = tl.CompileKernel(f, block=32)", ("M",), 32),
        ("if __name__ == '__main__':\n    k = f(8, 16)", (), 16),
        ("k = tl.CompileKernel(f, block=32)\nl = tl.CompileKernel(f, block=8)", ("M",), None),
        ("SIZE = 7\nk = tl.CompileKernel(f, M=SIZE)", (), 4),
        ("", ("M",), 4),
    ],
)
def test_where_values_come_from(calls: str, dims: tuple[str, ...], blocks: int | None) -> None:
    text = f"""
def f(M, block=4):
    x = tl.InputTensor("x", [M], "f32")
    y = tl.OutputTensor("y", [M], "f32")
    (i,) = tl.TileLoop([M], [block])
    y[i].store(x[i].load())
    return tl.CompileKernel(f)
{calls}
"""
    made = nest(text)
    assert made.dims == dims and tiles(made) == {"i": blocks}


MARKED = """
def f(M, N):
    x = tl.InputTensor("x", [M, N], "f32")
    y = tl.OutputTensor("y", [M], "f32")
    i, j = tl.TileLoop([M, N], [4, 8])
    with tl.Unroll(4):
        y[i].store(x[i, j].load())
    return tl.CompileKernel(f{options})
"""


def test_unroll_and_prefetch() -> None:
    def marks(options: str) -> dict[str, list[tuple[str, int | None]]]:
        made = nest(MARKED.format(options=options))
        return {str(a.user): [(m.name, m.value) for m in a.marks] for a in axes(made)}

    assert marks("") == {"i": [], "j": [("unroll", 4)]}
    assert marks(", unroll=2, prefetch=1") == {"i": [], "j": [("unroll", 4), ("stages", 2)]}
