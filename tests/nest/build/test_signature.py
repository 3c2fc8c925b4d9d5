"""Parameters: tensors, dims, scalars, options."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nest.build.helpers import built, check, codes, nest_of, refusal
from tl2hip.nest.ir import Binary, Const, Dim
from tl2hip.source.problems.base import show


def over(head: str, body: str = "pass", before: str = "") -> str:
    return f"{before}\n@kernel\ndef f({head}) -> None:\n    {body}\n"


def test_extents_are_expressions_of_dims() -> None:
    nest = nest_of(over("A: Tensor[f16, M - K + 1, N], B: Tensor[bf16, 2 * K, 3], s: f32"))
    a, b = nest.arrays
    assert a.shape == (Binary("+", Binary("-", Dim("M"), Dim("K")), Const(1, a.shape[0].dtype)), Dim("N"))
    assert [x.dtype.name for x in nest.arrays] == ["f16", "bf16"]
    assert nest.dims == ("M", "K", "N") and nest.order == ("A", "B", "s")
    assert b.role == "parameter"


def test_extents_taken_from_the_array() -> None:
    nest = nest_of(over("A: Tensor[f32, :, 4], B: Tensor[f32, :]", "A[0, 0] = len(A) + A.shape[1] + B.shape[0]"))
    assert nest.dims == ("A_0", "B_0")
    assert nest_of(over("A: Tensor[f32, :]"), sets={"A_0": 7}).dims == ()


def test_scalars_may_stand_in_extents() -> None:
    nest = nest_of(over("A: Tensor[f32, 'n'], n: int".replace("'n'", "n + 1")))
    assert nest.order == ("A", "n") and nest.dims == ()


def test_options() -> None:
    nest, problems, _ = built(over("A: Tensor[f32, M, N, strides(K, 1), lds(pad=8), vec(4)]"))
    assert nest is not None
    assert nest.arrays[0].strides == (Dim("K"), Const(1, nest.arrays[0].strides[1].dtype))  # type: ignore[index]
    assert [(m.name, m.value) for m in nest.arrays[0].marks] == [("lds", 8), ("vec", 4)]
    assert not problems and [m.text for m in nest.arrays[0].marks] == ["lds(pad=8)", "vec(4)"]
    assert nest.dims == ("M", "N", "K")


def test_dtypes_by_any_name() -> None:
    nest = nest_of(
        over("a: Tensor[np.float32, N], b: Tensor[np.int8, N], c: Tensor['float16', N], d: Tensor[bool, N]")
    )
    assert [a.dtype.name for a in nest.arrays] == ["f32", "i8", "f16", "bool"]


def test_keyword_only_parameters_that_are_in_no_mark_are_arguments() -> None:
    text = over("x: Tensor[f32, N], *, eps: f32 = 1e-5, n: int = 3", "x[0] = eps * n")
    assert nest_of(text).order == ("x", "eps", "n")
    assert nest_of(text, sets={"n": 4}).order == ("x", "eps")


@pytest.mark.parametrize(
    ("head", "code", "text"),
    [
        ("x", "TL310", "x"),
        ("x: list", "TL311", "list"),
        ("x: 'NDArray'", "TL311", "NDArray"),
        ("x: Tensor[f99, N]", "TL312", "f99"),
        ("x: Tensor[f32, N / 2]", "TL340", "N / 2"),
        ("x: Tensor[f32, 1:N]", "TL313", "1:N"),
        ("x: Tensor[f32, ...]", "TL313", "..."),
        ("x: Tensor[f32, -1]", "TL313", "-1"),
        ("x: Tensor[f32, N << 2]", "TL313", "N << 2"),
        ("x: Tensor[f32, max(N, 1)]", "TL313", "max(N, 1)"),
        ("x: Tensor[f32, sum(p for p in range(N))]", "TL313", "sum(p for p in range(N))"),
        ("x: Tensor[f32, N, strides(abs(N))]", "TL313", "abs(N)"),
        ("x: Tensor[f32, ()]", "TL313", ")"),
        ("x: Tensor[()]", "TL311", "Tensor[()]"),
        ("x: Tensor[f32, Q]", "TL301", "Q"),
        ("x: Tensor[f32]", "TL340", "Tensor[f32]"),
        ("x: Tensor[f32, N, strides(1, 2)]", "TL210", "strides(1, 2)"),
        ("x: Tensor[f32, N, strides(-1)]", "TL210", "-1"),
        ("x: Tensor[f32, strides(1), N]", "TL210", "Tensor[f32, strides(1), N]"),
        ("x: Tensor[f32, N, strides(1), strides(1)]", "TL210", "strides(1)"),
    ],
)
def test_refusals(head: str, code: str, text: str) -> None:
    assert refusal(over(head)) == (code, text)


def test_all_parameters_are_told_in_one_run() -> None:
    assert codes(over("a, b: list, c: Tensor[f99, N]")) == ["TL310", "TL311", "TL312"]


def test_settings() -> None:
    assert codes(over("x: Tensor[f32, N]"), sets={"Q": 3}) == ["TL305"]
    assert codes(over("x: Tensor[f32, N]"), sets={"N": -3}) == ["TL306"]


def test_dims_must_be_bound_to_their_own_names() -> None:
    nest, problems, source = built(over("x: Tensor[f32, A]", before='A, B = dims("B A")'))
    assert [p.code for p in problems] == ["TL211"] and nest is None
    assert show(problems[0], source).startswith("k.py:")


@pytest.mark.parametrize("again", ["B = 5", "A, B = 5, 6", "[B] = [3]", "B: int = 5"])
def test_dims_are_bound_once(again: str) -> None:
    nest, problems, _ = built(over("x: Tensor[f32, A]", before=f'A, B = dims("A B")\n{again}'))
    assert [p.code for p in problems] == ["TL211"] and nest is None


def test_a_dim_gets_its_value_from_a_shape() -> None:
    assert refusal(over("x: Tensor[f32, :], y: Tensor[f32, M]", "x[0] = N")) == ("TL307", "N")
    assert codes(over("x: Tensor[f32, :], y: Tensor[f32, M]", "x[0] = N"), sets={"N": 4}) == []
    assert codes(over("x: Tensor[f32, :], y: Tensor[f32, N * M]", "x[0] = N")) == []
    assert codes(over("x: Tensor[f32, :], N: int", "x[0] = N")) == []


def test_kernel_decorates_and_takes_nothing_but_math() -> None:
    assert refusal(over("x: Tensor[f32, N]").replace("@kernel", "@kernel(f32)"))[0] == "TL340"


def test_an_array_parameter_of_rank_nought_is_no_tensor() -> None:
    check(over("x: Tensor[f32, 1], s: f32", "x[0] = s"), np.zeros(1, np.float32), np.float32(2))
