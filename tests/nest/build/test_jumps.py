"""`break`, `continue` and `return` anywhere: guards and flags that do what Python does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nest.build.helpers import check, codes, refusal
from tests.nest.build.test_loops import draw, over

LEFT = {
    "first": "if x[j] > 0:\n    y[i] = j\n    break",
    "first of two": "y[i] = j\nif x[j] > 1:\n    break\nif x[j] < -1:\n    y[i] = 5\n    break\ny[i] += x[j]",
    "under else": "if x[j] < 1:\n    y[i] += 1\nelse:\n    y[i] -= 1\n    break",
    "both ways": "if x[j] < 1:\n    break\nelse:\n    break\ny[i] = 7",
    "with continue": "if x[j] < 0:\n    continue\nif x[j] > 1:\n    break\ny[i] += x[j]",
    "at once": "y[i] = 3\nbreak",
    "inner of inner": "for k in range(j, N):\n    if x[k] > 1:\n        break\n    y[i] += 1\n"
    "if x[j] > 1:\n    break",
}


def indented(text: str, depth: int) -> str:
    return "".join(f"{'    ' * depth}{line}\n" for line in text.splitlines())


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_a_for_loop_is_left(body: str) -> None:
    text = over(f"for i in range(N):\n    for j in range(i, N):\n{indented(body, 2)}    y[i] *= 2")
    for size in (0, 1, 9):
        check(text, draw(size), np.zeros(size, np.float32))


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_a_while_loop_is_left(body: str) -> None:
    inner = f"j = -1\nwhile j < N - 1:\n    j += 1\n{indented(body, 1)}y[i] *= 2"
    text = over(f"for i in range(N):\n{indented(inner, 1)}")
    for size in (0, 1, 9):
        check(text, draw(size), np.zeros(size, np.float32))


def test_a_test_is_not_asked_again_after_a_break() -> None:
    """`x[j]` past the end is never read: the flag is asked first."""
    inner = "j = 0\nwhile x[j] < 9:\n    j += 1\n    if j == N:\n        break\ny[i] = j"
    body = f"for i in range(N):\n{indented(inner, 1)}"
    check(over(body), draw(5), np.zeros(5, np.float32))


def test_a_name_of_the_user_is_not_taken_for_the_flag() -> None:
    inner = "for go_2 in range(N):\n    if x[go_2] > 0:\n        break\n    y[i] += go"
    body = f"go = 3\nfor i in range(N):\n{indented(inner, 1)}"
    check(over(body), draw(6), np.zeros(6, np.float32))


FIND = """
def find(row, v):
    for j in range(len(row)):
        if row[j] > v:
            return j
    return -1

"""


def test_a_helper_returns_from_its_loop() -> None:
    check(FIND + over("for i in range(N):\n    y[i] = find(x, x[i])"), draw(7), np.zeros(7, np.float32))


def test_a_helper_returns_from_inner_loops_and_after_them() -> None:
    text = """
def place(a, v):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > v:
                return i * 10 + j
            if a[i, j] < -1.5:
                break
        if i == 2:
            return 50
    if v > 0:
        return 70
    return 60

"""
    head = "X: Tensor[f32, M, N], x: Tensor[f32, N], y: Tensor[f32, N]"
    text += over("for k in range(N):\n    y[k] = place(X, x[k])", head)
    for seed in range(4):
        check(text, draw(4, 5, seed=seed), draw(5), np.zeros(5, np.float32))


def test_a_helper_that_returns_nothing_may_leave_its_loop() -> None:
    text = """
def fill(row, v):
    for j in range(len(row)):
        if j > v:
            return
        row[j] = 1
    row[0] = 2

""" + over("for i in range(M):\n    fill(X[i], x[i])", "X: Tensor[f32, M, N], x: Tensor[f32, M]")
    check(text, np.zeros((3, 4), np.float32), np.array([-1, 1, 9], np.float32))


def test_a_helper_that_need_not_return_is_refused() -> None:
    text = "def g(row):\n    for j in range(len(row)):\n        return row[j]\n\n" + over("y[0] = g(x)")
    assert refusal(text)[0] == "TL302"


def test_kernels_that_return_before_their_end() -> None:
    text = over("if N < 3:\n    return\nfor i in range(N):\n    y[i] = x[i]")
    for size in (2, 3):
        check(text, draw(size), np.zeros(size, np.float32))
    summed = "s = f32(0)\nfor i in range(N):\n    s += x[i]\nreturn s"
    text = over(f"if N < 3:\n    return f32(7)\n{summed}").replace("-> None", "-> f32")
    for size in (2, 3):
        check(text, draw(size), np.zeros(size, np.float32))
    assert codes(over("if N < 3:\n    return f32(7)\ny[0] = 1")) == ["TL347"]
    for nothing in ("return", "return None"):
        text = f"for i in range(N):\n    if x[i] > 0:\n        {nothing}\nreturn f32(7)"
        assert refusal(over(text)) == ("TL347", nothing)
