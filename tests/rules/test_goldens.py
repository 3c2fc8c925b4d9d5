"""The idioms that are found in the golden kernels, and the reasons where there are none."""

from __future__ import annotations

import pytest

from tests.rule.helpers import applied, idioms, nest_of_golden
from tl2hip.nest.ir import Idiom


def test_gemm_is_a_contraction() -> None:
    (found,) = idioms(nest_of_golden("gemm"), "contraction")
    assert dict(found.axes) == {"rows": ("i",), "cols": ("j",), "over": ("k",)}
    assert dict(found.values) == {
        "f": "np.float32(A[i, k])",
        "g": "np.float32(B[k, j])",
        "z": "np.float32(0.0)",
        "into": "s",
    }
    assert found.at.line == 18


def test_two_products_of_two_mm() -> None:
    first, second = idioms(nest_of_golden("two_mm"), "contraction")
    assert dict(first.values) == {
        "f": "alpha * A[i, k]",
        "g": "B[k, j]",
        "z": "np.float32(0.0)",
        "into": "T[i, j]",
    }
    values = dict(second.values)
    assert (values["f"], values["z"]) == ("T[i_2, k_2]", "D[i_2, j_2]")


def test_gemv_has_no_columns() -> None:
    (found,) = idioms(nest_of_golden("gemv"), "contraction")
    assert dict(found.axes) == {"rows": ("i",), "cols": (), "over": ("j",)}
    assert dict(found.values)["z"] == "np.float32(0.0)"


def test_attention_has_two_products_in_each_head() -> None:
    scores, result = idioms(nest_of_golden("attention_naive"), "contraction")
    assert dict(scores.axes) == {"rows": ("i",), "cols": ("j",), "over": ("d",), "batch": ("h",)}
    assert dict(result.axes) == {"rows": ("i",), "cols": ("d_2",), "over": ("j_4",), "batch": ("h",)}


def test_the_triangle_of_syrk_is_a_product() -> None:
    (found,) = idioms(nest_of_golden("syrk"), "contraction")
    assert dict(found.axes) == {"rows": ("i",), "cols": ("j_2",), "over": ("k",)}


ROWS = {
    "softmax": [("max", ("i",), "X[i, j]"), ("+", ("i",), "np.exp(X[i, j_2] - m)")],
    "rmsnorm": [("+", ("t",), "np.float32(X[t, d_2]) * np.float32(X[t, d_2])")],
    "layernorm": [
        ("+", ("t",), "X[t, d]"),
        (
            "+",
            ("t",),
            "np.float32(X[t, d_3] - total / np.float32(D)) * np.float32(X[t, d_3] - total / np.float32(D))",
        ),
    ],
    "total": [("+", (), "X[i, j]")],
    "spmv": [("+", (), "value[p] * x[np.int64(column[p])]")],
}


@pytest.mark.parametrize("name", ROWS)
def test_row_reductions(name: str) -> None:
    found = idioms(nest_of_golden(name), "row_reduction")
    assert [_row(i) for i in found] == ROWS[name]


def _row(i: Idiom) -> tuple[str, tuple[str, ...], str]:
    values = dict(i.values)
    return values["op"], dict(i.axes)["row"], values["f"]


ELEMENTS = {
    "add": [("i",)],
    "swiglu": [("t", "d")],
    "black_scholes": [("i",), ("i",)],
    "softmax": [("i", "j_2"), ("i", "j_3")],
    "rmsnorm": [("t", "d_3")],
    "transpose": [("i", "j")],
    "jacobi": [("i", "j")],
    "gemm": [],
    "argmax": [],
    "mandelbrot": [],
    "histogram": [],
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_elementwise(name: str) -> None:
    found = idioms(nest_of_golden(name), "elementwise")
    assert [dict(i.axes)["at"] for i in found] == ELEMENTS[name]


def test_a_miss_says_how_near_it_came() -> None:
    verdicts = {v.rule: v for v in applied(nest_of_golden("pairwise")).verdicts}
    near = verdicts["contraction"].nearest
    assert near is not None
    assert (near.reached, near.of) == (5, 9)
    assert near.reason == "neither factor has an axis of its own beside the summed one"
    assert near.point == "(X[i, d] - Y[j, d]) * (X[i, d] - Y[j, d])"
    assert [dict(i.axes) for i in verdicts["row_reduction"].fits] == [{"row": ("i", "j"), "over": ("d",)}]


def test_marks_change_nothing_else() -> None:
    nest = nest_of_golden("softmax")
    assert applied(nest).nest.body is nest.body
