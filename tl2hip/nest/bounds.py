"""Which indices surely lie in their arrays, and how far linear offsets reach.

A proven access needs no guard and never wraps. The proof uses the ranges of the loops around it, the tests on
its path (an If, earlier operands of and/or, the test of a Select), the user's checks, and that extents are 0 or
more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tl2hip.nest.analysis.affine import Poly, add, constant, scale, subtract, symbols
from tl2hip.nest.analysis.integer import System
from tl2hip.nest.analysis.trace import Access, Trace
from tl2hip.nest.analysis.witness import negative_somewhere
from tl2hip.nest.ir import Alloc, Array, Expr, If, Load, Loop, Nest, Set, Stmt, Store, Update, While
from tl2hip.nest.walk import map_expr


def prove(nest: Nest) -> Nest:
    """The nest with `proven` set on every access whose index surely lies in 0 … n-1."""
    trace = Trace(nest)
    answers = iter([_proven(a, trace) for a in trace.accesses])
    return replace(nest, body=_marked(nest.body, answers))


def _proven(access: Access, trace: Trace) -> bool:
    if access.node.proven:
        return True
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


def _marked(body: tuple[Stmt, ...], answers: Iterator[bool]) -> tuple[Stmt, ...]:
    """The statements with the answers set, taken in the order in which the trace records accesses."""
    return tuple(_statement(s, answers) for s in body)


def _expr(e: Expr, answers: Iterator[bool]) -> Expr:
    def mark(x: Expr) -> Expr:
        if isinstance(x, Load):
            proven = next(answers)
            return x if x.proven == proven else replace(x, proven=proven)
        return x

    return map_expr(mark, e)


def _statement(s: Stmt, answers: Iterator[bool]) -> Stmt:
    match s:
        case Set(value=value):
            return replace(s, value=_expr(value, answers))
        case Store(index=index, value=value) | Update(index=index, value=value):
            index = tuple(_expr(i, answers) for i in index)
            value = _expr(value, answers)
            return replace(s, index=index, value=value, proven=next(answers))
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


def largest_offset(nest: Nest, array: str) -> int | None:
    """The largest linear offset, in elements, of an element of an array; None where nothing bounds it.

    Constant extents bound it, and so do checks such as `assert N <= 4096`. Empty arrays give 0.
    """
    a = nest.array(array)
    trace = Trace(replace(nest, body=()))
    extents = [_largest(trace.value(e, trace.facts), trace) for e in a.shape]
    if any(e is not None and e <= 0 for e in extents):
        return 0
    steps = _strides(a, extents, trace)
    total = 0
    for extent, step in zip(extents, steps, strict=True):
        if extent == 1:
            continue
        if extent is None or step is None:
            return None
        total += (extent - 1) * step
    return total


def _strides(a: Array, extents: list[int | None], trace: Trace) -> list[int | None]:
    """The largest size of each stride."""
    if a.strides is not None:
        values = [trace.value(e, trace.facts) for e in a.strides]
        return [_size(v, trace) for v in values]
    out: list[int | None] = []
    step: int | None = 1
    for extent in reversed(extents):
        out.append(step)
        step = None if step is None or extent is None else step * extent
    return out[::-1]


def _size(p: Poly, trace: Trace) -> int | None:
    high, low = _largest(p, trace), _largest(scale(p, -1), trace)
    return None if high is None or low is None else max(high, low, 0)


def _largest(p: Poly, trace: Trace) -> int | None:
    """The largest value that the checks let a polynomial of extents have."""
    total = 0
    for m, c in p.items():
        if not m:
            total += c
        elif c < 0:
            if not all(trace.meanings[s].nonneg for s in m):
                return None
        else:
            bounds = [_highest({(s,): 1}, trace) for s in m]
            product = c
            for b in bounds:
                if b is None:
                    return None
                product *= b
            total += product
    return total


def _highest(s: Poly, trace: Trace) -> int | None:
    """The least upper bound that a check gives an extent by itself."""
    (m,) = s
    if not trace.meanings[m[0]].nonneg:
        return None
    found = []
    for f in trace.facts.all():
        rest = add(f, {m: -f.get(m, 0)})
        bound = constant(rest)
        if f.get(m, 0) < 0 and bound is not None:
            found.append(bound // -f[m])
    return min(found, default=None)
