"""Decisions on bounded values: what may go either way is undecided, what is exact is decided."""

from __future__ import annotations

import math

import numpy as np

from tests.nest import by_hand as h
from tests.prove.judging import X, both, elementwise, normal, of
from tl2hip.dtypes import F32, I32, I64
from tl2hip.nest.ir import (
    Alloc,
    Binary,
    Call,
    Cast,
    Compare,
    If,
    Select,
    Set,
    Stmt,
    Store,
    Update,
    Var,
    Variable,
    While,
)


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
