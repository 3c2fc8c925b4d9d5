"""Constant Python integers: worked out as Python does, and refused where i64 does not hold them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nest.build.helpers import check, refusal
from tests.nest.build.test_loops import over
from tests.nest.build.test_types import elementwise, sample


@pytest.mark.parametrize(
    "expression",
    [
        "(-1) + -9223372036854775808",
        "4611686018427387904 * 2",
        "-(-9223372036854775807 - 1)",
        "abs(-9223372036854775807 - 1)",
        "(-9223372036854775807 - 1) // -1",
        "1 << 63",
        "1 << 10 ** 6",
        "2 ** 63",
        "3 ** 10 ** 9",
        "pow(2, 63)",
        "int(1e30)",
        "math.floor(-1e30)",
        "round(1e30)",
    ],
)
def test_constant_python_integers_past_i64_are_refused(expression: str) -> None:
    code, text = refusal(elementwise("f32", "f32", "f32", expression))
    assert (code, text) == ("TL321", expression)


@pytest.mark.parametrize(
    "expression",
    [
        "2 ** 62 + (2 ** 62 - 1)",
        "(-1) ** 10 ** 9",
        "0 ** 0",
        "0 << 10 ** 6",
        "-1 >> 10 ** 6",
        "(1 << 62) // -3 % 7",
        "int(-1e18)",
        "math.ceil(1.5) + math.trunc(-1.5) + round(2.5)",
        "2 ** -1",
    ],
)
def test_constant_python_integers_are_worked_out(expression: str) -> None:
    x = sample("f32")
    check(elementwise("f32", "f32", "f64", expression), x, x, np.zeros(9))


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        (f"i + {2**63 - 1}", True),
        (f"i - (-{2**63 - 1})", True),
        (f"{2**63 - 1} + i", True),
        (f"-{2**63 - 1} - i", True),
        (f"{2**62 + 1} - (i - 5)", True),  # i - 5 may be below 0
        (f"{2**63 - 1} - i", False),
        (f"i - {2**63 - 1}", False),
        (f"i + (-{2**63 - 1})", False),
        (f"i + i64({2**63 - 1})", False),  # NumPy's own, which wraps
        (f"i + {2**62}", False),
    ],
)
def test_sums_with_constants_at_the_ends_of_i64(expression: str, refused: bool) -> None:
    text = over(f"for i in range(N):\n    y[i] = {expression}", "y: Tensor[i64, N]")
    if refused:
        assert refusal(text) == ("TL321", expression)
    else:
        check(text, np.zeros(3, np.int64))
