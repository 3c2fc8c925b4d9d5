"""The dtype table: every element type of a kernel, its NumPy and C names, and NumPy 2's promotion.

A leaf: imports nothing of tl2hip and neither NumPy nor ml_dtypes, so that printing HIP stays quick.
`tests/test_dtypes.py` compares promotion with NumPy's own, pair by pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["bool", "int", "uint", "float"]


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """One element type; there is one object for each, so that `is` and `==` say the same.

    `numpy` is the name NumPy or ml_dtypes knows it by, `c` the type that printed HIP stores it as.
    `mantissa` counts the explicit bits of a float (0 for others): its unit roundoff is 2**-(mantissa + 1).
    """

    name: str
    kind: Kind
    bits: int
    numpy: str
    c: str
    mantissa: int = 0

    @property
    def bytes(self) -> int:
        """Size of one element in memory."""
        return max(1, self.bits // 8)

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_int(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest value of an integer type or bool."""
        if self.kind == "bool":
            return 0, 1
        least = -(1 << self.bits - 1) if self.kind == "int" else 0
        return least, least + (1 << self.bits) - 1

    def __str__(self) -> str:
        return self.name


F64 = DType("f64", "float", 64, "float64", "double", 52)
F32 = DType("f32", "float", 32, "float32", "float", 23)
F16 = DType("f16", "float", 16, "float16", "_Float16", 10)
BF16 = DType("bf16", "float", 16, "bfloat16", "__bf16", 7)
F8E4M3 = DType("f8e4m3", "float", 8, "float8_e4m3fnuz", "unsigned char", 3)
F8E5M2 = DType("f8e5m2", "float", 8, "float8_e5m2fnuz", "unsigned char", 2)
I64 = DType("i64", "int", 64, "int64", "i64")
I32 = DType("i32", "int", 32, "int32", "int")
I16 = DType("i16", "int", 16, "int16", "short")
I8 = DType("i8", "int", 8, "int8", "signed char")
U8 = DType("u8", "uint", 8, "uint8", "unsigned char")
U32 = DType("u32", "uint", 32, "uint32", "unsigned int")
BOOL = DType("bool", "bool", 8, "bool", "bool")

TABLE: dict[str, DType] = {
    t.name: t for t in (F64, F32, F16, BF16, F8E4M3, F8E5M2, I64, I32, I16, I8, U8, U32, BOOL)
}

ML_DTYPES = (BF16, F8E4M3, F8E5M2)
"""The types NumPy lacks and ml_dtypes adds."""

ALIASES: dict[str, DType] = {
    **{t.numpy: t for t in TABLE.values()},
    **TABLE,
    "half": F16,
    "single": F32,
    "double": F64,
    "float": F64,
    "int": I64,
    "bool_": BOOL,
    "e4m3fnuz": F8E4M3,
    "e5m2fnuz": F8E5M2,
}


def promote(a: DType, b: DType) -> DType | None:
    """The strong dtype NumPy 2 gives `a op b`; None where NumPy has none, or one tl2hip does not carry.

    >>> promote(F32, I32).name, promote(F16, I8).name, promote(U8, I8).name, promote(BF16, F16)
    ('f64', 'f16', 'i16', None)
    """
    if a is b:
        return a
    if b is BOOL:
        return a
    if a is BOOL:
        return b
    if a.is_float and b.is_float:
        return _promote_floats(a, b)
    if a.is_int and b.is_int:
        return _promote_ints(a, b)
    return _promote_mixed(a, b) if a.is_float else _promote_mixed(b, a)


def _promote_floats(a: DType, b: DType) -> DType | None:
    """ml_dtypes' types promote to f32 and f64 only: bf16 with f16, or an fp8 with a half, has no common type."""
    wide, narrow = (a, b) if a.bits > b.bits else (b, a)
    if narrow in ML_DTYPES and wide not in (F32, F64):
        return None
    return None if wide.bits == narrow.bits else wide


def _promote_ints(a: DType, b: DType) -> DType:
    if a.kind == b.kind:
        return a if a.bits > b.bits else b
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    return {8: I16, 32: I64}[unsigned.bits]


def _promote_mixed(real: DType, whole: DType) -> DType | None:
    """NumPy picks the smallest float that holds every value of the integer type; ml_dtypes' own types
    have no common type with integers over 8 bits."""
    if real in ML_DTYPES:
        return real if whole.bits == 8 else None
    needed = {8: F16, 16: F32, 32: F64, 64: F64}[whole.bits]
    return real if real.bits >= needed.bits else needed
