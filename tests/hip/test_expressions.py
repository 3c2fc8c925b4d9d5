"""Expressions as text: what a reader sees."""

from __future__ import annotations

import math

import pytest

from tl2hip.dtypes import BF16, BOOL, F8E4M3, F16, F32, F64, I8, I16, I32, I64, U8, U32, DType
from tl2hip.hip import facts, literals
from tl2hip.hip.context import Context, Known, Used
from tl2hip.hip.expressions import show
from tl2hip.nest.ir import (
    Array,
    AxisRef,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Dim,
    Expr,
    Load,
    Logic,
    Scalar,
    Select,
    Unary,
    Var,
)


class Same(dict[str, str]):
    """Names that stand for themselves."""

    def __missing__(self, key: str) -> str:
        return key


N, K, i, k = Dim("N"), Dim("K"), AxisRef("i"), AxisRef("k")
ARRAYS = {
    a.name: a
    for a in (
        Array("A", F32, (N, K), "parameter"),
        Array("T", F32, (N, K), "parameter", (Const(1, I64), N)),
        Array("P", F32, (N, K), "local", (Const(65, I64), Const(1, I64))),
        Array("B", I32, (N, K, Const(4, I64)), "parameter"),
        Array("one", F32, (Const(1, I64),), "result"),
    )
}


def printed(e: Expr) -> str:
    """The text of an expression where i and k are loop variables from 0 on."""
    return show(e, Context(Same(), Used(), ARRAYS, Known(natural={"i", "k"}, index={"i", "k"}))).text


def var(name: str, dtype: DType = F32) -> Var:
    return Var(name, dtype)


def c(value: float, dtype: DType = I64) -> Const:
    return Const(value, dtype)


def binary(op: str, a: Expr, b: Expr) -> Binary:
    return Binary(op, a, b)


x, y, z = var("x"), var("y"), var("z")
n, m = var("n", I64), var("m", I64)
p, q, r = var("p", BOOL), var("q", BOOL), var("r", BOOL)
h, b = var("h", F16), var("b", BF16)
plus, minus, times = binary("+", x, y), binary("-", x, y), binary("*", x, y)

TABLE: list[tuple[Expr, str]] = [
    (binary("*", plus, z), "(x + y) * z"),
    (binary("+", times, z), "x * y + z"),
    (binary("-", x, minus), "x - (x - y)"),
    (binary("-", minus, z), "x - y - z"),
    (binary("/", x, times), "x / (x * y)"),
    (Unary("-", plus), "-(x + y)"),
    (Unary("-", Unary("-", x)), "-(-x)"),
    (binary("-", x, c(-0.5, F32)), "x - (-0.5f)"),
    (Cast(plus, F64), "(double)(x + y)"),
    (binary("*", Cast(h, F32), x), "(float)h * x"),
    (Compare("<", plus, z), "x + y < z"),
    (Unary("not", Compare("<", x, y)), "!(x < y)"),
    (Compare("==", Compare("<", x, y), p), "(x < y) == p"),
    (Logic("or", Logic("and", p, q), r), "(p && q) || r"),
    (Logic("and", p, Logic("or", q, r)), "p && (q || r)"),
    (Logic("and", Logic("and", p, q), r), "p && q && r"),
    (Select(Compare("<", x, y), x, Select(p, y, z)), "x < y ? x : p ? y : z"),
    (binary("+", Select(p, x, y), z), "(p ? x : y) + z"),
    (Select(p, Select(q, x, y), z), "p ? (q ? x : y) : z"),
    (binary("&", var("a", U32), binary("+", var("d", U32), c(1, U32))), "a & (d + 1u)"),
    (binary("|", binary("&", n, m), c(4)), "(n & m) | 4"),
    (binary("&", p, q), "p && q"),
    (binary("^", p, q), "p != q"),
    (binary("+", n, m), "wrap_add_i64(n, m)"),
    (binary("+", binary("*", i, K), k), "i * K + k"),
    (binary("+", var("d", I32), c(1, I32)), "wrap_add_i32(d, 1)"),
    (binary("*", Cast(var("d", I8), I32), Cast(var("e", I8), I32)), "(int)d * (int)e"),
    (binary("+", var("d", I8), c(1, I8)), "(signed char)(d + 1)"),
    (binary("*", var("d", I16), var("e", I16)), "(short)(d * e)"),
    (binary("-", var("d", U8), c(1, U8)), "(unsigned char)(d - 1)"),
    (binary("//", i, c(4)), "i / 4"),
    (binary("%", binary("+", i, k), c(3)), "(i + k) % 3"),
    (binary("//", binary("-", i, c(1)), c(4)), "floordiv_i64(i - 1, 4)"),
    (binary("%", i, n), "mod_i64(i, n)"),
    (binary("//", x, y), "floordiv_f32(x, y)"),
    (binary("//", h, h), "f16_from_f32(floordiv_f32((float)h, (float)h))"),
    (binary("**", x, c(2.0, F32)), "square_f32(x)"),
    (binary("**", x, y), "pow_f32(x, y)"),
    (binary("**", n, c(3)), "ipow_i64(n, 3)"),
    (binary(">>", n, c(3)), "n >> 3"),
    (binary(">>", n, m), "shr_i64(n, m)"),
    (binary("<<", c(1), n), "shl_i64(1, n)"),
    (binary("<<", var("a", U32), c(3, U32)), "a << 3u"),
    (binary("max", x, y), "py_max_f32(x, y)"),
    (binary("minimum", x, y), "np_min_f32(x, y)"),
    (binary("fmax", h, h), "num_max_f16(h, h)"),
    (binary("min", n, m), "min_i64(n, m)"),
    (binary("+", c(2**31 - 1), c(1)), "2147483647LL + 1"),
    (c(2**40), "1099511627776LL"),
    (c(-(2**63)), "(-9223372036854775807LL - 1)"),
    (c(-(2**31), I32), "(-2147483647 - 1)"),
    (c(0.1, F32), "0.1f"),
    (c(0.1, F64), "0.1"),
    (c(1, F64), "1.0"),
    (c(65504.0, F16), "(_Float16)65504.0f"),
    (c(math.inf, F32), "__builtin_inff()"),
    (c(-math.inf, F64), "-__builtin_inf()"),
    (c(math.nan, F32), '__builtin_nanf("")'),
    (c(True, BOOL), "true"),
    (binary("*", h, c(0.5, F16)), "h * (_Float16)0.5f"),
    (Unary("abs", x), "__builtin_fabsf(x)"),
    (Unary("abs", b), "bf16_from_f32(__builtin_fabsf((float)b))"),
    (Unary("abs", n), "wrap_abs_i64(n)"),
    (Unary("~", n), "~n"),
    (Cast(x, I64), "cast_f32_i64(x)"),
    (Cast(h, I32), "cast_f32_i32((float)h)"),
    (Cast(x, U32), "u32_from_f32(x)"),
    (Cast(x, BOOL), "x != 0.0f"),
    (Cast(n, F16), "(_Float16)(float)n"),
    (Cast(var("d", F64), BF16), "bf16_from_f32(round_to_odd(d))"),
    (Cast(h, BF16), "bf16_from_f32((float)h)"),
    (Cast(x, F8E4M3), "f32_to_f8e4m3(x)"),
    (Cast(c(3), F32), "3.0f"),
    (Call("exp", (x,), F32), "exp_f32(x)"),
    (Scalar("alpha", F32), "alpha"),
    (Load("A", (i, k), F32, True), "A[i * K + k]"),
    (Load("A", (c(0), k), F32, True), "A[k]"),
    (Load("A", (binary("+", i, c(1)), binary("-", k, c(1))), F32, True), "A[(i + 1) * K + k - 1]"),
    (Load("T", (i, k), F32, True), "T[i + k * N]"),
    (Load("P", (i, k), F32, True), "P[i * 65 + k]"),
    (Load("B", (i, k, c(2)), I32, True), "B[(i * K + k) * 4 + 2]"),
    (Load("one", (c(0),), F32, True), "one[0]"),
    (Load("A", (n, k), F32), "load_or_zero(A, row_major(wrapped(n, N), wrapped(k, K), K))"),
    (Load("T", (n, k), F32), "load_or_zero(T, together(wrapped(n, N), strided(wrapped(k, K), N)))"),
]


@pytest.mark.parametrize(("e", "expected"), TABLE, ids=[str(n) for n in range(len(TABLE))])
def test_text(e: Expr, expected: str) -> None:
    assert printed(e) == expected


def test_a_float_literal_reads_back_as_the_same_value() -> None:
    for dtype in (F32, F64, F16, BF16):
        for value in (0.1, 1 / 3, 1e-30, 6.1e-5, 5.9e-8, 3.3895e38, 1e-45, 2.0**-133, 12345.678, -0.0):
            rounded = literals.rounded(value, dtype)
            if not math.isfinite(rounded):
                continue
            text_ = literals.float_literal(value, dtype).removesuffix("f")
            assert math.copysign(1, float(text_)) == math.copysign(1, value)
            as_float = float(text_) if dtype is F64 else literals.rounded(float(text_), F32)
            assert literals.rounded(as_float, dtype) == rounded, (dtype, value)


def test_rounding_to_bf16_is_that_of_ml_dtypes() -> None:
    import ml_dtypes
    import numpy as np

    values = np.random.default_rng(0).normal(size=300) * 10.0 ** np.random.default_rng(1).integers(-42, 38, 300)
    for value in values.astype(np.float32):
        assert literals.rounded(float(value), BF16) == float(ml_dtypes.bfloat16(value))


def test_bounds_of_promoted_integers_are_exact() -> None:
    d = Cast(var("d", I8), I32)
    assert facts.bounds(binary("*", d, d)) == (-128 * 127, 128 * 128)
    assert facts.stays_inside("*", d, d) and not facts.stays_inside("*", var("e", I32), d)


def test_a_factor_of_what_a_loop_stays_below_divides_by_itself() -> None:
    stop = binary("*", binary("*", N, K), c(2))
    known = Known(natural={"i", "k"}, index={"i", "k"}, below={"i": stop, "k": K})
    ctx = Context(Same(), Used(), ARRAYS, known)
    assert show(binary("//", i, K), ctx).text == "i / K"
    assert show(binary("%", binary("//", i, K), N), ctx).text == "i / K % N"
    assert show(binary("//", k, N), ctx).text == "floordiv_i64(k, N)"  # N may be 0
    assert show(binary("%", binary("-", i, c(1)), K), ctx).text == "mod_i64(i - 1, K)"
    known.learn("i")
    assert show(binary("//", i, K), ctx).text == "floordiv_i64(i, K)"


def test_what_is_learned_later_counts() -> None:
    known = Known(natural={"i"}, index={"i", "k"})
    ctx, e = Context(Same(), Used(), ARRAYS, known), binary("*", binary("+", i, k), c(2))
    assert show(e, ctx).text == "(i + k) * 2"
    known.learn("k", index=False)
    assert show(e, ctx).text == "wrap_mul_i64(wrap_add_i64(i, k), 2)"
