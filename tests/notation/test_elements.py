"""Element types: casts, NumPy's view of them, names."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tl2hip
from tl2hip import bf16, bool_, f8e4m3, f8e5m2, f16, f32, f64, i8, i32, u8, u32
from tl2hip.notation.elements import element

KINDS: list[tuple[Any, Any]] = [
    (f64, np.float64),
    (f32, np.float32),
    (f16, np.float16),
    (bf16, ml_dtypes.bfloat16),
    (f8e4m3, ml_dtypes.float8_e4m3fnuz),
    (f8e5m2, ml_dtypes.float8_e5m2fnuz),
    (tl2hip.i64, np.int64),
    (i32, np.int32),
    (tl2hip.i16, np.int16),
    (i8, np.int8),
    (u8, np.uint8),
    (u32, np.uint32),
    (bool_, np.bool_),
]


@pytest.mark.parametrize(("kind", "numpy"), KINDS)
def test_casts(kind: Any, numpy: Any) -> None:
    for value in (1, 1.0, True, np.float16(1), np.int64(1), ml_dtypes.bfloat16(1)):
        assert type(kind(value)) is numpy and kind(value) == 1
    array = kind(np.ones((2, 0, 3), "f8"))
    assert array.dtype == numpy and array.shape == (2, 0, 3)
    assert kind.dtype == np.dtype(numpy) and np.empty(2, kind).dtype == numpy


def test_strong_scalars_promote() -> None:
    assert type(f32(1) * f16(2)) is np.float32
    assert type(f16(1) + 1.5) is np.float16
    assert type(f32(1) * i32(2)) is np.float64
    assert type(f32(2) * bf16(2)) is np.float32


def test_rounding_and_wrapping() -> None:
    assert u8(-1) == 255 and i8(200) == -56 and i32(2**32 + 5) == 5
    assert i32(-3.7) == -3 and u32(7.9) == 7
    assert f16(2049.0) == 2048 and bf16(257.0) == 256
    assert np.isnan(f8e4m3(241 * 2)) and f8e4m3(240) == 240


def test_an_array_is_copied() -> None:
    a = np.ones(3, "f4")
    assert f32(a) is not a and not np.shares_memory(f32(a), a)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("float16", "f16"),
        ("f16", "f16"),
        (np.float16, "f16"),
        (np.dtype("i4"), "i32"),
        (f32, "f32"),
        (bool, "bool"),
    ],
)
def test_element_by_name(given: Any, name: str) -> None:
    assert element(given).name == name


@pytest.mark.parametrize("given", ["float99", np.complex64, 3.5, object])
def test_no_element(given: Any) -> None:
    with pytest.raises(TypeError, match="no element type"):
        element(given)
