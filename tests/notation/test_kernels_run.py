"""The kernels beside the goldens run on NumPy too, each against its formula and its nest."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.kernels.clamp_cast import clamp_cast
from tests.kernels.clamped_blur import clamped_blur
from tests.kernels.conv2d import conv2d
from tests.kernels.embedding_gather import embedding_gather
from tests.kernels.flat_gemv import flat_gemv
from tests.kernels.gemm_bf16 import gemm_bf16
from tests.kernels.gemm_i8 import gemm_i8
from tests.kernels.mask_select import mask_select
from tests.kernels.max_pool import max_pool
from tests.kernels.prefix_sum import prefix_sum
from tests.kernels.rope import rope
from tests.kernels.row_norms import row_norms
from tests.kernels.scatter_rows import scatter_rows

from .test_goldens_run import close, draw

pytestmark = pytest.mark.usefixtures("repeated_by_the_nest")


def test_conv2d() -> None:
    x, weight, y = draw(2, 3, 5, 6), draw(4, 3, 2, 3), np.empty((2, 4, 4, 4), "f4")
    conv2d(x, weight, y)
    windows = np.lib.stride_tricks.sliding_window_view(x.astype("f8"), (2, 3), axis=(2, 3))
    close(y, np.einsum("ncijab,ocab->noij", windows, weight))


def test_gemm_bf16() -> None:
    a, b = draw(3, 5).astype(ml_dtypes.bfloat16), draw(4, 5).astype(ml_dtypes.bfloat16)
    c = np.empty((3, 4), ml_dtypes.bfloat16)
    gemm_bf16(a, b, c)
    close(c, a.astype("f8") @ b.astype("f8").T, 2**-7)


def test_gemm_i8() -> None:
    a, b = (np.random.default_rng(s).integers(-128, 128, (6, 6), "i1") for s in (0, 1))
    c = np.empty((6, 6), "i4")
    gemm_i8(a, b, c)
    assert (c == a.astype("i4") @ b.astype("i4")).all()


def test_clamp_cast() -> None:
    x, y = np.array([0, 1, -1000, 1000, 3.3], "f4"), np.empty(5, ml_dtypes.float8_e4m3fnuz)
    clamp_cast(x, 1, y)
    assert y.astype("f4").tolist() == [0, 1, -240, 240, 3.25]


def test_max_pool_drops_the_rest() -> None:
    x, y = draw(5, 7), np.empty((2, 3), "f4")
    max_pool(x, y)
    assert (y == x[:4, :6].reshape(2, 2, 3, 2).max(axis=(1, 3))).all()


def test_clamped_blur() -> None:
    x, y = draw(4, 5), np.empty((4, 5), "f4")
    clamped_blur(x, y, 1)
    padded = np.pad(x.astype("f8"), 1, mode="edge")
    close(y, np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).mean(axis=(2, 3)))


def test_prefix_sum() -> None:
    x, y = draw(3, 6), np.empty((3, 6), "f4")
    prefix_sum(x, y)
    close(y, x.astype("f8").cumsum(axis=1))


def test_flat_gemv() -> None:
    w, x, y = draw(3, 4), draw(4), np.empty(3, "f4")
    flat_gemv(w.ravel(), x, y)
    close(y, w.astype("f8") @ x)


def test_rope() -> None:
    q, angle = draw(3, 6), draw(3, 3, dtype="f8")
    z = (q[:, ::2] + 1j * q[:, 1::2]) * np.exp(1j * angle)
    rope(q, np.cos(angle).astype("f4"), np.sin(angle).astype("f4"))
    close(q[:, ::2], z.real)
    close(q[:, 1::2], z.imag)


def test_embedding_gather() -> None:
    token, table = np.array([2, 0, 2, -1]), draw(5, 3).astype(ml_dtypes.bfloat16)
    out = np.empty((4, 3), ml_dtypes.bfloat16)
    embedding_gather(token, table, out)
    assert (out == table[token]).all()


def test_scatter_rows_leaves_the_rest() -> None:
    x, place, y = draw(2, 3), np.array([3, 0], "i4"), np.full((4, 3), 7, "f4")
    scatter_rows(x, place, y)
    assert (y[[3, 0]] == x).all() and (y[[1, 2]] == 7).all()


def test_row_norms() -> None:
    x = draw(4, 5, dtype="f8")
    np.testing.assert_allclose(row_norms(x), np.linalg.norm(x, axis=1), rtol=1e-14)


def test_mask_select() -> None:
    mask, a, b, out = draw(9) > 0, draw(9, dtype="f2"), draw(9, seed=1, dtype="f2"), np.empty(9, "f2")
    mask_select(mask, a, b, out)
    assert (out == np.where(mask, a, b)).all()
