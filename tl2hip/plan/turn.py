"""Tiles that are turned over: the code of a block for its tiles, each from the loads to the stores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tl2hip.dtypes import I64
from tl2hip.nest.index import (
    ONE,
    ZERO,
    add,
    ceil_div,
    floor_div,
    minimum,
    modulo,
    mul,
    number,
    product,
    trip_count,
    value_of,
    xor,
)
from tl2hip.nest.ir import (
    Array,
    Axis,
    AxisRef,
    Compare,
    Const,
    Dim,
    Expr,
    Load,
    Logic,
    Stmt,
    Store,
    Update,
    Var,
)
from tl2hip.nest.walk import map_expr, map_stmt_exprs
from tl2hip.plan import loops
from tl2hip.plan.ir import (
    Barrier,
    DeclareVector,
    DeviceIf,
    DeviceStmt,
    For,
    Let,
    LoadVector,
    Placed,
    StoreVector,
)
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.walk import map_exprs
from tl2hip.plan.widen import Place, combined
from tl2hip.source.span import Span

BANK_PIECES = 8
"""Pieces of 16 bytes that fill the 32 banks of LDS once (CDNA3 ISA guide)."""

THREAD = Var("thread.x", I64)
BLOCK, BLOCKS = Var("block.x", I64), Var("blocks.x", I64)


@dataclass(frozen=True, slots=True)
class Turn:
    """What is turned over: places that are loaded along `load` pass through LDS into a store along `store`.

    `width` elements are the 16 bytes that pass at a time; a tile has `tile` rows and columns.
    """

    load: Axis
    store: Axis
    around: tuple[Axis, ...]
    """Other axes whose trip counts the launcher knows: tiles are numbered over all of them."""
    staged: tuple[Place, ...]
    beside: tuple[Place, ...]
    """Places that are loaded along the store's axis, as the result is."""
    stored: Store | Update
    width: int = 0
    tile: int = 0

    @property
    def pieces(self) -> int:
        """Pieces of `width` elements in a row of a tile, and squares beside each other."""
        return self.tile // self.width

    @property
    def threads(self) -> int:
        """One for each square of a tile."""
        return self.pieces * self.pieces

    @property
    def numbered(self) -> tuple[Axis, ...]:
        """The axes in the order in which tiles are numbered: those side by side along `load` are neighbours."""
        return (*self.around, self.store, self.load)

    def count(self, axis: Axis) -> Expr:
        """How many tiles lie along an axis, one for each of its values where it is around them."""
        trip = trip_count(axis.start, axis.stop, axis.step)
        return trip if axis in self.around else ceil_div(trip, self.tile)

    @property
    def tiles(self) -> Expr:
        """How many tiles there are."""
        return product(tuple(self.count(a) for a in self.numbered))

    def whole_end(self, axis: Axis) -> Expr:
        """Where the last whole square along an axis ends."""
        whole = floor_div(trip_count(axis.start, axis.stop, 1), self.width)
        return add(axis.start, mul(whole, number(self.width)))

    def piece_in(self, piece: Expr, row: Expr) -> Expr:
        """Where a piece of a row stands in LDS. Squares side by side write 8 rows at a time and whole rows are read
        piece by piece: both go to all banks, as counted in the tests."""
        return xor(piece, modulo(floor_div(row, self.width), BANK_PIECES))


@dataclass(frozen=True, slots=True)
class Turned:
    """The code of a block for its tiles, whose corners are at the variables that `corner` names."""

    state: State
    turn: Turn
    body: tuple[Stmt, ...]
    walked: tuple[Axis, ...]
    """Axes that a block walks for each of its tiles, outermost first."""
    places: Mapping[str, Span]
    """Where the loop over each axis stands in the text."""
    vectors: dict[Place, str] = field(default_factory=dict, init=False)

    def code(self) -> tuple[DeviceStmt, ...]:
        """For each tile: loads, LDS writes, a barrier, LDS reads, stores, and what lies behind whole squares."""
        turn, tile = self.turn, AxisRef(self.state.names.local("tile"))
        tiles = {p: self._array(f"{p[0]}_tile", p, turn.tile, turn.tile) for p in turn.staged}
        body: tuple[DeviceStmt, ...] = (
            *self._fill(tiles),
            Barrier("the tile is whole"),
            *self._drain(tiles),
            *self._edges(),
            Barrier("the tile is filled again"),
        )
        for axis in reversed(self.walked):
            body = (loops.serial(axis, body, self.state.names, self.places[axis.name]),)
        lets, counts = self._counts()
        body = (*self._split(tile, counts), *self._named(body))
        return (*lets, For(tile.axis, BLOCK, product(counts), BLOCKS, body, note="one tile a block"))

    def _counts(self) -> tuple[tuple[DeviceStmt, ...], tuple[Expr, ...]]:
        """How many tiles lie along each numbered axis: an extent, a number, or a constant computed first."""
        lets: list[DeviceStmt] = []
        counts: list[Expr] = []
        for axis in self.turn.numbered:
            count = self.turn.count(axis)
            if not isinstance(count, Const | Dim):
                name = self.state.names.local(f"{called(axis)}_tiles")
                lets.append(Let(name, count))
                count = Var(name, I64)
            counts.append(count)
        return tuple(lets), tuple(counts)

    def _split(self, tile: Expr, counts: tuple[Expr, ...]) -> tuple[DeviceStmt, ...]:
        """Where a tile stands along each numbered axis, from its number."""
        turn, lets = self.turn, list[DeviceStmt]()
        for axis, count in reversed([*zip(turn.numbered, counts, strict=True)]):
            here = tile if axis is turn.numbered[0] else modulo(tile, count)
            tile = floor_div(tile, count)
            name, step = (
                (self.state.plain(axis), axis.step) if axis in turn.around else (self.corner(axis), turn.tile)
            )
            lets.append(Let(name, add(axis.start, mul(here, number(step))), at=self.places[axis.name]))
        return tuple(reversed(lets))

    def _named(self, body: tuple[DeviceStmt, ...]) -> tuple[DeviceStmt, ...]:
        """The code with the axes around the tiles as constants of each tile."""
        names = {a.name: Var(self.state.plain(a), I64) for a in self.turn.around}
        return map_exprs(lambda e: self._moved(e, names), body)

    def corner(self, axis: Axis) -> str:
        """The variable that holds where the tile starts along an axis."""
        return self.state.names.local(f"{called(axis)}_tile")

    # --- from memory to LDS

    def _fill(self, tiles: dict[Place, str]) -> tuple[DeviceStmt, ...]:
        """Each thread's square: rows from memory, columns to LDS."""
        turn, names = self.turn, self.state.names
        w, pieces = number(turn.width), turn.pieces
        down, across = names.local(f"{called(turn.store)}_first"), names.local(f"{called(turn.load)}_first")
        inside = names.local("piece")
        first = {
            turn.store.name: Var(down, I64),
            turn.load.name: Var(across, I64),
        }
        lets = (
            Let(down, add(Var(self.corner(turn.store), I64), mul(floor_div(THREAD, pieces), w))),
            Let(across, add(Var(self.corner(turn.load), I64), mul(modulo(THREAD, pieces), w))),
        )
        whole = Logic(
            "and",
            Compare("<=", add(first[turn.store.name], w), turn.store.stop),
            Compare("<=", add(first[turn.load.name], w), turn.load.stop),
        )
        rows = {p: self._array(f"{p[0]}_rows", p, turn.width, turn.width) for p in turn.staged}
        r, c, e = (AxisRef(names.local(n)) for n in ("r", "c", "e"))
        at_row = {**first, turn.store.name: add(first[turn.store.name], r)}
        loads = tuple(
            LoadVector(rows[p], p[0], self._moved_all(p[1], at_row), (r,), False, self._streamed(p))
            for p in turn.staged
        )
        # The row of LDS is (thread % pieces) * width + c; its number over width is thread % pieces.
        row = add(mul(modulo(THREAD, pieces), w), c)
        place = xor(floor_div(THREAD, pieces), modulo(modulo(THREAD, pieces), BANK_PIECES))
        columns: list[DeviceStmt] = []
        self.vectors.update({p: self._array(f"{p[0]}_column", p, turn.width) for p in turn.staged})
        for p in turn.staged:
            column = self.vectors[p]
            dtype = self.state.nest.array(p[0]).dtype
            element = Store(column, (e,), Load(rows[p], (e, c), dtype, proven=True), proven=True)
            turned = For(e.axis, ZERO, w, number(1), (element,), small=True, unroll=turn.width)
            write = StoreVector(tiles[p], (row, mul(Var(inside, I64), w)), column)
            columns += [DeclareVector(column), turned, write]
        inner: tuple[DeviceStmt, ...] = (
            *(DeclareVector(rows[p]) for p in turn.staged),
            self._unrolled(r, loads, "rows by 16 bytes, all under way together"),
            Let(inside, place),
            self._unrolled(c, tuple(columns), "turned over: columns to rows of LDS"),
        )
        return (*lets, DeviceIf(whole, inner, note="a whole square of this thread's own"))

    # --- from LDS to memory

    def _drain(self, tiles: dict[Place, str]) -> tuple[DeviceStmt, ...]:
        """Lanes side by side take pieces side by side of the rows of LDS."""
        turn, names = self.turn, self.state.names
        w, pieces = number(turn.width), turn.pieces
        n = AxisRef(names.local("n"))
        out, row, at = (names.local(x) for x in (f"{called(turn.store)}_out", "row", f"{called(turn.load)}_out"))
        place = turn.piece_in(modulo(THREAD, pieces), Var(row, I64))
        first: dict[str, Expr] = {turn.store.name: Var(out, I64), turn.load.name: Var(at, I64)}
        reads = []
        for p in turn.staged:
            reads.append(LoadVector(self.vectors[p], tiles[p], (Var(row, I64), mul(place, w))))
        whole = Logic(
            "and",
            Compare("<=", add(Var(out, I64), w), turn.store.stop),
            Compare("<", Var(at, I64), turn.whole_end(turn.load)),
        )
        inner = (*reads, *self._compute(first))
        each = (
            Let(row, add(floor_div(THREAD, pieces), mul(n, number(pieces)))),
            Let(at, add(Var(self.corner(turn.load), I64), Var(row, I64))),
            DeviceIf(whole, inner),
        )
        start = Let(out, add(Var(self.corner(turn.store), I64), mul(modulo(THREAD, pieces), w)))
        return (start, self._unrolled(n, each, "rows by 16 bytes"))

    def _compute(self, first: dict[str, Expr]) -> tuple[DeviceStmt, ...]:
        """What is loaded beside, the elements of one vector, and its store."""
        turn, stored = self.turn, self.turn.stored
        loads = []
        for p in turn.beside:
            self.vectors[p] = self._array(f"{p[0]}_vector", p, turn.width)
            loads.append(LoadVector(self.vectors[p], p[0], self._moved_all(p[1], first), (), False))
        target: Place = (stored.array, stored.index)
        made = []
        if target not in self.vectors:
            self.vectors[target] = self._array(f"{stored.array}_vector", target, turn.width)
            made = [DeclareVector(self.vectors[target])]
        e = AxisRef(self.state.names.local("e"))
        here = {**first, turn.store.name: add(first[turn.store.name], e)}
        code = ThreadCode(self.state.names, self.state.dtypes, self.state.kinds)
        inner = code.lower(tuple(self._element(s, here, e) for s in self.body))
        each = For(e.axis, ZERO, number(turn.width), number(1), inner, small=True, unroll=turn.width)
        store = StoreVector(
            stored.array,
            self._moved_all(stored.index, first),
            self.vectors[target],
            (),
            False,
            self._streamed(target),
        )
        return (*loads, *made, each, store)

    def _element(self, s: Stmt, here: dict[str, Expr], e: Expr) -> Stmt:
        """A statement of the body about element e of the vectors."""

        def expr(x: Expr) -> Expr:
            if isinstance(x, Load) and x.always and (x.array, x.index) in self.vectors:
                return Load(self.vectors[x.array, x.index], (e,), x.dtype, proven=True)
            return x

        done = map_stmt_exprs(lambda x: self._moved(map_expr(expr, x), here), s)
        if not isinstance(s, Store | Update) or not isinstance(done, Store | Update):
            return done
        vector, value = self.vectors[s.array, s.index], done.value
        if isinstance(s, Update):
            value = combined(s.op, Load(vector, (e,), value.dtype, proven=True), value)
        return Store(vector, (e,), value, proven=True, at=s.at)

    # --- behind whole squares

    def _edges(self) -> tuple[DeviceStmt, ...]:
        """The last few of one axis, then the last few of the other, where this tile has them."""
        turn = self.turn
        lower = ThreadCode(self.state.names, self.state.dtypes, self.state.kinds).lower
        done: list[DeviceStmt] = []
        for few, long, stop in (
            (turn.load, turn.store, turn.store.stop),
            (turn.store, turn.load, turn.whole_end(turn.load)),
        ):
            if (value_of(trip_count(few.start, few.stop, 1)) or 1) % turn.width == 0:
                continue
            end, here, corner = turn.whole_end(few), Var(self.corner(few), I64), Var(self.corner(long), I64)
            each = For(few.name, end, few.stop, number(1), lower(self.body), unroll=1)
            stop = minimum(add(corner, number(turn.tile)), stop)
            lanes = For(long.name, add(corner, THREAD), stop, number(turn.threads), (each,))
            test = Compare("<", end, add(here, number(turn.tile)))
            done.append(DeviceIf(test, (lanes,), note=f"the last few {called(few)}"))
        return tuple(done)

    # --- pieces of code

    def _unrolled(self, var: AxisRef, body: tuple[DeviceStmt, ...], note: str) -> For:
        """A loop over the pieces or rows of a square, all its bodies in a row."""
        width = self.turn.width
        return For(var.axis, ZERO, number(width), ONE, body, small=True, unroll=width, note=note)

    def _array(self, wish: str, place: Place, *shape: int) -> str:
        """An array of the kernel's own for elements of a place: a tile in LDS, or vectors; gives its name."""
        dtype = self.state.nest.array(place[0]).dtype
        name = self.state.names.fresh(wish, keep=True)
        own = Array(name, dtype, tuple(number(n) for n in shape), "local")
        self.state.placed[name] = Placed(own, "shared" if shape[0] == self.turn.tile else "vector")
        return name

    def _streamed(self, place: Place) -> bool:
        """Whether an array is the caller's, whose elements are not wanted again here."""
        return self.state.placed[place[0]].space == "global"

    def _moved_all(self, index: tuple[Expr, ...], to: dict[str, Expr]) -> tuple[Expr, ...]:
        return tuple(self._moved(i, to) for i in index)

    def _moved(self, e: Expr, to: Mapping[str, Expr]) -> Expr:
        return map_expr(lambda x: to.get(x.axis, x) if isinstance(x, AxisRef) else x, e)
