"""Every kernel file here gets through the reader: what runs on NumPy is also what the compiler reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tl2hip.source.load import load
from tl2hip.source.problems.base import Report, show
from tl2hip.source.read import read
from tl2hip.source.span import Source

from .loading import GOLDEN, ROOT

FILES = [
    *sorted(GOLDEN.glob("*/kernel.py")),
    *sorted(file for file in (ROOT / "tests" / "kernels").glob("*.py") if not file.stem.startswith(("_", "test_"))),
    Path(__file__).parent / "samples.py",
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_is_read(file: Path) -> None:
    source = load(file)
    report = Report(source)
    module = read(source, report)
    assert module.kernels and not module.refused
    assert not report.problems, "\n".join(show(problem, source) for problem in report.problems)


@pytest.mark.parametrize(
    "imports",
    [
        "from tl2hip import *",
        "from tl2hip import (Tensor, dims, kernel, f32)",
        "from tl2hip import (\n    Tensor,\n    dims,\n    f32,\n    kernel,\n)",
    ],
)
def test_imports_of_every_form(imports: str) -> None:
    function = "@kernel\ndef f(x: Tensor[f32, N]):\n    for i in range(N):\n        x[i] = 1\n"
    text = f"{imports}\nN = dims('N')\n{function}"
    source = Source("f.py", text)
    report = Report(source)
    assert read(source, report).kernels == ("f",) and not report.problems
