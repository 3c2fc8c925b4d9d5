"""Calls: casts, functions of numbers, reductions, new arrays, methods of arrays."""

from __future__ import annotations

from collections.abc import Callable

from tl2hip.dtypes import BOOL, F64, I64, DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.arguments import Arguments
from tl2hip.nest.build.broadcast import lift, operand
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.creation import arange, create
from tl2hip.nest.build.expand import materialise
from tl2hip.nest.build.functions import FUNCTIONS, Function
from tl2hip.nest.build.generators import python_reduction, reduces
from tl2hip.nest.build.helpers import call_helper, function_named
from tl2hip.nest.build.names import dtype_named, means
from tl2hip.nest.build.operands import value
from tl2hip.nest.build.products import dot, matmul
from tl2hip.nest.build.reductions import KINDS, reduce
from tl2hip.nest.build.slices import transposed
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value
from tl2hip.source import nodes
from tl2hip.source.names import dotted
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

_REDUCTIONS = {**{name: name for name in KINDS}, "amax": "max", "amin": "min", "product": "prod"}
_CREATIONS = ("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like")


def call(ctx: Context, e: nodes.Call) -> Result:
    """The value of a call."""
    naming, ctx.naming = ctx.naming, ""
    name = means(ctx, e.func)
    if name is None:
        if isinstance(e.func, nodes.Attribute):
            return _method(ctx, e, e.func)
        raise Refused(problems.UnknownFunction(dotted(e.func) or "this expression", at=e.at))
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
    if name in FUNCTIONS:
        return _function(ctx, e, name, FUNCTIONS[name])
    cast_to = dtype_named(ctx, e.func)
    if cast_to is not None:
        return _cast(ctx, e, cast_to)
    module, _, last = name.rpartition(".")
    if module == "numpy":
        return _numpy(ctx, e, last, naming)
    if name in _OTHERS:
        return _OTHERS[name](ctx, e)
    raise Refused(problems.UnknownFunction(dotted(e.func) or name, at=e.at))


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
        return ScalarValue(found.expr)
    return found


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


def cast_value(ctx: Context, v: Value, dtype: DType, at: Span) -> Value:
    """A cast that the user wrote, of a number or of each element; the result is strong."""
    return lift(ctx, (v,), lambda x: ScalarValue(fold.cast(x[0].expr, dtype, explicit=True)), at)


def _numpy(ctx: Context, e: nodes.Call, name: str, naming: str) -> Value:
    if name in _CREATIONS:
        return create(ctx, name, e, naming)
    if name == "arange":
        return arange(ctx, e)
    if name in _REDUCTIONS:
        given = Arguments(ctx, f"np.{name}", e, ("a", "axis", "dtype", "keepdims"), ("a",))
        return _reduced(ctx, _REDUCTIONS[name], value(ctx, given.node("a")), given, e.at)
    if name in ("dot", "matmul", "inner"):
        given = Arguments(ctx, f"np.{name}", e, ("a", "b"), ("a", "b"))
        a, b = value(ctx, given.node("a")), value(ctx, given.node("b"))
        return matmul(ctx, a, b, e.at) if name == "matmul" else dot(ctx, a, b, e.at)
    if name == "transpose":
        given = Arguments(ctx, "np.transpose", e, ("a",), ("a",))
        return _transposed(value(ctx, given.node("a")), e.at)
    if name in ("copy", "array", "asarray", "ascontiguousarray"):
        given = Arguments(ctx, f"np.{name}", e, ("a", "dtype"), ("a",))
        return _copied(ctx, value(ctx, given.node("a")), given.dtype("dtype"), naming, e.at)
    raise Refused(problems.UnknownFunction(f"np.{name}", at=e.at))


def _reduced(ctx: Context, kind: str, v: Value, given: Arguments, at: Span) -> Value:
    found = operand(v)
    if isinstance(found, ScalarValue):
        raise Refused(problems.NeedsArray(f"`{kind}`", at=at))
    axes = given.axes("axis", len(found.shape))
    return reduce(ctx, kind, found, axes, given.flag("keepdims"), at, given.dtype("dtype"))


def _transposed(v: Value, at: Span) -> Value:
    if isinstance(v, ScalarValue):
        raise Refused(problems.NeedsArray("a transpose", at=at))
    return transposed(v, tuple(reversed(range(len(v.shape)))))


def _copied(ctx: Context, v: Value, dtype: DType | None, naming: str, at: Span) -> Value:
    found = operand(v)
    if isinstance(found, ScalarValue):
        raise Refused(problems.NeedsArray("a copy", at=at))
    return materialise(ctx, found, naming or "copy", at, dtype, claimed=bool(naming))


def _method(ctx: Context, e: nodes.Call, func: nodes.Attribute) -> Value:
    base = value(ctx, func.value)
    if func.name in _REDUCTIONS and func.name not in ("amax", "amin", "product"):
        given = Arguments(ctx, f".{func.name}", e, ("axis", "dtype", "keepdims"), ())
        return _reduced(ctx, func.name, base, given, e.at)
    if func.name == "astype":
        given = Arguments(ctx, ".astype", e, ("dtype",), ("dtype",))
        dtype = given.dtype("dtype")
        if dtype is None:
            raise Refused(problems.WrongArguments(".astype", "needs a dtype", at=e.at))
        return cast_value(ctx, base, dtype, e.at)
    if func.name == "dot":
        given = Arguments(ctx, ".dot", e, ("b",), ("b",))
        return dot(ctx, base, value(ctx, given.node("b")), e.at)
    if func.name == "copy":
        Arguments(ctx, ".copy", e, (), ())
        return _copied(ctx, base, None, "", e.at)
    if func.name == "transpose" and not e.args:
        return _transposed(base, e.at)
    if func.name == "item" and isinstance(operand(base), ScalarValue) and not e.args:
        found = operand(base)
        assert isinstance(found, ScalarValue)
        return ScalarValue(_python_number(found.expr), weak=True)
    raise Refused(problems.UnknownFunction(f".{func.name}", at=e.at))


def _python_number(e: ir.Expr) -> ir.Expr:
    if e.dtype is BOOL:
        return e
    return fold.cast(e, F64 if e.dtype.is_float else I64, explicit=True)


def _len(ctx: Context, e: nodes.Call) -> Value:
    if len(e.args) != 1 or e.keywords:
        raise Refused(problems.WrongArguments("len", "takes one array", at=e.at))
    found = ctx.evaluate(ctx, e.args[0])
    if isinstance(found, tuple):
        return ScalarValue(fold.number(len(found)), weak=True)
    if isinstance(found, ScalarValue) or not found.shape:
        raise Refused(problems.NeedsArray("`len`", at=e.at))
    return ScalarValue(found.shape[0], weak=True)


_OTHERS: dict[str, Callable[[Context, nodes.Call], Result]] = {"builtins.len": _len}
