"""The values of an article kernel's parameters: what is set, else what the file's calls and defaults say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tl2hip.source import nodes
from tl2hip.source.names import origin
from tl2hip.source.problems.article import BadDeclaration, NotInArticle
from tl2hip.source.problems.base import Report
from tl2hip.source.problems.types import UnknownSetting
from tl2hip.source.span import Span
from tl2hip.source.walk import walk

OPTIONS = ("unroll", "prefetch")
"""The keyword arguments of CompileKernel that are no parameters of the kernel."""


@dataclass(frozen=True, slots=True)
class Given:
    """What each parameter is given, as an expression of the file. Parameters that are open are missing.

    `inside` is what CompileKernel calls inside the function change; `options` are those of all such calls.
    """

    values: Mapping[str, nodes.Expr]
    inside: Mapping[str, nodes.Expr]
    options: tuple[nodes.Keyword, ...]


def given(
    function: nodes.Function, module: nodes.Module, report: Report, sets: Mapping[str, object], dims: frozenset[str]
) -> Given:
    """The parameters' values. `sets` goes first, then what CompileKernel calls in the function change, then the
    constant calls in the file where all of them agree, then CompileKernel calls at file level where these agree,
    then defaults. What fits nothing is reported. An option of CompileKernel set to 0 is left out."""
    names = [p.name for p in function.parameters]
    places = {p.name: p.at for p in function.parameters}
    for p in function.parameters:
        _check(p, module, report)
    values = {p.name: p.default for p in function.parameters if p.default is not None}
    outside = tuple(c for c in module.compiled if c.args and c.args[0] == nodes.Name(function.name))
    inside = tuple(_calls(function, module, function.name))
    _take(values, [_keywords(call, names) for call in outside], names)
    calls = [c for c in module.calls if isinstance(c.func, nodes.Name) and c.func.id == function.name]
    _take(values, [_bound(function, call, values) for call in calls], names)
    options = _options((*outside, *inside), function, report)
    for name, value in sets.items():
        made = _node(value, places.get(name, function.at))
        if made is None:
            reason = f"the value of {name} cannot be read: {value!r}"
            report.add(BadDeclaration(reason, "give numbers and texts", at=places.get(name, function.at)))
        elif name in names:
            values[name] = made
        elif name in OPTIONS:
            options = [o for o in options if o.name != name]
            options += [nodes.Keyword(name, made, at=function.at)] if value else []
        elif name not in dims:
            known = ", ".join((*names, *sorted(dims))) or "none"
            report.add(UnknownSetting(function.name, name, known, at=function.at))
    changed = {n: e for call in inside for n, e in _keywords(call, names).items() if n not in sets}
    return Given(values, changed, tuple(options))


def _node(value: object, at: Span) -> nodes.Expr | None:
    """A value that was set as the literal it is."""
    if isinstance(value, bool):
        return nodes.Bool(value, at=at)
    if isinstance(value, (int, float)):
        return nodes.Number(value, at=at)
    return nodes.Text(value, at=at) if isinstance(value, str) else None


def _take(values: dict[str, nodes.Expr], calls: list[dict[str, nodes.Expr]], names: list[str]) -> None:
    """Gives each parameter what the calls give it; one on which they differ is open."""
    for name in names:
        found = [call.get(name, values.get(name)) for call in calls]
        if found and any(one != found[0] for one in found):
            values.pop(name, None)
        elif found and found[0] is not None:
            values[name] = found[0]


def _check(p: nodes.Parameter, module: nodes.Module, report: Report) -> None:
    plain = p.annotation is None or origin(p.annotation, module) in (
        *("builtins.int", "builtins.float", "builtins.str", "builtins.bool"),
        *("typing.Any", "builtins.object"),
    )
    if not plain:
        assert p.annotation is not None
        way = "tensors are declared with tl.InputTensor inside; sizes and numbers are `int` and `float`"
        report.add(NotInArticle("this annotation", way, at=p.annotation.at))


def _calls(node: nodes.Node, module: nodes.Module, name: str) -> Iterator[nodes.Call]:
    """The calls `CompileKernel(name, …)` in a node."""
    for one in walk(node):
        if isinstance(one, nodes.Call) and origin(one.func, module) == "tl2hip.CompileKernel":
            first = one.args[0] if one.args else None
            if isinstance(first, nodes.Name) and first.id == name:
                yield one


def _keywords(call: nodes.Call, names: list[str]) -> dict[str, nodes.Expr]:
    """The parameters that a CompileKernel call gives a value."""
    return {k.name: k.value for k in call.keywords if k.name in names and k.name not in OPTIONS}


def _bound(function: nodes.Function, call: nodes.Call, defaults: Mapping[str, nodes.Expr]) -> dict[str, nodes.Expr]:
    """What one call gives each parameter; the defaults where it says nothing."""
    positional = [p.name for p in function.parameters if not p.keyword_only]
    found = dict(defaults) | dict(zip(positional, call.args, strict=False))
    return found | {k.name: k.value for k in call.keywords}


def _options(calls: tuple[nodes.Call, ...], function: nodes.Function, report: Report) -> list[nodes.Keyword]:
    """The options `unroll` and `prefetch` of CompileKernel calls. What it does not take is reported."""
    names = {p.name for p in function.parameters}
    found: dict[tuple[str, nodes.Expr], nodes.Keyword] = {}
    for call in calls:
        if len(call.args) != 1:
            reason = "CompileKernel takes the kernel's function and keyword arguments"
            report.add(BadDeclaration(reason, "write `tl.CompileKernel(f)`", at=call.at))
        for k in call.keywords:
            if k.name in OPTIONS:
                if not isinstance(k.value, nodes.Nothing):
                    found.setdefault((k.name, k.value), k)
            elif k.name not in names:
                reason = f"CompileKernel: {function.name} has no parameter {k.name}"
                report.add(BadDeclaration(reason, "its options are unroll=… and prefetch=…", at=k.at))
    return list(found.values())
