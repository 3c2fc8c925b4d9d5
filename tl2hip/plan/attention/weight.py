"""What a weight of attention is: a power of how far a score is from the maximum, which may be rounded."""

from __future__ import annotations

from dataclasses import replace

from tl2hip.dtypes import BF16, F16, F32, DType
from tl2hip.nest.ir import Binary, Cast, Const, Expr, Load
from tl2hip.nest.walk import map_expr
from tl2hip.plan.softmax_ir import LOG2_E
from tl2hip.plan.unfit import Unfit
from tl2hip.rule.terms import above_zero

FACTORS = (F16, BF16)
"""The dtypes of queries, keys and values."""


def plain(e: Expr) -> Expr:
    """An expression without what is known of its loads."""
    return map_expr(lambda x: replace(x, proven=False) if isinstance(x, Load) else x, e)


def power_of(name: str, exponent: Expr, less: Expr) -> Expr:
    """What a difference of scores is scaled by to make a power of it one of 2; the factor of it is above 0."""
    base = LOG2_E if name == "exp" else Const(1.0, F32)
    if exponent == less:
        return base
    if isinstance(exponent, Binary) and exponent.op in ("*", "/"):
        factors = [exponent.right] if exponent.left == less else []
        factors += [exponent.left] if exponent.right == less and exponent.op == "*" else []
        if factors and not above_zero(factors[0]):
            why = "score - maximum is scaled by what is not known to be above 0"
            raise Unfit(why, "scale the scores themselves, ahead of their maximum")
        if factors:
            whole = exponent.op == "*" and name == "exp2"
            return factors[0] if whole else Binary(exponent.op, base, factors[0])
    raise Unfit("the third loop over keys is no sum of exp(score - maximum)")


def narrowed(e: Expr, weigh: Expr) -> DType:
    """What a weight is rounded to before it is widened to f32 again; f32 for none."""
    if e == weigh:
        return F32
    match e:
        case Cast(value=Cast(value=inner, dtype=narrow), dtype=wide) if wide is F32 and narrow in FACTORS:
            if inner == weigh:
                return narrow
    raise Unfit("a weight is neither exp(score - maximum) nor that rounded to f16 or bf16")
