"""Which tensors a function writes, for every way to write one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tl2hip.notation.written import written

from .loading import golden

WAYS = {
    "y[i] = x[i]": "y",
    "y[i, 0] += x[i, 0]": "y",
    "y[i][j] = 1": "y",
    "y[i, :], x[0] = 1, 2": "xy",
    "row = y[i]; row[j] = x[i, j]": "y",
    "row = y[i]; row += x[i]": "y",
    "row = y.T; row[i] = 1": "y",
    "row: Row = y[i, :]; row[:] = 0": "y",
    "a, b = x[i], y[i]; b[0] = a[0]": "y",
    "s = y[i, j]; s += 1": "",
    "s = x[i].sum(); s += y[0, 0]": "",
    "for row in y: row[:] = 0": "y",
    "for i, row in enumerate(y): row[:] = x[i]": "y",
    "for a, b in zip(x, y): b[:] = a": "y",
    "for k, (a, b) in enumerate(zip(x, y)): a[:] = b": "x",
    "np.exp(x, out=y)": "y",
    "np.copyto(y[i], x[i])": "y",
    "np.add.at(y, x, 1)": "y",
    "y.fill(0)": "y",
    "del x[0]": "x",
    "helper(x, y[i])": "y",
    "helper(target=x[0], source=y)": "x",
    "helper(x, y[i, j])": "",
    "np.dot(x, y)": "",
}


@pytest.mark.parametrize(("body", "expected"), WAYS.items())
def test_ways(tmp_path: Path, body: str, expected: str) -> None:
    helper = "def helper(source, target):\n    target[0] = source\n    helper(source, source)\n"
    text = f"def f(x, y, i, j):\n    {body}\n{helper}"
    file = tmp_path / "f.py"
    file.write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, str(file), "exec", dont_inherit=True), names)
    assert written(names["f"], {"x": 2, "y": 2}) == set(expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gemm", {"C"}),
        ("jacobi_time", {"A", "B"}),
        ("black_scholes", {"call", "put"}),
        ("layernorm", {"Y"}),
        ("pairwise", set()),
        ("argmax", {"value", "index"}),
    ],
)
def test_goldens(name: str, expected: set[str]) -> None:
    assert getattr(golden(name), name)._written == expected
