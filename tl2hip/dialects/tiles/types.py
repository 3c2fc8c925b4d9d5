"""The types of tiles and of the numbers beside them, as NumPy 2 gives them.

`tests/dialects/tiles/test_types.py` compares them with those of the nests that are built.
"""

from __future__ import annotations

from tl2hip.dialects.article.types import combined as both_strong
from tl2hip.dialects.article.types import divided, exponential, with_number
from tl2hip.dialects.tiles.values import Typed
from tl2hip.dtypes import BOOL, F32, F64, I8, I32, I64, ML_DTYPES, DType, promote

FLOAT_OF_ONE = frozenset(
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh"
    " arcsin arccos arctan asin acos atan".split()
)
"""NumPy's functions of one number that give a float."""

SAME_OF_ONE = frozenset(
    "negative positive invert abs absolute square sign reciprocal floor ceil trunc rint".split()
)
"""Those that give the dtype they are given."""

COMMON = frozenset(
    "add subtract multiply floor_divide remainder mod power bitwise_and bitwise_or bitwise_xor left_shift"
    " right_shift maximum minimum fmax fmin divide true_divide".split()
)
"""Functions of two numbers that give their common dtype, or a quotient of it."""

SYMBOLS = {
    **dict.fromkeys(("divide", "true_divide"), "/"),
    **dict.fromkeys(("remainder", "mod"), "%"),
    "floor_divide": "//",
    "power": "**",
    "left_shift": "<<",
    "right_shift": ">>",
}
"""The operators that are not typed as `+` is."""

FLOAT_OF_TWO = frozenset("arctan2 atan2 hypot copysign fmod".split())
"""Functions of two numbers that give a float."""

TRUTHS = {
    **dict.fromkeys(("isnan", "isinf", "isfinite", "logical_not"), 1),
    **dict.fromkeys(("logical_and", "logical_or"), 2),
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"), 2),
}
"""Functions that give a bool, with the number of their arguments."""

ARITY = {
    **dict.fromkeys(FLOAT_OF_ONE | SAME_OF_ONE, 1),
    **dict.fromkeys(COMMON | FLOAT_OF_TWO, 2),
    **TRUTHS,
    "where": 3,
    "clip": 3,
}
"""NumPy's element-wise functions, with the number of their arguments."""


def operated(op: str, left: Typed, right: Typed) -> Typed | None:
    """The type of `left op right`; None where there is none."""
    if left.dtype is None or right.dtype is None:
        return Typed(None)
    if left.weak and right.weak:
        return Typed(_python(op, left.dtype, right.dtype), weak=True)
    if left.dtype is right.dtype is BOOL and op in ("//", "%", "**", "<<", ">>"):
        return Typed(I8)
    if not left.weak and not right.weak:
        found = both_strong(op, left.dtype, right.dtype)
        return None if found is None else Typed(found)
    tile, number = (right.dtype, left.dtype) if left.weak else (left.dtype, right.dtype)
    dtype = tile if number is BOOL else with_number(tile, number.is_float)
    return Typed(divided(dtype) if op == "/" else dtype)


def _python(op: str, left: DType, right: DType) -> DType:
    """The dtype that stands for what Python gives for two numbers."""
    if op == "/" or F64 in (left, right):
        return F64
    return BOOL if left is right is BOOL and op in ("&", "|", "^") else I64


def called(name: str, parts: tuple[Typed, ...]) -> Typed | None:
    """The type that one of NumPy's element-wise functions gives; None where there is none."""
    if name in TRUTHS:
        return Typed(BOOL)
    known = parts[1:] if name == "where" else parts
    if any(part.dtype is None for part in known):
        return Typed(None)
    if name == "clip" and known[0].weak:
        return None
    real = name in FLOAT_OF_ONE or (name in FLOAT_OF_TWO and name != "fmod")
    if real and not any(part.weak for part in known):
        known = tuple(map(_real, known))
    common = known[0]
    for part in known[1:]:
        both = operated(SYMBOLS.get(name, "+"), common, part)
        if both is None:
            return None
        common = both
    return Typed(_as_numpy(name, (_real(common) if real else common).dtype, known))


def _real(t: Typed) -> Typed:
    """What a number is taken as where a float is needed."""
    return Typed(None if t.dtype is None else exponential(t.dtype))


def _as_numpy(name: str, dtype: DType | None, parts: tuple[Typed, ...]) -> DType | None:
    """The dtype where a function of NumPy goes its own way: it has no loops for bool in arithmetic, and knows
    neither clip nor weak floats of where for the types of ml_dtypes."""
    if dtype is BOOL and name in ("square", "reciprocal", "fmod"):
        return I8
    if name == "rint" and dtype is not None:
        return exponential(dtype)
    if name == "clip" and dtype in ML_DTYPES:
        return F32
    mixed = len({part.weak for part in parts}) > 1 and any(part.dtype in ML_DTYPES for part in parts)
    return F64 if name == "where" and mixed and dtype is F32 else dtype


def dotted(left: Typed, right: Typed) -> DType | None:
    """The dtype of the factors and of the sum of `tile.dot`; None where there is none."""
    if left.dtype is None or right.dtype is None:
        return None
    common = promote(left.dtype, right.dtype)
    if common is None or common is BOOL or common.bits >= 32:
        return None if common is BOOL else common
    return F32 if common.is_float else I32


def carried(op: str, dtype: DType) -> DType:
    """The dtype in which a reduction is carried."""
    if op != "sum" or dtype.bits >= 32 and dtype.is_float:
        return dtype
    return F32 if dtype.is_float else I64
