"""The annotations of a helper function say what it is given and what it returns, or are refused."""

from __future__ import annotations

import pytest

from tests.nest.build.helpers import codes, refusal
from tests.nest.build.test_loops import over

HEAD = "x: Tensor[f32, N], y: Tensor[f32, N], k: Tensor[i32, N], X: Tensor[f32, M, N]"
IMPORTS = "from typing import Any, TypeVar\nfrom numpy.typing import NDArray\nT = TypeVar('T')\n"


def helper(head: str, body: str, call: str) -> str:
    return f"{IMPORTS}def h{head}:\n    {body}\n\n" + over(f"for i in range(N):\n    {call}", HEAD)


ONE = ("return a", "y[i] = h(x[i])")
INDEX = ("return a", "y[i] = h(k[i])")
ROW = ("return a[0]", "y[i] = h(X[0])")
PAIR = ("return a, 1", "y[i], z = h(x[i])")


@pytest.mark.parametrize(
    ("head", "use"),
    [
        ("(a: f32) -> f32", ONE),
        ("(a: float) -> float", ONE),
        ("(a: Any) -> Any", ONE),
        ("(a: T) -> T", ONE),
        ("(a: float) -> float", INDEX),
        ("(a: int) -> int", INDEX),
        ("(a: i32) -> np.int32", INDEX),
        ("(a: Tensor[f32, N]) -> f32", ROW),
        ("(a: NDArray[np.float32]) -> float", ROW),
        ("(a: Tensor) -> Any", ROW),
        ("(a: np.ndarray) -> np.float32", ROW),
        ("(a: np.ndarray[Any, np.dtype[np.float32]]) -> f32", ROW),
        ("(a: NDArray[T]) -> float", ROW),
        ("(a) -> tuple[f32, int]", PAIR),
        ("(a) -> tuple", PAIR),
        ("(a, b: float = 2) -> float", ("return a * b", "y[i] = h(x[i])")),
        ("(a: Tensor[f32, N], b: int) -> None", ("a[b] = 1", "h(y, i)")),
    ],
)
def test_what_holds_converts(head: str, use: tuple[str, str]) -> None:
    assert codes(helper(head, *use)) == []


@pytest.mark.parametrize(
    ("head", "use", "expected"),
    [
        ("(a: i32)", ONE, ("TL314", "i32")),
        ("(a: int)", ONE, ("TL314", "int")),
        ("(a: f64)", ONE, ("TL314", "f64")),
        ("(a: bool)", ONE, ("TL314", "bool")),
        ("(a: None)", ONE, ("TL314", "None")),
        ("(a: Tensor[f32, N])", ONE, ("TL314", "Tensor[f32, N]")),
        ("(a: float)", ROW, ("TL314", "float")),
        ("(a: Tensor[f16, N])", ROW, ("TL314", "Tensor[f16, N]")),
        ("(a: Tensor[f32, M, N])", ROW, ("TL314", "Tensor[f32, M, N]")),
        ("(a: NDArray[np.float64])", ROW, ("TL314", "NDArray[np.float64]")),
        ("(a, b: f32 = 2)", ("return a * b", "y[i] = h(x[i])"), ("TL314", "f32")),
        ("(a) -> i32", ONE, ("TL318", "i32")),
        ("(a) -> int", ONE, ("TL318", "int")),
        ("(a) -> None", ONE, ("TL318", "None")),
        ("(a) -> f32", PAIR, ("TL318", "f32")),
        ("(a) -> tuple[f32, f32]", PAIR, ("TL318", "tuple[f32, f32]")),
        ("(a) -> tuple[f32]", PAIR, ("TL318", "tuple[f32]")),
        ("(a, b) -> float", ("a[b] = 1", "h(y, i)"), ("TL318", "float")),
        ("(a: np.ndarray[Any, np.dtype[np.float64]])", ROW, ("TL314", "np.ndarray[Any, np.dtype[np.float64]]")),
        ("(a) -> tuple[f32]", ONE, ("TL318", "tuple[f32]")),
    ],
)
def test_what_does_not_hold_is_refused(head: str, use: tuple[str, str], expected: tuple[str, str]) -> None:
    assert refusal(helper(head, *use)) == expected
