"""Functions that call themselves, directly or through others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tl2hip.source.names import local_names
from tl2hip.source.nodes import Call, Function, Name
from tl2hip.source.problems import reading
from tl2hip.source.problems.base import Problem
from tl2hip.source.scan import Used
from tl2hip.source.walk import walk


def find_recursion(functions: tuple[Function, ...], reached: Mapping[str, Used]) -> list[tuple[str, Problem]]:
    """One problem for each call that leads back to the function it stands in, with that function's name.

    Only functions that name one of the functions, as `reached` knows, are walked.
    """
    calls = {
        one.name: [call for call in _calls(one) if _name(call) in reached]
        if any(name in reached for name in reached[one.name].loaded)
        else []
        for one in functions
    }
    found: list[tuple[str, Problem]] = []
    for function in functions:
        for call in calls[function.name]:
            way = _way(_name(call), function.name, calls)
            if way is not None:
                through = f" through {', '.join(way)}" if way else ""
                found.append((function.name, reading.Recursion(function.name, through, at=call.at)))
    return found


def _name(call: Call) -> str:
    return call.func.id if isinstance(call.func, Name) else ""


def _way(start: str, goal: str, calls: dict[str, list[Call]]) -> list[str] | None:
    """The functions passed on the shortest way of calls from one to another, None when there is no way."""
    ways: dict[str, list[str]] = {start: []}
    todo = [start]
    for name in todo:
        if name == goal:
            return ways[name]
        for call in calls[name]:
            if _name(call) not in ways:
                ways[_name(call)] = [*ways[name], name]
                todo.append(_name(call))
    return None


def _calls(function: Function) -> Iterator[Call]:
    """The calls in a function's body whose name is not hidden by a local one."""
    hidden = local_names(function)
    for node in walk(function):
        if isinstance(node, Call) and _name(node) not in hidden:
            yield node
