"""Which statements count as sums and products whose order is free."""

from __future__ import annotations

import pytest

from tests.nest import by_hand as h
from tl2hip.dtypes import F32, I32, I64
from tl2hip.nest.ir import (
    Binary,
    Compare,
    Const,
    Expr,
    If,
    Nest,
    Set,
    Stmt,
    Store,
    Update,
    Var,
    Variable,
    While,
)
from tl2hip.nest.reductions import Reduction, folded, reductions
from tl2hip.nest.walk import all_stmts

A, B = h.load("x", h.i), h.load("x", h.j)


def minus(a: Expr, b: Expr) -> Binary:
    return Binary("-", a, b)


def shown(e: Expr) -> str:
    return {id(A): "a", id(B): "b"}.get(id(e), "-" + shown(e.value) if hasattr(e, "value") else "?")


@pytest.mark.parametrize(
    ("value", "op", "terms"),
    [
        (h.add(h.S, A), "+", ["a"]),
        (h.add(A, h.S), "+", ["a"]),
        (minus(h.S, A), "+", ["-a"]),
        (h.add(h.add(h.S, A), B), "+", ["a", "b"]),
        (minus(h.add(h.S, A), B), "+", ["a", "-b"]),
        (h.mul(h.S, A), "*", ["a"]),
    ],
)
def test_forms_that_fold(value: Expr, op: str, terms: list[str]) -> None:
    form = folded(Set("s", value))
    assert form is not None and form[0] == op and [shown(t) for t in form[1]] == terms


@pytest.mark.parametrize(
    "value",
    [minus(A, h.S), h.add(h.S, h.S), h.add(h.mul(h.S, A), B), h.mul(h.add(h.S, A), B), h.add(A, B), h.S],
)
def test_forms_that_do_not_fold(value: Expr) -> None:
    assert folded(Set("s", value)) is None


def only(nest: Nest) -> list[Reduction]:
    return list(reductions(nest).values())


def around(*body: Stmt) -> Nest:
    loop = h.loop("i", h.M, h.loop("j", h.N, *body))
    arrays = [h.array("x", F32, h.M), h.array("y", F32, h.N), h.array("n", I32, h.N)]
    return h.nest([Set("s", h.f32(0)), loop], arrays, "M N", [Variable("s", F32), Variable("n", I64)])


def test_a_sum_folds_over_the_outermost_loop_that_only_adds() -> None:
    (one,) = only(around(Set("s", h.add(h.S, A))))
    assert (one.axes, one.region, one.times) == (("i", "j"), "i", 1)
    (one,) = only(h.product())
    assert (one.axes, one.region) == (("k",), "k")
    two = only(around(Set("s", h.add(h.S, A)), Set("s", h.add(h.add(h.S, A), B))))
    assert [r.times for r in two] == [3, 3]
    (one,) = only(around(If(Compare(">", A, h.f32(0)), (Set("s", h.add(h.S, A)),))))
    assert one.axes == ("i", "j")


def test_a_sum_that_is_used_as_it_grows_does_not_fold() -> None:
    add = Set("s", h.add(h.S, A))
    assert only(around(add, Store("y", (h.j,), h.S))) == []
    assert only(around(add, Set("s", h.mul(h.S, A)))) == []
    assert only(around(Set("n", h.add(Var("n", I64), h.whole(1))))) == []  # integers have no rounding


def test_updates_fold_over_the_loops_that_do_not_index_them() -> None:
    (one,) = only(around(Update("y", (h.j,), "+", A)))
    assert (one.op, one.axes) == ("+", ("i",))
    (one,) = only(around(Update("y", (h.to_whole(h.load("n", h.j, dtype=I32)),), "+", A)))
    assert one.axes == ()
    two = only(around(Update("y", (h.j,), "+", A), Update("y", (h.j,), "+", B)))
    assert [r.axes for r in two] == [(), ()]
    assert only(around(Update("y", (h.j,), "max", A))) == []


def test_a_while_leaves_the_count_open() -> None:
    inner = h.loop("k", 3, Set("s", h.add(h.S, A)))
    loop = While(Compare("<", Var("n", I64), h.whole(5)), (inner, Set("n", Const(9, I64))))
    (one,) = only(around(Set("n", h.whole(0)), loop))
    assert one.axes == () and one.region == "i"


def test_statements_are_found_by_identity() -> None:
    nest = h.softmax()
    found = reductions(nest)
    assert [s.name for s in all_stmts(nest.body) if isinstance(s, Set) and id(s) in found] == ["total"]
