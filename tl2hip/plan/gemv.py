"""A matrix times a vector: rows of a matrix, each reduced over its elements with a vector that rows share.

Where rows are many, a wave takes four of them: it loads the vector once for all four, keeps four loads of the
matrix under way, and its lanes meet by data parallel primitives, without LDS. Where rows are fewer, a block takes
one and keeps four pieces of it under way; where they are few and long, several blocks take one. The matrix is read
once, so its loads are streamed; the vector stays in the caches. What else is done for a row, ahead of the loop or
behind it, is done by the lane that stores the row. Products of a batch go along the other axes of the grid.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

from tl2hip.nest.index import ceil_div, minimum, number, trip_count
from tl2hip.nest.ir import Compare, Expr
from tl2hip.plan.chain import Chain, cooperation
from tl2hip.plan.choice import either, holds
from tl2hip.plan.find_matvec import found, near
from tl2hip.plan.gfx942 import MAX_GRID_X, WAVE
from tl2hip.plan.ir import HostStmt, Launch
from tl2hip.plan.launch import BLOCK, Shared, grid_of, share_blocks
from tl2hip.plan.matvec import AROUND, ROWS, WAVES, MatrixVector, by_block, by_waves
from tl2hip.plan.names import called
from tl2hip.plan.slices import FEW_ROWS, LONG, sliced, slices_tree
from tl2hip.plan.state import State
from tl2hip.plan.tree import Tree
from tl2hip.plan.unfit import Unfit

PLAN = "matrix times a vector"

MANY_ROWS = 8192
"""Rows from which a wave takes four: two blocks for each of the chip's 304 compute units are left."""


def gemv(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launches of rows that are each one reduction with a shared vector; None for any other nest."""
    if cooperation(chain, state.kinds) != "block":
        return None
    job = fitting(state, chain, PLAN, along_rows=True)
    if job is None:
        return None
    state.honours.moved((state.nest.array(a) for a, _ in (*job.matrix, *job.vector)), job.width)
    many = holds(*_many(job))
    few = holds(Compare("<", job.rows, number(FEW_ROWS)), Compare(">=", job.length, number(LONG * job.width)))
    _tell(state, job, many, few)
    return either(
        many,
        lambda: (_waves(state, job),),
        lambda: either(few, lambda: sliced(state, job), lambda: (_block(state, job),)),
    )


def fitting(
    state: State,
    chain: Chain,
    plan: str,
    *,
    along_rows: bool,
    check: Callable[[MatrixVector], None] = lambda _: None,
) -> MatrixVector | None:
    """What a chain computes, where it is a matrix times a vector that `check` raises no Unfit for; None for any
    other chain, with a note on the plan where it comes near."""
    try:
        check(found(trial(state), chain, along_rows=along_rows))
    except Unfit as unfit:
        if near(chain, state.kinds, along_rows=along_rows):
            state.miss(plan, unfit, chain.places[0])
        return None
    return found(state, chain, along_rows=along_rows)


def trial(state: State) -> State:
    """A state to try something on, which leaves the other as it is."""
    return replace(state, kinds=dict(state.kinds), dtypes=dict(state.dtypes), names=copy.deepcopy(state.names))


def _many(job: MatrixVector) -> tuple[Compare, ...]:
    """What must hold for a wave to take several rows: there are many of them, and enough that share a vector."""
    enough = Compare(">=", job.rows, number(MANY_ROWS))
    own = trip_count(job.row.start, job.row.stop, 1)
    return (enough,) if own == job.rows else (enough, Compare(">=", own, number(ROWS)))


def _waves(state: State, job: MatrixVector) -> Launch:
    rows = trip_count(job.row.start, job.row.stop, 1)
    summary = f"a wave for {ROWS} {called(job.row)} at a time"
    kernel = state.add("kernel_waves", by_waves(state, job), (WAVE, WAVES, 1), summary)
    return _launch(job, kernel, ceil_div(rows, ROWS * WAVES))


def _block(state: State, job: MatrixVector) -> Launch:
    kernel = state.add("kernel_block", by_block(state, job), (BLOCK, 1, 1), f"a block for each {called(job.row)}")
    return _launch(job, kernel, trip_count(job.row.start, job.row.stop, 1))


def _launch(job: MatrixVector, kernel: str, blocks: Expr) -> Launch:
    """So many blocks for the rows of each turn of the axes around them."""
    _, y, z = grid_of(share_blocks(job.around, AROUND), None)
    return Launch(kernel, (minimum(blocks, number(MAX_GRID_X)), y, z))


# --- what is told ------------------------------------------------------------------------------------------


def _tell(state: State, job: MatrixVector, many: Expr | bool, few: Expr | bool) -> None:
    """Notes where the loops went, the trees of the sum and how extents are cut, for the kernels that there are."""
    waves, slices, block = many is not False, many is not True and few is not False, True not in (many, few)
    rows, trees = [], []
    if waves:
        rows.append(f"{ROWS} a wave")
        trees.append(Tree(WAVE, width=job.width))
        state.grain(job.rows, MANY_ROWS, ROWS * WAVES)
    if block:
        rows.append(f"one a block{f' below {MANY_ROWS}' if waves else ''}")
        trees.append(Tree(BLOCK, width=job.width))
        state.grain(job.length, BLOCK * job.width, job.width)
    where, why = f"lanes, {job.width} elements at a time", "reduction: a tree over the lanes"
    if slices:
        rows.append(f"in slices{f' below {FEW_ROWS}' if waves or block else ''}")
        trees.append(slices_tree(job))
        state.grain(job.rows, 1, 1)
        state.grain(job.length, LONG * job.width, job.width)
        long = "" if few is True else f"from {LONG * job.width} on in "
        where, why = f"{where}; {long}slices, one a block", f"{why}, and a second launch over slices"
    state.trees[job.over.name] = replace(trees[0], others=tuple(trees[1:]))
    note_around(state, share_blocks(job.around, AROUND))
    inside = "parallel; its inner loop runs along memory"
    state.note(called(job.row), f"grid, {' or '.join(rows)}", inside, job.row_at)
    state.note(called(job.over), where, why, job.at)


def note_around(state: State, shared: tuple[Shared, ...]) -> None:
    """Notes where the axes around rows went."""
    for s in shared:
        where = f"grid {s.how.letter}" if s.how else "serial in a block"
        state.note(called(s.axis), where, "parallel; a matrix times a vector for each", s.at)
