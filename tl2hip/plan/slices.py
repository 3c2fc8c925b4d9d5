"""Few long rows of a matrix times a vector: each is cut into slices, so that no compute unit is left idle.

A block sums one slice of a row and leaves its partial in the workspace; a second launch takes the partials of each
row in, always in the same order, and does whatever else is done for a row.
"""

from __future__ import annotations

from tl2hip.nest.index import add, mul, value_of
from tl2hip.plan.block import BlockCode
from tl2hip.plan.chain import Chain
from tl2hip.plan.gfx942 import COMPUTE_UNITS, TOTAL_BLOCKS
from tl2hip.plan.ir import HostStmt, Launch
from tl2hip.plan.launch import BLOCK, block_threads, grid_of, share_blocks, wrap
from tl2hip.plan.leave import left, slices
from tl2hip.plan.matvec import AROUND, PIECES, MatrixVector, by_slices
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.tree import Tree

FEW_ROWS = COMPUTE_UNITS
"""With fewer rows than this a block for each leaves compute units idle."""

LONG = 4 * BLOCK * PIECES
"""Vectors of a row from which on it is cut: four times what a block has under way at once. A shorter one takes a
block about as long as a second launch takes to start, two or three microseconds (an estimate)."""


def sliced(state: State, job: MatrixVector) -> tuple[HostStmt, ...]:
    """The two launches of rows that are cut into slices."""
    note = f"a slice of {called(job.over)}, in vectors of {job.width}"
    cut, lets = slices(state, job.over, job.whole, BLOCK, job.rows, TOTAL_BLOCKS, note)
    state.names.keep(*(n for p in job.parts for n in p.names))
    partial = left(state, job.parts, cut.most, job.at)
    summary = f"a block for each slice of each {called(job.row)} leaves a partial result"
    kernel = state.add("kernel_slices", by_slices(state, job, cut, partial), (BLOCK, 1, 1), summary)
    _, y, z = grid_of(share_blocks(job.chain, AROUND), None)
    first = mul(job.number_of_row, cut.count)
    taken = partial.taken_in(state, "slice", cut.count, lambda slice: add(first, slice))
    finish = Chain(job.chain.axes, job.chain.places, (*job.ahead, *taken, *job.behind))
    threads = BLOCK if value_of(cut.count) is None else block_threads(taken, state)
    return (*lets, Launch(kernel, (cut.count, y, z)), _finish(state, finish, threads, called(job.row)))


def slices_tree(job: MatrixVector) -> Tree:
    """How slices and the launch behind them share a sum out."""
    rows = value_of(job.rows)
    blocks, fewest = (TOTAL_BLOCKS // max(1, n) for n in ((1, FEW_ROWS - 1) if rows is None else (rows, rows)))
    return Tree(BLOCK, blocks, job.width, LONG * job.width, fewest=fewest)


def _finish(state: State, chain: Chain, threads: int, row: str) -> Launch:
    """The launch that takes partials in, a block for each row."""
    shared = share_blocks(chain)
    body = BlockCode(state, threads).lower(chain.body)
    summary = f"adds up the partial results of each {row}"
    kernel = state.add("finish", wrap(shared, body, state), (threads, 1, 1), summary)
    return Launch(kernel, grid_of(shared, None))
