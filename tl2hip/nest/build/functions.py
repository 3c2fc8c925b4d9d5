"""Functions of numbers, element by element: Python's own, `math`'s (weak) and NumPy's (strong)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tl2hip.dtypes import BF16, BOOL, F32, F64, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold, operators, whole
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.types import FP8, common, element_type, in_type
from tl2hip.nest.build.values import ScalarValue
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

Scalars = tuple[ScalarValue, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function of `arity` numbers; `more`: or of any larger count."""

    arity: int
    apply: Callable[[Context, Scalars, Span], ScalarValue]
    more: bool = False


_SAME = [
    "sqrt",
    "cbrt",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
]
_INVERSE = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
_PREDICATES = ("isnan", "isinf", "isfinite")
_PAIRS = ("pow", "atan2", "hypot", "fmod", "copysign")


def _not_fp8(name: str, values: Scalars, at: Span) -> None:
    for v in values:
        if v.dtype in FP8:
            raise Refused(problems.NotDefinedFor(name, v.dtype.name, "cast to f32 first", at=at))


# --- math ------------------------------------------------------------------------------------------------


def _math(name: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    """`math.name`: a Python float. Of f32 and narrower values it is computed and held in the context's
    `math` dtype, with a warning where that is f32."""

    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        known = _of_constants(name, values)
        if known is not None:
            return known
        _not_fp8(f"math.{name}", values, at)
        narrow = [v.dtype for v in values if v.dtype.is_float and v.dtype is not F64]
        wide = any(v.dtype is F64 and not isinstance(v.expr, ir.Const) for v in values)
        dtype = ctx.math if narrow and not wide else F64
        if dtype is F32 and any(not v.weak for v in values):
            ctx.tell(problems.HeldInF32(name, narrow[0].name, at=at))
        args = tuple(fold.cast(v.expr, dtype) for v in values)
        return ScalarValue(operators.float_call(name, args, dtype), weak=True)

    return apply


def _of_constants(name: str, values: Scalars) -> ScalarValue | None:
    """Python's own value where every argument is a constant and there is one."""
    numbers = [v.expr.value for v in values if isinstance(v.expr, ir.Const)]
    function = getattr(math, name, None)
    if len(numbers) < len(values) or function is None:
        return None
    try:
        return ScalarValue(ir.Const(float(function(*numbers)), F64), weak=True)
    except (ValueError, OverflowError):
        return None


def _math_integer(name: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    """`math.floor` and its kin: a Python int."""

    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        _not_fp8(f"math.{name}", values, at)
        if not values[0].dtype.is_float:
            return ScalarValue(fold.cast(values[0].expr, I64), weak=True)
        if name == "trunc" and values[0].dtype is not F64:
            way = "NumPy's scalars have no __trunc__: write int(x)"
            raise Refused(problems.NotDefinedFor("math.trunc", values[0].dtype.name, way, at=at))
        return rounded(name, values[0].expr, at)

    return apply


_TO_INTEGER: dict[str, Callable[[float], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "rint": round,
}


def rounded(name: str, e: ir.Expr, at: Span) -> ScalarValue:
    """A float rounded to a Python integer by `floor`, `ceil`, `trunc` or `rint`. Raises Refused for a constant that
    i64 does not hold."""
    if isinstance(e, ir.Const) and math.isfinite(e.value):
        return whole.held(_TO_INTEGER[name](float(e.value)), at)
    if name == "trunc":
        return ScalarValue(fold.cast(e, I64, explicit=True), weak=True)
    return ScalarValue(fold.cast(operators.float_call(name, (e,), e.dtype), I64), weak=True)


def _predicate(name: str, weak: bool) -> Callable[[Context, Scalars, Span], ScalarValue]:
    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        _not_fp8(name, values, at)
        value = values[0]
        if not value.dtype.is_float:
            return ScalarValue(ir.Const(name == "isfinite", BOOL), weak)
        dtype = value.dtype if value.dtype in (F32, F64) else F32
        return ScalarValue(ir.Call(name, (fold.cast(value.expr, dtype),), BOOL), weak)

    return apply


# --- Python's own ----------------------------------------------------------------------------------------


def _cast_to_python(dtype_name: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    dtype = {"int": I64, "float": F64, "bool": BOOL}[dtype_name]

    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        if dtype is I64 and values[0].dtype.is_float:
            return rounded("trunc", values[0].expr, at)
        return ScalarValue(fold.cast(values[0].expr, dtype, explicit=True), weak=True)

    return apply


def _abs(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
    return operators.unary_scalar("abs", values[0], at)


def _extreme(name: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        whole = values[0]
        for v in values[1:]:
            whole = operators.extreme(ctx, name, whole, v, at)
        return whole

    return apply


def _python_pow(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
    return operators.binary(ctx, "**", values[0], values[1], at)


# --- NumPy -----------------------------------------------------------------------------------------------


def _numpy(name: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    """A float function of NumPy: strong, in the dtype of its argument."""

    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        _not_fp8(f"np.{name}", values, at)
        dtype = element_type(values[0].dtype)
        return ScalarValue(operators.float_call(name, (in_type(values[0], dtype, at),), dtype))

    return apply


def _numpy_pair(name: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        dtype = element_type(common(f"np.{name}", values[0], values[1], at).dtype)
        args = tuple(in_type(v, dtype, at) for v in values)
        return ScalarValue(operators.float_call(name, args, dtype))

    return apply


def _numpy_rounding(name: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        _not_fp8(f"np.{name}", values, at)
        value = values[0]
        if not value.dtype.is_float:
            way = "an integer is rounded already: take the call out"
            raise Refused(problems.NotDefinedFor(f"np.{name}", value.dtype.name, way, at=at))
        return ScalarValue(operators.float_call(name, (value.expr,), value.dtype))

    return apply


def _numpy_extreme(name: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    """`np.maximum`, `np.fmax` and their kin."""

    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        dtype = common(f"np.{name}", values[0], values[1], at).dtype
        a, b = (in_type(v, dtype, at) for v in values)
        if dtype is BOOL:
            return ScalarValue(ir.Binary("|" if "max" in name else "&", a, b))
        return ScalarValue(fold.binary(name, a, b))

    return apply


def _operator(op: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        return ScalarValue(operators.binary(ctx, op, values[0], values[1], at, array=True).expr)

    return apply


def _compared(op: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        return ScalarValue(operators.compared(op, values[0], values[1], at).expr)

    return apply


def _unary(op: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        return ScalarValue(operators.unary_scalar(op, values[0], at).expr)

    return apply


def _square(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
    return ScalarValue(operators.binary(ctx, "*", values[0], values[0], at).expr)


def _sign(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
    """-1, 0 or 1; NaN stays NaN. -0.0 becomes 0.0 in NumPy's own types and stays -0.0 in bf16, as in ml_dtypes."""
    _not_fp8("np.sign", values, at)
    e, dtype = values[0].expr, values[0].dtype
    if dtype is BOOL:
        raise Refused(problems.NotDefinedFor("np.sign", "bool", "cast to an integer dtype first", at=at))
    zero = fold.cast(fold.number(0), dtype)
    one = fold.cast(fold.number(1), dtype)
    own = dtype.is_float and dtype is not BF16
    still = fold.select(fold.compare("==", e, zero), zero, e) if own else e
    below = fold.select(fold.compare("<", e, zero), fold.negative(one), still)
    return ScalarValue(fold.select(fold.compare(">", e, zero), one, below))


def _where(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
    test, then, orelse = values
    found = common("np.where", then, orelse, at)
    dtype = F64 if found.dtype is F32 and _bf16_with_float(then, orelse) else found.dtype
    chosen = fold.select(operators.truth(test), in_type(then, dtype, at), in_type(orelse, dtype, at))
    return ScalarValue(chosen)


def _bf16_with_float(a: ScalarValue, b: ScalarValue) -> bool:
    """np.where knows no weak float beside ml_dtypes' types: it gives f64."""
    return "bf16" in (a.dtype.name, b.dtype.name) and a.weak != b.weak


def _clip(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
    """`np.clip(x, low, high)` is `np.minimum(np.maximum(x, low), high)`."""
    low = _numpy_extreme("maximum")(ctx, values[:2], at)
    return _numpy_extreme("minimum")(ctx, (low, values[2]), at)


def _logical(op: str) -> Callable[[Context, Scalars, Span], ScalarValue]:
    def apply(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
        return ScalarValue(fold.logic(op, operators.truth(values[0]), operators.truth(values[1])))

    return apply


def _logical_not(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
    return ScalarValue(fold.negated(operators.truth(values[0])))


def _reciprocal(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
    if not values[0].dtype.is_float:
        raise Refused(problems.NotDefinedFor("np.reciprocal", values[0].dtype.name, "write `1 / x`", at=at))
    one = ScalarValue(ir.Const(1, I64), weak=True)
    return ScalarValue(operators.binary(ctx, "/", one, values[0], at).expr)


_OPERATORS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "true_divide": "/",
    "floor_divide": "//",
    "remainder": "%",
    "mod": "%",
    "power": "**",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "left_shift": "<<",
    "right_shift": ">>",
}
_COMPARISONS = {
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
}


def _table() -> dict[str, Function]:
    table = {
        "builtins.int": Function(1, _cast_to_python("int")),
        "builtins.float": Function(1, _cast_to_python("float")),
        "builtins.bool": Function(1, _cast_to_python("bool")),
        "builtins.abs": Function(1, _abs),
        "builtins.min": Function(2, _extreme("min"), more=True),
        "builtins.max": Function(2, _extreme("max"), more=True),
        "builtins.pow": Function(2, _python_pow),
        "math.fabs": Function(1, lambda ctx, v, at: _fabs(v, at)),
        "numpy.where": Function(3, _where),
        "numpy.clip": Function(3, _clip),
        "numpy.square": Function(1, _square),
        "numpy.sign": Function(1, _sign),
        "numpy.reciprocal": Function(1, _reciprocal),
        "numpy.logical_and": Function(2, _logical("and")),
        "numpy.logical_or": Function(2, _logical("or")),
        "numpy.logical_not": Function(1, _logical_not),
        "numpy.arctan2": Function(2, _numpy_pair("atan2")),
        "numpy.atan2": Function(2, _numpy_pair("atan2")),
        "numpy.hypot": Function(2, _numpy_pair("hypot")),
        "numpy.copysign": Function(2, _numpy_pair("copysign")),
        "numpy.fmod": Function(2, _numpy_fmod),
    }
    for name in (*_SAME, *_INVERSE, "erf", "erfc"):
        table[f"math.{name}"] = Function(1, _math(name))
    for name in _SAME:
        table[f"numpy.{name}"] = Function(1, _numpy(name))
    for name, spelled in _INVERSE.items():
        table[f"numpy.{spelled}"] = table[f"numpy.{name}"] = Function(1, _numpy(name))
    for name in _PAIRS:
        table[f"math.{name}"] = Function(2, _math(name))
    for name in ("floor", "ceil", "trunc"):
        table[f"math.{name}"] = Function(1, _math_integer(name))
    for name in ("floor", "ceil", "trunc", "rint"):
        table[f"numpy.{name}"] = Function(1, _numpy_rounding(name))
    for name in _PREDICATES:
        table[f"math.{name}"] = Function(1, _predicate(name, weak=True))
        table[f"numpy.{name}"] = Function(1, _predicate(name, weak=False))
    for name in ("maximum", "minimum", "fmax", "fmin"):
        table[f"numpy.{name}"] = Function(2, _numpy_extreme(name))
    for name, op in _OPERATORS.items():
        table[f"numpy.{name}"] = Function(2, _operator(op))
    for name, op in _COMPARISONS.items():
        table[f"numpy.{name}"] = Function(2, _compared(op))
    for name, op in {"negative": "-", "positive": "+", "invert": "~", "abs": "abs", "absolute": "abs"}.items():
        table[f"numpy.{name}"] = Function(1, _unary(op))
    return table


def _fabs(values: Scalars, at: Span) -> ScalarValue:
    return operators.unary_scalar("abs", ScalarValue(_as_float(values[0]), weak=True), at)


def _as_float(value: ScalarValue) -> ir.Expr:
    return value.expr if value.dtype.is_float else fold.cast(value.expr, F64)


def _numpy_fmod(ctx: Context, values: Scalars, at: Span) -> ScalarValue:
    if not common("np.fmod", values[0], values[1], at).dtype.is_float:
        raise Refused(problems.NotDefinedFor("np.fmod", "integers", "write it with `//` and `*`", at=at))
    return _numpy_pair("fmod")(ctx, values, at)


FUNCTIONS = _table()
"""Every function of numbers by its dotted origin."""
