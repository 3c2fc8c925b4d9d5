"""One launch for a nest whose outermost loops can be shared out over a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, ZERO, add, ceil_div, floor_div, mul, number, product, trip_count, value_of
from tl2hip.nest.ir import Array, Axis, AxisRef, Compare, Expr, Loop, Stmt, Var
from tl2hip.nest.walk import all_stmts, map_expr
from tl2hip.plan import loops, marks, private, vectors
from tl2hip.plan.access import loads_or_locals, uses
from tl2hip.plan.block import BlockCode, gather, inner_loops, inner_scans
from tl2hip.plan.chain import Chain, cooperation, head
from tl2hip.plan.extents import block_count, constant_trip
from tl2hip.plan.gfx942 import ACCESS_BYTES, MAX_GRID_X, MAX_GRID_YZ, WAVE
from tl2hip.plan.ir import Barrier, DeviceIf, DeviceStmt, HostIf, HostStmt, Launch, Let
from tl2hip.plan.loops import Spread
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.straight import straightened
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.walk import map_exprs
from tl2hip.plan.widen import Moves, Widened, moves
from tl2hip.source.span import Span

BLOCK = 256
"""Threads of a block where nothing else decides: four waves, one for each SIMD of a compute unit."""

PRIVATE_BLOCKS = 64
"""Blocks of a launch whose threads keep private arrays in the workspace: bounds that memory."""

LETTERS = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Shared:
    """One axis of a chain and how it is shared out; None for an axis that each thread walks itself."""

    axis: Axis
    at: Span
    how: Spread | None


def launch(state: State, loop: Loop) -> tuple[HostStmt, ...]:
    """The launch that runs a top-level loop; adds its kernel, its notes and its private arrays to the state."""
    return launch_chain(state, head(loop, state.kinds))


def launch_chain(state: State, chain: Chain) -> tuple[HostStmt, ...]:
    """The launch that runs a chain of loops."""
    if cooperation(chain, state.kinds) == "block":
        return _by_blocks(state, chain)
    return _by_threads(state, chain)


def _by_threads(state: State, chain: Chain) -> tuple[HostStmt, ...]:
    shared = share_threads(chain)
    note_chain(state, shared, "thread")
    _note_serial(state, chain.body)
    by_vectors = rows_of_vectors(state, chain)
    if by_vectors is None:
        honour(state, chain, shared, 1)
    return (by_vectors or plain_threads(state, chain),)


def honour(state: State, chain: Chain, shared: Sequence[Shared], width: int) -> None:
    """Tells which marks of a chain are honoured by threads that move `width` elements at a time."""
    spread = sorted((s for s in shared if s.how), key=lambda s: s.how.letter if s.how else "")
    counts = marks.of_block([s.how.threads for s in spread if s.how])
    for s, (lanes, waves) in zip(spread, counts, strict=True):
        state.honours.shared(chain.axes[shared.index(s)], lanes, waves, width if s is spread[0] else 1)
    for s in shared:
        if s.how is None:
            state.honours.walked(s.axis)
    for inner in all_stmts(chain.body):
        if isinstance(inner, Loop):
            state.honours.walked(inner.axis)
    state.honours.moved(touched(state, chain.body), width)


def touched(state: State, body: tuple[Stmt, ...]) -> tuple[Array, ...]:
    """The arrays that a body reads or writes."""
    used = uses(body)
    return tuple(a for a in state.nest.arrays if a.name in used.reads | used.writes)


def rows_of_vectors(state: State, chain: Chain) -> Launch | None:
    """The launch of a body, straight once its short loops are written out, whose lanes take a vector each along the
    innermost axis, and one by one the few elements behind the last whole vector; None where it moves no vectors."""
    *outer, lane = chain.axes
    if chain.lane() != len(outer) or private.allocated(chain.body):
        return None
    body, sums = straightened(chain.body, state.kinds)
    try:
        found = moves(state, lane, body, {u.array for a in chain.axes for u in state.kinds[a.name].updates})
    except Unfit:
        return None
    moved = moved_arrays(state, found)
    found = replace(found, width=marks.width(lane, moved, found.width))
    if found.width == 1 or (lane.tile is not None and lane.tile % found.width):
        return None
    trip = trip_count(lane.start, lane.stop, 1)
    whole = floor_div(trip, found.width)
    tile = None if lane.tile is None else lane.tile // found.width
    ragged = replace(lane, start=ZERO, stop=ceil_div(trip, found.width), tile=tile)
    shared = share_threads(replace(chain, axes=(*outer, ragged)))
    how = shared[-1].how
    if how is None:
        return None
    honour(state, chain, shared, 1)
    state.honours.moved(moved, found.width)
    state.honours.vectors(lane, found.width)
    code = ThreadCode(state.names, state.dtypes, state.kinds, sums=sums)
    first, at = state.names.local(f"{called(lane)}_first"), chain.places[-1]
    vectors = replace(ragged, stop=whole, name=state.names.fresh(f"{lane.name}_vector"))
    start = Let(first, add(lane.start, mul(AxisRef(vectors.name), number(found.width))))
    wide = (start, *Widened(state, found, body, at, code.lower).code(Var(first, I64)))
    inner: tuple[DeviceStmt, ...] = (loops.spread(vectors, how, wide, state.names, at),)
    if (value_of(trip) or 1) % found.width:
        rest = replace(lane, start=add(lane.start, mul(whole, number(found.width))), tile=None)
        inner = (*inner, *_few(state, rest, how, code.lower(chain.body), at))
    summary = f"{_summary(shared, 'a thread')}, {found.width} {called(lane)} at a time"
    return Launch(state.add("", wrap(shared[:-1], inner, state), block_of(shared), summary), grid_of(shared, None))


def moved_arrays(state: State, found: Moves) -> tuple[Array, ...]:
    """The arrays of which vectors are moved."""
    return tuple(state.nest.array(a) for a in dict.fromkeys(a for a, _ in (*found.loads, *found.stores)))


def _few(state: State, rest: Axis, how: Spread, body: tuple[DeviceStmt, ...], at: Span) -> tuple[DeviceStmt, ...]:
    """A loop of fewer iterations than an access has elements, which the lanes mostly do at one go."""
    note = "what is left of a vector"
    loop = loops.spread(rest, replace(how, tile=how.threads), body, state.names, at)
    if how.threads < ACCESS_BYTES:
        return (replace(loop, note=note, unroll=1),)
    here = Var(state.plain(rest), I64)
    body = map_exprs(lambda e: map_expr(lambda x: here if x == AxisRef(rest.name) else x, e), body)
    return (Let(here.name, loop.start), DeviceIf(Compare("<", here, rest.stop), body, note=note))


def plain_threads(state: State, chain: Chain, suffix: str = "", summary: str = "") -> Launch:
    """The launch of a chain with a thread for each of its points, right for any grid."""
    shared = share_threads(chain)
    has_private = bool(private.allocated(chain.body))
    grid = grid_of(shared, PRIVATE_BLOCKS if has_private else None)
    block = block_of(shared)
    body = chain.body
    if has_private:
        body = private.expanded(state, body, product((*grid, number(block[0] * block[1]))), thread_number(shared))
    code = ThreadCode(state.names, state.dtypes, state.kinds, atomic_arrays(state, shared))
    inner = wrap(shared, code.lower(body), state)
    return Launch(state.add(suffix, inner, block, summary or _summary(shared, "a thread")), grid)


def _by_blocks(state: State, chain: Chain) -> tuple[HostStmt, ...]:
    threads = block_threads(chain.body, state)
    shared = share_blocks(chain)
    has_private = bool(private.allocated(chain.body))
    grid = grid_of(shared, PRIVATE_BLOCKS if has_private else None)
    body = chain.body
    if has_private:
        body = private.for_block(state, body, product(grid), _block_number(shared))
    body = gather(state, body)

    def kernel(lowered: tuple[DeviceStmt, ...], suffix: str, summary: str) -> str:
        again = (Barrier("the private arrays are used again"),) if has_private else ()
        return state.add(suffix, wrap(shared, (*lowered, *again), state), (threads, 1, 1), summary)

    code = BlockCode(state, threads, atomic_arrays(state, shared))
    plain = Launch(kernel(code.lower(body), "", _summary(shared, "a block")), grid)
    note_chain(state, shared, "block")
    note_inner(state, body, code.lanes, threads)
    state.trees.update(code.trees)
    code = replace(code, vectors=True)
    by_vectors = code.lower(body)
    for s in shared:
        state.honours.walked(s.axis, "each block takes one after the other, with all its waves")
    honour_inner(state, body, code)
    if not code.moves:
        return (plain,)
    aligned = kernel(by_vectors, "kernel_aligned", "the same by vectors")
    return (HostIf(vectors.aligned(state, tuple(code.moves)), (Launch(aligned, grid),), (plain,)),)


def share_threads(chain: Chain) -> tuple[Shared, ...]:
    """Lanes along the axis with the most contiguous accesses, rows of threads along the next, blocks along a
    third; what is left is walked by each thread."""
    lane = chain.lane()
    order = [lane, *(n for n in reversed(range(len(chain.axes))) if n != lane)]
    room = BLOCK
    hows: dict[int, Spread] = {}
    counts = marks.threads([chain.axes[n] for n in order[:3]], [_lanes(chain, n) for n in order[:3]])
    for letter, n, count in zip(LETTERS, order, counts or (None,) * 3, strict=False):
        axis = chain.axes[n]
        if count is not None:
            hows[n] = Spread(letter, True, count, axis.tile or count)
            continue
        wanted = {"x": BLOCK if len(chain.axes) == 1 else WAVE, "y": BLOCK // WAVE, "z": 1}[letter]
        if letter == "y" and hows[lane].threads < WAVE:
            wanted = room
        threads = min(room, _fitting(axis, chain.axes[:n], wanted))
        room //= threads
        hows[n] = Spread(letter, True, threads, axis.tile or threads)
    return tuple(Shared(a, chain.places[n], hows.get(n)) for n, a in enumerate(chain.axes))


def _lanes(chain: Chain, n: int) -> int:
    """Lanes that an axis can use beside the waves it is said to have."""
    axis = chain.axes[n]
    tile = None if axis.tile is None else max(1, axis.tile // (axis.mark("waves") or 1))
    return _fitting(replace(axis, tile=tile), chain.axes[:n], WAVE)


def share_blocks(chain: Chain, letters: Sequence[str] = LETTERS) -> tuple[Shared, ...]:
    """Blocks along as many axes as there are letters, the innermost fastest."""
    last = len(chain.axes) - 1
    hows = {last - k: letter for k, letter in enumerate(letters)}
    return tuple(
        Shared(a, chain.places[n], Spread(hows[n], True, 1, a.tile or 1) if n in hows else None)
        for n, a in enumerate(chain.axes)
    )


def _fitting(axis: Axis, outer: Sequence[Axis], wanted: int) -> int:
    """The largest power of two up to `wanted` that neither the tile nor a constant extent leaves idle."""
    limits = [n for n in (axis.tile, constant_trip(axis, outer)) if n is not None]
    threads = wanted
    while threads > 1 and any(threads >= 2 * max(1, n) for n in limits):
        threads //= 2
    if axis.tile is not None:
        while threads > axis.tile:
            threads //= 2
    return threads


def block_threads(body: tuple[Stmt, ...], state: State) -> int:
    """Threads for a block that shares out inner loops: whole waves, four unless all those loops are short."""
    inside = (*inner_loops(body, state.kinds), *inner_scans(body, state.kinds))
    waves = [n for s in inside if (n := s.axis.mark("waves"))]
    if waves:
        return waves[0] * WAVE
    trips = [constant_trip(s.axis) for s in inside]
    tiles = [s.axis.tile for s in inside]
    sizes = [n for n in (*trips, *tiles) if n is not None]
    if sizes and len(sizes) >= len(trips) and max(sizes) < BLOCK:
        return max(WAVE, -(-max(sizes) // WAVE) * WAVE) if max(sizes) > 2 * WAVE else WAVE
    ragged = all(t is None and _from_memory(s) for t, s in zip(trips, inside, strict=True))
    return WAVE if ragged else BLOCK


def _from_memory(loop: Loop) -> bool:
    return loads_or_locals(loop.axis.start) or loads_or_locals(loop.axis.stop)


def grid_of(shared: Sequence[Shared], most: int | None) -> tuple[Expr, Expr, Expr]:
    """Blocks along x, y, z. `most`: a cap on x, with y and z then 1, where each block costs memory."""
    counts: dict[str, Expr] = {}
    for n, s in enumerate(shared):
        if s.how is None:
            continue
        cap = MAX_GRID_X if s.how.letter == "x" else MAX_GRID_YZ
        if most is not None:
            cap = most if s.how.letter == "x" else 1
        counts[s.how.letter] = block_count(s.axis, [o.axis for o in shared[:n]], s.how.tile, cap)
    x, y, z = (counts.get(letter, ONE) for letter in LETTERS)
    return x, y, z


def block_of(shared: Sequence[Shared]) -> tuple[int, int, int]:
    """Threads of a block along x, y, z."""
    counts = {s.how.letter: s.how.threads for s in shared if s.how is not None}
    x, y, z = (counts.get(letter, 1) for letter in LETTERS)
    return x, y, z


def wrap(shared: Sequence[Shared], body: tuple[DeviceStmt, ...], state: State) -> tuple[DeviceStmt, ...]:
    """The body inside the loops of its chain, in the user's order."""
    for s in reversed(shared):
        if s.how is None:
            body = (loops.serial(s.axis, body, state.names, s.at),)
        else:
            body = (loops.spread(s.axis, s.how, body, state.names, s.at),)
    return body


def atomic_arrays(state: State, shared: Sequence[Shared]) -> frozenset[str]:
    """Arrays whose Updates may meet between the iterations that are shared out."""
    return frozenset(u.array for s in shared if s.how for u in state.kinds[s.axis.name].updates)


def _block_number(shared: Sequence[Shared]) -> Expr:
    """The number of this block, over the letters in use."""
    return private.linear(_blocks(shared))


def _blocks(shared: Sequence[Shared]) -> tuple[tuple[Expr, Expr], ...]:
    used = sorted(s.how.letter for s in shared if s.how)
    return tuple((Var(f"block.{c}", I64), Var(f"blocks.{c}", I64)) for c in used)


def thread_number(shared: Sequence[Shared]) -> Expr:
    """The number of this thread over the whole grid."""
    hows = sorted((s.how for s in shared if s.how and s.how.threads > 1), key=lambda how: how.letter)
    threads = tuple((how.thread_index, number(how.threads)) for how in hows)
    return private.linear((*threads, *_blocks(shared)))


def _summary(shared: Sequence[Shared], who: str) -> str:
    names = ", ".join(called(s.axis) for s in shared if s.how)
    return f"{who} for each {names}"


def note_chain(state: State, shared: Sequence[Shared], mode: str) -> None:
    """Tell where each axis of a chain went."""
    for s in shared:
        name = called(s.axis)
        if s.how is None:
            state.note(name, "serial in each thread", "the grid has three axes, and they are taken", s.at)
        elif mode == "block":
            state.note(
                name, f"grid {s.how.letter}, one a block", "parallel; its inner loops run along memory", s.at
            )
        else:
            where = f"grid {s.how.letter}, tiles of {s.how.tile}, {s.how.threads} threads"
            lanes = s.how.letter == "x"
            why = "parallel; contiguous accesses run along it" if lanes else "parallel"
            state.note(name, where, why + _atomic(state, s.axis), s.at)


def _atomic(state: State, axis: Axis) -> str:
    """What is told of an axis whose iterations may update one element."""
    arrays = sorted({u.array for u in state.kinds[axis.name].updates})
    return f"; {' and '.join(arrays)} by atomics" if arrays else ""


def note_inner(state: State, body: tuple[Stmt, ...], lanes: Sequence[str], threads: int) -> None:
    """Tell where each loop inside a block went."""
    for s in all_stmts(body):
        if not isinstance(s, Loop):
            continue
        kind = state.kinds[s.axis.name]
        name = called(s.axis)
        if s.axis.name in lanes:
            why = "reduction: a tree over the lanes" if kind.reductions else "parallel"
            why = "scan: a tree over the lanes" if kind.scans else why
            state.note(name, f"{threads} lanes of the block", why, s.at)
        else:
            state.note(name, "serial", _why_serial(kind.kind), s.at)


def honour_inner(state: State, body: tuple[Stmt, ...], code: BlockCode) -> None:
    """Tells which marks of the loops inside a block, and of what they move, are honoured."""
    state.honours.moved(touched(state, body), 1)
    for w in code.moves:
        state.honours.moved((state.nest.array(a) for a in dict.fromkeys((*w.loaded, *w.stored))), w.width)
    widths = {w.axis.name: w.width for w in code.moves}
    for s in all_stmts(body):
        if not isinstance(s, Loop):
            continue
        if s.axis.name in code.lanes:
            state.honours.shared(
                s.axis, min(WAVE, code.threads), max(1, code.threads // WAVE), widths.get(s.axis.name, 1)
            )
        else:
            state.honours.walked(s.axis, "the lanes of a block run its iterations one after the other together")


def _note_serial(state: State, body: tuple[Stmt, ...]) -> None:
    for s in all_stmts(body):
        if isinstance(s, Loop):
            kind = state.kinds[s.axis.name].kind
            state.note(called(s.axis), "serial in each thread", _why_serial(kind), s.at)


def _why_serial(kind: str) -> str:
    return {
        "scan": "a running value; the axes around it fill the machine",
        "serial": "a value is carried from one iteration to the next",
        "reduce": "a reduction; the axes around it fill the machine",
        "parallel": "parallel; the axes around it fill the machine",
    }[kind]
