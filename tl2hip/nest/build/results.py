"""`return`: arrays made inside become results, numbers one-element results."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.broadcast import operand
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.expand import allocate, materialise
from tl2hip.nest.build.values import ArrayValue, ScalarValue, View
from tl2hip.nest.walk import all_parts
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused


@dataclass(slots=True)
class Results:
    """The returned arrays in order, those of them that Python returns as a number, and of these Python's own."""

    names: list[str] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)
    weak: list[str] = field(default_factory=list)


def give_back(ctx: Context, s: nodes.Return) -> Results:
    """The results of the one `return`, at the end of the function."""
    results = Results()
    if s.value is None or isinstance(s.value, nodes.Nothing):
        return results
    found = ctx.evaluate(ctx, s.value)
    for item in found if isinstance(found, tuple) else (found,):
        _result(ctx, item, results, s)
    return results


def _result(ctx: Context, item: Result, results: Results, s: nodes.Return) -> None:
    if isinstance(item, tuple):
        raise Refused(problems.BadReturn("a nested tuple is returned", "return one flat tuple", at=s.at))
    if isinstance(item, View) and item.shape:
        name = _whole_local(ctx, item, results)
        if name is None:
            name = _copy(ctx, item, s)
    else:
        found = operand(item)
        name = _copy(ctx, found, s) if isinstance(found, ArrayValue) else _number(ctx, found, s)
        if isinstance(found, ScalarValue):
            results.scalars.append(name)
            results.weak += [name] if found.weak else []
    _check_shape(ctx, name, s)
    ctx.state.arrays[name] = replace(ctx.state.arrays[name], role="result")
    results.names.append(name)


def _whole_local(ctx: Context, view: View, results: Results) -> str | None:
    """The local array that a view is all of; a parameter is not returned."""
    array = ctx.state.arrays[view.array]
    outermost = any(isinstance(x, ir.Alloc) and x.array == array.name for x in ctx.out)
    if all(view.whole) and array.role == "local" and outermost and array.name not in results.names:
        probe = tuple(ir.AxisRef(f"?{k}") for k in range(len(view.shape)))
        return array.name if view.index(probe) == probe else None
    return None


def _copy(ctx: Context, value: View | ArrayValue, s: nodes.Return) -> str:
    if isinstance(value, View) and ctx.state.arrays[value.array].role == "parameter" and all(value.whole):
        way = "the caller has it already: drop the return, or return a copy with np.copy"
        raise Refused(problems.BadReturn(f"`{value.array}` is a parameter", way, at=s.at))
    found = operand(value)
    assert isinstance(found, ArrayValue)
    return materialise(ctx, found, "result", s.at).array


def _number(ctx: Context, value: ScalarValue, s: nodes.Return) -> str:
    view = allocate(ctx, "result", (fold.number(1),), value.dtype)
    ctx.emit(ir.Store(view.array, (fold.number(0),), value.expr, at=s.at))
    return view.array


def _check_shape(ctx: Context, name: str, s: nodes.Return) -> None:
    """The caller has to know a result's extents before the kernel runs."""
    for e in ctx.state.arrays[name].shape:
        if any(isinstance(p, ir.Var | ir.Load | ir.AxisRef) for p in all_parts(e)):
            way = "make its extents of dims, constants and scalar parameters"
            raise Refused(problems.BadReturn("the extents of what is returned depend on data", way, at=s.at))
