"""Nests that come near a fast plan and do not fit it: a body, why, the way out, and the line that is told."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = """import math
import numpy as np
from tl2hip import *
M, N, K = dims("M N K")
@kernel
"""
ARRAYS = "A: Tensor[f32, M, N], B: Tensor[f32, N, M], C: Tensor[f32, M, N], x: Tensor[f32, N], y: Tensor[f32, M], "
ARRAYS += "u: Tensor[f32, N], v: Tensor[f32, N], w: Tensor[i32, N], D: Tensor[f32, K, M, N], h: Tensor[i8, M, N], "
ARRAYS += "E: Tensor[f64, M, N], F: Tensor[f16, M, N], G: Tensor[f16, N, K]"
LINE = 7
"""The first line of a body."""


def loops(statements: str, *around: str) -> str:
    """Statements inside loops, those over i and j where none are given."""
    text, depth = "", 1
    for loop in around or ("i in range(M)", "j in range(N)"):
        text += f"{'    ' * depth}for {loop}:\n"
        depth += 1
    return text + "".join(f"{'    ' * depth}{s}\n" for s in statements.splitlines())


def one(statements: str, loop: str = "i in range(N)") -> str:
    return loops(statements, loop)


SUM = "s = f32(0)\nfor j in range(N):\n    s += A[i, j] * x[j]\ny[i] = s"
DOWN = "s = f32(0)\nfor i in range(M):\n    s += A[i, j] * y[i]\nx[j] = s"


def row(old: str = "", new: str = "") -> str:
    return loops(SUM.replace(old, new) if old else SUM, "i in range(M)")


def column(old: str = "", new: str = "") -> str:
    return loops(DOWN.replace(old, new) if old else DOWN, "j in range(N)")


NORMED = (
    "s = f32(0)\nfor j in range(N):\n    s += A[i, j]\nfor j in range(N):\n    A[i, j] = A[i, j] / s"
)  # fmt: skip


def normed(old: str = "", new: str = "", loop: str = "i in range(M)") -> str:
    return loops(NORMED.replace(old, new) if old else NORMED, loop)


@dataclass(frozen=True, slots=True)
class Near:
    """A body over `arrays`, the reason, the way out, and which of the body's lines is told, counted from 1."""

    body: str
    why: str
    way: str
    line: int
    arrays: str = ARRAYS
    strips: tuple[str, str, int] | None = None
    """The reason, way out and line that are told of strips of rows besides: what is no one run may be near them."""


def typed(old: str, new: str) -> str:
    """The arrays, one of them of another type."""
    assert old in ARRAYS
    return ARRAYS.replace(old, new)


STRIDED = typed("A: Tensor[f32, M, N]", "A: Tensor[f32, M, N, strides(N + 8, 1)]")
NO_STRIDES = ("A has strides of its own", "leave strides out of the type of A")

ELEMENTWISE: dict[str, Near] = {
    "a branch": Near(
        one("if w[i] > 0:\n    x[i] = u[i]"), "what stands under a test is not done at every element",
        "store a conditional expression in its place, at every element", 2,
    ),
    "every other one": Near(one("x[i] = u[i]", "i in range(0, N, 2)"), "i does not count up by 1", "", 1),
    "loaded behind": Near(
        one("x[i] = u[i]\nv[i] = x[i]"), "x is loaded behind where it is stored", "keep the value in a local", 3,
    ),
    "two stores": Near(
        one("x[i] = u[i]\nx[i] = f32(i)"), "x is stored to twice",
        "keep the value in a local, and store it once", 3,
    ),
    "backwards": Near(one("x[N - 1 - i] = u[i]"), "x is accessed backwards along i", "", 2),
    "beyond": Near(
        one("y[i] = x[i]"), "an index of y may lie outside of it", "say in an assert how large y is", 2,
    ),
    "an end in memory": Near(
        one("x[i] = u[i]", "i in range(min(w[0], N))"), "the launcher does not know where i starts and ends", "", 1,
    ),
    "part of each row": Near(
        loops("A[i, j] = C[i, j]", "i in range(M)", "j in range(1, N)"),
        "j does not count up from 0 by 1, so that rows are not one run", "", 2,
    ),
    "a tile": Near(
        "    j: Tile[int, 64]\n" + loops("A[i, j] = C[i, j]"), "a tile of 64 along j ends inside a row",
        "take the tile size out", 3, strips=("j has a tile or marks of its own", "take them out", 3),
    ),
    "waves of one loop": Near(
        "    j: Tile[int, 256, waves(2)]\n" + loops("A[i, j] = C[i, j]"), "waves(2) shares out j alone",
        "take waves(2) out", 3, strips=("j has a tile or marks of its own", "take them out", 3),
    ),
    "few lanes": Near(
        "    i: Tile[int, 32, lanes(32)]\n" + one("x[i] = u[i]"),
        "a run goes to whole waves, and lanes(32) says otherwise", "take lanes(32) out", 2,
    ),
    "a small tile": Near(
        "    i: Tile[int, 48]\n" + one("x[i] = u[i]"),
        "a tile of 48 is no whole number of waves with 4 elements a lane, or too large",
        "a tile of 256 is, and so are 512 and 1024", 2,
    ),
    "one at a time": Near(
        "    i: Tile[int, 64, vec(1)]\n" + one("x[i] = u[i]"), "its marks ask for one element at a time", "", 2,
    ),
    "elsewhere": Near(
        loops("A[i, j] = C[i, j] + x[j]"), "x is accessed elsewhere than at [i, j], so that rows are not one run",
        "", 2,
    ),
    "a slice": Near(
        "    A[1:, :] = C[:-1, :]\n", "A is accessed elsewhere than at [:, :], so that rows are not one run", "", 1,
    ),
    "the place itself": Near(loops("A[i, j] = f32(i)"), "what is computed depends on where the element is", "", 2),
    "few columns": Near(
        loops("A[i, j] = C[i, j]", "i in range(M)", "j in range(min(N, 3))"),
        "the loops do not run over whole rows of C", "", 2,
    ),
    "strides": Near(loops("C[i, j] = A[i, j]"), *NO_STRIDES, 2, STRIDED),
    "strides of a run": Near(
        one("x[i] = u[i]"), "x has strides of its own", "leave strides out of the type of x", 2,
        typed("x: Tensor[f32, N]", "x: Tensor[f32, N, strides(2)]"),
    ),
    "rows of another array": Near(
        loops("A[i, j] = C[i, j]", "i in range(M)", "j in range(K)"), "an index of C may lie outside of it",
        "say in an assert how large C is", 2,
        strips=("an index of A may lie outside of it", "say in an assert how large A is", 3),
    ),
    "elements that meet": Near(
        loops("A[i % 2, j] += x[j]"), "x is accessed elsewhere than at [i, j], so that rows are not one run", "", 2,
        strips=("several iterations update one element of A", "", 3),
    ),
}  # fmt: skip

TRANSPOSE: dict[str, Near] = {
    "a branch": Near(
        loops("if w[j] > 0:\n    B[j, i] = A[i, j]"), "what stands under a test is not done at every element",
        "store a conditional expression in its place, at every element", 3,
    ),
    "two arrays": Near(
        loops("B[j, i] = A[i, j]\nC[i, j] = f32(0)"), "C is stored, too",
        "store to each array in loops of its own", 4,
    ),
    "backwards": Near(loops("B[j, M - 1 - i] = A[i, j]"), "B is accessed backwards along i", "", 3),
    "loaded backwards": Near(loops("B[j, i] = A[i, N - 1 - j]"), "A is accessed backwards along j", "", 2),
    "a triangle": Near(
        loops("B[j, i] = A[i, j]", "i in range(M)", "j in range(min(i, N))"),
        "j starts or ends elsewhere all the time, so that tiles are no squares", "", 2,
    ),
    "every other row": Near(
        loops("B[j, i] = A[i, j]", "i in range(0, M, 2)", "j in range(N)"), "i does not count up by 1", "", 1,
    ),
    "an end in memory": Near(
        loops("B[j, i] = A[i, j]", "i in range(M)", "j in range(w[0])"),
        "the launcher does not know where j starts and ends", "", 2,
    ),
    "beyond": Near(
        loops("B[j, i] = A[i, j]", "i in range(N)", "j in range(N)"), "an index of B may lie outside of it",
        "say in an assert how large B is", 3,
    ),
    "marks": Near(
        "    j: Tile[int, 64, lanes(64)]\n" + loops("B[j, i] = A[i, j]"),
        "lanes(64) shares j out otherwise than in squares", "take lanes(64) out", 3,
    ),
    "no square": Near(
        "    i: Tile[int, 32]\n    j: Tile[int, 64]\n" + loops("B[j, i] = A[i, j]"),
        "tiles of 64 along j and 32 along i are no squares", "a tile of 64 for both is one", 4,
    ),
    "a small tile": Near(
        "    i: Tile[int, 20]\n" + loops("B[j, i] = A[i, j]"),
        "a tile of 20 does not share the elements of A out over threads and banks", "a tile of 64 does", 3,
    ),
    "widths far apart": Near(
        loops("B[j, i] = f32(E[i, j]) + f32(h[i, j])"),
        "2 elements of E fill an access, and so few of h make none", "", 2,
    ),
    "strides": Near(loops("B[j, i] = A[i, j]"), *NO_STRIDES, 2, STRIDED),
    "stored twice": Near(loops("B[j, i] = A[i, j]\nB[j, i] = f32(1)"), "B is stored twice", "", 4),
    "loaded elsewhere": Near(
        loops("B[j, i] = A[i, j] + B[0, i]", "i in range(M)", "j in range(1, N)"),
        "B is loaded elsewhere than stored", "store to an array of its own", 3,
    ),
    "a large tile": Near(
        "    i: Tile[int, 256]\n" + loops("B[j, i] = A[i, j]"),
        "a tile of 256 does not share the elements of A out over threads and banks", "a tile of 64 does", 3,
    ),
    "a tile of the batch": Near(
        "    k: Tile[int, 4]\n"
        + loops("X[k, j, i] = D[k, i, j]", "k in range(K)", "i in range(M)", "j in range(N)"),
        "a block takes one k, not a tile of them", "take its tile size out", 2,
        ARRAYS + ", X: Tensor[f32, K, N, M]",
    ),
    "large tiles of three": Near(
        "    i: Tile[int, 128]\n" + loops("B[j, i] = A[i, j] + C[i, j]"),
        "tiles of 128 take 131,072 bytes of LDS, and gfx942 has 65,536", "a tile of 64 does", 3,
    ),
    "elements that meet": Near(
        loops("B[j // 2, i] += A[i, j]"), "several iterations update one element of B", "", 3,
    ),
    "a short axis": Near(
        loops("X[j, i] = x[i] + Y[i, j]", "i in range(N)", "j in range(3)"),
        "j is shorter than the 4 rows and columns of a square", "", 2,
        ARRAYS + ", Y: Tensor[f32, N, 3], X: Tensor[f32, 3, N]",
    ),
    "an empty batch": Near(
        loops("X[k, j, i] = D[k, i, j]", "k in range(0)", "i in range(M)", "j in range(N)"), "k is empty", "", 1,
        ARRAYS + ", X: Tensor[f32, K, N, M]",
    ),
}  # fmt: skip

GEMV: dict[str, Near] = {
    "a ragged end": Near(
        row("range(N)", "range(min(i, N))"), "j does not start and end in the same place for all rows", "", 3,
    ),
    "every other element": Near(row("range(N)", "range(0, N, 2)"), "j does not count up by 1", "", 3),
    "a branch": Near(
        row("    s +=", "    if w[j] > 0:\n        s +="), "the loop over j does more than reduce", "", 4,
    ),
    "a tile": Near(
        "    j: Tile[int, 64]\n" + row(), "this plan shares j out as it finds best, without the tile of 64",
        "take the tile size out", 4,
    ),
    "a sum in place": Near(
        row("* x[j]", "* x[j] * y[i]"), "y is summed and may be stored to beside the sum",
        "store to an array of its own", 3,
    ),
    "widths far apart": Near(
        row("A[i, j] * x[j]", "f32(E[i, j]) * x[j] * f32(h[i, j])"),
        "2 elements of E fill an access, and so few of h make none", "", 1,
    ),
    "strides": Near(row(), *NO_STRIDES, 3, STRIDED),
    "a shifted matrix": Near(
        row("A[i, j]", "A[i, j + 1]"), "an index of A may lie outside of it", "say in an assert how large A is", 3,
    ),
    "argmax": Near(
        loops(
            "best = f32(0)\nat = 0\nfor j in range(N):\n    z = A[i, j] * x[j]\n    if z > best:\n"
            "        best = z\n"
            "        at = j\ny[i] = f32(at)",
            "i in range(M)",
        ),
        "the loop over j does more than reduce", "", 6,
    ),
    "a while": Near(
        row("y[i]", "while s > f32(1):\n    s = s / 2\ny[i]"), "more than scalars and stores stands around the sum",
        "", 5,
    ),
    "a scalar of the row": Near(
        row("for j", "t = y[i]\nfor j").replace("x[j]", "x[j] * t"), "t is used in the sum and beside it",
        "compute t inside the sum", 4,
    ),
    "rows that meet": Near(row("y[i] =", "y[i // 2] +="), "several rows update one element", "", 1),
    "an access of its own": Near(
        row(), "a lane moves 4 elements of x at a time", "take vec(2) out", 0,
        typed("x: Tensor[f32, N]", "x: Tensor[f32, N, vec(2)]"),
    ),
    "a window": Near(
        loops(SUM.replace("N", "K").replace("A[i, j] * x[j]", "q[i, j] * r[i + j] * s_0[j]"), "i in range(M)"),
        "a window slides along j beside q", "", 3,
        ARRAYS + ", q: Tensor[f32, M, K], r: Tensor[f32, M + K], s_0: Tensor[f32, K]",
    ),
}  # fmt: skip

COLUMNS: dict[str, Near] = {
    "a ragged end": Near(
        column("range(M)", "range(min(j, M))"), "i does not start and end in the same place for all rows", "", 3,
    ),
    "a branch": Near(
        column("    s +=", "    if y[i] > 0:\n        s +="), "the loop over i does more than reduce", "", 4,
    ),
    "many sums": Near(
        loops(
            "a = f32(0)\nb = f32(0)\nc = f32(0)\nd = f32(0)\ne = f32(0)\nfor i in range(M):\n    z = A[i, j]\n"
            "    a += z\n    b += z * z\n    c += z * y[i]\n    d += z * z * z\n    e += abs(z)\n"
            "x[j] = a + b + c + d + e",
            "j in range(N)",
        ),
        "partial results of 5 sums take 81,920 bytes of LDS, and gfx942 has 65,536",
        "sum fewer at a time, in loops of their own", 7,
    ),
    "strides": Near(column(), *NO_STRIDES, 3, STRIDED),
    "a tile": Near(
        "    j: Tile[int, 64]\n" + column(), "this plan shares j out as it finds best, without the tile of 64",
        "take the tile size out", 2,
    ),
    "a scalar of the column": Near(
        column("for i", "t = u[j]\nfor i").replace("y[i]", "y[i] * t"), "t is used in the sum and beside it",
        "compute t inside the sum", 4,
    ),
}  # fmt: skip

ROWS: dict[str, Near] = {
    "not from 0": Near(normed("range(N)", "range(1, N)"), "j does not count up from 0 by 1", "", 3),
    "a ragged end": Near(normed("range(N)", "range(min(i, N))"), "the launcher does not know where j ends", "", 1),
    "two ends": Near(
        normed("    A[i, j] = A[i, j] / s", "    if j < 1:\n"
        "        A[i, j] = s").replace("range(N)", "range(N - 1)", 1),
        "j does not end in the same place in all its loops", "", 1,
    ),
    "a tile": Near(
        "    j: Tile[int, 64]\n" + normed(), "j has a tile or marks of its own", "take them out", 4,
    ),
    "many together": Near(
        "    i: Tile[int, 32]\n" + normed(), "a tile of 32 rows is more than a block has waves",
        "take the tile size out", 2,
    ),
    "read behind": Near(
        normed("A[i, j] / s", "A[i, N - 1 - j] / s"),
        "an element of A written in one iteration may be used in another iteration", "", 5,
    ),
    "read elsewhere": Near(
        normed("    s +=", "    C[i, j] = f32(j)\nfor j in range(N):\n    s += C[i, N - 1 - j] *"),
        "C is stored to and used elsewhere, too", "store to an array of its own", 1,
    ),
    "columns": Near(
        loops(NORMED.replace("i, j", "j, i").replace("range(N)", "range(M)"), "i in range(N)"),
        "j steps from row to row, so that each thread runs down a column of its own",
        "hold the arrays with j as their last index", 3,
    ),
    "strides": Near(normed(), *NO_STRIDES, 6, STRIDED),
    "a scan": Near(
        normed("s += A[i, j]", "s = s * A[i, j] + A[i, j]"), "the value of s passes from one iteration to the next",
        "", 3,
    ),
    "a while": Near(
        normed("for j in range(N):\n    A", "while s > f32(1):\n    s = s / 2\nfor j in range(N):\n    A"),
        "a loop stands in a branch or in a while", "", 1,
    ),
    "a loop inside": Near(
        normed("/ s", "/ s\n    for k in range(K):\n        A[i, j] += G[j, k]"), "a loop or an array is inside j",
        "", 5,
    ),
    "rows that meet": Near(normed("/ s", "/ s\ny[i // 2] += s"), "several rows update one element", "", 1),
    "an access of its own": Near(
        normed(), "marks say other waves, or other than 4 elements at a time", "take them out", 1,
        typed("A: Tensor[f32, M, N]", "A: Tensor[f32, M, N, vec(2)]"),
    ),
    "its own array": Near(
        loops(
            "t = np.zeros(N, dtype=f32)\ns = f32(0)\nfor j in range(N):\n    t[j] = A[i, j]\n    s += t[j]\n"
            "for j in range(N):\n    A[i, j] = t[N - 1 - j] / s",
            "i in range(M)",
        ),
        "t is stored to and used elsewhere, too", "store to an array of its own", 1,
    ),
    "truth values": Near(
        normed("A[i, j] = A[i, j] / s", "q[i, j] = A[i, j] > s"),
        "q holds truth values, which registers do not keep", "", 6, ARRAYS + ", q: Tensor[bool, M, N]",
    ),
    "beyond": Near(
        normed("A[i, j] = A[i, j] / s", "q[i, j] = A[i, j] / s"), "an index of q may lie outside of it",
        "say in an assert how large q is", 6, ARRAYS + ", q: Tensor[f32, M, K]",
    ),
    "elements that meet": Near(
        normed("A[i, j] = A[i, j] / s", "q[i, j % 4] += A[i, j] / s"),
        "iterations of j update one element of q", "", 5, ARRAYS + ", q: Tensor[f32, M, 4]",
    ),
    "marks of rows": Near(
        "    i: Tile[int, 4, unroll(2)]\n" + normed(), "i has marks of its own", "take them out", 2,
    ),
}  # fmt: skip
