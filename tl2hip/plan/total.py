"""A reduction with no parallel axis around it, in two launches: partial results of many blocks, then one block.

`for i in range(N): s += A[i]` becomes a launch in which each block leaves its partial in the workspace, and a
loop over these partials that the next one-block kernel runs in the place of the user's loop.
"""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, ZERO, number, product
from tl2hip.nest.ir import Compare, Expr, Loop, Stmt, Var
from tl2hip.plan import launch as general
from tl2hip.plan.block import shareable
from tl2hip.plan.chain import Chain
from tl2hip.plan.extents import block_count
from tl2hip.plan.gfx942 import TOTAL_BLOCKS, WAVE
from tl2hip.plan.ir import DeviceIf, HostStmt, Launch
from tl2hip.plan.launch import BLOCK, PRIVATE_BLOCKS, Shared, atomic_arrays, wrap
from tl2hip.plan.leave import left
from tl2hip.plan.loops import Spread
from tl2hip.plan.names import called
from tl2hip.plan.private import allocated, expanded, linear
from tl2hip.plan.reduce import partials, privatised, sums
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.tree import Tree


@dataclass(frozen=True, slots=True)
class Total:
    """What a total reduction becomes: the launch that leaves partials, and the statements that take them in."""

    launch: HostStmt
    combine: tuple[Stmt, ...]


def total(state: State, loop: Loop) -> Total | None:
    """The two halves of a top-level reduction; None where one of its reductions cannot be shared out."""
    chain = _chain(state, loop)
    reductions = state.kinds[loop.axis.name].reductions
    parts = partials(reductions, loop.axis, loop.body, state.dtypes, state.names)
    if parts is None:
        return None
    state.names.keep(*(n for p in parts for n in p.names))
    threads = _threads(chain)
    shared = _share(chain, threads)
    own = bool(allocated(chain.body))
    grid = tuple(_blocks(shared, letter, own) for letter in ("x", "y"))
    inside = privatised(chain.body, parts)
    if own:
        inside = expanded(state, inside, product((*grid, number(threads))), general.thread_number(shared))
    code = ThreadCode(state.names, state.dtypes, state.kinds, atomic_arrays(state, shared), sums(parts))
    body = wrap(shared, code.lower(inside), state)
    which = linear(tuple((Var(f"block.{c}", I64), Var(f"blocks.{c}", I64)) for c in "xy"[: len(shared)]))
    partial = left(state, parts, TOTAL_BLOCKS, loop.at)
    first = Compare("==", Var("thread.x", I64), ZERO)
    whole = (
        *(d for p in parts for d in p.start()),
        *body,
        *(p.combine(threads, loop.at) for p in parts),
        DeviceIf(first, partial.stores(which), note="one partial a block", at=loop.at),
    )
    kernel = state.add("partials", whole, (threads, 1, 1), "each block leaves a partial result")
    for s in shared:
        if s.how is not None:
            state.trees[s.axis.name] = Tree(s.how.threads, _most(shared, s.how.letter, own))
        where = f"grid {s.how.letter}, {s.how.threads} threads" if s.how else "serial in each thread"
        state.note(called(s.axis), where, "reduction with no parallel axis around it", s.at)
    general.honour(state, chain, shared, 1)
    combine = partial.taken_in(state, "block", product(grid), lambda block: block)
    return Total(Launch(kernel, (grid[0], grid[1], ONE)), combine)


def _chain(state: State, loop: Loop) -> Chain:
    """The loop and the one directly inside it, where both may be shared out."""
    inner = loop.body[0]
    pairs = any(len(r.variables) > 1 for r in state.kinds[loop.axis.name].reductions)
    if len(loop.body) == 1 and isinstance(inner, Loop) and shareable(inner.axis, state.kinds) and not pairs:
        return Chain((loop.axis, inner.axis), (loop.at, inner.at), inner.body)
    return Chain((loop.axis,), (loop.at,), loop.body)


def _threads(chain: Chain) -> int:
    """Threads of a block: the waves that the user says, or four."""
    waves = chain.axes[chain.lane()].mark("waves")
    return BLOCK if waves is None else waves * WAVE


def _share(chain: Chain, threads: int) -> tuple[Shared, ...]:
    """Lanes along the axis with the most contiguous accesses, blocks along the other."""
    lane = chain.lane()

    def how(n: int, tile: int | None) -> Spread:
        letter, count = ("x", threads) if n == lane else ("y", 1)
        return Spread(letter, True, count, tile or count)

    return tuple(Shared(a, chain.places[n], how(n, a.tile)) for n, a in enumerate(chain.axes))


def _blocks(shared: tuple[Shared, ...], letter: str, own: bool) -> Expr:
    most = _most(shared, letter, own)
    for n, s in enumerate(shared):
        if s.how is not None and s.how.letter == letter:
            return block_count(s.axis, [o.axis for o in shared[:n]], s.how.tile, most)
    return ONE


def _most(shared: tuple[Shared, ...], letter: str, own: bool) -> int:
    """The most blocks along a letter: TOTAL_BLOCKS in all, fewer where each thread has arrays of its `own`."""
    most = PRIVATE_BLOCKS if own else TOTAL_BLOCKS
    return most if len(shared) == 1 else {"x": 16, "y": most // 16}[letter]
