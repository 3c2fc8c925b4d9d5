"""The small functions that printed code calls: each is printed once, and only where it is used.

A helper computes in the dtype its name ends with, exactly as `nest.ir` says. Those that a launcher may also need
are `__host__ __device__`; what only lanes do is `__device__`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import F32, DType

WIDTH = 110
"""Columns a printed line may have before it is broken."""

BOTH_SIDES = "static inline __host__ __device__"


@dataclass(frozen=True, slots=True)
class Helper:
    """One printed function: its C name, its text without a final newline, and the helpers it calls."""

    name: str
    text: str
    needs: tuple[Helper, ...] = ()


def function(returns: str, name: str, parameters: str, value: str, *needs: Helper) -> Helper:
    """A helper that returns one expression."""
    head, body = f"{BOTH_SIDES} {returns} {name}({parameters})", f"return {value};"
    short = f"{head} {{ {body} }}"
    return Helper(name, short if len(short) <= WIDTH else f"{head}\n{{\n    {body}\n}}", needs)


def unsigned(dtype: DType) -> str:
    """The unsigned C type of the same width."""
    return {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "u64"}[dtype.bits]


U64 = Helper("u64", "using u64 = unsigned long long;")
"""Printed beside `i64`, before all functions."""


# --- integers --------------------------------------------------------------------------------------------

WRAPPING = {"+": "add", "-": "sub", "*": "mul"}


def wrapping(op: str, dtype: DType) -> Helper:
    """`a op b` of i32 or i64, wrapped in two's complement: signed overflow is undefined in C++."""
    c, u = dtype.c, unsigned(dtype)
    return function(c, f"wrap_{WRAPPING[op]}_{dtype}", f"{c} a, {c} b", f"({c})(({u})a {op} ({u})b)", U64)


def negated(dtype: DType) -> Helper:
    c, u = dtype.c, unsigned(dtype)
    return function(c, f"wrap_neg_{dtype}", f"{c} a", f"({c})(0 - ({u})a)", U64)


def absolute(dtype: DType) -> Helper:
    """|a|, where the lowest integer stays itself."""
    c, u = dtype.c, unsigned(dtype)
    return function(c, f"wrap_abs_{dtype}", f"{c} a", f"a < 0 ? ({c})(0 - ({u})a) : a", U64)


# --- min and max -----------------------------------------------------------------------------------------

CHOICE: dict[str, tuple[str, str]] = {
    "max": ("py_max", "b > a ? b : a"),
    "min": ("py_min", "b < a ? b : a"),
    "maximum": ("np_max", "a > b || a != a ? a : b"),
    "minimum": ("np_min", "a < b || a != a ? a : b"),
    "fmax": ("num_max", "a > b || b != b ? a : b"),
    "fmin": ("num_min", "a < b || b != b ? a : b"),
}
"""Per operation: the helper's name for floats and its value; `py_` is Python's choice, which skips a NaN on the
right, `np_` is NumPy's, which hands a NaN on, `num_` is C's, which drops it."""


def chosen(op: str, dtype: DType) -> Helper:
    """The smaller or larger of two values of any dtype but fp8; integers know one min and one max."""
    name, value = CHOICE[op]
    c = dtype.c
    if not dtype.is_float:
        plain = "max" if "max" in op else "min"
        return function(c, f"{plain}_{dtype}", f"{c} a, {c} b", CHOICE[plain][1])
    return function(c, f"{name}_{dtype}", f"{c} a, {c} b", value)


EXTREME: dict[str, tuple[str, str]] = {
    "greatest": ("greatest", "fmax"),
    "least": ("least", "fmin"),
    "greatest_or_nan": ("greatest_or_nan", "fmax"),
    "least_or_nan": ("least_or_nan", "fmin"),
}
"""Per step of a reduction: the helper's name and the function of C, one instruction, that it is made of."""


def extreme(op: str, dtype: DType) -> Helper:
    """The greater or lesser of two values of f32 or f64, where it does not matter which of two zeros it is."""
    name, plain = EXTREME[op]
    suffix = "f" if dtype is F32 else ""
    value = f"__builtin_{plain}{suffix}(a, b)"
    if op.endswith("nan"):
        value = f'a != a || b != b ? __builtin_nan{suffix}("") : {value}'
    return function(dtype.c, f"{name}_{dtype}", f"{dtype.c} a, {dtype.c} b", value)


# --- floats ----------------------------------------------------------------------------------------------


def squared(dtype: DType) -> Helper:
    return function(dtype.c, f"square_{dtype}", f"{dtype.c} x", "x * x")


def saturated_u32(source: DType) -> Helper:
    """u32 of an f32 or f64 value: truncated, held within 0 … 2**32 - 1, 0 of a NaN."""
    f = "f" if source is F32 else ""
    value = f"x > 0.0{f} ? x < 4294967296.0{f} ? (unsigned int)x : 4294967295u : 0u"
    return function("unsigned int", f"u32_from_{source}", f"{source.c} x", value)


BF16_FROM_F32 = Helper(
    "bf16_from_f32",
    "// f32 to bf16, to nearest even, in integers: gfx942 has no instruction for it.\n"
    f"{BOTH_SIDES} __bf16 bf16_from_f32(float x)\n{{\n"
    "    const unsigned int bits = x == x ? __builtin_bit_cast(unsigned int, x) : 0x7fc00000;\n"
    "    const unsigned int rounded = bits + 0x7fff + (bits >> 16 & 1);\n"
    "    return __builtin_bit_cast(__bf16, (unsigned short)(rounded >> 16));\n}",
)

F16_FROM_F32 = Helper(
    "f16_from_f32",
    "// f32 to f16. Without the call, clang adds +0 to a product that it rounds at once, and -0 becomes 0.\n"
    "static inline __device__ _Float16 f16_from_f32(float x) { return (_Float16)__builtin_canonicalizef(x); }",
)
"""clang before LLVM 23 selects v_fma_mixlo_f16 with an addend of +0 for it (llvm/llvm-project pull request 214544).
A call of `canonicalize` is not fused, and costs no instruction where its argument is a result of arithmetic."""

ROUND_TO_ODD = Helper(
    "round_to_odd",
    "// f64 to f32 so that a second rounding to 16 bits or fewer is as good as one: an inexact value gets an odd"
    " last bit.\n"
    f"{BOTH_SIDES} float round_to_odd(double x)\n{{\n"
    "    const float y = (float)x;\n"
    "    if ((double)y == x || x != x)\n        return y;\n"
    "    unsigned int bits = __builtin_bit_cast(unsigned int, y);\n"
    "    if (__builtin_fabs((double)y) > __builtin_fabs(x))\n        bits -= 1;\n"
    "    return __builtin_bit_cast(float, bits | 1);\n}",
)


# --- indices ---------------------------------------------------------------------------------------------

WRAPPED = Helper(
    "wrapped",
    "// An index as Python takes it: -n to -1 count from the end; -1 stands for any other outside 0 to n-1.\n"
    f"{BOTH_SIDES} i64 wrapped(i64 i, i64 n)\n{{\n"
    "    const i64 at = i < 0 ? i + n : i;\n"
    "    return at >= 0 && at < n ? at : -1;\n}",
)

ROW_MAJOR = function("i64", "row_major", "i64 i, i64 j, i64 n", "i < 0 || j < 0 ? -1 : i * n + j")

STRIDED = function("i64", "strided", "i64 i, i64 stride", "i < 0 ? -1 : i * stride")

TOGETHER = function("i64", "together", "i64 a, i64 b", "a < 0 || b < 0 ? -1 : a + b")

LOAD_OR_ZERO = Helper(
    "load_or_zero",
    "template <typename T>\n"
    "static inline __device__ T load_or_zero(const T *array, i64 at)\n{\n"
    "    return at >= 0 ? array[at] : T{};\n}",
)
