"""Kernel objects: calling them, binding dims, checking arguments, asking for HIP."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tl2hip
from tl2hip import Kernel, distinct, kernel, offsets
from tl2hip.notation.home import home

HEAD = """\
import math
import numpy as np
from tl2hip import *
H, W, FH, FW = dims("H W FH FW")
M, N, K = dims("M N K")
OH = H - FH + 1
"""


def define(tmp_path: Path, text: str, head: str = HEAD) -> dict[str, Any]:
    """The names a file of this text defines."""
    file = tmp_path / "kernels.py"
    file.write_text(head + text)
    names: dict[str, Any] = {"__name__": "kernels"}
    exec(compile(head + text, str(file), "exec", dont_inherit=True), names)
    return names


CONV = """
@kernel
def conv(x: Tensor[f32, H, W], w: Tensor[f32, FH, FW], y: Tensor[f32, H - FH + 1, W - FW + 1]):
    "A convolution."
    for i in range(OH):
        for j in range(W - FW + 1):
            y[i, j] = window(x, w, i, j)

def window(x, w, i, j):
    s = f32(0)
    for a in range(FH):
        s += sum(x[i + a, j + b] * w[a, b] for b in range(FW))
    return s
"""


def test_expressions_helpers_and_module_level_expressions(tmp_path: Path) -> None:
    names = define(tmp_path, CONV)
    x, w, y = np.arange(20, dtype="f4").reshape(4, 5), np.ones((2, 3), "f4"), np.empty((3, 3), "f4")
    names["conv"](x, w, y)
    assert (y == np.lib.stride_tricks.sliding_window_view(x, (2, 3)).sum(axis=(2, 3))).all()
    with pytest.raises(ValueError) as error:
        names["conv"](x, w, np.empty((4, 3), "f4"))
    assert str(error.value) == (
        "conv: y.shape[0] is 4, but (H - FH) + 1 is 3 (FH = 2 from w.shape[0], H = 4 from x.shape[0])"
    )
    assert isinstance(names["window"], FunctionType) and str(names["H"]) == "H"
    with pytest.raises(TypeError, match="FH has no value here"):
        names["window"](x, w, 0, 0)


def test_identity(tmp_path: Path) -> None:
    conv = define(tmp_path, CONV)["conv"]
    assert isinstance(conv, Kernel) and conv.__name__ == "conv" and conv.__doc__ == "A convolution."
    assert isinstance(conv.__wrapped__, FunctionType) and repr(conv) == "<kernel conv(x, w, y)>"


def test_an_output_may_define_a_dim_by_an_expression(tmp_path: Path) -> None:
    text = """
@kernel
def pick(y: Tensor[i32, 2 * N + 1]):
    y[0] = N
"""
    names = define(tmp_path, text)
    y = np.zeros(7, "i4")
    names["pick"](y)
    assert y[0] == 3
    with pytest.raises(ValueError, match=r"y.shape\[0\] is 4: no N makes \(2 \* N\) \+ 1 equal to 4"):
        names["pick"](y[:4])


def test_dims_in_cells(tmp_path: Path) -> None:
    text = """
def make():
    A, B = dims("A B")
    def twice(v):
        return v * B
    @kernel
    def inner(x: Tensor[i32, A, B]):
        for i in range(A):
            x[i, 0] = twice(i)
    return inner
"""
    x = np.zeros((3, 4), "i4")
    define(tmp_path, text)["make"]()(x)
    assert x[:, 0].tolist() == [0, 4, 8]


def test_string_annotations(tmp_path: Path) -> None:
    text = """
@kernel
def double(x: Tensor[f32, N], alpha: f32):
    for i in range(N):
        x[i] = x[i] * alpha
@kernel
def broken(x: Tensor[f32, Unknown]):
    pass
@kernel
def sized(n: int, x: Tensor[f32, n + 1]):
    return n
"""
    names = define(tmp_path, text, "from __future__ import annotations\n" + HEAD)
    x = np.ones(3, "f4")
    names["double"](x, 2)
    assert x.tolist() == [2, 2, 2]
    assert names["sized"](2, x) == 2
    with pytest.raises(ValueError, match=r"x.shape\[0\] is 3, but n \+ 1 is 4 \(n = 3 from the argument\)"):
        names["sized"](3, x)
    with pytest.raises(TypeError, match="broken: the annotation of x.*'Unknown' is not defined"):
        names["broken"](x)


def test_a_dim_no_shape_fixes(tmp_path: Path) -> None:
    text = """
@kernel
def stray(x: Tensor[f32, :]):
    return N
@kernel
def halves(x: Tensor[f32, M // 2]):
    return M
"""
    names = define(tmp_path, text)
    assert str(names["stray"](np.ones(3, "f4"))) == "N"
    with pytest.raises(ValueError, match=r"x.shape\[0\] is 3 and declared M // 2, but no.*fixes M"):
        names["halves"](np.ones(3, "f4"))


SCALARS = """
@kernel
def scalars(a: f16, b: bf16, n: int, x: float, flag: bool, k: u8, free, *, block: int = 4):
    return a, b, n, x, flag, k, free, block
"""


def test_scalars_are_converted(tmp_path: Path) -> None:
    scalars = define(tmp_path, SCALARS)["scalars"]
    got = scalars(1, 2.5, np.int32(3), np.float32(0.5), np.True_, 7, "free", block=np.int64(8))
    assert [type(v) for v in got] == [np.float16, ml_dtypes.bfloat16, int, float, bool, np.uint8, str, int]
    assert got == (1, 2.5, 3, 0.5, True, 7, "free", 8)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n": 2.0}, TypeError, "n is declared int and takes a whole number, not 2.0"),
        ({"n": 2**63}, ValueError, "which does not fit int of 64 bits"),
        ({"k": 256}, ValueError, "k is 256, which does not fit u8"),
        ({"k": -1}, ValueError, "does not fit u8"),
        ({"a": np.ones(3)}, TypeError, "a is declared f16 and takes a number, not an array of shape"),
        ({"a": "1"}, TypeError, "a is declared f16 and takes a number"),
        ({"x": None}, TypeError, "x is declared float and takes a number, not None"),
        ({"flag": 1}, TypeError, "flag is declared bool"),
    ],
)
def test_bad_scalars(tmp_path: Path, change: dict[str, Any], error: type[Exception], message: str) -> None:
    given = {"a": 1, "b": 1, "n": 1, "x": 1, "flag": True, "k": 1, "free": 0} | change
    with pytest.raises(error, match=message):
        define(tmp_path, SCALARS)["scalars"](**given)


GEMM = """
@kernel
def gemm(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N]):
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[k, j])
            C[i, j] = s
"""


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        (("2,3,f2", "4,5,f2", "2,5,f4"), ValueError, r"B.shape\[0\] is 4, but K is 3 \(K = 3 from A.shape"),
        (("2,3,f4", "3,5,f2", "2,5,f4"), TypeError, r"A is declared f16, but the array's dtype is float32"),
        (("2,3,f2", "3,f2", "2,5,f4"), ValueError, r"B is declared .* with 2 axes, but the array has 1"),
        (("2,3,f2", "list", "2,5,f4"), TypeError, "B is declared .* takes a NumPy array, not a list"),
    ],
)
def test_bad_arrays(tmp_path: Path, arrays: tuple[str, ...], error: type[Exception], message: str) -> None:
    made: list[Any] = []
    for text in arrays:
        *shape, dtype = text.split(",")
        made.append([[1.0]] if dtype == "list" else np.ones(tuple(map(int, shape)), dtype))
    with pytest.raises(error, match=f"gemm: {message}"):
        define(tmp_path, GEMM)["gemm"](*made)


STRIDED = """
LD = dims("LD")
@kernel
def copy(x: Tensor[f32, M, N, strides(LD, 1)], y: Tensor[f32, M, N]):
    for i in range(M):
        for j in range(N):
            y[i, j] = x[i, j] + LD
"""


def test_declared_strides(tmp_path: Path) -> None:
    copy = define(tmp_path, STRIDED)["copy"]
    x, y = np.zeros((3, 8), "f4"), np.empty((3, 5), "f4")
    copy(x[:, :5], y)
    assert (y == 8).all()
    with pytest.raises(ValueError, match="x's stride on axis 1 is 8, but is declared 1"):
        copy(x[:, :3].T, np.empty((3, 3), "f4"))


ALIASING = """
@kernel
def shift(a: Tensor[f32, N], b: Tensor[f32, N], c: Tensor[f32, N]):
    for i in range(N):
        c[i] = a[i] + b[i]
@kernel
def by_view(x: Tensor[f32, M, N], y: Tensor[f32, M, N]):
    for i in range(M):
        row = y[i]
        for j in range(N):
            row[j] += x[i, j]
@kernel
def by_helper(x: Tensor[f32, M, N], y: Tensor[f32, M, N]):
    for i in range(M):
        put(x[i], y[i, :])
def put(source, target):
    target[:] = source
@kernel
def reads(x: Tensor[f32, M, N], y: Tensor[f32, M, N]):
    s = f32(0)
    for i in range(M):
        v = x[i, 0]
        v += y[i, 0]
        s += v
    return s
"""


def test_overlaps_are_refused(tmp_path: Path) -> None:
    names = define(tmp_path, ALIASING)
    z = np.zeros(9, "f4")
    with pytest.raises(ValueError, match="shift: c is written and overlaps b in memory"):
        names["shift"](np.ones(4, "f4"), z[1:5], z[:4])
    names["shift"](z[1:5], z[:4], np.ones(4, "f4"))
    names["shift"](z[:4], z[4:8], z[:4])


@pytest.mark.parametrize("name", ["by_view", "by_helper"])
def test_writes_through_views_and_helpers_count(tmp_path: Path, name: str) -> None:
    z = np.zeros((4, 3), "f4")
    with pytest.raises(ValueError, match=f"{name}: y is written and overlaps x in memory"):
        define(tmp_path, ALIASING)[name](z[1:], z[:-1])


def test_reading_may_overlap(tmp_path: Path) -> None:
    z = np.ones((4, 3), "f4")
    assert define(tmp_path, ALIASING)["reads"](z[1:], z[:-1]) == 6


def test_without_text_every_tensor_counts_as_written() -> None:
    names: dict[str, Any] = {}
    exec(compile(HEAD + ALIASING, "<no text>", "exec", dont_inherit=True), names)
    z = np.ones((4, 3), "f4")
    with pytest.raises(ValueError, match="reads: x is written"):
        names["reads"](z[1:], z[:-1])
    with pytest.raises(OSError, match="the source of reads is not to be found"):
        home(names["reads"].function)


def test_the_decorator_takes_functions_only() -> None:
    with pytest.raises(TypeError, match="stands on a plain function"):
        kernel(math.exp)
    with pytest.raises(TypeError, match="math is f32 or f64"):
        kernel(math="f64")
    made = kernel(math=tl2hip.f64)(lambda: None)
    assert repr(made.math) == "f64" and made() is None


def test_the_compiler_is_asked_by_file_and_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake, calls = ModuleType("tl2hip.api"), []
    for name in ("emit_hip", "verify", "explain", "show_plan"):
        setattr(fake, name, lambda *a, _name=name, **k: calls.append((_name, a, k)) or _name)
    monkeypatch.setitem(sys.modules, "tl2hip.api", fake)
    monkeypatch.setattr(tl2hip, "api", fake, raising=False)
    gemm = define(tmp_path, GEMM)["gemm"]
    assert gemm.emit_hip(M=1024, tile={"i": 256}) == "emit_hip"
    assert gemm.verify(shapes=3) == "verify" and gemm.explain() == "explain" and gemm.plan() == "show_plan"
    file = (tmp_path / "kernels.py",)
    assert calls == [
        ("emit_hip", file, {"kernel": "gemm", "sets": {"M": 1024}, "tiles": {"i": 256}, "types": {}}),
        ("verify", file, {"kernel": "gemm", "sets": {}, "shapes": 3}),
        ("explain", file, {"kernel": "gemm", "sets": {}}),
        ("show_plan", file, {"kernel": "gemm", "sets": {}}),
    ]


def test_distinct() -> None:
    assert distinct(np.array([3, 1, 2])) and distinct(np.empty(0, "i4"))
    assert not distinct(np.array([[3, 1], [1, 2]]))


def test_offsets() -> None:
    assert offsets(np.array([0, 0, 3, 5])) and offsets(np.empty(0, "i4"))
    assert not offsets(np.array([0, 4, 3])) and not offsets(np.array([-1, 4]))
