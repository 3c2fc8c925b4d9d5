"""Statements as text: assignments, loops, branches, guarded stores, notes."""

from __future__ import annotations

import pytest

from tests.hip import plans
from tests.hip.plans import array, i64, line
from tl2hip.dtypes import BOOL, F32, I8, I32, I64, U32, DType
from tl2hip.hip import print_plan
from tl2hip.hip.context import Used
from tl2hip.hip.statements import write
from tl2hip.hip.vectors import vector_type
from tl2hip.nest.ir import AxisRef, Binary, Compare, Const, Dim, Expr, Load, Set, Store, Update, Var
from tl2hip.plan.ir import Declare, DeviceIf, DeviceStmt, DeviceWhile, For, Let
from tl2hip.plan.lanes_ir import Combine

ARRAYS = (array("A", F32, "M", "N"), array("big", I64, "N"), array("small", I8, "N"), array("whole", I32, "N"))
ONE = (i64(1),) * 3
SOURCE = "if a:\n    x\nelif b:\n    y\n"


def body_of(*body: DeviceStmt) -> list[str]:
    """The lines of a kernel's body, without the indentation that all have."""
    plan = plans.one_kernel("f", ARRAYS, ("M", "N"), body, ONE, source=SOURCE)
    text = print_plan(plan).text
    lines = text[text.index("\n{\n", text.index("f_kernel(")) + 3 :].split("\n}\n")[0].splitlines()
    return [x.removeprefix("    ") for x in lines if " = blockIdx.x" not in x and " = threadIdx.x" not in x]


def add(name: str, dtype: DType, value: Expr, op: str = "+") -> Set:
    return Set(name, Binary(op, Var(name, dtype), value))


def test_a_variable_takes_on_a_value_as_people_write_it() -> None:
    x, t = Const(2.0, F32), Var("t", F32)
    assert body_of(
        Declare("t", F32, None),
        Set("t", x),
        add("t", F32, x, "*"),
        Set("t", Binary("-", x, t)),
        add("t", F32, x, "max"),
    ) == ["float t;", "t = 2.0f;", "t *= 2.0f;", "t = 2.0f - t;", "t = py_max_f32(t, 2.0f);"]


def test_sums_that_may_overflow_wrap_and_counters_do_not() -> None:
    load = Load("big", (i64(0),), I64, True)
    assert body_of(
        Declare("n", I64, i64(0)),
        add("n", I64, i64(1)),
        Declare("s", I64, i64(0)),
        add("s", I64, load),
        Declare("k", I32, Const(0, I32)),
        add("k", I32, Const(1, I32)),
        Declare("c", I8, Const(0, I8)),
        add("c", I8, Const(1, I8)),
        Declare("u", U32, Const(0, U32)),
        add("u", U32, Const(1, U32)),
    ) == [
        "i64 n = 0;",
        "n += 1;",
        "i64 s = 0;",
        "s = wrap_add_i64(s, big[0]);",
        "int k = 0;",
        "k = wrap_add_i32(k, 1);",
        "signed char c = 0;",
        "c += 1;",
        "unsigned int u = 0u;",
        "u += 1u;",
    ]


def test_loops_count_either_way() -> None:
    def loop(start: Expr, stop: Expr, step: Expr, down: bool = False) -> str:
        store = Store("big", (AxisRef("i"),), Binary("//", AxisRef("i"), i64(2)), True)
        head, statement, _ = body_of(For("i", start, stop, step, (store,), down))
        return f"{head} {statement.strip()}"

    n = Dim("N")
    assert loop(i64(0), n, i64(1)) == "for (i64 i = 0; i < N; ++i) { big[i] = i / 2;"
    assert loop(i64(3), n, i64(4)) == "for (i64 i = 3; i < N; i += 4) { big[i] = i / 2;"
    down = loop(Binary("-", n, i64(1)), i64(-1), i64(-1), True)
    assert down == "for (i64 i = N - 1; i > -1; --i) { big[i] = i / 2;"
    below = loop(i64(-5), n, i64(1))
    assert below == "for (i64 i = -5; i < N; ++i) { big[i] = floordiv_i64(i, 2);"


def test_a_chain_of_tests_reads_as_one() -> None:
    a, b = Compare("<", Dim("M"), i64(1)), Compare("<", Dim("N"), i64(1))
    one, two, three = (Store("big", (i64(0),), i64(n), True) for n in (1, 2, 3))
    inner = DeviceIf(b, (two,), (three,))
    assert body_of(DeviceIf(a, (one,), (inner,), note="why")) == [
        "if (M < 1) {  // why",
        "    big[0] = 1;",
        "} else if (N < 1) {",
        "    big[0] = 2;",
        "} else {",
        "    big[0] = 3;",
        "}",
    ]
    quoted = DeviceIf(a, (one,), (DeviceIf(b, (two,), at=line(3)),), at=line(1))
    assert body_of(quoted)[3:5] == ["} else {", "    // f.py:3: elif b:"]


def test_an_index_nobody_proved_is_guarded() -> None:
    p = Load("whole", (i64(0),), I32, True)
    at = (AxisRef("i"), Binary("-", AxisRef("i"), i64(9)))
    body = (
        Store("A", at, Const(1.0, F32)),
        Update("whole", (AxisRef("i"),), "+", p, True),
        Update("whole", (Binary("+", AxisRef("i"), i64(1)),), "+", p, True),
        Update("A", at, "+", Const(1.0, F32), True),
    )
    assert body_of(For("i", i64(0), Dim("M"), i64(1), body)) == [
        "for (i64 i = 0; i < M; ++i) {",
        "    if (const i64 at = row_major(i, wrapped(i - 9, N), N); at >= 0)",
        "        A[at] = 1.0f;",
        "    whole[i] = wrap_add_i32(whole[i], whole[0]);",
        "    { const i64 at = i + 1; whole[at] = wrap_add_i32(whole[at], whole[0]); }",
        "    A[i * N + i - 9] += 1.0f;",
        "}",
    ]


def test_constants_and_whiles() -> None:
    more = Compare("<", Var("n", I64), Dim("N"))
    assert body_of(
        Let("half", Binary("//", Dim("N"), i64(2))),
        Declare("n", I64, Var("half", I64)),
        DeviceWhile(more, (add("n", I64, i64(1)),)),
        Store("big", (i64(0),), Var("n", I64), True),
    ) == ["const i64 half_ = N / 2;", "i64 n = half_;", "while (n < N) {", "    n += 1;", "}", "big[0] = n;"]


def test_what_a_printer_cannot_say_is_an_error() -> None:
    with pytest.raises(TypeError, match="no C\\+\\+ for int"):
        write(3, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="4 to 128 bytes"):
        vector_type(F32, 3, Used())
    with pytest.raises(ValueError, match="whole number of waves"):
        body_of(Declare("p", BOOL, Const(True, BOOL)), Combine("and", (("p", BOOL),), 96))
