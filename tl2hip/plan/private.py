"""Memory for local arrays: one for the whole kernel, or one for each block or thread that makes its own."""

from __future__ import annotations

from dataclasses import replace

from tl2hip.nest.index import add, mul, number, product, value_of
from tl2hip.nest.ir import Alloc, AxisRef, Expr, Load, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_parts, all_stmts, map_exprs, map_stmts
from tl2hip.plan.gfx942 import LDS_BYTES
from tl2hip.plan.ir import Placed
from tl2hip.plan.state import State
from tl2hip.source.problems.base import Refused
from tl2hip.source.problems.planning import PrivateArrayExtent

LDS_SHARE = LDS_BYTES // 4
"""What private arrays of a block may take of LDS: two blocks and more still fit a compute unit."""


def allocated(body: tuple[Stmt, ...]) -> tuple[Alloc, ...]:
    """The local arrays that come to life inside a body."""
    return tuple(s for s in all_stmts(body) if isinstance(s, Alloc))


def bytes_of(state: State, names: tuple[str, ...]) -> int | None:
    """Bytes that these arrays take together, None where an extent is not constant."""
    total = 0
    for name in names:
        array = state.nest.array(name)
        elements = value_of(product(array.shape))
        if elements is None:
            return None
        total += -(-elements * array.dtype.bytes // 16) * 16
    return total


def for_block(state: State, body: tuple[Stmt, ...], copies: Expr, which: Expr) -> tuple[Stmt, ...]:
    """Places the private arrays of a block: in LDS where they fit, else a copy for each block in the workspace.

    `copies` is how many blocks run, `which` the number of this one. Gives the body that uses them.
    """
    own = tuple(s.array for s in allocated(body))
    size = bytes_of(state, own)
    if size is not None and size <= LDS_SHARE:
        for name in own:
            state.placed[name] = Placed(state.nest.array(name), "shared")
        return body
    return expanded(state, body, copies, which)


def expanded(state: State, body: tuple[Stmt, ...], copies: Expr, which: Expr) -> tuple[Stmt, ...]:
    """A copy of each private array for each of `copies` runners, in the workspace."""
    for alloc in allocated(body):
        array = state.nest.array(alloc.array)
        if any(isinstance(p, AxisRef | Var | Load) for e in array.shape for p in all_parts(e)):
            raise Refused(PrivateArrayExtent(array.name, at=alloc.at))
        state.placed[array.name] = Placed(replace(array, shape=(copies, *array.shape)), "workspace")
        body = _prefixed(body, array.name, which)
    return body


def _prefixed(body: tuple[Stmt, ...], array: str, which: Expr) -> tuple[Stmt, ...]:
    def expr(e: Expr) -> Expr:
        return replace(e, index=(which, *e.index)) if isinstance(e, Load) and e.array == array else e

    def stmt(s: Stmt) -> Stmt:
        return replace(s, index=(which, *s.index)) if isinstance(s, Store | Update) and s.array == array else s

    return map_stmts(stmt, map_exprs(expr, body))


def linear(indices: tuple[tuple[Expr, Expr], ...]) -> Expr:
    """The number of a runner from its (index, count) pairs, the first pair running fastest."""
    total: Expr = number(0)
    for index, count in reversed(indices):
        total = index if value_of(total) == 0 else add(mul(total, count), index)
    return total
