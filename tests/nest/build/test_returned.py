"""The annotation of a result says what is returned, or is refused with what it should be."""

from __future__ import annotations

import pytest

from tests.nest.build.helpers import built, underlined

IMPORTS = "from typing import Any, Tuple\nfrom numpy.typing import NDArray\nimport numpy.typing as npt\n"


def annotated(annotation: str, returned: str) -> str:
    body = f"    return {returned}\n" if returned else "    y[:] = x\n"
    return (
        f"{IMPORTS}@kernel\ndef f(x: Tensor[f32, N], y: Tensor[f32, N], z: Tensor[f32, :, K])"
        f" -> {annotation}:\n{body}"
    )


@pytest.mark.parametrize(
    ("annotation", "returned"),
    [
        ("None", ""),
        ("object", "x + 1"),
        ("Any", "3"),
        ("Tensor[f32, N]", "x + 1"),
        ("'Tensor[f32, :]'", "x + 1"),
        ("Tensor[np.float32, :, K]", "z + 1"),
        ("Tensor[f32, N + N - N]", "x + 1"),
        ("NDArray[np.float32]", "x + 1"),
        ("npt.NDArray[Any]", "x + 1"),
        ("NDArray[bf16]", "x.astype(bf16)"),
        ("np.ndarray", "x + 1"),
        ("np.ndarray[Any, np.dtype[np.float32]]", "z + 1"),
        ("np.ndarray[tuple[int, int], np.dtype[np.float32]]", "z + 1"),
        ("np.ndarray[tuple[int, ...], np.dtype[np.float32]]", "z + 1"),
        ("tuple[Tensor[f32, N], int]", "x + 1, 3"),
        ("Tuple[NDArray[np.float32], ...]", "x + 1, z + 1"),
        ("tuple", "x + 1, 3"),
        ("f32", "x[0]"),
        ("np.float32", "x[0]"),
        ("int", "N"),
        ("int", "np.argmax(x)"),
        ("i64", "np.argmax(x)"),
        ("float", "0.5"),
        ("float", "math.exp(x[0])"),
        ("float", "f64(x[0])"),
        ("bool", "x[0] > 0"),
    ],
)
def test_what_holds_is_taken(annotation: str, returned: str) -> None:
    nest, problems, _ = built(annotated(annotation, returned))
    assert nest is not None and all(p.severity == "warning" for p in problems), problems
    assert nest.dims == ("N", "z_0", "K")


@pytest.mark.parametrize(
    ("annotation", "returned", "right"),
    [
        ("None", "x + 1", "NDArray[np.float32]"),
        ("NDArray[np.float32]", "", "None"),
        ("Tensor[f16, N]", "x + 1", "Tensor[f32, N]"),
        ("Tensor[f32, M]", "x + 1", "Tensor[f32, N]"),
        ("Tensor[f32, N, K]", "x + 1", "Tensor[f32, N]"),
        ("Tensor[f32, N]", "z + 1", "Tensor[f32, :, K]"),
        ("Tensor[f32, Q]", "x + 1", "Tensor[f32, N]"),
        ("Tensor[f32, N, vec(4)]", "x + 1", "Tensor[f32, N]"),
        ("NDArray[np.float64]", "x + 1", "NDArray[np.float32]"),
        ("NDArray[np.float32]", "x.astype(bf16)", "NDArray[bf16]"),
        ("np.ndarray[tuple[int], np.dtype[np.float32]]", "z + 1", "NDArray[np.float32]"),
        ("np.ndarray[Any, np.dtype[np.float64]]", "z + 1", "NDArray[np.float32]"),
        ("np.ndarray", "x[0]", "f32"),
        ("float", "x[0]", "f32"),
        ("float", "x + 1", "NDArray[np.float32]"),
        ("f32", "0.5", "float"),
        ("f32", "math.exp(x[0])", "float"),
        ("int", "x[0] > 0", "bool"),
        ("i32", "np.argmax(x)", "i64"),
        ("list[float]", "x + 1", "NDArray[np.float32]"),
        ("f32 | None", "x[0]", "f32"),
        ("tuple[Tensor[f32, N], f32]", "x + 1, 3", "tuple[Tensor[f32, N], int]"),
        ("tuple[int, int, int]", "2, 3", "tuple[int, int]"),
        ("tuple", "x + 1", "NDArray[np.float32]"),
        ("Tensor[f32, N]", "x + 1, x + 2", "tuple[Tensor[f32, N], Tensor[f32, N]]"),
    ],
)
def test_what_does_not_hold_is_refused_with_what_does(annotation: str, returned: str, right: str) -> None:
    nest, problems, source = built(annotated(annotation, returned))
    (problem,) = (p for p in problems if p.severity == "error")
    assert nest is None
    assert (problem.code, underlined(problem, source)) == ("TL318", annotation.strip("'"))
    assert f"`{right}`" in problem.way_out
    again, problems, _ = built(annotated(right, returned))
    assert again is not None, problems
