"""Annotations and marks: what they hold, and what they refuse."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from tl2hip import Lds, dims, f16, f32, lanes, lds, serial, stages, strides, tiled, unroll, vec, waves
from tl2hip.notation.tensors import Tensor, TensorType, Tile

M: Any
N: Any
M, N = dims("M N")
TENSOR: Any = Tensor
TILE: Any = Tile


def test_tensor() -> None:
    given: TensorType = TENSOR[f16, M, 3, :, N - M + 1, strides(3 * N, N, 1, 1), lds(pad=8), vec(8)]
    assert given.element.name == "f16"
    assert given.extents == (M, 3, None, N - M + 1)
    assert given.strides == (3 * N, N, 1, 1)
    assert given.options == (lds(pad=8), vec(8))
    assert str(given) == "Tensor[f16, M, 3, :, (N - M) + 1, strides(3 * N, N, 1, 1), lds(8), vec(8)]"
    assert TENSOR[bool, M].element.name == "bool" and TENSOR[f32].extents == ()


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ((3, M), TypeError, "the first part of Tensor"),
        ((float, M), TypeError, "the first part of Tensor"),
        ((f32, "M"), TypeError, "an extent is an int, a dim"),
        ((f32, 2.0), TypeError, "an extent is an int, a dim"),
        ((f32, True), TypeError, "an extent is an int, a dim"),
        ((f32, -1), ValueError, "0 or more"),
        ((f32, dims("A B")), TypeError, "an extent is an int, a dim"),
        ((f32, slice(1, None)), TypeError, "any extent is written `:`"),
        ((f32, M, waves(2)), TypeError, "is for loops"),
        ((f32, M, strides(1, 2)), TypeError, "2 strides for 1 axes"),
        ((f32, M, strides(1.5)), TypeError, "a stride is an int"),
        ((f32, M, strides(1), strides(1)), TypeError, "stands twice"),
        ((f32, vec(2), M), TypeError, "extents come before the options"),
    ],
)
def test_bad_tensors(parts: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        TENSOR[parts]


def test_tensor_makes_no_arrays() -> None:
    with pytest.raises(TypeError, match="make them with NumPy"):
        TENSOR(3)
    with pytest.raises(TypeError, match="make arrays with NumPy"):
        TENSOR[f32, 3](3)


def test_tile_and_lds() -> None:
    assert TILE[int, 64, waves(2), stages(3)].marks == (64, waves(2), stages(3))
    assert TILE[int, serial].marks == (serial,)
    assert get_args(Lds[int]) == (int, "lds")
    for bad in ((float, 64), int, (int, waves(2), 64), (int, "x")):
        with pytest.raises(TypeError):
            TILE[bad]


@pytest.mark.parametrize("mark", [waves, lanes, vec, unroll, stages])
def test_marks(mark: Any) -> None:
    assert mark(4) == mark(4) and mark(4) != mark(2)
    assert repr(mark(4)) == f"{mark.__name__}(4)"
    with pytest.raises(ValueError, match="1 or more"):
        mark(0)
    for bad in (2.0, True, None):
        with pytest.raises(TypeError, match="a whole number"):
            mark(bad)
    with pytest.raises(TypeError, match="M has no value here"):
        mark(M)


def test_marks_of_different_names_differ() -> None:
    assert len({waves(2), lanes(2), vec(2), unroll(2), stages(2)}) == 5


def test_lds() -> None:
    assert lds() == lds(pad=0) != lds(pad=8)
    with pytest.raises(ValueError, match="0 or more"):
        lds(pad=-1)


def test_tiled_changes_nothing() -> None:
    assert list(tiled(range(3), 64, waves(2))) == [0, 1, 2]
    assert list(tiled(range(3), serial)) == [0, 1, 2]
    with pytest.raises(TypeError, match="is not a mark"):
        tiled(range(3), 64, 32)
    with pytest.raises(ValueError, match="1 or more"):
        tiled(range(3), 0)
