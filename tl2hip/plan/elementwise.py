"""Elementwise nests: one run over memory, in tiles that keep several 16-byte loads of each thread under way.

`for i: for j: C[i, j] = A[i, j] + B[i, j]` over whole arrays is one loop over their elements. A block takes one
tile, in which each wave has a piece to itself; the elements behind the last whole tile are taken one a thread by
the first blocks. Where there are more tiles than blocks along x, the grid has further rows of blocks: a loop over
tiles would keep every constant of a body in a register.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tl2hip.dtypes import I64
from tl2hip.nest.index import (
    ONE,
    ZERO,
    add,
    ceil_div,
    floor_div,
    maximum,
    minimum,
    mul,
    number,
    product,
    trip_count,
)
from tl2hip.nest.ir import Axis, AxisRef, Binary, Compare, Expr, If, Load, Set, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, map_exprs, map_stmts
from tl2hip.plan import marks
from tl2hip.plan.access import contiguous, loads_or_locals
from tl2hip.plan.chain import Chain
from tl2hip.plan.gfx942 import ACCESS_BYTES, MAX_THREADS, WAVE
from tl2hip.plan.ir import DeviceIf, DeviceStmt, HostStmt, Launch, Let
from tl2hip.plan.launch import BLOCK, moved_arrays
from tl2hip.plan.names import called, told
from tl2hip.plan.places import pace, place_of
from tl2hip.plan.state import State
from tl2hip.plan.streams import streams
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.turning import turns
from tl2hip.plan.unfit import ASSERT, STRIDES, Unfit
from tl2hip.plan.widen import MOST_ACCESSES, Moves, Widened, check_straight, moves

PLAN = "elementwise"

IN_FLIGHT = 4
"""Loads of 16 bytes that each thread has under way: 4 KiB a wave, of the 11 KiB a compute unit that hide HBM's
latency at its full rate (Little's law)."""

MOST = 16
"""Vectors of a thread, at most, where the user's tile asks for many: 64 registers an array."""

ROW = 1 << 23
"""Blocks along x, at most: half of what HIP's limit of 2**32 threads allows."""

BLOCK_INDEX = Var("block.x", I64)
THREAD_INDEX = Var("thread.x", I64)


@dataclass(frozen=True, slots=True)
class Run:
    """A loop over `length` elements that lie side by side, the first at `axis.start`."""

    axis: Axis
    length: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Tile:
    """A block's share of a run: `threads` threads, each with `vectors` vectors of `width` elements."""

    threads: int
    vectors: int
    width: int

    @property
    def elements(self) -> int:
        return self.threads * self.vectors * self.width


def elementwise(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launch of an elementwise nest that is one run over memory; None for any other."""
    if not _near(state, chain):
        return None
    try:
        run, found, tile = _found(state, chain)
    except Unfit as unfit:
        state.miss(PLAN, unfit, chain.places[-1])
        return None
    moved = moved_arrays(state, found)
    for axis in chain.axes:
        state.honours.shared(axis, WAVE, tile.threads // WAVE, found.width)
    state.honours.moved(moved, found.width)
    state.grain(run.length, tile.elements, tile.width)
    tiles = floor_div(run.length, tile.elements)
    rows = add(floor_div(tiles, ROW), ONE)
    code = _code(state, chain, run, found, tile, rows)
    summary = f"a block for {tile.elements} elements, {tile.width} at a time"
    kernel = state.add("", code, (tile.threads, 1, 1), summary)
    ragged = minimum(ceil_div(run.length, tile.threads), number(tile.elements // tile.threads))
    blocks = minimum(maximum(tiles, ragged), number(ROW))
    for axis, at in zip(chain.axes, chain.places, strict=True):
        where = f"grid x, tiles of {tile.elements}, {tile.threads} threads"
        state.note(called(axis), where, f"elementwise, {found.width} elements at a time", at)
    return (Launch(kernel, (blocks, rows, ONE)),)


# --- what fits ---------------------------------------------------------------------------------------------


def _near(state: State, chain: Chain) -> bool:
    """Whether a nest looks like an elementwise one: without inner loops, it stores to consecutive elements along
    one of its axes, and does not load them along another."""
    stmts = tuple(all_stmts(chain.body))
    stores = [s for s in stmts if isinstance(s, Store | Update)]
    straight = all(isinstance(s, Set | Store | Update | If) for s in stmts)
    along = any(contiguous(s.index, a.name) or pace(state, place_of(s), a) for s in stores for a in chain.axes)
    return straight and along and not turns(chain)


def _found(state: State, chain: Chain) -> tuple[Run, Moves, Tile]:
    """The run that a nest is, what it moves, and a block's share. Raises Unfit."""
    check_straight(chain.body)
    _check_marks(chain)
    for axis, at in zip(chain.axes, chain.places, strict=True):
        if loads_or_locals(axis.start) or loads_or_locals(axis.stop):
            raise Unfit(f"the launcher does not know where {told(axis)} starts and ends", at=at)
    run = _one_axis(chain) if len(chain.axes) == 1 else _flat(state, chain)
    try:
        return run, *_share(state, chain, run, MOST_ACCESSES)
    except Unfit:
        return run, *_share(state, chain, run, 1)


def _share(state: State, chain: Chain, run: Run, most: int) -> tuple[Moves, Tile]:
    """What a run moves, each vector by so many accesses at most, and a block's share. Raises Unfit."""
    atomic = {u.array for a in chain.axes for u in state.kinds[a.name].updates}
    found = moves(state, run.axis, run.body, atomic, most=most, paced=run.axis.step == 1)
    found = replace(found, width=marks.width(run.axis, moved_arrays(state, found), found.width))
    return found, _tile(state, found, run.axis)


def _check_marks(chain: Chain) -> None:
    """Raises Unfit where marks say what a run cannot do: neighbours go to whole waves, and nothing is repeated."""
    for axis, at in zip(chain.axes, chain.places, strict=True):
        for m in axis.marks:
            if len(chain.axes) > 1:
                raise Unfit(f"{m.text} shares out {told(axis)} alone", f"take {m.text} out", at)
            if m.name not in ("waves", "vec") and (m.name, m.value) != ("lanes", WAVE):
                raise Unfit(f"a run goes to whole waves, and {m.text} says otherwise", f"take {m.text} out", at)


def _one_axis(chain: Chain) -> Run:
    (axis,) = chain.axes
    return Run(axis, trip_count(axis.start, axis.stop, axis.step), chain.body)


def _flat(state: State, chain: Chain) -> Run:
    """Loops over whole arrays as one loop over their elements. Row-major order runs on from row to row, so that
    the element at (0, n) is the n-th. Raises Unfit where an access is of another kind."""
    axes = chain.axes
    for a, at in zip(axes, chain.places, strict=True):
        if a.start != ZERO or a.step != 1:
            raise Unfit(f"{told(a)} does not count up from 0 by 1, so that rows are not one run", at=at)
        if a.tile is not None:
            raise Unfit(f"a tile of {a.tile} along {told(a)} ends inside a row", "take the tile size out", at)
    here = tuple(AxisRef(a.name) for a in axes)
    inner = tuple(a.stop for a in axes[1:])
    length = product((trip_count(ZERO, axes[0].stop, 1), *inner))
    flat = Axis(state.names.fresh("_".join(called(a) for a in axes), keep=True), ZERO, length)
    index: tuple[Expr, ...] = (*(ZERO for _ in inner), AxisRef(flat.name))

    def whole(array: str) -> bool:
        a = state.nest.array(array)
        return a.strides is None and a.shape[1:] == inner

    def expr(e: Expr) -> Expr:
        same = isinstance(e, Load) and e.index == here and e.always and whole(e.array)
        return Load(e.array, index, e.dtype, True, always=True) if isinstance(e, Load) and same else e

    def stmt(s: Stmt) -> Stmt:
        if isinstance(s, Store) and s.index == here and s.always and whole(s.array):
            return Store(s.array, index, s.value, True, always=True, at=s.at)
        if isinstance(s, Update) and s.index == here and s.always and whole(s.array):
            return Update(s.array, index, s.op, s.value, True, always=True, at=s.at)
        return s

    body = map_stmts(stmt, map_exprs(expr, chain.body))
    if any(e in here for e in all_exprs(body)):
        raise _not_whole(state, chain, body)
    return Run(flat, length, body)


def _not_whole(state: State, chain: Chain, body: tuple[Stmt, ...]) -> Unfit:
    """Why loops are not one over all elements of whole arrays: `body` still uses their axes."""
    here = tuple(AxisRef(a.name) for a in chain.axes)
    names = ", ".join(a.user or ":" for a in chain.axes)
    uses = [e for e in all_exprs(body) if isinstance(e, Load)]
    for use in (*uses, *(s for s in body if isinstance(s, Store | Update))):
        if not any(p in here for i in use.index for p in all_parts(i)):
            continue
        if use.index != here:
            return Unfit(f"{use.array} is accessed elsewhere than at [{names}], so that rows are not one run")
        if state.nest.array(use.array).strides is not None:
            return Unfit(f"{use.array} has strides of its own", STRIDES.format(use.array))
        if not use.always:
            return Unfit(f"an index of {use.array} may lie outside of it", ASSERT.format(use.array))
        return Unfit(f"the loops do not run over whole rows of {use.array}")
    return Unfit("what is computed depends on where the element is")


def _tile(state: State, found: Moves, axis: Axis) -> Tile:
    """As many vectors a thread as keep IN_FLIGHT loads under way. Raises Unfit where the user's tile or waves
    cannot be had."""
    wanted, waves = axis.tile, axis.mark("waves")
    if found.width == 1:
        raise Unfit("its marks ask for one element at a time")
    sizes = [state.nest.array(p[0]).dtype.bytes * found.pace(p) * found.width for p in found.loads]
    vectors = max(1, IN_FLIGHT // max(1, sum(-(-n // ACCESS_BYTES) for n in sizes)))
    if wanted is None:
        return Tile(BLOCK if waves is None else waves * WAVE, vectors, found.width)
    if waves is not None:
        vectors, left = divmod(wanted, waves * WAVE * found.width)
        if left or not 0 < vectors <= MOST:
            raise Unfit(f"{waves} waves with {found.width} elements a lane do not share a tile of {wanted}")
        return Tile(waves * WAVE, vectors, found.width)
    while vectors >= 1:
        threads, left = divmod(wanted, vectors * found.width)
        if left == 0 and threads % WAVE == 0 and 0 < threads <= MAX_THREADS:
            return Tile(threads, vectors, found.width)
        vectors //= 2
    least = WAVE * found.width
    why = f"a tile of {wanted} is no whole number of waves with {found.width} elements a lane, or too large"
    raise Unfit(why, f"a tile of {least} is, and so are {2 * least} and {4 * least}")


def _code(
    state: State, chain: Chain, run: Run, found: Moves, tile: Tile, rows: Expr
) -> tuple[DeviceStmt, ...]:
    """A whole tile for each block that has one, then one element a thread of what is left."""
    lower = ThreadCode(state.names, state.dtypes, state.kinds).lower
    at = chain.places[-1]
    first = state.names.local(f"{called(run.axis)}_first")
    wide = Widened(
        state,
        found,
        run.body,
        at,
        lower,
        count=tile.vectors,
        stride=WAVE * tile.width,
        streamed=streams(state, (run.axis,), found),
    )
    here, block = _block(state, rows)
    mine = add(run.axis.start, add(mul(block, number(tile.elements)), _in_tile(tile)))
    whole = (Let(first, mine), *wide.code(Var(first, I64)))
    tiles = floor_div(run.length, tile.elements)
    last = Var(state.plain(run.axis), I64)
    behind = add(add(run.axis.start, mul(tiles, number(tile.elements))), _one_each(tile, block))
    rest = map_exprs(lambda x: last if x == AxisRef(run.axis.name) else x, run.body)
    return (
        *here,
        DeviceIf(Compare("<", block, tiles), whole, note=f"a whole tile of {tile.elements}", at=at),
        Let(last.name, behind),
        DeviceIf(
            Compare("<", last, add(run.axis.start, run.length)), lower(rest), note="behind the last whole tile"
        ),
    )


def _block(state: State, rows: Expr) -> tuple[tuple[DeviceStmt, ...], Expr]:
    """The number of this block over all rows of the grid, and the code ahead that computes it."""
    if rows == ONE:
        return (), BLOCK_INDEX
    block = Var(state.names.local("block"), I64)
    across, along = Var("block.y", I64), Var("blocks.x", I64)
    return (Let(block.name, add(mul(across, along), BLOCK_INDEX)),), block


def _in_tile(tile: Tile) -> Expr:
    """Where a thread's first vector stands in the tile: the vectors of a wave lie side by side, all of them."""
    if tile.vectors == 1:
        return mul(THREAD_INDEX, number(tile.width))
    wave = mul(floor_div(THREAD_INDEX, WAVE), number(WAVE * tile.vectors * tile.width))
    return add(wave, mul(Binary("%", THREAD_INDEX, number(WAVE)), number(tile.width)))


def _one_each(tile: Tile, block: Expr) -> Expr:
    """The number of a thread over all blocks."""
    return add(mul(block, number(tile.threads)), THREAD_INDEX)
