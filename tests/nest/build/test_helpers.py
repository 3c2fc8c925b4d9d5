"""Functions of the file that a kernel calls are built where they are called."""

from __future__ import annotations

import pytest

from tests.nest.build.helpers import built, check, refusal, underlined
from tests.nest.build.test_loops import draw, over
from tl2hip.source.problems.base import show
from tl2hip.source.span import Source

CLAMP = """
def clamp(x, low, high=3):
    if x < low:
        return low
    if x > high:
        return high
    return x

"""


def test_a_helper_of_one_return_is_an_expression() -> None:
    text = "def square(x):\n    return x * x\n\n" + over(
        "for i in range(N):\n    y[i] = square(x[i] + 1) + square(2)"
    )
    assert check(text, draw(5), draw(5)).variables == ()
    loop = "for i in range(N):\n    while square(x[i]) > 1:\n        x[i] *= 0.5\n    y[i] = x[i]"
    text = "def square(x):\n    return x * x\n\n" + over(loop)
    check(text, draw(5), draw(5))


def test_early_returns_become_branches() -> None:
    text = CLAMP + over("for i in range(N):\n    y[i] = x[clamp(i - 2, 0, N - 1)] + clamp(x[i], -1)")
    check(text, draw(7), draw(7))


def test_names_of_a_helper_are_its_own() -> None:
    text = """
def total(row, scale):
    s = f32(0)
    for j in range(len(row)):
        s += row[j] * scale
    j = 3
    return s + j

""" + over(
        "s = f32(1)\nfor i in range(M):\n    s = s + total(X[i], x[i])\n    x[i] = s",
        "X: Tensor[f32, M, N], x: Tensor[f32, M]",
    )
    check(text, draw(3, 4), draw(3))


def test_a_helper_changes_the_arrays_it_is_given() -> None:
    text = """
def scale(row, by: float = 2.0) -> None:
    for j in range(row.shape[0]):
        row[j] *= by

""" + over("for i in range(M):\n    scale(X[i])\n    scale(X[i], by=3)", "X: Tensor[f32, M, N]")
    check(text, draw(3, 4))


def test_helpers_that_call_helpers() -> None:
    text = ("def twice(x):\n    return x + x\n\ndef four(x):\n    y = twice(x)\n    return twice(y)\n\n") + over(
        "for i in range(N):\n    y[i] = four(x[i])"
    )
    check(text, draw(5), draw(5))


def test_refusals() -> None:
    text = CLAMP + over("y[0] = clamp(x[0])")
    assert refusal(text) == ("TL342", "clamp(x[0])")
    text = "def g(x):\n    return x + nothing\n\n" + over("y[0] = g(x[0])")
    assert refusal(text) == ("TL301", "nothing")
    text = "def g(x):\n    t = x[0, 0]\n    return t\n\n" + over("y[0] = g(x) + 1")
    assert refusal(text) == ("TL330", "x[0, 0]")


def test_the_test_of_a_while_may_need_statements() -> None:
    text = CLAMP + over(
        "i = 0\nwhile clamp(i, 0) < 2 and i < N:\n    i += 1\n    if i == 1:\n        continue\n    y[i - 1] = i"
    )
    check(text, draw(3), draw(3))


def test_a_problem_in_a_helper_says_which_calls_led_there() -> None:
    text = "def g(x):\n    t = x[0, 0]\n    return t\n\ndef h(x):\n    return g(x) + 1\n\n" + over("y[0] = h(x)")
    _, problems, source = built(text)
    (problem,) = problems
    assert underlined(problem, source) == "x[0, 0]"
    assert show(problem, source).splitlines()[3:5] == [
        f"  called on line {_line(source, 'return g(x)')}: return g(x) + 1",
        f"  called on line {_line(source, 'y[0] = h(x)')}: y[0] = h(x)",
    ]


def _line(source: Source, text: str) -> int:
    return next(n for n, line in enumerate(source.lines, 1) if text in line)


BUMP = """
def bump(a, i):
    a[i] += 1
    return a[i]

"""


@pytest.mark.parametrize(
    "statement",
    [
        "y[i] = x[i] * 10 + bump(x, i)",
        "y[i] = 2 * bump(x, i)",
        "y[i] = 1 if x[i] > 0 and bump(x, i) > 0 else 2",
        "y[bump(x, i) > 0] = x[i]",
        "y[i] += bump(x, i)",
        "a, b = x[i], bump(x, i)",
        "y[i] = max(x[i], bump(x, i))",
        "y[i] = x[i] if x[i] > 3 else bump(x, i)",
        "while bump(x, i) < 3:\n        y[i] += 1",
    ],
)
def test_a_call_that_changes_an_array_stands_alone(statement: str) -> None:
    text = BUMP + over(f"for i in range(N):\n    {statement}", "x: Tensor[f32, N], y: Tensor[f32, N]")
    assert refusal(text) == ("TL350", "bump(x, i)")


@pytest.mark.parametrize(
    "statement",
    [
        "y[i] = bump(x, i)",
        "bump(x, i)",
        "v = w = bump(x, i)\n    y[i] = v + w",
        "v = x[i]\n    v += bump(x, i)\n    y[i] = v",
    ],
)
def test_a_call_that_changes_an_array_may_be_all_of_a_value(statement: str) -> None:
    text = BUMP + over(f"for i in range(N):\n    {statement}", "x: Tensor[f32, N], y: Tensor[f32, N]")
    check(text, draw(4), draw(4))


@pytest.mark.parametrize("last", ["return a", "if a > 1:\n        return a\n    return -a"])
def test_a_helper_returns_a_value_on_every_way_or_on_none(last: str) -> None:
    helper = f"def h(a):\n    if a > 3:\n        return None\n    {last}\n"
    assert refusal(helper + over("for i in range(N):\n    y[i] = h(x[i])")) == ("TL347", "return None")
    text = helper.replace("return None", "return 7") + over("for i in range(N):\n    y[i] = h(x[i])")
    check(text, draw(4), draw(4))
