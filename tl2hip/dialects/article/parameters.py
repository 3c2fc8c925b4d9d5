"""The values of an article kernel's parameters: what is set, else what the file's calls and defaults say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tl2hip.source import nodes
from tl2hip.source.names import origin
from tl2hip.source.problems.article import BadDeclaration, NotInArticle
from tl2hip.source.problems.base import Problem, Refused, Report
from tl2hip.source.problems.types import UnknownSetting
from tl2hip.source.recursion import walk

OPTIONS = ("unroll", "prefetch")
"""The keyword arguments of CompileKernel that are no parameters of the kernel."""


@dataclass(frozen=True, slots=True)
class Given:
    """What each parameter is given, as an expression of the file. Parameters that are open are missing.

    `inside` is what CompileKernel calls inside the function change; `compiled` are all CompileKernel calls.
    """

    values: Mapping[str, nodes.Expr]
    inside: Mapping[str, nodes.Expr]
    compiled: tuple[nodes.Call, ...]


def given(
    function: nodes.Function,
    module: nodes.Module,
    report: Report,
    sets: Mapping[str, int],
    dims: frozenset[str],
) -> Given:
    """The parameters' values. `sets` goes first, then the constant calls in the file where all of them agree,
    then the options of CompileKernel at file level, then defaults. What fits nothing is reported."""
    names = [p.name for p in function.parameters]
    for p in function.parameters:
        _check(p, module, report)
    for name in sets:
        if name not in names and name not in dims:
            known = ", ".join((*names, *sorted(dims))) or "none"
            report.add(UnknownSetting(function.name, name, known, at=function.at))
    compiled = tuple(_compiled(function, module))
    within = tuple(_calls(function, module, function.name))
    values = {p.name: p.default for p in function.parameters if p.default is not None}
    for call in compiled:
        values |= {k.name: k.value for k in call.keywords if k.name in names}
    calls = [c for c in module.calls if isinstance(c.func, nodes.Name) and c.func.id == function.name]
    values |= _agreed([_bound(function, call, values) for call in calls], names)
    places = {p.name: p.at for p in function.parameters}
    values |= {name: nodes.Number(value, at=places[name]) for name, value in sets.items() if name in names}
    for name in _disagreed([_bound(function, call, values) for call in calls], names) - sets.keys():
        values.pop(name, None)
    sizes = {k.name: k.value for c in within for k in c.keywords if k.name in names and k.name not in sets}
    return Given(values, sizes, (*compiled, *within))


def _check(p: nodes.Parameter, module: nodes.Module, report: Report) -> None:
    plain = p.annotation is None or origin(p.annotation, module) in (
        *("builtins.int", "builtins.float", "builtins.str", "builtins.bool"),
        *("typing.Any", "builtins.object"),
    )
    if not plain:
        assert p.annotation is not None
        way = "tensors are declared with tl.InputTensor inside; sizes and numbers are `int` and `float`"
        report.add(NotInArticle("this annotation", way, at=p.annotation.at))


def _compiled(function: nodes.Function, module: nodes.Module) -> Iterator[nodes.Call]:
    """The calls `CompileKernel(f, …)` of this function in the file's assignments."""
    for assignment in module.assignments:
        if assignment.value is not None:
            yield from _calls(assignment.value, module, function.name)


def _calls(node: nodes.Node, module: nodes.Module, name: str) -> Iterator[nodes.Call]:
    """The calls `CompileKernel(name, …)` in a node."""
    for one in walk(node):
        if isinstance(one, nodes.Call) and origin(one.func, module) == "tl2hip.CompileKernel":
            first = one.args[0] if one.args else None
            if isinstance(first, nodes.Name) and first.id == name:
                yield one


def _bound(function: nodes.Function, call: nodes.Call, defaults: Mapping[str, nodes.Expr]) -> dict[str, nodes.Expr]:
    """What one call gives each parameter; the defaults where it says nothing."""
    positional = [p.name for p in function.parameters if not p.keyword_only]
    found = dict(defaults) | dict(zip(positional, call.args, strict=False))
    return found | {k.name: k.value for k in call.keywords}


def _agreed(calls: list[dict[str, nodes.Expr]], names: list[str]) -> dict[str, nodes.Expr]:
    """The values that every call gives alike."""
    if not calls:
        return {}
    first = calls[0]
    return {n: first[n] for n in names if n in first and all(c.get(n) == first[n] for c in calls)}


def _disagreed(calls: list[dict[str, nodes.Expr]], names: list[str]) -> set[str]:
    return {n for n in names if any(c.get(n) != calls[0].get(n) for c in calls)}


def options(
    calls: tuple[nodes.Call, ...], function: nodes.Function
) -> Iterator[tuple[str, nodes.Expr, nodes.Keyword]]:
    """The options `unroll` and `prefetch` of CompileKernel calls. Raises Refused for what it does not take."""
    names = {p.name for p in function.parameters}
    for call in calls:
        if len(call.args) != 1:
            raise Refused(_misused(call, "CompileKernel takes the kernel's function and keyword arguments"))
        for k in call.keywords:
            if k.name in OPTIONS and k.name not in names:
                if not isinstance(k.value, nodes.Nothing):
                    yield k.name, k.value, k
            elif k.name not in names:
                reason = f"CompileKernel: {function.name} has no parameter {k.name}"
                raise Refused(BadDeclaration(reason, "its options are unroll=… and prefetch=…", at=k.at))


def _misused(call: nodes.Call, reason: str) -> Problem:
    return BadDeclaration(reason, "write `tl.CompileKernel(f)`", at=call.at)
