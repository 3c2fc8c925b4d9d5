"""What is said of nests that come near a fast plan and do not fit it: the reason, its line, a way out; and silence
about all that is obviously no nest of its kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plan.near import (
    ARRAYS,
    COLUMNS,
    ELEMENTWISE,
    GEMV,
    HEAD,
    LINE,
    ROWS,
    TRANSPOSE,
    Near,
    loops,
    normed,
    one,
)
from tests.plan.near_products import ALONE, PRODUCTS, product
from tests.proofs import convert
from tl2hip import api
from tl2hip.plan.ir import Miss
from tl2hip.source.span import Source

TESTS = Path(__file__).parent


def _source(body: str, arrays: str = ARRAYS) -> Source:
    return Source("k.py", f"{HEAD}def f({arrays}) -> None:\n{body}")


def _misses(body: str, arrays: str = ARRAYS) -> tuple[Miss, ...]:
    done = api.convert(_source(body, arrays))
    assert not done.errors, done.told
    (k,) = done.kernels
    assert k.plan is not None
    return k.plan.misses


KINDS: dict[str, dict[str, Near]] = {
    "elementwise": ELEMENTWISE,
    "transpose": TRANSPOSE,
    "matrix times a vector": GEMV,
    "columns of a matrix times a vector": COLUMNS,
    "row": ROWS,
    "matrix product": PRODUCTS,
    "factor read in vectors": ALONE,
}


@pytest.mark.parametrize(("plan", "case"), [(plan, case) for plan, cases in KINDS.items() for case in cases])
def test_what_comes_near_is_told_why_it_does_not_fit(plan: str, case: str) -> None:
    near = KINDS[plan][case]
    found = [(m.plan, m.why, m.way, m.at.line - LINE + 1) for m in _misses(near.body, near.arrays)]
    strips = [("strips of rows", *near.strips)] if near.strips else []
    assert found == [(plan, near.why, near.way, near.line), *strips]


@pytest.mark.parametrize("file", ["turns.py", "matvecs.py", "columns.py"])
def test_nothing_is_told_of_what_fits(file: str) -> None:
    told = {name: [m.plan for m in k.plan.misses] for name, k in convert(TESTS / file).items() if k.plan}
    ours = {"elementwise", "transpose", "row", "columns of a matrix times a vector", "matrix times a vector"}
    assert told and not any(ours & {*plans} for plans in told.values()), told


@pytest.mark.parametrize(
    "name", ["histogram", "mandelbrot", "spmv", "gemm", "softmax", "total", "gemv", "transpose"]
)
def test_nothing_is_told_of_what_is_of_no_such_kind(name: str) -> None:
    (k,) = convert(TESTS.parents[1] / "golden" / name / "kernel.py").values()
    assert k.plan is not None and k.plan.misses == ()


def test_explain_prints_the_line_the_reason_and_the_way_out() -> None:
    source = _source(one("if w[i] > 0:\n    x[i] = u[i]"))
    (k,) = api.convert(source).kernels
    assert (
        "  faster plans that do not fit:\n"
        "    elementwise, line 8: if w[i] > 0:\n"
        "      what stands under a test is not done at every element\n"
        "      help: store a conditional expression in its place, at every element\n"
    ) in api.explained(k, source, api.Options())


WAYS = {
    "a branch": one("x[i] = u[i] if w[i] > 0 else x[i]"),
    "loaded behind": one("t = u[i]\nx[i] = t\nv[i] = t"),
    "two stores": one("x[i] = f32(i)"),
    "beyond": "    assert M >= N\n" + one("y[i] = x[i]"),
    "a small tile": "    i: Tile[int, 512]\n" + one("x[i] = u[i]"),
    "a turned branch": loops("B[j, i] = A[i, j] if w[j] > 0 else B[j, i]"),
    "a turned tile": "    i: Tile[int, 64]\n" + loops("B[j, i] = A[i, j]"),
    "columns": normed(),
    "sums of halves": product("D", "D"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_ways_out_lead_out(way: str) -> None:
    assert _misses(WAYS[way]) == ()
