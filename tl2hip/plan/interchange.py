"""Moves a loop that only adds into places fixed by the loops inside it to the innermost position.

`for k: for i: for j: C[i, j] += A[i, k] * B[k, j]` becomes i, j, k: then i and j fill the grid, and k runs in
one thread with no atomics. The order of an Update's operands is free, so nothing but the order changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.ir import Axis, AxisRef, Loop, Stmt
from tl2hip.nest.walk import all_parts, blocks, with_blocks


def interchange(body: tuple[Stmt, ...], kinds: Mapping[str, AxisKind]) -> tuple[Stmt, ...]:
    """The body with each such loop moved inwards past every loop it may swap with."""
    return tuple(_one(s, kinds) for s in body)


def _one(s: Stmt, kinds: Mapping[str, AxisKind]) -> Stmt:
    inner = blocks(s)
    if inner:
        s = with_blocks(s, tuple(interchange(b, kinds) for b in inner))
    if isinstance(s, Loop) and len(s.body) == 1:
        inside = s.body[0]
        if isinstance(inside, Loop) and _may_swap(s.axis, inside.axis, kinds):
            moved = replace(s, body=inside.body)
            return _one(replace(inside, body=(moved,)), kinds)
    return s


def _may_swap(outer: Axis, inner: Axis, kinds: Mapping[str, AxisKind]) -> bool:
    """All that meets between iterations of the outer axis are Updates in places that do not move with it."""
    kind = kinds[outer.name]
    adds = kind.kind == "reduce" and not kind.reductions and all(u.invariant for u in kind.updates)
    return (
        adds and kinds[inner.name].kind == "parallel" and not _depends(inner, outer) and not _depends(outer, inner)
    )


def _depends(axis: Axis, on: Axis) -> bool:
    return any(p == AxisRef(on.name) for e in (axis.start, axis.stop) for p in all_parts(e))
