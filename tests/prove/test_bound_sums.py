"""Sums and products: the running bound accepts any order of adding and rejects planted faults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.nest import by_hand as h
from tests.prove.judging import both, chain, judged, normal, rows, tree
from tl2hip import api
from tl2hip.dtypes import BF16, F16, F32, F64, I32, I64, DType
from tl2hip.nest.ir import (
    Cast,
    Compare,
    Select,
    Set,
    Stmt,
    Store,
    Update,
    Variable,
)
from tl2hip.plan.tree import ScanTree


@pytest.mark.parametrize("n", [0, 1, 63, 65, 1000])
def test_a_tree_sum_is_accepted(n: int) -> None:
    x, arrays, dims = rows(1, n)
    verdict = judged(h.row_sum(), tree(x), arrays, dims, parallel=("i",), depths={"j": chain})
    assert verdict.good and verdict.worst_ratio < 1 and verdict.checked == 16 and verdict.undecided == 0


def test_cancellation_is_accepted_and_faults_in_it_are_not() -> None:
    big = normal(2, 16, 500) * np.float32(1e6)
    x = np.concatenate([big, normal(3, 16, 3), -big], axis=1)
    arrays, dims = {"X": x, "y": np.zeros(16, np.float32)}, {"M": 16, "N": x.shape[1]}
    options: Any = {"parallel": ("i",), "depths": {"j": chain}}
    assert judged(h.row_sum(), tree(x), arrays, dims, **options).good
    dropped = x.copy()
    dropped[:, 400] = 0
    assert judged(h.row_sum(), tree(dropped), arrays, dims, **options).wrong == 16


@pytest.mark.parametrize("fault", ["dropped", "doubled", "neighbour", "one wrong", "half"])
def test_faults_of_a_sum_are_rejected(fault: str) -> None:
    x, arrays, dims = rows(4, 257)
    x[:, 256] += np.float32(0.5)
    changed = x.copy()
    if fault == "dropped":
        changed[:, 256] = 0
    if fault == "doubled":
        changed[:, 256] *= 2
    got = tree(changed, np.float16 if fault == "half" else np.float32).astype(np.float32)
    if fault == "neighbour":
        got[3] = got[4]
    if fault == "one wrong":
        got[15] += np.float32(1e-2)
    verdict = judged(h.row_sum(), got, arrays, dims, parallel=("i",), depths={"j": chain})
    assert not verdict.good
    assert verdict.failures[0].bound < abs(verdict.failures[0].got - verdict.failures[0].expected)


def test_the_plans_own_depth_makes_the_bound_sharp() -> None:
    x = np.abs(normal(5, 4, 2000)) + np.float32(1)
    arrays, dims = {"X": x, "y": np.zeros(4, np.float32)}, {"M": 4, "N": 2000}
    got = tree(x)
    got *= np.float32(1 + 1e-5)
    assert judged(h.row_sum(), got, arrays, dims, parallel=("i",)).good  # a serial chain may lose as much
    assert not judged(h.row_sum(), got, arrays, dims, parallel=("i",), depths={"j": chain}).good


@pytest.mark.parametrize("fault", [None, "missing", "order"])
def test_integer_values_demand_equality(fault: str | None) -> None:
    x = np.random.default_rng(6).integers(-8, 9, (16, 500)).astype(np.float32)
    arrays, dims = {"X": x, "y": np.zeros(16, np.float32)}, {"M": 16, "N": 500}
    got = tree(x)
    if fault == "missing":
        got[7] += 1
    if fault == "order":
        got[7] = np.nextafter(got[7], np.float32(np.inf))
    verdict = judged(h.row_sum(), got, arrays, dims, parallel=("i",))
    assert verdict.exact == 16 and verdict.good == (fault is None)


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_a_wider_accumulator_is_accepted(dtype: DType) -> None:
    x, arrays, dims = rows(7, 200, dtype)
    got = tree(x.astype(np.float32)).astype(x.dtype)
    assert judged(h.row_sum(dtype), got, arrays, dims, parallel=("i",), depths={"j": chain}).good


def test_nan_and_infinity_must_be_there() -> None:
    x, arrays, dims = rows(8, 100)
    x[1, 5], x[2, 7], x[3, 1], x[3, 2] = np.nan, np.inf, np.inf, -np.inf
    good = tree(x)
    assert judged(h.row_sum(), good, arrays, dims, parallel=("i",)).good
    for row in (1, 2, 3):
        lost = good.copy()
        lost[row] = 1
        assert judged(h.row_sum(), lost, arrays, dims, parallel=("i",)).wrong == 1
    extra = good.copy()
    extra[5] = np.nan
    assert judged(h.row_sum(), extra, arrays, dims, parallel=("i",)).wrong == 1


def test_a_sum_near_the_largest_value_is_undecided() -> None:
    x = np.full((2, 3), 1, np.float32)
    x[0] = [3e38, 3e38, -3e38]
    arrays, dims = {"X": x, "y": np.zeros(2, np.float32)}, {"M": 2, "N": 3}
    verdict = judged(h.row_sum(), np.array([3e38, 3], np.float32), arrays, dims, parallel=("i",))
    assert verdict.good and verdict.undecided == 1 and verdict.checked == 1


@pytest.mark.parametrize("fault", [None, "half accumulator", "last k", "k twice", "row", "one"])
def test_products(fault: str | None) -> None:
    a, b = normal(9, 20, 333), normal(10, 333, 12)
    terms = a[:, None, :] * b.T[None]
    if fault == "last k":
        terms[..., -1] = 0
    if fault == "k twice":
        terms[..., 10] *= 2
    got = tree(terms, np.float16 if fault == "half accumulator" else np.float32).astype(np.float32)
    if fault == "row":
        got[4] = got[5]
    if fault == "one":
        got[19, 11] += np.float32(1e-3)
    arrays, dims = {"A": a, "B": b, "C": np.zeros_like(got)}, {"M": 20, "D": 333, "N": 12}
    verdict = judged(h.product(), got, arrays, dims, depths={"k": chain})
    assert verdict.good == (fault is None)
    assert verdict.undecided == 0 and verdict.checked == 240


def test_fma_inside_a_sum_is_accepted() -> None:
    a, b = normal(11, 8, 100), normal(12, 100, 8)
    fused = np.zeros((8, 8), np.float32)
    for k in range(100):
        exact = a[:, k : k + 1].astype(np.float64) * b[k : k + 1].astype(np.float64)
        fused = (exact + fused).astype(np.float32)
    arrays, dims = {"A": a, "B": b, "C": np.zeros_like(fused)}, {"M": 8, "D": 100, "N": 8}
    assert judged(h.product(), fused, arrays, dims).good


def test_products_that_overflow_inside_a_sum_are_undecided() -> None:
    """Rounded, they are infinities of both signs; fused, they never are."""
    a = np.array([[1e30, -1e30, 1.0]], np.float32)
    b = np.array([[1e30], [1e30], [1.0]], np.float32)
    arrays, dims = {"A": a, "B": b, "C": np.zeros((1, 1), np.float32)}, {"M": 1, "D": 3, "N": 1}
    for got in (np.nan, np.inf, 1.0):
        assert judged(h.product(), np.array([[got]], np.float32), arrays, dims).undecided == 1
    chained = {**arrays, "A": np.sqrt(np.abs(a)) * np.float32(1e10)}
    assert judged(h.product(), np.array([[np.inf]], np.float32), chained, dims).good


def test_f64_sums_have_a_wider_reference() -> None:
    x, arrays, dims = rows(13, 700, F64)
    options: Any = {"parallel": ("i",), "depths": {"j": chain}}
    verdict = judged(h.row_sum(F64), tree(x, np.float64), arrays, dims, **options)
    assert verdict.good and 0 < verdict.worst_ratio < 1
    narrow = tree(x.astype(np.float32)).astype(np.float64)
    assert judged(h.row_sum(F64), narrow, arrays, dims, **options).wrong == 16


def test_updates_in_any_order_are_one_sum() -> None:
    where = np.random.default_rng(14).integers(0, 5, 300).astype(np.int32)
    x = normal(15, 300)
    at = Cast(h.load("where", h.i, dtype=I32), I64)
    body = [h.loop("i", h.N, Update("out", (at,), "+", h.load("x", h.i)))]
    nest = h.nest(body, [h.array("where", I32, h.N), h.array("x", F32, h.N), h.array("out", F32, h.M)], "N M")
    arrays, dims = {"where": where, "x": x, "out": np.ones(5, np.float32)}, {"N": 300, "M": 5}
    shuffled = np.ones(5, np.float32)
    for p in np.random.default_rng(16).permutation(300):
        shuffled[where[p]] += x[p]
    verdict = judged(nest, shuffled, arrays, dims, parallel=("i",))
    assert verdict.good and verdict.exact == 0
    shuffled[2] -= x[np.flatnonzero(where == 2)[0]]
    assert judged(nest, shuffled, arrays, dims, parallel=("i",)).wrong == 1
    whole = {**arrays, "x": np.round(x * 4)}
    assert both(nest, whole, dims, parallel=("i",))[1]["out"].exact.all()


def test_a_sum_read_as_it_grows_is_bit_exact_or_bounded() -> None:
    """A running sum: `y[i] = s` inside the loop fixes its order."""
    body: list[Stmt] = [
        Set("s", h.f32(0.0)),
        h.loop("i", h.N, Set("s", h.add(h.S, h.load("x", h.i))), Store("y", (h.i,), h.S, True)),
    ]
    nest = h.nest(body, [h.array("x", F32, h.N), h.array("y", F32, h.N)], "N", [Variable("s", F32)])
    x = normal(17, 50)
    typed, references = both(nest, {"x": x, "y": np.zeros_like(x)}, {"N": 50}, parallel=())
    assert references["y"].exact.all()
    np.testing.assert_array_equal(typed["y"], np.cumsum(x))


def test_a_sum_read_as_it_grows_is_bounded_where_the_plan_scans() -> None:
    """Each value so far may be added up in any order that the plan's tree allows, and in no other way."""
    body: list[Stmt] = [
        Set("s", h.f32(0.0)),
        h.loop("i", h.N, Set("s", h.add(h.S, h.load("x", h.i))), Store("y", (h.i,), h.S, True)),
    ]
    nest = h.nest(body, [h.array("x", F32, h.N), h.array("y", F32, h.N)], "N", [Variable("s", F32)])
    x = normal(19, 300)
    depths = {"i": ScanTree(64, width=4).depth}
    arrays, dims = {"x": x, "y": np.zeros_like(x)}, {"N": 300}
    halves = np.cumsum(x[:150]), np.float32(x[:150].sum()) + np.cumsum(x[150:])
    got = np.concatenate(halves).astype(np.float32)
    verdict = judged(nest, got, arrays, dims, parallel=(), depths=depths)
    assert verdict.good and verdict.exact < 10
    got[200:] += x[7]
    assert judged(nest, got, arrays, dims, parallel=(), depths=depths).wrong > 90


def test_a_sum_under_a_condition_is_a_sum() -> None:
    x, arrays, dims = rows(18, 129)
    test = Compare(">", h.load("X", h.i, h.j), h.f32(0))
    taken = Select(test, h.add(h.S, h.load("X", h.i, h.j)), h.S)
    body = [h.loop("i", h.M, Set("s", h.f32(0)), h.loop("j", h.N, Set("s", taken)), Store("y", (h.i,), h.S, True))]
    nest = h.nest(body, h.row_sum().arrays, "M N", [Variable("s", F32)])
    got = tree(np.where(x > 0, x, np.float32(0)))
    verdict = judged(nest, got, arrays, dims, parallel=("i",), depths={"j": chain})
    assert verdict.good and verdict.exact == 0


OVERFLOWS = """from tl2hip import Tensor, dims, f32, kernel

N = dims("N")


@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:
    s = f32(0)
    for i in range(N):
        r = x[i] * x[i]
        s += x[i] / (r * r) * r * x[i]
    y[0] = s
"""


def test_what_overflows_exactly_is_no_fault_in_what_follows() -> None:
    (kernel,) = api.convert(api.source_of(OVERFLOWS)).kernels
    assert kernel.nest is not None
    arrays = {"x": np.array([1e15, 4e14, 2e13], np.float32), "y": np.zeros(1, np.float32)}
    how: Any = {"dims": {"N": 3}, "parallel": (), "depths": {"i": chain}}
    assert judged(kernel.nest, np.zeros(1, np.float32), arrays, **how).wrong == 0
    arrays["x"][:] = 2
    assert judged(kernel.nest, np.full(1, 3, np.float32), arrays, **how).good
    assert judged(kernel.nest, np.zeros(1, np.float32), arrays, **how).wrong == 1
