"""Operators on constant Python integers, worked out as Python does: whatever does not fit i64 is refused."""

from __future__ import annotations

import operator
from collections.abc import Callable

from tl2hip.dtypes import I64
from tl2hip.nest import ir
from tl2hip.nest.build.constants import fits, wrapped
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.values import ScalarValue
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    ">>": operator.rshift,
    "<<": operator.lshift,
    "**": operator.pow,
}

_HALF = 1 << 62

_FAR = 64
"""A shift by more bits than this, or a higher power, leaves i64 and is not worked out: it may have any length."""


def worked_out(op: str, left: ScalarValue, right: ScalarValue, at: Span) -> ScalarValue | None:
    """`left op right` of two constant Python integers; None where they are none, or where Python gives no integer.
    Raises Refused where i64 does not hold the result."""
    a, b = constant(left), constant(right)
    if a is None or b is None or op not in _OPERATORS:
        return None
    if (b == 0 and op in ("//", "%")) or (b < 0 and op in ("<<", ">>", "**")):
        return None
    if b > _FAR and ((op == "<<" and a != 0) or (op == "**" and abs(a) > 1)):
        raise Refused(_too_large(f"{a} {op} {b}", pow(a, b, 1 << 64) if op == "**" else 0, at))
    return held(_OPERATORS[op](a, b), at)


def check_sum(ctx: Context, op: str, left: ScalarValue, right: ScalarValue, at: Span) -> None:
    """Refuses a sum or difference of Python integers with a constant so far out that i64 need not hold it.

    Sizes and indices do not come near half of what i64 holds, so that nearer constants are safe.
    """
    a, b = constant(left), constant(right)
    number, other = (b, left) if a is None else (a, right)
    if number is None or op not in ("+", "-") or abs(number) <= _HALF or not (left.weak and right.weak):
        return
    subtracted = op == "-"
    start, taken_off = (-number if subtracted and a is None else number), subtracted and a is not None
    if (start > 0) != taken_off or not ctx.never_negative(other.expr):
        way = f"keep away from the ends of i64, or wrap on purpose, with `i64({number})`"
        raise Refused(problems.LiteralOutOfRange(f"a sum with {number}", "i64", way, at=at))


def held(value: int, at: Span) -> ScalarValue:
    """A Python integer as an i64. Raises Refused where it does not fit."""
    if not fits(value, I64):
        raise Refused(_too_large(str(value), value, at))
    return ScalarValue(ir.Const(value, I64), weak=True)


def constant(value: ScalarValue) -> int | None:
    """The value of a constant Python integer; None of anything else."""
    e = value.expr
    return e.value if value.weak and isinstance(e, ir.Const) and type(e.value) is int else None


def _too_large(what: str, value: int, at: Span) -> problems.LiteralOutOfRange:
    way = f"to wrap on purpose, write the i64 of the same 64 bits: `{wrapped(value, I64)}`"
    return problems.LiteralOutOfRange(what, "i64", way, at=at)
