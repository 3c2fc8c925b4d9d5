"""A matrix times a vector: rows of a matrix, each reduced over its elements with a vector that all rows share.

Where rows are many, a wave takes four of them: it loads the vector once for all four, keeps four loads of the
matrix under way, and its lanes meet by data parallel primitives, without LDS. Where rows are few, a block takes one
and keeps four pieces of it under way. The matrix is read once, so its loads are streamed; the vector stays in the
caches. What else is done for a row, ahead of the loop or behind it, is done by the lane that stores the row.
"""

from __future__ import annotations

import copy
from dataclasses import replace

from tl2hip.nest.index import ONE, ceil_div, minimum, number, trip_count, value_of
from tl2hip.nest.ir import (
    AxisRef,
    Compare,
    Const,
    Expr,
    If,
    Load,
    Loop,
    Set,
    Stmt,
    Store,
    Update,
)
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts
from tl2hip.plan.access import coefficient, loads_or_locals, uses
from tl2hip.plan.block import gather
from tl2hip.plan.chain import Chain, cooperation
from tl2hip.plan.gfx942 import ACCESS_BYTES, MAX_GRID_X, WAVE
from tl2hip.plan.ir import HostIf, HostStmt, Launch
from tl2hip.plan.launch import BLOCK
from tl2hip.plan.marks import vec
from tl2hip.plan.matvec import ROWS, WAVES, MatrixVector, by_block, by_waves
from tl2hip.plan.names import called
from tl2hip.plan.reduce import partials
from tl2hip.plan.state import State
from tl2hip.plan.tree import Tree
from tl2hip.plan.widen import combined, vector_loads

MANY_ROWS = 8192
"""Rows from which a wave takes four: two blocks for each of the chip's 304 compute units are left."""


def gemv(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launches of rows that are each one reduction with a shared vector; None for any other nest."""
    if cooperation(chain, state.kinds) != "block":
        return None
    if found(trial(state), chain, along_rows=True) is None:
        return None
    job = found(state, chain, along_rows=True)
    assert job is not None
    rows = trip_count(job.row.start, job.row.stop, 1)
    count = value_of(rows)
    waves, block = _waves(state, job, rows), _block(state, job, rows)
    _tell(state, chain, job)
    state.honours.moved((state.nest.array(a) for a, _ in (*job.matrix, *job.vector)), job.width)
    state.grain(rows, MANY_ROWS, ROWS * WAVES)
    state.grain(trip_count(job.over.start, job.over.stop, 1), BLOCK * job.width, job.width)
    if count is not None:
        return (waves if count >= MANY_ROWS else block,)
    return (HostIf(Compare(">=", rows, number(MANY_ROWS)), (waves,), (block,)),)


def _waves(state: State, job: MatrixVector, rows: Expr) -> Launch:
    summary = f"a wave for {ROWS} {called(job.row)} at a time"
    kernel = state.add("kernel_waves", by_waves(state, job), (WAVE, WAVES, 1), summary)
    return Launch(kernel, (minimum(ceil_div(rows, ROWS * WAVES), number(MAX_GRID_X)), ONE, ONE))


def _block(state: State, job: MatrixVector, rows: Expr) -> Launch:
    kernel = state.add("kernel_block", by_block(state, job), (BLOCK, 1, 1), f"a block for each {called(job.row)}")
    return Launch(kernel, (minimum(rows, number(MAX_GRID_X)), ONE, ONE))


def _tell(state: State, chain: Chain, job: MatrixVector) -> None:
    """Notes where the loops went, and the tree of the reduction."""
    many = f"grid x, {ROWS} a wave, or one a block where there are less than {MANY_ROWS}"
    state.note(called(job.row), many, "parallel; its inner loop runs along memory", chain.places[0])
    where = f"lanes, {job.width} elements at a time"
    state.note(called(job.over), where, "reduction: a tree over the lanes", job.at)
    wave, block = (Tree(n, width=job.width) for n in (WAVE, BLOCK))
    state.trees[job.over.name] = replace(wave, others=(block,))


# --- what fits ---------------------------------------------------------------------------------------------


def trial(state: State) -> State:
    """A state to try something on, which leaves the other as it is."""
    return replace(state, kinds=dict(state.kinds), dtypes=dict(state.dtypes), names=copy.deepcopy(state.names))


def found(state: State, chain: Chain, *, along_rows: bool) -> MatrixVector | None:
    """A chain of one axis around one reduction, whose loads go along the reduction or, where not `along_rows`,
    along the chain's axis; None for any other chain."""
    body = gather(state, chain.body)
    loops = [s for s in body if isinstance(s, Loop)]
    axes = chain.axes
    if len(axes) != 1 or len(loops) != 1 or any(a.step != 1 or a.marks or a.tile for a in (*axes, loops[0].axis)):
        return None
    (loop,), (row,) = loops, axes
    cut = body.index(loop)
    around = (*body[:cut], *body[cut + 1 :])
    if not _alone(state, loop) or not all(isinstance(s, Set | Store | Update | If) for s in all_stmts(around)):
        return None
    if not _apart(state, loop, around, row.name):
        return None
    along, across = (loop.axis, row) if along_rows else (row, loop.axis)
    places = tuple(dict.fromkeys((e.array, e.index) for e in vector_loads(state, along, loop.body)))
    matrix = tuple(p for p in places if any(coefficient(i, across.name) != 0 for i in p[1]))
    vector = tuple(p for p in places if p not in matrix) if along_rows else ()
    slides = any(coefficient(index[-1], across.name) != 0 for _, index in matrix)
    if not matrix or slides or (along_rows and not vector):
        return None
    arrays = [state.nest.array(a) for a, _ in (*matrix, *vector)]
    sizes = [a.dtype.bytes for a in arrays]
    width = ACCESS_BYTES // max(sizes)
    said = [n for a in arrays if (n := vec(a)) is not None]
    if width < 2 or width * min(sizes) < 4 or any(n != width for n in said):
        return None
    parts = partials(state.kinds[loop.axis.name].reductions, loop.axis, loop.body, state.dtypes, state.names)
    if parts is None:
        return None
    ahead, behind = _folded(body[:cut], body[cut + 1 :])
    return MatrixVector(
        row, loop.axis, loop.body, parts, ahead, behind, matrix, vector, width, chain.places[0], loop.at
    )


def _alone(state: State, loop: Loop) -> bool:
    """Whether a loop does nothing but reduce scalars over bounds that the launcher knows."""
    kind = state.kinds[loop.axis.name]
    ends = (loop.axis.start, loop.axis.stop)
    known = not any(loads_or_locals(e) or any(isinstance(p, AxisRef) for p in all_parts(e)) for e in ends)
    plain = kind.kind == "reduce" and not kind.updates and all(len(r.variables) == 1 for r in kind.reductions)
    return known and plain and bool(kind.reductions) and all(isinstance(s, Set) for s in loop.body)


def _apart(state: State, loop: Loop, around: tuple[Stmt, ...], row: str) -> bool:
    """Whether what stands around a loop meets it in nothing but the scalars that it reduces, and may be done by
    one lane behind it."""
    reduced = {r.variables[0] for r in state.kinds[loop.axis.name].reductions}
    inside, outside = uses(loop.body), uses(around)
    same = {x for a in outside.writes for x in (a, *state.same.get(a, ()))}
    scalars = (inside.gets | inside.sets) & (outside.gets | outside.sets)
    return not same & inside.reads and scalars <= reduced and not state.kinds[row].updates


def _folded(ahead: tuple[Stmt, ...], behind: tuple[Stmt, ...]) -> tuple[tuple[Stmt, ...], tuple[Stmt, ...]]:
    """`y[i] = 0` ahead of a loop and `y[i] += s` behind it as one store of `0 + s`."""
    for start in ahead:
        others = tuple(s for s in all_stmts((*ahead, *behind)) if s is not start)
        if not isinstance(start, Store) or not isinstance(start.value, Const):
            continue
        uses_of = [s for s in others if isinstance(s, Store | Update) and s.array == start.array]
        loaded = any(isinstance(e, Load) and e.array == start.array for e in all_exprs((*ahead, *behind)))
        update = uses_of[0] if len(uses_of) == 1 and not loaded else None
        if isinstance(update, Update) and update.index == start.index and update in behind:
            value = combined(update.op, start.value, update.value)
            store = Store(start.array, start.index, value, start.proven, start.always, at=update.at)
            return tuple(s for s in ahead if s is not start), tuple(store if s is update else s for s in behind)
    return ahead, behind
