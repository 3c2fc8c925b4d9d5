"""What an element of a body costs to compute, roughly, which says how many of them a lane should take at a time."""

from __future__ import annotations

from collections.abc import Iterable

from tl2hip.dtypes import F64
from tl2hip.nest.ir import Binary, Call, Cast, Expr, Stmt
from tl2hip.nest.walk import all_exprs, substitute


def work(bodies: Iterable[tuple[Iterable[Stmt], dict[Expr, Expr]]]) -> int:
    """Instructions for one element in all bodies, roughly; what two of them both compute is computed once. With
    each body stands what is the same in another one under another name."""
    seen: dict[Expr, None] = {}
    for body, here in bodies:
        seen.update((substitute(e, here), None) for e in all_exprs(body))
    return 1 + sum(map(_cost, seen))


def _cost(e: Expr) -> int:
    """Instructions of one operation (clang 22 for gfx942, counted)."""
    wide = 2 if e.dtype is F64 else 1
    match e:
        case Call(name="exp" | "exp2" | "sqrt"):
            return 14 * wide
        case Call(name="sin" | "cos" | "tan"):
            return 100 * wide
        case Call():
            return 25 * wide
        case Binary(op="/"):
            return 11 * wide
        case Binary() | Cast():
            return 1
        case _:
            return 0
