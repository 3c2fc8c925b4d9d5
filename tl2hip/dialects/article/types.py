"""The dtypes of tiles, as NumPy 2 gives them: tiles are strong, Python numbers weak.

`tests/dialects/article/test_types.py` compares them with NumPy's and ml_dtypes' own.
"""

from __future__ import annotations

from tl2hip.dtypes import ALIASES, BF16, BOOL, F8E4M3, F8E5M2, F16, F32, F64, I64, DType, promote

NARROW = (F16, BF16, F8E4M3, F8E5M2)
"""Floats that are summed in f32."""


def dtype_of_word(name: str | None) -> DType | None:
    """The dtype of a text such as "float16" or of an origin such as `numpy.float16`; None where it is none."""
    if name is None:
        return None
    module, _, last = name.rpartition(".")
    if module == "builtins":
        return {"float": F64, "int": I64, "bool": BOOL}.get(last)
    return ALIASES.get(last) if module in ("", "tl2hip", "numpy", "ml_dtypes") else None


def with_number(tile: DType, real: bool) -> DType:
    """The dtype of `tile + number`, for a Python int or a `real` one."""
    if real and tile in (BF16, F8E4M3, F8E5M2):
        return F32
    if tile.is_float:
        return tile
    if real:
        return F64
    return I64 if tile is BOOL else tile


def combined(op: str, left: DType, right: DType) -> DType | None:
    """The dtype of an operation on two tiles; None where NumPy or tl2hip has none."""
    both = promote(left, right)
    return None if both is None else divided(both) if op == "/" else both


def divided(dtype: DType) -> DType:
    """The dtype of a quotient: integers give f64."""
    return dtype if dtype.is_float else F64


def exponential(dtype: DType) -> DType:
    """The dtype of NumPy's exp."""
    return dtype if dtype.is_float else {8: F16, 16: F32, 32: F64, 64: F64}[dtype.bits]


def widened(dtype: DType) -> DType:
    """What a factor of `dot`, or a term of a sum, is widened to: f32 for the floats below it."""
    return F32 if dtype in NARROW else dtype


def summed(dtype: DType) -> DType:
    """What a sum of a tile is carried in: integers in i64."""
    return widened(dtype) if dtype.is_float else I64


def lowest(dtype: DType) -> int | None:
    """The smallest integer of a dtype, None for a float."""
    if dtype.is_float:
        return None
    return -(2 ** (dtype.bits - 1)) if dtype.kind == "int" else 0
