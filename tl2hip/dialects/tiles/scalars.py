"""The types of single numbers, as far as they can be told without the nest."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tl2hip.dialects.article.numbers import of_file
from tl2hip.dialects.article.types import dtype_of_word
from tl2hip.dialects.tiles import types
from tl2hip.dialects.tiles.values import Typed
from tl2hip.dtypes import BOOL, F64, I64
from tl2hip.source import nodes
from tl2hip.source.names import dims_bound
from tl2hip.source.problems.base import Refused
from tl2hip.source.walk import target_names

UNKNOWN = Typed(None)
WHOLE = Typed(I64, weak=True)
REAL = Typed(F64, weak=True)
TRUTH = Typed(BOOL, weak=True)

_WHOLE_CALLS = frozenset(("builtins.int", "builtins.len", "math.floor", "math.ceil", "math.trunc", "math.isqrt"))
_EXTREMES = ("builtins.min", "builtins.max", "builtins.abs")


def scalar_type(
    e: nodes.Expr, names: Mapping[str, Typed], means: Callable[[nodes.Expr], str | None], module: nodes.Module
) -> Typed:
    """The type of an expression without tiles; `names` are the types of locals, parameters and tensors."""

    def of(one: nodes.Expr) -> Typed:
        return scalar_type(one, names, means, module)

    match e:
        case nodes.Number(value=value):
            return REAL if isinstance(value, float) else WHOLE
        case nodes.Bool():
            return TRUTH
        case nodes.Name(id=name) if name in names:
            return names[name]
        case nodes.Name() | nodes.Attribute():
            return _named(e, means, module)
        case nodes.Subscript(value=nodes.Attribute(name="shape")):
            return WHOLE
        case nodes.Subscript(value=base):
            return of(base)
        case nodes.Unary(op=op, value=value):
            return TRUTH if op == "not" else of(value)
        case nodes.Binary(op=op, left=left, right=right):
            return types.operated(op, of(left), of(right)) or UNKNOWN
        case nodes.Compare():
            return TRUTH
        case nodes.IfExp(then=then, orelse=orelse):
            return types.operated("+", of(then), of(orelse)) or UNKNOWN
        case nodes.Call(func=func, args=args):
            return _called(means(func) or "", tuple(map(of, args)))
        case _:
            return UNKNOWN


def _named(
    e: nodes.Name | nodes.Attribute, means: Callable[[nodes.Expr], str | None], module: nodes.Module
) -> Typed:
    origin = means(e)
    if origin in ("math.inf", "math.nan", "math.pi", "math.e", "numpy.inf", "numpy.nan", "numpy.pi", "numpy.e"):
        return REAL
    if origin is None or not origin.startswith("."):
        return UNKNOWN
    try:
        return REAL if of_file(e, module).real else WHOLE
    except Refused:
        return WHOLE if _is_dim(e, module) else UNKNOWN


def _is_dim(e: nodes.Expr, module: nodes.Module) -> bool:
    """Whether a name is one of `M, N = dims("M N")`."""
    names = (name for target, _ in dims_bound(module) for name in target_names(target))
    return isinstance(e, nodes.Name) and e.id in names


def _called(origin: str, parts: tuple[Typed, ...]) -> Typed:
    if origin in _WHOLE_CALLS:
        return WHOLE
    if origin == "builtins.float" or origin.startswith("math."):
        return REAL
    if origin in _EXTREMES and parts:
        found: Typed | None = parts[0]
        for part in parts[1:]:
            found = found and types.operated("+", found, part)
        return found or UNKNOWN
    module, _, name = origin.rpartition(".")
    dtype = dtype_of_word(origin)
    if dtype is not None:
        return Typed(dtype)
    if module == "numpy" and types.ARITY.get(name) == len(parts):
        return types.called(name, parts) or UNKNOWN
    return UNKNOWN
