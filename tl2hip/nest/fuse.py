"""Loops that fill a local array and the loops behind them that read it, made one.

    t = np.empty((M, N))                      for m in range(M):
    for m in range(M):                            for n in range(N):
        for n in range(N):                            …
            …                          ->             t = s
            t[m, n] = s                               C[m, n] = t + b[n]
    for m in range(M):
        for n in range(N):
            C[m, n] = t[m, n] + b[n]

Only where each turn reads the element that the same turn of the loops ahead wrote, nothing else reads the array,
and neither loop touches what the other one writes: then no value changes, and the array is a scalar.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tl2hip.nest.ir import Alloc, Axis, AxisRef, Expr, If, Load, Loop, Nest, Set, Stmt, Store, Update, Var, Variable
from tl2hip.nest.ir import While as WhileLoop
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, map_expr, map_exprs


@dataclass(frozen=True, slots=True)
class Chain:
    """Loops that are each the whole body of the one around, and what the innermost one runs."""

    loops: tuple[Loop, ...]

    @property
    def axes(self) -> tuple[Axis, ...]:
        return tuple(s.axis for s in self.loops)

    @property
    def body(self) -> tuple[Stmt, ...]:
        return self.loops[-1].body

    def around(self, body: tuple[Stmt, ...]) -> Loop:
        """The same loops around another body."""
        for s in reversed(self.loops):
            body = (replace(s, body=body),)
        (whole,) = body
        assert isinstance(whole, Loop)
        return whole


def fused(nest: Nest) -> Nest:
    """The nest without the local arrays that pass an element from one loop to the next."""
    for a in nest.arrays:
        if a.role == "local" and a.name not in (*nest.results, *nest.distinct, *nest.offsets):
            body = _block(nest.body, a.name, nest)
            if body != nest.body:
                others = tuple(x for x in nest.arrays if x.name != a.name)
                passed = (*nest.variables, Variable(a.name, a.dtype))
                nest = replace(nest, body=body, arrays=others, variables=passed)
    return nest


def _block(body: tuple[Stmt, ...], array: str, nest: Nest) -> tuple[Stmt, ...]:
    """A body in which the loops that fill the array are joined with those behind them, if they stand in it."""
    for at in range(len(body) - 1):
        first, second = body[at], body[at + 1]
        if isinstance(first, Loop) and isinstance(second, Loop):
            one = _joined(first, second, array, nest)
            if one is not None:
                ahead = tuple(s for s in body[:at] if not (isinstance(s, Alloc) and s.array == array))
                return (*ahead, one, *body[at + 2 :])
    return tuple(_inside(s, array, nest) for s in body)


def _inside(s: Stmt, array: str, nest: Nest) -> Stmt:
    match s:
        case Loop(body=inner) | WhileLoop(body=inner):
            new = _block(inner, array, nest)
            return s if new == inner else replace(s, body=new)
        case If(then=then, orelse=orelse):
            both = _block(then, array, nest), _block(orelse, array, nest)
            return s if both == (then, orelse) else replace(s, then=both[0], orelse=both[1])
        case _:
            return s


def _joined(first: Loop, second: Loop, array: str, nest: Nest) -> Loop | None:
    """Both loops as one; None where they are not of that kind."""
    store = _only_store(first, array, nest)
    if store is None:
        return None
    a = _chain(first, len(store.index))
    b = _chain(second, len(store.index))
    if a is None or b is None or a.body[-1] is not store or not _alike(a, b):
        return None
    if sorted(_names(store.index)) != sorted(x.name for x in a.axes):
        return None
    to: dict[Expr, Expr] = {AxisRef(y.name): AxisRef(x.name) for x, y in zip(a.axes, b.axes, strict=True)}
    behind = map_exprs(lambda e: map_expr(lambda x: to.get(x, x), e), b.body)
    reads = [e for e in all_exprs(nest.body) if isinstance(e, Load) and e.array == array]
    here = [e for e in all_exprs(behind) if isinstance(e, Load) and e.array == array]
    if not here or len(here) != len(reads) or any(e.index != store.index for e in here):
        return None
    if not _apart(a.body, behind, array):
        return None
    passed = Var(array, store.value.dtype)

    def read(e: Expr) -> Expr:
        return passed if isinstance(e, Load) and e.array == array else e

    taken = map_exprs(lambda e: map_expr(read, e), behind)
    return a.around((*a.body[:-1], Set(array, store.value, at=store.at), *taken))


def _only_store(first: Loop, array: str, nest: Nest) -> Store | None:
    """The one statement that writes the array, if it stands in a loop and the array comes to life once."""
    writes = [s for s in all_stmts(nest.body) if isinstance(s, Store | Update | Alloc) and s.array == array]
    stores = [s for s in writes if isinstance(s, Store)]
    inside = any(s is x for s in stores for x in all_stmts((first,)))
    return stores[0] if len(stores) == 1 and len(writes) == 2 and inside else None


def _chain(loop: Loop, depth: int) -> Chain | None:
    loops = [loop]
    while len(loops) < depth:
        body = loops[-1].body
        if len(body) != 1 or not isinstance(body[0], Loop):
            return None
        loops.append(body[0])
    return Chain(tuple(loops))


def _alike(a: Chain, b: Chain) -> bool:
    """Whether both run the same turns in the same order, in tiles and under marks that say the same."""
    own = {x.name for x in (*a.axes, *b.axes)}
    for x, y in zip(a.axes, b.axes, strict=True):
        if (x.start, x.stop, x.step, x.tile, x.marks) != (y.start, y.stop, y.step, y.tile, y.marks):
            return False
        # Bounds that hang on loops of the chain, on memory or on scalars may not be what they were.
        parts = [p for e in (x.start, x.stop) for p in all_parts(e)]
        if any(isinstance(p, Load | Var) or (isinstance(p, AxisRef) and p.axis in own) for p in parts):
            return False
    return True


def _names(exprs: tuple[Expr, ...]) -> list[str]:
    return [p.axis for e in exprs for p in all_parts(e) if isinstance(p, AxisRef)]


def _apart(first: tuple[Stmt, ...], second: tuple[Stmt, ...], array: str) -> bool:
    """Whether neither body touches, `array` apart, what the other one writes."""
    read, written, gets, sets = zip(_touched(first, array), _touched(second, array), strict=True)
    arrays = written[0] & (read[1] | written[1]) or written[1] & read[0]
    scalars = sets[0] & (gets[1] | sets[1]) or sets[1] & gets[0]
    return not arrays and not scalars


def _touched(body: tuple[Stmt, ...], array: str) -> tuple[set[str], set[str], set[str], set[str]]:
    """The arrays read and written, the scalars got and set."""
    exprs, stmts = tuple(all_exprs(body)), tuple(all_stmts(body))
    updated = {s.array for s in stmts if isinstance(s, Update)}
    read = {e.array for e in exprs if isinstance(e, Load)} | updated
    written = {s.array for s in stmts if isinstance(s, Store | Update | Alloc)}
    gets = {e.name for e in exprs if isinstance(e, Var)}
    return read - {array}, written - {array}, gets, {s.name for s in stmts if isinstance(s, Set)}
