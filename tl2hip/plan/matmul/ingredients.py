"""What a factor that is computed on its way is read from: its loads, the registers for them and for integers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from tl2hip.dtypes import I32
from tl2hip.nest.index import ZERO, add
from tl2hip.nest.ir import AxisRef, Const, Expr, Load, Select
from tl2hip.nest.walk import all_parts, map_expr, parts
from tl2hip.plan.gfx942 import ACCESS_BYTES
from tl2hip.plan.matmul.address import address
from tl2hip.plan.matmul.apart import Small, apart, flattened, kept, registers
from tl2hip.plan.matmul.factors import Operand, outermost_loads
from tl2hip.plan.matmul.fill import LINE, Fill
from tl2hip.plan.matmul.registers import put
from tl2hip.plan.matmul.side import Raw, Storage
from tl2hip.plan.matmul.spread import spread
from tl2hip.plan.matmul.taken import Block, Taken, taken
from tl2hip.plan.state import State

MOST_BLOCKS = 4
"""Blocks of one row that a thread takes of a tile, at most, where tiles are as large as can be."""

MOST_READ = 8
"""Elements that are in registers at once with their addresses, of 64 bits each."""


def block_of(f: Fill, pieces: Small = frozenset()) -> Block:
    """The blocks in which a fill's factor is computed. `pieces`: extents that are whole pieces."""
    o = f.operand
    return Block(o.axis, o.over, f.run, f.turn, f.tile.depth, pieces)


def taken_by(state: State, f: Fill, pieces: Small) -> tuple[Taken, ...]:
    """How the elements that a fill's factor is computed from are read, where some extents are whole pieces."""
    value = f.operand.value
    assert value is not None
    block = block_of(f, pieces)
    return tuple(taken(x, state.nest.array(x.array), block, value) for x in outermost_loads(value))


def store_computed(
    state: State, f: Fill, storage: Storage, inner: Small, pieces: Small, *, exact: bool
) -> Storage:
    """The storage of a factor that is computed, with registers for what it is computed from, and for integers."""
    o, value = f.operand, f.operand.value
    assert value is not None
    some = tuple(t for t in taken_by(state, f, pieces) if t.index) if exact else ()
    raws = tuple(_raw(state, f, t) for t in some)
    block = block_of(f, pieces if exact else frozenset())
    if len(some) == len(outermost_loads(value)) and not any(t.free for t in some):
        return replace(storage, raws=raws, block=block)
    loads = {t.load for t in some}
    asked = {t.load: t.test for t in some if t.test is not None}
    value = flattened(_answered(value, asked), {a.name: a for a in state.nest.arrays}, o.axis, o.over, loads)
    found = [x for e in _remaining(value, loads) for x in apart(e, o.axis, o.over)]
    rows, sums = [x for in_sum, x in found if not in_sum], [x for in_sum, x in found if in_sum]
    for t in some:
        if t.free:
            two = address(t.load, t.array, o.axis, o.over)
            assert two is not None
            more = (add(*two), *(() if t.test is None else (t.test,)))
            rows += [x for e in more for in_sum, x in apart(e, o.axis, o.over) if not in_sum]
    slots = (f.loads, f.run) if block.deep else (f.run, f.turn)
    small = inner | {AxisRef(o.axis), AxisRef(o.over)}
    return replace(
        storage, raws=raws, block=block, value=value, numbers=kept(state, o.array, (rows, sums), slots, small)
    )


def counted(state: State, o: Operand) -> Operand:
    """A factor with the number of registers for integers by which it is read; none where elements stand evenly."""
    if o.value is None:
        return o
    piece, arrays = ACCESS_BYTES // o.dtype.bytes, {a.name: a for a in state.nest.arrays}
    block = Block(o.axis, o.over, piece, 1 if o.along == "over" else piece, LINE // o.dtype.bytes)
    some = [taken(x, arrays[x.array], block, o.value) for x in outermost_loads(o.value)]
    if not any(t.free or not t.index for t in some):
        return o
    rows = MOST_BLOCKS if block.deep else piece
    found = dict.fromkeys(apart(flattened(o.value, arrays, o.axis, o.over, ()), o.axis, o.over))
    small = frozenset({AxisRef(o.axis), AxisRef(o.over)})
    slots = ((piece if spread(x, block.known) is None else 1) if in_sum else rows for in_sum, x in found)
    alone = 3 * MOST_READ if isinstance(o.value, Select) and any(not t.index for t in some) else 0
    return replace(o, kept=alone + sum(n * registers(x, small) for n, (_, x) in zip(slots, found, strict=True)))


def _answered(e: Expr, asked: dict[Load, Expr]) -> Expr:
    """An expression without the tests that are made where their loads are read, and give 0 if they do not hold."""

    def one(x: Expr) -> Expr:
        zero = isinstance(x, Select) and isinstance(x.orelse, Const) and str(x.orelse.value) in ("0", "0.0")
        if zero and isinstance(x, Select) and isinstance(x.then, Load) and asked.get(x.then) == x.test:
            return x.then
        return x

    return map_expr(one, e)


def _remaining(e: Expr, loads: Collection[Load]) -> Iterator[Expr]:
    """The parts of an expression that are no elements which wait in registers."""
    if isinstance(e, Load) and e in loads:
        return
    if not any(p in loads for p in all_parts(e) if isinstance(p, Load)):
        yield e
        return
    for p in parts(e):
        yield from _remaining(p, loads)


def _raw(state: State, f: Fill, t: Taken) -> Raw:
    pieces, name = f.loads // f.turn, t.array.name
    waiting = put(state, f"next_{name}", t.array.dtype, (pieces, *t.counts), "vector" if t.wide else "thread")
    offsets = put(state, f"from_{name}", I32, (pieces,), "thread")
    return Raw(t, waiting, offsets, state.names.fresh(f"window_{name}", keep=True))


def asked(o: Operand) -> str | None:
    """The array whose element is a factor where a test holds, a number if not; None where there is no test."""
    e = o.value
    return e.then.array if isinstance(e, Select) and alone(e) and isinstance(e.then, Load) else None


def alone(e: Select) -> bool:
    """Whether it is an element or a number."""
    return isinstance(e.then, Load) and e.then.proven and isinstance(e.orelse, Const)


def anyway(e: Select) -> Load:
    """The element, or where the test does not hold the first of its array, which there is."""
    assert isinstance(e.then, Load)
    *outer, last = e.then.index
    first = (*(x if x == ZERO else Select(e.test, x, ZERO) for x in outer), Select(e.test, last, ZERO))
    return replace(e.then, index=first, always=True)
