"""Loops that pass an element through a local array become one, where no value can change."""

from __future__ import annotations

import pytest

from tl2hip import api
from tl2hip.nest.ir import Loop, Nest
from tl2hip.nest.walk import all_stmts

HEAD = """
import numpy as np
from tl2hip import Tensor, Tile, dims, f32, kernel
M, N, K = dims("M N K")


@kernel
def k(
    A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N], D: Tensor[f32, N, M], b: Tensor[f32, N]
) -> None:
"""


def nest(body: str) -> Nest:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    done = api.convert(api.source_of(HEAD + lines), stop_after="nest")
    assert not done.errors, done.told
    (one,) = done.kernels
    assert one.nest is not None
    return one.nest


def local(n: Nest) -> list[str]:
    return [a.name for a in n.arrays if a.role == "local"]


def loops(n: Nest) -> int:
    return sum(isinstance(s, Loop) for s in all_stmts(n.body))


@pytest.mark.parametrize(
    "body",
    [
        "C[:, :] = A @ B",
        "C[:, :] = np.maximum(A @ B + b, 0)",
        "for i in range(M):\n    C[i, :] = A[i, :] @ B",
        "for i in range(M):\n    C[i, :] = (A[i, :] @ B) * b + b",
    ],
)
def test_a_product_and_what_is_done_with_it_are_three_loops(body: str) -> None:
    n = nest(body)
    assert local(n) == [] and loops(n) == 3
    (idiom,) = api.recognised(n, api.Options()).idioms
    assert idiom.rule == "contraction"


FILL = (
    "t = np.empty((M, N), dtype=np.float32)\nfor i in range(M):\n    for j in range(N):\n        s = f32(0)\n"
    "        for k in range(K):\n            s += A[i, k] * B[k, j]\n        t[i, j] = s\n"
)


@pytest.mark.parametrize(
    "reader",
    [
        "for i in range(M):\n    for j in range(N):\n        D[j, i] = t[i, j]",
        "for p in range(M):\n    for q in range(N):\n        C[p, q] = t[p, q] * t[p, q]",
    ],
)
def test_a_reader_of_the_same_turns_joins(reader: str) -> None:
    n = nest(FILL + reader)
    assert local(n) == [] and loops(n) == 3


@pytest.mark.parametrize(
    "reader",
    [
        "for i in range(M):\n    for j in range(N):\n        C[i, j] = t[M - 1 - i, j]",
        "for i in range(M):\n    for j in range(N - 1):\n        C[i, j] = t[i, j + 1]",
        "for j in range(N):\n    for i in range(M):\n        C[i, j] = t[i, j]",
        "for i in range(M):\n    for j in range(N):\n        B[0, j] = t[i, j]",
        "for i in range(M):\n    for j in range(N):\n        A[i, 0] += t[i, j]",
        "for i in range(M):\n    for j in range(N):\n        s = t[i, j]\n        C[i, j] = s",
        "for i in range(M):\n    for j in range(N):\n        C[i, j] = t[i, j]\nb[0] = t[0, 0]",
        "b[0] = 1\nfor i in range(M):\n    for j in range(N):\n        C[i, j] = t[i, j] + b[0]",
    ],
    ids=[
        "mirrored",
        "shifted",
        "turned",
        "writes a factor",
        "updates a factor",
        "one scalar",
        "read again",
        "apart",
    ],
)
def test_readers_of_other_turns_or_of_what_changes_do_not(reader: str) -> None:
    assert local(nest(FILL + reader)) == ["t"]


def test_other_marks_keep_loops_apart() -> None:
    reader = "p: Tile[int, 32]\nfor p in range(M):\n    for j in range(N):\n        C[p, j] = t[p, j]"
    assert local(nest(FILL + reader)) == ["t"]
