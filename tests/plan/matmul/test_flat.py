"""Several loops that become one are proven: sums over channels and taps, rows of places, in any order of memory."""

from __future__ import annotations

import pytest

from tests.plan.matmul.products import converted, multiplying, plan, proven, why

HEAD = """def f(X: Tensor[f16, {x}], F: Tensor[f16, {f}], Y: Tensor[f32, {y}]) -> None:
    for b in range(B):
        for h in range(M):
            for w in range(N):
                for o in range(P):
                    s = f32(0)
"""
SUM = """                    for r in range(3):
                        for q in range(2):
                            for c in range(K):
                                s += f32({e}) * f32({g})
"""
SAME = "X[b, h + r - 1, w + q, c] if 0 <= h + r - 1 < M and w + q < N else f16(0)"


def convolution(x: str, f: str, y: str, e: str, g: str, at: str) -> str:
    end = f"                    Y[{at}] = s\n"
    return HEAD.format(x=x, f=f, y=y) + SUM.format(e=e, g=g) + end


PLACES, LAST, HERE = "B, M + 2, N + 1, K", "B, M, N, P", "X[b, h + r, w + q, c]"
TEXTS = {
    "channels last": convolution(PLACES, "P, 3, 2, K", LAST, HERE, "F[o, r, q, c]", "b, h, w, o"),
    "weights turned": convolution(PLACES, "3, 2, K, P", LAST, HERE, "F[r, q, c, o]", "b, h, w, o"),
    "channels first": convolution(
        "B, K, 2 * M + 1, N + 3", "P, K, 3, 2", "B, P, M, N",
        "X[b, c, 2 * h + r, w + 3 * q]", "F[o, c, r, q]", "b, o, h, w",
    ),
    "padded": convolution("B, M, N, K", "P, 3, 2, K", LAST, SAME, "F[o, r, q, c]", "b, h, w, o"),
}  # fmt: skip
EVEN, ODD = {"B": 2, "M": 5, "N": 7, "P": 24, "K": 24}, {"B": 1, "M": 3, "N": 4, "P": 9, "K": 11}
KNOWN = {"K": 24}


@pytest.mark.parametrize("name", TEXTS)
def test_convolutions_are_products(name: str) -> None:
    k = converted(TEXTS[name], **KNOWN)
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    report = proven(k, EVEN, {**ODD, **KNOWN})
    assert report.good, report.text
    assert [case.kernels for case in report.cases] == [("f_kernel_aligned",), ("f_kernel",)]


@pytest.mark.parametrize("name", ["channels last", "weights turned", "padded"])
def test_a_sum_whose_inner_loops_have_no_known_end_is_left_to_another_plan(name: str) -> None:
    k = converted(TEXTS[name])
    assert multiplying(k) == []
    assert why(k) == ["c is one of several loops of a sum that become one, and its end is not known"]
    assert proven(k, EVEN, ODD).good


def test_a_loop_with_marks_stays_one_of_its_own() -> None:
    text = TEXTS["channels last"].replace("    for b", "    w: Tile[int, 32]\n    for b", 1)
    k = converted(text, **KNOWN)
    assert multiplying(k) == ["kernel_aligned", "kernel"]
    assert [(n.axis, n.where) for n in plan(k).notes if n.axis == "w"] == [("w", "grid x, tiles of 32")]


def test_a_sum_with_marks_on_one_of_its_loops_is_left_to_another_plan() -> None:
    k = converted(TEXTS["channels last"].replace("    for b", "    c: Tile[int, serial]\n    for b", 1))
    assert multiplying(k) == []
    assert why(k) == ["c is one of several loops that become one axis, and has marks of its own"]
