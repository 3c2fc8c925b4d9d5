"""Arrays made inside that nothing reads, taken out with all that is stored into them.

    r = np.empty(M)
    for j in range(M):              ->    (nothing)
        r[j] = x[j]
"""

from __future__ import annotations

from dataclasses import replace

from tl2hip.nest.ir import Alloc, If, Load, Loop, Nest, Stmt, Store, Update
from tl2hip.nest.walk import all_exprs, all_stmts, blocks, with_blocks


def without_unread(nest: Nest) -> Nest:
    """The nest without its local arrays that nothing reads, and without loops and choices of nothing."""
    made = {s.array for s in all_stmts(nest.body) if isinstance(s, Alloc)} - {*nest.results}
    body = _without(nest.body, set())
    while gone := made - {e.array for e in all_exprs(body) if isinstance(e, Load)}:
        made, body = made - gone, _without(body, gone)
    if body == nest.body:
        return nest
    kept = {s.array for s in all_stmts(body) if isinstance(s, Alloc)}
    arrays = tuple(a for a in nest.arrays if a.role != "local" or a.name in kept)
    return replace(nest, body=body, arrays=arrays)


def _without(body: tuple[Stmt, ...], arrays: set[str]) -> tuple[Stmt, ...]:
    """A body without what stores into some arrays, and without what is left empty."""
    touching = Alloc | Store | Update
    kept = (s for s in body if not (isinstance(s, touching) and s.array in arrays))
    inside = (with_blocks(s, tuple(_without(b, arrays) for b in blocks(s))) for s in kept)
    return tuple(s for s in inside if not isinstance(s, Loop | If) or any(blocks(s)))
