"""The article's notation on NumPy: both shapes of CompileKernel, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tl2hip as tl

from .loading import GOLDEN

ARTICLE = '''\
import tl2hip as tl

def matmul_kernel(M, N, K, block_m, block_n, block_k):
    A = tl.InputTensor("A", [M, K], "float16")
    B = tl.InputTensor("B", [K, N], "float16")
    C = tl.OutputTensor("C", [M, N], "float32")
    i, j, k = tl.TileLoop([M, N, K], [block_m, block_n, block_k])
    a_tile = A[i, k].load_shared()
    b_tile = B[k, j].load_shared()
    with tl.PipelineStage(stage=2):
        c_tile = tl.dot(a_tile, b_tile)
    C[i, j].store(c_tile)
    return tl.CompileKernel(matmul_kernel)

kernel = matmul_kernel(M=1024, N=1024, K=1024, block_m=64, block_n=64, block_k=32)
print(kernel.emit_hip())
'''

NO_OPTIONS = {"unroll": 0, "prefetch": 0}
"""What a kernel without options asks the compiler for."""


def draw(*shape: int, seed: int = 0, dtype: str = "f2") -> Any:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, dict[str, Any]]]:
    """Stands in for the compiler: records what it is asked for."""
    calls: list[tuple[Any, dict[str, Any]]] = []
    fake = ModuleType("tl2hip.api")

    def emit_hip(source: Any, **options: Any) -> str:
        calls.append((source, options))
        return "// HIP"

    fake.emit_hip = emit_hip  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tl2hip.api", fake)
    monkeypatch.setattr(tl, "api", fake, raising=False)
    return calls


def article(tmp_path: Path) -> dict[str, Any]:
    """The article's text, run unchanged as a file."""
    file = tmp_path / "matmul.py"
    file.write_text(ARTICLE)
    names: dict[str, Any] = {}
    exec(compile(ARTICLE, str(file), "exec", dont_inherit=True), names)
    return names


def test_the_articles_text_runs(
    tmp_path: Path, api: list[tuple[Any, dict[str, Any]]], capsys: pytest.CaptureFixture[str]
) -> None:
    article(tmp_path)
    assert capsys.readouterr().out == "// HIP\n"
    source, options = api[0]
    assert source == tmp_path / "matmul.py"
    sizes = {"M": 1024, "N": 1024, "K": 1024, "block_m": 64, "block_n": 64, "block_k": 32} | NO_OPTIONS
    assert options == {"kernel": "matmul_kernel", "sets": sizes, "tiles": {}, "types": {}}


def test_the_articles_text_passes_ruff(tmp_path: Path) -> None:
    """As printed it has one blank line after the import; the layout of imports (rule I) asks for two."""
    file = tmp_path / "matmul.py"
    file.write_text(ARTICLE)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "E,F,W,B"]
    done = subprocess.run([*command, str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_golden_is_the_articles_text() -> None:
    text = (GOLDEN / "gemm_article" / "kernel.py").read_text()
    assert text.replace("\n\n\n", "\n\n") == ARTICLE


def test_compiled_inside(tmp_path: Path, api: list[Any]) -> None:
    kernel = article(tmp_path)["matmul_kernel"](M=5, N=7, K=300, block_m=64, block_n=64, block_k=32)
    a, b = draw(5, 300), draw(300, 7)
    c = kernel(a, b)
    assert c.dtype == np.float32
    np.testing.assert_allclose(c, a.astype("f8") @ b.astype("f8"), rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match=r"A.shape\[0\] is 6, but is declared 5"):
        kernel(draw(6, 300), b)
    with pytest.raises(TypeError, match="no array is given for B"):
        kernel(a)
    assert (kernel(B=b, A=a) == c).all()


def test_compiled_outside(tmp_path: Path, api: list[Any]) -> None:
    kernel = tl.CompileKernel(article(tmp_path)["matmul_kernel"], block_m=32)
    for m, n, k in ((5, 7, 9), (1, 1, 1), (0, 3, 2), (2, 3, 0)):
        a, b = draw(m, k), draw(k, n)
        np.testing.assert_allclose(kernel(a, b), a.astype("f8") @ b.astype("f8"), rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match=r"B.shape\[0\] is 4, but K is 3"):
        kernel(draw(2, 3), draw(4, 5))
    kernel.emit_hip(M=8)
    assert api[-1][1]["sets"] == {"block_m": 32, "M": 8} | NO_OPTIONS


def test_a_changed_block_is_another_variant(tmp_path: Path, api: list[Any]) -> None:
    make = article(tmp_path)["matmul_kernel"]
    make(M=64, N=np.int64(64), K=64, block_m=16, block_n=64, block_k=32).emit_hip(tile={"j": 32})
    assert api[-1][1]["sets"]["block_m"] == 16 and api[-1][1]["sets"]["N"] == 64
    assert api[-1][1]["tiles"] == {"j": 32}


def attention(B, S, T, D):  # type: ignore[no-untyped-def]
    Q = tl.InputTensor("Q", [B, S, D], tl.f16)
    K = tl.InputTensor("K", [B, T, D], np.float16)
    V = tl.InputTensor("V", [B, T, D], "f16")
    out = tl.OutputTensor("O", [B, S, D], "half")
    top = tl.OutputTensor("top", [B, S], np.dtype("float32"))
    b, i, j, d, e = tl.TileLoop([B, S, T, D, D], [1, 64, 64, D, D])
    with tl.Unroll(4):
        s = 0.5 * tl.dot(Q[b, i, e].load(), K[b, j, e].load_shared())
    m = tl.max(s, axis=2)
    p = tl.exp(s - m)
    out[b, i, d].store(tl.dot(p, V[b, j, d].load()) / tl.sum(p, axis=-1))
    top[b, i].store(m)


def test_attention_with_a_batch_and_two_outputs() -> None:
    q, k, v = draw(2, 3, 4), draw(2, 5, 4, seed=1), draw(2, 5, 4, seed=2)
    out, top = tl.CompileKernel(attention, unroll=4, prefetch=1)(q, k, v)
    s = 0.5 * q.astype("f8") @ k.astype("f8").transpose(0, 2, 1)
    p = np.exp(s - s.max(axis=2, keepdims=True))
    expected = p / p.sum(axis=2, keepdims=True) @ v.astype("f8")
    assert out.dtype == np.float16 and top.dtype == np.float32
    np.testing.assert_allclose(out, expected, rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(top, s.max(axis=2), rtol=1e-6)


def test_an_index_in_no_store_is_summed_and_a_missing_one_is_spread() -> None:
    def row_sums(M, N):  # type: ignore[no-untyped-def]
        X = tl.InputTensor("X", [M, N], "float32")
        total = tl.OutputTensor("total", [M], "float32")
        i, j = tl.TileLoop([M, N], [4, 4])
        total[i].store(X[i, j].load() * 2)

    def spread(M, N):  # type: ignore[no-untyped-def]
        X = tl.InputTensor("X", [M], "float32")
        Y = tl.OutputTensor("Y", [N, M], "float32")
        j, i = tl.TileLoop([N, M], [4, 4])
        Y[j, i].store(1 - X[i].load())

    x = draw(3, 5, dtype="f4")
    np.testing.assert_allclose(tl.CompileKernel(row_sums)(x), 2 * x.sum(axis=1), rtol=1e-5)
    assert (tl.CompileKernel(spread, N=2)(x[:, 0]) == np.broadcast_to(1 - x[:, 0], (2, 3))).all()


def test_a_size_no_shape_gives_is_asked_for() -> None:
    def lost(M, Z):  # type: ignore[no-untyped-def]
        tl.InputTensor("X", [M], "float32")
        tl.OutputTensor("Y", [Z], "float32")

    with pytest.raises(TypeError, match=r"no array's shape gives Z.*tl.CompileKernel\(lost, Z="):
        tl.CompileKernel(lost)(draw(3, dtype="f4"))


def test_a_changed_parameter_is_refused() -> None:
    def doubled(M):  # type: ignore[no-untyped-def]
        M = 2 * M
        X = tl.InputTensor("X", [M], "float32")
        Y = tl.OutputTensor("Y", [M], "float32")
        (i,) = tl.TileLoop([M], [4])
        Y[i].store(X[i].load())
        return tl.CompileKernel(doubled)

    with pytest.raises(ValueError, match=r"X was \[6\] when compiled and is \[12\] now"):
        doubled(3)(draw(6, dtype="f4"))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tl.InputTensor("A", [3], "float99"), TypeError, "'float99' is no element type"),
        (lambda: tl.InputTensor("A", 3, "f32"), TypeError, "sizes come as a list"),
        (lambda: tl.InputTensor("A", [-1], "f32"), ValueError, "a size is 0 or more"),
        (lambda: tl.InputTensor("A", [3], "f32")[0, 1], IndexError, "has 1 axes and is indexed with 2"),
        (lambda: tl.InputTensor("A", [3], "f32")[1:], TypeError, "indexed with tile indices and ints"),
        (lambda: tl.InputTensor("A", [3], "f32")[3], IndexError, "index 3 on axis 0"),
        (lambda: tl.InputTensor("A", [3], "f32")[tl.TileLoop([4], [1])[0]], IndexError, "index 4 on axis 0"),
        (lambda: tl.InputTensor("A", [3], "f32")[0].store(1), TypeError, "is an input"),
        (lambda: tl.TileLoop([3, 4], [2]), ValueError, "2 extents and 1 blocks"),
        (lambda: tl.TileLoop([3], [0]), ValueError, "a block is 1 or more"),
        (lambda: tl.dot(1, 2), TypeError, "dot takes loaded tiles"),  # type: ignore[arg-type]
        (lambda: tl.PipelineStage(stage=0), ValueError, "1 or more"),
        (lambda: tl.Unroll(2.5), TypeError, "a whole number"),  # type: ignore[arg-type]
        (lambda: tl.CompileKernel(attention, nope=3), TypeError, "has no parameter nope"),
        (lambda: tl.CompileKernel(attention, unroll=-1), ValueError, "1 or more"),
        (lambda: tl.CompileKernel(print), TypeError, "takes the kernel's function"),
    ],
)
def test_refusals(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
