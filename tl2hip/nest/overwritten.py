"""Fills that nothing sees: `C = np.zeros(…)` where every element is stored before any is read.

    C = np.zeros((M, N))                  C = np.empty((M, N))
    for i in range(M):              ->    for i in range(M):
        for j in range(N):                    for j in range(N):
            C[i, j] = f(i, j)                     C[i, j] = f(i, j)
"""

from __future__ import annotations

from dataclasses import replace

from tl2hip.nest.ir import Alloc, Array, AxisRef, Const, Load, Loop, Nest, Stmt, Store, Update
from tl2hip.nest.walk import all_exprs, all_stmts, blocks, with_blocks


def without_blank_fills(nest: Nest) -> Nest:
    """The nest without the fills of arrays made inside that the next nest to touch the array overwrites whole."""
    made = {s.array for s in all_stmts(nest.body) if isinstance(s, Alloc)}
    if not made:
        return nest
    return replace(nest, body=_block(nest.body, [nest.array(name) for name in made]))


def _block(body: tuple[Stmt, ...], arrays: list[Array]) -> tuple[Stmt, ...]:
    blank = {id(body[n]) for a in arrays for n in _blank_fills(body, a)}
    kept = (s for s in body if id(s) not in blank)
    return tuple(with_blocks(s, tuple(_block(b, arrays) for b in blocks(s))) if blocks(s) else s for s in kept)


def _blank_fills(body: tuple[Stmt, ...], array: Array) -> list[int]:
    """Where in a body a loop nest only fills the array with a constant, and the next to touch it covers it."""
    touching = [n for n, s in enumerate(body) if not isinstance(s, Alloc) and _touches(s, array.name)]
    pairs = zip(touching, touching[1:], strict=False)
    return [n for n, after in pairs if _only_fills(body[n], array) and _covers(body[after], array)]


def _touches(s: Stmt, array: str) -> bool:
    return _reads(s, array) or any(isinstance(x, Store) and x.array == array for x in all_stmts((s,)))


def _reads(s: Stmt, array: str) -> bool:
    loads = any(isinstance(e, Load) and e.array == array for e in all_exprs((s,)))
    return loads or any(isinstance(x, Update) and x.array == array for x in all_stmts((s,)))


def _only_fills(s: Stmt, array: Array) -> bool:
    """Whether a statement is loops around one store of a constant into the array, and nothing else."""
    while isinstance(s, Loop) and len(s.body) == 1:
        s = s.body[0]
    return isinstance(s, Store) and s.array == array.name and isinstance(s.value, Const)


def _covers(s: Stmt, array: Array) -> bool:
    """Whether a loop nest stores every element of the array, and reads none of it."""
    if _reads(s, array.name):
        return False
    axes = []
    while isinstance(s, Loop):
        a = s.axis
        if a.step != 1 or a.start != Const(0, a.start.dtype):
            return False
        axes.append(a)
        whole = tuple(AxisRef(a.name) for a in axes)
        stores = [x for x in s.body if isinstance(x, Store) and x.array == array.name]
        if any(x.index == whole for x in stores):
            return tuple(a.stop for a in axes) == array.shape
        inside = [x for x in s.body if isinstance(x, Loop) and _touches(x, array.name)]
        if len(inside) != 1:
            return False
        s = inside[0]
    return False
