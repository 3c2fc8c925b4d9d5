"""`tile` on NumPy: index tiles, tiles over named axes, and the arrays of a kernel with tile loops."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tl2hip
from tl2hip import Tensor, dims, f16, f32, i32, kernel, serial, tile, waves
from tl2hip.notation.home import whole
from tl2hip.notation.tile.arrays import indexable
from tl2hip.notation.tile.values import Value

M, N, K = dims("M N K")


def test_index_tiles_cover_the_extent() -> None:
    assert [list(i.array) for i in tile.range(5, 2, waves(2))] == [[0, 1], [2, 3], [4]]
    assert [i.shape for i in tile.range(0, 2)] == []
    assert [i.shape for i in tile.range(5)] == [(5,)] == [i.shape for i in tile.range(5, serial)]
    assert [i.shape for i in tile.range(0)] == [(0,)], "the whole of an empty axis is one empty tile"
    assert tile.all(3).shape == (3,) and tile.all(-1).shape == (0,)


@pytest.mark.parametrize("marks", [(0,), (2.5,), ("two",), (waves(2), 2), (2, 2)])
def test_sizes_and_marks_are_checked(marks: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, ValueError), match=r"tile\.range"):
        next(tile.range(5, *marks))


def tiles() -> tuple[Any, Any, Any, Any]:
    """Index tiles of 2 and of 3 elements, and arrays of 2 by 3 and of 3 by 2."""
    a = indexable(np.arange(6.0).reshape(2, 3).astype(np.float32))
    return tile.all(2), tile.all(3), a, indexable(np.ascontiguousarray(a.T))


def test_axes_pair_by_their_loops() -> None:
    i, j, a, b = tiles()
    np.testing.assert_array_equal((a[i, j] - b[j, i]).array, np.zeros((2, 3)))
    np.testing.assert_array_equal((a[i, j] * a[i, 0]).array, np.array([[0, 0, 0], [9, 12, 15]]))
    np.testing.assert_array_equal((j <= i).along((*i.axes, *j.axes)), np.tri(2, 3, dtype=bool))
    np.testing.assert_array_equal(np.where(i == 1, a[i, j], -1).array, [[-1, -1, -1], [3, 4, 5]])
    assert a[i, j].T.axes == b[j, i].axes and a[i, j][:, None, :].axes == a[i, j].axes


def test_an_order_to_count_axes_by() -> None:
    i, j, a, b = tiles()
    assert a[i, j].sum(axis=1).shape == (2,) and (a[i, j] + a[0, j]).sum(axis=1).shape == (2,)
    assert np.where(j <= i, a[i, j], 0).max(axis=1, keepdims=True).shape == (2,)
    assert (a[i, j] + b[j, i]).sum(axis=i).shape == (3,) and a[i, j].sum().shape == ()
    for unordered in (a[i, j] + b[j, i], j <= i):
        with pytest.raises(ValueError, match="no order"):
            unordered.sum(axis=1)
    with pytest.raises(ValueError, match="axis 2"):
        a[i, j].max(axis=2)
    with pytest.raises(ValueError, match="no axis"):
        a[i, 0].max(axis=j)


def test_in_place_keeps_the_order_and_makes_a_new_tile() -> None:
    i, j, a, b = tiles()
    x = a[i, j]
    y = x
    x += b[j, i]
    assert x.axes == y.axes and x.ordered and y.array[1, 2] == 5 and x.array[1, 2] == 10


def test_index_tiles_are_weak() -> None:
    i, j, a, _ = tiles()
    assert (a[i, j] + i).dtype == np.float32 and (a[i, j] * (2 * j + 1)).dtype == np.float32
    assert (i / 2).weak and not np.exp(i).weak and np.exp(i).dtype == np.float64
    assert (f16(i) + 1).dtype == np.float16 and i.astype(i32).dtype == np.int32
    small = indexable(np.zeros(2, np.int8))
    with pytest.raises(OverflowError, match="does not fit int8"):
        small[i] + i * 1000


def test_reductions_are_numpys() -> None:
    halves = indexable(np.full((2, 4096), 1.0, np.float16))
    i, j = tile.all(2), tile.all(4096)
    assert halves[i, j].sum(axis=1).dtype == np.float16 and halves[i, j].sum(axis=1).array[0] == 4096
    whole = indexable(np.full((2, 4096), 100, np.int8))
    assert whole[i, j].sum(axis=1).dtype == np.int64 and np.max(whole[i, j]).array == 100
    assert (halves[i, j] > 0).sum(axis=j).dtype == np.int64
    brain = indexable(np.full((2, 4096), 1.0, ml_dtypes.bfloat16))
    assert brain[i, j].sum(axis=1).array[0] == 4096


def test_dot() -> None:
    i, j, a, b = tiles()
    k = tile.all(2)
    np.testing.assert_array_equal(tile.dot(a[i, j], b[j, k]).array, a @ b)
    np.testing.assert_array_equal(tile.dot(b[j, k], a[i, j]).along((*i.axes, *k.axes)), a @ b)
    halves = indexable(np.full((2, 3), 300, np.float16))
    assert tile.dot(halves[i, j], halves[k, j]).array[0, 0] == 270000
    small = indexable(np.full((2, 3), 100, np.int8))
    assert tile.dot(small[i, j], small[k, j]).dtype == np.int32
    assert tile.dot(small[i, j], small[k, j]).array[1, 1] == 30000
    with pytest.raises(ValueError, match="share 2"):
        tile.dot(a[i, j], a[i, j])
    with pytest.raises(TypeError, match="takes two tiles"):
        tile.dot(a, b)


def test_accumulators() -> None:
    i, j, _, _ = tiles()
    assert tile.zeros(i, j, dtype=f32).shape == (2, 3) and tile.zeros(i, dtype=f16).dtype == np.float16
    assert tile.full(i, value=-math.inf, dtype=f32).array[1] == -np.inf
    for wrong in ((3,), (i, i), (i + 1,), (i < 3,), (j + i,)):
        with pytest.raises(TypeError, match="made over index tiles"):
            tile.zeros(*wrong, dtype=f32)


def test_loads_and_stores() -> None:
    i, j, a, b = tiles()
    b[j, i] = a[i, j] * 2
    np.testing.assert_array_equal(b, np.asarray(a).T * 2)
    b[j, i] += 1
    b[j, 0] = 7
    assert b[0, 0] == 7 and b[1, 1] == 9
    b[0, 0] = a[i, j].sum()
    assert b[0, 0] == 15
    assert list(a[1, np.minimum(j + 1, 2)].array) == [4, 5, 5]
    with pytest.raises(ValueError, match="does not have"):
        b[j, 0] = a[i, j]
    with pytest.raises(ValueError, match="where its axes are"):
        b[0, 0] = a[i, 0]
    with pytest.raises(IndexError, match="indexed with 1"):
        a[i]
    with pytest.raises(IndexError, match="nothing else"):
        a[i, :]
    with pytest.raises(IndexError, match="whole number"):
        a[i, j * 1.0]
    with pytest.raises(IndexError):
        a[i + 1, j]


def test_what_tiles_do_not_do() -> None:
    i, j, a, _ = tiles()
    x: Value = a[i, j]
    for wrong in (lambda: bool(x), lambda: np.asarray(x), lambda: np.linalg.norm(x), lambda: np.add.reduce(x)):
        with pytest.raises(TypeError):
            wrong()
    for wrong in (lambda: x[0], lambda: x + np.zeros(3), lambda: a + i, lambda: iter(x), lambda: {x: 1}):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError):
        np.zeros((2, 3))[i, j]


def test_a_tile_ends_with_its_turn() -> None:
    _, _, a, _ = tiles()
    kept = []
    for i in tile.range(2, 1):
        kept.append(a[i, 0])
    for use in (lambda: kept[0] + 1, lambda: kept[0].sum(), lambda: a[i, 0], lambda: tile.zeros(i, dtype=f32)):
        with pytest.raises(ValueError, match="after the turn"):
            use()


@kernel
def doubled(A: Tensor[f32, M, N], B: Tensor[f32, M, N]) -> None:
    for i in tile.range(M, 2):
        for j in tl2hip.tile.range(N, 2):
            B[i, j] = 2 * A[i, j]


@kernel
def plain(A: Tensor[f32, M, N], B: Tensor[f32, M, N]) -> None:
    assert type(A) is np.ndarray
    B[:, :] = A


def test_a_kernel_takes_plain_arrays() -> None:
    a, b = np.ones((3, 5), np.float32), np.zeros((3, 5), np.float32)
    doubled(a, b)
    assert type(a) is np.ndarray and (b == 2).all()
    plain(a, b)
    assert (b == 1).all()


def test_a_notebook_cell_gets_its_import() -> None:
    names: dict[str, Any] = {"tile": tile, "f32": f32}
    cell = "def f(A, B):\n    for i in tile.range(3, 2):\n        B[i] = f32(A[i])\n"
    exec(cell, names)
    assert whole(cell, names["f"]).split("\n")[4:6] == [
        "from tl2hip import tile as tile",
        "from tl2hip import f32 as f32",
    ]
