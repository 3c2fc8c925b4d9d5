"""Running values: accumulations whose value so far is read in the loop, so that the loop is a scan.

`s += x[i]; y[i] = s` may be taken in pieces if the operation is associative: each piece is reduced on its own, the
pieces before it are put ahead of it, and the body runs with the value so far. That needs what a piece takes in to
be known without the running values: `feeding` is the part of the body that computes it.
"""

from __future__ import annotations

from collections.abc import Collection

from tl2hip.nest.analysis.variables import Reduction, accumulations, reads
from tl2hip.nest.ir import Alloc, If, Load, Loop, Set, Stmt, Store, Update, Var, While
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, blocks, own_exprs, with_blocks


def scans(loop: Loop, running: Collection[str], summed: Collection[Reduction]) -> tuple[Reduction, ...] | str:
    """The accumulations of a loop that is a scan: of each variable that is read while it runs, then of those that
    are not; or why it is none, in words for the user."""
    body = loop.body
    if any(isinstance(s, Alloc) for s in all_stmts(body)):
        return "each iteration has an array of its own"
    pair = next((r for r in summed if len(r.variables) > 1), None)
    if pair is not None:
        return f"`{pair.variables[0]}` is kept with the place where it was found"
    found = tuple(accumulations(body, name)[0] for name in running)
    names = frozenset((*running, *(r.variables[0] for r in summed)))
    fed = feeding(body, names)
    needed = _needed(fed, names)
    if needed:
        return f"what is accumulated depends on `{needed}`"
    late = _read_late(body, frozenset(e.array for e in all_exprs(fed) if isinstance(e, Load)))
    if late:
        return f"an iteration may read an element of `{late}` that it stored to"
    if _changes_bounds(loop):
        return "its bounds change while it runs"
    return (*found, *summed)


def feeding(body: tuple[Stmt, ...], names: Collection[str]) -> tuple[Stmt, ...]:
    """The statements of a loop's body that decide what variables hold after an iteration; none stores."""
    return _feeding(body, frozenset(names))[0]


def _feeding(body: tuple[Stmt, ...], wanted: frozenset[str]) -> tuple[tuple[Stmt, ...], frozenset[str]]:
    """The statements that the wanted variables come from, and the variables wanted before them."""
    kept: list[Stmt] = []
    for s in reversed(body):
        match s:
            case Set(name=name):
                if name in wanted:
                    kept.append(s)
                    wanted = (wanted - {name}) | reads(s.value)
            case If(then=then, orelse=orelse):
                (first, a), (second, b) = _feeding(then, wanted), _feeding(orelse, wanted)
                if first or second:
                    kept.append(with_blocks(s, (first, second)))
                    wanted = a | b | reads(s.test)
            case Loop() | While():
                inner, before = _feeding(s.body, wanted)
                asked = frozenset().union(*(reads(e) for e in own_exprs(s))) if inner else frozenset()
                again = asked if isinstance(s, While) else frozenset()  # its test is asked after each turn
                while not before | again <= wanted:
                    wanted |= before | again
                    inner, before = _feeding(s.body, wanted)
                if inner:
                    kept.append(with_blocks(s, (inner,)))
                    wanted |= asked
            case Store() | Update() | Alloc():
                pass
    return tuple(reversed(kept)), wanted


def _needed(fed: tuple[Stmt, ...], names: frozenset[str]) -> str:
    """One of the variables that what they take in depends on; "" where there is none."""
    for s in fed:
        asked = frozenset().union(*(reads(e) for e in own_exprs(s))) & names
        if isinstance(s, Set):
            asked -= {s.name}
        inner = (_needed(b, names) for b in blocks(s))
        if found := min(asked, default="") or next(filter(None, inner), ""):
            return found
    return ""


def _read_late(body: tuple[Stmt, ...], arrays: frozenset[str]) -> str:
    """One of these arrays that an iteration may read after it stored to it; "" where there is none."""
    stored: frozenset[str] = frozenset()
    for s in body:
        read = frozenset(e.array for e in all_exprs((s,)) if isinstance(e, Load)) & arrays
        stores = frozenset(x.array for x in all_stmts((s,)) if isinstance(x, Store | Update)) & arrays
        late = read & (stored | stores) if isinstance(s, Loop | While) else read & stored
        inner = (_read_late(b, arrays) for b in blocks(s))
        if found := min(late, default="") or next(filter(None, inner), ""):
            return found
        stored |= stores
    return ""


def _changes_bounds(loop: Loop) -> bool:
    """Whether a loop changes a variable or an array that its own bounds come from."""
    bounds = [p for e in own_exprs(loop) for p in all_parts(e)]
    inside = list(all_stmts(loop.body))
    set_ = {s.name for s in inside if isinstance(s, Set)}
    stored = {s.array for s in inside if isinstance(s, Store | Update)}
    return any(
        (isinstance(p, Var) and p.name in set_) or (isinstance(p, Load) and p.array in stored) for p in bounds
    )
