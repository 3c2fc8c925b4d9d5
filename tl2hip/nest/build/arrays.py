"""NumPy's functions and methods of whole arrays, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tl2hip.dtypes import BOOL, F64, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.arguments import Arguments
from tl2hip.nest.build.broadcast import operand
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.creation import CREATIONS, arange, create, linspace
from tl2hip.nest.build.einsum import einsum
from tl2hip.nest.build.expand import materialise
from tl2hip.nest.build.norms import norm
from tl2hip.nest.build.operands import array, value, with_axes
from tl2hip.nest.build.operators import cast_value
from tl2hip.nest.build.products import dot, inner, matmul, outer
from tl2hip.nest.build.reductions import KINDS, reduce
from tl2hip.nest.build.rounding import divided, rounded_to
from tl2hip.nest.build.running import running
from tl2hip.nest.build.shapes import contiguous, permuted, raveled, reshaped, swapped
from tl2hip.nest.build.undecided import check_numpys
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value
from tl2hip.nest.build.winners import winner
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused

_ALIASES = {"amax": "max", "amin": "min", "product": "prod", "around": "round"}
_NO_METHODS = (*_ALIASES, "outer", "divmod", "matmul", "inner", "array", "asarray", "ascontiguousarray")


@dataclass(frozen=True, slots=True)
class Use:
    """A call of a function of arrays: `np.name(array, …)`, or `array.name(…)` with that array as `base`."""

    ctx: Context
    call: nodes.Call
    name: str
    base: Value | None
    naming: str = ""

    @property
    def shown(self) -> str:
        return f"np.{self.name}" if self.base is None else f".{self.name}"

    def given(self, *parameters: str, needed: int = 0) -> tuple[Value, Arguments]:
        """The array, and the arguments after it, of which the first `needed` must be there."""
        if self.base is not None:
            return self.base, Arguments(self.ctx, self.shown, self.call, parameters, parameters[:needed])
        order = ("a", *parameters)
        arguments = Arguments(self.ctx, self.shown, self.call, order, order[: needed + 1])
        return value(self.ctx, arguments.node("a")), arguments

    def extents(self) -> tuple[Value, tuple[nodes.Expr, ...]]:
        """The array, and what follows it: numbers one by one, or one tuple of them."""
        if self.call.keywords:
            raise Refused(_keyword(self.shown, self.call.keywords[0]))
        if self.base is not None:
            return self.base, self.call.args
        if not self.call.args:
            raise Refused(problems.WrongArguments(self.shown, "needs an array", at=self.call.at))
        return value(self.ctx, self.call.args[0]), self.call.args[1:]


def _keyword(name: str, k: nodes.Keyword) -> problems.WrongArguments:
    return problems.WrongArguments(name, f"has no conversion for {k.name}= here", at=k.at)


def numpy_function(ctx: Context, e: nodes.Call, name: str, naming: str) -> Result | None:
    """`np.name(…)`; None where there is no conversion."""
    if name in CREATIONS:
        return create(ctx, name, e, naming)
    if name in _MADE:
        return _MADE[name](ctx, e)
    found = _FUNCTIONS.get(_ALIASES.get(name, name))
    return None if found is None else found(Use(ctx, e, _ALIASES.get(name, name), None, naming))


def method(ctx: Context, e: nodes.Call, func: nodes.Attribute) -> Result | None:
    """`array.name(…)`; None where there is no conversion."""
    found = (_FUNCTIONS | _METHODS).get(func.name)
    if found is None or func.name in _NO_METHODS:
        return None
    base = value(ctx, func.value)
    if isinstance(base, ScalarValue) and base.weak:
        return None  # Python's own numbers have no method of an array
    check_numpys(base, e.at)
    return found(Use(ctx, e, func.name, base))


_PARAMETERS = {
    **dict.fromkeys(("max", "min", "any", "all"), ("axis", "out", "keepdims")),
    **dict.fromkeys(("sum", "prod", "mean"), ("axis", "dtype", "out", "keepdims")),
    **dict.fromkeys(("var", "std"), ("axis", "dtype", "out", "ddof", "keepdims")),
}
"""What NumPy's reductions take after the array, in its order."""


def _reduced(use: Use) -> Value:
    base, given = use.given(*_PARAMETERS[use.name])
    given.without("out", "ddof")
    found = array(base, f"`{use.name}`", use.call.at)
    axes = given.axes("axis", len(found.shape))
    return reduce(use.ctx, use.name, found, axes, given.flag("keepdims"), use.call.at, given.dtype("dtype"))


def _winner(use: Use) -> Value:
    base, given = use.given("axis", "out", "keepdims")
    given.without("out")
    found = array(base, f"`{use.name}`", use.call.at)
    axis = given.axis("axis", len(found.shape))
    return winner(use.ctx, use.name, found, axis, given.flag("keepdims"), use.call.at)


def _running(use: Use) -> Value:
    base, given = use.given("axis", "dtype", "out")
    given.without("out")
    found = array(base, f"`{use.name}`", use.call.at)
    axis = given.axis("axis", len(found.shape))
    return running(use.ctx, use.name, found, axis, given.dtype("dtype"), use.call.at)


def _product(use: Use) -> Value:
    base, given = use.given("b", needed=1)
    other = value(use.ctx, given.node("b"))
    return {"matmul": matmul, "dot": dot, "inner": inner, "outer": outer}[use.name](
        use.ctx, base, other, use.call.at
    )


def _norm(use: Use) -> Value:
    base, given = use.given("ord", "axis", "keepdims")
    found = array(base, f"`{use.shown}`", use.call.at)
    axes = None if given.optional("axis") is None else given.axes("axis", len(found.shape))
    return norm(use.ctx, found, given.optional("ord"), axes, given.flag("keepdims"), use.call.at)


def _transpose(use: Use) -> Value:
    base, order = use.extents()
    return permuted(use.ctx, with_axes(base, "a transpose", use.call.at), use.shown, order, use.call.at)


def _swapaxes(use: Use) -> Value:
    base, axes = use.extents()
    return swapped(use.ctx, with_axes(base, "`swapaxes`", use.call.at), use.shown, axes, use.call.at)


def _reshape(use: Use) -> Value:
    base, extents = use.extents()
    return reshaped(use.ctx, with_axes(base, "`reshape`", use.call.at), use.shown, extents, use.call.at)


def _ravel(use: Use) -> Value:
    base, _ = use.given()
    return raveled(use.ctx, with_axes(base, "`ravel`", use.call.at), use.call.at)


def _flatten(use: Use) -> Value:
    found = operand(_ravel(use))
    assert isinstance(found, ArrayValue)
    return materialise(use.ctx, found, "copy", use.call.at)


def _copied(use: Use) -> Value:
    base, given = use.given(*(("dtype",) if use.name == "array" else ()))
    dtype = given.dtype("dtype") if use.name == "array" else None
    found = array(base, "a copy", use.call.at)
    return materialise(use.ctx, found, use.naming or "copy", use.call.at, dtype, claimed=bool(use.naming))


def _as_array(use: Use) -> Value:
    """`np.asarray(x)` is x itself where it has the dtype already."""
    base, given = use.given("dtype")
    found, dtype = with_axes(base, "`np.asarray`", use.call.at), given.dtype("dtype")
    return found if dtype in (None, found.dtype) else cast_value(use.ctx, found, dtype, use.call.at)


def _contiguous(use: Use) -> Value:
    """`np.ascontiguousarray(x)` is x itself where it is a whole array."""
    base, _ = use.given()
    return contiguous(use.ctx, with_axes(base, "`np.ascontiguousarray`", use.call.at))


def _round(use: Use) -> Value:
    base, given = use.given("decimals")
    decimals = given.optional("decimals")
    return rounded_to(use.ctx, use.shown, base, decimals, use.call.at)


def _divmod(use: Use) -> Result:
    base, given = use.given("b", needed=1)
    return divided(use.ctx, base, value(use.ctx, given.node("b")), use.call.at)


def _astype(use: Use) -> Value:
    base, given = use.given("dtype", needed=1)
    dtype = given.dtype("dtype")
    if dtype is None:
        raise Refused(problems.WrongArguments(".astype", "needs a dtype", at=use.call.at))
    return cast_value(use.ctx, base, dtype, use.call.at)


def _item(use: Use) -> Value:
    base, _ = use.given()
    found = operand(base)
    if isinstance(found, ArrayValue):
        way = "index the element: `x[0]`"
        raise Refused(problems.WrongArguments(".item", "takes one number here", way, at=use.call.at))
    return ScalarValue(_python_number(found.expr), weak=True)


def _python_number(e: ir.Expr) -> ir.Expr:
    if e.dtype is BOOL:
        return e
    return fold.cast(e, F64 if e.dtype.is_float else I64, explicit=True)


_MADE: dict[str, Callable[[Context, nodes.Call], Result]] = {
    "arange": arange,
    "linspace": linspace,
    "einsum": einsum,
}
"""Functions of NumPy whose first argument is no array."""

_FUNCTIONS: dict[str, Callable[[Use], Result]] = {
    **dict.fromkeys(KINDS, _reduced),
    "argmax": _winner,
    "argmin": _winner,
    "cumsum": _running,
    "cumprod": _running,
    "dot": _product,
    "inner": _product,
    "matmul": _product,
    "outer": _product,
    "linalg.norm": _norm,
    "transpose": _transpose,
    "swapaxes": _swapaxes,
    "reshape": _reshape,
    "ravel": _ravel,
    "round": _round,
    "divmod": _divmod,
    "copy": _copied,
    "array": _copied,
    "asarray": _as_array,
    "ascontiguousarray": _contiguous,
}
"""Functions of an array, most of them methods too."""

_METHODS: dict[str, Callable[[Use], Result]] = {"astype": _astype, "flatten": _flatten, "item": _item}
"""Methods of an array that are no functions of NumPy."""
