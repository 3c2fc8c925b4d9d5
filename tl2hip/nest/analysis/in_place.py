"""Whether a nest stays right where an input starts at the address of an output, so that both are one array."""

from __future__ import annotations

from dataclasses import replace

from tl2hip.nest.analysis.kinds import Analysis, AxisKind, analyse
from tl2hip.nest.ir import Expr, Load, Loop, Nest, Set, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, blocks, map_exprs, own_exprs


def in_place_ok(nest: Nest, written: str, other: str) -> bool:
    """Whether a nest may be run with `other` starting where `written` starts, with equal extents, strides and
    dtype, and still be right as the user wrote it.

    True only where nothing in the text uses `other` after `written` is first stored to (so that nothing read
    too late by inlining goes unseen), every loop keeps its kind when the two are one array, and no loop inside a
    parallel one reads elements that a loop beside it writes, unless what is written waits for a reduction over
    what is read.
    """
    a, b = nest.array(written), nest.array(other)
    if a.dtype is not b.dtype or len(a.shape) != len(b.shape) or not _read_first(nest, written, other):
        return False
    before, after = analyse(nest), analyse(_as_one(nest, written, other))
    if any(_loses(kind, after.kinds[name]) for name, kind in before.kinds.items()):
        return False
    return _ordered(nest.body, before, frozenset((written, other)), True)


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
    return before.kind != after.kind or before.reductions != after.reductions or not same_updates


def _as_one(nest: Nest, written: str, other: str) -> Nest:
    """The nest with one array in the place of two, of which the other is only read."""

    def expr(e: Expr) -> Expr:
        return replace(e, array=written) if isinstance(e, Load) and e.array == other else e

    return replace(nest, body=map_exprs(expr, nest.body))


# --- statements beside each other ------------------------------------------------------------------------


def _ordered(body: tuple[Stmt, ...], kinds: Analysis, names: frozenset[str], outside: bool) -> bool:
    """Whether statements of each body use the two arrays in an order that holds however loops are spread.

    `outside` is a body of the host: parallel loops in it are launches, one after the other.
    """
    for n, first in enumerate(body):
        for later in body[n + 1 :]:
            if not _spread(first) and not _spread(later):
                continue
            if outside and _launched(first, kinds) and _launched(later, kinds):
                continue
            if not _in_order(body, first, later, kinds, names):
                return False
    for s in body:
        host = outside and isinstance(s, Loop) and kinds.kind(s.axis.name) == "serial"
        if not all(_ordered(inner, kinds, names, host) for inner in blocks(s)):
            return False
    return True


def _spread(s: Stmt) -> bool:
    """Whether several threads may share a statement's work."""
    return any(isinstance(x, Loop) for x in all_stmts((s,)))


def _launched(s: Stmt, kinds: Analysis) -> bool:
    return isinstance(s, Loop) and kinds.kind(s.axis.name) == "parallel"


def _in_order(body: tuple[Stmt, ...], first: Stmt, later: Stmt, kinds: Analysis, names: frozenset[str]) -> bool:
    """Whether two statements cannot disturb each other through the arrays: only one array is in play, or both
    are only read, or all that the later one writes waits for a reduction over what the first one reads."""
    read_first, wrote_first = _uses(first, names)
    read_later, wrote_later = _uses(later, names)
    crossing = _crosses(wrote_first, read_later | wrote_later) or _crosses(read_first, wrote_later)
    if not crossing:
        return True
    if wrote_first:
        return False
    return isinstance(first, Loop) and _waits(body, first, later, kinds, names)


def _crosses(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether one set names another array than the other does."""
    return bool(a) and bool(b) and len(a | b) > 1


def _uses(s: Stmt, names: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Which of the arrays a statement reads and writes."""
    inside = (s,)
    read = {e.array for e in all_exprs(inside) if isinstance(e, Load)}
    wrote = {x.array for x in all_stmts(inside) if isinstance(x, Store | Update)}
    return frozenset(read & names), frozenset(wrote & names)


def _waits(body: tuple[Stmt, ...], first: Loop, later: Stmt, kinds: Analysis, names: frozenset[str]) -> bool:
    """Whether each value that a later statement writes into the arrays uses a variable that is only known when
    all of a loop has run."""
    if any(isinstance(s, Store | Update) for s in all_stmts((first,))):
        return False
    ready = {v for r in kinds.kinds[first.axis.name].reductions for v in r.variables}
    for s in body[body.index(first) + 1 : body.index(later)]:
        ready = _passed(s, first, ready)
    ready -= {s.name for s in all_stmts((later,)) if isinstance(s, Set)}
    stores = [s for s in all_stmts((later,)) if isinstance(s, Store | Update) and s.array in names]
    return all(not ready.isdisjoint(_read(s)) for s in stores)


def _passed(s: Stmt, first: Loop, ready: set[str]) -> set[str]:
    """Which variables wait for a loop after one more statement: also those computed from such variables, here
    or in every iteration of a loop that runs as often (so that it runs at all where the first one does)."""
    direct = s.body if isinstance(s, Loop) and _same_range(s, first) else (s,)
    gained = {x.name for x in direct if isinstance(x, Set) and not ready.isdisjoint(_read(x))}
    lost = {x.name for x in all_stmts((s,)) if isinstance(x, Set)}
    return (ready - lost) | gained


def _same_range(a: Loop, b: Loop) -> bool:
    """Whether two loops run equally often."""
    return (a.axis.start, a.axis.stop, a.axis.step) == (b.axis.start, b.axis.stop, b.axis.step)


def _read(s: Stmt) -> frozenset[str]:
    """The variables that a statement itself reads."""
    return frozenset(p.name for e in own_exprs(s) for p in all_parts(e) if isinstance(p, Var))
