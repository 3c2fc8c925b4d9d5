"""Integer expressions over the elements of a block: what all elements share, and what each has of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

from tl2hip.dtypes import I32, I64
from tl2hip.nest.index import ZERO, add, floor_div, modulo, mul, number, sub, value_of
from tl2hip.nest.ir import AxisRef, Binary, Cast, Expr, Var
from tl2hip.nest.walk import all_parts, map_expr

UNBOUNDED = 2**62
"""Stands for the greatest offset where none is known."""


@dataclass(frozen=True, slots=True)
class Spread:
    """`base + offset`: all elements share the base, a multiple of `multiple` (0: it is 0); each has an offset of
    its own, `most` at most. Where `most` is known, offsets are 0 or more."""

    base: Expr
    offset: Expr = ZERO
    multiple: int = 1
    most: int = 0


Known = Mapping[Expr, Spread]
"""What is known of the parts (an AxisRef, a Var) of which expressions are made."""


def spread(e: Expr, known: Known) -> Spread | None:
    """How an i64 expression spreads over the elements; None where nothing exact can be said.

    >>> k, first, own = AxisRef("k"), AxisRef("first"), AxisRef("own")
    >>> found = spread(Binary("//", k, number(2)), {k: Spread(first, own, 8, 7)})
    >>> found == Spread(Binary("//", first, number(2)), Binary("//", own, number(2)), 4, 3)
    True
    >>> spread(Binary("//", k, number(128)), {k: Spread(first, own, 8, 7)}) == Spread(
    ...     Binary("//", first, number(128)))
    True
    """
    names = [p for p in all_parts(e) if p in known]
    if not names:
        value = value_of(e)
        return Spread(e, multiple=1 if value is None else abs(value))
    found = _found(e, known)
    if found is None and all(known[p].offset == ZERO for p in names):
        return Spread(map_expr(lambda x: known[x].base if x in known else x, e))
    if found is None and all(known[p].base == ZERO for p in names):
        return Spread(ZERO, map_expr(lambda x: known[x].offset if x in known else x, e), 0, UNBOUNDED)
    return found


def _found(e: Expr, known: Known) -> Spread | None:
    if isinstance(e, AxisRef | Var):
        return known[e]
    if isinstance(e, Cast) and e.dtype in (I32, I64) and e.value.dtype in (I32, I64):
        inner = spread(e.value, known)
        small = inner is not None and inner.base == ZERO and inner.most < 2**31
        return inner if e.dtype is I64 or small else None
    if not isinstance(e, Binary):
        return None
    a, b = spread(e.left, known), spread(e.right, known)
    if a is None or b is None:
        return None
    count = value_of(e.right) if e.op in ("//", "%", ">>", "&") else None
    match e.op:
        case "+":
            multiple = gcd(a.multiple, b.multiple)
            return Spread(add(a.base, b.base), add(a.offset, b.offset), multiple, a.most + b.most)
        case "-" if b.most == 0 and b.offset == ZERO:
            return Spread(sub(a.base, b.base), a.offset, gcd(a.multiple, b.multiple), a.most)
        case "*":
            return _times(a, b)
        case "//" if count is not None and count > 0:
            return _divided(a, count)
        case ">>" if count is not None and 0 <= count < 31:
            return _divided(a, 1 << count)
        case "%" if count is not None and count > 0:
            return _left_over(a, count)
        case "&" if count is not None and count >= 0 and count & (count + 1) == 0:
            return _left_over(a, count + 1)
        case _:
            return None


def _times(a: Spread, b: Spread) -> Spread | None:
    if value_of(a.base) is not None and a.offset == ZERO:
        a, b = b, a
    if b.offset != ZERO:
        return None
    by = value_of(b.base)
    if by is None and a.offset != ZERO:
        return None
    if by is not None and by <= 0:
        return None
    return Spread(mul(a.base, b.base), mul(a.offset, b.base), a.multiple * b.multiple, a.most * (by or 0))


def _divided(a: Spread, by: int) -> Spread | None:
    """`a // by`."""
    if a.multiple % by == 0:
        offset = ZERO if a.most < by else floor_div(a.offset, by)
        return Spread(floor_div(a.base, by), offset, a.multiple // by, a.most // by)
    if gcd(a.multiple, by) > a.most:
        return Spread(floor_div(a.base, by))
    return None


def _left_over(a: Spread, by: int) -> Spread | None:
    """`a % by`."""
    if a.multiple % by == 0:
        return Spread(ZERO, a.offset if a.most < by else modulo(a.offset, by), 0, min(a.most, by - 1))
    if gcd(a.multiple, by) > a.most:
        return Spread(modulo(a.base, by), a.offset, gcd(a.multiple, by), a.most)
    return None


def moved(values: Mapping[Expr, Expr], e: Expr) -> Expr:
    """The expression with parts replaced, folded as index arithmetic is.

    >>> moved({AxisRef("k"): number(6)}, Binary("//", AxisRef("k"), number(4))) == number(1)
    True
    """

    def one(x: Expr) -> Expr:
        if x in values:
            return values[x]
        if not isinstance(x, Binary) or x.dtype is not I64:
            return x
        by = value_of(x.right)
        match x.op:
            case "+":
                return add(x.left, x.right)
            case "-":
                return sub(x.left, x.right)
            case "*":
                return mul(x.left, x.right)
            case "//" if by is not None and by > 0:
                return floor_div(x.left, by)
            case "%" if by is not None and by > 0:
                return modulo(x.left, by)
            case _:
                return x

    return map_expr(one, e)


def by_shifts(e: Expr) -> Expr:
    """The expression with divisions by powers of two as shifts, which are exact for all numbers.

    >>> by_shifts(Binary("//", AxisRef("k"), number(128))) == Binary(">>", AxisRef("k"), number(7))
    True
    """

    def one(x: Expr) -> Expr:
        by = value_of(x.right) if isinstance(x, Binary) and x.op == "//" and x.dtype is I64 else None
        if isinstance(x, Binary) and by is not None and by > 0 and by & (by - 1) == 0:
            return Binary(">>", x.left, number(by.bit_length() - 1))
        return x

    return map_expr(one, e)
