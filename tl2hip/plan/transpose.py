"""Transposes: nests that load along one axis and store along another, in square tiles through LDS.

`for i: for j: B[j, i] = f(A[i, j])`: a block takes a tile of A. Each thread loads a small square of it, a row at a
time by 16 bytes; turned over in registers, its columns go to LDS, where they are pieces of B's rows; then lanes
side by side store pieces that lie side by side. Both sides move whole cache lines, and no access to LDS meets
another at a bank. The rows and columns behind the last whole squares are done one element at a time. A problem with
more tiles than one launch has blocks is left to the general plan's strided loops.
"""

from __future__ import annotations

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, add, ceil_div, mul, number, trip_count, value_of
from tl2hip.nest.ir import Axis, AxisRef, Compare, Expr, Load, Logic, Set, Store, Update, Var
from tl2hip.nest.walk import all_exprs, all_parts
from tl2hip.plan import loops
from tl2hip.plan.access import coefficient, loads_or_locals
from tl2hip.plan.chain import Chain, cooperation
from tl2hip.plan.extents import block_count
from tl2hip.plan.gfx942 import ACCESS_BYTES, LDS_BYTES, MAX_GRID_X, MAX_GRID_YZ
from tl2hip.plan.ir import DeviceStmt, For, HostIf, HostStmt, Launch
from tl2hip.plan.launch import plain_threads
from tl2hip.plan.loops import Spread
from tl2hip.plan.marks import TILE
from tl2hip.plan.names import Names, called
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.turn import BANK_PIECES, Turn, Turned
from tl2hip.plan.widen import Place, side_by_side
from tl2hip.source.span import Span

TILES = {1: 128, 2: 64, 4: 64, 8: 32}
"""Rows and columns of a tile, by bytes of an element: rows of 128 or 256 bytes, and at least a wave of threads."""


def transpose(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launch of a nest whose loads run along one axis and its store along another; None for any other."""
    turn = _turn(state, chain)
    if turn is None:
        return None
    for axis in chain.axes:
        state.honours.honour(axis.name, TILE)
    for array in (state.nest.array(a) for a, _ in turn.staged):
        state.honours.honour(array.name, "lds")
    state.honours.moved([state.nest.array(a) for a, _ in (*turn.staged, (turn.stored.array, ()))], turn.width)
    at = chain.places[-1]
    places = (chain.places[chain.axes.index(turn.store)], chain.places[chain.axes.index(turn.load)])
    tile = Turned(state, turn, chain.body, places).code(again=bool(turn.outer))
    body: tuple[DeviceStmt, ...] = (*tile, *_edges(state, turn, chain))
    for n, axis in enumerate(reversed(turn.outer)):
        loop = loops.serial if n else _a_block_each
        body = (loop(axis, body, state.names, at),)
    kernel = state.add("", body, (turn.threads, 1, 1), f"tiles of {turn.tile} x {turn.tile}, turned over in LDS")
    for axis, place in zip(chain.axes, chain.places, strict=True):
        state.note(called(axis), *_where(turn, axis), place)
    x, y = (ceil_div(trip_count(a.start, a.stop, 1), turn.tile) for a in (turn.load, turn.store))
    z = block_count(turn.outer[-1], turn.outer[:-1], 1, MAX_GRID_YZ) if turn.outer else ONE
    for axis in (turn.load, turn.store):
        state.grain(trip_count(axis.start, axis.stop, 1), turn.tile, turn.width)
    fast = Launch(kernel, (x, y, z))
    small = [
        Compare("<=", n, number(most)) for n, most in ((x, MAX_GRID_X), (y, MAX_GRID_YZ)) if value_of(n) is None
    ]
    if not small:
        return (fast,)
    general = plain_threads(state, chain, "kernel_any_size", "the same where there are more tiles than blocks")
    test = small[0] if len(small) == 1 else Logic("and", small[0], small[1])
    return (HostIf(test, (fast,), (general,)),)


def _a_block_each(axis: Axis, body: tuple[DeviceStmt, ...], names: Names, at: Span) -> DeviceStmt:
    return loops.spread(axis, Spread("z", True, 1, 1), body, names, at)


def _where(turn: Turn, axis: Axis) -> tuple[str, str]:
    """Where an axis went, and why."""
    if axis is turn.load:
        return f"grid x, tiles of {turn.tile}", "parallel; loads run along it"
    if axis is turn.store:
        return f"grid y, tiles of {turn.tile}", "parallel; stores run along it"
    if axis is turn.outer[-1]:
        return "grid z, one a block", "parallel"
    return "serial in each block", "the grid has three axes, and they are taken"


# --- what fits ---------------------------------------------------------------------------------------------


def _turn(state: State, chain: Chain) -> Turn | None:
    if cooperation(chain, state.kinds) == "block" or any(a.marks for a in chain.axes):
        return None
    if not all(isinstance(s, Set | Store | Update) for s in chain.body):
        return None
    stores = [s for s in chain.body if isinstance(s, Store | Update)]
    loads = [e for e in all_exprs(chain.body) if isinstance(e, Load)]
    atomic = {u.array for a in chain.axes for u in state.kinds[a.name].updates}
    if len(stores) != 1 or stores[0].array in atomic or any(e.array == stores[0].array for e in loads):
        return None
    stored = (stores[0].array, stores[0].index)
    store = next((a for a in chain.axes if side_by_side(state, stored, a)), None)
    if store is None or not stores[0].always:
        return None
    found = {a: _through(state, loads, a, store) for a in chain.axes if a is not store}
    load = max(found, key=lambda a: len(found[a]), default=None)
    if load is None or not found[load] or not (_plain(load) and _plain(store)):
        return None
    outer = tuple(a for a in chain.axes if a is not load and a is not store)
    if any(a.tile is not None for a in outer):
        return None
    return _sized(state, Turn(load, store, outer, found[load], _beside(state, loads, stores[0], store), stores[0]))


def _through(state: State, loads: list[Load], load: Axis, store: Axis) -> tuple[Place, ...]:
    """The places that are read side by side along one axis, and elsewhere for each value of the store's."""
    places = (
        (e.array, e.index)
        for e in loads
        if e.always and side_by_side(state, (e.array, e.index), load) and _moves(e.index, store)
    )
    return tuple(dict.fromkeys(places))


def _moves(index: tuple[Expr, ...], axis: Axis) -> bool:
    return any(coefficient(i, axis.name) != 0 for i in index)


def _beside(state: State, loads: list[Load], stored: Store | Update, store: Axis) -> tuple[Place, ...]:
    """The places that are read side by side along the store's axis, an updated one among them."""
    places = [(e.array, e.index) for e in loads if e.always and side_by_side(state, (e.array, e.index), store)]
    if isinstance(stored, Update):
        places.append((stored.array, stored.index))
    return tuple(dict.fromkeys(places))


def _plain(axis: Axis) -> bool:
    """Whether an axis has bounds that the launcher knows and that are the same all over."""
    ends = (axis.start, axis.stop)
    known = not any(loads_or_locals(e) or any(isinstance(p, AxisRef) for p in all_parts(e)) for e in ends)
    return axis.step == 1 and known


def _sized(state: State, turn: Turn) -> Turn | None:
    """With a tile that the elements' sizes and the user's marks allow; None where there is none."""
    sizes = {state.nest.array(a).dtype.bytes for a, _ in turn.staged}
    size = max(sizes)
    width = ACCESS_BYTES // size
    beside = [state.nest.array(a).dtype.bytes * width for a, _ in (*turn.beside, (turn.stored.array, ()))]
    tiles = {a.tile for a in (turn.load, turn.store) if a.tile is not None} or {TILES[size]}
    tile = max(tiles)
    pieces, left = divmod(tile, width)
    fits = left == 0 and pieces > 0 and pieces % BANK_PIECES == 0 and pieces * pieces <= 1024
    space = len(turn.staged) * tile * tile * size
    if any(m.name == "lds" and m.value for a, _ in turn.staged for m in state.nest.array(a).marks):
        return None
    if len(sizes) > 1 or len(tiles) > 1 or not fits or space > LDS_BYTES or width < 2:
        return None
    if any(n not in (4, 8, 16) for n in beside):
        return None
    return Turn(turn.load, turn.store, turn.outer, turn.staged, turn.beside, turn.stored, width, tile)


# --- around the tiles --------------------------------------------------------------------------------------


def _edges(state: State, turn: Turn, chain: Chain) -> tuple[DeviceStmt, ...]:
    """What is left behind the whole squares: the last few of one axis, then the last few of the other. The threads
    of all blocks share the long side."""
    lower = ThreadCode(state.names, state.dtypes, state.kinds).lower
    here = add(mul(Var("block.y", I64), Var("blocks.x", I64)), Var("block.x", I64))
    first = add(mul(here, number(turn.threads)), Var("thread.x", I64))
    step = mul(mul(Var("blocks.x", I64), Var("blocks.y", I64)), number(turn.threads))
    done: list[DeviceStmt] = []
    for few, long, stop in (
        (turn.load, turn.store, turn.store.stop),
        (turn.store, turn.load, turn.whole_end(turn.load)),
    ):
        if (value_of(trip_count(few.start, few.stop, 1)) or 1) % turn.width == 0:
            continue
        inner = For(few.name, turn.whole_end(few), few.stop, number(1), lower(chain.body), unroll=1)
        note = f"the last few {called(few)}"
        done.append(For(long.name, add(long.start, first), stop, step, (inner,), note=note))
    return tuple(done)
