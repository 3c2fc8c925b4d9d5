"""What each operation of a nest gives on NumPy arrays: the typed arithmetic that `nest.run` executes.

Every function takes arrays of the operation's own dtype and follows the header of `nest.ir` to the letter.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tl2hip.dtypes import ML_DTYPES, U32, DType

Values: TypeAlias = npt.NDArray[Any]
Function: TypeAlias = Callable[..., Any]


def numpy_type(dtype: DType) -> np.dtype[Any]:
    """The NumPy (or ml_dtypes) dtype of an element type."""
    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes if dtype in ML_DTYPES else np, dtype.numpy))
    return found


def constant(value: int | float | bool, dtype: DType) -> Values:
    """A literal as a one-element array; an integer past the width wraps."""
    if dtype.is_int:
        return np.array([wrapped(int(value), dtype)], numpy_type(dtype))
    return np.array([value]).astype(numpy_type(dtype))


def wrapped(value: int, dtype: DType) -> int:
    """An integer of any size in two's complement of the dtype's width."""
    low = value & ((1 << dtype.bits) - 1)
    return low - (1 << dtype.bits) if dtype.kind == "int" and low >> (dtype.bits - 1) else low


# --- binary ----------------------------------------------------------------------------------------------


def _max(a: Values, b: Values) -> Values:
    return np.asarray(np.where(b > a, b, a))


def _min(a: Values, b: Values) -> Values:
    return np.asarray(np.where(b < a, b, a))


def power(a: Values, b: Values) -> Values:
    """Elements raised to powers. NumPy has short cuts for one power of a whole array, as the root for 0.5, which
    give other values for -0.0 and -inf than its scalars have: every element gets a power of its own."""
    base, exponent = np.broadcast_arrays(np.atleast_1d(a), np.atleast_1d(b))
    return np.asarray(np.power(base, exponent.copy())).reshape(np.broadcast_shapes(np.shape(a), np.shape(b)))


def _power(a: Values, b: Values) -> Values:
    if a.dtype.kind != "i":
        return power(a, b)
    result = np.power(a, np.maximum(b, b.dtype.type(0)))
    return np.asarray(np.where(b < 0, a.dtype.type(0), result))


BINARY: dict[str, Function] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.true_divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "**": _power,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "min": _min,
    "max": _max,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "fmin": np.fmin,
    "fmax": np.fmax,
    "and": np.logical_and,
    "or": np.logical_or,
}
"""Every `Binary.op` and `ReduceOp`."""

COMPARE: dict[str, Function] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}

UNARY: dict[str, Function] = {
    "-": np.negative,
    "~": np.invert,
    "not": np.logical_not,
    "abs": np.absolute,
}


def binary(op: str, a: Values, b: Values) -> Values:
    """`a op b` element by element; KeyError on an operation the nest does not have."""
    return np.asarray(BINARY[op](a, b))


def folds(op: str, table: Values) -> Values:
    """What each row of a table comes to, `a op b` from left to right, at each of its places."""
    if op in ("min", "max"):
        return _extremes(op, table)
    ufunc: Any = BINARY[op]
    return np.asarray(ufunc.accumulate(table, axis=1, dtype=table.dtype))


def _extremes(op: str, table: Values) -> Values:
    """The same for Python's min and max: of what is equal the first stays, and so does a NaN at the very left; all
    others are skipped."""
    wide = table.astype(np.float64) if table.dtype.itemsize < 4 else table
    nothing = np.isnan(wide) if wide.dtype.kind == "f" else np.zeros(table.shape, np.bool_)
    better = np.greater if op == "max" else np.less
    best = (np.fmax if op == "max" else np.fmin).accumulate(wide, axis=1, dtype=wide.dtype)
    new = np.zeros(table.shape, np.bool_)
    new[:, 1:] = better(wide[:, 1:], best[:, :-1])
    new[:, 1:] &= ~nothing[:, :1]
    at = np.maximum.accumulate(np.where(new, np.arange(table.shape[1]), 0), axis=1)
    return np.take_along_axis(table, at, axis=1)


# --- casts -----------------------------------------------------------------------------------------------


def cast(a: Values, old: DType, new: DType) -> Values:
    """The values in another dtype."""
    if old is new:
        return a
    if new.kind == "bool":
        return np.asarray(np.not_equal(a, numpy_type(old).type(0)))
    if old.is_float and new.is_int:
        return _float_to_int(a, new)
    return a.astype(numpy_type(new))


def _float_to_int(a: Values, new: DType) -> Values:
    """Truncated; NaN is 0, what lies outside saturates to i64 (u32 for u32) and then wraps."""
    wide = np.trunc(a.astype(np.float64))
    wide = np.where(np.isnan(wide), 0.0, wide)
    if new is U32:
        return np.clip(wide, 0.0, 2.0**32 - 1).astype(np.uint32)
    inside = np.clip(wide, -(2.0**63), 2.0**63 - 1024).astype(np.int64)
    whole = np.where(wide >= 2.0**63, np.int64(2**63 - 1), inside)
    return whole.astype(numpy_type(new))


# --- functions -------------------------------------------------------------------------------------------


def _each(f: Callable[[float], float]) -> Function:
    """A function of Python's `math`, applied to each element in f64."""

    def over(a: Values) -> Values:
        return np.array([f(x) for x in a.astype(np.float64).ravel().tolist()], np.float64).reshape(a.shape)

    return over


def _rsqrt(a: Values) -> Values:
    return np.asarray(1 / np.sqrt(a))


CALLS: dict[str, Function] = {
    "sqrt": np.sqrt,
    "rsqrt": _rsqrt,
    "cbrt": np.cbrt,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "erf": _each(math.erf),
    "erfc": _each(math.erfc),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "pow": power,
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "fmod": np.fmod,
    "copysign": np.copysign,
}
"""Every name of `nest.ir.FUNCTIONS`."""

TESTS = frozenset({"isnan", "isinf", "isfinite"})
"""The functions that give bool."""


def call(name: str, args: list[Values], dtype: DType) -> Values:
    """A float function, evaluated in f64 and rounded once to its dtype; KeyError on an unknown name."""
    result = np.asarray(CALLS[name](*(a.astype(np.float64) for a in args)))
    return result if name in TESTS else result.astype(numpy_type(dtype))


# --- updates ---------------------------------------------------------------------------------------------

_IN_PLACE: dict[str, Any] = {
    op: BINARY[op] for op in ("+", "*", "minimum", "maximum", "fmin", "fmax", "&", "|", "^", "and", "or")
}


def update(memory: Values, offset: Values, op: str, value: Values) -> None:
    """`memory[o] = memory[o] op v` for each pair in order, repeated offsets included."""
    if op in _IN_PLACE:
        _IN_PLACE[op].at(memory, offset, value)
        return
    for chosen in rounds(offset):
        at = offset[chosen]
        memory[at] = binary(op, memory[at], value[chosen])


def rounds(offset: Values) -> list[npt.NDArray[np.int64]]:
    """Positions in groups without repeated offsets: the k-th group holds each offset's k-th occurrence."""
    order = np.argsort(offset, kind="stable")
    ranked = offset[order]
    first = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
    lengths = np.diff(np.concatenate((first, [len(ranked)])))
    turn = np.arange(len(ranked)) - np.repeat(first, lengths)
    return [order[turn == k] for k in range(int(np.max(turn)) + 1)] if len(ranked) else []
