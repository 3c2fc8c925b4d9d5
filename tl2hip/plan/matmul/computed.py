"""One factor of a product that is computed on its way from memory to LDS.

What it is made of waits in registers while the tile before is multiplied, as the elements of other factors do. It
is computed where they would be moved to LDS.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl2hip.dtypes import I32, I64
from tl2hip.nest.index import ONE, ZERO, add, minimum, mul, number, product, sub
from tl2hip.nest.ir import AxisRef, Cast, Compare, Const, Expr, Load, Select, Store, Var
from tl2hip.plan.ir import DeclareVector, DeviceStmt, Let, LoadVector, StoreVector
from tl2hip.plan.matmul.address import address
from tl2hip.plan.matmul.apart import Number, Small, apart, narrow
from tl2hip.plan.matmul.factors import outermost_loads
from tl2hip.plan.matmul.ingredients import MOST_READ, alone, anyway, block_of
from tl2hip.plan.matmul.side import Raw, Side, each
from tl2hip.plan.matmul.spread import by_shifts, moved, spread
from tl2hip.plan.matmul.taken import FIRST_K, FIRST_ROW, LANE, ROW, TILE, Block, K, Taken, placed
from tl2hip.plan.matrix_ir import Fetch, KeepOrder, Window

NOWHERE = Const(-(2**31), I32)
"""An offset that is behind the end of every array: it is told from its start, in 32 bits without a sign."""



@dataclass(frozen=True, slots=True)
class ComputedSide(Side):
    """A factor that is computed. `exact`: rows, and the sum, end with a whole block. If they do not, nothing is
    read ahead: each element is computed where it goes to LDS, from what is read there, and no more blocks than one
    at a time, for which there are registers. So is what an exact one reads element by element."""

    exact: bool = True
    inner: Small = frozenset()
    """What is small, as `apart.narrow` has it."""

    @property
    def _block(self) -> Block:
        return self.storage.block or block_of(self.fill)

    @property
    def pieces(self) -> int:
        return self._blocks if self.storage.raws else 0

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
        ahead = " What they need waits in registers." if self.storage.raws else ""
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
        for raw in self._settled:
            t = raw.taken
            for d in range(t.batch, len(t.shared)):
                if not isinstance(_pitch(t, d), Const):
                    yield Let(self._pitch_name(raw, d), _pitch(t, d), "int")
            own = (mul(i, self._pitch(raw, d)) for d, i in enumerate(t.own) if d >= t.batch)
            offset = moved(self._starts(n, ZERO), narrow(_sum(tuple(own)), self.inner))
            yield each(n.axis, self.pieces, (Store(raw.offsets, (n,), Cast(offset, I32), True),))
        yield from self._of_rows()

    def _of_rows(self) -> Iterator[DeviceStmt]:
        """The integers of this thread's rows."""
        rows, deep = self.storage.numbers.rows, self._block.deep
        if rows:
            e = self.words.index("n" if deep else "e")
            inside = self._row_inside(e if deep else ZERO, ZERO if deep else e)
            at: dict[Expr, Expr] = {AxisRef(self.fill.operand.axis): inside}
            body = tuple(_kept_at(x, e, moved(at, narrow(x.value, self.inner))) for x in rows)
            yield each(e.axis, self._blocks if deep else self.fill.run, (*body, KeepOrder()))

    def _row_inside(self, n: Expr, row: Expr) -> Expr:
        """A row of block n, or past the end the last one."""
        if self.exact:
            return add(self._starts(n, ZERO)[FIRST_ROW], row)
        return minimum(add(self._row_at(n), row), sub(self.end, ONE))

    def _of_sum(self, n: Expr, tile: Expr, *, last: bool) -> Iterator[DeviceStmt]:
        """The integers of the elements of the sum in block n."""
        sums = self.storage.numbers.sums
        if sums:
            e = self.words.index("e" if self._block.deep else "q")
            values = self._starts(n, tile)
            body = tuple(_kept_at(x, e, self._along(x.value, values, e, last=last)) for x in sums)
            yield each(e.axis, self.fill.run if self._block.deep else self.fill.turn, (*body, KeepOrder()))

    def _along(self, e: Expr, values: dict[Expr, Expr], k: Expr, *, last: bool) -> Expr:
        """An integer of the sum for element k of a block. `last`: past the end of the sum that of the last one."""
        over = AxisRef(self.fill.operand.over)
        if last:
            at = minimum(add(values[FIRST_K], k), sub(self.sum_end, ONE))
            return moved({over: at}, narrow(e, self.inner))
        block = self._block
        found = spread(e, block.known)
        if found is None:
            e = moved({over: add(FIRST_K, K)}, e)
        else:
            lanes = spread(found.base, block.by_lane)
            e = add(found.base if lanes is None else add(lanes.base, lanes.offset), found.offset)
        return moved({**values, K: k}, narrow(e, self.inner))

    @property
    def _settled(self) -> tuple[Raw, ...]:
        """What is read a step behind the tile before."""
        return tuple(r for r in self.storage.raws if not r.taken.free)

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
        for raw in self.storage.raws:
            t = raw.taken
            if t.free:
                whole = mul(product(t.array.shape), number(t.array.dtype.bytes))
                yield Window(raw.window, t.array.name, tuple(ZERO for _ in t.index), bytes=Cast(whole, I32))
                continue
            still = tuple(moved({TILE: k}, i) if d < t.batch else ZERO for d, i in enumerate(t.shared))
            yield Window(raw.window, t.array.name, still)

    def declared(self) -> Iterator[DeviceStmt]:
        yield DeclareVector(self.storage.parts)
        yield DeclareVector(self.storage.turned or self.storage.waiting)
        for raw in self.storage.raws:
            if raw.taken.wide:
                yield DeclareVector(raw.waiting)

    # --- memory to registers -----------------------------------------------------------------------------

    def fetch_first(self, k_first: Expr) -> Iterator[DeviceStmt]:
        n, f = self.words.index("n"), self.fill
        starts = self._starts(n, k_first)
        granule = f.run if f.turn == 1 else f.turn
        starts[FIRST_K] = minimum(starts[FIRST_K], sub(self.sum_end, number(granule)))
        body = tuple(s for raw in self.storage.raws for s in self._first(raw, n, starts))
        if body:
            yield each(n.axis, self.pieces, body)

    def _first(self, raw: Raw, n: Expr, starts: dict[Expr, Expr]) -> Iterator[DeviceStmt]:
        t = raw.taken
        if t.free:
            yield from self._freely(raw, n, starts, last=True)
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

    def _freely(self, raw: Raw, n: Expr, starts: dict[Expr, Expr], *, last: bool) -> Iterator[DeviceStmt]:
        """Block n of a load, from the address at which it begins in this tile. Where the source does not read it,
        it is read behind the end of the array, which gives 0."""
        t, f = raw.taken, self.fill
        two = address(t.load, t.array, f.operand.axis, f.operand.over)
        assert two is not None
        size = t.array.dtype.bytes
        at: Expr = Cast(mul(self._at_start(add(*two), n, starts, last=last), number(size)), I32)
        if t.test is not None:
            at = Select(self._at_start(t.test, n, starts, last=last), at, NOWHERE)
        yield Store(raw.offsets, (n,), at, True)
        for slot in range(t.slots):
            ahead = ZERO if t.moving is None else mul(number(slot), _pitch(t, t.moving))
            for v in range(t.vectors):
                to = (n, number(slot * t.vectors + v))
                here = add(ahead, number(v * t.width * size))
                yield Fetch(raw.waiting, to if t.wide else (*to, ZERO), raw.window, raw.offsets, n, here)

    def _at_start(self, e: Expr, n: Expr, starts: dict[Expr, Expr], *, last: bool) -> Expr:
        """An expression for the first element of block n."""
        o = self.fill.operand
        found = (x for in_sum, x in apart(e, o.axis, o.over) if in_sum)
        sums = {x: self._along(x, starts, ZERO, last=last) for x in found}
        return self.storage.numbers.placed(e, n if self._block.deep else ZERO, sums, {})

    def fetch(self, n: Expr, tile: Expr) -> tuple[DeviceStmt, ...]:
        return tuple(s for raw in self.storage.raws for s in self._fetched(raw, n, tile))

    def _fetched(self, raw: Raw, n: Expr, tile: Expr) -> Iterator[DeviceStmt]:
        t, k = raw.taken, mul(tile, number(self.tile.depth))
        if t.free:
            yield from self._freely(raw, n, self._starts(n, k), last=False)
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
            ahead = tuple(self._of_sum(ZERO, k, last=last))
            if self._ahead:
                one = tuple(self._made(s.waiting, (e,), n, k, (e, ZERO), last=last))
                return (*ahead, each(n.axis, self._blocks, (each(e.axis, f.run, one), store, *behind)))
            few = self._few
            here = add(mul(q, number(few)), e)
            one = tuple(self._made(s.waiting, (here,), n, k, (here, ZERO), last=last))
            some = each(q.axis, f.run // few, (each(e.axis, few, one), KeepOrder()))
            return (*ahead, each(n.axis, self._blocks, (some, store, *behind)))
        done: list[DeviceStmt] = []
        for group in range(self._blocks):
            done += self._of_sum(number(group), k, last=last)
            made = each(q.axis, f.turn, tuple(self._made(s.turned, (e, q), number(group), k, (q, e), last=last)))
            store = self._turned_to(e, group, copy)
            done.append(each(e.axis, f.run, (made, store, *(() if self._ahead else (KeepOrder(),)))))
        return tuple(done)

    @property
    def _ahead(self) -> bool:
        """Whether all that a block is computed from waits in registers."""
        value = self.fill.operand.value
        assert value is not None
        return len(self.storage.raws) == len(outermost_loads(value))

    @property
    def _few(self) -> int:
        """Elements that are read and computed together where none is read ahead."""
        value = self.fill.operand.value
        assert value is not None
        loads = len(outermost_loads(value)) - len(self.storage.raws)
        return max(n for n in (1, 2, 4, 8) if n == 1 or n * loads <= MOST_READ and n <= self.fill.run)

    def _made(
        self, to: str, slot: tuple[Expr, ...], n: Expr, tile: Expr, at: tuple[Expr, Expr], *, last: bool
    ) -> Iterator[DeviceStmt]:
        """The factor for an element of block n, by its places along the sum and along the rows: 0 past the end of
        the sum. What is read by itself is read first, and forgotten where it does not count: no load waits for a
        branch."""
        k, row = at
        operand, values, s = self.fill.operand, {**self._starts(n, tile), K: k, ROW: row}, self.storage
        loads = {r.taken.load: self._waiting(r, n, values) for r in s.raws}
        assert operand.value is not None
        inside = Compare("<", add(values[FIRST_K], k), self.sum_end)
        zero = Const(0.0 if operand.dtype.is_float else 0, operand.dtype)
        if s.value is None:
            value = placed(operand.value, self._block, values, loads)
            yield Store(to, slot, Select(inside, value, zero) if last else value, True)
            return
        sums = {x.value: x.at(k) for x in s.numbers.sums}
        value = s.numbers.placed(s.value, n if self._block.deep else row, sums, loads)
        read = Load(to, slot, operand.dtype, True)
        waits = isinstance(s.value, Select) and s.value.then in loads
        if isinstance(value, Select) and alone(value) and not waits:
            yield Store(to, slot, anyway(value), True)
            yield Store(to, slot, Select(value.test, read, value.orelse), True)
        else:
            yield Store(to, slot, value, True)
        if last:
            yield Store(to, slot, Select(inside, read, zero), True)

    def _waiting(self, raw: Raw, n: Expr, values: dict[Expr, Expr]) -> Load:
        """The register that holds what a load gives for an element of block n."""
        at = tuple(moved(values, x) for x in raw.taken.element())
        return Load(raw.waiting, (n, *at), raw.taken.load.dtype, True)


def _kept_at(x: Number, slot: Expr, value: Expr) -> Store:
    """A register of an integer takes its value."""
    return Store(x.kept, (slot,), value if x.dtype is I64 else Cast(value, x.dtype), True)


def _sum(terms: tuple[Expr, ...]) -> Expr:
    total: Expr = ZERO
    for t in terms:
        total = add(total, t)
    return total


def _pitch(t: Taken, d: int) -> Expr:
    """Bytes from one element to the next along a dimension."""
    return mul(product(t.array.shape[d + 1 :]), number(t.array.dtype.bytes))
