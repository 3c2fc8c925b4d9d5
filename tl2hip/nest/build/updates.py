"""Expression statements: docstrings, and calls that change an array in place."""

from __future__ import annotations

from tl2hip.dtypes import I64
from tl2hip.nest.build import fold, stores
from tl2hip.nest.build.arguments import Arguments
from tl2hip.nest.build.assign import place
from tl2hip.nest.build.broadcast import broadcast, element, operand, reads_of
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.expand import loops
from tl2hip.nest.build.helpers import call_helper, function_named
from tl2hip.nest.build.names import means
from tl2hip.nest.build.operands import value
from tl2hip.nest.build.values import ArrayValue, View
from tl2hip.source import nodes
from tl2hip.source.names import dotted
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused

_AT = {f"numpy.{name}.at": op for name, op in {"add": "+", "subtract": "-", "multiply": "*"}.items()}


def evaluate_statement(ctx: Context, s: nodes.Evaluate) -> None:
    """A docstring says nothing; `np.add.at(y, i, x)` adds; anything else has no effect and is refused."""
    if isinstance(s.value, nodes.Text):
        return
    if not isinstance(s.value, nodes.Call):
        raise Refused(
            problems.NotSupported("an expression whose value is not used", "assign it, or take it out", at=s.at)
        )
    name = means(ctx, s.value.func) or ""
    own = function_named(ctx, name)
    if own is not None:
        ctx.whole = s.value
        call_helper(ctx, s.value, own)
        return
    if name not in _AT:
        way = "only an assignment changes something: make an array (`np.zeros`) and write `y[i] = …`"
        raise Refused(problems.UnknownFunction(dotted(s.value.func) or "this method", way, at=s.at))
    given = Arguments(ctx, name.replace("numpy", "np"), s.value, ("a", "indices", "b"), ("a", "indices", "b"))
    index = given.node("indices")
    if not isinstance(index, nodes.Tuple_ | nodes.Slice) and _scatter(ctx, given, _AT[name], s):
        return
    items = index.items if isinstance(index, nodes.Tuple_) else (index,)
    target = place(ctx, nodes.Subscript(given.node("a"), items, at=s.value.at))
    if target.shape:
        raise Refused(problems.NotSupported("np.add.at on a slice", "write the loop over elements", at=s.at))
    stores.update(ctx, target, _AT[name], value(ctx, given.node("b")), s.at)


def _scatter(ctx: Context, given: Arguments, op: str, s: nodes.Evaluate) -> bool:
    """`np.add.at(y, i, x)` with an array of indices: one update for each, also where two are the same."""
    places = operand(value(ctx, given.node("indices")))
    target = value(ctx, given.node("a"))
    if not isinstance(places, ArrayValue) or not isinstance(target, View) or len(target.shape) != 1:
        return False
    if not places.dtype.is_int:
        raise Refused(problems.IndexNotInteger(places.dtype.name, at=s.at))
    added = operand(value(ctx, given.node("b")))
    if target.array in reads_of(places) | reads_of(added) or not all(target.whole):
        way = "write the loop over elements, from a copy of what it reads"
        raise Refused(problems.NotSupported("np.add.at that reads what it changes", way, at=s.at))
    if isinstance(added, ArrayValue):
        broadcast(ctx, (places.shape, added.shape), s.at)
    with loops(ctx, places.shape) as index:
        place_here = fold.cast(places.element(index), I64)
        one = View(target.array, (), target.dtype, lambda ix: target.index((place_here,)))
        stores.update(ctx, one, op, element(added, index), s.at)
    return True
