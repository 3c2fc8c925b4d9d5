"""Which indices surely lie in their arrays.

A proven access needs no guard and never wraps. The proof uses the ranges of the loops around it, the tests on
its path (an If, earlier operands of and/or, the test of a Select), the user's checks, and that extents are 0 or
more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tl2hip.nest.analysis.affine import Poly, add, scale, subtract, symbols
from tl2hip.nest.analysis.integer import System
from tl2hip.nest.analysis.trace import Access, Trace
from tl2hip.nest.analysis.witness import negative_somewhere
from tl2hip.nest.ir import Alloc, Expr, If, Load, Logic, Loop, Nest, Select, Set, Stmt, Store, Update, While
from tl2hip.nest.walk import all_exprs, all_stmts, map_expr

Answer = tuple[bool, bool]
"""Whether an access is proven, and whether always."""


def prove(nest: Nest) -> Nest:
    """The nest with `proven` set on every access whose index surely lies in 0 … n-1."""
    trace = Trace(nest)
    proven = [a.node.proven or _proven(a, trace) for a in trace.accesses]
    answers = iter(list(zip(proven, _always(nest, proven), strict=True)))
    return replace(nest, body=_marked(nest.body, answers))


def _always(nest: Nest, proven: list[bool]) -> list[bool]:
    """Which accesses lie in their arrays even where a test they stand under fails."""
    exprs = all_exprs(nest.body)
    if not any(isinstance(s, If | While) for s in all_stmts(nest.body)) and not any(
        isinstance(e, Select | Logic) for e in exprs
    ):
        return proven
    trace = Trace(nest, tests=False)
    return [
        known and (a.node.always or _proven(a, trace)) for a, known in zip(trace.accesses, proven, strict=True)
    ]


def _proven(access: Access, trace: Trace) -> bool:
    for index, extent in zip(access.index, access.shape, strict=True):
        over = add(subtract(extent, index), {(): -1})
        if not (_nonneg(index, access, trace) and _nonneg(over, access, trace)):
            return False
    return True


def _nonneg(p: Poly, access: Access, trace: Trace) -> bool:
    if trace.prover.nonneg(p, access.facts):
        return True
    if not _affine(p, trace) or negative_somewhere(p, access.facts, trace):
        return False
    return _never_negative(p, access, trace)


def _affine(p: Poly, trace: Trace) -> bool:
    """Whether islpy may know more of a polynomial than the small prover: it is affine, and neither it nor the
    range of an axis in it hangs on a value of which nothing is known."""
    pending = [p]
    while pending:
        q = pending.pop()
        if any(len(m) > 1 for m in q):
            return False
        for s in symbols(q):
            if trace.meanings[s].opaque:
                return False
            if s.kind == "axis":
                start, stop, _ = trace.bounds[s.name]
                pending += [start, stop]
    return True


def _never_negative(p: Poly, access: Access, trace: Trace) -> bool:
    system = System(trace.meanings, frozenset(), trace.bounds)
    facts = access.facts.all()
    for f in facts:
        system.require(f, 0)
    system.explain([p, *facts], 0)
    system.require(scale(p, -1), 0, "> 0")
    return not system.possible()


# --- setting the marks -----------------------------------------------------------------------------------


def _marked(body: tuple[Stmt, ...], answers: Iterator[Answer]) -> tuple[Stmt, ...]:
    """The statements with the answers set, taken in the order in which the trace records accesses."""
    return tuple(_statement(s, answers) for s in body)


def _expr(e: Expr, answers: Iterator[Answer]) -> Expr:
    def mark(x: Expr) -> Expr:
        if isinstance(x, Load):
            proven, always = next(answers)
            return x if (x.proven, x.always) == (proven, always) else replace(x, proven=proven, always=always)
        return x

    return map_expr(mark, e)


def _statement(s: Stmt, answers: Iterator[Answer]) -> Stmt:
    match s:
        case Set(value=value):
            return replace(s, value=_expr(value, answers))
        case Store(index=index, value=value) | Update(index=index, value=value):
            index = tuple(_expr(i, answers) for i in index)
            value = _expr(value, answers)
            proven, always = next(answers)
            return replace(s, index=index, value=value, proven=proven, always=always)
        case If(test=test, then=then, orelse=orelse):
            test = _expr(test, answers)
            then = _marked(then, answers)
            return replace(s, test=test, then=then, orelse=_marked(orelse, answers))
        case While(test=test, body=body):
            test = _expr(test, answers)
            return replace(s, test=test, body=_marked(body, answers))
        case Loop(axis=axis, body=body):
            start = _expr(axis.start, answers)
            axis = replace(axis, start=start, stop=_expr(axis.stop, answers))
            return replace(s, axis=axis, body=_marked(body, answers))
        case Alloc():
            return s


# --- offsets ---------------------------------------------------------------------------------------------
