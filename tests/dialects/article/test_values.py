"""Parameters, numbers and options of article kernels, and kernel objects that are asked for their HIP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.dialects.article.helpers import HEAD, both, converted, nest, refusals
from tests.dialects.article.test_gemm import axes, tiles
from tl2hip.nest.ir import Check, Const
from tl2hip.nest.walk import all_parts, all_stmts

SCALED = """
EPS, HALF = 1e-5, 1 / 2

def f(M, scale{default}):
    x = tl.InputTensor("x", [M], "float32")
    y = tl.OutputTensor("y", [M], "float32")
    (i,) = tl.TileLoop([M], [8])
    t = x[i].load() * scale
    y[i].store(t {more})
    {line}
    return tl.CompileKernel(f)
{calls}
"""


def scaled(default: str = "", more: str = "", calls: str = "", line: str = "pass") -> str:
    return SCALED.format(default=default, more=more, calls=calls, line=line)


@pytest.mark.parametrize(
    "more",
    [
        "+ EPS",
        "/ (HALF - 3)",
        "* math.sqrt(M) + M // 2",
        "* -math.inf",
        "+ float(M) ** 2 % 3 - abs(-2)",
        "* max(M, 3) - x.shape[0] + x.shape[-1]",
        "* True",
    ],
)
def test_numbers(more: str) -> None:
    text = scaled("=1.5", more, "kernel = tl.CompileKernel(f, M=5)")
    expected, got = both(text, np.linspace(0.5, 2, 5, dtype=np.float32))
    np.testing.assert_allclose(got["y"], expected["y"], rtol=1e-6)


def constants(text: str) -> set[float]:
    made = nest(text)
    return {p.value for s in all_stmts(made.body) for e in _exprs(s) for p in all_parts(e) if isinstance(p, Const)}


def _exprs(s: Any) -> list[Any]:
    return [v for v in (getattr(s, "value", None),) if v is not None]


def test_a_scale_is_what_the_call_says() -> None:
    assert 0.25 in constants(scaled(calls="k = f(16, 0.25)"))
    assert 0.25 in constants(scaled("=0.5", calls="k = f(16, scale=0.25)"))
    assert 0.5 in constants(scaled("=0.5", calls="k = tl.CompileKernel(f, M=16)"))
    assert 3 in constants(scaled("=3", calls=""))
    assert refusals(scaled()) == [("TL223", "scale")]
    assert refusals(scaled(calls="k = f(16, 0.25); l = f(16, 0.5)")) == [("TL223", "scale")]


@pytest.mark.parametrize(
    ("line", "code", "place"),
    [
        ("y[i].store(t + unknown(3))", "TL220", "unknown(3)"),
        ("y[i].store(t + len(M))", "TL220", "len(M)"),
        ("y[i].store(t + (M << 1))", "TL220", "M << 1"),
        ("y[i].store(t + x.shape[3])", "TL222", "x.shape[3]"),
        ("y[i].store(t + x.size)", "TL220", "x.size"),
        ("g = tl.CompileKernel(other)", "TL220", "tl.CompileKernel(other)"),
    ],
)
def test_numbers_that_are_refused(line: str, code: str, place: str) -> None:
    assert refusals(scaled("=2", line=line)) == [(code, place)]


def test_assertions_become_checks() -> None:
    text = scaled("=2", line="assert M % 4 == 0 and M < 100")
    made = nest(text)
    assert [type(c) for c in made.checks] == [Check]
    assert refusals(scaled("=2", line="assert t > 0")) == [("TL220", "t")]


def test_compiled_with_changed_sizes() -> None:
    text = """
def f(M: int, block: int = 16):
    x = tl.InputTensor("x", [M], "f32")
    y = tl.OutputTensor("y", [M], "f32")
    i = tl.TileLoop([M], [block])[0]
    y[i].store(x[i].load())
"""
    assert nest(text + "k = tl.CompileKernel(f)").dims == ("M",)
    text += "    return tl.CompileKernel(f, block=4)\nk = f(3, 8)\n"
    assert list(tiles(nest(text)).values()) == [4]
    assert list(tiles(nest(text, {"block": 32})).values()) == [32]


def test_names_never_clash() -> None:
    text = """
def f(M, N):
    i = tl.InputTensor("total", [M, N], "f32")
    total = tl.InputTensor("j", [N], "f32")
    out = tl.OutputTensor("i", [M], "f32")
    np, range = tl.TileLoop([M, N], [4, 4])
    tiled = i[np, range].load() + total[range].load()
    out[np].store(tl.exp(tl.max(tiled, axis=1)) + tl.sum(tiled, axis=range))

kernel = tl.CompileKernel(f)
"""
    draw = np.random.default_rng(0).standard_normal
    expected, got = both(text, draw((3, 4)).astype("f4"), draw(4).astype("f4"))
    np.testing.assert_allclose(got["i"], expected["i"], rtol=1e-5)
    assert refusals(text.replace('"j"', '"N"')) == [("TL221", 'tl.InputTensor("N", [N], "f32")')]


def test_kernel_objects_emit_what_they_were_made_with(tmp_path: Path) -> None:
    """Also where the file's calls are not constant."""
    file = tmp_path / "many.py"
    text = f"""{HEAD}
def f(M, scale, kind="float32"):
    x = tl.InputTensor("x", [M, 4], kind)
    y = tl.OutputTensor("y", [M], kind)
    i, j = tl.TileLoop([M, 4], [8, 4])
    y[i].store(x[i, j].load() * scale)
    return tl.CompileKernel(f)

first = f(64, 0.5)
others = [f(32, s, k) for s, k in ((0.125, np.float16), (0.25, tl.f64))]
unrolled = [tl.CompileKernel(f, unroll=n, scale=1.0) for n in (2, 4)]
"""
    file.write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, str(file), "exec", dont_inherit=True), names)
    assert "0.5f" in names["first"].emit_hip()
    half, double = (k.emit_hip() for k in names["others"])
    assert "0.125" in half and "_Float16" in half and "0.25" in double and "double" in double
    two, four = (k.emit_hip() for k in names["unrolled"])
    assert two != four


def test_options_are_told_apart() -> None:
    text = scaled("=2")
    made, report = converted(text.replace("CompileKernel(f)", "CompileKernel(f, prefetch=1)"))
    assert made is None and [p.code for p in report.errors] == ["TL224"]
    assert list(axes(nest(text)))
