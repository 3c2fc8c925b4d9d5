"""One factor of a product in a kernel: the registers and LDS it goes through, and the statements that move it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl2hip.dtypes import BF16, I16, I32, I64, DType
from tl2hip.nest.index import ONE, ZERO, add, ceil_div, floor_div, minimum, modulo, mul, number, sub, value_of
from tl2hip.nest.ir import Array, Cast, Compare, Const, Expr, Load, Logic, Select, Store, Var
from tl2hip.plan.ir import DeclareVector, DeviceStmt, For, Let, LoadVector, Placed, Space, StoreVector
from tl2hip.plan.matmul.fill import Fill
from tl2hip.plan.matmul.taken import Taken
from tl2hip.plan.matmul.tile import Tile, tiled
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import Fetch, FetchFirst, Part, Remark, TurnBytes, Window
from tl2hip.plan.state import State


@dataclass(frozen=True, slots=True)
class Storage:
    """The registers and LDS of a factor, which all kernels of a product name alike."""

    lds: str
    waiting: str
    turned: str
    offsets: str
    window: str
    parts: str
    own: dict[str, str]
    """The names of its numbers by what they are: one array may be both factors."""
    raws: tuple[Raw, ...] = ()
    """What a factor that is computed on its way is made of."""
    smalls: tuple[Expr, ...] = ()
    """Parts of it that are small integers as floats, and the registers in which pairs of them are."""
    pairs: str = ""


@dataclass(frozen=True, slots=True)
class Raw:
    """Registers in which the elements of one load wait until a factor is computed of them, and what they are read
    by: offsets from the start of a window. Without a window they are read one by one."""

    taken: Taken
    waiting: str
    offsets: str = ""
    window: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """A factor in a kernel. `first` is the tile's first row in memory, `end` the end of the factor's own axis,
    `sum_end` that of the summed one. `waves` waves share the rows, of which this one is number `wave`. `held`:
    of so many slices fragments are in registers at once."""

    words: Words
    fill: Fill
    shape: tuple[Expr, ...]
    first: Expr
    end: Expr
    sum_end: Expr
    waves: int
    wave: Expr
    storage: Storage
    held: int

    @property
    def tile(self) -> Tile:
        return self.fill.tile

    @property
    def copy_size(self) -> int:
        """Elements of one tile in LDS."""
        return self.fill.rows * self.fill.pitch

    # --- where things are --------------------------------------------------------------------------------

    def head(self) -> Iterator[DeviceStmt]:
        """Where in memory and in LDS this lane's pieces lie: none of it changes with the sum."""
        f, thread = self.fill, self.words.var("thread")
        yield Remark(self._said())
        yield from self._rows(thread)
        yield Let(self._own("k").name, f.k(thread), "int")
        yield from self._offsets()
        there = self._own("there" if f.joined > 1 else "row")
        yield Let(self._own("to").name, f.element(there, self._own("k")), "int")
        yield Let(self._own("start").name, self._read_from(), "int")

    def _offsets(self) -> Iterator[DeviceStmt]:
        """Where this lane's pieces lie behind the start of the window."""
        n, f, operand = self.words.index("n"), self.fill, self.fill.operand
        row, k = self._row(n), f.k_of(self._own("k"), n)
        apart, along = (sub(row, self.first), k) if operand.along == "over" else (k, sub(row, self.first))
        offset = mul(add(mul(apart, operand.pitch(self.shape)), along), number(self.tile.bytes))
        yield each(n.axis, f.loads, (Store(self.storage.offsets, (n,), Cast(offset, I32), True),))

    def _rows(self, thread: Expr) -> Iterator[DeviceStmt]:
        """The row of memory at which a thread starts, and where it is another one that in LDS."""
        f, row, there = self.fill, self._own("row"), self._own("there")
        if f.joined == 1:
            yield Let(row.name, f.row(thread), "int")
        elif f.turn == 1:
            yield Let(there.name, f.row(thread), "int")
            if not self._scattered:
                yield Let(row.name, f.in_memory(there), "int")
        else:
            yield Let(row.name, f.row(thread), "int")
            yield Let(there.name, f.in_lds(row), "int")

    def _said(self) -> str:
        """What the numbers of a factor are for."""
        f, a = self.fill, self.fill.operand.array
        moved = f"{f.loads} pieces of {f.run * f.tile.bytes} bytes"
        if f.turn > 1:
            moved += f", of which {f.turn} rows are turned at a time so that LDS has neighbours along the sum"
        offsets, to, start = self.storage.offsets, self.storage.own["to"], self.storage.own["start"]
        turns = ""
        if f.joined > 1:
            run = f.tile.mfma.run
            turns = f"In LDS rows of {f.joined} fragments take turns by {run}, so that a lane has "
            turns += f"{run * f.joined} neighbouring results. "
        return (
            f"{a}: of each tile a thread moves {moved}. {offsets} is where they are in memory, {to} where they go "
            f"in LDS, {start} where this lane's fragments begin there. {turns}Pieces of a row change places by its "
            f"number (^), so that the lanes of an access meet in no bank."
        )

    def _own(self, wish: str) -> Var:
        """A number of this factor's."""
        return Var(self.storage.own[wish], I64)

    @property
    def _scattered(self) -> bool:
        """Whether a thread's rows in memory lie unevenly apart, as those of joined fragments may."""
        f = self.fill
        return f.joined > 1 and f.turn == 1 and f.rows_apart % (f.tile.mfma.m * f.joined) > 0

    def _row(self, load: Expr) -> Expr:
        """The row of memory at which a load starts."""
        return self._kept(self._row_at(load))

    def _row_at(self, load: Expr) -> Expr:
        """The row at which a load starts, past the end perhaps."""
        f = self.fill
        if self._scattered:
            return add(self.first, f.in_memory(f.row_of(self._own("there"), load)))
        return add(self.first, f.row_of(self._own("row"), load))

    def _kept(self, row: Expr) -> Expr:
        """A row of memory, or where it lies past the end the last one, which nobody stores the products of."""
        if tiled(self.end, self.fill.rows):
            return row
        if self.fill.operand.along == "over":
            return minimum(row, sub(self.end, ONE))
        whole = mul(ceil_div(self.end, self.fill.run), number(self.fill.run))
        return minimum(row, sub(whole, number(self.fill.run)))

    def _read_from(self) -> Expr:
        """Where this lane's piece of the first fragment and slice lies in LDS."""
        t, f = self.tile, self.fill
        lane = self.words.var("lane")
        row = modulo(lane, t.mfma.m)
        whole = add(mul(self.wave, number(self._wave_rows)), row)
        k = mul(floor_div(lane, t.mfma.m), number(t.piece))
        if any(f.layout.piece_xor(w * self._wave_rows) for w in range(self.waves)):
            return f.element(whole, k)
        inside = f.element(row, k)
        return add(mul(self.wave, number(self._wave_rows * f.pitch)), inside)

    @property
    def _fragments(self) -> int:
        return self._wave_rows // self.tile.mfma.m

    @property
    def _wave_rows(self) -> int:
        return self.fill.rows // self.waves

    def opened(self, k: Expr) -> Iterator[DeviceStmt]:
        """The window on memory from the tile's first row and an element of the sum on, and bytes from tile to tile
        there."""
        operand = self.fill.operand
        yield Window(self.storage.window, operand.array, operand.at(self.first, k))
        if not isinstance(self._step(), Const):
            yield Let(self._own("step").name, self._step(), "int")

    def declared(self) -> Iterator[DeviceStmt]:
        yield DeclareVector(self.storage.waiting)
        yield DeclareVector(self.storage.parts)
        if self.fill.turn > 1:
            yield DeclareVector(self.storage.turned)

    # --- memory to registers -----------------------------------------------------------------------------

    def _step(self) -> Expr:
        """Bytes from one tile to the next along the sum."""
        t = self.tile
        pitch = ONE if self.fill.operand.along == "over" else self.fill.operand.pitch(self.shape)
        return mul(pitch, number(t.depth * t.bytes))

    def fetch_first(self, k_first: Expr) -> Iterator[DeviceStmt]:
        """The pieces of the last tile, of which some lies past the end of the sum: zeros there."""
        n, operand = self.words.index("n"), self.fill.operand
        row, k = self._row(n), add(k_first, self.fill.k_of(self._own("k"), n))
        if operand.along == "over":
            count: Expr = sub(self.sum_end, k)
        else:
            count = Select(Compare("<", k, self.sum_end), sub(self.shape[-1], row), ZERO)
        fetch = FetchFirst(self.storage.waiting, (n,), operand.array, operand.at(row, k), count)
        yield each(n.axis, self.fill.loads, (fetch,))

    @property
    def kept_inside(self) -> Expr | None:
        """What must hold so that no piece of the last tile, fetched whole, runs past the end of memory; None where
        it always does. A row's last piece ends behind it unless rows are whole pieces, and behind the last row is
        nothing."""
        f, row = self.fill, self.shape[-1]
        if f.operand.along == "over" or tiled(self.end, f.rows) or tiled(row, f.run):
            return None
        inside = Compare("<=", add(self.first, number(f.rows)), self.end)
        if value_of(row) is not None:
            return inside
        return Logic("or", Compare("==", modulo(row, f.run), ZERO), inside)

    @property
    def pieces(self) -> int:
        """Pieces that are fetched one by one."""
        return self.fill.loads

    def fetch(self, n: Expr, tile: Expr) -> tuple[DeviceStmt, ...]:
        """One piece of a whole tile, by the number of the tile behind the start of the window."""
        s, step = self.storage, self._step()
        ahead = mul(tile, step if isinstance(step, Const) else self._own("step"))
        return (Fetch(s.waiting, (n,), s.window, s.offsets, n, ahead),)

    # --- registers to LDS --------------------------------------------------------------------------------

    def write_loop(
        self, behind: tuple[DeviceStmt, ...], copy: Expr, k: Expr = ZERO, last: bool = False
    ) -> tuple[DeviceStmt, ...]:
        """All waiting pieces go to LDS, those of a tile that begins at element k of the sum; `behind` stands behind
        each of those that are moved as they are. `last`: a part of the tile may lie past the end of the sum."""
        f = self.fill
        if f.turn == 1:
            n, rows = self.words.index("n"), f.rows_apart
            place = f.moved(self._own("to"), mul(n, number(rows)), f.rows, 0)
            store = StoreVector(self.storage.lds, (add(place, copy),), self.storage.waiting, (n,))
            return (each(n.axis, f.loads, (store, *behind)),)
        done: list[DeviceStmt] = []
        for group in range(f.loads // f.turn):
            done += self._turn(group, copy)
        return tuple(done)

    def _turn(self, group: int, copy: Expr) -> Iterator[DeviceStmt]:
        """`turn` pieces of memory become pieces along the sum."""
        f, t = self.fill, self.tile
        e, q = self.words.index("e"), self.words.index("q")
        if t.bytes == 1:
            yield TurnBytes(self.storage.waiting, group * f.turn, self.storage.turned)
            yield each(e.axis, f.run, (self._turned_to(e, group, copy),))
            return
        taken = Load(self.storage.waiting, (add(number(group * f.turn), q), e), f.operand.dtype, True)
        turn = each(q.axis, f.turn, (Store(self.storage.turned, (e, q), taken, True),))
        yield each(e.axis, f.run, (turn, self._turned_to(e, group, copy)))

    def _turned_to(self, e: Expr, group: int, copy: Expr) -> StoreVector:
        """Column e of a group goes to LDS."""
        f = self.fill
        below = f.run if f.joined == 1 else f.tile.mfma.m * f.joined
        place = f.moved(self._own("to"), f.in_lds(e, f.run), below, group * f.k_apart)
        return StoreVector(self.storage.lds, (add(place, copy),), self.storage.turned, (e,))

    # --- LDS to fragments --------------------------------------------------------------------------------

    def read(self, s: int, copy: Expr) -> DeviceStmt:
        """The fragments of one slice."""
        t, f = self.tile, self.fill
        n = self.words.index("n")
        row = mul(n, number(t.mfma.m))
        place = f.moved(self._own("start"), row, self._wave_rows, s * t.groups * t.piece)
        load = LoadVector(self.storage.parts, self.storage.lds, (add(place, copy),), (*self._buffer(s), n))
        return each(n.axis, self._fragments, (load,))

    def part(self, s: int, p: int, n: Expr) -> Part:
        """Operand of the instructions for fragment n."""
        return Part(self.storage.parts, (*self._buffer(s), n), p, self.tile.parts)

    def _buffer(self, s: int) -> tuple[Expr, ...]:
        return (number(s % self.held),) if self.held > 1 else ()


def each(name: str, count: int, body: tuple[DeviceStmt, ...]) -> For:
    """A loop whose bodies all stand in a row in the compiled text."""
    return For(name, ZERO, number(count), ONE, body, unroll=count, small=True)


def fragment_type(dtype: DType) -> tuple[DType, int]:
    """How a piece of 16 bytes is held for matrix instructions: bf16 as bits, 8-bit types as two 64-bit words."""
    if dtype.bytes == 1:
        return I64, 2
    return (I16, 8) if dtype is BF16 else (dtype, 16 // dtype.bytes)


def put(state: State, wish: str, dtype: DType, shape: tuple[int, ...], space: Space) -> str:
    """Places an array of a kernel's own; gives its name."""
    name = state.names.fresh(wish, keep=True)
    state.placed[name] = Placed(Array(name, dtype, tuple(number(n) for n in shape), "local"), space)
    return name


def store(state: State, fill: Fill, waves: int, held: int) -> Storage:
    """Places what a factor goes through, fragments of `held` slices at once."""
    operand, t = fill.operand, fill.tile
    kind, width = fragment_type(operand.dtype)
    fragments = fill.rows // waves // t.mfma.m
    counts = (held, fragments) if held > 1 else (fragments,)
    a, computed = operand.array, operand.value is not None
    return Storage(
        lds=put(state, f"lds_{a}", operand.dtype, (fill.rows * fill.pitch * t.copies,), "shared"),
        waiting=_waiting(state, fill),
        turned=_turned(state, fill),
        offsets="" if computed else put(state, f"from_{a}", I32, (fill.loads,), "thread"),
        window="" if computed else state.names.fresh(f"window_{a}", keep=True),
        parts=put(state, f"part_{a}", kind, (*counts, width), "vector"),
        own={w: state.names.fresh(f"{w}_{a}", keep=True) for w in ("row", "k", "there", "to", "start", "step")},
    )


def _waiting(state: State, fill: Fill) -> str:
    """Places the registers in which pieces wait, or of a factor that is computed the one that is."""
    o = fill.operand
    if o.value is None:
        return put(state, f"next_{o.array}", o.dtype, (fill.loads, fill.run), "vector")
    return "" if fill.turn > 1 else put(state, f"computed_{o.array}", o.dtype, (fill.run,), "vector")


def _turned(state: State, fill: Fill) -> str:
    """Places the registers in which pieces are turned, or computed as turned ones."""
    o = fill.operand
    wish = f"turned_{o.array}" if o.value is None else f"computed_{o.array}"
    return put(state, wish, o.dtype, (fill.run, fill.turn), "vector") if fill.turn > 1 else ""
