"""Numba's decorators, which leave the function's meaning as it is, and the signatures in them."""

from __future__ import annotations

from collections.abc import Mapping

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


def signature(function: nodes.Function, module: nodes.Module) -> Mapping[str, nodes.Expr]:
    """The types by parameter of `@njit("void(float32[:,:], float32[:])")`; empty where there are none."""
    for d in function.decorators:
        if isinstance(d, nodes.Call) and compiles(d, module) and d.args:
            return _types(d.args[0], function, module)
    return {}


def _types(e: nodes.Expr, function: nodes.Function, module: nodes.Module) -> Mapping[str, nodes.Expr]:
    if isinstance(e, nodes.List_) and len(e.items) == 1:
        e = e.items[0]
    if isinstance(e, nodes.Text):
        e = expression(e.value, module, e.at)
    if isinstance(e, nodes.Call):
        return by_parameter(e.args, (), function, e.at)
    if isinstance(e, nodes.Tuple_):
        return by_parameter(e.items, (), function, e.at)
    way = "give one signature, such as `void(float32[:, :], float32[:])`"
    raise Refused(ForeignType(function.name, "Numba's signatures are several, or not written out", way, at=e.at))
