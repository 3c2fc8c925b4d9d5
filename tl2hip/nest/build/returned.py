"""The annotation of what a kernel returns, held against what it does return."""

from __future__ import annotations

from tl2hip.nest.build.annotations import Given, One, holds, problem
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.results import Results


def check_annotation(ctx: Context, results: Results) -> None:
    """Tells where the annotation of a function's result says something else than what it returns."""
    said = ctx.function.returns
    if said is None:
        return
    each = tuple(_one(ctx, results, name) for name in results.names)
    it: Given = None if not each else each[0] if len(each) == 1 else each
    if not holds(ctx, said, it):
        ctx.tell(problem(ctx, ctx.function.name, said, it))


def _one(ctx: Context, results: Results, name: str) -> One:
    array = ctx.state.arrays[name]
    if name in results.scalars:
        return One(array.dtype, None, name in results.weak)
    return One(array.dtype, array.shape)
