"""Rows in groups of any length, each group with its own right factor: grouped products, mixtures of experts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plan.matmul.products import converted, multiplying, plan, planted, proven, why
from tl2hip.plan.ir import DeviceWhile
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.emulate import Emulator
from tl2hip.prove.verify import Options, Session

GROUPED = """\
def f({given}start: Tensor[i32, P + 1], L: Tensor[f16, {l}], R: Tensor[f16, P, N, K], C: Tensor[f32, M, N]) -> None:
    assert offsets(start)
    i: Tile[int, 32]
    j: Tile[int, 32]
    for g in range(P):
        for i in range(start[g], start[g + 1]):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s += f32(L[{at}]) * f32(R[g, j, k])
                C[i, j] = s{scale}
"""
PLAIN = GROUPED.format(given="", l="M, K", at="i, k", scale="")
LOOKED_UP = GROUPED.format(
    given="row: Tensor[i32, M], w: Tensor[f32, M], ", l="B, K", at="row[i], k", scale=" * w[i]"
)
SHAPES = {"P": 3, "M": 70, "N": 36, "K": 72, "B": 9}, {"P": 1, "M": 33, "N": 5, "K": 7, "B": 3}


@pytest.mark.parametrize("text", [PLAIN, LOOKED_UP], ids=["plain", "looked up"])
def test_a_block_looks_its_group_up(text: str) -> None:
    k = converted(text)
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    assert all(any(isinstance(s, DeviceWhile) for s in all_stmts(x.body)) for x in plan(k).kernels[:2])
    report = proven(k, *SHAPES, modes=("coded", "normal"))
    assert report.good, report.text


def _run(text: str, starts: list[int], sizes: dict[str, int]) -> bool:
    """Whether a kernel gives what NumPy does, for these offsets."""
    k = converted(PLAIN)
    assert k.nest is not None and k.printed is not None
    session = Session(k.nest, k.printed.launcher, None, Options())
    data = session.drawn(sizes, "integers", 0)
    data.arrays["start"][:] = starts
    with Emulator.load(text) as library:
        arrays, ran = session.run_hip(library, data, sizes, shifted=False)
    want = np.zeros((sizes["M"], sizes["N"]), np.float32)
    for g, (a, b) in enumerate(zip(starts, starts[1:], strict=False)):
        want[a:b] = data.arrays["L"][a:b].astype(np.float32) @ data.arrays["R"][g].astype(np.float32).T
    inside = slice(starts[0], starts[-1])
    return not ran.findings and bool(np.array_equal(arrays["C"][inside], want[inside]))


STARTS = {
    "empty groups": [0, 0, 0, 64, 64],
    "one row each": [0, 1, 2, 3, 4],
    "tiles that end inside": [0, 31, 33, 33, 96],
    "rows ahead of the first": [40, 41, 73, 74, 96],
    "whole tiles": [0, 32, 64, 96, 96],
    "nothing": [96, 96, 96, 96, 96],
}


@pytest.mark.parametrize("name", STARTS)
def test_groups_of_any_length(name: str) -> None:
    k = converted(PLAIN)
    assert k.printed is not None
    assert _run(k.printed.text, STARTS[name], {"P": 4, "M": 96, "N": 40, "K": 64})


@pytest.mark.parametrize(
    ("old", "new"),
    [("g_found = g_middle", "g_above = g_middle"), ("g_middle <= i_number", "g_middle < i_number"),
     ("min_i64((i64)start[g + 1], M)", "M"), (">> 5) + g)", ">> 5) + g + 1)")],
)  # fmt: skip
def test_planted_faults_are_found(old: str, new: str) -> None:
    k = converted(PLAIN)
    text = planted(k, "kernel_aligned", old, new)
    assert not all(_run(text, starts, {"P": 4, "M": 96, "N": 40, "K": 64}) for starts in STARTS.values())


@pytest.mark.parametrize("text", [PLAIN, LOOKED_UP], ids=["plain", "looked up"])
def test_groups_of_few_rows_have_tiles_of_few(text: str) -> None:
    k = converted(text.replace("    i: Tile[int, 32]\n    j: Tile[int, 32]\n", ""))
    assert multiplying(k) == ["kernel_aligned", "kernel", "kernel_small_aligned", "kernel_small"], why(k)
    many, few = {"P": 2, "M": 70, "N": 36, "K": 72, "B": 9}, {"P": 5, "M": 70, "N": 36, "K": 264, "B": 9}
    report = proven(k, many, few)
    assert report.good, report.text
    assert [case.kernels[0].removesuffix("_aligned") for case in report.cases] == ["f_kernel", "f_kernel_small"]


def test_explain_says_where_groups_went() -> None:
    (note,) = (n for n in plan(converted(PLAIN)).notes if n.axis == "g")
    assert note.where == "grid x, with the tiles of its i"
    assert note.why == "each block looks its own up in start; no tile holds i of two"


def test_what_is_no_product_by_groups_is_told() -> None:
    turned = converted(PLAIN.replace("M, K", "K, M").replace("L[i, k]", "L[k, i]"))
    assert any("which start anywhere" in w for w in why(turned)), why(turned)
