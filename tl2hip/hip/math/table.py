"""The table of math helpers: for each its C symbol, stated error, text file and the helpers it calls.

Pure data and cheap to import; `tl2hip.hip.math` loads the texts. A row's `words` are put into its template text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

REALS = {"f32": "float", "f64": "double"}

INTS = {
    "i64": "long long",
    "i32": "int",
    "i16": "short",
    "i8": "signed char",
    "u8": "unsigned char",
    "u32": "unsigned int",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One helper before its text is loaded. `file` names a template in text/, `words` its replacements."""

    name: str
    dtype: str
    ulp: float
    symbol: str
    file: str
    needs: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()


# Functions with a text of their own: name, error in f32, helpers in f32, error in f64, helpers in f64.
_OWN: tuple[tuple[str, float, tuple[str, ...], float, tuple[str, ...]], ...] = (
    ("exp", 1.4, (), 1.1, ()),
    ("exp2", 1.1, (), 1.1, ()),
    ("expm1", 0.6, (), 2.0, ()),
    ("log", 1.0, (), 0.75, ("log_pair",)),
    ("log2", 1.25, (), 0.75, ("log_pair",)),
    ("log10", 0.6, ("log_narrow",), 0.75, ("log_pair",)),
    ("log1p", 0.6, ("log_narrow",), 1.0, ("log_pair",)),
    ("pow", 0.6, ("log_narrow", "exp_narrow", "pow_special"), 2.25, ("log_pair", "exp_pair", "pow_special")),
    ("sin", 0.6, ("reduce_f32",), 1.0, ("reduce_f64",)),
    ("cos", 0.6, ("reduce_f32",), 1.0, ("reduce_f64",)),
    ("tan", 0.6, ("reduce_f32",), 3.0, ("reduce_f64",)),
    ("asin", 0.6, (), 1.0, ("pair_f64",)),
    ("acos", 0.6, (), 1.0, ("pair_f64",)),
    ("atan2", 0.6, (), 1.0, ("pair_f64",)),
    ("atan", 0.6, ("atan2_f32",), 1.0, ("atan2_f64",)),
    ("sinh", 0.6, ("exp_narrow",), 2.0, ("exp_pair",)),
    ("cosh", 0.6, ("exp_narrow",), 2.0, ("exp_pair",)),
    ("tanh", 2.0, ("exp_f32",), 2.0, ("exp_f64",)),
    ("erf", 1.5, ("exp_f32",), 1.75, ("erfc_tail",)),
    ("erfc", 0.6, ("exp_narrow",), 4.0, ("erfc_tail", "erf_f64")),
    ("hypot", 0.6, (), 1.5, ()),
    ("cbrt", 0.6, (), 0.6, ("pair_f64",)),
    ("fmod", 0.0, (), 0.0, ()),
)

# Functions whose f32 and f64 texts differ in type names only. rsqrt rounds twice.
_ALIKE: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("sqrt", 0.0, ()),
    ("rsqrt", 1.5, ()),
    *((name, 0.0, ()) for name in ("floor", "ceil", "trunc", "rint", "copysign")),
    *((name, 0.0, ()) for name in ("isnan", "isinf", "isfinite")),
    ("floordiv", 0.0, ("fmod",)),
    ("mod", 0.0, ("fmod",)),
)

# Parts that other helpers share; nothing prints them for themselves.
_PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("pair_f64", ()),
    ("exp_narrow", ()),
    ("log_narrow", ()),
    ("log_pair", ("pair_f64",)),
    ("exp_pair", ()),
    ("pow_special", ()),
    ("reduce_f32", ()),
    ("reduce_f64", ("pair_f64",)),
    ("erfc_tail", ("pair_f64", "exp_pair")),
)


def _real_words(dtype: str) -> tuple[tuple[str, str], ...]:
    suffix = "f" if dtype == "f32" else ""
    return (
        (r"\bREAL\b", REALS[dtype]),
        (r"TYPE", dtype),
        (r"(__builtin_[a-z]+)F\b", rf"\1{suffix}"),
        (r"\bONE\b", f"1.0{suffix}"),
        (r"\bZERO\b", f"0.0{suffix}"),
        (r"\bHALF\b", f"0.5{suffix}"),
        (r"\bLIMIT32\b", f"2147483648.0{suffix}"),
        (r"\bLIMIT64\b", f"9223372036854775808.0{suffix}"),
    )


def _int_words(dtype: str) -> tuple[tuple[str, str], ...]:
    bits = re.sub(r"\D", "", dtype)
    plain = INTS[dtype].removeprefix("signed ").removeprefix("unsigned ")
    return (
        (r"\bINT\b", INTS[dtype]),
        (r"\bUINT\b", f"unsigned {plain}"),
        (r"\bWIDE\b", "unsigned long long" if bits == "64" else "unsigned int"),
        (r"_NAME\b", f"_{dtype}"),
        (r"\bBITS", bits),
    )


def _rows() -> list[Row]:
    rows = [Row(part, "f64", 0.0, part, part, needs) for part, needs in _PARTS]
    for name, ulp32, needs32, ulp64, needs64 in _OWN:
        rows.append(Row(name, "f32", ulp32, f"{name}_f32", f"{name}_f32", needs32))
        rows.append(Row(name, "f64", ulp64, f"{name}_f64", f"{name}_f64", needs64))
    for dtype in REALS:
        rows.extend(_real_rows(dtype))
    for dtype in INTS:
        rows.extend(_int_rows(dtype))
    return rows


def _real_rows(dtype: str) -> list[Row]:
    words = _real_words(dtype)
    rows = []
    for name, ulp, needs in _ALIKE:
        called = tuple(f"{need}_{dtype}" for need in needs)
        rows.append(Row(name, dtype, ulp, f"{name}_{dtype}", f"{name}_REAL", called, words))
    wide = f"cast_{dtype}_i64"
    rows.append(Row("cast_i64", dtype, 0.0, wide, "cast_i64_REAL", (), words))
    for target in INTS:
        if target not in ("i64", "u32"):  # u32 saturates: helpers.saturated_u32
            both = words + _int_words(target)
            rows.append(Row(f"cast_{target}", dtype, 0.0, f"cast_{dtype}_{target}", "cast_INT_REAL", (wide,), both))
    for small in ("f8e4m3", "f8e5m2"):
        rows.append(Row(f"to_{small}", dtype, 0.0, f"{dtype}_to_{small}", f"to_{small}_{dtype}"))
        if dtype == "f32":
            rows.append(Row(f"from_{small}", dtype, 0.0, f"{small}_to_f32", f"from_{small}"))
    return rows


def _int_rows(dtype: str) -> list[Row]:
    sign = "SIGNED" if dtype.startswith("i") else "UNSIGNED"
    words = _int_words(dtype)
    files = {name: f"{name}_{sign}" for name in ("floordiv", "mod", "shr", "ipow")} | {"shl": "shl_INT"}
    return [Row(name, dtype, 0.0, f"{name}_{dtype}", file, (), words) for name, file in files.items()]


ROWS: dict[str, Row] = {row.symbol: row for row in _rows()}
"""Every helper by its symbol, which is its key."""

BY_NAME: dict[tuple[str, str], Row] = {(row.name, row.dtype): row for row in ROWS.values()}
"""Every helper by what a kernel asks for: name and dtype."""

_INNER = (
    "add_exact add_ordered cos_rest_f32 cos_rest_f64 exponent_of log_exponent log_precise"
    " multiply_exact reduce_large_f64 reduced_f32 reduced_f64 scale_down shift_in sin_rest_f32"
    " sin_rest_f64 two_over_pi_bits_f32 two_over_pi_bits_f64 wide_u128"
)

NAMES = frozenset(ROWS) | frozenset(_INNER.split())
"""Every name that some text defines at file scope; a kernel's own names must differ."""
