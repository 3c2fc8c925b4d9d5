"""NumPy rounds more often than a kernel where it reduces halves: its results lie in a bound that knows where."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from tests.nest.build.helpers import function_of, nest_of
from tests.nest.build.test_types import NUMPY
from tl2hip.dtypes import BF16, F16
from tl2hip.nest.run import run
from tl2hip.prove.bound import Verdict, compare, reference

ROWS, COLUMNS = 9, 5
EXPRESSIONS = (
    *(
        "b.sum(axis=0)",
        "b.sum(axis=1)",
        "b.sum()",
        "b.T.sum(axis=1)",
        "b.T.sum(axis=0)",
        "b[:, 1:].sum()",
        "(b * b).sum(axis=0)",
    ),
    *("b.prod(axis=0)", "b.prod(axis=1)", "b.mean(axis=0)", "b.mean(axis=1)", "b.var(axis=0)", "b.var(axis=1)"),
    *("b.std(axis=0)", "np.std(b)", "np.linalg.norm(b, axis=0)", "np.sum(b, axis=0, dtype=np.float16)"),
    *("np.sum(b, axis=0, dtype=np.float32)", "b @ b[0, :]", "np.cumsum(b[0, :])"),
)


def text(expression: str, dtype: str) -> str:
    return f"""
@kernel
def f(b: Tensor[{dtype}, {ROWS}, {COLUMNS}], c: Tensor[f32, {ROWS}]) -> None:
    c[:] = 0
    c[:{shape(expression)}] = {expression}
"""


def shape(expression: str) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = eval(expression, {"np": np, "b": np.ones((ROWS, COLUMNS), np.float32)})
    return found.shape[0] if found.shape else 1


def judged(nest_text: str, python_text: str, b: np.ndarray) -> Verdict:
    """What Python gives for one text against the nest of another."""
    nest, function = nest_of(nest_text), function_of(python_text, "f")
    c = np.zeros(ROWS, np.float32)
    given = {"b": b, "c": c}
    halves = any(v.numpy for v in nest.variables)
    typed = run(nest, given)["c"]
    bound = reference(nest, given, python=True)["c"]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(b, c)
    return compare(c, bound.typed if halves else typed, bound)


def drawn(dtype: str, mode: str) -> np.ndarray:
    random = np.random.default_rng(5)
    size = (ROWS, COLUMNS)
    values = {
        "normal": random.normal(size=size),
        "positive": random.random(size) + 0.5,
        "integers": random.integers(-3, 4, size),
        "large": random.normal(size=size) * 3000,
    }[mode]
    return values.astype(NUMPY[dtype])


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_numpy_gives_is_within_its_bound(expression: str, dtype: str) -> None:
    for mode in ("normal", "positive", "integers", "large"):
        found = judged(text(expression, dtype), text(expression, dtype), drawn(dtype, mode))
        assert found.good, (mode, found.failures)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("expression", ["b.sum(axis=0)", "b.sum(axis=1)", "b.mean(axis=0)"])
@pytest.mark.parametrize("mode", ["integers", "positive"])
def test_a_row_too_few_is_still_found(expression: str, dtype: str, mode: str) -> None:
    fewer = text(expression, dtype).replace("b.", "(b * (b != b[0, 0])).")
    b = drawn(dtype, mode)
    b[0, 0] = 3
    b[b[:, 0] == 3, 0] = [3, *[2] * (int((b[:, 0] == 3).sum()) - 1)]
    assert not judged(text(expression, dtype), fewer, b).good


@pytest.mark.parametrize(
    ("expression", "held"),
    [
        ("b.sum(axis=1)", None),
        ("b.sum()", None),
        ("(b * b).sum(axis=-1)", None),
        ("b.mean(axis=0)", None),
        ("b.T.sum(axis=0)", None),
        ("(b * b[0, :]).sum(axis=1)", None),
        ("(b[:, 0, None] * b[None, 0, :]).sum(axis=1)", None),
        ("(b[:, 0, None] * b[None, 0, :]).sum(axis=0)", F16),
        ("b.sum(axis=0)", F16),
        ("b.T.sum(axis=1)", F16),
        ("b[:, 1:].sum()", F16),
        ("b.var(axis=1)", F16),
    ],
)
def test_a_sum_that_numpy_takes_in_f32_is_held_to_that(expression: str, held: object) -> None:
    def halves(dtype: str) -> set[object]:
        return {v.numpy for v in nest_of(text(expression, dtype)).variables}

    assert halves("f16") == {held}
    assert halves("bf16") == {BF16}
    assert halves("f32") == {None}
