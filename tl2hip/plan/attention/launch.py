"""The launch of attention: which cut, which kernels, and when the launcher takes which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tl2hip.dtypes import F32
from tl2hip.nest.index import ONE, mul, number, sub, value_of
from tl2hip.nest.ir import AxisRef, Cast, Compare, Const, Dim, Expr, Logic
from tl2hip.nest.walk import all_parts
from tl2hip.plan import launch as general
from tl2hip.plan.attention.epilogue import moved_in_vectors
from tl2hip.plan.attention.find import PLAN, Attention, found
from tl2hip.plan.attention.kernel import RowsKernel, registers
from tl2hip.plan.attention.softmax import scale_of
from tl2hip.plan.attention.tile import Cut, cut
from tl2hip.plan.chain import Chain
from tl2hip.plan.gfx942 import ACCESS_BYTES, WAVE
from tl2hip.plan.ir import Aligned, HostIf, HostStmt, Launch
from tl2hip.plan.names import called
from tl2hip.plan.softmax_ir import Joined
from tl2hip.plan.state import State
from tl2hip.plan.unfit import Unfit

NEAR = 2**31
"""Bytes that a lane's 32-bit offset reaches."""

DEPTHS = (128, 64)
"""Elements of a row for which there is a kernel each where they are only known at the launch."""


def attention(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launch of a chain that is attention; None where it is none."""
    p = found(state, chain)
    if p is None:
        return None
    try:
        cuts = tuple(_cuts(p))
        _check_reach(state, p, cuts)
    except Unfit as unfit:
        state.miss(PLAN, unfit, p.product_at)
        return None
    _note(state, p, cuts)
    _cut_extents(state, p, cuts)
    count = sub(p.keys.axis.stop, p.keys.axis.start)
    sown = p.seed is not None
    state.joins.append(Joined(p.scores, p.product, p.over.axis.name, p.most, count, cuts[0].keys, sown))
    launches = [_launch(state, p, one, several=len(cuts) > 1) for one in cuts]
    if launches[-1][0] is None:
        state.placed.pop(p.scores, None)
        return launches[-1][1]
    done = _otherwise(state, chain)
    for test, fast in reversed(launches):
        assert test is not None
        done = (HostIf(test, fast, done),)
    return done


def _otherwise(state: State, chain: Chain) -> tuple[HostStmt, ...]:
    """The general launch, for sizes that no kernel here takes. Its notes are not told beside those of attention,
    and its trees hold for none of the sums that attention takes one by one."""
    notes, trees = len(state.notes), dict(state.trees)
    done = general.launch_chain(state, chain)
    del state.notes[notes:]
    state.trees.clear()
    state.trees.update(trees)
    return done


def _cuts(p: Attention) -> Iterator[Cut]:
    """The cuts for which there are kernels: one where the sizes of a row are known."""
    depth, width = value_of(p.over.axis.stop), value_of(p.columns.axis.stop)
    if depth is not None and width is not None:
        yield cut(p, depth, width)
        return
    stops = {e for e in (p.over.axis.stop, p.columns.axis.stop) if value_of(e) is None}
    known = depth or width
    if len(stops) > 1 or not all(isinstance(e, Dim) for e in stops):
        raise Unfit("the elements of a row are an expression", "give them a constant number, as in D = 128")
    for size in DEPTHS if known is None else (known,):
        yield cut(p, size, size)


def _launch(
    state: State, p: Attention, one: Cut, *, several: bool
) -> tuple[Expr | None, tuple[HostStmt, ...]]:
    """When the launcher takes the kernels of a cut (None: always), and their launches; adds them."""
    scale = scale_of(p, state.constants)
    held, moves = registers(state, p, one, scale), moved_in_vectors(state, p, one)
    kernel = RowsKernel(p, one, scale, held, moves, aligned=True)
    grid = (kernel.grid, ONE, ONE)
    suffix = f"_{one.depth}" if several else ""
    names = []
    for aligned in (True, False):
        body = replace(kernel, aligned=aligned).body(state)
        said = f"{one.rows} rows a block, {one.keys} keys at a time"
        said += "" if aligned else ", at any alignment"
        name, waves = f"kernel{suffix}{'_aligned' * aligned}", _waves(p, one, aligned)
        names.append(state.add(name, body, (one.threads, 1, 1), said, waves))
    arrays = tuple(dict.fromkeys(f.array for f in (p.query, p.key, p.value)))
    last = dict.fromkeys(state.nest.array(a).shape[-1] for a in arrays)
    unknown = tuple(e for e in last if value_of(e) is None)
    if any((value_of(e) or 0) % 8 for e in last):
        return _limits(state, p, one), (Launch(names[1], grid),)
    test = Aligned(arrays, ACCESS_BYTES, unknown, 8)
    fast = (HostIf(test, (Launch(names[0], grid),), (Launch(names[1], grid),)),)
    return _limits(state, p, one), fast


def _waves(p: Attention, one: Cut, aligned: bool) -> int:
    """Waves on a SIMD. Where a score is computed from how far a key is from its row, the compiler keeps that
    distance of all scores of a lane, and what is read at any alignment has an address for each piece: for wide rows
    either leaves no registers for two."""
    if not aligned and one.width > WAVE:
        return 1
    far = [e for e in all_parts(p.score) if isinstance(e, Cast) and e.dtype.is_float and not e.value.dtype.is_float]
    distances = any(x == AxisRef(p.rows.name) for e in far for x in all_parts(e))
    return 1 if distances and one.width > WAVE else one.waves


def _check_reach(state: State, p: Attention, cuts: tuple[Cut, ...]) -> None:
    """Raises Unfit where rows of keys or values surely lie too far apart for offsets of 32 bits within a tile."""
    for f in (p.key, p.value):
        pitch = value_of(f.pitch(state.nest.array(f.array).shape)) or 0
        if pitch * cuts[0].keys * f.dtype.bytes >= NEAR:
            raise Unfit(f"rows of {f.array} are {pitch:,} elements apart, and a tile of them has no 32-bit offsets")


def _limits(state: State, p: Attention, one: Cut) -> Expr | None:
    """What must hold for the kernels: the sizes of a row, and offsets of 32 bits within a tile. How many rows and
    keys there are needs no limit: 2**31 of them, of 128 bytes and more, are more than the memory of a gfx942."""
    sizes = ((p.over.axis.stop, one.depth), (p.columns.axis.stop, one.width))
    tests = [Compare("==", e, number(n)) for e, n in sizes if value_of(e) is None]
    for f in (p.key, p.value):
        pitch = f.pitch(state.nest.array(f.array).shape)
        if not all(isinstance(e, Const) or e in (p.over.axis.stop, p.columns.axis.stop) for e in all_parts(pitch)):
            tests.append(Compare("<", mul(pitch, number(one.keys * f.dtype.bytes)), number(NEAR)))
    whole: Expr | None = None
    for test in dict.fromkeys(tests):
        whole = test if whole is None else Logic("and", whole, test)
    return whole


def _cut_extents(state: State, p: Attention, cuts: tuple[Cut, ...]) -> None:
    """How extents are cut, for proofs."""
    state.grain(p.rows.stop, cuts[0].rows, 1)
    if not p.ragged:
        state.grain(p.keys.axis.stop, cuts[0].keys, 1)
    for one in cuts:
        for e, size in ((p.over.axis.stop, one.depth), (p.columns.axis.stop, one.width)):
            if value_of(e) is None:
                state.grain(e, size, 1, exact=True)


def _note(state: State, p: Attention, cuts: tuple[Cut, ...]) -> None:
    """Where each loop went."""
    one = cuts[0]
    places = {a.name: at for a, at in zip(p.chain.axes, p.chain.places, strict=True)}
    for n in p.batch:
        state.note(called(p.chain.axes[n]), "grid x, one a block", "attention for each", p.chain.places[n])
    state.note(called(p.rows), f"grid x, {one.rows} a block", "rows of attention", places[p.rows.name])
    name = one.score.builtin.removeprefix("__builtin_amdgcn_")
    where = f"tiles of {one.keys}"
    state.note(called(p.keys.axis), where, "keys of attention, in one pass", p.keys.at)
    state.note(called(p.over.axis), "whole in registers", f"summed by {name}", p.over.at)
    name = one.weigh.builtin.removeprefix("__builtin_amdgcn_")
    why = f"columns, summed by {name}"
    if p.weight is F32:
        why += f", an eighth as fast as for weights that are rounded to {p.value.dtype}"
    state.note(called(p.columns.axis), "whole in registers", why, p.columns.at)
