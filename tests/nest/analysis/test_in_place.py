"""Where an input may be the output."""

from __future__ import annotations

import pytest

from tests.nest.analysis.helpers import make
from tl2hip.nest.dependence import in_place_ok

ROWS = """
array x[m, n]
array y[m, n]
var top: f32, s: f32
for i in range(m):
    top = 0
    for j in range(n):
        top = max(top, x[i, j])
    s = 0
    for j in range(n):
        s += x[i, j] - top
    for j in range(n):
        y[i, j] = {value}
"""

CASES = {
    "elementwise": (True, "array x[n]\narray y[n]\nfor i in range(n):\n    y[i] = x[i] * 2"),
    "shifted": (False, "array x[n]\narray y[n]\nfor i in range(1, n):\n    y[i] = x[i - 1]"),
    "reversed": (False, "array x[n]\narray y[n]\nfor i in range(n):\n    y[i] = x[n - 1 - i]"),
    "transposed": (
        False,
        "array x[n, n]\narray y[n, n]\nfor i in range(n):\n    for j in range(n):\n        y[i, j] = x[j, i]",
    ),
    "softmax": (True, ROWS.format(value="(x[i, j] - top) / s")),
    "waits through the sum": (True, ROWS.format(value="x[i, j] / s")),
    "waits for the first loop only": (False, ROWS.format(value="x[i, j] / top")),
    "waits for nothing": (False, ROWS.format(value="x[i, j]")),
    "read again after": (
        False,
        "array x[n]\narray y[n]\narray z[n]\nfor i in range(n):\n    y[i] = 1\n    z[i] = x[i]",
    ),
    "one launch after the other": (
        True,
        "array x[n]\narray y[n]\narray z[n]\nfor i in range(n):\n    z[i] = x[n - 1 - i]\n"
        "for i in range(n):\n    y[i] = 2",
    ),
    "beside each other in a block": (
        False,
        "array x[m, n]\narray y[m, n]\narray z[m, n]\nfor i in range(m):\n    for j in range(n):\n"
        "        z[i, j] = x[i, j]\n    for j in range(n):\n        y[i, j] = 2",
    ),
    "an operand of the sum": (
        False,
        "array x[n, n]\narray y[n, n]\nfor i in range(n):\n    for j in range(n):\n"
        "        for k in range(n):\n            y[i, j] += x[i, k] * 2",
    ),
    "softmax that keeps its powers": (
        True,
        ROWS.format(value="x[i, j] - top").replace("        s += x[i, j] - top", "        pass")
        + "        s += y[i, j]\n    for j in range(n):\n        update('*', y[i, j], s)",
    ),
    "read where it is not written": (
        False,
        "array x[m, n]\narray y[m, n]\narray z[m, n]\nfor i in range(m):\n    for j in range(n):\n"
        "        if j > 3:\n            y[i, j] = 2\n        z[i, j] = x[i, j]\n"
        "    for j in range(n):\n        y[i, j] = 3",
    ),
    "read where it is written": (
        True,
        "array x[m, n]\narray y[m, n]\nfor i in range(m):\n    for j in range(n):\n"
        "        y[i, j] = x[i, j]\n    for j in range(n):\n        y[i, j] += 3",
    ),
    "never written": (False, "array x[n]\narray y[n]\narray z[n]\nfor i in range(n):\n    z[i] = x[i] + y[i]"),
    "another dtype": (False, "array x[n]: f16\narray y[n]\nfor i in range(n):\n    y[i] = f32(x[i])"),
}


@pytest.mark.parametrize("name", CASES)
def test_in_place(name: str) -> None:
    right, text = CASES[name]
    assert in_place_ok(make(text), "y", "x") is right
