"""Extents as messages print them: Python that means the same, and that a user can write."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.nest.build.helpers import built, nest_of
from tests.nest.build.test_loops import over
from tl2hip.dtypes import I64
from tl2hip.nest.build.broadcast import show_extent
from tl2hip.nest.ir import Binary, Const, Dim, Expr, Unary
from tl2hip.source.problems.base import show

SIZES = {"M": 12, "N": 7}
ONE, TWO, N = Const(1, I64), Const(2, I64), Dim("N")

LEAVES = st.sampled_from([Dim("M"), N]) | st.integers(0, 5).map(lambda n: Const(n, I64))
EXTENTS: st.SearchStrategy[Expr] = st.recursive(
    LEAVES,
    lambda e: (
        st.builds(lambda x: Unary("-", x), e)
        | st.builds(Binary, st.sampled_from(["+", "-", "*", "//", "%", "min"]), e, e)
    ),
    max_leaves=8,
)


def worth(e: Expr) -> int:
    match e:
        case Const(value=value):
            return int(value)
        case Dim(name=name):
            return SIZES[name]
        case Unary(value=value):
            return -worth(value)
        case Binary(op="min", left=a, right=b):
            return min(worth(a), worth(b))
        case Binary(op=op, left=a, right=b):
            x, y = worth(a), worth(b)
            return int(eval(f"x {op} y", {"x": x, "y": y}))
    raise AssertionError(e)


@given(EXTENTS)
@example(Unary("-", Binary("//", Unary("-", N), TWO)))
@example(Binary("//", Binary("+", N, ONE), TWO))
@example(Binary("-", Dim("M"), Unary("-", N)))
def test_an_extent_is_printed_as_python_that_means_it(e: Expr) -> None:
    try:
        expected = worth(e)
    except ZeroDivisionError:
        return
    assert eval(show_extent(e), dict(SIZES)) == expected


@pytest.mark.parametrize("extent", ["(N + 1) // 2", "-(-N // 2)", "M * (N - 1)", "N - (M - 1)", "-N + 3 * M"])
def test_the_assertion_that_is_asked_for_can_be_written(extent: str) -> None:
    head = f"x: Tensor[f32, {extent}], y: Tensor[f32, K], z: Tensor[f32, M, N]"
    _, problems, source = built(over("y[:] = x", head))
    (problem,) = problems
    assert problem.code == "TL332", show(problem, source)
    _, asked, _ = problem.way_out.split("`")
    nest_of(over(f"{asked}\ny[:] = x", head))
