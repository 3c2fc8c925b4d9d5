"""Reductions, and what only looks like one: updates, winners with an index, last values."""

from __future__ import annotations

import pytest

from tests.nest.analysis.helpers import make
from tests.nest.analysis.kinds import kind, kinds
from tl2hip.nest.dependence import AxisKind, analyse


def test_a_scatter_of_sums_is_a_reduction() -> None:
    text = """
        array x[n]
        array hist[bins]: i32
        var b: i64
        for i in range(n):
            b = i64(x[i] * 2)
            if 0 <= b < bins:
                hist[b] += 1
    """
    found = kind(text, "i")
    assert found.kind == "reduce"
    (update,) = found.updates
    assert (update.array, update.op, update.invariant, [s.line for s in update.spans]) == ("hist", "+", False, [7])


def test_updates_of_two_operations_are_serial() -> None:
    text = 'array a[4]\nfor i in range(n):\n    a[0] += 1\n    update("max", a[0], 2)'
    assert kinds(text) == {"i": "serial"}


def test_an_updated_array_that_is_also_read_is_serial() -> None:
    text = "array a[4]\narray b[n]\nfor i in range(n):\n    a[0] += 1\n    b[i] = a[0]"
    assert kinds(text) == {"i": "serial"}


def test_atax_updates_across_the_outer_loop() -> None:
    text = """
        array A[M, N]
        array x[N]
        array y[N]
        var t: f32
        for i in range(M):
            t = 0
            for j in range(N):
                t += A[i, j] * x[j]
            for j in range(N):
                y[j] += A[i, j] * t
    """
    found = analyse(make(text)).kinds
    assert [k.kind for k in found.values()] == ["reduce", "reduce", "parallel"]
    assert found["i"].updates[0].invariant


def accumulation(statement: str, after: str = "y[0] = s", dtype: str = "f32") -> AxisKind:
    text = f"""
array x[n]: {dtype}
array y[n]: {dtype}
var s: {dtype}, t: {dtype}
s = 0
for i in range(n):
    {statement}
{after}
"""
    return kind(text, "i")


@pytest.mark.parametrize(
    ("statement", "op"),
    [
        ("s += x[i]", "+"),
        ("s = x[i] + s", "+"),
        ("s *= x[i]", "*"),
        ("s = max(s, x[i])", "max"),
        ("s = min(s, x[i])", "min"),
        ("s = maximum(x[i], s)", "maximum"),
        ("s = fmin(s, x[i])", "fmin"),
        ("if x[i] > 0: s += x[i]", "+"),
        ("s = s + x[i] if x[i] > 0 else s", "+"),
        ("s = s if x[i] > 0 else s + x[i]", "+"),
        ("if x[i] > s: s = x[i]", "max"),
        ("if s > x[i]: s = x[i]", "min"),
        ("if x[i] <= s: s = x[i]", "min"),
        ("s = x[i] if x[i] > s else s", "max"),
    ],
)
def test_reductions_in_any_spelling(statement: str, op: str) -> None:
    found = accumulation(statement)
    assert found.kind == "reduce"
    assert [(r.op, r.variables, r.ties) for r in found.reductions] == [(op, ("s",), None)]


@pytest.mark.parametrize("op", ["|", "&", "^"])
def test_bitwise_reductions(op: str) -> None:
    assert accumulation(f"s {op}= x[i]", dtype="i64").reductions[0].op == op


@pytest.mark.parametrize(
    ("statement", "how"),
    [
        ("s = max(x[i], s)", "max"),
        ("s = min(x[i], s)", "min"),
        ("s = x[i] - s", ""),
        ("s = s * 2 + x[i]", ""),
        ("s = s + s", ""),
        ("s += x[i] * s", ""),
        ("s = x[i] if s > 0 else s", ""),
        ("if s > 0: s += x[i]", "running"),
    ],
)
def test_what_only_looks_like_a_reduction_is_serial(statement: str, how: str) -> None:
    found = accumulation(statement)
    assert found.kind == "serial" and not found.reductions
    assert [(c.name, c.what, c.how) for c in found.carried] == [("s", "variable", how)]


SCAN = "array x[n]\narray y[n]\nvar s: f32, m: f32, t: f32\ns = 0\nm = 0\n"


def test_a_scan() -> None:
    text = "array x[n]\nvar s: f32\ns = 0\nfor i in range(n):\n    s += x[i]\n    x[i] = s"
    found = kind(text, "i")
    assert found.kind == "scan" and [(r.op, r.variables) for r in found.scans] == [("+", ("s",))]
    (carried,) = found.carried
    assert (carried.name, carried.how, carried.write.line, carried.read.line) == ("s", "running", 5, 6)


def test_a_scan_tells_what_is_only_summed_too() -> None:
    text = f"{SCAN}for i in range(n):\n    t = x[i] * 2\n    s += t\n    m = max(m, x[i])\n    y[i] = s\nx[0] = m"
    assert [(r.op, r.variables) for r in kind(text, "i").scans] == [("+", ("s",)), ("max", ("m",))]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("if s < 9: s += x[i]", "what is accumulated depends on `s`"),
        ("t = s * 2\n    s += t", "what is accumulated depends on `s`"),
        ("s += x[i]\n    m = max(m, s)", "what is accumulated depends on `s`"),
        ("x[i] = 1\n    s += x[i]", "an iteration may read an element of `x` that it stored to"),
    ],
)
def test_running_values_that_are_no_scan(body: str, why: str) -> None:
    found = kind(f"{SCAN}for i in range(n):\n    {body}\n    y[i] = s + m\n", "i")
    assert (found.kind, found.no_scan, found.scans) == ("serial", why, ())


def test_what_follows_a_running_value_does_not_feed_it() -> None:
    text = f"{SCAN}for i in range(n):\n    t = x[i]\n    s += t\n    t = s * 2\n    y[i] = t\n"
    assert kinds(text) == {"i": "scan"}


def test_two_operations_on_one_scalar_are_serial() -> None:
    text = "array x[n]\nvar s: f32\ns = 0\nfor i in range(n):\n    s += x[i]\n    s = max(s, x[i])\nx[0] = s"
    assert kinds(text) == {"i": "serial"}


def test_a_reduction_over_two_loops() -> None:
    text = """
        array x[m, n]
        var s: f32
        s = 0
        for i in range(m):
            for j in range(n):
                s += x[i, j]
        x[0, 0] = s
    """
    assert kinds(text) == {"i": "reduce", "j": "reduce"}


ARGMAX = """
array x[n]
array w[4]: i64
var best: f32, where: i64
best = 0
where = 0
for i in range(n):
    if x[i] {op} best:
        best = x[i]
        where = i
w[0] = where
"""


@pytest.mark.parametrize(
    ("op", "reduce", "ties"),
    [(">", "max", "first"), (">=", "max", "last"), ("<", "min", "first"), ("<=", "min", "last")],
)
def test_argmax(op: str, reduce: str, ties: str) -> None:
    found = kind(ARGMAX.format(op=op), "i")
    assert found.kind == "reduce"
    (r,) = found.reductions
    assert (r.op, r.variables, r.ties, r.at.line) == (reduce, ("best", "where"), ties, 7)


def test_an_index_that_is_also_read_in_the_loop_is_serial() -> None:
    text = ARGMAX.format(op=">").replace("for i in range(n):\n", "for i in range(n):\n    w[1 + i % 3] = where\n")
    assert kinds(text) == {"i": "serial"}


def test_an_index_that_is_also_set_elsewhere_is_serial() -> None:
    text = ARGMAX.format(op=">").replace("for i in range(n):\n", "for i in range(n):\n    where = 5\n")
    assert kinds(text) == {"i": "serial"}


def test_a_last_value_is_serial() -> None:
    text = "array x[n]\nvar t: f32\nfor i in range(n):\n    t = x[i]\n    x[i] = t + 1\nx[0] = t"
    found = kind(text, "i")
    assert (found.kind, found.live_out, found.carried) == ("serial", ("t",), ())


def test_a_value_set_again_before_it_is_read_is_not_live() -> None:
    text = "array x[n]\nvar t: f32\nfor i in range(n):\n    t = x[i]\n    x[i] = t + 1\nt = 0\nx[0] = t"
    assert kinds(text) == {"i": "parallel"}


def test_a_last_value_read_in_the_next_outer_iteration_is_serial() -> None:
    text = """
        array x[m, n]
        array y[m]
        var t: f32
        t = 0
        for i in range(m):
            y[i] = t
            for j in range(n):
                t = x[i, j]
    """
    found = analyse(make(text)).kinds
    assert (found["i"].kind, found["j"].kind, found["j"].live_out) == ("serial", "serial", ("t",))


def test_a_variable_set_on_one_path_only_is_carried() -> None:
    text = "array x[n]\nvar t: f32\nt = 0\nfor i in range(n):\n    if x[i] > 0:\n        t = 1\n    x[i] = t"
    found = kind(text, "i")
    assert [(c.name, c.write.line, c.read.line) for c in found.carried] == [("t", 6, 7)]
