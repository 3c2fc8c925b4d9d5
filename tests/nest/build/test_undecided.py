"""Values that may be NumPy's or the Python number they started as: their results are right for both, or refused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nest.build.helpers import check, refusal
from tests.nest.build.test_loops import over
from tests.nest.build.test_types import NUMPY, sample

LARGEST = """
for i in range(M):
    m = {start}
    for j in range(N):
        m = max(m, x[i, j])
    y[i] = {use}
"""
HEAD = "x: Tensor[{0}, M, N], y: Tensor[{1}, M], z: Tensor[{2}, M], n: int"


def largest(dtype: str, result: str, start: str, use: str, other: str = "f16") -> str:
    return over(LARGEST.format(start=start, use=use), HEAD.format(dtype, result, other))


@pytest.mark.parametrize(
    ("dtype", "result", "start", "use"),
    [
        ("i8", "i32", "5", "m * 100"),  # 500, or wrapped in i8
        ("i8", "i32", "5", "m + n"),
        ("i8", "i32", "-128", "-m"),
        ("i8", "i32", "5", "np.abs(m) + 125"),
        ("i8", "i32", "5", "m << 6"),
        ("f16", "f32", "1.0", "m / 3"),
        ("f16", "f32", "1.0", "m + 1e-4"),
        ("f16", "f32", "1.0", "np.sqrt(m + 1)"),  # f64 of 2, or f16
        ("f16", "i32", "0.0", "m < 1e-9"),  # 1e-9 is 0 in f16
        ("f16", "f32", "1.0", "m * n"),
        ("f32", "f32", "1.0", "m * z[i]"),  # f16, or f32
        ("f32", "f64", "0.1", "m"),  # f32 rounds it
        ("i32", "i64", "5", "m * 2000000000"),
        ("i32", "i32", "5", "m * z[i]"),
    ],
)
def test_what_would_differ_is_refused(dtype: str, result: str, start: str, use: str) -> None:
    other = "i8" if use == "m * z[i]" and dtype == "i32" else "f16"
    assert refusal(largest(dtype, result, start, use, other)) == ("TL328", "y[i] = m" if use == "m" else use)


@pytest.mark.parametrize(
    ("dtype", "result", "start", "use"),
    [
        ("i8", "i32", "5", "m"),
        ("i8", "i32", "5", "m + 1"),
        ("i8", "i32", "1", "m * 100"),
        ("i8", "i32", "0", "m * 100"),
        ("i8", "i32", "5", "i32(m) * 100"),
        ("i8", "i32", "i8(5)", "m * 100"),
        ("i8", "i32", "5", "int(m) * 100"),
        ("i8", "i32", "5", "m * x[i, 0]"),
        ("i8", "f32", "5", "m / 3"),
        ("i8", "i32", "5", "1 if m > 4 else 0"),
        ("i16", "i32", "5", "m * 1000"),
        ("f16", "f32", "1.0", "m"),
        ("f16", "f32", "1.0", "m / 4 + 1"),
        ("f16", "f32", "0.0", "m / 3"),
        ("f16", "f32", "f16(1.0)", "m / 3"),
        ("f16", "f32", "1.0", "f32(m) / 3"),
        ("f16", "f32", "1.0", "m / z[i]"),
        ("f16", "f32", "-math.inf", "m - 1"),
        ("f32", "f32", "0.0", "m * z[i]"),
        ("f32", "f32", "0.0", "m + z[i]"),
        ("f32", "f32", "1.0", "m / 3"),
        ("bf16", "f32", "1.0", "m + 0.01"),  # in f32
        ("i8", "f32", "5", "m * z[i]"),  # in f16
        ("i32", "i32", "5", "m + n"),
    ],
)
def test_what_is_the_same_for_both_converts(dtype: str, result: str, start: str, use: str) -> None:
    x = sample(dtype, 12).reshape(3, 4)
    x[0] = -90  # the first row leaves the start as it is
    check(largest(dtype, result, start, use), x, np.zeros(3, NUMPY[result]), sample("f16", 3), 2)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("m = 1\nfor j in range(N):\n    m = x[j] if x[j] > 3 else 2\ny[0] = m * 100", "m * 100"),
        ("m = 3\nif n > 2:\n    m = x[0]\ny[0] = m * 100", "m * 100"),
        ("m = 3 if n > 2 else x[0]\ny[0] = m * 100", "m * 100"),
        ("m = 3\nfor j in range(N):\n    if x[j] > m:\n        m = x[j]\ny[0] = m * 50", "m * 50"),
        ("m = sum((x[j] for j in range(N)), 3)\ny[0] = m * 100", "m * 100"),
        ("m = max(x[j] if x[j] > 3 else 3 for j in range(N))\ny[0] = m * 100", "m * 100"),
        ("m = 3\nfor j in range(N):\n    m = max(m, x[j])\nk = m\ny[0] = k * 100", "k * 100"),
        ("a = 100\nb = x[0]\nif n > 2:\n    a, b = b, a\ny[0] = a + b", "a + b"),
        ("found = True\nif n > 2:\n    found = x[0] > 1\ny[0] = found + True", "found + True"),
    ],
)
def test_every_way_to_carry_such_a_value_is_followed(body: str, expected: str) -> None:
    assert refusal(over(body, "x: Tensor[i8, N], y: Tensor[i32, N], n: int")) == ("TL328", expected)


def test_a_slice_takes_such_a_value_as_an_element_does() -> None:
    body = "m = 0.1\nif n > 2:\n    m = x[0]\ny[:] = m"
    assert refusal(over(body, "x: Tensor[f32, N], y: Tensor[f64, N], n: int")) == ("TL328", "y[:] = m")
    check(over(body, "x: Tensor[f32, N], y: Tensor[f32, N], n: int"), sample("f32"), np.zeros(9, "f4"), 2)


@pytest.mark.parametrize(
    "use", ["m.astype(np.float32)", "m.ndim", "sum(x[j] for j in range(n)).astype(np.float32)"]
)
def test_what_python_numbers_do_not_have_is_refused(use: str) -> None:
    body = f"m = 3\nif n > 2:\n    m = x[0]\ny[0] = {use}"
    assert refusal(over(body, "x: Tensor[i8, N], y: Tensor[f32, N], n: int")) == ("TL328", use)


def test_an_array_of_such_a_value_says_its_dtype() -> None:
    body = "m = 3\nif n > 2:\n    m = x[0]\n{}\ny[0] = t[0]"
    head = "x: Tensor[i8, N], y: Tensor[i32, N], n: int"
    assert refusal(over(body.format("t = np.full(4, m)"), head)) == ("TL323", "np.full(4, m)")
    check(over(body.format("t = np.full(4, m, dtype=np.int32)"), head), sample("i8"), np.zeros(9, "i4"), 2)
