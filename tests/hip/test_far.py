"""Offsets in arrays of 2**31 elements and more are never left to 32 bits."""

from __future__ import annotations

import re

import pytest

from tl2hip import api
from tl2hip.prove.compiler import compile_device

PRODUCT = """from tl2hip import Tensor, dims, f16, f32, kernel, strides

M, N = dims("M N")


@kernel
def far(A: Tensor[f16, {rows}, {k}], B: Tensor[f16, {columns}, {k}], C: Tensor[f32, {rows}, {columns}]) -> None:
    for i in range({rows}):
        for j in range({columns}):
            s = f32(0)
            for k in range({k}):
                s += f32(A[i, k]) * f32(B[j, k])
            C[i, j] = s
"""


def text_of(rows: str, columns: str, k: int) -> str:
    done = api.convert(api.source_of(PRODUCT.format(rows=rows, columns=columns, k=k)))
    assert not done.errors
    return done.text


@pytest.mark.parametrize(("rows", "columns", "k"), [("65536", "65536", 65536), ("M", "N", 8192)])
def test_rows_of_a_product_are_reached_in_64_bits(rows: str, columns: str, k: int) -> None:
    text = text_of(rows, columns, k)
    places = re.findall(r"&[AB]\[(.*?_tile) \* \d+", text)
    assert len(places) >= 4 and all(place.startswith("(i64)") for place in places), places
    assert compile_device(text).warnings == ""


def test_bytes_of_fixed_arrays_are_counted_in_64_bits() -> None:
    found = re.findall(r"_bytes = (.*);", text_of("65536", "65536", 65536))
    assert len(found) == 3 and all(one.startswith("65536LL * 65536 * ") for one in found)


def test_near_arrays_take_no_cast() -> None:
    text = text_of("4096", "4096", 4096)
    assert "&A[i_tile * 4096]" in text and "LL" not in text
