"""Columns of a matrix, each reduced over the rows: `y[j] = sum of A[i, j] * x[i]`.

Lanes side by side read columns side by side, so a sum stays in its thread; with few columns that leaves most of the
machine idle. Here 64 threads of a block share the rows of each column: every one takes a few columns by 16 bytes,
and each 64th row of them, four rows under way; their partial results meet in LDS.
"""

from __future__ import annotations

from tl2hip.dtypes import I64, DType
from tl2hip.nest.index import ONE, ZERO, add, ceil_div, floor_div, minimum, mul, number, trip_count
from tl2hip.nest.ir import Array, AxisRef, Compare, Expr, Load, Logic, Set, Store, Var
from tl2hip.plan.chain import Chain, cooperation
from tl2hip.plan.gemv import found, trial
from tl2hip.plan.gfx942 import ACCESS_BYTES, LDS_BYTES, MAX_GRID_X
from tl2hip.plan.ir import (
    Barrier,
    DeclareVector,
    DeviceIf,
    DeviceStmt,
    For,
    HostIf,
    HostStmt,
    Launch,
    Let,
    Placed,
    StoreVector,
)
from tl2hip.plan.launch import plain_threads
from tl2hip.plan.matvec import MatrixCode, MatrixVector, RowCopy, unrolled
from tl2hip.plan.names import called
from tl2hip.plan.reduce import Partial
from tl2hip.plan.state import State
from tl2hip.plan.widen import Place, combined

LANES = 16
"""Threads side by side along the columns: 256 bytes of a row."""

SLICES = 64
"""Threads of a block that share the rows of a column."""

UNDER_WAY = 4
"""Rows that each thread loads at a time."""

LANE, SLICE = Var("thread.x", I64), Var("thread.y", I64)


def columns(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launches of columns that are each one reduction; None for any other nest."""
    if cooperation(chain, state.kinds) == "block":
        return None
    job = found(trial(state), chain, along_rows=False)
    if job is None or _lds(job) > LDS_BYTES:
        return None
    few = plain_threads(state, chain, "kernel_few_rows", "a thread for each column")
    job = found(state, chain, along_rows=False)
    assert job is not None
    count = LANES * job.width
    kernel = state.add("kernel", _code(state, job), (LANES, SLICES, 1), f"a block for {count} {called(job.row)}")
    blocks = ceil_div(trip_count(job.row.start, job.row.stop, 1), count)
    many = Launch(kernel, (minimum(blocks, number(MAX_GRID_X)), ONE, ONE))
    state.honours.moved((state.nest.array(a) for a, _ in job.matrix), job.width)
    where = f"grid x, {count} a block, {job.width} a thread"
    state.note(called(job.row), where, "parallel; contiguous accesses run along it", chain.places[0])
    state.note(called(job.over), f"{SLICES} threads of each column", "reduction: partials meet in LDS", job.at)
    length = trip_count(job.over.start, job.over.stop, 1)
    return (HostIf(Compare(">=", length, number(SLICES)), (many,), (few,)),)


def _lds(job: MatrixVector) -> int:
    """Bytes of the partial results of a block."""
    return sum(p.dtypes[0].bytes for p in job.parts) * SLICES * LANES * job.width


def _code(state: State, job: MatrixVector) -> tuple[DeviceStmt, ...]:
    """Each thread's partial results, then one thread for each column takes in those of all slices."""
    first, tile = Var(state.names.local(f"{called(job.row)}_first"), I64), AxisRef(f"{job.row.name}_tile")
    count, width = LANES * job.width, number(job.width)
    code = MatrixCode(state, job)
    copies = tuple(code.copy(f"_{e}", add(first, number(e)), (number(e),)) for e in range(job.width))
    slices = tuple(_slices(state, p.names[0], p.dtypes[0], count) for p in job.parts)
    kept = tuple(d for n, a in enumerate(slices) for d in _kept(state, a, tuple(c.parts[n] for c in copies)))
    whole = Compare("<=", add(first, width), job.row.stop)
    body = (
        Let(first.name, add(tile, mul(LANE, width))),
        *(d for c in copies for d in c.start()),
        DeviceIf(whole, _by_vectors(state, job, code, copies, first), _one_by_one(code, copies, first)),
        *kept,
        Barrier("the partial results are all there"),
        *_together(state, job, code, slices, tile),
        Barrier("the partial results are used again"),
    )
    reach = number(count)
    start, step = add(job.row.start, mul(Var("block.x", I64), reach)), mul(Var("blocks.x", I64), reach)
    note = f"{count} {called(job.row)} a block"
    return (For(tile.axis, start, job.row.stop, step, body, note=note, at=job.row_at),)


def _slices(state: State, name: str, dtype: DType, count: int) -> str:
    """LDS for the partial results of every slice; gives its name."""
    array = state.names.fresh(f"{name}s", keep=True)
    shape = (number(SLICES), number(count))
    state.placed[array] = Placed(Array(array, dtype, shape, "local"), "shared")
    return array


def _kept(state: State, array: str, parts: tuple[Partial, ...]) -> tuple[DeviceStmt, ...]:
    """A thread's partial results to LDS, 16 bytes at a time."""
    dtype = parts[0].dtypes[0]
    each = min(ACCESS_BYTES // dtype.bytes, len(parts))
    vector = state.names.fresh(f"{array}_mine", keep=True)
    shape = (number(len(parts) // each), number(each))
    state.placed[vector] = Placed(Array(vector, dtype, shape, "local"), "vector")
    taken = tuple(
        Store(vector, (number(e // each), number(e % each)), Var(p.names[0], dtype), proven=True)
        for e, p in enumerate(parts)
    )
    first = mul(LANE, number(len(parts)))
    moved = tuple(
        StoreVector(array, (SLICE, add(first, number(g * each))), vector, (number(g),))
        for g in range(len(parts) // each)
    )
    return (DeclareVector(vector), *taken, *moved)


def _by_vectors(
    state: State, job: MatrixVector, code: MatrixCode, copies: tuple[RowCopy, ...], first: Expr
) -> tuple[DeviceStmt, ...]:
    """The rows of a slice, UNDER_WAY at a time, then one at a time."""
    v, row, over = AxisRef(state.names.local("v")), AxisRef(job.over.name), job.over
    far = add(row, mul(v, number(SLICES)))
    many = {p: code.vectors(p, UNDER_WAY) for p in job.matrix}
    one = {p: code.vectors(p) for p in job.matrix}

    def elements(here: Expr, held: dict[Place, str], slot: tuple[Expr, ...]) -> tuple[DeviceStmt, ...]:
        return tuple(
            d for c in copies for d in code.lowered(c, here, {p: (a, (*slot, *c.slot)) for p, a in held.items()})
        )

    loads = tuple(code.load(p, far, first, (v,), UNDER_WAY) for p in job.matrix)
    pieces: tuple[DeviceStmt, ...] = (
        *(DeclareVector(a) for a in many.values()),
        unrolled(v, UNDER_WAY, loads, "pieces of rows, all under way together"),
        unrolled(v, UNDER_WAY, elements(far, many, (v,)), ""),
    )
    piece: tuple[DeviceStmt, ...] = (*(code.load(p, row, first) for p in job.matrix), *elements(row, one, ()))
    reach = SLICES * UNDER_WAY
    tiles = mul(floor_div(trip_count(over.start, over.stop, 1), reach), number(reach))
    cut = add(over.start, tiles)
    start, step = add(over.start, SLICE), number(SLICES)
    return (
        For(row.axis, start, cut, number(reach), pieces, at=job.at),
        For(row.axis, add(cut, SLICE), over.stop, step, piece, unroll=1),
    )


def _one_by_one(code: MatrixCode, copies: tuple[RowCopy, ...], first: Expr) -> tuple[DeviceStmt, ...]:
    """The last few columns, which are no whole vector."""
    job = code.job
    row = AxisRef(job.over.name)
    done: list[DeviceStmt] = []
    for e, c in enumerate(copies[:-1]):
        loop = For(
            row.axis, add(job.over.start, SLICE), job.over.stop, number(SLICES), code.lowered(c, row, {}), unroll=1
        )
        done.append(DeviceIf(Compare("<", add(first, number(e)), job.row.stop), (loop,)))
    return tuple(done)


def _together(
    state: State, job: MatrixVector, code: MatrixCode, slices: tuple[str, ...], tile: Expr
) -> tuple[DeviceStmt, ...]:
    """One thread for each column."""
    mine, column = Var(state.names.local("mine"), I64), Var(state.plain(job.row), I64)
    n = AxisRef(state.names.local("n"))
    sums: list[DeviceStmt] = []
    for p, array in zip(job.parts, slices, strict=True):
        total = Var(p.names[0], p.dtypes[0])
        taken = Set(total.name, combined(p.reduction.op, total, Load(array, (n, mine), total.dtype, proven=True)))
        loop = For(n.axis, ZERO, number(SLICES), ONE, (taken,), small=True, unroll=8)
        sums += [*p.start(), loop]
    test = Logic("and", Compare("<", mine, number(LANES * job.width)), Compare("<", column, job.row.stop))
    return (
        Let(mine.name, add(mul(SLICE, number(LANES)), LANE)),
        Let(column.name, add(tile, mine)),
        DeviceIf(test, (*sums, *code.of_row(column)), note="a thread for each column"),
    )
