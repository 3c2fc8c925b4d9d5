"""The user's own functions as `verify` calls them."""

from __future__ import annotations

import numpy as np

from tl2hip.prove.python import function, in_order, run_text

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
