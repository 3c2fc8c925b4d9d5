"""The annotations of a helper function, held against what a call gives it and what it returns.

A helper is built anew for each call, in the dtypes of its arguments: its annotations cast nothing.
"""

from __future__ import annotations

from tl2hip.nest.build.annotations import given, holds, problem, right
from tl2hip.nest.build.context import Context, Result
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems


def check_parameter(ctx: Context, parameter: nodes.Parameter, value: Result) -> None:
    """Tells where a parameter's annotation says something else than what a call gives it."""
    said, it = parameter.annotation, given(value)
    if said is not None and not holds(ctx, said, it, loosely=True):
        ctx.tell(problems.LocalHint(parameter.name, right(ctx, said, it), at=said.at))


def check_returned(ctx: Context, f: nodes.Function, found: Result | None) -> None:
    """Tells where the annotation of a function's result says something else than what it returns."""
    said, it = f.returns, given(found)
    if said is not None and not holds(ctx, said, it, loosely=True):
        ctx.tell(problem(ctx, f.name, said, it))
