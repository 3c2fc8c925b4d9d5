"""Loops of a thread: serial ones, and ones strided over the lanes of a block and the blocks of a grid.

Every loop over lanes or blocks is strided, so it is right for any number of them: grid sizes are a matter of
speed only.
"""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, add, maximum, minimum, mul, number
from tl2hip.nest.ir import Axis, AxisRef, Expr, Var
from tl2hip.plan.ir import DeviceStmt, For
from tl2hip.plan.names import Names, called
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True)
class Spread:
    """How one axis is shared out: over the blocks along `letter` (if `blocks`) and over `threads` threads
    along the same letter. `tile` elements of the axis belong to one block at a time."""

    letter: str
    blocks: bool
    threads: int
    tile: int

    @property
    def block_index(self) -> Expr:
        return Var(f"block.{self.letter}", I64) if self.blocks else number(0)

    @property
    def block_count(self) -> Expr:
        return Var(f"blocks.{self.letter}", I64) if self.blocks else ONE

    @property
    def thread_index(self) -> Expr:
        return Var(f"thread.{self.letter}", I64) if self.threads > 1 else number(0)


def serial(axis: Axis, body: tuple[DeviceStmt, ...], names: Names, at: Span) -> For:
    """The loop as one thread runs it, in pieces of the tile size where the user gave one."""
    unroll = next((m.value for m in axis.marks if m.name == "unroll"), None)
    if axis.tile is None:
        return _loop(axis, axis.start, axis.stop, number(axis.step), body, at, unroll=unroll)
    whole = Spread("x", False, 1, axis.tile)
    return _tiled(axis, whole, body, names, at, unroll)


def spread(axis: Axis, how: Spread, body: tuple[DeviceStmt, ...], names: Names, at: Span) -> For:
    """The loop with its iterations shared out over blocks and threads."""
    unroll = next((m.value for m in axis.marks if m.name == "unroll"), None)
    if how.tile != how.threads:
        return _tiled(axis, how, body, names, at, unroll)
    first = add(mul(how.block_index, number(how.tile)), how.thread_index)
    start = add(axis.start, mul(first, number(axis.step)))
    step = mul(how.block_count, number(how.tile * axis.step))
    return _loop(axis, start, axis.stop, step, body, at, unroll=unroll, note=_shared(axis, how))


def _tiled(
    axis: Axis, how: Spread, body: tuple[DeviceStmt, ...], names: Names, at: Span, unroll: int | None
) -> For:
    """An outer loop over tiles, an inner one over the elements of a tile."""
    tile = names.fresh(f"{axis.name}_tile")
    reach = number(how.tile * axis.step)
    head = AxisRef(tile)
    end = minimum(add(head, reach), axis.stop) if axis.step > 0 else maximum(add(head, reach), axis.stop)
    start = add(head, mul(how.thread_index, number(axis.step)))
    inner = _loop(axis, start, end, number(how.threads * axis.step), body, at, unroll=unroll)
    outer_start = add(axis.start, mul(how.block_index, reach))
    outer_step = mul(how.block_count, reach)
    note = f"tiles of {how.tile} {called(axis)}"
    return For(tile, outer_start, axis.stop, outer_step, (inner,), down=axis.step < 0, note=note, at=at)


def _loop(
    axis: Axis,
    start: Expr,
    stop: Expr,
    step: Expr,
    body: tuple[DeviceStmt, ...],
    at: Span,
    unroll: int | None = None,
    note: str = "",
) -> For:
    return For(axis.name, start, stop, step, body, down=axis.step < 0, unroll=unroll, note=note, at=at)


def _shared(axis: Axis, how: Spread) -> str:
    name = called(axis)
    if how.blocks and how.threads > 1:
        return f"{how.threads} {name} a block"
    return f"one {name} a block" if how.blocks else f"{name} over {how.threads} lanes"
