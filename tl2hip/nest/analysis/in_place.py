"""Whether a nest stays right where an input starts at the address of an output, so that both are one array."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tl2hip.nest.analysis.kinds import Analysis, AxisKind, analyse
from tl2hip.nest.ir import Expr, Load, Loop, Nest, Set, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, blocks, map_exprs, own_exprs


def in_place_ok(nest: Nest, written: str, other: str, analysis: Analysis | None = None) -> bool:
    """Whether a nest may be run with `other` starting where `written` starts, with equal extents, strides and
    dtype, and still be right as the user wrote it. `analysis` is that of this nest, where it is at hand.

    True only where nothing in the text uses `other` after `written` is first stored to (so that nothing read
    too late by inlining goes unseen), every loop keeps its kind when the two are one array, and no loop inside a
    parallel one reads elements that a loop beside it writes, unless what is written waits for a reduction over
    what is read.
    """
    a, b = nest.array(written), nest.array(other)
    if a.dtype is not b.dtype or len(a.shape) != len(b.shape) or not _read_first(nest, written, other):
        return False
    before, after = analysis or analyse(nest), analyse(_as_one(nest, written, other))
    if any(_loses(kind, after.kinds[name]) for name, kind in before.kinds.items()):
        return False
    return _Order(before, written, other).kept(nest.body, host=True)


def _read_first(nest: Nest, written: str, other: str) -> bool:
    """Whether one array is stored to, the other only read, and that before the first store in the text."""
    stored = False
    for s in all_stmts(nest.body):
        reads = any(isinstance(p, Load) and p.array == other for e in own_exprs(s) for p in all_parts(e))
        if reads and stored:
            return False
        if isinstance(s, Store | Update):
            if s.array == other:
                return False
            stored = stored or s.array == written
    return stored


def _loses(before: AxisKind, after: AxisKind) -> bool:
    """Whether an axis that could run in parallel cannot any more, or not in the same way."""
    if before.kind == "serial":
        return False
    same_updates = len(before.updates) == len(after.updates)
    same_values = before.reductions == after.reductions and before.scans == after.scans
    return before.kind != after.kind or not same_values or not same_updates


def _as_one(nest: Nest, written: str, other: str) -> Nest:
    """The nest with one array in the place of two, of which the other is only read."""

    def expr(e: Expr) -> Expr:
        return replace(e, array=written) if isinstance(e, Load) and e.array == other else e

    return replace(nest, body=map_exprs(expr, nest.body))


# --- statements beside each other ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Order:
    """Whether statements beside each other keep their order, however the loops among them are spread."""

    kinds: Analysis
    written: str
    other: str

    def kept(self, body: tuple[Stmt, ...], host: bool) -> bool:
        """For a body and all bodies inside. The parallel loops of a `host` body are launches, one after the
        other."""
        for n, first in enumerate(body):
            for k, later in enumerate(body[n + 1 :], n + 1):
                if not _loops(first) and not _loops(later):
                    continue
                if host and self._launched(first) and self._launched(later):
                    continue
                if not self._in_order(first, body[n + 1 : k], later):
                    return False
        for s in body:
            inside = host and isinstance(s, Loop) and self.kinds.kinds[s.axis.name].in_order
            if not all(self.kept(inner, inside) for inner in blocks(s)):
                return False
        return True

    def _launched(self, s: Stmt) -> bool:
        return isinstance(s, Loop) and self.kinds.kind(s.axis.name) == "parallel"

    def _in_order(self, first: Stmt, between: tuple[Stmt, ...], later: Stmt) -> bool:
        """Whether nothing that the first statement reads is overwritten too early by the later one: it does not
        come to that, or what is read is also written by the first one, or the later one waits for it."""
        reads = any(isinstance(e, Load) and e.array == self.other for e in all_exprs((first,)))
        stores = [s for s in all_stmts((later,)) if isinstance(s, Store | Update) and s.array == self.written]
        if not reads or not stores:
            return True
        if not isinstance(first, Loop):
            return False
        return self._covered(first, ()) or self._waits(first, between, later, stores)

    def _covered(self, s: Stmt, written: tuple[tuple[Expr, ...], ...]) -> bool:
        """Whether each element read is stored to by the same iteration, always, so that whatever keeps the two
        stores apart keeps the read apart too."""
        for block in blocks(s):
            stores = (x for x in block if isinstance(x, Store | Update) and x.array == self.written)
            here = written + tuple(x.index for x in stores)
            if not all(self._covered(x, here) for x in block):
                return False
        loads = [e for own in own_exprs(s) for e in all_parts(own)]
        return all(e.index in written for e in loads if isinstance(e, Load) and e.array == self.other)

    def _waits(self, first: Loop, between: tuple[Stmt, ...], later: Stmt, stores: list[Store | Update]) -> bool:
        """Whether each value that the later statement stores uses a variable that is only known when all of a
        loop has run, or a loop in between uses one in each iteration."""
        if any(isinstance(s, Store | Update) for s in all_stmts((first,))):
            return False
        ready = {v for r in self.kinds.kinds[first.axis.name].reductions for v in r.variables}
        for s in between:
            alike = isinstance(s, Loop) and _same_range(s, first)
            direct = s.body if isinstance(s, Loop) and alike else (s,)
            if alike and _same_range(later, first) and any(not ready.isdisjoint(_read(x)) for x in direct):
                return True
            gained = {x.name for x in direct if isinstance(x, Set) and not ready.isdisjoint(_read(x))}
            ready = (ready - _set(s)) | gained
        ready -= _set(later)
        return all(not ready.isdisjoint(_read(s)) for s in stores)


def _loops(s: Stmt) -> bool:
    """Whether several threads may share a statement's work."""
    return any(isinstance(x, Loop) for x in all_stmts((s,)))


def _same_range(a: Stmt, b: Loop) -> bool:
    """Whether a statement is a loop that runs as often as another, so that it runs at all where that does."""
    if not isinstance(a, Loop):
        return False
    return (a.axis.start, a.axis.stop, a.axis.step) == (b.axis.start, b.axis.stop, b.axis.step)


def _read(s: Stmt) -> frozenset[str]:
    """The variables that a statement itself reads."""
    return frozenset(p.name for e in own_exprs(s) for p in all_parts(e) if isinstance(p, Var))


def _set(s: Stmt) -> set[str]:
    """The variables set anywhere in a statement."""
    return {x.name for x in all_stmts((s,)) if isinstance(x, Set)}
