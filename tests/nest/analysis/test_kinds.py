"""The kinds of axes of kernels as people write them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.nest.analysis.helpers import make
from tests.nest.analysis.kinds import kind, kinds
from tl2hip.nest.dependence import analyse

MATMUL = """
array A[M, K]
array B[K, N]
array C[M, N]
{loops}
            C[i, j] += A[i, k] * B[k, j]
"""
RANGES = {"i": "M", "j": "N", "k": "K"}


@pytest.mark.parametrize("order", ["ijk", "ikj", "jik", "jki", "kij", "kji"])
def test_a_matrix_product_in_any_loop_order(order: str) -> None:
    loops = "\n".join("    " * d + f"for {a} in range({RANGES[a]}):" for d, a in enumerate(order))
    found = analyse(make(MATMUL.format(loops=loops)))
    assert {a: found.kind(a) for a in "ijk"} == {"i": "parallel", "j": "parallel", "k": "reduce"}
    (update,) = found.kinds["k"].updates
    assert (update.array, update.op, update.invariant) == ("C", "+", True)


GEMM = """
array A[M, K]: f16
array B[K, N]: f16
array C[M, N]
var s: f32
for i in range(M):
    for j in range(N):
        s = 0
        for k in range(K):
            s += f32(A[i, k]) * f32(B[k, j])
        C[i, j] = s
"""


def test_a_matrix_product_into_a_scalar() -> None:
    assert kinds(GEMM) == {"i": "parallel", "j": "parallel", "k": "reduce"}
    (reduction,) = kind(GEMM, "k").reductions
    assert (reduction.op, reduction.variables, reduction.at.line) == ("+", ("s",), 9)


PARALLEL = {
    "jacobi": """
        array A[N, N]
        array B[N, N]
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                B[i, j] = A[i, j] + A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]
    """,
    "flat index": """
        array a[m * n]
        for i in range(m):
            for j in range(n):
                a[i * n + j] = a[i * n + j] * 2
    """,
    "flat index of three": """
        array a[l * m * n]
        for i in range(l):
            for j in range(m):
                for k in range(n):
                    a[i * m * n + j * n + k] = a[(i * m + j) * n + k] * 2
    """,
    "flat with a shift inside the row": """
        array a[m * n]
        array b[m * n]
        for i in range(m):
            for j in range(1, n):
                a[i * n + j - 1] = b[i * n + j]
    """,
    "two of a stride": """
        array a[2 * n]
        for i in range(n):
            a[2 * i] = 1
            a[2 * i + 1] = a[2 * i] + 1
    """,
    "every other": """
        array a[n]
        for i in range(0, n - 1, 2):
            a[i] = a[i + 1]
    """,
    "backward": """
        array a[n]
        for i in range(n - 1, -1, -1):
            a[i] = a[i] * 2
    """,
    "blocks": """
        array a[n * 4]
        for i in range(n):
            for j in range(i * 4, i * 4 + 4):
                a[j] = 1
    """,
    "blocks by division": """
        array a[n]
        for i in range(n):
            for j in range(4):
                if i * 4 + j < n:
                    a[i * 4 + j] = 1
    """,
    "halves": """
        array a[2 * n]
        for i in range(n):
            a[i] = a[i + n]
    """,
    "triangular": """
        array C[N, N]
        for i in range(N):
            for j in range(i + 1):
                C[i, j] = C[i, j] * 2
    """,
    "a row to itself": """
        array A[N, N]
        var t: f32
        for i in range(N):
            for j in range(i):
                t = A[i, j]
                A[i, j] = A[j, i]
                A[j, i] = t
    """,
    "distinct scatter": """
        array y[n]
        array idx[m]: i32
        distinct idx
        for i in range(m):
            y[idx[i]] = 1
    """,
    "distinct scatter and gather of the same": """
        array y[n]
        array idx[m]: i32
        distinct idx
        for i in range(m):
            y[idx[i]] = y[idx[i]] * 2
    """,
    "rows between offsets": """
        array y[n]
        array start[m + 1]: i32
        offsets start
        for b in range(m):
            for t in range(start[b], start[b + 1]):
                y[t] = y[t] + b
    """,
    "rows of offsets, by their length": """
        array y[n]
        array start[m + 1]: i32
        offsets start
        for b in range(m):
            for t in range(start[b + 1] - start[b]):
                y[start[b] + t] = b
    """,
    "private under if": """
        array x[n]
        array y[n]
        var t: f32
        for i in range(n):
            if x[i] > 0:
                t = x[i]
            else:
                t = 0
            y[i] = t
    """,
    "private array": """
        array x[n, 8]
        array y[n, 8]
        local array t[8]
        for i in range(n):
            alloc(t)
            for j in range(8):
                t[j] = x[i, j]
            for j in range(8):
                y[i, j] = t[7 - j]
    """,
    "per thread while": """
        array x[n]: i64
        array y[n]: i64
        var c: i64, z: i64
        for i in range(n):
            z = x[i]
            c = 0
            while z < 100 and c < 50:
                z = z * 2 + 1
                c = c + 1
            y[i] = c
    """,
    "one iteration only": """
        array a[4]
        for i in range(n):
            if i == 3:
                a[0] = 1
    """,
    "gather at read": """
        array x[n]
        array y[m]
        array idx[m]: i32
        for i in range(m):
            y[i] = x[idx[i]]
    """,
    "index through a variable": """
        array a[2 * n]
        var t: i64
        for i in range(n):
            t = 2 * i + 1
            a[t] = a[t] + a[t - 1]
    """,
}


@pytest.mark.parametrize("name", PARALLEL)
def test_parallel(name: str) -> None:
    assert set(kinds(PARALLEL[name]).values()) == {"parallel"}


SERIAL = {
    "prefix": ("i", "array a[n]\nfor i in range(1, n):\n    a[i] = a[i - 1] + a[i]", "a", 1, "flow"),
    "two apart": ("i", "array a[n]\nfor i in range(2, n):\n    a[i] = a[i - 2]", "a", 2, "flow"),
    "ahead": ("i", "array a[n]\nfor i in range(n - 1):\n    a[i] = a[i + 1]", "a", 1, "anti"),
    "downward": ("i", "array a[n]\nfor i in range(n - 2, -1, -1):\n    a[i] = a[i + 1]", "a", 1, "flow"),
    "stride": ("i", "array a[n]\nfor i in range(4, n, 2):\n    a[i] = a[i - 4]", "a", 2, "flow"),
    "reversal": ("i", "array a[n]\nfor i in range(n):\n    a[i] = a[n - 1 - i]", "a", None, "unknown"),
    "scatter": ("i", "array y[n]\narray x[m]: i32\nfor i in range(m):\n    y[x[i]] = 1", "y", None, "output"),
    "wraps around": ("i", "array a[n]\nfor i in range(n):\n    a[i] = a[i - 1]", "a", None, "unknown"),
    "one element": ("i", "array a[n]\nfor i in range(n):\n    a[0] = a[i]", "a", None, "output"),
}


@pytest.mark.parametrize("name", SERIAL)
def test_serial(name: str) -> None:
    axis, text, array, distance, flow = SERIAL[name]
    found = kind(text, axis)
    assert found.kind == "serial"
    (carried,) = found.carried
    assert (carried.name, carried.what) == (array, "array")
    if name != "wraps around":
        assert (carried.distance, carried.flow) == (distance, flow)


def test_gauss_seidel_carries_through_both_loops_by_one() -> None:
    text = """
        array A[N, N]
        for t in range(T):
            for i in range(1, N - 1):
                for j in range(1, N - 1):
                    A[i, j] = A[i, j - 1] + A[i, j + 1] + A[i - 1, j] + A[i + 1, j]
    """
    found = analyse(make(text))
    assert {found.kind(a) for a in "tij"} == {"serial"}
    for axis in "ij":
        (carried,) = found.kinds[axis].carried
        assert (carried.name, carried.distance) == ("A", 1)
        assert (carried.write.line, carried.read.line) == (5, 5)


def test_wrapped_negative_indices_may_meet() -> None:
    """a[-1 - i] is a[n - 1 - i]: by the subscripts alone the two never meet."""
    assert kinds("array a[n]\nfor i in range(n):\n    a[i] = a[-1 - i]") == {"i": "serial"}


def test_a_flat_index_whose_rows_overlap_is_serial() -> None:
    text = "array a[m * n]\nfor i in range(m):\n    for j in range(n + 1):\n        a[i * n + j] = 1"
    assert kinds(text)["i"] == "serial"


def test_a_local_array_made_outside_the_loop_is_not_private() -> None:
    text = PARALLEL["private array"].replace("            alloc(t)\n", "")
    text = text.replace("        for i", "        alloc(t)\n        for i")
    assert kinds(text)["i"] == "serial"


def test_an_index_that_repeats_is_no_licence_through_another_array() -> None:
    text = PARALLEL["distinct scatter"].replace("distinct idx", "")
    assert kinds(text) == {"i": "serial"}
    doubled = PARALLEL["distinct scatter"].replace("y[idx[i]]", "y[idx[i // 2]]")
    assert kinds(doubled) == {"i": "serial"}


ROWS = PARALLEL["rows between offsets"]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("offsets start", ""),
        ("start[b + 1])", "start[b + 1] + 1)"),
        ("range(start[b]", "range(start[b] - 1"),
        ("start[b + 1])", "start[b + 2])"),
        ("range(start[b], start[b + 1])", "range(start[b + 1], start[b])"),
        ("y[t] = y[t] + b", "y[t] = y[t + 1] + b"),
        ("y[t] = y[t] + b", "start[b] = t\n                y[t] = b"),
        ("y[t] = y[t] + b", "y[2 * t - start[b]] = b"),
    ],
)
def test_rows_that_may_overlap_are_serial(right: str, wrong: str) -> None:
    assert kinds(ROWS)["b"] == "parallel"
    assert ROWS.count(right) == 1
    expected = "parallel" if "range(start[b + 1]" in wrong else "serial"
    assert kinds(ROWS.replace(right, wrong))["b"] == expected


def test_multiples_of_distinct_elements_may_meet_where_they_wrap() -> None:
    """Of ten elements, -1 and 4 are two; 2 * -1 wraps to 8, which is 2 * 4."""
    twice = PARALLEL["distinct scatter"].replace("y[idx[i]]", "y[2 * idx[i]]")
    assert kinds(twice) == {"i": "serial"}
    statement = next(line for line in twice.splitlines() if "2 * idx" in line)
    indent = " " * (len(statement) - len(statement.lstrip()))
    guarded = twice.replace(statement, f"{indent}if idx[i] >= 0:\n    {statement}")
    assert kinds(guarded) == {"i": "parallel"}


def test_time_steps_are_serial_around_parallel_space() -> None:
    text = """
        array A[N]
        array B[N]
        for t in range(T):
            for i in range(1, N - 1):
                B[i] = A[i - 1] + A[i + 1]
            for j in range(1, N - 1):
                A[j] = B[j - 1] + B[j + 1]
    """
    assert kinds(text) == {"t": "serial", "i": "parallel", "j": "parallel"}


def test_islpy_stays_out_where_the_spelling_decides() -> None:
    program = (
        "import sys\n"
        "from tests.nest.analysis.helpers import make\n"
        "from tests.nest.analysis.test_kinds import GEMM, PARALLEL\n"
        "from tl2hip.nest.bounds import prove\n"
        "from tl2hip.nest.dependence import analyse\n"
        "other = 'array a[n]\\narray b[m]\\nfor i in range(m):\\n    b[i] = a[i] + a[i - 1]'\n"
        "for text in (GEMM, PARALLEL['jacobi'], PARALLEL['flat index'], PARALLEL['triangular'], other):\n"
        "    analyse(prove(make(text)))\n"
        "sys.exit('islpy' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
