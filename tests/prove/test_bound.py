"""The running bound accepts good kernels and rejects planted faults."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.nest import by_hand as h
from tl2hip.dtypes import BF16, BOOL, F16, F32, F64, I32, I64, DType
from tl2hip.nest.ir import (
    Alloc,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    If,
    Nest,
    Select,
    Set,
    Stmt,
    Store,
    Unary,
    Update,
    Var,
    Variable,
    While,
)
from tl2hip.nest.run import run
from tl2hip.nest.run.arithmetic import numpy_type
from tl2hip.prove.bound import Reference, Verdict, compare, reference

Values = NDArray[Any]
LANES = 64


def chain(n: int) -> int:
    """The longest chain of the tree below over n terms."""
    return -(-n // LANES) + 6


@np.errstate(invalid="ignore")
def tree(x: Values, dtype: Any = np.float32) -> Values:
    """The sum over the last axis as a wave takes it: each lane its own part, then lanes in pairs."""
    n = x.shape[-1]
    steps = -(-n // LANES)
    padded = np.zeros((*x.shape[:-1], steps * LANES), dtype)
    padded[..., :n] = x
    parts = padded.reshape(*x.shape[:-1], steps, LANES)
    total = np.zeros((*x.shape[:-1], LANES), dtype)
    for k in range(steps):
        total = (total + parts[..., k, :]).astype(dtype)
    while total.shape[-1] > 1:
        half = total.shape[-1] // 2
        total = (total[..., :half] + total[..., half:]).astype(dtype)
    return total[..., 0]


def normal(seed: int, *shape: int, dtype: DType = F32) -> Values:
    return np.random.default_rng(seed).standard_normal(shape).astype(numpy_type(dtype))


def judged(
    nest: Nest,
    got: dict[str, Values] | Values,
    arrays: dict[str, Values],
    dims: dict[str, int],
    scalars: dict[str, Any] | None = None,
    **options: Any,
) -> Verdict:
    """The verdict on one output."""
    typed, references = both(nest, arrays, dims, scalars, **options)
    name, values = next(iter(got.items())) if isinstance(got, dict) else (next(iter(typed)), got)
    return compare(values, typed[name], references[name])


def both(
    nest: Nest,
    arrays: dict[str, Values],
    dims: dict[str, int],
    scalars: dict[str, Any] | None = None,
    **options: Any,
) -> tuple[dict[str, Values], dict[str, Reference]]:
    parallel = options.pop("parallel", ("i", "j"))
    typed = run(nest, arrays, scalars, dims, parallel=parallel)
    return typed, reference(nest, arrays, scalars, dims, parallel=parallel, **options)


# --- sums ------------------------------------------------------------------------------------------------


def rows(seed: int, n: int, dtype: DType = F32) -> tuple[Values, dict[str, Values], dict[str, int]]:
    x = normal(seed, 16, n, dtype=dtype)
    return x, {"X": x, "y": np.zeros(16, x.dtype)}, {"M": 16, "N": n}


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


def test_a_sum_under_a_condition_is_a_sum() -> None:
    x, arrays, dims = rows(18, 129)
    test = Compare(">", h.load("X", h.i, h.j), h.f32(0))
    taken = Select(test, h.add(h.S, h.load("X", h.i, h.j)), h.S)
    body = [h.loop("i", h.M, Set("s", h.f32(0)), h.loop("j", h.N, Set("s", taken)), Store("y", (h.i,), h.S, True))]
    nest = h.nest(body, h.row_sum().arrays, "M N", [Variable("s", F32)])
    got = tree(np.where(x > 0, x, np.float32(0)))
    verdict = judged(nest, got, arrays, dims, parallel=("i",), depths={"j": chain})
    assert verdict.good and verdict.exact == 0


# --- functions -------------------------------------------------------------------------------------------


def elementwise(value: Expr, dtype: DType = F32, out: DType = F32) -> Nest:
    body = [h.loop("i", h.N, Store("z", (h.i,), value, True))]
    return h.nest(body, [h.array("x", dtype, h.N), h.array("z", out, h.N)], "N")


X = h.load("x", h.i)


def of(nest: Nest, x: Values) -> tuple[Values, Reference]:
    z = np.zeros(len(x), numpy_type(nest.array("z").dtype))
    typed, references = both(nest, {"x": x, "z": z}, {"N": len(x)}, parallel=("i",))
    return typed["z"], references["z"]


def test_plain_arithmetic_is_exact() -> None:
    x = normal(19, 100)
    typed, ref = of(elementwise(Binary("/", h.add(h.mul(X, X), X), Call("sqrt", (Unary("abs", X),), F32))), x)
    assert ref.exact.all()
    got = typed.copy()
    got[50] = np.nextafter(got[50], np.float32(9))
    assert compare(typed, typed, ref).good and compare(got, typed, ref).wrong == 1


@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sin", "erf", "cosh", "expm1", "atan", "log1p", "tan"])
def test_functions_are_right_within_their_ulps(name: str) -> None:
    x = np.abs(normal(20, 200)) + np.float32(0.1)
    typed, ref = of(elementwise(Call(name, (X,), F32)), x)
    assert ref.approximate.all() and ref.undecided == 0
    assert compare(typed, typed, ref).worst_ratio < 1
    off = (typed.astype(np.float64) * (1 + 2e-5)).astype(np.float32)
    assert compare(off, typed, ref).wrong == 200


def test_an_error_grows_through_a_function() -> None:
    """exp of a sum: the sum's bound is multiplied by exp's slope."""
    x, arrays, dims = rows(21, 300)
    row = h.row_sum()
    loops = row.body[0]
    assert hasattr(loops, "body")
    body = [h.loop("i", h.M, *loops.body[:2], Store("y", (h.i,), Call("exp", (h.S,), F32), True))]
    nest = h.nest(body, row.arrays, "M N", [Variable("s", F32)])
    got = np.exp(tree(x))
    assert judged(nest, got, arrays, dims, parallel=("i",), depths={"j": chain}).good
    x[0, :] = 1e-3
    slack = both(nest, arrays, dims, parallel=("i",), depths={"j": chain})[1]["y"]
    assert 0 < slack.error[0] < 1e-3 * slack.value[0]


def test_minus_infinity_goes_through_exp() -> None:
    typed, ref = of(elementwise(Call("exp", (X,), F32)), np.array([-np.inf, np.inf, np.nan, 100], np.float32))
    np.testing.assert_array_equal(typed, np.array([0, np.inf, np.nan, np.inf], np.float32))
    verdict = compare(typed, typed, ref)
    assert verdict.good and verdict.undecided == 0
    assert compare(np.array([0, np.inf, 1, np.inf], np.float32), typed, ref).wrong == 1


# --- decisions -------------------------------------------------------------------------------------------


def test_a_floor_within_its_bound_is_undecided() -> None:
    value = Call("floor", (Call("exp", (X,), F32),), F32)
    x = np.array([math.log(3), 1.0], np.float32)
    _, ref = of(elementwise(value), x)
    assert ref.unknown.tolist() == [True, False]


def test_a_cast_to_int_within_its_bound_is_undecided() -> None:
    value = Cast(Call("exp", (X,), F32), I32)
    _, ref = of(elementwise(value, out=I32), np.array([math.log(5), 2.0], np.float32))
    assert ref.unknown.tolist() == [True, False]


def test_a_comparison_within_its_bound_is_undecided() -> None:
    value = Select(Compare("<", Call("exp", (X,), F32), h.f32(7)), h.f32(1), h.f32(0))
    _, ref = of(elementwise(value), np.array([math.log(7), 2.0], np.float32))
    assert ref.unknown.tolist() == [True, False]


def test_a_decision_between_near_values_is_bounded() -> None:
    """max(e, 7) spelled with a comparison: both sides are alike where it is in doubt."""
    e = Call("exp", (X,), F32)
    _, ref = of(elementwise(Select(Compare(">", e, h.f32(7)), e, h.f32(7))), np.array([math.log(7)], np.float32))
    assert ref.undecided == 0 and ref.error[0] < 1e-5


def test_exact_values_are_always_decided() -> None:
    third = Binary("/", X, h.f32(3))
    value = Select(Compare("<", h.mul(third, h.f32(3)), X), h.f32(1), h.f32(0))
    typed, ref = of(elementwise(value), normal(22, 100))
    assert ref.exact.all() and ref.undecided == 0 and set(typed.tolist()) == {0.0, 1.0}


def test_a_branch_in_doubt_taints_what_it_stores() -> None:
    test = Compare("<", Call("exp", (X,), F32), h.f32(7))
    branch = If(test, (Store("z", (h.i,), h.f32(1), True),), (Store("y", (h.i,), h.f32(2), True),))
    nest = h.nest([h.loop("i", h.N, branch)], [h.array(n, F32, h.N) for n in "xyz"], "N")
    x = np.array([math.log(7), 1, 3], np.float32)
    _, refs = both(nest, {"x": x, "y": np.zeros(3, np.float32), "z": np.zeros(3, np.float32)}, {"N": 3})
    assert refs["z"].unknown.tolist() == [True, False, False]
    assert refs["y"].unknown.tolist() == [True, False, False]


def test_an_index_in_doubt_blurs_the_whole_array() -> None:
    at = Cast(Call("exp", (X,), F32), I64)
    nest = h.nest(
        [h.loop("i", h.N, Update("z", (at,), "+", h.f32(1)))],
        [h.array("x", F32, h.N), h.array("z", F32, h.M)],
        "N M",
    )
    z = np.zeros(4, np.float32)
    _, sure = both(nest, {"x": np.array([0.5, 0.9], np.float32), "z": z}, {"N": 2, "M": 4}, parallel=("i",))
    assert sure["z"].exact.all()
    x = np.array([math.log(3), 0.5], np.float32)
    _, refs = both(nest, {"x": x, "z": z}, {"N": 2, "M": 4}, parallel=("i",))
    assert refs["z"].undecided == 4


def test_a_while_in_doubt_taints_its_lane() -> None:
    n = Var("n", I64)
    body = [
        h.loop(
            "i",
            h.N,
            Set("s", Call("exp", (X,), F32)),
            Set("n", h.whole(0)),
            While(
                Compare(">", h.S, h.f32(1)),
                (Set("s", h.mul(h.S, h.f32(0.5))), Set("n", h.add(n, h.whole(1)))),
            ),
            Store("z", (h.i,), n, True),
        )
    ]
    arrays = [h.array("x", F32, h.N), h.array("z", I64, h.N)]
    nest = h.nest(body, arrays, "N", [Variable("s", F32), Variable("n", I64)])
    x = np.array([math.log(8), 2.0, -1.0], np.float32)
    typed, refs = both(nest, {"x": x, "z": np.zeros(3, np.int64)}, {"N": 3}, parallel=("i",))
    assert refs["z"].unknown.tolist() == [True, False, False]
    assert typed["z"][1:].tolist() == [3, 0]


def test_argmax_of_exact_values_is_exact() -> None:
    x = normal(23, 5, 40)
    arrays = {"X": x, "value": np.zeros(5, np.float32), "index": np.zeros(5, np.int32)}
    typed, refs = both(h.argmax(), arrays, {"M": 5, "N": 40}, parallel=("i",))
    assert refs["index"].exact.all() and refs["value"].exact.all()
    assert typed["index"].tolist() == x.argmax(1).tolist()


def test_elements_nobody_writes_are_unknown() -> None:
    body: list[Stmt] = [Alloc("z"), h.loop("i", h.M, Store("z", (h.i,), h.f32(1)))]
    nest = h.nest(body, [h.array("z", F32, h.N, role="result")], "N M", results=("z",))
    _, refs = both(nest, {}, {"N": 4, "M": 2}, parallel=("i",))
    assert refs["z"].unknown.tolist() == [False, False, True, True]


# --- softmax, narrowing, types ---------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [None, "dropped", "no maximum"])
def test_softmax(fault: str | None) -> None:
    x = normal(24, 8, 600) * np.float32(3)
    m = x.max(1, keepdims=True) if fault != "no maximum" else np.float32(0.5)
    e = np.exp(x - m)
    taken = e.copy()
    if fault == "dropped":
        taken[:, 333] = 0
    if fault == "no maximum":
        x[0, 0] = 100
    got = e / tree(taken)[:, None]
    verdict = judged(
        h.softmax(),
        got,
        {"X": x, "Y": np.zeros_like(x)},
        {"M": 8, "N": 600},
        parallel=("i", "p"),
        depths={"k": chain},
    )
    assert verdict.good == (fault is None)
    assert verdict.undecided == 0


def test_narrowing_that_the_source_does_not_say_is_rejected() -> None:
    a, b = np.abs(normal(25, 10, 200)), np.abs(normal(26, 200, 10))
    arrays, dims = {"A": a, "B": b, "C": np.zeros((10, 10), np.float32)}, {"M": 10, "D": 200, "N": 10}
    narrow = a.astype(np.float16).astype(np.float32)
    got = tree(narrow[:, None, :] * b.T[None])
    assert judged(h.product(), got, arrays, dims, depths={"k": chain}).wrong > 50


def test_an_explicit_cast_rounds_the_reference() -> None:
    typed, ref = of(elementwise(Cast(Cast(Call("exp", (X,), F32), F16, True), F32)), normal(27, 100))
    assert compare(typed, typed, ref).good
    assert (ref.error == 0).mean() > 0.9  # away from ties every kernel rounds alike
    np.testing.assert_array_equal(ref.value, ref.value.astype(np.float16))


def test_zeros_of_either_sign_are_alike_for_max_only() -> None:
    x = np.array([-0.0, 1], np.float32)
    typed, ref = of(elementwise(Binary("max", X, h.f32(0.0))), x)
    assert compare(np.array([0.0, 1], np.float32), typed, ref).good
    assert compare(np.array([-0.0, 1], np.float32), typed, ref).good
    typed, ref = of(elementwise(Unary("-", X)), x)
    assert not compare(np.array([-0.0, -1], np.float32), typed, ref).good


def test_integers_and_bools_are_exact() -> None:
    test = Compare(">", X, h.f32(0))
    typed, ref = of(elementwise(test, out=BOOL), normal(28, 20))
    assert ref.exact.all()
    assert compare(~typed, typed, ref).wrong == 20
    value = h.mul(Cast(X, I32), Const(2**30, I32))
    typed, ref = of(elementwise(value, out=I32), np.arange(6, dtype=np.float32))
    assert ref.exact.all() and typed.tolist() == [0, 2**30, -(2**31), -(2**30), 0, 2**30]


def test_other_shapes_and_types_are_errors() -> None:
    typed, ref = of(elementwise(X), normal(29, 4))
    with pytest.raises(ValueError, match=r"got float32\[3\], expected float32\[4\]"):
        compare(typed[:3], typed, ref)
    with pytest.raises(ValueError, match="got float64"):
        compare(typed.astype(np.float64), typed, ref)
