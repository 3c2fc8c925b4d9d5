"""Which accesses fill vectors together, and how their indices move along an axis."""

from __future__ import annotations

import pytest

from tests.plan.test_strips import STRIPS
from tests.proofs import convert
from tl2hip.dtypes import I64
from tl2hip.nest.index import ZERO, add, mul, number, value_of
from tl2hip.nest.ir import Axis, AxisRef, Binary, Dim, Expr, Var
from tl2hip.plan.access import moved_by
from tl2hip.plan.ir import LoadVector, Plan, StoreVector
from tl2hip.plan.places import moved_to
from tl2hip.plan.walk import all_stmts

P = AxisRef("p")
AXIS = Axis("p", ZERO, Dim("N"))
FIRST, LANE = Var("first", I64), Var("lane", I64)


def _value(e: Expr, values: dict[Expr, int]) -> int:
    """An index in whole numbers."""
    if e in values:
        return values[e]
    if isinstance(e, Binary):
        a, b = _value(e.left, values), _value(e.right, values)
        return {"+": a + b, "-": a - b, "*": a * b, "//": a // (b or 1), "%": a % (b or 1)}[e.op]
    assert e.dtype is I64
    found: int = getattr(e, "value", 0)
    return found


INDICES = (
    P,
    mul(P, number(2)),
    mul(number(2), P),
    add(mul(P, number(2)), number(1)),
    Binary("-", number(7), P),
    Binary("//", P, number(2)),
    Binary("//", add(P, number(3)), number(4)),
    Binary("%", P, number(2)),
    Binary("*", P, P),
)


@pytest.mark.parametrize("step", (1, 2, 4))
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_an_index_moves_as_far_as_is_told(index: Expr, step: int) -> None:
    told = moved_by(index, "p", step)
    found = {_value(index, {P: n + step}) - _value(index, {P: n}) for n in range(-9, 9)}
    assert told in (None, *found) and (told is None or len(found) == 1)
    assert told is not None or len(found) > 1


@pytest.mark.parametrize("index", INDICES, ids=str)
@pytest.mark.parametrize("value", (add(FIRST, mul(LANE, number(8))), mul(LANE, number(4)), LANE), ids=str)
def test_an_index_is_the_same_where_lanes_are_told_apart(index: Expr, value: Expr) -> None:
    moved = moved_to(index, AXIS, value)
    for first in range(-3, 4):
        for lane in range(5):
            values: dict[Expr, int] = {FIRST: first, LANE: lane}
            assert _value(moved, values) == _value(index, {P: _value(value, values)})


def test_pairs_are_one_vector() -> None:
    plan = convert(STRIPS)["rope_of_neighbours"].plan
    assert plan is not None
    (kernel,) = plan.kernels
    loads = [s for s in all_stmts(kernel.body) if isinstance(s, LoadVector) and s.array == "X"]
    stores = [s for s in all_stmts(kernel.body) if isinstance(s, StoreVector)]
    assert len(loads) == len(stores) == 2  # of several rows, and of one
    assert {plan.nest.array("X").dtype.bytes * _elements(plan, s.vector) for s in loads} == {16}


def _elements(plan: Plan, vector: str) -> int:
    """Elements of one of the vectors of a name."""
    return value_of(plan.placed(vector).array.shape[-1]) or 0


def test_elements_between_those_stored_are_left_alone() -> None:
    plan = convert(STRIPS)["every_other"].plan
    assert plan is not None
    assert not [s for k in plan.kernels for s in all_stmts(k.body) if isinstance(s, StoreVector)]
    (miss,) = (m for m in plan.misses if m.plan == "strips of rows")
    assert miss.why == "Y is stored to at some elements and not at those between them"
