"""What a choice between a Python number and a NumPy one gives: the number that Python has, or a refusal."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nest.build.helpers import check, refusal
from tests.nest.build.test_loops import over
from tests.nest.build.test_types import NUMPY, sample


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "first = i8(100)\nfor i in range(N):\n    first = min(first, i * 1000)\ny[0] = first",
            ("TL323", "min(first, i * 1000)"),
        ),
        ("first = i8(1) if N > 3 else 300\ny[0] = first", ("TL323", "i8(1) if N > 3 else 300")),
        ("first = i16(1)\nif N > 3:\n    first = N\ny[0] = first", ("TL304", "first")),
        ("first = 1000\nfor i in range(N):\n    first = min(first, i8(i))\ny[0] = first", ("TL304", "first")),
        ("first = N\nfor i in range(N):\n    first = min(first, i8(i))\ny[0] = first", ("TL304", "first = N")),
        ("n = 0\nfor i in range(N):\n    n += 1\ny[0] = max(i8(3), n)", ("TL323", "max(i8(3), n)")),
        ("y[0] = max(u32(3), N - 5)", ("TL323", "max(u32(3), N - 5)")),
        ("first = 2**40\nfor i in range(N):\n    first = min(first, y[i])\ny[0] = first", ("TL304", "first")),
    ],
)
def test_a_python_integer_is_not_cut_down_to_a_narrow_dtype(body: str, expected: tuple[str, str]) -> None:
    assert refusal(over(body, "y: Tensor[i32, N]")) == expected


HALVES = "x: Tensor[{0}, M, N], y: Tensor[f32, M], z: Tensor[{0}, M], b: float"
OVER_ROWS = """
for i in range(M):
    m = {start}
    for j in range(N):
        m = max(m, x[i, j])
    y[i] = m
"""


@pytest.mark.parametrize(
    ("dtype", "body", "expected"),
    [
        ("f16", OVER_ROWS.format(start="-1e30"), ("TL304", "m")),
        ("bf16", OVER_ROWS.format(start="-1e30"), ("TL304", "m")),
        ("f16", OVER_ROWS.format(start="2049"), ("TL304", "m")),
        ("f16", OVER_ROWS.format(start="b"), ("TL304", "m = b")),
        ("f16", OVER_ROWS.format(start="math.sqrt(x[i, 0])"), ("TL304", "m = math.sqrt(x[i, 0])")),
        (
            "f16",
            OVER_ROWS.replace("max(m, x[i, j])", "x[i, j] if x[i, j] > m else m").format(start="0.1"),
            ("TL304", "m"),
        ),
        ("f16", "t = 0.1\nif M > 3:\n    t = x[0, 0]\ny[0] = t", ("TL304", "t")),
        ("f16", "y[0] = max(x[0, 0], 0.1)", ("TL323", "max(x[0, 0], 0.1)")),
        ("bf16", "y[0] = x[0, 0] if M > 3 else b", ("TL323", "x[0, 0] if M > 3 else b")),
        ("f16", "y[0] = sum((x[0, j] for j in range(N)), 0.1)", ("TL323", "sum((x[0, j] for j in range(N)), 0.1)")),
        ("f16", "z[0] = max(x[0, 0], 0.1) * 3", ("TL323", "max(x[0, 0], 0.1)")),
    ],
)
def test_a_python_float_is_not_rounded_where_python_keeps_it(
    dtype: str, body: str, expected: tuple[str, str]
) -> None:
    """A row without elements would leave `m` the float -1e30, not the -inf that f16 makes of it."""
    assert refusal(over(body, HALVES.format(dtype))) == expected


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("columns", [0, 3])
def test_a_python_number_that_a_half_holds_is_carried_in_it(dtype: str, columns: int) -> None:
    head, x = HALVES.format(dtype), sample(dtype, 5 * columns).reshape(5, columns) / NUMPY[dtype](99)
    for start in ("-math.inf", "0.5", "0", "-256", f"{dtype}(-1e30)"):
        nest = check(over(OVER_ROWS.format(start=start), head), x, np.ones(5, "f4"), np.ones(5, NUMPY[dtype]), 0.1)
        assert [v.dtype.name for v in nest.variables] == [dtype]
    straight = "y[0] = 0.1\nt = 0.1\nfor j in range(N):\n    t = x[0, j]\n    y[0] += t"
    check(over(straight, head), x, np.ones(5, "f4"), np.ones(5, NUMPY[dtype]), 0.1)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize(
    "choice",
    [
        "max(x[i, 0], 0.1)",
        "f32(x[i, 0] if x[i, 1] > 0 else 0.5 if i > 1 else 0.25)",
        "min(max(x[i, 0], 0.1), 0.3)",
        "x[i, 0] if x[i, 0] > 1 else max(b, x[i, 1])",
    ],
)
def test_a_choice_that_is_stored_as_it_is_may_round(dtype: str, choice: str) -> None:
    x = sample(dtype, 10).reshape(5, 2)
    text = over(f"for i in range(M):\n    z[i] = {choice}", HALVES.format(dtype))
    check(text, x, np.ones(5, "f4"), np.ones(5, NUMPY[dtype]), 0.1)
