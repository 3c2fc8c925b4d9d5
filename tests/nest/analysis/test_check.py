"""Faults planted in nests, each found by the check between stages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.nest.analysis.helpers import make
from tl2hip.dtypes import BOOL, F32, F64, I32, I64
from tl2hip.nest.check import Malformed, verify
from tl2hip.nest.ir import (
    Alloc,
    AxisRef,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Expr,
    If,
    Load,
    Logic,
    Loop,
    Nest,
    Scalar,
    Select,
    Set,
    Stmt,
    Store,
    Unary,
    Update,
    Var,
)

GOOD = make("""
array x[n, m]
array y[n]
local array t[m]
scalar k: i64
var s: f32
for i in range(n):
    alloc(t)
    for j in range(m):
        t[j] = x[i, j]
    s = 0
    for j in range(m):
        s += t[j]
    if s > 0:
        y[i] = s
""")
ZERO, ONE, HALF = Const(0, I64), Const(1, F32), Const(0.5, F64)
S = Var("s", F32)


def with_statement(s: Stmt) -> Nest:
    return replace(GOOD, body=(*GOOD.body, s))


def with_value(e: Expr) -> Nest:
    return with_statement(Set("s", e))


def again(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    return (*body, body[0])


def test_a_good_nest_passes() -> None:
    verify(GOOD)


FAULTS = {
    "an axis twice": (replace(GOOD, body=again(GOOD.body)), "stands once"),
    "an axis out of its loop": (with_statement(Store("y", (AxisRef("i"),), ONE)), "in its loop only"),
    "a step of 0": (with_statement(Loop(replace(GOOD.body[0].axis, name="q", step=0), ())), "not 0"),  # type: ignore[union-attr]
    "an index too few": (with_value(Load("x", (ZERO,), F32)), "an index for each extent"),
    "an index of another dtype": (with_value(Load("y", (Const(0, I32),), F32)), "i64 is wanted"),
    "a load of another dtype": (with_value(Load("y", (ZERO,), F64)), "its array's dtype"),
    "a store of another dtype": (with_statement(Store("y", (ZERO,), HALF)), "f32 is wanted"),
    "an update of another dtype": (with_statement(Update("y", (ZERO,), "+", HALF)), "f32 is wanted"),
    "no such array": (with_value(Load("w", (ZERO,), F32)), "no such array"),
    "a local before it is made": (replace(GOOD, body=(Store("t", (ZERO,), ONE), *GOOD.body)), "made before"),
    "a parameter made": (with_statement(Alloc("x")), "parameters are there"),
    "no such variable": (with_statement(Set("w", ONE)), "no such variable"),
    "a variable of another dtype": (with_value(Var("s", F64)), "one dtype"),
    "a set of another dtype": (with_value(HALF), "f32 is wanted"),
    "mixed operands": (with_value(Binary("+", S, HALF)), "one dtype"),
    "no such operation": (with_value(Binary("%%", S, S)), "no such operation"),
    "a division of integers": (with_statement(If(Compare("<", Binary("/", ZERO, ZERO), ZERO), ())), "of floats"),
    "a shift of floats": (with_value(Binary("<<", S, S)), "of integers"),
    "bits of floats": (with_value(Binary("&", S, S)), "not of floats"),
    "a test that is no bool": (with_statement(If(ZERO, ())), "bool is wanted"),
    "and of numbers": (with_statement(If(Logic("and", ZERO, ZERO), ())), "of bools"),
    "not of a number": (with_statement(If(Unary("not", ZERO), ())), "of bool"),
    "an unequal choice": (with_value(Select(Const(True, BOOL), S, HALF)), "equal dtypes"),
    "a function that is none": (with_value(Call("sinc", (S,), F32)), "FUNCTIONS"),
    "an argument too many": (with_value(Call("exp", (S, S), F32)), "FUNCTIONS"),
    "a function of another dtype": (with_value(Call("exp", (HALF,), F32)), "its arguments' dtype"),
    "a literal of another kind": (with_value(Const(True, F32)), "its dtype's kind"),
    "no such extent": (with_statement(Store("y", (Dim("q"),), ONE)), "no such extent"),
    "no such scalar": (with_statement(Store("y", (Scalar("q", I64),), ONE)), "no such scalar"),
    "a name twice": (replace(GOOD, variables=(*GOOD.variables, *GOOD.variables)), "declared twice"),
    "a result that is no array": (replace(GOOD, results=("w",)), "no such array"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str) -> None:
    nest, rule = FAULTS[name]
    with pytest.raises(Malformed, match=rule):
        verify(nest)
