"""Short loops inside a thread written out, so that what they load along the lanes can be moved in vectors.

A 3 by 3 blur in loops over its window loads nine elements for each result. Written out, a lane takes a vector of
each of the nine places, for as many results as a vector has elements, and the compiler merges those of f32 that
overlap: compiled, its steady loop has 6 loads for 4 results of f32 where each had 3, and 9 for 8 results of f16
where each had 6.

No row is kept for the next row of results, though a lane that walked down would load one new row for each instead
of three: 2 loads for 4 results of a 3 by 3 blur in f32, and 2 of a 5-point stencil, which has 4. The caches hold
those rows, and L2 alone gives a compute unit 54 bytes a clock (2,048 for the 38 of an XCD, AMD CDNA 3 white paper)
where HBM gives it 8; the blur takes 18 bytes from them for the 8 of HBM that a result costs, so that its loads do
not bound it. Of one row, 3 points in f32 are 2 loads for 4 results, as few as there can be; in f16 they are 3 for
8, where 2 would do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tl2hip.dtypes import I64
from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.index import add, mul, number, sub, value_of
from tl2hip.nest.ir import AxisRef, Binary, Expr, Loop, Set, Stmt
from tl2hip.nest.walk import all_stmts, map_exprs
from tl2hip.plan.threads import sums_of

MOST = 32
"""Statements that a loop becomes, at most: a window of 5 by 5 has 25, and as many vectors in registers."""


def straightened(body: tuple[Stmt, ...], kinds: Mapping[str, AxisKind]) -> tuple[tuple[Stmt, ...], frozenset[str]]:
    """A body with its short loops written out, and the scalars that these only add to: products join such a sum
    unrounded. A body where one of them is added to outside of its loops, too, is left as it is."""
    sums = frozenset(v for s in all_stmts(body) if isinstance(s, Loop) for v in sums_of(kinds[s.axis.name]))
    if _added_elsewhere(body, sums, frozenset(), kinds):
        return body, frozenset()
    return tuple(_written_out(body)), sums


def _added_elsewhere(
    body: tuple[Stmt, ...], sums: frozenset[str], inside: frozenset[str], kinds: Mapping[str, AxisKind]
) -> bool:
    """Whether a scalar among `sums` gets more than a start outside of the loops that add to it; those around a body
    add to `inside`."""
    for s in body:
        if isinstance(s, Loop):
            if _added_elsewhere(s.body, sums, inside | sums_of(kinds[s.axis.name]), kinds):
                return True
        elif isinstance(s, Set) and s.name in sums - inside and isinstance(s.value, Binary):
            return True
    return False


def _written_out(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    for s in body:
        turns = _turns(s) if isinstance(s, Loop) else None
        if not isinstance(s, Loop) or turns is None:
            yield s
            continue
        inside = tuple(_written_out(s.body))
        if len(inside) * len(turns) > MOST:
            yield s
            continue
        for n in turns:
            yield from _at(s.axis.name, n, inside)


def _turns(s: Loop) -> range | None:
    """What an axis counts through, where that is known and nothing is said of how."""
    start, stop = value_of(s.axis.start), value_of(s.axis.stop)
    if start is None or stop is None or s.axis.marks or s.axis.tile is not None:
        return None
    return range(start, stop, s.axis.step)


def _at(axis: str, n: int, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """A body at one place of an axis, constants of indices put together."""

    def expr(e: Expr) -> Expr:
        if e == AxisRef(axis):
            return number(n)
        fold = {"+": add, "-": sub, "*": mul}.get(e.op) if isinstance(e, Binary) and e.dtype is I64 else None
        return fold(e.left, e.right) if fold is not None and isinstance(e, Binary) else e

    return map_exprs(expr, body)
