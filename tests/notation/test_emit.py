"""Kernel objects reach the compiler: the text they give is the command line's."""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import tl2hip

from .loading import GOLDEN, golden


def test_emit_hip_is_the_files_own() -> None:
    kernel = golden("add").add
    text = kernel.emit_hip()
    assert text == tl2hip.emit_hip(GOLDEN / "add" / "kernel.py", kernel="add")
    assert "add_kernel" in text and "out[i] = a[i] + b[i]" in text


def test_sets_and_tiles_give_other_variants() -> None:
    kernel = golden("gemm").gemm
    texts = {kernel.emit_hip(), kernel.emit_hip(M=1024), kernel.emit_hip(tile={"i": 64})}
    assert len(texts) == 3
    for wrong in ({"M": 1.5}, {"M": "64"}, {"tile": {"i": 2.0}}, {"tile": [64]}):
        with pytest.raises(TypeError, match="gemm: extents and tiles are whole numbers"):
            kernel.emit_hip(**wrong)


def test_a_path_that_cannot_be_read_is_told() -> None:
    with pytest.raises(ValueError, match="nowhere.py: TL103: cannot be read: No such file"):
        tl2hip.emit_hip("nowhere.py")


def test_a_kernel_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [
        "from tl2hip import Tensor, dims, f32, kernel\nN = dims('N')\nFACTOR = 3\n",
        "@kernel\ndef scale(x: Tensor[f32, N]) -> None:\n    for i in range(N):\n        x[i] *= FACTOR\n",
    ]
    names: dict[str, Any] = {}
    for number, text in enumerate(cells):
        file = f"<cell {number}>"
        monkeypatch.setitem(linecache.cache, file, (len(text), None, text.splitlines(True), file))
        exec(compile(text, file, "exec", dont_inherit=True), names)
    assert "x[i] *= FACTOR" in names["scale"].emit_hip()
