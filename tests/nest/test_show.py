"""The text of a nest: readable, and it runs."""

from __future__ import annotations

from tests.nest.build.helpers import check, nest_of
from tests.nest.build.test_loops import draw, over
from tl2hip.nest.show import show, show_expr


def test_the_text_of_a_small_kernel() -> None:
    text = over(
        '"""Doubles."""\ni: Tile[int, 64, unroll(2)]\nfor i in range(N):\n    t = x[i] * 2\n    y[i] += t + i * 0.5'
    )
    assert show(nest_of(text)) == (
        "import numpy as np\n"
        "\n"
        "\n"
        "def f(x, y):\n"
        '    """Doubles."""\n'
        "    N = x.shape[0]\n"
        "    for i in range(N):  # tile: 64, unroll(2)\n"
        "        # t = x[i] * 2\n"
        "        t = x[i] * np.float32(2.0)\n"
        "        # y[i] += t + i * 0.5\n"
        "        y[i] += t + np.float32(np.float64(i) * 0.5)\n"
    )


def test_parentheses_only_where_needed() -> None:
    for e in (
        "(x[i] - 1) - (x[i] - 2)",
        "-(x[i] + 1) * 3",
        "2 * (x[i] + i) / (x[i] + 100)",
        "(x[i] > 0) == (i > 2)",
        "(1 if i > 2 else 3) + i",
        "-(-i) - -3",
        "(-i) ** 2 - -(i ** 2)",
        "i - (i - (i - 1))",
        "i // (2 * 3) % (i + 1)",
        "not (i > 2 or (x[i] > 0 and i < 1))",
        "(i << 2) + (i & 3 | 4)",
        "-2.5 - -1.5 + i",
    ):
        check(over(f"for i in range(N):\n    y[i] = {e}"), draw(7), draw(7))


def test_names_that_the_text_uses_itself() -> None:
    body = (
        "max = x[0]\nfor range_ in range(N):\n"
        "    max = max if max > x[range_] else x[range_]\n    np_ = abs(x[range_])\n"
        "    y[range_] = np_"
    )
    check(over(body), draw(6), draw(6))
    head = "abs: Tensor[f32, N], y: Tensor[f32, N]"
    check(
        over("for i in range(N):\n    y[i] = -abs[i] if abs[i] < 0 else abs[i]\n    y[i] = max(y[i], 1)", head),
        draw(6),
        draw(6),
    )


def test_two_loops_over_one_name_inside_each_other() -> None:
    body = "for i in range(2):\n    for i in range(N):\n        y[i] += x[i]"
    text = show(nest_of(over(body)))
    check(over(body), draw(3), draw(3))
    assert "for i_2 in range(N):" in text


def test_dims_that_no_array_tells_are_keywords() -> None:
    text = "@kernel\ndef f(y: Tensor[f32, N * K]) -> None:\n    for i in range(K):\n        y[i] += 1\n"
    assert "def f(y, *, K):" in show(nest_of(text))


def test_special_values_and_narrow_types() -> None:
    body = """
for i in range(N):
    y[i] = -math.inf if i == 0 else math.nan
    y[i] = f32(bf16(x[i])) + f32(f16(0.1)) + f32(f8e4m3(3)) + i8(x[i])
"""
    check(over(body), draw(4), draw(4))


def test_one_expression() -> None:
    nest = nest_of(over("for i in range(N - 1):\n    y[i] = x[i]"))
    loop = nest.body[0]
    assert show_expr(nest, loop.axis.stop) == "N - 1"  # type: ignore[union-attr]
