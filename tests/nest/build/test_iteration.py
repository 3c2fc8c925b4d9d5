"""Loops over arrays and their kin, and Python's reductions, beside what plain Python gives."""

from __future__ import annotations

import pytest

from tests.nest.build.helpers import check, codes
from tests.nest.build.test_loops import draw, over

ONE = [
    "for i, v in enumerate(x, start=2):\n    y[i - 2] = v * i",
    "for i, (j, v) in enumerate(enumerate(x, 1), 1):\n    y[i - 1] = v * j",
    "for a, b in zip(x[2:], x):\n    y[0] += a - b",
    "for i, a, b in zip(range(1, N), x, y):\n    x[i] = a + b",
    "for a, i in zip(x, range(N)):\n    x[N - 1 - i] = a * 2\n    y[i] = a",
    "for i in range(len(x)):\n    y[i] = x[len(x) - 1 - i]",
    "for i, v in zip(reversed(range(N)), reversed(x)):\n    y[i] = v + i",
    "for v, (i, w) in zip(x, enumerate(y)):\n    y[i] = v - w",
    "n = 0\nfor v in x:\n    if v > 0:\n        continue\n    n += 1\ny[0] = n",
    "v = f32(7)\nfor v in x[:2]:\n    y[0] += v\nfor i, v in enumerate(x[1:3]):\n    y[i] -= v",
    "v = 3\ny[0] = sum(v * v for v in x) + v",
    "for i in range(N):\n    y[i] = sum(x[j] for j in range(i)) - max(x[j] for j in range(i + 1))",
    "y[0] = sum(sum(a * b for a in x) for b in x)",
    "y[1] = sum(x[i] for i in range(0, N, 2) if x[i] > 0)",
    "y[0] = min(x)\ny[1] = max(x[1:])\ny[2] = max(abs(v) for v in x)",
    "y[0] = any(v > 1 for v in x) + 2 * all(v < 1 for v in x)",
    "if any(v > 0.5 for v in x):\n    y[0] = 5",
    "i = 3\ns = sum(i for i in range(N))\ny[0] = s + i",
    "y[0] = max(i * (N - i) for i in range(N + 1))",
    "y[0] = sum(i * v for i, v in enumerate(x, 1))",
    "y[0] = sum((a - b) ** 2 for a, b in zip(x, y))",
]


@pytest.mark.parametrize("body", ONE)
def test_as_plain_python(body: str) -> None:
    for n in (3, 4, 7):
        check(over(body), draw(n), draw(n, seed=2))


ROWS = [
    "for row in X:\n    row[0] = sum(row)",
    "for row, v in zip(X, w):\n    for j in range(len(row)):\n        row[j] *= v",
    "for i, row in enumerate(X[1:], 1):\n    w[i] = max(row)",
    "for row in reversed(X):\n    w[0] = w[0] / 2 + row[1]",
    "for j, column in enumerate(X.T):\n    for v in column:\n        w[0] += v * j",
]


@pytest.mark.parametrize("body", ROWS)
def test_rows_are_views(body: str) -> None:
    check(over(body, "X: Tensor[f32, M, N], w: Tensor[f32, M]"), draw(3, 4), draw(3))


@pytest.mark.parametrize(
    "body",
    [
        "for v in reversed(enumerate(x)):\n    y[0] = v[0]",
        "for a, b in reversed(zip(x, y)):\n    y[0] = a",
        "for i in reversed(reversed(range(N))):\n    y[i] = i",
        "for a, b in enumerate(zip(x)):\n    y[0] = b",
        "for i, v in x:\n    y[0] = v",
        "for v in 3:\n    y[0] = v",
        "for v in enumerate(x, 0.5):\n    y[0] = v[0]",
        "y[0] = sum(v for v in N)",
        "y[0] = max((v for v in x if v > 0))",
        "y[0] = max(x, key=abs)",
    ],
)
def test_what_python_raises_for_is_refused(body: str) -> None:
    assert codes(over(body))
