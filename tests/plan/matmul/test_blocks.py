"""A sum in blocks that are scaled: the products of a block go into registers of their own, then into the sums."""

from __future__ import annotations

import pytest

from tests.plan.matmul.products import converted, multiplying, plan, planted, proven, why
from tl2hip.api import Converted
from tl2hip.plan.matrix_ir import AddScaled, MatrixMultiply
from tl2hip.plan.walk import all_stmts

SHAPES = {"M": 80, "N": 256, "K": 512}, {"M": 69, "N": 128, "K": 384}
TEXT = """\
def f(
    A: Tensor[f8e4m3, M, K],
    R: Tensor[f8e4m3, N, K],
    x: Tensor[f32, M, K // 128],
    y: Tensor[f32, N // 128, K // 128],
    C: Tensor[f32, M, N],
) -> None:
    assert K % 128 == 0
    assert N % 128 == 0
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for b in range(K // 128):
                p = f32(0)
                for k in range(128):
                    p += f32(A[i, b * 128 + k]) * f32(R[j, b * 128 + k])
                s += p * (x[i, b] * y[j // 128, b])
            C[i, j] = s
"""
SCALED = "p * (x[i, b] * y[j // 128, b])"
FORMS = {
    "as written": TEXT,
    "the scales first": TEXT.replace(SCALED, "x[i, b] * y[j // 128, b] * p"),
    "one scale after the other": TEXT.replace(SCALED, "p * x[i, b] * y[j // 128, b]"),
    "on either side": TEXT.replace(SCALED, "y[j // 128, b] * p * x[i, b]"),
    "only rows": TEXT.replace(SCALED, "p * x[i, b]"),
    "only columns": TEXT.replace(SCALED, "p * y[j // 128, b]"),
    "scales of rows of blocks": TEXT.replace("x: Tensor[f32, M, K // 128]", "x: Tensor[f32, K // 128, M]")
    .replace("x[i, b]", "x[b, i]"),
    "f16": TEXT.replace("f8e4m3", "f16").replace("128 + k", "64 + k").replace("// 128, b", "// 128, b")
    .replace("K // 128", "K // 64").replace("range(128)", "range(64)"),
    "columns in memory": TEXT.replace("R: Tensor[f8e4m3, N, K]", "R: Tensor[f8e4m3, K, N]")
    .replace("R[j, b * 128 + k]", "R[b * 128 + k, j]"),
    "a start and an end": TEXT.replace("s = f32(0)", "s = x[i, 0]").replace("C[i, j] = s", "C[i, j] = s * s"),
    "instructions of 32": TEXT.replace("    assert K", "    k: Tile[int, 128, mfma(32)]\n    assert K"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_blocks_are_scaled(form: str) -> None:
    k = converted(FORMS[form])
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    report = proven(k, *SHAPES, modes=("edges", "normal") if form == "as written" else ("normal",))
    assert report.good, report.text


def test_the_machine_code_is_proven() -> None:
    report = proven(converted(TEXT), {"M": 19, "N": 128, "K": 384}, {"M": 17, "N": 128, "K": 256}, machine=True)
    assert report.good, report.text


def test_a_block_is_scaled_once_for_each_of_its_sums() -> None:
    """One multiplication and addition for each register of sums, whatever a block has of products."""
    k = converted(TEXT)
    body = next(x.body for x in plan(k).kernels if x.name == "f_kernel_aligned")
    products, scaled = (sum(isinstance(s, kind) for s in all_stmts(body)) for kind in (MatrixMultiply, AddScaled))
    assert scaled == 2 and products == 4 * scaled


def test_scales_are_multiplied_in_the_order_that_is_written() -> None:
    """Of a block without anything, 0 * 1e25 * 1e25 is 0, and 0 * (1e25 * 1e25) is not a number."""
    together, apart = (_turns(converted(FORMS[form])) for form in ("as written", "one scale after the other"))
    assert together == {1} and apart == {2}


def _turns(k: Converted) -> set[int]:
    """How often a block is multiplied."""
    bodies = (x.body for x in plan(k).kernels if "kernel" in x.name)
    return {len(s.times) for body in bodies for s in all_stmts(body) if isinstance(s, AddScaled)}


MISSES = {
    "a scale for each column": (
        TEXT.replace("y[j // 128, b]", "y[j, b]").replace("y: Tensor[f32, N // 128", "y: Tensor[f32, N"),
        "have several scales in a block",
    ),
    "blocks too short": (
        TEXT.replace("128 + k", "16 + k").replace("K // 128", "K // 16").replace("range(128)", "range(16)"),
        "a depth of 16",
    ),
    "a start of -0.0": (TEXT.replace("p = f32(0)", "p = f32(-0.0)"), ""),
    "a scale that is computed": (TEXT.replace("x[i, b]", "abs(x[i, b])"), "no element of an array of f32"),
    "the last block's sum": (TEXT.replace("C[i, j] = s", "C[i, j] = s + p").replace(
        "            s = f32(0)", "            s = f32(0)\n            p = f32(0)"), ""),
}  # fmt: skip


@pytest.mark.parametrize("miss", MISSES)
def test_what_is_no_such_sum_is_told_and_right(miss: str) -> None:
    text, reason = MISSES[miss]
    k = converted(text)
    assert multiplying(k) == [] and (not reason or any(reason in one for one in why(k))), why(k)
    report = proven(k, {"M": 9, "N": 128, "K": 256})
    assert report.good, report.text


FAULTS = {
    "the scales of the block before": ("(step - 1) * 4", "(step - 2) * 4"),
    "the scales of another row": ("scale[r]), sums", "scale[0]), sums"),
    "sums that go on": ("f32x4 block[4] = {};", "f32x4 block[4] = {sums[r][0]};"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    k = converted(TEXT)
    report = proven(k, SHAPES[0], text=planted(k, "kernel_aligned", *FAULTS[fault]))
    assert not report.good
