"""Which statements of a nest are sums or products whose order is free, read off their form alone.

A plan may reorder no more than these: a scalar that its loop only adds to (or only multiplies), and an
`Update`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from tl2hip.nest.ir import AxisRef, Binary, Expr, Loop, Nest, Set, Stmt, Unary, Update, Var, While
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, blocks


@dataclass(frozen=True, slots=True)
class Reduction:
    """A statement that folds into a scalar or an element.

    `terms` are what a scalar takes in, in order (none for an Update). `axes` are the loops it folds over,
    outside in; none if that is not known. `times` counts the terms taken in by one trip through them all.
    `region` is the outermost of the loops that do nothing else with a scalar.
    """

    op: str
    terms: tuple[Expr, ...]
    axes: tuple[str, ...]
    times: int = 1
    region: str = ""


def reductions(nest: Nest, scans: Collection[str] = ()) -> dict[int, Reduction]:
    """The reductions of a nest, by the `id` of their statement (the nest must stay alive meanwhile).

    `scans` names axes whose running values are taken in any order too, each value for itself.
    """
    found: dict[int, Reduction] = {}
    for s, around in _with_loops(nest.body, ()):
        loops = tuple(x for x in around if isinstance(x, Loop))
        if isinstance(s, Set):
            one = _scalar(s, loops, scans)
        elif isinstance(s, Update):
            one = _element(s, loops, nest)
        else:
            one = None
        if one is not None:
            counted = not any(isinstance(x, While) for x in around)
            found[id(s)] = one if counted else replace(one, axes=())
    return found


Around = tuple[Loop | While, ...]


def _with_loops(body: tuple[Stmt, ...], around: Around) -> Iterator[tuple[Stmt, Around]]:
    """Every statement with the loops around it, outside in."""
    for s in body:
        yield s, around
        for inner in blocks(s):
            yield from _with_loops(inner, (*around, s) if isinstance(s, Loop | While) else around)


def folded(s: Set) -> tuple[str, tuple[Expr, ...]] | None:
    """The operation and terms of `x = x op …`, x itself not among the terms; None for any other form.

    `x = x + a - b` takes in a and then -b.
    """
    terms: list[Expr] = []
    value, op = s.value, ""
    while isinstance(value, Binary) and value.op in ("+", "-", "*"):
        sign = "+" if value.op == "-" else value.op
        if op not in ("", sign):
            return None
        op = sign
        if not terms and value.op != "-" and _is(value.right, s.name):
            left: Expr = value.right
            right = value.left
        else:
            left, right = value.left, value.right
        terms.insert(0, Unary("-", right) if value.op == "-" else right)
        value = left
    if not terms or not _is(value, s.name) or any(_uses(t, s.name) for t in terms):
        return None
    return op, tuple(terms)


def _is(e: Expr, name: str) -> bool:
    return isinstance(e, Var) and e.name == name


def _uses(e: Expr, name: str) -> bool:
    return any(_is(p, name) for p in all_parts(e))


def _scalar(s: Set, loops: tuple[Loop, ...], scans: Collection[str]) -> Reduction | None:
    """The reduction that a Set makes, over the outermost loop that does nothing else with the variable, or only
    reads it besides where it is a scan."""
    form = folded(s)
    if form is None or not s.value.dtype.is_float:
        return None
    for depth, loop in enumerate(loops):
        times = _terms_in(loop, s.name, form[0], loop.axis.name in scans)
        if times:
            axes = tuple(x.axis.name for x in loops[depth:])
            return Reduction(form[0], form[1], axes, times, axes[0])
    return None


def _terms_in(loop: Loop, name: str, op: str, read: bool) -> int:
    """How many terms a loop's text folds into a variable; 0 if it does anything else with it, unless it may be
    `read`."""
    times = mentions = 0
    for s in all_stmts(loop.body):
        if isinstance(s, Set) and s.name == name:
            form = folded(s)
            if form is None or form[0] != op:
                return 0
            times += len(form[1])
            mentions += 1
    uses = sum(_is(e, name) for e in all_exprs(loop.body))
    return times if read or uses == mentions else 0


def _element(s: Update, loops: tuple[Loop, ...], nest: Nest) -> Reduction | None:
    """The reduction that an Update makes; its axes are known if plain axes index it, and no other does."""
    if s.op not in ("+", "*"):
        return None
    index = [p for e in s.index for p in all_parts(e)]
    alone = sum(isinstance(x, Update) and x.array == s.array for x in all_stmts(nest.body)) == 1
    used = {p.axis for p in index if isinstance(p, AxisRef)}
    plain = alone and all(isinstance(e, AxisRef) or not _uses_anything(e) for e in s.index)
    axes = tuple(x.axis.name for x in loops if x.axis.name not in used) if plain else ()
    return Reduction(s.op, (), axes)


def _uses_anything(e: Expr) -> bool:
    """Whether an index is more than an axis alone or a constant."""
    return any(isinstance(p, Var | AxisRef) or hasattr(p, "array") for p in all_parts(e))
