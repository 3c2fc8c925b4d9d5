"""Sets that nothing reads, taken out: each is pure, so nothing changes.

s = 0.0                          for i in range(N):
for i in range(N):         ->        s = x[i]
    s = x[i]                         y[i] = s
    y[i] = s
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tl2hip.nest import ir
from tl2hip.nest.walk import all_parts, all_stmts, own_exprs

Names = frozenset[str]
Extents = Mapping[str, Names]
"""The locals that the extents of each array are made of: these are read where it is allocated."""


def live_only(body: tuple[ir.Stmt, ...], arrays: Mapping[str, ir.Array]) -> tuple[ir.Stmt, ...]:
    """The statements without the sets of values that are never read, and without loops of nothing."""
    extents = {a.name: _variables(a.shape) for a in arrays.values()}
    return _kept(body, frozenset(), extents)[0]


def used_variables(body: tuple[ir.Stmt, ...]) -> Names:
    """The locals that statements set."""
    return frozenset(s.name for s in all_stmts(body) if isinstance(s, ir.Set))


def _kept(body: tuple[ir.Stmt, ...], after: Names, extents: Extents) -> tuple[tuple[ir.Stmt, ...], Names]:
    """The statements that matter where `after` is read later, and what is read before the first of them."""
    kept: list[ir.Stmt] = []
    live = after
    for s in reversed(body):
        found, live = _one(s, live, extents)
        if found is not None:
            kept.append(found)
    return tuple(reversed(kept)), live


def _one(s: ir.Stmt, after: Names, extents: Extents) -> tuple[ir.Stmt | None, Names]:
    reads = _variables(own_exprs(s))
    match s:
        case ir.Set(name=name):
            if name not in after:
                return None, after
            return s, (after - {name}) | reads
        case ir.If(then=then, orelse=orelse):
            one, before_one = _kept(then, after, extents)
            other, before_other = _kept(orelse, after, extents)
            if not one and not other:
                return None, after
            return replace(s, then=one, orelse=other), before_one | before_other | reads
        case ir.Loop(body=inner):
            kept, before = _around(inner, after, extents)
            return (replace(s, body=kept), before | reads) if kept else (None, after)
        case ir.While(body=inner):
            kept, before = _around(inner, after | reads, extents)
            return replace(s, body=kept), before | reads
        case ir.Alloc(array=array):
            return s, after | extents.get(array, frozenset())
        case _:
            return s, after | reads


def _around(body: tuple[ir.Stmt, ...], after: Names, extents: Extents) -> tuple[tuple[ir.Stmt, ...], Names]:
    """A loop's body, after which the next turn may read what it reads first."""
    live = after
    while True:
        kept, before = _kept(body, live, extents)
        if before <= live:
            return kept, before | after
        live = live | before


def _variables(expressions: Iterable[ir.Expr]) -> Names:
    return frozenset(p.name for e in expressions for p in all_parts(e) if isinstance(p, ir.Var))
