"""Small integers of which a factor is computed: bits of what is in memory, which become floats two at a time."""

from __future__ import annotations

from dataclasses import replace

from tl2hip.dtypes import F16, F32, I8, I16, I32, U8, U32, DType
from tl2hip.nest.index import value_of
from tl2hip.nest.ir import Binary, Cast, Const, Expr, Load
from tl2hip.nest.walk import parts
from tl2hip.plan.matrix_ir import Bits

INTEGERS = (I8, U8, I16, I32, U32)
"""What i64 is made of says where things are, and does not wait in registers."""

EXACT = 2048
"""Up to here f16 has every integer, and f32 all the more."""


def small(e: Expr) -> Bits | None:
    """An integer of an element of memory as bits of one of its bytes, small enough for f16; None where it is none,
    or not for all elements. The same for a float that is one.

    >>> byte = Cast(Load("B", (), U8, True), I32)
    >>> nibble = Binary("&", Binary(">>", byte, Const(4, I32)), Const(15, I32))
    >>> small(Cast(Binary("-", nibble, Const(8, I32)), F16)) == Bits(Load("B", (), U8, True), 4, 4, 0, -8)
    True
    >>> small(Binary("&", byte, Const(5, I32))) is None
    True
    """
    found = _integral(e)
    if found is None or found.shift % 8 + found.bits > 8 or not _inside(found, -EXACT, EXACT):
        return None
    return found if found.left >= -EXACT else None


def _integral(e: Expr) -> Bits | None:
    """A float that is a small integer, else an integer."""
    if e.dtype not in (F16, F32):
        return _integer(e)
    if isinstance(e, Cast):
        found = _integral(e.value)
        return found if found is not None and _inside(found, -EXACT, EXACT) else None
    if isinstance(e, Binary) and e.op in ("+", "-") and isinstance(e.right, Const):
        left, by = _integral(e.left), float(e.right.value)
        if left is None or not by.is_integer():
            return None
        moved = replace(left, add=left.add + (int(by) if e.op == "+" else -int(by)))
        return moved if _inside(moved, -EXACT, EXACT) else None
    return None


def _integer(e: Expr) -> Bits | None:
    if e.dtype not in INTEGERS:
        return None
    if isinstance(e, Load):
        least = e.dtype.limits[0]  # of a sign bit, which counts the other way
        return Bits(e, 0, e.dtype.bits, -least, least)
    if isinstance(e, Cast):
        inner = _integer(e.value)
        return inner if inner is not None and _fits(inner, e.dtype) else None
    if not isinstance(e, Binary):
        return None
    left, by = _integer(e.left), _constant(e.right)
    made = None if left is None or by is None else _changed(e.op, left, by)
    return made if made is not None and _fits(made, e.dtype) else None


def _changed(op: str, b: Bits, by: int) -> Bits | None:
    """Bits after an operation with a constant."""
    plain, top = not b.flip and not b.add, 1 << b.bits - 1
    signed = b.flip == top and b.add == -top
    match op:
        case "+":
            return replace(b, add=b.add + by)
        case "-":
            return replace(b, add=b.add - by)
        case ">>" if (plain or signed) and 0 <= by < b.bits:
            less = top >> by if signed else 0
            return Bits(b.load, b.shift + by, b.bits - by, less, -less)
        case "&" if (plain or signed) and by > 0 and by & (by + 1) == 0 and by.bit_length() <= b.bits:
            return Bits(b.load, b.shift, by.bit_length(), 0, 0)
        case "^" if plain and 0 <= by < 1 << b.bits:
            return replace(b, flip=by)
        case _:
            return None


def _constant(e: Expr) -> int | None:
    """The value of an integer constant, cast perhaps."""
    if isinstance(e, Cast) and e.dtype in INTEGERS:
        value, (least, most) = _constant(e.value), e.dtype.limits
        return value if value is not None and least <= value <= most else None
    return value_of(e)


def _fits(b: Bits, dtype: DType) -> bool:
    """Whether an integer dtype has all values."""
    return dtype in INTEGERS and _inside(b, *dtype.limits)


def _inside(b: Bits, least: int, most: int) -> bool:
    return least <= b.add and b.add + (1 << b.bits) - 1 <= most


def candidates(e: Expr) -> tuple[Expr, ...]:
    """The parts of a factor that may be small integers as floats, outermost first in each place."""
    if e.dtype in (F16, F32) and isinstance(e, Cast | Binary) and _from_integer(e):
        return (e,)
    return tuple(dict.fromkeys(x for p in parts(e) if not isinstance(e, Load) for x in candidates(p)))


def _from_integer(e: Expr) -> bool:
    """Whether it is a float that is cast from an integer, plus a constant perhaps."""
    if isinstance(e, Cast):
        return e.value.dtype in INTEGERS or _from_integer(e.value)
    return isinstance(e, Binary) and e.op in ("+", "-") and isinstance(e.right, Const) and _from_integer(e.left)
