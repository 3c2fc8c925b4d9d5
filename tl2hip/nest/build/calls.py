"""Calls: casts, functions of numbers, reductions, new arrays, methods of arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tl2hip.dtypes import F64, DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.arrays import method, numpy_function
from tl2hip.nest.build.broadcast import lift, operand
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.functions import FUNCTIONS, Function
from tl2hip.nest.build.generators import python_reduction, reduces
from tl2hip.nest.build.helpers import call_helper, function_named
from tl2hip.nest.build.names import dtype_named, means
from tl2hip.nest.build.operands import value
from tl2hip.nest.build.operators import cast_value
from tl2hip.nest.build.rounding import python_divmod, python_round
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value
from tl2hip.source import nodes
from tl2hip.source.names import dotted
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span


def call(ctx: Context, e: nodes.Call) -> Result:
    """The value of a call."""
    naming, ctx.naming = ctx.naming, ""
    name = means(ctx, e.func)
    if name is None:
        return _method(ctx, e)
    own = function_named(ctx, name)
    if own is not None:
        found = call_helper(ctx, e, own)
        if found is None:
            raise Refused(
                problems.WrongArguments(own.name, "returns nothing", "call it on a line of its own", at=e.at)
            )
        return found
    if name.startswith("builtins.") and reduces(name.removeprefix("builtins."), e):
        return python_reduction(ctx, name.removeprefix("builtins."), e)
    if name == "builtins.float" and not e.keywords and len(e.args) == 1 and isinstance(e.args[0], nodes.Text):
        return _float_of(e.args[0])
    if name in FUNCTIONS:
        return _function(ctx, e, name, FUNCTIONS[name])
    if name in _OTHERS:
        return _OTHERS[name](ctx, e)
    cast_to = dtype_named(ctx, e.func)
    if cast_to is not None:
        return _cast(ctx, e, cast_to)
    if name.startswith("numpy."):
        of_arrays = numpy_function(ctx, e, name.removeprefix("numpy."), naming)
        if of_arrays is not None:
            return of_arrays
    raise Refused(problems.UnknownFunction(dotted(e.func) or name, at=e.at))


def _method(ctx: Context, e: nodes.Call) -> Result:
    found = method(ctx, e, e.func) if isinstance(e.func, nodes.Attribute) else None
    if found is not None:
        return found
    shown = f".{e.func.name}" if isinstance(e.func, nodes.Attribute) else dotted(e.func) or "this expression"
    raise Refused(problems.UnknownFunction(shown, at=e.at))


def _function(ctx: Context, e: nodes.Call, name: str, f: Function) -> Value:
    short = name.removeprefix("builtins.")
    if e.keywords or len(e.args) < f.arity or (len(e.args) > f.arity and not f.more):
        count = f"{f.arity} or more values" if f.more else f"{f.arity} value{'s' if f.arity > 1 else ''}"
        raise Refused(problems.WrongArguments(short, f"takes {count} here", at=e.at))
    values = [value(ctx, a) for a in e.args]
    if not name.startswith("numpy.") and name != "builtins.abs":
        values = [_one(v, short, a.at) for v, a in zip(values, e.args, strict=True)]
    found = lift(ctx, values, lambda v: f.apply(ctx, v, e.at), e.at)
    if isinstance(found, ScalarValue) and name.startswith("numpy."):
        return replace(found, weak=False)
    return found


def _float_of(text: nodes.Text) -> ScalarValue:
    """`float("inf")` and any other number in a text, as Python reads it."""
    try:
        return ScalarValue(ir.Const(float(text.value), F64), weak=True)
    except ValueError:
        way = "write the number itself, or `math.inf`"
        raise Refused(problems.WrongArguments("float", "of a text that is no number", way, at=text.at)) from None


def _one(v: Value, name: str, at: Span) -> ScalarValue:
    found = operand(v)
    if isinstance(found, ArrayValue):
        way = f"use np.{name.rpartition('.')[2]} for arrays"
        raise Refused(problems.WrongArguments(name, "takes numbers, and this is an array", way, at=at))
    return found


def _cast(ctx: Context, e: nodes.Call, dtype: DType) -> Value:
    if e.keywords or len(e.args) > 1:
        raise Refused(problems.WrongArguments(dtype.name, "takes one value", at=e.at))
    if not e.args:
        return ScalarValue(fold.cast(fold.number(0), dtype))
    return cast_value(ctx, value(ctx, e.args[0]), dtype, e.at)


def _len(ctx: Context, e: nodes.Call) -> Value:
    if len(e.args) != 1 or e.keywords:
        raise Refused(problems.WrongArguments("len", "takes one array", at=e.at))
    found = ctx.evaluate(ctx, e.args[0])
    if isinstance(found, tuple):
        return ScalarValue(fold.number(len(found)), weak=True)
    if isinstance(found, ScalarValue) or not found.shape:
        raise Refused(problems.NeedsArray("`len`", at=e.at))
    return ScalarValue(found.shape[0], weak=True)


_OTHERS: dict[str, Callable[[Context, nodes.Call], Result]] = {
    "builtins.len": _len,
    "builtins.round": python_round,
    "builtins.divmod": python_divmod,
}
