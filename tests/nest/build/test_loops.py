"""Loops, branches, names and assignments: the shown nest does what Python does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nest.build.helpers import check, codes, nest_of, refusal
from tl2hip.nest.ir import Dim, If, Load, Loop, Set, Var, While
from tl2hip.nest.show import show
from tl2hip.nest.walk import all_exprs, all_stmts


def draw(*shape: int, dtype: str = "f4", seed: int = 1) -> np.ndarray:
    return (np.random.default_rng(seed).normal(size=shape) * 4).astype(dtype)


def over(body: str, head: str = "x: Tensor[f32, N], y: Tensor[f32, N]") -> str:
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    return f"@kernel\ndef f({head}) -> None:\n{lines}\n"


@pytest.mark.parametrize(
    "iterable",
    [
        "range(N)",
        "range(2, N)",
        "range(N - 1, -1, -1)",
        "range(0, N, 3)",
        "range(N, 0, -2)",
        "range(5, 2)",
        "reversed(range(N))",
        "reversed(range(1, N))",
        "reversed(range(0, N, 3))",
        "reversed(range(N, 0, -2))",
        "reversed(range(5, 2, 3))",
        "range(int(x[0] * 0) + 1, N // 2)",
        "range(-3, 3)",
    ],
)
def test_ranges(iterable: str) -> None:
    text = over(f"s = 0\nfor i in {iterable}:\n    s = s * 3 + i\n    y[0] = s\n    y[i % N] = i")
    for n in (1, 2, 5, 8):
        check(text, draw(n), np.zeros(n, np.float32))


def test_nested_triangular_and_ragged_bounds() -> None:
    check(over("for i in range(N):\n    for j in range(i, N):\n        y[i] += x[j]"), draw(6), draw(6))
    head = "start: Tensor[i32, N + 1], x: Tensor[f32, M], y: Tensor[f32, N]"
    body = "for i in range(N):\n    for p in range(start[i], start[i + 1]):\n        y[i] += x[p]"
    check(over(body, head), np.array([0, 2, 2, 5], np.int32), draw(5), draw(3))


def test_bounds_are_worked_out_before_the_first_turn() -> None:
    body = "n = int(x[0])\nfor i in range(n):\n    n -= 1\n    y[i] = n"
    nest = check(over(body), np.full(5, 4, np.float32), np.zeros(5, np.float32))
    loop = next(s for s in all_stmts(nest.body) if isinstance(s, Loop))
    assert isinstance(loop.axis.stop, Var) and loop.axis.stop.name != "n"
    head = "c: Tensor[i32, 1], y: Tensor[i32, N]"
    body = "for i in range(c[0]):\n    c[0] = 0\n    y[i] = 1"
    check(over(body, head), np.array([3], np.int32), np.zeros(5, np.int32))


def test_a_loop_variable_may_be_assigned_and_is_not_read_afterwards() -> None:
    check(over("for i in range(N):\n    i = i // 2\n    y[i] = x[i]"), draw(6), np.zeros(6, np.float32))
    assert refusal(over("for i in range(N):\n    y[i] = x[i]\ny[0] = i")) == ("TL302", "i")
    check(over("i = 3\nfor j in range(2):\n    y[i] = x[j]"), draw(6), np.zeros(6, np.float32))


def test_names_that_may_have_no_value() -> None:
    assert refusal(over("for i in range(N):\n    t = x[i]\ny[0] = t")) == ("TL302", "t")
    assert refusal(over("if N > 2:\n    t = 1\ny[0] = t")) == ("TL302", "t")
    assert refusal(over("for i in range(N):\n    y[i] = t\n    t = x[i]")) == ("TL302", "t")
    assert refusal(over("y[0] = N + u")) == ("TL301", "u")
    check(over("t = 0\nfor i in range(N):\n    t = x[i]\ny[0] = t"), draw(3), np.zeros(3, np.float32))


def test_all_errors_are_told_in_one_run_and_none_twice() -> None:
    body = "a = unknown\ny[0] = a\nb = x[0, 0]\nfor i in range(x):\n    y[i] = b\n    y[i] = x[i, i]"
    assert codes(over(body)) == ["TL301", "TL330", "TL326", "TL330"]


def test_what_a_trial_of_a_body_refuses_is_not_forgotten() -> None:
    head = "x: Tensor[i32, N], y: Tensor[f32, N]"
    body = "for i in range(N):\n    m = f32(0)\n    for j in range(N):\n        m = max(m, x[j])\n    y[i] = m"
    assert refusal(over(body, head)) == ("TL323", "max(m, x[j])")
    body = "v = x[0]\nn = 0\nwhile n < 3:\n    n += 1\n    if (n, 3) == 2:\n        n += 1\n    v = v - 1"
    assert refusal(over(body))[0] == "TL340"


def test_branches_meet() -> None:
    for body in (
        "for i in range(N):\n    if x[i] > 0:\n        t = x[i]\n    else:\n        t = 2\n    y[i] = t",
        (
            "for i in range(N):\n    t = 0\n    if x[i] > 0:\n        t = 1\n    elif x[i] < -2:\n"
            "        t = 2\n    y[i] = t"
        ),
        "for i in range(N):\n    t = 0.5\n    if x[i] > 0:\n        t = x[i]\n    y[i] = t * 2",
        "t = 0\nfor i in range(N):\n    if x[i] > 0:\n        t += 1\n    else:\n        t = t - 2\ny[0] = t",
        (
            "for i in range(N):\n    if x[i] > 0:\n        if x[i] > 2:\n            y[i] = 1\n"
            "        else:\n            y[i] = 2"
        ),
    ):
        check(over(body), draw(9), np.zeros(9, np.float32))


def test_a_name_of_two_types_is_refused_where_it_is_read() -> None:
    body = "for i in range(N):\n    if x[i] > 0:\n        t = f32(1)\n    else:\n        t = f16(1)\n    y[i] = t"
    assert refusal(over(body)) == ("TL304", "t")
    body = "t = i32(0)\nfor i in range(N):\n    y[i] = t\n    t = 0.5"
    assert refusal(over(body)) == ("TL304", "t")
    body = "t = i32(0)\nfor i in range(N):\n    t = x[i]\n    y[i] = t"
    check(over(body), draw(4), np.zeros(4, np.float32))


def test_a_name_may_change_its_type_in_straight_line() -> None:
    body = "for i in range(N):\n    t = int(x[i])\n    t = t * x[i]\n    t = t + f64(0.1)\n    y[i] = t"
    nest = check(over(body), draw(9), np.zeros(9, np.float32))
    assert {v.dtype.name for v in nest.variables} == {"i64", "f32", "f64"}


def test_swaps_read_all_before_they_write_any() -> None:
    body = """
for i in range(N // 2):
    x[i], x[N - 1 - i] = x[N - 1 - i], x[i]
a, b = x[0], x[1]
for i in range(N):
    a, b = b, a + b
    y[i] = a
p = q = 2
q += 1
y[0] = p * 10 + q
"""
    check(over(body), draw(7), np.zeros(7, np.float32))
    body = "a = x[0]\na, y[int(a * 0)] = x[1], a\ny[1] = a"
    check(over(body), draw(3), np.zeros(3, np.float32))


def test_while() -> None:
    body = """
for i in range(N):
    v = x[i]
    n = 0
    while abs(v) > 0.5 and n < 20:
        v = v * f32(0.7)
        n += 1
        if n == 3:
            continue
        v = v - f32(0.01)
    y[i] = n + v
"""
    nest = check(over(body), draw(9), np.zeros(9, np.float32))
    assert any(isinstance(s, While) for s in all_stmts(nest.body))


def test_continue_becomes_a_guard() -> None:
    for body in (
        "for i in range(N):\n    if x[i] < 0:\n        continue\n    y[i] = x[i]",
        (
            "for i in range(N):\n    y[i] = 1\n    if x[i] < 0:\n        y[i] = 2\n"
            "        continue\n    else:\n        y[i] = 3\n    y[i] += 4"
        ),
        (
            "for i in range(N):\n    if x[i] < 0:\n        if x[i] < -2:\n            continue\n"
            "        y[i] = 5\n    y[i] += 1"
        ),
        (
            "for i in range(N):\n    for j in range(i):\n        if j == 2:\n"
            "            continue\n        y[i] += x[j]\n    y[i] *= 2"
        ),
    ):
        check(over(body), draw(9), np.zeros(9, np.float32))


def test_tests_and_conditions() -> None:
    for test in (
        "0 < i < N - 1",
        "not x[i] > 0",
        "x[i] > 0 and i % 2 == 0 or i == 3",
        "x[i]",
        "i",
        "not i",
        "1 < 2 <= i",
        "(i > 2) == (x[i] > 0)",
        "True",
    ):
        body = (
            f"for i in range(N):\n    ok = bool({test})\n    if {test}:\n"
            f"        y[i] = 1 if ok else 2\n    else:\n        y[i] = 3"
        )
        check(over(body), draw(9), np.zeros(9, np.float32))
    body = "for i in range(N):\n    inside = i > 0 and i < N - 1\n    if inside:\n        y[i] = 1"
    check(over(body), draw(9), np.zeros(9, np.float32))


def test_argmax_is_one_guard_with_two_sets() -> None:
    body = """
best = f32(-math.inf)
where = 0
for j in range(N):
    if x[j] > best:
        best = x[j]
        where = j
y[0] = where
"""
    nest = check(over(body), draw(9), np.zeros(9, np.float32))
    (guard,) = (s for s in all_stmts(nest.body) if isinstance(s, If))
    assert [s.name for s in guard.then if isinstance(s, Set)] == ["best", "where"] and not guard.orelse


def test_index_arithmetic_stands_where_its_name_is_read() -> None:
    body = (
        "half = N // 2\nfor i in range(half):\n    j = i + half\n    k = 2 * j - half\n    y[i] = x[j] + x[k % N]"
    )
    nest = check(over(body), draw(8), np.zeros(8, np.float32))
    assert nest.variables == ()


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        ("for v in 3:\n    y[0] = v", "TL344", "3"),
        ("for v in 'xy':\n    y[0] = v", "TL344", "'xy'"),
        ("for i in range(0, N, N):\n    y[i] = 1", "TL345", "N"),
        ("for i in range(0, N, 0):\n    y[i] = 1", "TL345", "0"),
        ("for i in range(1.5):\n    y[i] = 1", "TL340", "1.5"),
        ("if x:\n    y[0] = 1", "TL326", "x"),
        ("a, b = 1, 2, 3", "TL340", None),
        ("x[0]", "TL340", "x[0]"),
        ("assert x[0] > 0", "TL348", "assert x[0] > 0"),
        ("for i in range(N):\n    assert i < 5", "TL348", "assert i < 5"),
        ("assert N < 0 and 1 > 2", "TL349", "assert N < 0 and 1 > 2"),
        ("t: f32 = 0.0\ny[0] = t", "TL314", "f32"),
        ("t: int = 0.5\ny[0] = t", "TL314", "int"),
        ("t: str = 0", "TL340", "str"),
    ],
)
def test_refusals(body: str, code: str, text: str | None) -> None:
    assert refusal(over(body)) == (code, text or body)


def test_annotated_locals_that_hold() -> None:
    body = "t: float = 0.0\nu: f32 = f32(1)\nn: int = 3\nfor i in range(N):\n    t += x[i]\ny[0] = t + u + n"
    check(over(body), draw(5), np.zeros(5, np.float32))


def test_asserts_over_sizes_are_kept() -> None:
    nest = nest_of(over("assert N % 4 == 0 and N > 0\nassert x.shape == y.shape\nfor i in range(N):\n    y[i] = 1"))
    assert [c.text for c in nest.checks] == ["N % 4 == 0 and N > 0"]
    nest = nest_of(
        over("assert distinct(p)\nfor i in range(N):\n    y[p[i]] = 1", "p: Tensor[i32, N], y: Tensor[f32, N]")
    )
    assert nest.distinct == ("p",)


def test_constants_of_the_file() -> None:
    text = "EPS = 1e-5\nHALF: float = 0.5\nA, B = 2, 3\nC = A * B + 1\nS = f32(0.1)\n" + over(
        "for i in range(C):\n    y[i] = x[i] * S + EPS * HALF + B"
    )
    check(text, draw(8), np.zeros(8, np.float32))
    assert refusal("Q = open\n" + over("y[0] = Q")) == ("TL303", "Q")


def test_constants_of_the_file_are_their_last_values() -> None:
    text = "A = B = C = 7\n(A, B), C = [2, 3], 4\n" + over("y[0] = x[0] * A + B - C")
    check(text, draw(1), np.zeros(1, np.float32))
    for later in ("A, B = divmod(17, 2)", "(A, B), C = np.divmod(17, 2), 1"):
        assert refusal(f"A = 3\n{later}\n" + over("y[0] = A")) == ("TL303", "A")


def test_loops_over_arrays() -> None:
    for body in (
        "s = f32(0)\nfor v in x:\n    s += v\ny[0] = s",
        "for i, v in enumerate(x):\n    y[i] = v + i",
        "for i, v in enumerate(x[1:], 1):\n    y[i] = v + i",
        "for a, b in zip(x, y):\n    y[0] += a * b",
        "for i, (a, b) in enumerate(zip(x, x[::-1])):\n    y[i] = a - b",
        "for i, j in zip(range(N), range(N - 1, -1, -1)):\n    y[i] = x[j]",
        "for v in reversed(x):\n    y[0] = y[0] * 2 + v",
        "for v in x * 2:\n    y[0] = y[0] * 2 + v",
        "for i, v in enumerate(range(3, N, 2)):\n    y[i] = v",
    ):
        check(over(body), draw(6), draw(6))
    rows = "for i, row in enumerate(X):\n    row[0] = w[i]\n    for j, v in enumerate(row):\n        w[i] += v"
    check(over(rows, "X: Tensor[f32, M, N], w: Tensor[f32, M]"), draw(3, 4), draw(3))
    nest = nest_of(over("i: Tile[int, 64]\nfor i, v in enumerate(x):\n    y[i] = v"))
    assert [s.axis.tile for s in all_stmts(nest.body) if isinstance(s, Loop)] == [64]


def test_python_reductions() -> None:
    for expression in (
        "sum(x[i] * x[i] for i in range(N))",
        "sum(v * 2 for v in x if v > 0)",
        "sum(x)",
        "sum(a * b for a, b in zip(x, x[::-1]))",
        "sum(1 for v in x if v > 0)",
        "sum((v > 0 for v in x), 10)",
        "max(x)",
        "min(v * v for v in x)",
        "any(v > 3 for v in x)",
        "all(x)",
        "sum(sum(x[j] for j in range(i)) for i in range(N))",
    ):
        check(over(f"for i in range(2):\n    y[i] = {expression}"), draw(6), draw(6), close=1e-6)
    for x in ([np.nan, 1, 2], [1, np.nan, 2], [3, 1, np.nan]):
        check(over("y[0] = max(x)\ny[1] = min(x)"), np.array(x, np.float32), draw(3))
    assert refusal(over("y[0] = max(v for v in x if v > 0)"))[0] == "TL340"


def test_several_loops_over_one_name() -> None:
    body = "for i in range(N):\n    y[i] = 0\nfor i in range(N):\n    for j in range(N):\n        y[i] += x[j]"
    nest = check(over(body), draw(4), draw(4))
    axes = [s.axis.name for s in all_stmts(nest.body) if isinstance(s, Loop)]
    assert len(set(axes)) == 3 and [s.axis.user for s in all_stmts(nest.body) if isinstance(s, Loop)] == list("iij")
    assert show(nest).count("for i in range(N):") == 2


def test_names_never_clash() -> None:
    body = "i_2 = x[0]\nfor i in range(N):\n    y[i] = i_2\nfor i in range(N):\n    i_2 = x[i]\n    y[i] += i_2"
    check(over(body), draw(4), draw(4))
    body = "alpha = alpha * 2\nfor i in range(N):\n    alpha = alpha + 1\n    y[i] = alpha"
    check(over(body, "alpha: f32, y: Tensor[f32, N]"), np.float32(3), draw(4))


def test_negative_constant_indices_wrap() -> None:
    check(over("y[-1] = x[-2]\ny[0] = x[N - 1]"), draw(5), np.zeros(5, np.float32))


def test_set_binds_a_dim() -> None:
    text = over("for i in range(N - 2):\n    y[i] = x[i + 2]")
    nest = check(text, draw(6), np.zeros(6, np.float32), sets={"N": 6})
    assert nest.dims == () and not any(isinstance(e, Dim) for e in all_exprs(nest.body))


def test_every_statement_knows_its_line() -> None:
    text = over("t = 0.0\nfor i in range(N):\n    t += x[i]\ny[:] = x * t")
    nest = nest_of(text)
    lines = {nest.source.line(s.at.line) for s in all_stmts(nest.body)}
    assert lines == {"t = 0.0", "for i in range(N):", "t += x[i]", "y[:] = x * t"}


def test_building_is_deterministic() -> None:
    text = over("a = 1.0\nb = 2.0\nc = 3.0\nfor i in range(N):\n    a, b, c = b * x[i], c, a\n    y[i] = a")
    assert show(nest_of(text)) == show(nest_of(text))
    assert any(isinstance(e, Load) for e in all_exprs(nest_of(text).body))
