"""The running bound of functions and dtypes accepts good kernels and rejects planted faults."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nest import by_hand as h
from tests.prove.judging import X, both, chain, elementwise, judged, normal, of, rows, tree
from tl2hip.dtypes import BOOL, F16, F32, I32
from tl2hip.nest.ir import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Store,
    Unary,
    Variable,
)
from tl2hip.prove.bound import compare


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
