"""Kernels in notebooks: the text the compiler reads is the cell's own, with what other cells gave it."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import pytest

from tl2hip.notation.home import home
from tl2hip.source.problems.base import Report, show
from tl2hip.source.read import read
from tl2hip.source.span import Source

IMPORTS = """\
import math
import numpy as np
from math import exp as e_to
from numpy.typing import NDArray
import tl2hip
from tl2hip import Tensor, Tile, dims, f32, kernel as hip_kernel
"""
NAMES = """\
H, FH, N = dims("H FH N")
OUT = H - FH + 1
LIMIT, SCALE, LOW = 3, 0.5, -math.inf
def helper(x):
    return second(x) * SCALE
def second(x):
    return e_to(x) + N
"""
KERNEL = """\
@hip_kernel
def conv(x: Tensor[f32, H], w: Tensor[f32, FH], y: Tensor[f32, H - FH + 1]) -> NDArray[np.float32]:
    i: Tile[int, 64]
    z = np.zeros(OUT, dtype=np.float32)
    for i in range(OUT):
        m = f32(LOW)
        for a in range(min(FH, LIMIT)):
            m = max(m, helper(x[i + a]) * w[a])
        z[i] = m
    return z
"""


def run_cells(monkeypatch: pytest.MonkeyPatch, *cells: str) -> dict[str, Any]:
    """The names after running cells one by one, as a notebook does."""
    names: dict[str, Any] = {}
    for number, text in enumerate(cells):
        file = f"<cell {number}>"
        monkeypatch.setitem(linecache.cache, file, (len(text), None, text.splitlines(True), file))
        exec(compile(text, file, "exec", dont_inherit=True), names)
    return names


def check_read(text: Path | str) -> None:
    assert isinstance(text, str)
    source = Source("<cell>", text)
    report = Report(source)
    assert read(source, report).kernels == ("conv",)
    assert not report.problems, "\n".join(show(problem, source) for problem in report.problems)


def test_one_cell_with_everything_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    names = run_cells(monkeypatch, IMPORTS + NAMES + KERNEL)
    text = home(names["conv"].function)
    assert text == IMPORTS + NAMES + KERNEL
    check_read(text)


def test_what_other_cells_bind_is_added_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    names = run_cells(monkeypatch, IMPORTS, NAMES, KERNEL)
    text = home(names["conv"].function)
    assert isinstance(text, str) and text.startswith(KERNEL)
    added = text[len(KERNEL) :].split("\n")
    for line in (
        "from tl2hip import kernel as hip_kernel",
        "from tl2hip import f32 as f32",
        "import numpy as np",
        "from math import exp as e_to",
        "from numpy.typing import NDArray as NDArray",
        'H = tl2hip.dims("H")',
        "OUT = (H - FH) + 1",
        "LIMIT = 3",
        "SCALE = 0.5",
        'LOW = float("-inf")',
        "def helper(x):",
        "def second(x):",
    ):
        assert line in added, text
    assert len(added) == len(set(added)) + 1  # the empty line before and after
    check_read(text)
    again: dict[str, Any] = {}
    exec(compile(text.replace(KERNEL, "") + KERNEL, "<whole>", "exec", dont_inherit=True), again)
    assert repr(again["conv"]) == repr(names["conv"])


def test_a_file_is_named_and_not_read(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(IMPORTS + NAMES + KERNEL)
    names: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec", dont_inherit=True), names)
    assert home(names["conv"].function) == file
