"""The user's own functions as `verify` calls them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tl2hip.prove.python import PythonFails, function, in_order, run_file, run_text

ARTICLE = """
import tl2hip as tl

def f(M, N):
    y = tl.OutputTensor("y", [M], "float32")
    x = tl.InputTensor("x", [M, N], "float32")
    z = tl.OutputTensor("z", [M], "float64")
    i, j = tl.TileLoop([M, N], [8, 8])
    y[i].store(x[i, j].load())
    z[i].store(tl.max(x[i, j].load(), axis=1))
    return tl.CompileKernel(f)
"""


def test_an_article_kernel_fills_the_arrays_passed_for_its_outputs() -> None:
    found = in_order(function(run_text(ARTICLE, "k.py"), "f", {}), ("y", "x", "z"))
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y, z = np.full(2, 7, np.float32), np.full(2, 7.0)
    assert found(y, x, z) is None
    assert y.tolist() == [3, 12] and z.tolist() == [2, 5]


def test_any_other_function_is_called_as_it_is() -> None:
    text = "from tl2hip import Tensor, f32\n\ndef f(x: Tensor[f32, 2]) -> None:\n    x[0] = 3\n"
    given = function(run_text(text, "k.py"), "f", {})
    assert in_order(given, ("x",)) is given


def test_keyword_only_parameters_are_passed_by_name() -> None:
    head = "from tl2hip import Tensor, f32\n\ndef f(x: Tensor[f32, 2], *, a: f32, b: int = 2) -> None:\n"
    module = run_text(head + "    x[0] = a * b\n", "k.py")
    x = np.zeros(2, np.float32)
    in_order(function(module, "f", {}), ("x", "a", "b"))(x, 2.0, 3)
    assert x[0] == 6
    in_order(function(module, "f", {"b": 5}), ("x", "a"))(x, 2.0)
    assert x[0] == 10


def test_a_file_may_take_its_folder_from_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = list(sys.path)
    for n, line in enumerate(("sys.path.pop(0)", "sys.path.append('/nowhere')")):
        path = tmp_path / f"k{n}.py"
        path.write_text(f"import sys\n{line}\n", encoding="utf-8")
        run_file(path)
    assert sys.path == [*before, "/nowhere"]


def test_what_a_file_raises_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    for line, words in (("1 / 0", "ZeroDivisionError: division by zero"), ("exit(3)", "SystemExit: 3")):
        path.write_text(f"x = 1\n{line}\n", encoding="utf-8")
        with pytest.raises(PythonFails) as raised:
            run_file(path)
        assert (str(raised.value), raised.value.line) == (words, 2)


def test_stopping_a_file_by_hand_stops_everything(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        run_file(path)
