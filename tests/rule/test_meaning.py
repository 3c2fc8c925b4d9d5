"""What the words of rules mean, and that they are quick to find in large kernels."""

from __future__ import annotations

import doctest
import math
import time

import pytest

from tests.rule.helpers import applied, idioms, nest_of_text
from tl2hip.dtypes import BOOL, F32, I8, U8
from tl2hip.rule import combine, meaning
from tl2hip.rule.terms import nothing


def test_examples_of_the_words() -> None:
    assert doctest.testmod(meaning).attempted >= 5
    assert doctest.testmod(meaning).failed == 0


@pytest.mark.parametrize("op", meaning.OPERATIONS)
def test_neutral_elements_change_nothing(op: str) -> None:
    for x in (-3.0, 0.0, 2.5, math.inf, -math.inf):
        assert combine(op, meaning.neutral(op), x) == x


def test_maxima_differ_on_nan() -> None:
    nan = math.nan
    assert combine("max", 1.0, nan) == 1.0
    assert math.isnan(combine("max", nan, 1.0))
    assert math.isnan(combine("maximum", 1.0, nan))
    assert math.isnan(combine("minimum", nan, 1.0))


def test_no_other_operation() -> None:
    with pytest.raises(ValueError, match="is none of"):
        combine("-", 1, 2)


def test_integers_have_neutral_elements_of_their_own() -> None:
    (found,) = idioms(
        nest_of_text(
            """
            @kernel
            def largest(x: Tensor[i32, M, N], y: Tensor[i32, M]) -> None:
                for i in range(M):
                    for j in range(N):
                        if x[i, j] != 7:
                            y[i] = max(y[i], x[i, j])
            """
        ),
        "row_reduction",
    )
    assert dict(found.values)["f"].endswith("else np.int32(-2147483648)")
    assert [nothing("min", t).value for t in (I8, U8, BOOL)] == [127, 255, 1]
    assert [nothing("max", t).value for t in (I8, U8, BOOL)] == [-128, 0, 0]
    assert nothing("max", F32).value == -math.inf
    for op, expected in (("&", [-1, 255, True]), ("|", [0, 0, False]), ("^", [0, 0, False])):
        assert [nothing(op, t).value for t in (I8, U8, BOOL)] == expected


def test_a_store_under_a_test_says_so() -> None:
    (found,) = idioms(
        nest_of_text(
            """
            @kernel
            def positive(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
                for i in range(N):
                    if x[i] > 0:
                        y[i] = 1 / x[i]
            """
        ),
        "elementwise",
    )
    assert dict(found.values)["where"] == "x[i] > np.float32(0.0)"


def test_a_large_body_takes_no_longer_than_its_size() -> None:
    lines = ["@kernel", "def many(x: Tensor[f32, N], y: Tensor[f32, N, K]) -> None:", "    for i in range(N):"]
    for n in range(200):
        lines += [f"        t{n} = x[i] * {n} + {f't{n - 1}' if n else 1}", f"        y[i, {n}] = t{n}"]
    nest = nest_of_text("\n".join(lines) + "\n")
    start = time.process_time()
    found = applied(nest)
    assert time.process_time() - start < 5
    assert len([i for i in found.nest.idioms if i.rule == "elementwise"]) == 200
