"""Sizes, data and dtypes at which such tools have given wrong numbers."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.proofs import module, prove
from tl2hip import api
from tl2hip.prove.compiler import compile_device

HERE = Path(__file__).parent
FEW: dict[str, Any] = {"shapes": 0, "modes": ("coded",), "plan": None}
"""Only the shapes given."""


def proven(file: str, kernel: str, *given: dict[str, int], **options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = prove(HERE / file, kernel, given=given, **{**FEW, **options})
    assert report.good, report.text
    assert len([c for c in report.cases if c.good and not c.skipped]) >= len(given)


def test_every_rest_of_the_inner_extent() -> None:
    proven("peers.py", "rest_of_k", *({"M": 33, "N": 35, "K": k} for k in (*range(36), 63, 64, 65)))


def test_each_element_is_met_once() -> None:
    draw = random.Random(1)
    sizes = [(1, 1), (0, 5), (7, 9), (8, 8), (9, 8)] + [
        (draw.randint(1, 90), draw.randint(1, 90)) for _ in range(20)
    ]
    proven("peers.py", "once_each", *({"M": m, "N": n} for m, n in sizes))


def test_rows_of_1_to_65() -> None:
    proven("peers.py", "row_sum", *({"M": 3, "N": n} for n in range(66)))


@pytest.mark.parametrize("page", [16, 32, 64, 128])
def test_pages_of_any_size(page: int) -> None:
    proven(
        "serving.py", "paged_decode", {"S": 2, "H": 1, "D": 3, "PAGES": 3, "PAGE": page, "L": 2}, modes=("normal",)
    )


@pytest.mark.parametrize("heads", [1, 3, 5, 6, 7])
def test_any_number_of_heads_shares_a_key(heads: int) -> None:
    proven("serving.py", "gqa_decode", {"B": 1, "H": 2, "G": heads, "D": 4, "T": 9}, modes=("normal",))


@pytest.mark.parametrize("size", [1, 40, 72, 80, 96, 256])
def test_heads_of_any_size(size: int) -> None:
    proven("llm.py", "flash_causal", {"S": 5, "D": size}, modes=("normal",))


def test_a_group_of_zeros_has_a_scale_and_gives_zeros() -> None:
    x, y = np.zeros((2, 32), np.float32), np.ones((2, 32), np.float32)
    x[1, 20] = 3
    kernel = module(HERE / "serving.py").cast_fp8
    scale = np.full((2, 2), np.nan, np.float32)
    out = y.astype(kernel_dtype())
    kernel(x, out, scale)
    assert np.isfinite(scale).all() and (scale > 0).all()
    assert (out[0].astype(np.float32) == 0).all() and out[1, 20].astype(np.float32) == 240


def kernel_dtype() -> Any:
    import ml_dtypes

    return np.dtype(ml_dtypes.float8_e4m3fnuz)


REDUCED = """
@kernel
def reduced_{t}(x: Tensor[{t}, 4, 70], s: Tensor[{t}, 4], p: Tensor[{t}, 4], a: Tensor[{t}, 4], b: Tensor[{t}, 4]) -> None:
    for i in range(4):
        least, most = x[i, 0], x[i, 0]
        total, times = {wide}(0), {wide}(1)
        for j in range(70):
            least = min(least, x[i, j])
            most = max(most, x[i, j])
            total += {wide}(x[i, j])
            times *= {wide}(x[i, j])
        a[i] = least
        b[i] = most
        s[i] = {t}(total)
        p[i] = {t}(times)
"""  # noqa: E501
DTYPES = ("f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8", "u8", "u32")


def test_every_reduction_of_every_dtype_compiles() -> None:
    wide = {t: "f32" if t.startswith(("f8", "f16", "bf16")) else t for t in DTYPES}
    text = f"from tl2hip import Tensor, kernel, {', '.join(DTYPES)}\n"
    text += "".join(REDUCED.format(t=t, wide=wide[t]) for t in DTYPES)
    done = api.convert(api.source_of(text))
    assert not done.errors, done.told
    assert compile_device(done.text).warnings == ""
