"""The tile loops' gemm is the loop notation's and the article's: one nest, one plan, one text but for names."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from tests.dialects.article.test_gemm import SIZES, axes, shape
from tests.dialects.article.test_gemm import golden as golden_nest
from tests.dialects.tiles.helpers import converted, nest
from tl2hip.api import Options, recognised
from tl2hip.nest.dependence import analyse
from tl2hip.nest.ir import Nest
from tl2hip.nest.show import show
from tl2hip.plan import plan
from tl2hip.plan.show import show as show_plan

TILES = {"i": 64, "j": 64, "k": 32}
MARKED = """
@kernel
def f(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N]) -> None:
    for i in tile.range(M, 128, waves(2)):
        for j in tile.range(N, 128, waves(2)):
            acc = tile.zeros(i, j, dtype=f32)
            for k in tile.range(K, 64, stages(2)):
                a: Lds[f16] = A[i, k]
                b: Lds[f16] = B[k, j]
                acc += tile.dot(a, b)
            C[i, j] = acc
"""
LOOPS = """
@kernel
def f(A: Tensor[f16, M, K, tl.lds()], B: Tensor[f16, K, N, tl.lds()], C: Tensor[f32, M, N]) -> None:
    i: Tile[int, 128, waves(2)]
    j: Tile[int, 128, waves(2)]
    k: Tile[int, 64, stages(2)]
    for i in range(M):
        for j in range(N):
            acc = f32(0)
            for k in range(K):
                acc += f32(A[i, k]) * f32(B[k, j])
            C[i, j] = acc
"""


def plan_text(nest: Nest) -> str:
    """A plan without the names of kernels and locals, and without places."""
    text = show_plan(plan(recognised(nest, Options()), analyse(nest)))
    text = re.sub(r"\b(gemm|matmul_kernel)(?=_|\b)", "f", re.sub(r"\bline\s+\d+\s", "", text.partition("\n")[2]))
    return re.sub(" +", " ", re.sub(r"\b(s|acc|c_tile|total)\b", "s", text))


@pytest.mark.parametrize("sizes", [{}, SIZES])
def test_loops_and_tiles_are_one(sizes: Mapping[str, int]) -> None:
    loops, tiles = golden_nest("gemm", sizes, {}), golden_nest("gemm_tiles", sizes, {})
    assert shape(loops) == shape(tiles)
    assert plan_text(loops) == plan_text(tiles)


def test_the_article_is_the_same_too() -> None:
    article = golden_nest("gemm_article", {}, {})
    tiles = golden_nest("gemm_tiles", SIZES, TILES)
    assert shape(article) == shape(tiles)
    marked, _ = converted(MARKED.replace(", waves(2)", ""), SIZES, TILES)
    assert marked is not None and shape(article) == shape(marked)
    marks = [[(m.name, m.value) for m in a.marks] for made in (article, marked) for a in axes(made)]
    assert marks == [[], [], [("stages", 2)]] * 2
    assert plan_text(article) == plan_text(marked)


def test_a_difference_would_be_seen() -> None:
    loops, tiles = golden_nest("gemm", {}, {}), golden_nest("gemm_tiles", {}, {"k": 32})
    assert shape(loops) != shape(tiles)


def test_marks_are_kept_and_told_at_their_places() -> None:
    made, loops = nest(MARKED), nest(LOOPS)
    assert shape(made) == shape(loops)
    for one in (made, loops):
        assert [(m.name, m.value) for a in one.arrays for m in a.marks] == [("lds", 0), ("lds", 0)]
        assert [[(m.name, m.value) for m in a.marks] for a in axes(one)] == [
            [("waves", 2)],
            [("waves", 2)],
            [("stages", 2)],
        ]
    assert [m.text for a in made.arrays for m in a.marks] == ["Lds", "Lds"]
    assert not converted(MARKED)[1].problems


def test_marks_of_the_matrix_product_are_those_of_loops() -> None:
    here, there = (
        text.replace("128, waves(2)", "128, waves(2), group(8)", 1).replace("stages(2)", "stages(2), mfma(32)")
        for text in (MARKED, LOOPS)
    )
    assert plan_text(nest(here)) == plan_text(nest(there)) != plan_text(nest(MARKED))
    assert "mfma_f32_32x32x8f16" in plan_text(nest(here))


def test_a_tile_set_from_outside() -> None:
    made, _ = converted(MARKED, tiles={"k": 16})
    assert made is not None and {a.user: a.tile for a in axes(made)} == {"i": 128, "j": 128, "k": 16}


STATISTIC = """
@kernel
def f(X: Tensor[f32, M, N], Y: Tensor[f32, M]) -> None:
    for i in tile.range(M, 8):
        best = tile.zeros(i, dtype=f32)
        for j in tile.range(N, 16, unroll(2)):
            best = np.maximum(best, X[i, j].sum(axis=1))
        Y[i] = best
"""


def test_what_is_carried_by_the_tile_keeps_the_tiles() -> None:
    text = show(nest(STATISTIC))
    assert "for i in range(M):  # tile: 8" in text
    assert "for j_tile in range(0, N, 16):  # tile: unroll(2)" in text
    assert "for j in range(j_tile, min(j_tile + 16, N)):" in text
    assert "for j_tile in range(0, N, 32):" in show(nest(STATISTIC, tiles={"j": 32}))


def test_what_is_only_accumulated_does_not() -> None:
    text = show(nest(STATISTIC.replace(".sum(", ".max(")))
    assert "for j in range(N):  # tile: 16, unroll(2)" in text and "j_tile" not in text


@pytest.mark.parametrize("size", ["block", "2 * block", "4"])
def test_a_size_may_be_a_parameter(size: str) -> None:
    text = STATISTIC.replace("16", size).replace("Y: Tensor[f32, M])", "Y: Tensor[f32, M], *, block: int = 2)")
    assert "in range(0, N, 4):" in show(nest(text, {"block": 4 if size == "block" else 2}))
    assert "in range(0, N, 4):" in show(nest(text)) or size == "block"


def test_stored_half_sums_are_rounded_tile_by_tile() -> None:
    """NumPy's sum of halves is a half: the order of additions is not all that a fused loop would change."""
    text = """
@kernel
def f(X: Tensor[f16, M, N], Y: Tensor[f16, M]) -> None:
    for i in tile.range(M, 8):
        s = tile.zeros(i, dtype=f16)
        for j in tile.range(N, 16):
            s += X[i, j].sum(axis=1)
        Y[i] = s
"""
    assert "for j_tile in range(0, N, 16):" in show(nest(text))
