"""Calls of the file's own functions: their bodies, built where they are called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tl2hip.nest.build.context import Bound, Context, Result, Told, Unreadable
from tl2hip.nest.build.hints import check_parameter, check_returned
from tl2hip.nest.build.returns import always_returns, returns_nothing, returns_value, with_result
from tl2hip.nest.ir import Store, Update
from tl2hip.nest.walk import all_stmts
from tl2hip.source import nodes
from tl2hip.source.names import local_names
from tl2hip.source.problems import marks as mark_problems
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Problem, Refused


def function_named(ctx: Context, name: str) -> nodes.Function | None:
    """The function of this file that a call's origin (`.name`) means."""
    for f in ctx.module.functions:
        if name == f".{f.name}":
            return f
    return None


def call_helper(ctx: Context, e: nodes.Call, f: nodes.Function) -> Result | None:
    """What a function of the file gives for these arguments; None where it returns nothing.

    A function of one `return` is put in place as an expression; any other is built here, its names apart from
    the caller's. A view is passed as it is: what the function stores there, the caller sees; so its call must be
    all that a statement works out, or other parts of it might be read before what the call changes, or behind.
    """
    whole, arrays = e is ctx.whole, set(ctx.state.arrays)
    if f.name in ctx.module.refused:
        raise Told
    given = _arguments(ctx, e, f)
    values = {name: ctx.evaluate(ctx, a) for name, a in given.items()}
    found: Result | None
    with _told_with_call(ctx, e):
        for p in f.parameters:
            check_parameter(ctx, p, values[p.name])
        match f.body:
            case (nodes.Return(value=nodes.Expr() as only),):
                with _inside(ctx, f):
                    ctx.state.names = {name: Bound(v, e.at) for name, v in values.items()}
                    found = ctx.evaluate(ctx, only)
                check_returned(ctx, f, found)
                return found
            case _:
                with ctx.block() as body:
                    found = _built(ctx, e, f, values)
        check_returned(ctx, f, found)
    changed = [s.array for s in all_stmts(tuple(body)) if isinstance(s, Store | Update) and s.array in arrays]
    if changed and not whole:
        raise Refused(problems.ChangesInside(f.name, changed[0], at=e.at))
    ctx.out += body
    return found


@contextmanager
def _told_with_call(ctx: Context, e: nodes.Call) -> Iterator[None]:
    """Problems inside a function stand at their place in it, and say which call led there."""
    told = len(ctx.state.problems)
    try:
        yield
    except Refused as refused:
        raise Refused(_called(refused.problem, e)) from refused
    finally:
        ctx.state.problems[told:] = [_called(p, e) for p in ctx.state.problems[told:]]


def _called(problem: Problem, e: nodes.Call) -> Problem:
    return problem if problem.at == e.at else replace(problem, via=(*problem.via, e.at))


def _built(ctx: Context, e: nodes.Call, f: nodes.Function, values: dict[str, Result]) -> Result | None:
    nothing = returns_nothing(f.body)
    if nothing is not None and returns_value(f.body):
        reason = f"`{f.name}` returns a value on some ways, and nothing on this one"
        raise Refused(problems.BadReturn(reason, "return a number on every way", at=nothing.at))
    with _inside(ctx, f):
        ctx.state.names = {}
        body = with_result(f.body, f.name, ctx.unused(f"{f.name}_done"))
        for name, v in values.items():
            ctx.put(ctx, nodes.Name(name, at=e.at), v, e.at)
        told = len(ctx.state.problems)
        ctx.build(ctx, body)
        for name, tiling in ctx.state.tilings.items():
            if name not in ctx.marked:
                raise Refused(mark_problems.TileWithoutLoop(name, at=tiling.at))
        if any(p.severity == "error" for p in ctx.state.problems[told:]):
            raise Told
        if not returns_value(f.body):
            return None
        binding = ctx.state.names.get(f.name)
        if isinstance(binding, Bound):
            return binding.value
        if isinstance(binding, Unreadable) and binding.problem is not None:
            raise Refused(binding.problem(e.at))
        raise Told


@contextmanager
def _inside(ctx: Context, f: nodes.Function) -> Iterator[None]:
    """The names, marks and locals of a function of its own."""
    local, names, tilings = ctx.local, ctx.state.names, ctx.state.tilings
    scope, marked, results = ctx.scope, ctx.marked, ctx.results
    ctx.state.calls += 1
    ctx.local, ctx.scope = local_names(f) | {f.name}, f"{f.name}#{ctx.state.calls}"
    ctx.state.tilings, ctx.marked = {}, set()
    ctx.results = frozenset({f.name}) if always_returns(f.body) else frozenset()
    try:
        yield
    finally:
        ctx.local, ctx.scope, ctx.marked, ctx.results = local, scope, marked, results
        ctx.state.names, ctx.state.tilings = names, tilings


def _arguments(ctx: Context, e: nodes.Call, f: nodes.Function) -> dict[str, nodes.Expr]:
    positional = [p.name for p in f.parameters if not p.keyword_only]
    if len(e.args) > len(positional):
        raise Refused(problems.WrongArguments(f.name, f"takes {len(positional)} positional arguments", at=e.at))
    given: dict[str, nodes.Expr] = dict(zip(positional, e.args, strict=False))
    for k in e.keywords:
        if k.name in given or all(p.name != k.name for p in f.parameters):
            raise Refused(problems.WrongArguments(f.name, f"has no parameter {k.name} left to give", at=k.at))
        given[k.name] = k.value
    for p in f.parameters:
        if p.name not in given and p.default is None:
            raise Refused(problems.WrongArguments(f.name, f"needs {p.name}", at=e.at))
        if p.name not in given and p.default is not None:
            given[p.name] = p.default
    return {p.name: given[p.name] for p in f.parameters}
