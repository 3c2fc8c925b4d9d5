"""Transposes: nests that load along one axis and store along another, in square tiles through LDS.

`for i: for j: B[j, i] = f(A[i, j])`: a block takes a tile of A. Each thread loads a small square of it, a row at a
time by 16 bytes; turned over in registers, its columns go to LDS, where they are pieces of B's rows; then lanes
side by side store pieces that lie side by side. Both sides move whole cache lines, and no access to LDS meets
another at a bank. Of arrays whose elements are narrower than the widest ones turned, as many elements move at a
time, in fewer bytes. The rows and columns of a tile behind its last whole squares are done one element at a time.
"""

from __future__ import annotations

from tl2hip.nest.index import ONE, minimum, number, trip_count
from tl2hip.nest.ir import Axis
from tl2hip.plan.chain import Chain
from tl2hip.plan.gfx942 import MAX_GRID_X
from tl2hip.plan.ir import HostStmt, Launch
from tl2hip.plan.marks import TILE
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.turn import Turn
from tl2hip.plan.turn_code import Turned
from tl2hip.plan.turning import deepened, found, turns
from tl2hip.plan.unfit import Unfit

PLAN = "transpose"


def transpose(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launch of a nest whose loads run along one axis and its store along another; None for any other."""
    chain = deepened(chain, state.kinds)
    if not turns(chain):
        return None
    try:
        turn = found(state, chain)
    except Unfit as unfit:
        state.miss(PLAN, unfit, chain.places[-1])
        return None
    _honour(state, chain, turn)
    walked = tuple(a for a in chain.axes if a not in turn.numbered)
    places = {a.name: at for a, at in zip(chain.axes, chain.places, strict=True)}
    body = Turned(state, turn, chain.body, walked, places).code()
    kernel = state.add("", body, (turn.threads, 1, 1), f"tiles of {turn.tile} x {turn.tile}, turned over in LDS")
    for axis in chain.axes:
        state.note(called(axis), *_where(turn, axis), places[axis.name])
    for axis in (turn.load, turn.store):
        state.grain(trip_count(axis.start, axis.stop, 1), turn.tile, turn.width)
    return (Launch(kernel, (minimum(turn.tiles, number(MAX_GRID_X)), ONE, ONE)),)


def _honour(state: State, chain: Chain, turn: Turn) -> None:
    """Tells which marks are honoured."""
    for axis in chain.axes:
        state.honours.honour(axis.name, TILE)
    for array, _ in turn.staged:
        state.honours.honour(array, "lds")
    beside = [(a, turn.share(state.nest.array(a).dtype)[1]) for a, _ in (*turn.beside, (turn.stored.array, ()))]
    moved = [*((a, turn.width) for a, _ in turn.staged), *beside]
    for array in dict.fromkeys(a for a, _ in moved):
        widths = {n for a, n in moved if a == array}
        if len(widths) == 1:
            state.honours.moved([state.nest.array(array)], *widths)


def _where(turn: Turn, axis: Axis) -> tuple[str, str]:
    """Where an axis went, and why."""
    if axis is turn.load:
        return f"grid x, tiles of {turn.tile}", "parallel; loads run along it"
    if axis is turn.store:
        return f"grid x, tiles of {turn.tile}", "parallel; stores run along it"
    if axis in turn.around:
        return "grid x, one a block", "parallel"
    return "serial in each block", "parallel, but its length is not known to the launcher"
