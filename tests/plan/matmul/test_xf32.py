"""The mark xf32: factors of f32 may lose all but ten bits of mantissa, where the user says so and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plan.matmul.products import Product, converted, multiplying, plan, proven, refused, why
from tl2hip.dtypes import F32
from tl2hip.plan.matrix_ir import MatrixMultiply
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.asked import UNIT, ten_bits
from tl2hip.prove.bounded import Bounds
from tl2hip.prove.values import NO_FLAGS, REORDERED

PLAIN = Product(left="f32", i="32", j="32, waves(1)", k="32")
MARKED = Product(left="f32", i="32", j="32, waves(1)", k="32, xf32")
WIDE = Product("NN", "f32", i="32", j="32, waves(1)", k="32, mfma(32), xf32")
SHAPES = {"M": 36, "N": 36, "K": 68}, {"M": 5, "N": 33, "K": 7}


def instructions(text: Product) -> set[str]:
    found = (s for x in plan(converted(text)).kernels for s in all_stmts(x.body))
    return {s.builtin.removeprefix("__builtin_amdgcn_mfma_") for s in found if isinstance(s, MatrixMultiply)}


def test_the_instruction_is_taken_by_the_mark_alone() -> None:
    assert instructions(PLAIN) == {"f32_16x16x4f32"}
    assert instructions(MARKED) == {"f32_16x16x8_xf32"}
    assert instructions(WIDE) == {"f32_32x32x4_xf32"}


@pytest.mark.parametrize("text", [MARKED, WIDE], ids=["16x16", "32x32"])
def test_products_of_ten_bits_lie_within_their_bound(text: Product) -> None:
    k = converted(text)
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    report = proven(k, *SHAPES, modes=("normal", "coded"), machine=text is MARKED)
    assert report.good, report.text


def test_without_the_mark_the_same_kernel_is_out_of_bound() -> None:
    printed = converted(MARKED).printed
    assert printed is not None
    report = proven(converted(PLAIN), SHAPES[0], text=printed.text)
    assert not report.good and "normal" in report.text


def test_small_integers_are_exact() -> None:
    report = proven(converted(MARKED), SHAPES[0], modes=("integers",))
    (column,) = (line for line in report.text.splitlines() if line.strip().startswith("integers"))
    assert report.good and column.split()[3] == "0", report.text


def test_factors_lose_what_ten_bits_do_not_hold() -> None:
    bounds = Bounds(np.float64)
    x = bounds.exact(np.array([1.5, 1 + 2.0**-10, 1 + 2.0**-11, np.inf], np.float32), NO_FLAGS, F32)
    found = ten_bits([x], F32)
    assert found.error is not None and found.wide is not None
    assert list(found.flags & REORDERED != 0) == [False, False, True, False]
    assert found.error[0] == found.error[1] == found.error[3] == 0 and UNIT <= found.error[2] < 1.01 * UNIT


def test_other_factors_and_other_loops_refuse_it() -> None:
    assert "xf32 rounds factors of f32, and these are f16" in refused(Product(k="xf32"))
    assert "only the loop over the sum of a matrix product takes it" in refused(Product(left="f32", i="32, xf32"))
    assert "xf32 takes nothing" in refused(Product(left="f32", k="xf32(2)"))
