"""Rows: nests in which each point of the grid runs loops over one row, as softmax and the norms do.

A row that fits stays in registers from the first loop to the last: a short one in those of a wave, with four rows a
block, a longer one in those of a block. What is longer still, or no whole vectors, is walked piece by piece. Lanes
meet by data parallel primitives and one hop through LDS.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, ZERO, add, ceil_div, minimum, mul, number, sub, trip_count, value_of
from tl2hip.nest.ir import Axis, AxisRef, Binary, Compare, Expr, Logic, Loop, Stmt, Var
from tl2hip.nest.walk import substitute
from tl2hip.plan import launch as general
from tl2hip.plan import marks
from tl2hip.plan.block import gather, inner_loops
from tl2hip.plan.chain import Chain, cooperation
from tl2hip.plan.gfx942 import MAX_GRID_X, WAVE
from tl2hip.plan.ir import DeviceIf, DeviceStmt, For, HostIf, HostLoop, HostStmt, Launch, Let
from tl2hip.plan.names import called, told
from tl2hip.plan.reduce import partials
from tl2hip.plan.rows import size as sizes
from tl2hip.plan.rows.find import Row, down, find, near
from tl2hip.plan.rows.lower import RowCode
from tl2hip.plan.rows.pieces import PieceCode
from tl2hip.plan.rows.size import LANE_WORK, Size
from tl2hip.plan.state import State
from tl2hip.plan.strips import fits
from tl2hip.plan.tree import Tree
from tl2hip.plan.turning import deepened, turns
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.walk import map_exprs
from tl2hip.source.span import Span

__all__ = ["rows"]

PLAN = "row"


def rows(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launches of a nest of rows that registers hold; None where it is no such nest."""
    if not inner_loops(chain.body, state.kinds) or turns(deepened(chain, state.kinds)):
        return None
    trial = replace(state, kinds=dict(state.kinds), dtypes=dict(state.dtypes), names=copy.deepcopy(state.names))
    body = gather(trial, chain.body)
    if cooperation(replace(chain, body=body), trial.kinds) != "block":
        _tell_columns(state, chain)
        return None
    if not near(chain.body) or fits(state, chain):
        return None
    try:
        if any(state.kinds[axis.name].updates for axis in chain.axes):
            raise Unfit("several rows update one element")
        row, width = _found(trial, body, chain.axes)
        waves, together = _waves(state, chain, row, width), _together(chain)
        length = value_of(row.extent)
        size = None if length is None else _fixed(state, row, length, width, together, waves)
    except Unfit as unfit:
        state.miss(PLAN, unfit, chain.places[0])
        return None
    if size is not None:
        row = replace(row, body=gather(state, chain.body))
        _tell(state, chain, row, (size,))
        _honour(state, chain, row, size)
        return (_launch(state, chain, row, size, ""),)
    tried = sizes.run_time(width, sizes.most_vectors(state, row, width), together, waves)
    try:
        rest = _pieces(row, width, waves)
    except Unfit:
        return _any_length(state, chain, row, tried)
    return _in_pieces(state, chain, row, tried, rest)


def _tell_columns(state: State, chain: Chain) -> None:
    """Says why loops that are those of rows, but for the direction, are not."""
    loop = down(chain.body, chain.axes)
    if loop is not None:
        name = told(loop.axis)
        why = f"{name} steps from row to row, so that each thread runs down a column of its own"
        way = f"hold the arrays with {name} as their last index"
        state.miss(PLAN, Unfit(why, way), loop.at)


def _together(chain: Chain) -> int:
    """Rows that a block takes together."""
    tile = chain.axes[-1].tile
    together = sizes.rows_of(tile)
    if not together:
        way = "take the tile size out"
        raise Unfit(f"a tile of {tile} rows is more than a block has waves", way, chain.places[-1])
    return together


def _fixed(state: State, row: Row, length: int, width: int, together: int, waves: int | None) -> Size:
    """How a row of a length that is known is shared out."""
    for vectors in (sizes.most_vectors(state, row, width, LANE_WORK), sizes.longest(state, row, width)):
        size = sizes.fixed(length, width, vectors, together, waves)
        if size is not None:
            return size
    return _pieces(row, width, waves, length)


def _pieces(row: Row, width: int, waves: int | None, length: int | None = None) -> Size:
    """How a row is shared out that registers do not hold. Raises Unfit where it has an array of its own."""
    own = next((h.array for h in row.held if h.local), None)
    if own is not None:
        what = "may be" if length is None else "is"
        way = "compute it again where it is used"
        raise Unfit(f"{own} {what} too long for registers, or no whole number of {width} elements", way)
    return sizes.in_pieces(width, sum(h.loaded for h in row.held), waves, length)


def _waves(state: State, chain: Chain, row: Row, width: int) -> int | None:
    """The waves that the user says share a row. Raises Unfit where marks say what this plan cannot do."""
    for axis in chain.axes:
        if axis.marks:
            raise Unfit(f"{told(axis)} has marks of its own", "take them out")
    axes = [s.axis for s in row.loops]
    waves = list(dict.fromkeys(n for a in axes if (n := a.mark("waves")) is not None))
    wide = [n for a in axes if (n := a.mark("vec")) is not None]
    wide += [n for h in row.held if (n := marks.vec(state.nest.array(h.array))) is not None]
    if len(waves) > 1 or any(n != width for n in wide):
        raise Unfit(f"marks say other waves, or other than {width} elements at a time", "take them out")
    return waves[0] if waves else None


def _honour(state: State, chain: Chain, row: Row, size: Size) -> None:
    """Tells which marks are honoured."""
    for axis in chain.axes:
        state.honours.walked(axis)
    for s in row.loops:
        waves = size.lanes // WAVE if s.axis.mark("waves") is not None else 0
        state.honours.shared(s.axis, WAVE, waves, size.width)
    state.honours.moved((state.nest.array(h.array) for h in row.held if not h.local), size.width)


def _found(trial: State, body: tuple[Stmt, ...], around: tuple[Axis, ...]) -> tuple[Row, int]:
    """The row that a body works on and the elements that a lane takes side by side. Raises Unfit."""
    row = find(trial, body, around)
    for s in row.loops:
        reductions = trial.kinds[s.axis.name].reductions
        if partials(reductions, s.axis, s.body, trial.dtypes, trial.names) is None:
            raise Unfit(f"a reduction over {told(s.axis)} cannot be shared out")
    width = sizes.width_of(trial, row)
    if width is None:
        raise Unfit("nothing along it can be moved 16 bytes at a time")
    return row, width


def _any_length(state: State, chain: Chain, row: Row, tried: tuple[Size, ...]) -> tuple[HostStmt, ...]:
    """Kernels for short and for longer rows, and the general ones for rows that registers do not hold."""
    kinds, notes, honours = dict(state.kinds), len(state.notes), state.honours.aside()
    otherwise = general.launch(state, _loop_of(chain))
    state.kinds.update(kinds)
    del state.notes[notes:]
    state.honours = honours
    row = replace(row, body=gather(state, chain.body))
    trees = dict(state.trees)
    _tell(state, chain, row, tried)
    _honour(state, chain, row, tried[0])
    for axis, tree in trees.items():
        if axis in state.trees and tree is not state.trees[axis]:
            state.trees[axis] = replace(tree, others=(state.trees[axis], *state.trees[axis].others))
    return _chosen(state, chain, row, tried, otherwise)


def _in_pieces(state: State, chain: Chain, row: Row, tried: tuple[Size, ...], rest: Size) -> tuple[HostStmt, ...]:
    """Kernels for short and for longer rows, and one that walks any other piece by piece."""
    row = replace(row, body=gather(state, chain.body))
    _tell(state, chain, row, (*tried, rest))
    _honour(state, chain, row, tried[0])
    return _chosen(state, chain, row, tried, (_launch(state, chain, row, rest, "kernel_long"),))


def _chosen(
    state: State, chain: Chain, row: Row, tried: tuple[Size, ...], otherwise: tuple[HostStmt, ...]
) -> tuple[HostStmt, ...]:
    """The launch of the first of these sizes that a row fits, else what is there otherwise."""
    names = {WAVE: "kernel_wave"}
    launches = [_launch(state, chain, row, s, names.get(s.lanes, "kernel_block")) for s in tried]
    whole = Compare("==", Binary("%", row.extent, number(tried[0].width)), ZERO)
    for size, done in reversed(list(zip(tried, launches, strict=True))):
        short = Compare("<=", row.extent, number(size.most))
        otherwise = (HostIf(Logic("and", whole, short), (done,), otherwise),)
    return otherwise


def _loop_of(chain: Chain) -> Loop:
    """The loops of a chain again."""
    body: tuple[Stmt, ...] = chain.body
    for axis, at in reversed(list(zip(chain.axes, chain.places, strict=True))):
        body = (Loop(axis, body, at=at),)
    (loop,) = body
    assert isinstance(loop, Loop)
    return loop


def _launch(state: State, chain: Chain, row: Row, size: Size, suffix: str) -> HostStmt:
    """The launch of the kernel for one size, which joins the state."""
    shared = general.share_blocks(chain)
    state.grain(row.extent, size.most, size.width)
    atomic = general.atomic_arrays(state, shared)
    code = PieceCode(state, row, size, atomic, chain.axes) if size.pieces else RowCode(state, row, size, atomic)
    axis = chain.axes[-1]
    alone = len(chain.axes) == 1 and axis.step == 1 and axis.tile in (None, size.rows)
    rest = _Rest.of(state, chain, size) if alone else None
    body = code.lower(again=not alone)
    if rest is not None:
        body = rest.here(state, size, code.wave, body)
    else:
        last = shared[-1]
        if size.rows > 1 and last.how is not None:
            body = (_rows_of_waves(chain, size, code.wave, body),)
            shared = (*shared[:-1], replace(last, how=replace(last.how, tile=size.rows)))
            body = general.wrap(shared[:-1], body, state)
        else:
            body = general.wrap(shared, body, state)
    who = "a wave" if size.lanes == WAVE else "a block"
    how = "piece by piece" if size.pieces else "whose row stays in registers"
    summary = f"{who} for each {', '.join(called(a) for a in chain.axes)}, {how}"
    kernel = state.add(suffix, (*code.ahead(), *body), (size.lanes * size.rows, 1, 1), summary)
    if rest is None:
        return Launch(kernel, general.grid_of(shared, None))
    return rest.launches(kernel, size)


@dataclass(frozen=True, slots=True)
class _Rest:
    """Rows along one axis of which a launch takes as many as a grid can have, from `start` on. Where there may be
    more, `start` is the variable of a loop of the launcher."""

    axis: Axis
    start: Expr
    loop: str
    at: Span

    @classmethod
    def of(cls, state: State, chain: Chain, size: Size) -> _Rest:
        """The rows of a chain of one axis that counts by 1."""
        (axis,), (at,) = chain.axes, chain.places
        count = value_of(trip_count(axis.start, axis.stop, 1))
        loop = state.names.local(f"{called(axis)}_start") if count is None or count > MAX_GRID_X * size.rows else ""
        return cls(axis, AxisRef(loop) if loop else axis.start, loop, at)

    def here(self, state: State, size: Size, wave: str, body: tuple[DeviceStmt, ...]) -> tuple[DeviceStmt, ...]:
        """The body for the row of this block, or of this wave if there is one."""
        name = state.plain(self.axis)
        row: Expr = Var("block.x", I64)
        if size.rows > 1:
            row = add(mul(row, number(size.rows)), Var(wave, I64))
        axis, this = AxisRef(self.axis.name), Var(name, I64)
        body = map_exprs(lambda e: substitute(e, {axis: this}), body)
        let = Let(name, add(self.start, row), at=self.at)
        if size.rows == 1:
            return (let, *body)
        return (let, DeviceIf(Compare("<", this, self.axis.stop), body, note="one row a wave"))

    def launches(self, kernel: str, size: Size) -> HostStmt:
        """The launches for all rows."""
        left = sub(self.axis.stop, self.start) if self.loop else trip_count(self.start, self.axis.stop, 1)
        launch = Launch(kernel, (minimum(ceil_div(left, size.rows), number(MAX_GRID_X)), ONE, ONE))
        if not self.loop:
            return launch
        return HostLoop(self.loop, self.axis.start, self.axis.stop, MAX_GRID_X * size.rows, (launch,))


def _rows_of_waves(chain: Chain, size: Size, wave: str, body: tuple[DeviceStmt, ...]) -> For:
    """The loop over rows of which each wave of a block takes its own."""
    axis = chain.axes[-1]
    first = add(mul(Var("block.x", I64), number(size.rows)), Var(wave, I64))
    start: Expr = add(axis.start, mul(first, number(axis.step)))
    step = mul(Var("blocks.x", I64), number(size.rows * axis.step))
    note = f"{size.rows} {called(axis)} a block, one a wave"
    return For(axis.name, start, axis.stop, step, body, down=axis.step < 0, note=note, at=chain.places[-1])


def _tell(state: State, chain: Chain, row: Row, tried: tuple[Size, ...]) -> None:
    """Notes where each loop went, and the trees of the reductions."""
    short = tried[0]
    where = "a block for each"
    if short.lanes == WAVE:
        where = f"a wave for each, {short.rows} a block"
        if any(s.lanes > WAVE for s in tried):
            where = f"a wave for each row of up to {short.most}, else a block"
        elif len(tried) > 1:
            where += f" up to {short.most} elements"
    for axis, at in zip(chain.axes, chain.places, strict=True):
        state.note(called(axis), f"grid, {where}", "parallel; its inner loops run along memory", at)
    *shorter, base = (Tree(s.lanes, width=s.width, most=None if s.pieces else s.most) for s in tried)
    if not tried[-1].pieces:
        base, *shorter = (*shorter, base)
    for s in row.loops:
        reduced = bool(state.kinds[s.axis.name].reductions)
        if reduced:
            state.trees[s.axis.name] = replace(base, others=tuple(shorter))
        how = "reduction: a tree over the lanes" if reduced else "parallel"
        where = "piece by piece" if short.pieces else "in registers"
        state.note(called(s.axis), f"lanes, {short.width} elements at a time {where}", how, s.at)
