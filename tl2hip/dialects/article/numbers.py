"""Sizes and other Python numbers of an article kernel: parameters filled in, worked out where they are known."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace

from tl2hip.dialects.article.names import ours
from tl2hip.dialects.article.tiles import Number
from tl2hip.source import nodes
from tl2hip.source.names import file_values, origin
from tl2hip.source.problems.article import NotInArticle
from tl2hip.source.problems.base import Refused
from tl2hip.source.problems.types import NotANumber, UndefinedName
from tl2hip.source.span import Span

_BINARY: dict[str, Callable[[int | float, int | float], int | float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
}
_PYTHON: dict[str, Callable[..., object]] = {"int": int, "float": float, "abs": abs, "min": min, "max": max}
_WHOLE = ("floor", "ceil", "trunc", "isqrt", "gcd")
"""The functions of `math` that give an int."""


def literal(value: int | float, at: Span) -> Number:
    """A known number."""
    return Number(nodes.Number(value, at=at), value, isinstance(value, float))


def unknown(name: str, at: Span) -> Number:
    """A size that stays open until run time."""
    return Number(nodes.Name(name, at=at), None, real=False)


def binary(op: str, left: Number, right: Number, at: Span) -> Number:
    """`left op right`, worked out where both are known and Python has a value."""
    if op not in _BINARY:
        raise Refused(NotInArticle(f"`{op}` on numbers", at=at))
    value = None if left.value is None or right.value is None else _worked(op, left.value, right.value)
    if value is not None:
        return literal(value, at)
    real = op == "/" or left.real or right.real
    return Number(nodes.Binary(op, left.expr, right.expr, at=at), None, real)


def _worked(op: str, left: int | float, right: int | float) -> int | float | None:
    if op == "**" and isinstance(left, int) and isinstance(right, int) and (right < 0 or right > 64):
        return None
    try:
        value = _BINARY[op](left, right)
    except (ArithmeticError, ValueError):
        return None
    return value if isinstance(value, (int, float)) else None


def negative(value: Number, at: Span) -> Number:
    if value.value is not None:
        return literal(-value.value, at)
    return Number(nodes.Unary("-", value.expr, at=at), None, value.real)


def function(name: str, values: tuple[Number, ...], call: nodes.Call) -> Number:
    """A function of `math`, or int() or float(), of numbers."""
    module, _, last = name.rpartition(".")
    known = tuple(v.value for v in values)
    plain: Callable[..., object] | None = None
    real = False
    if module == "math":
        plain, real = getattr(math, last, None), last not in _WHOLE
    elif name in ("builtins.int", "builtins.float", "builtins.abs", "builtins.min", "builtins.max"):
        plain = _PYTHON[last]
        real = last == "float" or (last != "int" and any(v.real for v in values))
    if plain is None or call.keywords:
        raise Refused(NotInArticle("this call", at=call.at))
    if all(v is not None for v in known):
        try:
            found = plain(*known)
        except (ArithmeticError, ValueError, TypeError):
            found = None
        if isinstance(found, (int, float)):
            return literal(found, call.at)
    made = nodes.Call(ours(module, last, call.func.at), tuple(v.expr for v in values), at=call.at)
    return Number(made, None, real)


def of_file(e: nodes.Expr, module: nodes.Module, seen: tuple[str, ...] = ()) -> Number:
    """The number that a name or an expression at file level is. Raises Refused where it is none."""
    match e:
        case nodes.Number(value=value):
            return literal(value, e.at)
        case nodes.Bool(value=value):
            return literal(int(value), e.at)
        case nodes.Unary(op="-", value=inner):
            return negative(of_file(inner, module, seen), e.at)
        case nodes.Binary(op=op, left=left, right=right):
            return binary(op, of_file(left, module, seen), of_file(right, module, seen), e.at)
        case nodes.Attribute() if (origin(e, module) or "").startswith("math."):
            constant = getattr(math, e.name, None)
            if isinstance(constant, float):
                return Number(ours("math", e.name, e.at), constant, real=True)
        case nodes.Name(id=name) if name not in seen:
            return _named(e, module, (*seen, name))
        case _:
            pass
    raise Refused(NotInArticle("this expression", at=e.at))


def _named(e: nodes.Name, module: nodes.Module, seen: tuple[str, ...]) -> Number:
    bound = file_values(module)
    if e.id not in bound:
        raise Refused(UndefinedName(e.id, at=e.at))
    value = bound[e.id]
    if value is None or e.id in module.unsettled:
        raise Refused(NotANumber(e.id, at=e.at))
    try:
        found = of_file(value, module, seen)
    except Refused as refused:
        raise Refused(NotANumber(e.id, at=e.at)) from refused
    return Number(replace(found.expr, at=e.at), found.value, found.real)
