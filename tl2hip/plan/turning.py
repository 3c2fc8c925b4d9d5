"""Which nests are transposes: what passes through LDS, and the tile that elements and marks allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.index import trip_count, value_of
from tl2hip.nest.ir import Array, Axis, AxisRef, Expr, If, Load, Loop, Set, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts
from tl2hip.plan.access import contiguous, loads_or_locals, moves_with, uses
from tl2hip.plan.chain import Chain, for_grid, head
from tl2hip.plan.gfx942 import ACCESS_BYTES, LDS_BYTES, MAX_THREADS
from tl2hip.plan.names import told
from tl2hip.plan.places import Place, side_by_side
from tl2hip.plan.state import State
from tl2hip.plan.turn import BANK_BYTES, Turn
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.widen import LEAST_BYTES, check_side_by_side, check_straight

TILES = {1: 128, 2: 64, 4: 64, 8: 32}
"""Rows and columns of a tile, by bytes of the widest element that is turned: rows of 128 or 256 bytes, and at least
a wave of threads."""


def turns(chain: Chain) -> bool:
    """Whether a nest looks like a transpose: without inner loops, it stores along one axis, and loads along another
    what is elsewhere for each value of the first."""
    if not all(isinstance(s, Set | Store | Update | If) for s in all_stmts(chain.body)):
        return False
    return next(_directions(chain), None) is not None


def _directions(chain: Chain) -> Iterator[tuple[Axis, Axis]]:
    """The axes along which a nest loads and stores, where these are two."""
    stores = [s for s in all_stmts(chain.body) if isinstance(s, Store | Update)]
    for store in chain.axes:
        if any(contiguous(s.index, store.name) for s in stores):
            for load in chain.axes:
                if load is not store and any(_passes(e.index, load, store) for e in _loads(chain.body)):
                    yield load, store


def _passes(index: tuple[Expr, ...], load: Axis, store: Axis) -> bool:
    """Whether a load runs along one axis and not along the other, on which it depends all the same."""
    along = contiguous(index, load.name) and not contiguous(index, store.name)
    return along and moves_with(index, store.name)


def _loads(body: tuple[Stmt, ...]) -> list[Load]:
    return [e for e in all_exprs(body) if isinstance(e, Load)]


def deepened(chain: Chain, kinds: Mapping[str, AxisKind]) -> Chain:
    """The chain with the loops inside it, where nothing but scalars stands ahead of them: those are computed again
    for each element."""
    ahead, last = chain.body[:-1], chain.body[-1]
    if not isinstance(last, Loop) or not all(isinstance(s, Set) for s in ahead) or not for_grid(last, kinds):
        return chain
    inner = head(last, kinds)
    outside, inside = uses(ahead), uses(inner.body)
    bounds = (p for a in inner.axes for e in (a.start, a.stop) for p in all_parts(e))
    if inside.sets & (outside.sets | outside.gets) or any(isinstance(p, Var) for p in bounds):
        return chain
    return Chain((*chain.axes, *inner.axes), (*chain.places, *inner.places), (*ahead, *inner.body))


def found(state: State, chain: Chain) -> Turn:
    """What is turned over in a nest that looks like a transpose. Raises Unfit where no tile of it can be."""
    check_straight(chain.body)
    for axis, at in zip(chain.axes, chain.places, strict=True):
        for m in axis.marks:
            raise Unfit(f"{m.text} shares {told(axis)} out otherwise than in squares", f"take {m.text} out", at)
    stored = _stored(state, chain)
    ways = list(_directions(chain))
    store = next((a for _, a in ways if side_by_side(state, (stored.array, stored.index), a)), None)
    if store is None or not stored.always:
        load, store = ways[0]
        _check_plain(chain, load, store)
        check_side_by_side(state, stored, store)
    load, staged = _staged(state, chain, store)
    _check_plain(chain, load, store)
    outer = tuple(a for a in chain.axes if a is not load and a is not store)
    for axis, at in zip(chain.axes, chain.places, strict=True):
        if axis in outer and axis.tile is not None:
            raise Unfit(f"a block takes one {told(axis)}, not a tile of them", "take its tile size out", at)
    beside = _beside(state, _loads(chain.body), stored, store)
    around = tuple(a for a in outer if _known(a))
    turn = _sized(state, Turn(load, store, around, staged, beside, stored))
    _check_long(chain, turn)
    return turn


def _stored(state: State, chain: Chain) -> Store | Update:
    """The one store of a nest."""
    first, *more = [s for s in chain.body if isinstance(s, Store | Update)]
    if more:
        other = more[0].array != first.array
        way = "store to each array in loops of its own" if other else ""
        raise Unfit(f"{more[0].array} is stored{', too' if other else ' twice'}", way, more[0].at)
    if any(u.array == first.array for a in chain.axes for u in state.kinds[a.name].updates):
        raise Unfit(f"several iterations update one element of {first.array}", at=first.at)
    if any(e.array == first.array and e.index != first.index for e in _loads(chain.body)):
        raise Unfit(f"{first.array} is loaded elsewhere than stored", "store to an array of its own", first.at)
    behind = chain.body[chain.body.index(first) + 1 :]
    if any(e.array == first.array for e in _loads(behind)):
        raise Unfit(f"{first.array} is loaded behind where it is stored", "keep the value in a local", first.at)
    return first


def _staged(state: State, chain: Chain, store: Axis) -> tuple[Axis, tuple[Place, ...]]:
    """The axis along which most places are loaded that a store along another needs, and these."""
    near = [(e, a) for a in chain.axes if a is not store for e in _loads(chain.body) if _passes(e.index, a, store)]
    places: dict[Axis, dict[Place, None]] = {a: {} for _, a in near}
    for e, axis in near:
        if e.always and side_by_side(state, (e.array, e.index), axis):
            places[axis][e.array, e.index] = None
    load = max(places, key=lambda a: len(places[a]))
    if not places[load]:
        _check_plain(chain, load, store)
        check_side_by_side(state, *near[0])
    return load, tuple(places[load])


def _beside(state: State, loads: list[Load], stored: Store | Update, store: Axis) -> tuple[Place, ...]:
    """The places that are read side by side along the store's axis, an updated one among them."""
    places = [(e.array, e.index) for e in loads if e.always and side_by_side(state, (e.array, e.index), store)]
    if isinstance(stored, Update):
        places.append((stored.array, stored.index))
    return tuple(dict.fromkeys(places))


def _check_plain(chain: Chain, *axes: Axis) -> None:
    """Raises Unfit where axes have bounds that the launcher does not know, or that are not the same all over."""
    for axis, at in zip(chain.axes, chain.places, strict=True):
        if axis not in axes:
            continue
        name = told(axis)
        if axis.step != 1:
            raise Unfit(f"{name} does not count up by 1", at=at)
        for end in (axis.start, axis.stop):
            if loads_or_locals(end):
                raise Unfit(f"the launcher does not know where {name} starts and ends", at=at)
            if any(isinstance(p, AxisRef) for p in all_parts(end)):
                raise Unfit(f"{name} starts or ends elsewhere all the time, so that tiles are no squares", at=at)


def _known(axis: Axis) -> bool:
    """Whether an axis has bounds that the launcher knows and that are the same all over."""
    ends = (axis.start, axis.stop)
    return not any(loads_or_locals(e) or any(isinstance(p, AxisRef) for p in all_parts(e)) for e in ends)


def _check_long(chain: Chain, turn: Turn) -> None:
    """Raises Unfit where an axis is known to be so short that no tile holds even one whole square."""
    for axis, at in zip(chain.axes, chain.places, strict=True):
        trip = value_of(trip_count(axis.start, axis.stop, axis.step))
        if axis in turn.around and trip == 0:
            raise Unfit(f"{told(axis)} is empty", at=at)
        if axis in (turn.load, turn.store) and trip is not None and trip < turn.width:
            raise Unfit(f"{told(axis)} is shorter than the {turn.width} rows and columns of a square", at=at)


def _sized(state: State, turn: Turn) -> Turn:
    """With a tile that the elements' sizes and the user's marks allow. Raises Unfit where there is none."""
    staged = [state.nest.array(a) for a, _ in turn.staged]
    others = [state.nest.array(a) for a, _ in (*turn.beside, (turn.stored.array, ()))]
    for a in staged:
        pad = next((m for m in a.marks if m.name == "lds" and m.value), None)
        if pad is not None:
            raise Unfit("pieces of a row change places in LDS, without pads", f"take {pad.text} out", pad.at)
    width = ACCESS_BYTES // max(a.dtype.bytes for a in staged)
    wide, narrow = (pick((*staged, *others), key=lambda a: a.dtype.bytes) for pick in (max, min))
    if width * narrow.dtype.bytes < LEAST_BYTES:
        raise Unfit(f"{width} elements of {wide.name} fill an access, and so few of {narrow.name} make none")
    out = width
    while out * others[-1].dtype.bytes > ACCESS_BYTES and out * narrow.dtype.bytes >= 2 * LEAST_BYTES:
        out //= 2
    return _tiled(replace(turn, width=width, out=out), staged)


def _tiled(turn: Turn, staged: list[Array]) -> Turn:
    """With the tile that the user says, or one of our own. Raises Unfit where it cannot be turned over in LDS."""
    sizes = [a.dtype.bytes for a in staged]
    said = [a for a in (turn.load, turn.store) if a.tile is not None]
    tiles = list(dict.fromkeys(a.tile or 0 for a in said)) or [TILES[max(sizes)]]
    tile = tiles[0]
    if len(tiles) > 1:
        cut = " and ".join(f"{a.tile} along {told(a)}" for a in said)
        raise Unfit(f"tiles of {cut} are no squares", f"a tile of {max(tiles)} for both is one")
    pieces, left = divmod(tile, turn.width)
    best = TILES[max(sizes)]
    way = f"a tile of {best} does" if best * best * sum(sizes) <= LDS_BYTES else ""
    if left or pieces * pieces > MAX_THREADS or not all(_fills_banks(turn.width * n, pieces) for n in set(sizes)):
        names = ", ".join(a.name for a in staged)
        raise Unfit(f"a tile of {tile} does not share the elements of {names} out over threads and banks", way)
    space = tile * tile * sum(sizes)
    if space > LDS_BYTES:
        raise Unfit(f"tiles of {tile} take {space:,} bytes of LDS, and gfx942 has {LDS_BYTES:,}", way)
    return replace(turn, tile=tile)


def _fills_banks(piece: int, pieces: int) -> bool:
    """Whether `pieces` of so many bytes go to all banks: they fill one line of them, or several, or half of one."""
    line = BANK_BYTES // piece
    return pieces > 0 and (pieces % line == 0 or 2 * pieces == line)
