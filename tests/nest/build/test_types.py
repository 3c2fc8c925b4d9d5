"""NumPy 2's dtypes: every shown nest gives bit for bit what Python gives."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from tests.nest.build.helpers import check, codes, nest_of, refusal
from tl2hip.dtypes import F16, F64, I64, TABLE, promote
from tl2hip.nest.ir import Set, Store, Update
from tl2hip.nest.walk import all_stmts

NUMPY = {
    name: getattr(np, t.numpy, None) or getattr(ml_dtypes, t.numpy) for name, t in TABLE.items() if t.name != "bool"
}
REAL = ("f64", "f32", "f16", "bf16")
WHOLE = ("i64", "i32", "i16", "i8", "u8", "u32")


def sample(dtype: str, n: int = 9) -> np.ndarray:
    draw = np.random.default_rng(sum(map(ord, dtype)))
    if dtype in WHOLE:
        low = 0 if dtype.startswith("u") else -90
        return draw.integers(low, 90, n).astype(NUMPY[dtype])
    return (draw.normal(size=n) * 4).astype(NUMPY[dtype])


def elementwise(a: str, b: str, out: str, expression: str) -> str:
    return f"""
@kernel
def f(x: Tensor[{a}, N], y: Tensor[{b}, N], z: Tensor[{out}, N]) -> None:
    for i in range(N):
        z[i] = {expression}
"""


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%"])
def test_every_pair_of_dtypes_promotes_as_numpy_does(op: str) -> None:
    for a, b in product((*REAL, *WHOLE), repeat=2):
        x, y = sample(a), sample(b)
        y = np.where(y == 0, np.ones_like(y), y)
        with np.errstate(all="ignore"):
            out = eval(f"x[0] {op} y[0]").dtype.name
        if promote(TABLE[a], TABLE[b]) is None:
            assert codes(elementwise(a, b, "f64", f"x[i] {op} y[i]")) == ["TL320"], (a, b)
            continue
        names = {t.numpy: n for n, t in TABLE.items()}
        if out not in names:
            continue
        nest = check(elementwise(a, b, names[out], f"x[i] {op} y[i]"), x, y, np.zeros(9, NUMPY[names[out]]))
        (store,) = (s for s in all_stmts(nest.body) if isinstance(s, Store))
        assert store.value.dtype.numpy == out
        assert type(store.value).__name__ != "Cast", (a, b, op)


@pytest.mark.parametrize(
    "expression", ["x[i] + 1", "2.5 * x[i]", "x[i] / 3", "x[i] + i", "True + x[i]", "1 - x[i]"]
)
@pytest.mark.parametrize("dtype", [*REAL, *WHOLE])
def test_python_numbers_are_weak(dtype: str, expression: str) -> None:
    check(elementwise(dtype, dtype, "f64", expression), sample(dtype), sample(dtype), np.zeros(9))


@pytest.mark.parametrize("dtype", [*REAL, *WHOLE])
def test_comparisons(dtype: str) -> None:
    x, y = sample(dtype), sample(dtype)[::-1].copy()
    for expression in ("x[i] < y[i]", "x[i] == y[i]", "x[i] >= 300", "-1 < x[i] <= 5", "x[i] != i"):
        check(elementwise(dtype, dtype, "i32", expression), x, y, np.zeros(9, np.int32))


def test_unsigned_and_signed_compare_by_value() -> None:
    x = np.array([0, 1, 200, 255], np.uint8)
    y = np.array([0, -1, -56, 127], np.int8)
    check(elementwise("u8", "i8", "i32", "x[i] > y[i]"), x, y, np.zeros(4, np.int32))


@pytest.mark.parametrize("dtype", WHOLE)
def test_stores_wrap(dtype: str) -> None:
    x = np.array([1, 300, -300, 70000, -(2**40), 2**62, 5, 0, -1], np.int64)
    text = f"@kernel\ndef f(x: Tensor[i64, N], z: Tensor[{dtype}, N]) -> None:\n    z[:] = x * 3\n"
    check(text, x, np.zeros(9, NUMPY[dtype]))


@pytest.mark.parametrize("source", ["f64", "f32", "f16"])
@pytest.mark.parametrize("dtype", [*REAL, "f8e4m3", "f8e5m2"])
def test_stores_round(source: str, dtype: str) -> None:
    x = np.array([0.1, -2.7, 1e-5, 300.0, 1.0009765625, 0.0, 5.5, -0.0, 60000], NUMPY[source])
    check(elementwise(source, source, dtype, "x[i]"), x, x, np.zeros(9, NUMPY[dtype]))


def test_float_stored_into_an_integer_truncates() -> None:
    x = np.array([0.9, -0.9, 2.5, -2.5, 100.99, 3, 4, 5, 6], np.float32)
    check(elementwise("f32", "f32", "i32", "x[i]"), x, x, np.zeros(9, np.int32))


def test_integer_operations() -> None:
    x, y = np.array([7, -7, 13, -128, 127], np.int8), np.array([2, 3, -5, 1, -1], np.int8)
    for e in ("x[i] & y[i]", "x[i] | 6", "x[i] ^ y[i]", "~x[i]", "x[i] << 2", "x[i] >> 1", "-x[i]", "abs(x[i])"):
        check(elementwise("i8", "i8", "i8", e), x, y, np.zeros(5, np.int8))


def test_powers() -> None:
    x = sample("f32")
    for e in ("x[i] ** 2", "x[i] ** 1", "x[i] ** 0"):
        check(elementwise("f32", "f32", "f32", e), x, x, np.zeros(9, np.float32))
    for e in ("x[i] ** 3", "x[i] ** 0.5", "x[i] ** -1", "x[i] ** y[i]"):
        check(elementwise("f32", "f32", "f32", e), abs(x), x, np.zeros(9, np.float32), close=1e-6)
    for dtype in ("f16", "bf16"):
        check(
            elementwise(dtype, dtype, dtype, "x[i] ** 3"), sample(dtype), sample(dtype), np.zeros(9, NUMPY[dtype])
        )
    n = np.arange(9, dtype=np.int32)
    for e in ("x[i] ** 3", "x[i] ** y[i]", "2 ** x[i]", "i ** 2", "2 ** i"):
        check(elementwise("i32", "i32", "i64", e), n, n, np.zeros(9, np.int64))


def test_a_weak_integer_power_of_unknown_sign_is_refused() -> None:
    text = "@kernel\ndef f(n: int, y: Tensor[f32, N]) -> None:\n    for i in range(N):\n        y[i] = 2 ** n\n"
    assert refusal(text) == ("TL325", "2 ** n")


def test_python_functions() -> None:
    x, y = sample("f32"), sample("f32")[::-1].copy()
    for e in (
        "max(x[i], y[i])",
        "min(x[i], y[i], 0.0)",
        "abs(x[i])",
        "round(x[i])",
        "int(x[i])",
        "float(x[i]) * 3",
        "math.floor(x[i])",
        "math.ceil(x[i])",
        "math.trunc(float(x[i]))",
        "x[i] if x[i] > y[i] else y[i]",
        "math.isnan(x[i])",
        "math.inf",
        "max(-float('inf'), x[i])",
        "float('-Infinity')",
        "float('nan')",
        "float(' 1e-3 ') * 2",
        "math.pi * x[i]",
        "bool(x[i])",
        "pow(x[i], 2)",
        "math.fabs(x[i])",
    ):
        check(elementwise("f32", "f32", "f64", e), x, y, np.zeros(9))


def test_nan_in_max_follows_the_spelling() -> None:
    x = np.array([np.nan, 1, 2, np.nan, 0], np.float32)
    y = np.array([1, np.nan, 1, np.nan, -0.0], np.float32)
    for e in ("max(x[i], y[i])", "min(x[i], y[i])", "np.maximum(x[i], y[i])", "np.fmin(x[i], y[i])"):
        check(elementwise("f32", "f32", "f32", e), x, y, np.zeros(5, np.float32))


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16", "i8", "i16", "i32"])
def test_numpy_functions_keep_their_dtype(dtype: str) -> None:
    x = abs(sample(dtype)) if dtype != "i8" else np.arange(9, dtype=np.int8)
    for e in ("np.sqrt(x[i])", "np.square(x[i])", "np.abs(x[i])", "np.sign(x[i])", "np.where(x[i] > 2, x[i], 1)"):
        check(elementwise(dtype, dtype, "f64", e), x, x, np.zeros(9))
    for e in ("np.exp(x[i])", "np.log1p(x[i])", "np.tanh(x[i])", "np.arctan2(x[i], y[i])"):
        close = {"f16": 1e-3, "i8": 1e-3, "bf16": 1e-2}.get(dtype, 1e-6)
        check(elementwise(dtype, dtype, "f64", e), x % 8, x, np.zeros(9), close=close)


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16"])
def test_sign_of_a_zero_is_that_zero_in_bf16_and_0_elsewhere(dtype: str) -> None:
    x = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, -1e-7, 2.0]).astype(NUMPY[dtype])
    check(elementwise(dtype, dtype, dtype, "np.sign(x[i])"), x, x, np.ones_like(x))
    assert np.signbit(np.sign(x)[1]) == (dtype == "bf16")


def test_numpy_operators_and_predicates() -> None:
    x, y = sample("f32"), np.array([1, np.nan, np.inf, -np.inf, 0, -0.0, 2, 3, 4], np.float32)
    for e in (
        "np.add(x[i], y[i])",
        "np.isfinite(y[i])",
        "np.isnan(y[i])",
        "np.floor(y[i])",
        "np.rint(x[i])",
        "np.clip(x[i], -1, 1)",
        "np.logical_and(x[i] > 0, y[i] > 0)",
        "np.copysign(x[i], y[i])",
        "np.minimum(x[i], 0.5)",
    ):
        check(elementwise("f32", "f32", "f32", e), x, y, np.zeros(9, np.float32))


def test_math_is_weak_and_held_in_f32_with_a_warning() -> None:
    text = elementwise("f32", "f32", "f32", "math.sqrt(x[i]) * x[i]")
    assert codes(text) == ["TL361"]
    x = abs(sample("f32"))
    check(text, x, x, np.zeros(9, np.float32), math=F64)
    assert codes(text, math=F64) == []
    half = elementwise("f16", "f16", "f16", "math.exp(x[i]) * x[i]")
    (store,) = (s for s in all_stmts(nest_of(half).body) if isinstance(s, Store))
    assert store.value.dtype is F16


def test_kernel_math_f64_needs_no_warning() -> None:
    text = elementwise("f32", "f32", "f32", "math.sqrt(x[i])").replace("@kernel", "@kernel(math=f64)")
    assert codes(text) == []


def test_constants_fold_as_python_folds_them() -> None:
    x = sample("f32")
    for e in ("x[i] * (1 / 3)", "x[i] * math.sqrt(2.0)", "x[i] + 7 // 2 * 2", "x[i] * -(2 - 5)", "0.1 + 0.2"):
        check(elementwise("f32", "f32", "f32", e), x, x, np.zeros(9, np.float32))


def test_casts_are_strong() -> None:
    x = sample("f32")
    for e in ("f16(x[i]) * x[i]", "f16(x[i]) * 1.001", "np.float32(0.1) * x[i]", "bf16(x[i])", "i8(x[i]) * i8(50)"):
        check(elementwise("f32", "f32", "f32", e), x, x, np.zeros(9, np.float32))


@pytest.mark.parametrize(
    ("dtype", "expression", "code", "text"),
    [
        ("u8", "x[i] + 300", "TL321", "x[i] + 300"),
        ("i8", "x[i] * 128", "TL321", "x[i] * 128"),
        ("f8e4m3", "x[i] + x[i]", "TL322", "x[i] + x[i]"),
        ("f8e4m3", "abs(x[i])", "TL322", "abs(x[i])"),
        ("f32", "x[i] & 1", "TL322", "x[i] & 1"),
        ("f32", "max(x[i], f64(1))", "TL323", "max(x[i], f64(1))"),
        ("f32", "x[i] if i else f16(0)", "TL323", "x[i] if i else f16(0)"),
        ("f32", "x[i] and 1", "TL324", "x[i] and 1"),
        ("f32", "x[x[i]]", "TL331", "x[i]"),
        ("f32", "x[i > 2]", "TL331", "i > 2"),
        ("f32", "x[i, i]", "TL330", "x[i, i]"),
        ("f32", "q + 1", "TL301", "q"),
        ("f32", "np.fft(x[i])", "TL341", "np.fft(x[i])"),
        ("f32", "math.sqrt(x)", "TL342", "x"),
        ("f32", "float('much')", "TL342", "'much'"),
        ("f32", "x[i].real", "TL343", "x[i].real"),
        ("f32", "math.trunc(x[i])", "TL322", "math.trunc(x[i])"),
        ("f32", "abs(x[i], 2)", "TL342", "abs(x[i], 2)"),
        ("f32", "(x[i] > 0) - (x[i] < 0)", "TL322", "(x[i] > 0) - (x[i] < 0)"),
        ("f32", "x", "TL334", None),
        ("f32", "9223372036854775808", "TL321", "9223372036854775808"),
    ],
)
def test_refusals_stand_at_their_place(dtype: str, expression: str, code: str, text: str | None) -> None:
    found = refusal(elementwise(dtype, dtype, "f32", expression))
    assert found == (code, text or f"z[i] = {expression}")


def test_a_python_integer_that_does_not_fit_is_refused_when_stored() -> None:
    assert refusal(elementwise("u8", "u8", "u8", "256"))[0] == "TL321"
    assert codes(elementwise("u8", "u8", "u8", "u8(i64(256))")) == []


def test_scalar_parameters() -> None:
    text = """
@kernel
def f(alpha: f32, n: int, flag: bool, beta: float, x: Tensor[f32, N]) -> None:
    for i in range(N):
        if flag:
            x[i] = alpha * x[i] + beta * n
"""
    x = sample("f32")
    nest = check(text, np.float32(1.1), 3, True, 0.1, x)
    assert [(s.name, s.dtype.name) for s in nest.scalars] == [
        ("alpha", "f32"),
        ("n", "i64"),
        ("flag", "bool"),
        ("beta", "f64"),
    ]
    assert nest.order == ("alpha", "n", "flag", "beta", "x")


def test_carried_names_take_the_fixpoint_of_their_loop() -> None:
    text = """
@kernel
def f(x: Tensor[{0}, N], y: Tensor[{0}, 1]) -> None:
    s = 0.0
    for i in range(N):
        s += x[i]
    y[0] = s
"""
    for dtype in ("f32", "f64", "f16"):
        nest = check(text.format(dtype), sample(dtype), np.zeros(1, NUMPY[dtype]))
        assert [v.dtype.name for v in nest.variables] == [dtype]
    assert codes(text.format("f16")) == ["TL360"]
    for extreme in ("s = max(s, x[i])", "s = np.minimum(s, x[i])", "if x[i] > s:\n            s = x[i]"):
        assert codes(text.format("f16").replace("s += x[i]", extreme)) == []
    assert codes(text.format("f16").replace("s += x[i]", "s = max(s, x[i]) + x[i]")) == ["TL360"]
    assert codes(text.format("f32")) == []
    nest = nest_of(text.format("i32").replace("s = 0.0", "s = 0"))
    assert [v.dtype.name for v in nest.variables] == ["i32"]


@pytest.mark.parametrize(
    ("start", "array", "turn"),
    [
        ("f32(0.1)", "f64", "s = s + x[i]"),
        ("f16(0.1)", "f32", "y[0] += s * f16(3.001)\n        s = x[i]"),
        ("i8(100)", "i32", "y[0] += s * i8(3)\n        s = x[i]"),
        ("f32(1) < f32(2)", "f32", "y[0] += s + s\n        s = x[i]"),
        ("f32(1)", "f32", "y[0] += s + s\n        s = {cast}(x[i] > 0)"),
        ("0", "i64", "y[0] += s + s\n        s = {cast}(x[i] > 0)"),
    ],
)
def test_a_name_of_two_dtypes_is_not_computed_with_in_one(start: str, array: str, turn: str) -> None:
    """What the first turn computes is f16, i8 or a bool, and later ones are not: `True + True` is True, and 2.0."""

    def text(cast: str) -> str:
        return f"""
@kernel
def f(x: Tensor[{array}, N], y: Tensor[f64, 1]) -> None:
    s = {cast}({start})
    for i in range(N):
        {turn.format(cast=cast)}
    y[0] = s
"""

    assert set(codes(text(""))) == {"TL304"}
    check(text(array), sample(array), np.zeros(1))


def test_updates_only_where_they_are_exact() -> None:
    def statements(array: str, value: str, spelling: str = "y[0] += {}") -> list[object]:
        text = f"""
@kernel
def f(x: Tensor[{value}, N], y: Tensor[{array}, N]) -> None:
    for i in range(N):
        {spelling.format("x[i]")}
"""
        x, y = sample(value) // 32 if value in WHOLE else sample(value), sample(array) // 32
        nest = check(text, x, y)
        return [s for s in all_stmts(nest.body) if isinstance(s, Update | Store)]

    for array, value in (("f32", "f32"), ("f32", "f16"), ("i32", "i64"), ("i8", "i32"), ("f64", "i32")):
        assert isinstance(statements(array, value)[0], Update), (array, value)
    for array, value in (("f16", "f32"), ("i32", "f32"), ("f32", "f64")):
        assert isinstance(statements(array, value)[0], Store), (array, value)
    for spelling in ("y[0] = y[0] + {}", "y[0] = {} + y[0]", "y[0] -= {}", "y[0] = max(y[0], {})", "y[0] *= {}"):
        assert isinstance(statements("f32", "f32", spelling)[0], Update), spelling
    for spelling in ("y[0] = max({}, y[0])", "y[0] = {} - y[0]", "y[0] /= {}"):
        assert isinstance(statements("f32", "f32", spelling)[0], Store), spelling
    if_form = "if {0} > y[0]:\n            y[0] = {0}"
    (found,) = statements("f32", "f32", if_form)
    assert isinstance(found, Update) and found.op == "max"
    (found,) = statements("i32", "i64", "y[0] -= {}")
    assert isinstance(found, Update) and found.op == "+"


def test_reductions_keep_the_accumulator_on_the_left() -> None:
    def last_set(statement: str) -> Set:
        text = f"""
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:
    s = f32(1)
    for i in range(N):
        {statement}
    y[0] = s
"""
        nest = check(text, sample("f32"), np.zeros(1, np.float32))
        return [s for s in all_stmts(nest.body) if isinstance(s, Set)][-1]

    for statement, op in (
        ("s += x[i]", "+"),
        ("s = x[i] + s", "+"),
        ("s -= x[i]", "+"),
        ("s = x[i] * s", "*"),
        ("s = max(s, x[i])", "max"),
        ("s = np.maximum(x[i], s)", "maximum"),
        ("if x[i] > s:\n            s = x[i]", "max"),
        ("if s > x[i]:\n            s = x[i]", "min"),
        ("s = x[i] if x[i] < s else s", "min"),
    ):
        value = last_set(statement).value
        assert (value.op, value.left.name) == (op, "s"), statement  # type: ignore[union-attr]
    assert last_set("s = max(x[i], s)").value.right.name == "s"  # type: ignore[union-attr]


def test_weak_integers_are_i64() -> None:
    text = "@kernel\ndef f(y: Tensor[i64, N]) -> None:\n    for i in range(N):\n        y[i] = i * i\n"
    nest = check(text, np.zeros(7, np.int64))
    (store,) = (s for s in all_stmts(nest.body) if isinstance(s, Store))
    assert store.value.dtype is I64
