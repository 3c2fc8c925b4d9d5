"""Scans: a loop whose running values are read as it goes, in two launches over chunks of its iterations.

`for i in range(N): s += x[i]; y[i] = s` is cut into as many chunks as there are blocks. The first launch leaves
what each chunk but the last adds to `s`. In the second each block puts together what the chunks before its own
added, and walks its chunk with that. A few iterations are one block's, in one launch. Every order is fixed, so the
result is the same in each run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, ZERO, add, ceil_div, minimum, mul, number, sub, value_of
from tl2hip.nest.ir import Axis, AxisRef, Binary, Compare, Expr, Load, Logic, Loop, Set, Store, Var
from tl2hip.nest.walk import all_stmts
from tl2hip.plan.access import loads_or_locals
from tl2hip.plan.gfx942 import TOTAL_BLOCKS, WAVE
from tl2hip.plan.ir import DeviceIf, DeviceStmt, For, HostIf, HostStmt, Launch, Let
from tl2hip.plan.launch import BLOCK, touched
from tl2hip.plan.marks import TILE
from tl2hip.plan.names import called
from tl2hip.plan.reduce import merge
from tl2hip.plan.running import THREAD, Running, Scan
from tl2hip.plan.state import State
from tl2hip.plan.tree import ScanTree
from tl2hip.plan.widen import Widened

FEW = 1024
"""Iterations that one block takes alone: about as long as a second launch takes."""

BLOCK_INDEX, BLOCKS = Var("block.x", I64), Var("blocks.x", I64)

Parts = Mapping[str, str]
"""The workspace array of what the chunks add to each running value."""


def scan(state: State, loop: Loop, starts: Mapping[str, Expr]) -> tuple[HostStmt, ...]:
    """The launches of a scan; `starts` gives each running value's start. Adds kernels and notes to the state."""
    s = Scan.of(state, loop, _threads(loop.axis), keep=True)
    _tell(s)
    known = value_of(s.trips)
    if loads_or_locals(s.trips) or (known is not None and known <= FEW):
        kernel = state.add("scan", (*s.alone(starts), *_left(s)), (s.threads, 1, 1), f"one block, {_tiles(s)}")
        return (Launch(kernel, (ONE, ONE, ONE)),)
    parts = {v.name: state.workspace(f"{v.name}_parts", v.dtype, (number(TOTAL_BLOCKS),)) for v in s.values}
    summary = "what each chunk but the last adds"
    first = state.add("partials", _partials(s, parts), (s.threads, 1, 1), summary)
    chunk = Chunk.of(s, BLOCKS, last=True)
    code = (*_ahead(s, starts, parts), *chunk.lets, *s.walk(chunk.begin, chunk.whole, chunk.end), *_left(s))
    second = state.add("scan", code, (s.threads, 1, 1), f"a block for each chunk, {_tiles(s)}")
    blocks = minimum(ceil_div(s.trips, s.tile), number(TOTAL_BLOCKS))
    both = (Launch(first, (sub(blocks, ONE), ONE, ONE)), Launch(second, (blocks, ONE, ONE)))
    if known is not None:
        return both
    state.grain(s.trips, s.tile, s.run)
    return (HostIf(Compare("<=", s.trips, number(FEW)), (Launch(second, (ONE, ONE, ONE)),), both),)


def _threads(axis: Axis) -> int:
    """Threads of a block: the waves that the user says, four, or one where the tile is no multiple of these."""
    waves = axis.mark("waves")
    if waves is None and axis.tile is not None and axis.tile % BLOCK:
        return WAVE
    return BLOCK if waves is None else waves * WAVE


def _tiles(s: Scan) -> str:
    return f"{s.tile} {called(s.loop.axis)} at a time"


# --- the kernels -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chunk:
    """The trips of a block, `begin` to before `end`; up to `whole` they are tiles that are moved as vectors."""

    begin: Var
    whole: Var
    end: Var
    lets: tuple[Let, ...]

    @classmethod
    def of(cls, s: Scan, blocks: Expr, *, last: bool) -> Chunk:
        """One of so many, as many tiles as any other has or one more; `last`: it may hold the last trips."""
        begin, whole, end, tiles = map(s.local, ("begin", "whole", "end", "tiles"))

        def first_of(block: Expr) -> Expr:
            return mul(Binary("//", mul(block, tiles), blocks), number(s.tile))

        behind = first_of(add(BLOCK_INDEX, ONE))
        lets = (
            Let(tiles.name, ceil_div(s.trips, s.tile)),
            Let(begin.name, first_of(BLOCK_INDEX)),
            Let(end.name, minimum(behind, s.trips) if last else behind),
        )
        if s.wide is None:
            return cls(begin, begin, end, lets)
        if not last:
            return cls(begin, end, end, lets)
        return cls(begin, whole, end, (*lets, Let(whole.name, minimum(end, s.tiled))))


def _partials(s: Scan, parts: Parts) -> tuple[DeviceStmt, ...]:
    """Leaves what the chunk of each block adds to the running values. The last chunk has no block: nothing comes
    behind it."""
    chunk, at = Chunk.of(s, add(BLOCKS, ONE), last=False), s.loop.at
    walk = s.iterations(add(chunk.begin, THREAD), chunk.end, s.threads, s.code.lower(s.fed))
    if s.wide_fed is not None:
        vectors = Widened(s.state, s.wide_fed, s.fed, at, s.code.lower).code
        walk = s.whole_tiles(chunk.begin, chunk.end, vectors)
    stores = tuple(Store(parts[v.name], (BLOCK_INDEX,), v.var(v.part), proven=True, at=at) for v in s.values)
    return (
        *(v.nothing(v.part) for v in s.values),
        *chunk.lets,
        walk,
        *(s.combine(v, v.part) for v in s.values),
        DeviceIf(Compare("==", THREAD, ZERO), stores, note="one part a block", at=at),
    )


def _ahead(s: Scan, starts: Mapping[str, Expr], parts: Parts) -> tuple[DeviceStmt, ...]:
    """The values before the chunk: what they start from, and what the chunks before this one add."""

    def one(v: Running) -> tuple[DeviceStmt, ...]:
        block = s.local("block")
        part = Load(parts[v.name], (AxisRef(block.name),), v.dtype, proven=True)
        take = (v.take(v.so_far, part),)
        before = For(block.name, THREAD, BLOCK_INDEX, number(s.threads), take, note="chunks before")
        start = Set(v.so_far, merge(v.op, starts[v.name], v.var(v.so_far)))
        return (v.nothing(v.so_far), before, s.combine(v, v.so_far), start)

    return tuple(d for v in s.values for d in one(v))


def _left(s: Scan) -> tuple[DeviceStmt, ...]:
    """What the last block leaves to the statements behind the loop."""
    slots = s.state.slots
    stores = tuple(
        Store(slots[v.name], (ZERO,), v.var(v.so_far), proven=True, at=s.loop.at)
        for v in s.values
        if v.name in slots
    )
    last = Logic("and", Compare("==", BLOCK_INDEX, sub(BLOCKS, ONE)), Compare("==", THREAD, ZERO))
    return (DeviceIf(last, stores, note="the value after the loop"),) if stores else ()


# --- what is told ----------------------------------------------------------------------------------------


def _tell(s: Scan) -> None:
    """Notes where the loops went, the trees of the running values, and the marks that are honoured."""
    state, axis = s.state, s.loop.axis
    state.trees[axis.name] = ScanTree(s.threads, TOTAL_BLOCKS, s.run, few=FEW)
    where = f"grid x, tiles of {s.tile} in chunks, {s.threads} threads"
    told = " and ".join(dict.fromkeys(f"{v.name} by {v.op}" for v in s.values))
    state.note(called(axis), where, f"scan of {told}", s.loop.at)
    state.honours.shared(axis, WAVE, s.threads // WAVE, s.run if s.wide is not None else 1)
    state.honours.kept.discard((axis.name, "unroll"))
    if axis.tile != s.tile:
        state.honours.kept.discard((axis.name, TILE))
        state.honours.decline(axis.name, TILE, f"a block of this scan takes {s.tile} iterations at a time")
    for inner in all_stmts(s.loop.body):
        if isinstance(inner, Loop):
            state.note(called(inner.axis), "serial in each thread", "inside a scan", inner.at)
            state.honours.walked(inner.axis)
    state.honours.moved(touched(state, s.loop.body), s.run if s.wide is not None else 1)
