"""Nests that come near a matrix product and are none that matrix instructions compute."""

from __future__ import annotations

from tests.plan.near import ARRAYS, NO_STRIDES, STRIDED, Near, loops, typed

FACTORS = "s = f32(0)\nfor j in range(N):\n    s += f32(F[i, j]) * f32(G[j, k])\nD[k, i, 0] = s"


AROUND = ("i in range(M)", "k in range(K)")


def product(old: str = "", new: str = "") -> str:
    return loops(FACTORS.replace(old, new) if old else FACTORS, *AROUND)


PRODUCTS: dict[str, Near] = {
    "sums of halves": Near(
        product("f32(F[i, j]) * f32(G[j, k])", "F[i, j] * G[j, k]").replace("f32(0)", "f16(0)"),
        "no matrix instruction multiplies f16 into f16", "sum in f32: f32(x) * f32(y)", 5,
    ),
    "a difference": Near(product("s +=", "s -="), "a term is no product of two elements", "", 5),
    "two loops": Near(
        product("D[k", "for j in range(N):\n    s += x[j]\nD[k"),
        "2 loops stand inside `i` and `k`; a product has one, its sum", "give each loops of its own", 5,
    ),
    "elements that meet": Near(
        product("D[k, i, 0] =", "D[0, i, 0] +="), "the summing loop does more than sum", "", 5,
    ),
    "two sums": Near(
        product("for j in range(N):", "t = f32(0)\nfor j in range(N):\n    t += f32(F[i, j])")
        .replace("= s", "= s + t"),
        "the summing loop makes t besides the sum", "give each sum loops of its own", 7,
    ),
    "a ragged end": Near(
        product("range(N)", "range(min(i, N))"), "the end of j is not the same for all elements", "", 5,
    ),
    "not from 0": Near(product("range(N)", "range(1, N)"), "j does not run from 0 by 1", "", 5),
    "unrolled": Near(
        "    i: Tile[int, 64, unroll(2)]\n" + product(), "its tile is unrolled as a whole, not i alone",
        "take the unroll mark out", 6,
    ),
    "a small tile": Near(
        "    i: Tile[int, 20]\n" + product(), "20 rows over 1 wave are no whole number of 16",
        "write a tile of 256 for i", 6,
    ),
    "one column": Near(
        product().replace("range(K)", "range(1)"), "a matrix times a vector leaves matrix instructions idle", "", 5,
        typed("G: Tensor[f16, N, K]", "G: Tensor[f16, N, 1]"),
    ),
    "results that meet": Near(product("D[k, i, 0] =", "D[k // 2, i, 0] +="), "elements of the result meet", "", 5),
    "in place": Near(
        loops("s = f32(0)\nfor j in range(N):\n    s += A[i, j] * q[j, k]\nq[i + N, k] = s", *AROUND),
        "a factor is written by the same loops", "store the result in an array of its own", 5,
        ARRAYS + ", q: Tensor[f32, N + M, K]",
    ),
}  # fmt: skip


ALONE: dict[str, Near] = {
    "beyond": Near(
        product("G[j, k]", "G[j, k + 1]"), "an index of G may lie outside of it",
        "say in an assert how large G is", 5,
    ),
    "strides": Near(product("F[", "A["), *NO_STRIDES, 5, STRIDED),
    "backwards": Near(
        product("G[j, k]", "G[N - 1 - j, k]"), "nobody knows which elements of G lie side by side", "", 5,
    ),
}  # fmt: skip
"""Products with a factor of which every element is read by itself."""
