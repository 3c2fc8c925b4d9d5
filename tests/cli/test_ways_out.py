"""Ways out that are told for what newcomers write: lists, jitted helpers, counting whiles, options of verify."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tl2hip import api
from tl2hip.source.unmarked import way_to_mark

HEAD = "from tl2hip import Tensor, dims, f16, f32, kernel\n\nM, N, K = dims('M N K')\n\n"

JITTED = """
try:
    from numba import njit
except ImportError:
    def njit(f):
        return f

@njit
def sq(v):
    return v * v

@kernel
def use(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = sq(x[i])
"""

COUNTS = """
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i = 0
    while i < N:
        y[i] = x[i] * 2
        i += 1
"""

TWO_SUMS = """
@kernel
def two(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            s = f32(0)
            t = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[k, j])
            for k in range(K):
                t += f32(A[i, k])
            C[i, j] = s + t
"""


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("def f(n: int, x: float) -> None: ...", None),
        ("def f(", None),
        (
            "def f(x: List[int], n: int): ...",
            'write `x: Tensor[i32, N]` for `x: List[int]` in f, with `N = dims("N")` above it',
        ),
        (
            "def g(x: list[list[float]]): ...",
            'write `x: Tensor[f32, M, N]` for `x: list[list[float]]` in g, with `M, N = dims("M N")` above it',
        ),
        (
            "def h(x: np.ndarray): ...",
            'write `x: Tensor[f32, N]` for `x: np.ndarray` in h, with `N = dims("N")` above it',
        ),
        (
            "def s(x: NDArray[np.float32], y: npt.NDArray[np.int8], n: int): ...",
            "`--kernel s` takes it as it is typed (`x: NDArray[np.float32]`), `--all` every function of the file;"
            " with @kernel on it neither is needed",
        ),
        (
            "def t(x: NDArray[np.float32], y: NDArray[np.complex64]): ...",
            'write `y: Tensor[f32, N]` for `y: NDArray[np.complex64]` in t, with `N = dims("N")` above it',
        ),
    ],
)
def test_lists_and_bare_arrays_become_tensors(text: str, way: str | None) -> None:
    assert way_to_mark(text) == way


NUMPY = """
import numpy as np
from numpy.typing import NDArray

def scale(x: NDArray[np.float32], y: NDArray[np.float32]) -> None:
    for i in range(x.shape[0]):
        y[i] = x[i] * 2
"""


def test_a_function_that_numpy_types_is_told_the_options_that_take_it(cli: Cli, folder: Path) -> None:
    (folder / "scale.py").write_text(NUMPY, encoding="utf-8")
    ran = cli("emit", "scale.py")
    assert ran.code == 2 and "TL802" in ran.err and "--kernel scale" in ran.err and "--all" in ran.err
    for option in (["--kernel", "scale"], ["--all"]):
        ran = cli("emit", "scale.py", *option)
        assert ran.code == 0 and "hipError_t scale(const float *x, float *y" in ran.out
    (folder / "scale.py").write_text(HEAD + NUMPY.replace("def scale", "@kernel\ndef scale"), encoding="utf-8")
    assert cli("emit", "scale.py").code == 0


def test_a_jitted_helper_is_told_once_and_converts_without_its_decorator() -> None:
    (problem,) = api.convert(api.source_of(HEAD + JITTED)).errors
    assert problem.code == "TL112" and "with no stand-in" in problem.way_out
    assert not api.convert(api.source_of(HEAD + JITTED.replace("@njit\n", ""))).errors
    own = JITTED[JITTED.index("@njit") :]
    assert not api.convert(api.source_of("from numba import njit\n" + HEAD + own)).errors


def test_a_counting_while_is_told_its_for() -> None:
    (problem,) = api.convert(api.source_of(HEAD + COUNTS)).errors
    assert (problem.code, problem.way_out) == ("TL503", "`i` counts: write `for i in range(N)` and drop `i += 1`")
    instead = COUNTS.replace("while i < N", "for i in range(N)").replace("        i += 1\n", "")
    assert not api.convert(api.source_of(HEAD + instead)).errors


def test_two_sums_in_one_pair_of_loops_are_named() -> None:
    assert "2 loops stand inside `i` and `j`; a product has one, its sum" in api.explain(HEAD + TWO_SUMS)


def test_an_option_that_verify_does_not_take_is_told_with_those_it_takes(tmp_path: Path) -> None:
    place = tmp_path / "kernel.py"
    place.write_text(HEAD + COUNTS, encoding="utf-8")
    with pytest.raises(
        TypeError, match=r"verify takes sets=, shapes=.* and not D=; sizes are fixed by sets=\{'D': …\}"
    ):
        api.verify(place, D=64)
