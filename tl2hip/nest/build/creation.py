"""Arrays made inside a kernel: np.zeros, np.empty and their kin."""

from __future__ import annotations

import math

from tl2hip.dtypes import F64, I64, DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.arguments import Arguments
from tl2hip.nest.build.broadcast import Shape, operand
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.expand import allocate, fill
from tl2hip.nest.build.operands import integer, number, shape_of, value
from tl2hip.nest.build.types import described, in_type
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value, View
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

CONTENTS: dict[str, int | None] = {"zeros": 0, "ones": 1, "empty": None}

_LEAST = 2.0**-900
"""The least distance of the ends of a linspace: its steps are numbers that f64 holds in full."""

CREATIONS = tuple(name + like for name in ("zeros", "ones", "empty", "full") for like in ("", "_like"))
"""NumPy's functions that make an array of a shape."""


def create(ctx: Context, name: str, call: nodes.Call, naming: str) -> View:
    """A new local array by `np.zeros(shape, dtype)`, `np.full(shape, value, dtype)` or a `…_like(array)`.

    `naming` is the user's name for it, if any.
    """
    plain = name.removesuffix("_like")
    first = "a" if name.endswith("_like") else "shape"
    order = (first, "fill_value", "dtype") if plain == "full" else (first, "dtype")
    given = Arguments(ctx, f"np.{name}", call, order, (first, "fill_value") if plain == "full" else (first,))
    shape, dtype = _shape(ctx, name, given, call.at)
    content = _content(ctx, plain, given)
    wanted = given.dtype("dtype") or dtype or (content.dtype if content else F64)
    if content is not None:
        if content.instead and given.dtype("dtype") is None and dtype is None:
            both = described(content.instead[0]), described(content)
            ctx.tell(problems.TwoTypes("`np.full`", *both, "give it a dtype", at=call.at))
        in_type(content, wanted, call.at)
    view = allocate(ctx, naming or "array", shape, wanted, claimed=bool(naming))
    if content is not None:
        fill(ctx, view, content, call.at)
    return view


def _shape(ctx: Context, name: str, given: Arguments, at: Span) -> tuple[Shape, DType | None]:
    if not name.endswith("_like"):
        dtype = None if name == "full" else F64
        return shape_of(ctx, given.node("shape")), dtype
    like = operand(value(ctx, given.node("a")))
    if isinstance(like, ScalarValue):
        raise Refused(problems.NeedsArray(f"`np.{name}`", at=at))
    return like.shape, like.dtype


def _content(ctx: Context, plain: str, given: Arguments) -> ScalarValue | None:
    if plain == "full":
        return number(ctx, given.node("fill_value"), "np.full")
    content = CONTENTS[plain]
    return None if content is None else ScalarValue(ir.Const(content, I64), weak=True)


def arange(ctx: Context, call: nodes.Call) -> Value:
    """`np.arange(stop)`, `np.arange(start, stop, step)` of integers, step a constant."""
    if not 1 <= len(call.args) <= 3 or any(k.name != "dtype" for k in call.keywords):
        raise Refused(problems.WrongArguments("np.arange", "takes one to three integers", at=call.at))
    bounds = [integer(ctx, a, "an argument of np.arange") for a in call.args]
    start, stop = (fold.number(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    step = fold.value_of(bounds[2]) if len(bounds) == 3 else 1
    if not step:
        way = "write `start + np.arange(n) * step`"
        raise Refused(
            problems.BadStep("the step of np.arange must be a constant other than 0", way, at=call.args[-1].at)
        )
    count = fold.subtract(stop, start) if step > 0 else fold.subtract(start, stop)
    size = abs(step)
    if size > 1:
        count = fold.binary("//", fold.add(count, fold.number(size - 1)), fold.number(size))
    if not isinstance(count, ir.Dim):
        count = fold.binary("max", count, fold.number(0))
    given = Arguments(ctx, "np.arange", nodes.Call(call.func, (), call.keywords, at=call.at), ("dtype",), ())
    dtype = given.dtype("dtype") or I64
    times = fold.number(step)

    def element(ix: Shape) -> ir.Expr:
        return fold.cast(fold.add(start, fold.multiply(times, ix[0])), dtype)

    return ArrayValue((count,), dtype, element, frozenset())


def linspace(ctx: Context, call: nodes.Call) -> Value:
    """`np.linspace(start, stop, num)` between constants, in f64 as NumPy computes it; the last one is `stop`."""
    given = Arguments(ctx, "np.linspace", call, ("start", "stop", "num"), ("start", "stop"))
    ends = [number(ctx, given.node(name), "an end of np.linspace") for name in ("start", "stop")]
    first, last = (float(v.expr.value) if isinstance(v.expr, ir.Const) else math.nan for v in ends)
    if not all(v.weak for v in ends) or not (first == last or _LEAST <= abs(last - first) < math.inf):
        way = "write it out: `start + np.arange(num) * step`, with `step = (stop - start) / (num - 1)`"
        reason = "converts between two constants, and these are not"
        raise Refused(problems.WrongArguments("np.linspace", reason, way, at=call.at))
    wanted = given.optional("num")
    count = fold.number(50) if wanted is None else integer(ctx, wanted, "the number of elements")
    gaps = fold.binary("max", fold.subtract(count, fold.number(1)), fold.number(1))
    step = fold.binary("/", ir.Const(last - first, F64), fold.cast(gaps, F64))

    def element(ix: Shape) -> ir.Expr:
        at_step = fold.binary("+", fold.binary("*", fold.cast(ix[0], F64), step), ir.Const(first, F64))
        is_last = fold.compare("==", ix[0], fold.subtract(count, fold.number(1)))
        is_one_of_more = fold.compare("<", fold.number(0), ix[0])
        return fold.select(fold.logic("and", is_one_of_more, is_last), ir.Const(last, F64), at_step)

    length = count if isinstance(count, ir.Dim | ir.Const) else fold.binary("max", count, fold.number(0))
    return ArrayValue((length,), F64, element, frozenset())
