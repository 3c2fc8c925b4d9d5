"""One factor of a product that is computed on its way from memory to LDS.

What it is made of waits in registers while the tile before is multiplied, as the elements of other factors do. It
is computed where they would be moved to LDS.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl2hip.dtypes import F16, I32, I64
from tl2hip.nest.index import ONE, ZERO, add, floor_div, minimum, modulo, mul, number, product, sub
from tl2hip.nest.ir import AxisRef, Cast, Compare, Const, Expr, Load, Select, Store, Var
from tl2hip.nest.walk import map_expr, parts, substitute
from tl2hip.plan.ir import DeclareVector, DeviceStmt, Let, LoadVector, StoreVector
from tl2hip.plan.matmul.factors import outermost_loads
from tl2hip.plan.matmul.fill import Fill
from tl2hip.plan.matmul.side import Raw, Side, Storage, each, put
from tl2hip.plan.matmul.small import candidates, small
from tl2hip.plan.matmul.spread import by_shifts, moved
from tl2hip.plan.matmul.taken import FIRST_K, FIRST_ROW, LANE, ROW, TILE, Block, K, Taken, placed, taken
from tl2hip.plan.matrix_ir import Bits, Fetch, KeepOrder, SmallIntegers, Window
from tl2hip.plan.state import State

MOST_READ = 8
"""Elements whose addresses, of 64 bits each, are in registers at once."""


@dataclass(frozen=True, slots=True)
class ComputedSide(Side):
    """A factor that is computed. `exact`: rows, and the sum, end with a whole block. If they do not, nothing is
    read ahead: each element is computed where it goes to LDS, from what is read there, and no more blocks than one
    at a time, for which there are registers."""

    exact: bool = True

    @property
    def _block(self) -> Block:
        return block_of(self.fill)

    @property
    def pieces(self) -> int:
        return self.fill.loads // self.fill.turn if self.exact else 0

    @property
    def kept_inside(self) -> None:
        """Nothing: what is read ahead is whole blocks, and all that rows past the end have of them is the last."""

    @property
    def _blocks(self) -> int:
        """Blocks that a thread computes of each tile."""
        return self.fill.loads // self.fill.turn

    # --- where things are --------------------------------------------------------------------------------

    def _said(self) -> str:
        f, own = self.fill, self.storage.own
        ahead = " What they need waits in registers." if self.exact else ""
        size = f"{f.turn} x {f.run} elements" if f.turn > 1 else f"{f.run} elements"
        made = " and ".join(f.operand.arrays)
        return (
            f"A factor is computed from {made} on its way to LDS: of each tile a thread computes {self._blocks} "
            f"blocks of {size}.{ahead} {own['to']} is where they go in LDS, "
            f"{own['start']} where this lane's fragments begin there. Pieces of a row change places by its number "
            f"(^), so that the lanes of an access meet in no bank."
        )

    def _offsets(self) -> Iterator[DeviceStmt]:
        n = self.words.index("n")
        for raw in self._windows:
            t = raw.taken
            for d in range(t.batch, len(t.shared)):
                if not isinstance(_pitch(t, d), Const):
                    yield Let(self._pitch_name(raw, d), _pitch(t, d), "int")
            own = (mul(i, self._pitch(raw, d)) for d, i in enumerate(t.own) if d >= t.batch)
            offset = moved(self._starts(n, ZERO), _sum(tuple(own)))
            yield each(n.axis, self.pieces, (Store(raw.offsets, (n,), Cast(offset, I32), True),))

    @property
    def _windows(self) -> tuple[Raw, ...]:
        return tuple(r for r in self.storage.raws if r.window)

    def _pitch_name(self, raw: Raw, d: int) -> str:
        which = "pitch" if d == len(raw.taken.shared) - 2 else f"pitch{d}"
        place = raw.offsets.removeprefix("from_")  # an array may be taken at several places, in both factors too
        return self.words.name(f"{which}_{place}")

    def _pitch(self, raw: Raw, d: int) -> Expr:
        """Bytes from one element to the next along a dimension."""
        pitch = _pitch(raw.taken, d)
        return pitch if isinstance(pitch, Const) else Var(self._pitch_name(raw, d), I64)

    def _starts(self, n: Expr, tile: Expr) -> dict[Expr, Expr]:
        """Where block n of a thread starts, in the tile that begins at an element of the sum."""
        f = self.fill
        lane = f.k_of(self._own("k"), mul(n, number(f.turn)))
        row = self._row_at(n)
        last = sub(self.end, ONE if f.turn == 1 or not self.exact else number(f.run))
        return {TILE: tile, LANE: lane, FIRST_K: add(tile, lane), FIRST_ROW: minimum(row, last)}

    def opened(self, k: Expr) -> Iterator[DeviceStmt]:
        for raw in self._windows:
            t = raw.taken
            still = tuple(moved({TILE: k}, i) if d < t.batch else ZERO for d, i in enumerate(t.shared))
            yield Window(raw.window, t.array.name, still)

    def declared(self) -> Iterator[DeviceStmt]:
        yield DeclareVector(self.storage.parts)
        yield DeclareVector(self.storage.turned or self.storage.waiting)
        for raw in self.storage.raws:
            if raw.taken.wide:
                yield DeclareVector(raw.waiting)
        if self.storage.smalls:
            yield DeclareVector(self.storage.pairs)

    # --- memory to registers -----------------------------------------------------------------------------

    def fetch_first(self, k_first: Expr) -> Iterator[DeviceStmt]:
        n, f = self.words.index("n"), self.fill
        starts = self._starts(n, k_first)
        granule = f.run if f.turn == 1 else f.turn
        starts[FIRST_K] = minimum(starts[FIRST_K], sub(self.sum_end, number(granule)))
        body = tuple(s for raw in self.storage.raws for s in self._first(raw, n, starts, k_first))
        if body:
            yield each(n.axis, self.pieces, body)

    def _first(self, raw: Raw, n: Expr, starts: dict[Expr, Expr], k_first: Expr) -> Iterator[DeviceStmt]:
        t = raw.taken
        if not t.index:
            yield from self._one_by_one(raw, n, k_first, last=True)
            return
        for slot in range(t.slots):
            for v in range(t.vectors):
                index = [moved(starts, i) for i in t.index]
                if t.moving is not None:
                    index[t.moving] = add(index[t.moving], number(slot))
                index[-1] = add(index[-1], number(v * t.width))
                at, to = tuple(index), (n, number(slot * t.vectors + v))
                if t.wide:
                    yield LoadVector(raw.waiting, t.array.name, at, to)
                else:
                    yield Store(raw.waiting, (*to, ZERO), Load(t.array.name, at, t.array.dtype, True), True)

    def _one_by_one(self, raw: Raw, n: Expr, tile: Expr, *, last: bool) -> Iterator[DeviceStmt]:
        """Every element of a block by itself."""
        e, q = self.words.index("e"), self.words.index("q")
        k, row = (e, ZERO) if self._block.deep else (q, e)
        slot, column = (moved({K: k, ROW: row}, x) for x in raw.taken.element())
        read = self._read_alone(_untested(raw.taken.load), n, tile, k, row, last=last)
        inner = each(e.axis, self.fill.run, (Store(raw.waiting, (n, slot, column), read, True),))
        yield inner if self._block.deep else each(q.axis, self.fill.turn, (inner,))

    def _read_alone(self, e: Expr, n: Expr, tile: Expr, k: Expr, row: Expr, *, last: bool) -> Expr:
        """An expression at an element of block n: past the end of the rows that of the last one, and where the tile
        is the `last` past the end of the sum that of the last one there."""
        f, starts = self.fill, self._starts(n, tile)
        if self.exact:
            row_at = add(starts[FIRST_ROW], row)
        else:
            row_at = minimum(add(self._row_at(n), row), sub(self.end, ONE))
        k_at = add(starts[FIRST_K], k)
        if last:
            k_at = minimum(k_at, sub(self.sum_end, ONE))
        return moved({AxisRef(f.operand.axis): row_at, AxisRef(f.operand.over): k_at}, e)

    def fetch(self, n: Expr, tile: Expr) -> tuple[DeviceStmt, ...]:
        return tuple(s for raw in self.storage.raws for s in self._fetched(raw, n, tile))

    def _fetched(self, raw: Raw, n: Expr, tile: Expr) -> Iterator[DeviceStmt]:
        t, k = raw.taken, mul(tile, number(self.tile.depth))
        if not raw.window:
            yield from self._one_by_one(raw, n, k, last=False)
            return
        at = [by_shifts(moved({TILE: k}, i)) for i in t.shared]
        shared = (mul(i, self._pitch(raw, d)) for d, i in enumerate(at) if d >= t.batch)
        start = _sum(tuple(shared))
        for slot in range(t.slots):
            ahead = start if t.moving is None else add(start, mul(number(slot), self._pitch(raw, t.moving)))
            for v in range(t.vectors):
                here = add(ahead, number(v * t.width * t.array.dtype.bytes))
                to = (n, number(slot * t.vectors + v))
                yield Fetch(raw.waiting, to if t.wide else (*to, ZERO), raw.window, raw.offsets, n, here)

    # --- registers to LDS --------------------------------------------------------------------------------

    def write_loop(
        self, behind: tuple[DeviceStmt, ...], copy: Expr, k: Expr = ZERO, last: bool = False
    ) -> tuple[DeviceStmt, ...]:
        f, s = self.fill, self.storage
        n, e, q = (self.words.index(w) for w in "neq")
        if f.turn == 1:
            place = f.moved(self._own("to"), mul(n, number(f.rows_apart)), f.rows, 0)
            store = StoreVector(s.lds, (add(place, copy),), s.waiting, ())
            if self.exact:
                one = Store(s.waiting, (e,), self._value(n, k, e, ZERO, last=last), True)
                pairs = self._pairs(n, ZERO)
                return (each(n.axis, self._blocks, (*pairs, each(e.axis, f.run, (one,)), store, *behind)),)
            few = self._few
            here = add(mul(q, number(few)), e)
            one = Store(s.waiting, (here,), self._value(n, k, here, ZERO, last=last), True)
            some = each(q.axis, f.run // few, (each(e.axis, few, (one,)), KeepOrder()))
            return (each(n.axis, self._blocks, (some, store)),)
        done: list[DeviceStmt] = []
        for group in range(self._blocks):
            value = self._value(number(group), k, q, e, last=last)
            made = each(q.axis, f.turn, (Store(s.turned, (e, q), value, True),))
            store = self._turned_to(e, group, copy)
            pairs = self._pairs(number(group), e)
            done.append(each(e.axis, f.run, (*pairs, made, store, *(() if self.exact else (KeepOrder(),)))))
        return tuple(done)

    def _pairs(self, n: Expr, row: Expr) -> tuple[DeviceStmt, ...]:
        """The small integers for what is computed together of block n become floats, two at a time."""
        s, half = self.storage, self.fill.width // 2
        found = tuple(self._bits(part, n, row) for part in s.smalls)
        return tuple(
            SmallIntegers(s.pairs, (number(i * half + p),), bits[2 * p], bits[2 * p + 1])
            for i, bits in enumerate(found)
            for p in range(half)
        )

    def _bits(self, part: Expr, n: Expr, row: Expr) -> tuple[Bits, ...]:
        """A small integer for each element along the sum of a block's row."""
        starts = self._starts(n, ZERO)
        at = ({**starts, K: number(q), ROW: row} for q in range(self.fill.width))
        found = (small(placed(part, self._block, values, self._loads(n, values))) for values in at)
        return tuple(bits for bits in found if bits is not None)

    @property
    def _few(self) -> int:
        """Elements that are read and computed together where none is read ahead."""
        loads = len(outermost_loads(self.fill.operand.value)) if self.fill.operand.value is not None else 1
        return max(n for n in (1, 2, 4, 8) if n == 1 or n * loads <= MOST_READ and n <= self.fill.run)

    def _value(self, n: Expr, tile: Expr, k: Expr, row: Expr, *, last: bool) -> Expr:
        """The factor for an element of block n, 0 past the end of the sum."""
        operand, values = self.fill.operand, {**self._starts(n, tile), K: k, ROW: row}
        assert operand.value is not None
        if self.exact:
            smalls = self.storage.smalls
            names: dict[Expr, Expr] = {x: Var(f"small integer {i}", x.dtype) for i, x in enumerate(smalls)}
            pairs: dict[Expr, Expr] = {names[x]: self._pair(i, x, k) for i, x in enumerate(smalls)}
            whole = substitute(operand.value, names)
            value = placed(whole, self._block, {**values, **pairs}, self._loads(n, values))
        else:
            value = self._read_alone(operand.value, n, tile, k, row, last=last)
        if not last:
            return value
        inside = Compare("<", add(values[FIRST_K], k), self.sum_end)
        return Select(inside, value, Const(0.0 if operand.dtype.is_float else 0, operand.dtype))

    def _pair(self, i: int, part: Expr, k: Expr) -> Expr:
        """A small integer for element k of a row of the block."""
        first = number(i * (self.fill.width // 2))
        taken = Load(self.storage.pairs, (add(first, floor_div(k, 2)), modulo(k, 2)), F16, True)
        return taken if part.dtype is F16 else Cast(taken, part.dtype)

    def _loads(self, n: Expr, values: dict[Expr, Expr]) -> dict[Load, Load]:
        """The registers that hold what loads give for an element of block n."""
        return {r.taken.load: self._waiting(r, n, values) for r in self.storage.raws}

    def _waiting(self, raw: Raw, n: Expr, values: dict[Expr, Expr]) -> Load:
        """The register that holds what a load gives for an element of block n."""
        at = tuple(moved(values, x) for x in raw.taken.element())
        return Load(raw.waiting, (n, *at), raw.taken.load.dtype, True)


def _untested(e: Expr) -> Expr:
    """A load without the test that it stands under in the source: where it is known to lie inside only because of
    that, nothing is known of it."""

    def one(x: Expr) -> Expr:
        return replace(x, proven=x.proven and x.always) if isinstance(x, Load) else x

    return map_expr(one, e)


def _sum(terms: tuple[Expr, ...]) -> Expr:
    total: Expr = ZERO
    for t in terms:
        total = add(total, t)
    return total


def _pitch(t: Taken, d: int) -> Expr:
    """Bytes from one element to the next along a dimension."""
    return mul(product(t.array.shape[d + 1 :]), number(t.array.dtype.bytes))


def block_of(f: Fill) -> Block:
    """The blocks in which a fill's factor is computed."""
    o = f.operand
    return Block(o.axis, o.over, f.run, f.turn, f.tile.depth)


def taken_by(state: State, f: Fill) -> tuple[Taken, ...]:
    """How the elements that a fill's factor is computed from are read."""
    value = f.operand.value
    assert value is not None
    loads = _waiting(value)
    return tuple(taken(x, state.nest.array(x.array), block_of(f)) for x in loads)


def _waiting(e: Expr) -> tuple[Load, ...]:
    """The loads of a factor that wait in registers: all but those of which whole numbers of 64 bits are made, which
    say where things are and stay the same from tile to tile."""
    if isinstance(e, Load):
        return (e,)
    return () if e.dtype is I64 else tuple(dict.fromkeys(x for p in parts(e) for x in _waiting(p)))


def store_computed(state: State, f: Fill, storage: Storage, *, exact: bool) -> Storage:
    """The storage of a factor that is computed, with registers for what it is computed from."""
    if not exact:
        return storage
    found, a = _smalls(f), f.operand.array
    pairs = put(state, f"pairs_{a}", F16, (len(found) * (f.width // 2), 2), "vector") if found else ""
    raws = tuple(_raws(state, f, taken_by(state, f)))
    return replace(storage, raws=raws, smalls=found, pairs=pairs)


def _smalls(f: Fill) -> tuple[Expr, ...]:
    """The parts of a fill's factor that are small integers for all elements of a block."""
    assert f.operand.value is not None
    block = block_of(f)

    def known(part: Expr) -> bool:
        at: list[dict[Expr, Expr]] = [{K: number(q), ROW: ROW} for q in range(f.width)]
        return all(small(placed(part, block, values, {})) is not None for values in at)

    return tuple(filter(known, candidates(f.operand.value)))


def _raws(state: State, f: Fill, taken: tuple[Taken, ...]) -> Iterator[Raw]:
    pieces = f.loads // f.turn
    for t in taken:
        name, counts = t.array.name, (pieces, *t.counts)
        waiting = put(state, f"next_{name}", t.array.dtype, counts, "vector" if t.wide else "thread")
        if not t.index:
            yield Raw(t, waiting)
            continue
        offsets = put(state, f"from_{name}", I32, (pieces,), "thread")
        yield Raw(t, waiting, offsets, state.names.fresh(f"window_{name}", keep=True))
