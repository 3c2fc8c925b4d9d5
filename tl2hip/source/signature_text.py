"""Types of parameters written as text: `x=f32[N], y=f32[M, N]`, or in the order of the parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tl2hip.source import nodes
from tl2hip.source.problems.base import Problem, Refused
from tl2hip.source.problems.types import BadTypes
from tl2hip.source.span import Span


def read_types(text: str, function: nodes.Function, module: nodes.Module) -> Mapping[str, nodes.Expr]:
    """The types by parameter. Raises Refused where the text is not understood."""
    call = expression(f"f({text})", module, function.at)
    if not isinstance(call, nodes.Call):
        raise Refused(BadTypes(function.name, f"`{text}` is no list of types", at=function.at))
    return by_parameter(call.args, call.keywords, function, function.at)


def by_parameter(
    args: Sequence[nodes.Expr], keywords: Sequence[nodes.Keyword], function: nodes.Function, at: Span
) -> Mapping[str, nodes.Expr]:
    """Types by parameter, the first ones in the order of the parameters. Raises Refused where they do not fit."""
    names = [p.name for p in function.parameters]
    if len(args) > len(names):
        reason = f"there are {len(args)} types for {len(names)} parameters"
        raise Refused(BadTypes(function.name, reason, at=at))
    found = dict(zip(names, args, strict=False))
    for k in keywords:
        if k.name not in names or k.name in found:
            raise Refused(BadTypes(function.name, f"there is no parameter {k.name} left to type", at=at))
        found[k.name] = k.value
    return found


def expression(text: str, module: nodes.Module, at: Span) -> nodes.Expr:
    """The expression in a text, all of it placed at one place of the file. Raises Refused where it is none."""
    from tl2hip.source.lower_expressions import Expressions
    from tl2hip.source.quoted import parse_quoted, reason_against

    reason = reason_against(text)
    if reason is not None:
        raise Refused(BadTypes(text, f"it is no expression: {reason}", at=at))
    tree, places = parse_quoted(text, at, None)
    problems: list[Problem] = []
    found = Expressions(module.source, places, module.origins, (), problems).expression(tree)
    if problems:
        raise Refused(problems[0])
    return found
