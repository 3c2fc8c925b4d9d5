"""Numba's decorators, which leave the function's meaning as it is, and the signatures in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tl2hip.source import nodes
from tl2hip.source.bindings import JITS
from tl2hip.source.names import origin
from tl2hip.source.problems.base import Refused
from tl2hip.source.problems.types import ForeignType
from tl2hip.source.signature_text import by_parameter, expression


def compiles(decorator: nodes.Expr, module: nodes.Module) -> bool:
    """Whether a decorator is one of Numba's that compile a function as it stands."""
    called = decorator.func if isinstance(decorator, nodes.Call) else decorator
    return origin(called, module) in JITS


@dataclass(frozen=True, slots=True)
class Signature:
    """The types by parameter, and that of the result where it is told."""

    parameters: Mapping[str, nodes.Expr]
    result: nodes.Expr | None = None


def signature(function: nodes.Function, module: nodes.Module) -> Signature:
    """What `@njit("void(float32[:,:], float32[:])")` says; nothing where there is no signature."""
    for d in function.decorators:
        if isinstance(d, nodes.Call) and compiles(d, module) and d.args:
            return _signature(d.args[0], function, module)
    return Signature({})


def is_void(e: nodes.Expr, module: nodes.Module) -> bool:
    """Whether a type is Numba's word for no result."""
    return origin(e, module) in ("numba.void", "numba.types.void") or e == nodes.Name("void")


def _signature(e: nodes.Expr, function: nodes.Function, module: nodes.Module) -> Signature:
    if isinstance(e, nodes.List_) and len(e.items) == 1:
        e = e.items[0]
    if isinstance(e, nodes.Text):
        e = expression(e.value, module, e.at)
    if isinstance(e, nodes.Call):
        return Signature(by_parameter(e.args, (), function, e.at), e.func)
    if isinstance(e, nodes.Tuple_):
        return Signature(by_parameter(e.items, (), function, e.at))
    way = "give one signature, such as `void(float32[:, :], float32[:])`"
    raise Refused(ForeignType(function.name, "Numba's signatures are several, or not written out", way, at=e.at))
