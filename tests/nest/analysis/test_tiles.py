"""Loops over tiles that the user has cut by hand: the tiles are apart, however many loops there are."""

from __future__ import annotations

import pytest

from tests.nest.analysis.kinds import kinds


def nested(loops: list[str], statement: str) -> str:
    """The statement inside loops, each given as "axis in start, stop, step"."""
    lines = []
    for depth, loop in enumerate(loops):
        axis, bounds = loop.split(" in ")
        lines.append("    " * depth + f"for {axis} in range({bounds}):")
    return "\n".join([*lines, "    " * len(loops) + statement])


ARRAYS = "array a[M, K]\narray b[K, N]\narray c[M, N]\n"
TILES = ["ii in 0, M, 8", "jj in 0, N, 8", "kk in 0, K, 8"]
POINTS = ["i in ii, min(ii + 8, M)", "j in jj, min(jj + 8, N)", "k in kk, min(kk + 8, K)"]
PRODUCT = "c[i, j] += a[i, k] * b[k, j]"


def test_a_product_in_tiles() -> None:
    free, summed = dict.fromkeys(("ii", "jj", "i", "j"), "parallel"), dict.fromkeys(("kk", "k"), "reduce")
    assert kinds(ARRAYS + nested([*TILES, *POINTS], PRODUCT)) == free | summed


@pytest.mark.parametrize(
    ("tile", "point", "axis"),
    [
        ("ii in 0, M, 8", "i in ii, min(ii + 9, M)", "ii"),
        ("ii in 0, M, 7", "i in ii, min(ii + 8, M)", "ii"),
        ("ii in 0, M, 8", "i in max(ii - 1, 0), min(ii + 8, M)", "ii"),
    ],
)
def test_tiles_that_overlap_are_no_parallel_ones(tile: str, point: str, axis: str) -> None:
    found = kinds(ARRAYS + nested([tile, *TILES[1:], point, *POINTS[1:]], PRODUCT))
    assert (found[axis], found["jj"], found["kk"]) == ("reduce", "parallel", "reduce")


def test_a_convolution_of_eleven_loops() -> None:
    tiles = ["n in B", "oo in 0, O, 8", "yy in 0, H, 8", "xx in 0, W, 8", "cc in 0, C, 4"]
    points = ["o in oo, min(oo + 8, O)", "y in yy, min(yy + 8, H)", "x in xx, min(xx + 8, W)"]
    points += ["c in cc, min(cc + 4, C)", "p in P", "q in Q"]
    arrays = "array image[B, C, H + P, W + Q]\narray weights[O, C, P, Q]\narray out[B, O, H, W]\n"
    sum_ = "out[n, o, y, x] += image[n, c, y + p, x + q] * weights[o, c, p, q]"
    found = kinds(arrays + nested([*tiles, *points], sum_))
    assert {axis for axis, kind in found.items() if kind == "reduce"} == {"cc", "c", "p", "q"}
    assert {axis for axis, kind in found.items() if kind == "parallel"} == {*"noyx", "oo", "yy", "xx"}


def test_one_part_may_settle_a_question_for_all() -> None:
    """Of two dimensions, one that nothing ties to the loop in question is never equal."""
    text = "array a[N, M]\n" + nested(["i in N - 1", "j in M // 2"], "a[i, 2 * j] = a[i + 1, 2 * j + 1]")
    assert kinds(text) == {"i": "parallel", "j": "parallel"}
