"""Types as other tools write them: the parameters they give, and what they leave open refused at its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tl2hip import api, kernel

HEAD = """\
import numpy as np
import numba
from numba import njit, prange, float32, void
from numpy.typing import NDArray
from jaxtyping import BFloat16, Float, Float32, Int32, Float8e4m3fnuz
from tl2hip import Tensor, dims, f32

N = dims("N")


"""


def parameters(text: str, types: str = "") -> list[tuple[str, str, int | None]]:
    """Each parameter of `f` as (name, dtype, axes), None for a number."""
    done = api.convert(api.source_of(HEAD + text), api.Options(types={"f": types} if types else {}), wanted=("f",))
    assert not done.errors, done.told
    nest = done.kernels[0].nest
    assert nest is not None
    scalars = {s.name: s.dtype.name for s in nest.scalars}
    arrays = {a.name: (a.dtype.name, len(a.shape)) for a in nest.arrays}
    return [(n, scalars[n], None) if n in scalars else (n, *arrays[n]) for n in nest.order]


def codes(text: str, types: str = "") -> list[tuple[str, str]]:
    """The errors of `f` as (code, the text they stand at)."""
    source = api.source_of(HEAD + text)
    done = api.convert(source, api.Options(types={"f": types} if types else {}), wanted=("f",))
    return [(p.code, source.lines[p.at.line - 1][p.at.column : p.at.end_column]) for p in done.errors]


COPY = "    for i in range(len(y)):\n        y[i] = x[i]\n"
COPY_2D = "    for i in range(y.shape[0]):\n        for j in range(y.shape[1]):\n            y[i, j] = x[i, j]\n"


@pytest.mark.parametrize(
    ("one", "dtype"),
    [
        ("NDArray[np.float32]", "f32"),
        ("NDArray[np.int8]", "i8"),
        ("'NDArray[np.float64]'", "f64"),
        ("np.ndarray[tuple[int], np.dtype[np.float16]]", "f16"),
        ("'float32[:]'", "f32"),
        ("'float[:]'", "f64"),
        ("'int32[:](order=C)'", "i32"),
        ("'real[:]'", "f64"),
        ("float32[:]", "f32"),
        ("numba.float64[::1]", "f64"),
        ('Float32[np.ndarray, "n"]', "f32"),
        ('BFloat16[np.ndarray, "N"]', "bf16"),
        ('Float8e4m3fnuz[np.ndarray, "_"]', "f8e4m3"),
        ('Int32[np.ndarray, "17"]', "i32"),
        ('Int32[np.ndarray, "n=17"]', "i32"),
    ],
)
def test_one_axis(one: str, dtype: str) -> None:
    found = parameters(f"def f(x: {one}, y: {one}):\n{COPY}")
    assert found == [("x", dtype, 1), ("y", dtype, 1)]


@pytest.mark.parametrize(
    "two",
    [
        "NDArray[np.float32]",
        "np.ndarray[tuple[int, int], np.dtype[np.float32]]",
        "'float32[:,:]'",
        "numba.float32[:, ::1]",
        'Float32[np.ndarray, "M N"]',
    ],
)
def test_two_axes(two: str) -> None:
    assert parameters(f"def f(x: {two}, y: {two}):\n{COPY_2D}") == [("x", "f32", 2), ("y", "f32", 2)]


def test_extents_of_one_name_are_one_dim() -> None:
    text = 'def f(x: Float32[np.ndarray, "M K"], y: Float32[np.ndarray, "K"]):\n    y[:] = x[0]\n'
    nest = api.convert(api.source_of(HEAD + text), wanted=("f",)).kernels[0].nest
    assert nest is not None and nest.dims == ("M", "K")


def test_numbers() -> None:
    head = "def f(a: 'int', b: np.float32, c: float, d: numba.int64, e: 'float', y: 'float64[:]'):\n"
    text = head + "    y[0] = a + b + c + d + e\n"
    kinds = [k for _, k, _ in parameters(text)]
    assert kinds == ["i64", "f32", "f64", "i64", "f64", "f64"]


@pytest.mark.parametrize(
    "decorator",
    [
        '@njit("void(float32[:,:], float32[:])")',
        '@numba.jit("void(f4[:,::1], f4[:])", nopython=True)',
        "@njit(void(float32[:, :], float32[:]), parallel=True)",
        "@njit((float32[:, :], float32[:]))",
        '@njit(["void(float32[:,:], float32[:])"])',
    ],
)
def test_signatures_of_numba(decorator: str) -> None:
    body = "    for i in prange(x.shape[0]):\n        for j in range(x.shape[1]):\n            y[i] += x[i, j]\n"
    assert parameters(f"{decorator}\ndef f(x, y):\n{body}") == [("x", "f32", 2), ("y", "f32", 1)]


SUM = "    s = np.float32(0)\n    for i in prange(len(x)):\n        s += x[i]\n    return s\n"


@pytest.mark.parametrize(
    ("head", "body", "told"),
    [
        ('@njit("float32(float32[:])")\ndef f(x):', SUM, None),
        ("@njit(float32(float32[:]))\ndef f(x):", SUM, None),
        ('@njit("float64(float32[:])")\ndef f(x):', SUM, '"float64(float32[:])"'),
        ("@njit(void(float32[:]))\ndef f(x):", SUM, "void"),
        ('@njit("float32[:](float32[:])")\ndef f(x):', "    return x + 1\n", None),
        ('@njit("float32[:,:](float32[:])")\ndef f(x):', "    return x + 1\n", '"float32[:,:](float32[:])"'),
        ("def f(x: float32[:]) -> 'float32[:]':", "    return x + 1\n", None),
        ("def f(x: float32[:]) -> 'float64[:]':", "    return x + 1\n", "float64[:]"),
        ('def f(x: Float32[np.ndarray, "n"]) -> Float32[np.ndarray, "n"]:', "    return x + 1\n", None),
        (
            'def f(x: Float32[np.ndarray, "n"]) -> Float32[np.ndarray, "m"]:',
            "    return x + 1\n",
            'Float32[np.ndarray, "m"]',
        ),
        ("def f(x: float32[:]) -> tuple[NDArray[np.float32], float32]:", "    return x + 1, x[0]\n", None),
    ],
)
def test_what_is_returned_has_the_type_that_is_told(head: str, body: str, told: str | None) -> None:
    assert codes(f"{head}\n{body}") == ([] if told is None else [("TL318", told)])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("x=f32[N], y=f32[N]", [("x", "f32", 1), ("y", "f32", 1)]),
        ("f16[:], y=float16[:]", [("x", "f16", 1), ("y", "f16", 1)]),
        ("i32[N + 1], i32[N]", [("x", "i32", 1), ("y", "i32", 1)]),
        ("int, f64[N]", None),
    ],
)
def test_types_from_outside(given: str, expected: list[tuple[str, str, int]] | None) -> None:
    text = f"def f(x, y):\n{COPY}"
    if expected is None:
        assert codes(text, given) == [("TL327", "x[i]")]
    else:
        assert parameters(text, given) == expected


@pytest.mark.parametrize(
    ("text", "types", "code", "at"),
    [
        ("def f(x: np.ndarray, y: NDArray[np.float32]):\n" + COPY, "", "TL317", "np.ndarray"),
        (
            "def f(x: NDArray[np.float32], y: NDArray[np.float32]):\n    y[:] = x\n",
            "",
            "TL317",
            "NDArray[np.float32]",
        ),
        ('def f(x: Float[np.ndarray, "N"], y: "float[:]"):\n' + COPY, "", "TL317", 'Float[np.ndarray, "N"]'),
        ('def f(x: Float32[np.ndarray, "*n"], y: "float[:]"):\n' + COPY, "", "TL317", '"*n"'),
        ('def f(x: Float32[np.ndarray, "..."], y: "float[:]"):\n' + COPY, "", "TL317", '"..."'),
        ("def f(x: 'float32[:,:](order=F)', y: 'float[:]'):\n" + COPY, "", "TL317", "float32[:,:](order=F)"),
        ("def f(x: NDArray[np.complex64], y: 'float[:]'):\n" + COPY, "", "TL317", "np.complex64"),
        (
            '@njit(["void(float32[:], float32[:])", "void(float64[:], float64[:])"])\ndef f(x, y):\n' + COPY,
            "",
            "TL317",
            "",
        ),
        ("def f(x, y):\n" + COPY, "", "TL310", "x"),
        ("def f(x, y):\n" + COPY, "f32[N], f32[N], f32[N]", "TL316", "def f(x, y):"),
        ("def f(x, y):\n" + COPY, "z=f32[N]", "TL316", "def f(x, y):"),
        ("def f(x, y):\n" + COPY, "x=f32[N", "TL316", "def f(x, y):"),
        ("def f(x, y):\n" + COPY, "x=f32[N]", "TL310", "y"),
    ],
)
def test_what_is_left_open_is_refused(text: str, types: str, code: str, at: str) -> None:
    found = codes(text, types)
    assert found[0][0] == code and (not at or found[0][1] == at), found


def test_examples_type_the_parameters(tmp_path: Path) -> None:
    from tl2hip.prove.python import run_file

    path = tmp_path / "plain.py"
    path.write_text("def f(x, y, n):\n    for i in range(n):\n        y[i] = x[i] + 1\n")
    plain = kernel(run_file(path).f)
    text = plain.emit_hip(examples=(np.zeros(3, "f4"), np.zeros(5, "f4"), 3))
    assert "f(const float *x, float *y, i64 n, i64 x_0, i64 y_0, hipStream_t stream)" in text
    with pytest.raises(TypeError, match="no type for an example of list"):
        plain.emit_hip(examples=([1.0], np.zeros(5, "f4"), 3))
