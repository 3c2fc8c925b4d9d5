"""Rounding to a number of decimals, and division with a remainder: round, np.round, divmod."""

from __future__ import annotations

from dataclasses import replace

from tl2hip.dtypes import BF16, BOOL, F64, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold, operators
from tl2hip.nest.build.arguments import Arguments
from tl2hip.nest.build.broadcast import lift
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.functions import rounded
from tl2hip.nest.build.operands import integer, number
from tl2hip.nest.build.types import FP8
from tl2hip.nest.build.values import ScalarValue, Value
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

_MOST = 22
"""Powers of ten up to this one are exact in f64."""


def python_round(ctx: Context, e: nodes.Call) -> Value:
    """`round(x)`: a Python int; `round(x, n)` of a NumPy number: as np.round gives it."""
    given = Arguments(ctx, "round", e, ("number", "ndigits"), ("number",))
    x, digits = number(ctx, given.node("number"), "round"), given.optional("ndigits")
    if x.dtype in FP8:
        raise Refused(problems.NotDefinedFor("round", x.dtype.name, "cast to f32 first", at=e.at))
    if digits is not None:
        if x.weak and x.dtype.is_float:
            way = "write `np.round(x, n)`, whose rounding converts, or cast first: `round(f32(x), n)`"
            raise Refused(
                problems.WrongArguments("round", "of a Python float to decimals has no conversion", way, at=e.at)
            )
        found = rounded_to(ctx, "round", x, digits, e.at)
        assert isinstance(found, ScalarValue)
        return replace(found, weak=x.weak)
    if x.dtype is BOOL and not x.weak:
        way = "NumPy's bools have no __round__: write int(x)"
        raise Refused(problems.NotDefinedFor("round", x.dtype.name, way, at=e.at))
    if not x.dtype.is_float:
        return ScalarValue(fold.cast(x.expr, I64), weak=True)
    return rounded("rint", x.expr, e.at)


def rounded_to(ctx: Context, name: str, value: Value, decimals: nodes.Expr | None, at: Span) -> Value:
    """NumPy's rounding to a constant number of decimals: scaled by a power of ten, rounded to even, scaled back."""
    digits = 0 if decimals is None else fold.value_of(integer(ctx, decimals, "the number of decimals"))
    if digits is None or abs(digits) > _MOST:
        way = f"give a constant from -{_MOST} to {_MOST}"
        raise Refused(problems.WrongArguments(name, "needs a constant number of decimals", way, at=at))
    return lift(ctx, (value,), lambda v: _rounded_to(ctx, name, v[0], digits, at), at)


def _rounded_to(ctx: Context, name: str, x: ScalarValue, digits: int, at: Span) -> ScalarValue:
    if x.dtype in FP8 or x.dtype is BOOL or (x.dtype is BF16 and digits):
        way = "cast to f32 first" if x.dtype.is_float else "cast to an integer dtype first"
        raise Refused(problems.NotDefinedFor(name, x.dtype.name, way, at=at))
    if not x.dtype.is_float:
        if digits < 0:
            way = "write it with `//` and `*`"
            raise Refused(problems.NotDefinedFor(f"{name} to tens", x.dtype.name, way, at=at))
        return ScalarValue(x.expr)
    there, back = ("*", "/") if digits >= 0 else ("/", "*")
    scale = ScalarValue(ir.Const(float(10 ** abs(digits)), F64), weak=True)
    scaled = operators.binary(ctx, there, ScalarValue(x.expr), scale, at) if digits else x
    whole = ScalarValue(operators.float_call("rint", (scaled.expr,), scaled.dtype))
    return ScalarValue(operators.binary(ctx, back, whole, scale, at).expr) if digits else whole


def python_divmod(ctx: Context, e: nodes.Call) -> Result:
    """`divmod(a, b)` is `(a // b, a % b)`."""
    given = Arguments(ctx, "divmod", e, ("a", "b"), ("a", "b"))
    return divided(ctx, number(ctx, given.node("a"), "divmod"), number(ctx, given.node("b"), "divmod"), e.at)


def divided(ctx: Context, a: Value, b: Value, at: Span) -> Result:
    """Quotient and remainder, element by element."""
    return operators.apply(ctx, "//", a, b, at), operators.apply(ctx, "%", a, b, at)
