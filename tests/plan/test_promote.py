"""Sums kept in scalars behind loops that may not run at all: a test stands around them only where it must."""

from __future__ import annotations

import pytest

from tl2hip import api
from tl2hip.dtypes import F32, I64
from tl2hip.nest.ir import AxisRef, Const, Load, Store, Update, Var
from tl2hip.plan.promote import written
from tl2hip.source.span import Source

HEAD = """import numpy as np
from tl2hip import *

M, N, K = dims('M N K')


@kernel
"""

ROWS = """def f(A: Tensor[{0}, M, K], y: Tensor[{0}, M], x: Tensor[{0}, M]) -> None:
    for i in range(M):
        {1}
        for k in range(K):
            {2}
"""

COLUMNS = """def f(A: Tensor[{0}, K, M], y: Tensor[{0}, M], x: Tensor[{0}, M]) -> None:
    for i in range(M):
        {1}
        for k in range(K):
            {2}
"""


def printed(text: str) -> str:
    """The HIP text of a kernel, proven on sizes with and without a round of the inner loop."""
    done = api.convert(Source("k.py", HEAD + text))
    assert not done.errors, done.told
    (kernel,) = done.kernels
    assert kernel.printed is not None
    report = api.verify(HEAD + text, shapes=0, given=[{"M": m, "N": 3, "K": k} for m in (5, 1) for k in (0, 1, 70)])
    assert report.good, report.text
    return kernel.printed.text


def guarded(text: str) -> bool:
    return "if (0 < K)" in printed(text)


@pytest.mark.parametrize("dtype", ["f32", "f64", "f16", "bf16", "i32", "u8"])
@pytest.mark.parametrize("first", ["y[i] = 0", "y[i] = x[i]", "y[i] += x[i]"])
def test_an_element_that_was_written_before_needs_no_test(dtype: str, first: str) -> None:
    assert not guarded(ROWS.format(dtype, first, "y[i] += A[i, k]"))
    assert not guarded(COLUMNS.format(dtype, first, "y[i] += A[k, i]"))


@pytest.mark.parametrize("op", ["np.maximum(y[i], {})", "np.fmin(y[i], {})", "y[i] * {}", "max(y[i], {})"])
def test_no_operation_changes_what_an_empty_loop_leaves(op: str) -> None:
    assert not guarded(ROWS.format("f32", "y[i] = x[i]", f"y[i] = {op.format('A[i, k]')}"))
    assert not guarded(COLUMNS.format("f32", "y[i] = x[i]", f"y[i] = {op.format('A[k, i]')}"))


@pytest.mark.parametrize(
    "first",
    ["pass", "y[M - 1 - i] = 0", "if x[i] > 0:\n            y[i] = 0", "x[i] = 0"],
)
def test_any_other_element_may_be_missing_or_another_threads(first: str) -> None:
    assert guarded(ROWS.format("f32", first, "y[i] += A[i, k]"))


def test_an_element_that_is_there_only_with_the_loop_is_left_alone() -> None:
    text = "def f(A: Tensor[f32, K, M], y: Tensor[f32, K]) -> None:\n"
    text += "    for k in range(K):\n        for i in range(M):\n            y[0] += A[k, i]\n"
    shown = printed(text)
    assert "if (0 < K" in shown and "y[0]" in shown


def test_what_moves_names_no_element_for_later() -> None:
    at, one = (AxisRef("i"),), Const(1.0, F32)
    var, load = (Var("n", I64),), (Load("p", at, I64, True),)
    stores = [Store("y", i, one, True) for i in (at, var, load)]
    assert written(stores) == {("y", at)}
    assert written([Update("y", at, "+", one, True)]) == {("y", at)}
    assert written([Store("y", at, one, False)]) == frozenset()
