"""Dims: arithmetic on them, what they refuse, and solving for one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tl2hip import dims
from tl2hip.notation.extents import Extent, solved

H: Any
W: Any
H, W = dims("H W")


def test_names() -> None:
    assert [str(d) for d in dims("A, B C")] == ["A", "B", "C"]
    (n,) = dims("N")
    assert str(n) == str(dims("N")) == "N" and n == dims("N")


@pytest.mark.parametrize("text", ["", "1x", "a-b", "A A"])
def test_bad_names(text: str) -> None:
    with pytest.raises(ValueError, match="dims"):
        dims(text)


def test_expressions_print_as_written() -> None:
    assert str(H - W + 1) == "(H - W) + 1"
    assert str(2 * H // (W % 3)) == "(2 * H) // (W % 3)"
    assert str(-H) == "-H"
    assert str(0 - H) == "-H"


@given(st.integers(0, 50), st.integers(1, 50), st.integers(-9, 9))
@settings(derandomize=True, max_examples=60)
def test_value(h: int, w: int, c: int) -> None:
    bound = {"H": h, "W": w}
    extent: Extent = (H - W + c) * 2 - (H + c) // W + c % W - (-H)
    assert extent.at(bound) == (h - w + c) * 2 - (h + c) // w + c % w + h


@pytest.mark.parametrize(
    "use",
    [
        lambda: range(H),
        lambda: int(H),
        lambda: float(H + 1),
        lambda: bool(H),
        lambda: H < 3,
        lambda: H >= W,
        lambda: H == 3,
        lambda: [0][H],
    ],
)
def test_use_outside_a_call(use: Any) -> None:
    with pytest.raises(TypeError, match="has no value here: dims are bound while a kernel runs"):
        use()


def test_equality_is_by_expression() -> None:
    assert H + 1 == H + 1 and H + 1 != 1 + H and H != "H"
    assert len({H, W, dims("H")}) == 2


def test_only_integers_combine() -> None:
    with pytest.raises(TypeError, match=r"1\.5 is no integer"):
        H + 1.5


@given(st.integers(0, 40), st.integers(1, 9), st.integers(-5, 5))
@settings(derandomize=True, max_examples=60)
def test_solved(h: int, w: int, c: int) -> None:
    for extent in (H + c, 3 * H - c, c - 2 * H, H * W - H - 1 - H * W + 3 * H, (H + W) * 2):
        size = extent.at({"H": h, "W": w})
        assert solved(extent, size, {"W": w}) == ("H", h)


def test_not_solved() -> None:
    assert solved(H + W, 5, {}) is None
    assert solved(H // 2, 5, {}) is None
    assert solved(H * H, 4, {}) is None
    assert solved(H - H, 0, {}) is None
    assert solved(H * W, 0, {"W": 0}) is None
    with pytest.raises(ValueError, match="no H makes 2 \\* H equal to 5"):
        solved(2 * H, 5, {})
    with pytest.raises(ValueError, match="no H makes H \\+ 1 equal to 0"):
        solved(H + 1, 0, {})
