"""Binding finds the dims of any shapes that fit, and refuses any that do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tl2hip import dims, f32
from tl2hip.notation.bind import bind
from tl2hip.notation.extents import value_at
from tl2hip.notation.tensors import TensorType

M: Any
N: Any
K: Any
M, N, K = dims("M N K")

EXTENTS = [M, N, K, 3, M + 1, 2 * N, K - 1, M * N, N + K - 1, (M + N) // 2, K % 2, 5 - N]
SIZES = st.integers(0, 5)


@st.composite
def annotated(draw: st.DrawFn) -> tuple[dict[str, TensorType], dict[str, int]]:
    """Annotations of a few tensors that fix all their dims between them, and a value for each dim."""
    values = {"M": draw(SIZES), "N": draw(SIZES), "K": draw(st.integers(1, 5))}
    shapes = draw(st.lists(st.lists(st.sampled_from(EXTENTS), max_size=3), min_size=1, max_size=3))
    shapes += [[K], [2 * M + 1], [N, M]]
    order = draw(st.permutations(range(len(shapes))))
    return {f"t{place}": TensorType(f32, tuple(shapes[place])) for place in order}, values  # type: ignore[arg-type]


def arrays(types: dict[str, TensorType], values: dict[str, int]) -> dict[str, Any]:
    return {name: np.empty([value_at(e, values) for e in t.extents], "f4") for name, t in types.items()}  # type: ignore[arg-type]


@given(annotated())
@settings(derandomize=True, max_examples=80)
def test_finds_every_dim(drawn: tuple[dict[str, TensorType], dict[str, int]]) -> None:
    types, values = drawn
    assert bind("f", types, arrays(types, values)) == values


@given(annotated(), st.data())
@settings(derandomize=True, max_examples=80)
def test_refuses_one_wrong_axis(
    drawn: tuple[dict[str, TensorType], dict[str, int]], data: st.DataObject
) -> None:
    """Unless the changed shapes fit other values of the dims, which then have to be what was found."""
    types, values = drawn
    given = arrays(types, values)
    name = data.draw(st.sampled_from([name for name, t in types.items() if t.extents]))
    shape = list(given[name].shape)
    shape[data.draw(st.integers(0, len(shape) - 1))] += 1
    given[name] = np.empty(shape, "f4")
    try:
        found = bind("f", types, dict(given))
    except ValueError as error:
        assert str(error).startswith("f: ")
        return
    for key, array in given.items():
        assert array.shape == tuple(value_at(e, found) for e in types[key].extents)  # type: ignore[arg-type]


def test_an_array_of_bytes_in_the_other_order_is_refused() -> None:
    with pytest.raises(TypeError, match="declared f32, but the array's dtype is >f4"):
        bind("f", {"x": TensorType(f32, (None,))}, {"x": np.zeros(3, ">f4")})  # type: ignore[arg-type]
