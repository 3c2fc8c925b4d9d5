"""Columns of a matrix, each reduced over the rows: `y[j] = sum of A[i, j] * x[i]`.

Lanes side by side read columns side by side, so a sum stays in its thread; with few columns that leaves most of the
machine idle. Here 64 threads of a block share the rows of each column: every one takes a few columns by 16 bytes,
and each 64th row of them, four rows under way; their partial results meet in LDS.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tl2hip.dtypes import I64, DType
from tl2hip.nest.index import ONE, ZERO, add, ceil_div, floor_div, minimum, mul, number, product, sub, trip_count
from tl2hip.nest.ir import Array, AxisRef, Compare, Expr, Load, Logic, Loop, Set, Stmt, Store, Var
from tl2hip.nest.walk import all_exprs
from tl2hip.plan.chain import Chain, cooperation
from tl2hip.plan.choice import either, holds
from tl2hip.plan.gemv import fitting, note_around
from tl2hip.plan.gfx942 import ACCESS_BYTES, COMPUTE_UNITS, LDS_BYTES, MAX_GRID_X
from tl2hip.plan.ir import (
    Barrier,
    DeclareVector,
    DeviceIf,
    DeviceStmt,
    For,
    HostStmt,
    Launch,
    Let,
    Placed,
    StoreVector,
)
from tl2hip.plan.launch import grid_of, plain_threads, share_blocks, wrap
from tl2hip.plan.leave import Left, Slices, left, slices
from tl2hip.plan.matvec import AROUND, MatrixCode, MatrixVector, RowCopy, unrolled
from tl2hip.plan.names import called
from tl2hip.plan.places import Place
from tl2hip.plan.private import linear
from tl2hip.plan.reduce import Partial, partials
from tl2hip.plan.state import State
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.widen import combined

PLAN = "columns of a matrix times a vector"

LANES = 16
"""Threads side by side along the columns: 256 bytes of a row."""

SLICES = 64
"""Threads of a block that share the rows of a column."""

UNDER_WAY = 4
"""Rows that each thread loads at a time, where registers allow."""

VECTORS = 8
"""Vectors of 16 bytes that a thread of such a large block has registers for, beside its partial results."""

PIECE = SLICES * UNDER_WAY
"""Rows that a block has under way."""

FEW_BLOCKS = COMPUTE_UNITS // 2
"""Fewer blocks than this leave half of the compute units idle, or more. With one block each these are well in use:
it has 16 waves, and needs most of the registers."""

LONG = 4 * PIECE
"""Rows from which on few columns are cut into slices; see the same of rows of a matrix."""

LANE, SLICE = Var("thread.x", I64), Var("thread.y", I64)
SLICE_INDEX = Var("block.z", I64)


def columns(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launches of columns that are each one reduction; None for any other nest."""
    if cooperation(chain, state.kinds) == "block":
        return None
    job = fitting(state, chain, PLAN, along_rows=False, check=_check)
    if job is None:
        return None
    state.honours.moved((state.nest.array(a) for a, _ in job.matrix), job.width)
    shared = holds(Compare(">=", job.length, number(SLICES)))
    few = _few(job)
    _tell(state, job, shared, few)
    return either(
        shared,
        lambda: either(few, lambda: _sliced(state, job), lambda: (_block(state, job),)),
        lambda: (plain_threads(state, chain, "kernel_few_rows", "a thread for each column"),),
    )


def _few(job: MatrixVector) -> Expr | bool:
    """Whether columns are so few and so long that they are cut into slices. Their partial results must move at
    least 4 bytes at a time."""
    if _partials_width(job) * min(p.dtypes[0].bytes for p in job.parts) < 4:
        return False
    return holds(Compare("<", _blocks(job), number(FEW_BLOCKS)), Compare(">=", job.length, number(LONG)))


def _tiles(job: MatrixVector) -> Expr:
    """Blocks for the columns of one turn of the axes around them."""
    return ceil_div(trip_count(job.row.start, job.row.stop, 1), LANES * job.width)


def _blocks(job: MatrixVector) -> Expr:
    """Blocks for all columns."""
    return product((_tiles(job), *(trip_count(a.start, a.stop, 1) for a in job.around.axes)))


def _block(state: State, job: MatrixVector, suffix: str = "kernel") -> Launch:
    """The launch of a block for so many whole columns."""
    summary = f"a block for {LANES * job.width} {called(job.row)}"
    kernel = state.add(suffix, _code(state, job), (LANES, SLICES, 1), summary)
    _, y, z = grid_of(share_blocks(job.around, AROUND), None)
    return Launch(kernel, (minimum(_tiles(job), number(MAX_GRID_X)), y, z))


def _sliced(state: State, job: MatrixVector) -> tuple[HostStmt, ...]:
    """The two launches of columns that are cut into slices: what slices leave is a matrix of partial results, whose
    columns are reduced like any other's."""
    count = LANES * job.width
    note = f"a slice of {called(job.over)}"
    cut, lets = slices(state, job.over, job.length, PIECE, _blocks(job), COMPUTE_UNITS, note)
    state.names.keep(*(n for p in job.parts for n in p.names))
    partial = left(state, job.parts, cut.most * count, job.at)
    summary = f"a block for each slice of {count} {called(job.row)} leaves partial results"
    kernel = state.add("kernel_slices", _code(state, job, Part(cut, partial)), (LANES, SLICES, 1), summary)
    _, y, _ = grid_of(share_blocks(job.around, AROUND[:1]), None)
    launch = Launch(kernel, (minimum(_tiles(job), number(MAX_GRID_X)), y, cut.count))
    column = _number(job, AxisRef(job.row.name))
    taken = partial.taken_in(state, "slice", cut.count, lambda slice: add(mul(slice, job.rows), column))
    return (*lets, launch, _block(state, _of_partials(state, job, taken), "finish"))


def _of_partials(state: State, job: MatrixVector, taken: tuple[Stmt, ...]) -> MatrixVector:
    """The columns of the partial results that these statements take in."""
    (loop,) = (s for s in taken if isinstance(s, Loop))
    parts = partials(state.kinds[loop.axis.name].reductions, loop.axis, loop.body, state.dtypes, state.names)
    assert parts is not None, "sums that were shared out are shared out again"
    places = tuple(dict.fromkeys((e.array, e.index) for e in all_exprs(loop.body) if isinstance(e, Load)))
    return replace(
        job, over=loop.axis, body=loop.body, parts=parts, matrix=places, streamed=places, width=_partials_width(job)
    )


def _partials_width(job: MatrixVector) -> int:
    """Partial results that move at a time, no more than elements of the matrix do: LDS holds those of a block."""
    return min(job.width, ACCESS_BYTES // max(p.dtypes[0].bytes for p in job.parts))


def _tell(state: State, job: MatrixVector, shared: Expr | bool, few: Expr | bool) -> None:
    """Notes where the loops went, and how extents are cut, for the kernels that there are."""
    if shared is False:
        few = False
    around = share_blocks(job.around, AROUND)
    note_around(state, around)
    where = f"grid x, {LANES * job.width} a block, {job.width} a thread"
    state.note(called(job.row), where, "parallel; contiguous accesses run along it", job.row_at)
    where, why = f"{SLICES} threads of each column", "reduction: partials meet in LDS"
    if few is not False:
        state.grain(job.length, LONG, PIECE)
        long = "" if few is True else f"below {FEW_BLOCKS} blocks from {LONG} on in "
        where, why = f"{where}; {long}slices, one a block", f"{why}, those of slices in a second launch"
    state.note(called(job.over), where, why, job.at)


def _check(job: MatrixVector) -> None:
    """Raises Unfit where partial results do not fit LDS, or the columns are a batch's that share a matrix."""
    if _lds(job) > LDS_BYTES:
        told = f"{_lds(job):,} bytes of LDS, and gfx942 has {LDS_BYTES:,}"
        way = "sum fewer at a time, in loops of their own"
        raise Unfit(f"partial results of {len(job.parts)} sums take {told}", way, job.at)
    if job.streamed != job.matrix:
        raise Unfit("a product of two matrices has work for a thread for each element")


def _lds(job: MatrixVector) -> int:
    """Bytes of the partial results of a block."""
    return sum(p.dtypes[0].bytes for p in job.parts) * SLICES * LANES * job.width


@dataclass(frozen=True, slots=True)
class Part:
    """How blocks take slices of columns, along the z axis, and where each leaves its partial results."""

    cut: Slices
    left: Left


def _number(job: MatrixVector, column: Expr) -> Expr:
    """Which of all columns this one is; those side by side in memory have numbers side by side."""
    own = (sub(column, job.row.start), trip_count(job.row.start, job.row.stop, 1))
    around = ((sub(AxisRef(a.name), a.start), trip_count(a.start, a.stop, 1)) for a in reversed(job.around.axes))
    return linear((own, *around))


def _code(state: State, job: MatrixVector, part: Part | None = None) -> tuple[DeviceStmt, ...]:
    """Each thread's partial results, then one thread for each column takes in those of all slices of a block."""
    first = Var(state.names.local(f"{called(job.row)}_first"), I64)
    tile = AxisRef(state.names.local(f"{job.row.name}_tile"))
    count, width = LANES * job.width, number(job.width)
    code = MatrixCode(state, job)
    rows = _rows(state, job, part)
    copies = tuple(code.copy(f"_{e}", add(first, number(e)), (number(e),)) for e in range(job.width))
    slices = tuple(_slices(state, p.names[0], p.dtypes[0], count) for p in job.parts)
    kept = tuple(d for n, a in enumerate(slices) for d in _kept(state, a, tuple(c.parts[n] for c in copies)))
    whole = Compare("<=", add(first, width), job.row.stop)
    vectors = _by_vectors(state, code, copies, first, rows)
    body = (
        Let(first.name, add(tile, mul(LANE, width))),
        *(d for c in copies for d in c.start()),
        DeviceIf(whole, vectors, _one_by_one(code, copies, first, rows)),
        *kept,
        Barrier("the partial results are all there"),
        *_together(state, job, code, slices, tile, part),
        Barrier("the partial results are used again"),
    )
    reach = number(count)
    begin, step = add(job.row.start, mul(Var("block.x", I64), reach)), mul(Var("blocks.x", I64), reach)
    note = f"{count} {called(job.row)} a block"
    loop = For(tile.axis, begin, job.row.stop, step, body, note=note, at=job.row_at)
    letters = AROUND if part is None else AROUND[:1]
    return (*rows.lets, *wrap(share_blocks(job.around, letters), (loop,), state))


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a block, from `start` to `stop`: those before `cut` are whole pieces. `lets` tell the three."""

    start: Expr
    cut: Expr
    stop: Expr
    lets: tuple[Let, ...] = ()


def _rows(state: State, job: MatrixVector, part: Part | None) -> Rows:
    """All rows, or those of a slice."""
    over = job.over
    if part is None:
        return Rows(over.start, add(over.start, _whole(over.start, over.stop)), over.stop)
    start, cut, stop = (
        Var(state.names.local(f"{called(over)}_{end}"), I64) for end in ("start", "tiled", "stop")
    )
    lets = (
        Let(start.name, add(over.start, mul(SLICE_INDEX, part.cut.each))),
        Let(stop.name, minimum(add(start, part.cut.each), over.stop)),
        Let(cut.name, add(start, _whole(start, stop))),
    )
    return Rows(start, cut, stop, lets)


def _whole(start: Expr, stop: Expr) -> Expr:
    """Rows that are whole pieces."""
    return mul(floor_div(trip_count(start, stop, 1), PIECE), number(PIECE))


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
    state: State, code: MatrixCode, copies: tuple[RowCopy, ...], first: Expr, rows: Rows
) -> tuple[DeviceStmt, ...]:
    """The rows of a thread, some under way together, then one at a time."""
    job = code.job
    v, row = AxisRef(state.names.local("v")), AxisRef(job.over.name)
    far = add(row, mul(v, number(SLICES)))
    together = max(1, min(UNDER_WAY, VECTORS // len(job.matrix)))
    many = {p: code.vectors(p, together) for p in job.matrix}
    one = {p: code.vectors(p) for p in job.matrix}

    def elements(here: Expr, held: dict[Place, str], slot: tuple[Expr, ...]) -> tuple[DeviceStmt, ...]:
        return tuple(
            d for c in copies for d in code.lowered(c, here, {p: (a, (*slot, *c.slot)) for p, a in held.items()})
        )

    loads = tuple(code.load(p, far, first, (v,), together) for p in job.matrix)
    pieces: tuple[DeviceStmt, ...] = (
        *(DeclareVector(a) for a in many.values()),
        unrolled(v, together, loads, "pieces of rows, all under way together"),
        unrolled(v, together, elements(far, many, (v,)), ""),
    )
    piece: tuple[DeviceStmt, ...] = (*(code.load(p, row, first) for p in job.matrix), *elements(row, one, ()))
    return (
        For(row.axis, add(rows.start, SLICE), rows.cut, number(SLICES * together), pieces, at=job.at),
        For(row.axis, add(rows.cut, SLICE), rows.stop, number(SLICES), piece, unroll=1),
    )


def _one_by_one(
    code: MatrixCode, copies: tuple[RowCopy, ...], first: Expr, rows: Rows
) -> tuple[DeviceStmt, ...]:
    """The last few columns, which are no whole vector."""
    job = code.job
    row = AxisRef(job.over.name)
    done: list[DeviceStmt] = []
    for e, c in enumerate(copies[:-1]):
        inner = code.lowered(c, row, {})
        loop = For(row.axis, add(rows.start, SLICE), rows.stop, number(SLICES), inner, unroll=1)
        done.append(DeviceIf(Compare("<", add(first, number(e)), job.row.stop), (loop,)))
    return tuple(done)


def _together(
    state: State, job: MatrixVector, code: MatrixCode, slices: tuple[str, ...], tile: Expr, part: Part | None
) -> tuple[DeviceStmt, ...]:
    """One thread for each column, which stores it, or leaves what a slice gives."""
    mine, column = Var(state.names.local("mine"), I64), Var(state.plain(job.row), I64)
    n = AxisRef(state.names.local("n"))
    sums: list[DeviceStmt] = []
    for p, array in zip(job.parts, slices, strict=True):
        total = Var(p.names[0], p.dtypes[0])
        taken = Set(total.name, combined(p.reduction.op, total, Load(array, (n, mine), total.dtype, proven=True)))
        loop = For(n.axis, ZERO, number(SLICES), ONE, (taken,), small=True, unroll=8)
        sums += [*p.start(), loop]
    which = add(mul(SLICE_INDEX, job.rows), _number(job, column))
    done = code.of_row(column) if part is None else part.left.stores(which)
    test = Logic("and", Compare("<", mine, number(LANES * job.width)), Compare("<", column, job.row.stop))
    return (
        Let(mine.name, add(mul(SLICE, number(LANES)), LANE)),
        Let(column.name, add(tile, mine)),
        DeviceIf(test, (*sums, *done), note="a thread for each column"),
    )
