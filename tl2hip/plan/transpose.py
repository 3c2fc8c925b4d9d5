"""Transposes: nests that load along one axis and store along another, in square tiles through LDS.

`for i: for j: B[j, i] = f(A[i, j])`: a block takes a tile of A. Each thread loads a small square of it, a row at a
time by 16 bytes; turned over in registers, its columns go to LDS, where they are pieces of B's rows; then lanes
side by side store pieces that lie side by side. Both sides move whole cache lines, and no access to LDS meets
another at a bank. The rows and columns of a tile behind its last whole squares are done one element at a time.
"""

from __future__ import annotations

from dataclasses import replace

from tl2hip.nest.index import ONE, minimum, number, trip_count, value_of
from tl2hip.nest.ir import Axis, AxisRef, Expr, Load, Set, Store, Update
from tl2hip.nest.walk import all_exprs, all_parts
from tl2hip.plan.access import coefficient, loads_or_locals
from tl2hip.plan.chain import Chain, cooperation
from tl2hip.plan.gfx942 import ACCESS_BYTES, LDS_BYTES, MAX_GRID_X
from tl2hip.plan.ir import HostStmt, Launch
from tl2hip.plan.marks import TILE
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.turn import BANK_PIECES, Turn, Turned
from tl2hip.plan.widen import Place, side_by_side

TILES = {1: 128, 2: 64, 4: 64, 8: 32}
"""Rows and columns of a tile, by bytes of an element: rows of 128 or 256 bytes, and at least a wave of threads."""

def transpose(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launch of a nest whose loads run along one axis and its store along another; None for any other."""
    turn = _turn(state, chain)
    if turn is None:
        return None
    walked = tuple(a for a in chain.axes if a not in turn.numbered)
    for axis in chain.axes:
        state.honours.honour(axis.name, TILE)
    for array in (state.nest.array(a) for a, _ in turn.staged):
        state.honours.honour(array.name, "lds")
    state.honours.moved([state.nest.array(a) for a, _ in (*turn.staged, (turn.stored.array, ()))], turn.width)
    places = {a.name: at for a, at in zip(chain.axes, chain.places, strict=True)}
    body = Turned(state, turn, chain.body, walked, places).code()
    kernel = state.add("", body, (turn.threads, 1, 1), f"tiles of {turn.tile} x {turn.tile}, turned over in LDS")
    for axis in chain.axes:
        state.note(called(axis), *_where(turn, axis), places[axis.name])
    for axis in (turn.load, turn.store):
        state.grain(trip_count(axis.start, axis.stop, 1), turn.tile, turn.width)
    return (Launch(kernel, (minimum(turn.tiles, number(MAX_GRID_X)), ONE, ONE)),)


def _where(turn: Turn, axis: Axis) -> tuple[str, str]:
    """Where an axis went, and why."""
    if axis is turn.load:
        return f"grid x, tiles of {turn.tile}", "parallel; loads run along it"
    if axis is turn.store:
        return f"grid x, tiles of {turn.tile}", "parallel; stores run along it"
    if axis in turn.around:
        return "grid x, one a block", "parallel"
    return "serial in each block", "parallel, but its length is not known to the launcher"


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
    if load is None or not found[load] or not all(_known(a) and a.step == 1 for a in (load, store)):
        return None
    outer = tuple(a for a in chain.axes if a is not load and a is not store)
    if any(a.tile is not None for a in outer):
        return None
    around = tuple(a for a in outer if _known(a))
    return _sized(state, Turn(load, store, around, found[load], _beside(state, loads, stores[0], store), stores[0]))


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


def _known(axis: Axis) -> bool:
    """Whether an axis has bounds that the launcher knows and that are the same all over."""
    ends = (axis.start, axis.stop)
    return not any(loads_or_locals(e) or any(isinstance(p, AxisRef) for p in all_parts(e)) for e in ends)


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
    if any(_shorter(a, width if a in (turn.load, turn.store) else 1) for a in turn.numbered):
        return None
    return replace(turn, width=width, tile=tile)


def _shorter(axis: Axis, least: int) -> bool:
    """Whether an axis is known to be so short that no tile holds even one whole square."""
    trip = value_of(trip_count(axis.start, axis.stop, axis.step))
    return trip is not None and trip < least
