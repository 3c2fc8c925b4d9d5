"""Tiles that are turned over: the code of a block for its tiles, each from the loads to the stores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tl2hip.dtypes import I64, DType
from tl2hip.nest.index import (
    ZERO,
    add,
    floor_div,
    minimum,
    modulo,
    mul,
    number,
    product,
    trip_count,
    value_of,
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
    Space,
    StoreVector,
)
from tl2hip.plan.names import called
from tl2hip.plan.places import Place
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.turn import Turn
from tl2hip.plan.walk import map_exprs
from tl2hip.plan.widen import combined
from tl2hip.source.span import Span

UNROLLED = 16
"""Times that a body is repeated, at most."""

THREAD = Var("thread.x", I64)
BLOCK, BLOCKS = Var("block.x", I64), Var("blocks.x", I64)

Index = tuple[Expr, ...]


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
        tiles = {p: self._tile(p) for p in turn.staged}
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
        rows = {p: self._array(f"{p[0]}_rows", p, "vector", turn.width, turn.width) for p in turn.staged}
        r, c, e = (AxisRef(names.local(n)) for n in ("r", "c", "e"))
        at_row = {**first, turn.store.name: add(first[turn.store.name], r)}
        loads = tuple(
            LoadVector(rows[p], p[0], self._moved_all(p[1], at_row), (r,), False, self._streamed(p))
            for p in turn.staged
        )
        # A column of the square is a piece of a row of LDS.
        square = modulo(THREAD, pieces)
        row, piece = add(mul(square, w), c), floor_div(THREAD, pieces)
        columns: list[DeviceStmt] = []
        for p in turn.staged:
            column = self._array(f"{p[0]}_column", p, "vector", turn.width)
            dtype = self._dtype(p)
            element = Store(column, (e,), Load(rows[p], (e, c), dtype, proven=True), proven=True)
            turned = self._unrolled(e, (element,), "", turn.width)
            write = StoreVector(tiles[p], self.turn.spot(dtype, row, square, piece), column)
            columns += [DeclareVector(column), turned, write]
        inner: tuple[DeviceStmt, ...] = (
            *(DeclareVector(rows[p]) for p in turn.staged),
            self._unrolled(r, loads, "rows, all under way together", turn.width),
            self._unrolled(c, tuple(columns), "turned over: columns to rows of LDS", turn.width),
        )
        return (*lets, DeviceIf(whole, inner, note="a whole square of this thread's own"))

    # --- from LDS to memory

    def _drain(self, tiles: dict[Place, str]) -> tuple[DeviceStmt, ...]:
        """Lanes side by side take pieces side by side of the rows of LDS."""
        turn, names = self.turn, self.state.names
        in_row = turn.tile // turn.out
        rows, of_piece = turn.threads // in_row, turn.width // turn.out
        n = AxisRef(names.local("n"))
        out, row, at = (names.local(x) for x in (f"{called(turn.store)}_out", "row", f"{called(turn.load)}_out"))
        first: dict[str, Expr] = {turn.store.name: Var(out, I64), turn.load.name: Var(at, I64)}
        mine = modulo(THREAD, in_row)
        piece = floor_div(mine, of_piece)
        inside = mul(modulo(mine, of_piece), number(turn.out))
        reads = []
        for p in turn.staged:
            self.vectors[p] = self._array(f"{p[0]}_piece", p, "vector", turn.out)
            square = floor_div(Var(row, I64), turn.width)
            line, start = turn.spot(self._dtype(p), Var(row, I64), square, piece)
            reads.append(LoadVector(self.vectors[p], tiles[p], (line, add(start, inside))))
        whole = Logic(
            "and",
            Compare("<", Var(out, I64), turn.whole_end(turn.store)),
            Compare("<", Var(at, I64), turn.whole_end(turn.load)),
        )
        inner = (*reads, *self._compute(first))
        each = (
            Let(row, add(floor_div(THREAD, in_row), mul(n, number(rows)))),
            Let(at, add(Var(self.corner(turn.load), I64), Var(row, I64))),
            DeviceIf(whole, inner),
        )
        start_out = Let(out, add(Var(self.corner(turn.store), I64), mul(mine, number(turn.out))))
        return (start_out, self._unrolled(n, each, "rows of the result", turn.tile // rows))

    def _compute(self, first: dict[str, Expr]) -> tuple[DeviceStmt, ...]:
        """What is loaded beside, the elements of one vector, and its store."""
        turn, stored = self.turn, self.turn.stored
        loads: list[DeviceStmt] = []
        for p in turn.beside:
            loads += self._beside(p, first)
        target: Place = (stored.array, stored.index)
        made = []
        if target not in self.vectors:
            self.vectors[target] = self._vector(target)
            made = [DeclareVector(self.vectors[target])]
        e = AxisRef(self.state.names.local("e"))
        here = {**first, turn.store.name: add(first[turn.store.name], e)}
        code = ThreadCode(self.state.names, self.state.dtypes, self.state.kinds)
        inner = code.lower(tuple(self._element(s, here, e) for s in self.body))
        vector, array = self.vectors[target], stored.array
        stores = self._each_access(
            target,
            first,
            lambda index, slot: StoreVector(array, index, vector, slot, False, self._streamed(target)),
        )
        return (*loads, *made, self._unrolled(e, inner, "", turn.out), stores)

    def _beside(self, place: Place, first: dict[str, Expr]) -> tuple[DeviceStmt, ...]:
        """The loads of a place that runs along the store's axis."""
        vector = self._vector(place)
        self.vectors[place] = vector
        load = self._each_access(place, first, lambda index, slot: LoadVector(vector, place[0], index, slot, False))
        return (load,) if isinstance(load, LoadVector) else (DeclareVector(vector), load)

    def _each_access(
        self, place: Place, first: dict[str, Expr], access: Callable[[Index, Index], DeviceStmt]
    ) -> DeviceStmt:
        """The access to a place, or a loop over several where 16 bytes do not hold what is wanted of it."""
        count, each = self.turn.share(self._dtype(place))
        if count == 1:
            return access(self._moved_all(place[1], first), ())
        v = AxisRef(self.state.names.local("v"))
        axis = self.turn.store.name
        here = {**first, axis: add(first[axis], mul(v, number(each)))}
        return self._unrolled(v, (access(self._moved_all(place[1], here), (v,)),), "", count)

    def _element(self, s: Stmt, here: dict[str, Expr], e: AxisRef) -> Stmt:
        """A statement of the body about element e of the vectors."""

        def expr(x: Expr) -> Expr:
            if isinstance(x, Load) and x.always and (x.array, x.index) in self.vectors:
                return self._held((x.array, x.index), e)
            return x

        done = map_stmt_exprs(lambda x: self._moved(map_expr(expr, x), here), s)
        if not isinstance(s, Store | Update) or not isinstance(done, Store | Update):
            return done
        element, value = self._held((s.array, s.index), e), done.value
        if isinstance(s, Update):
            value = combined(s.op, element, value)
        return Store(element.array, element.index, value, proven=True, at=s.at)

    def _held(self, place: Place, e: AxisRef) -> Load:
        """Element e of a place, in the registers that hold it."""
        count, each = (1, 0) if place in self.turn.staged else self.turn.share(self._dtype(place))
        index: Index = (e,) if count == 1 else (floor_div(e, each), modulo(e, each))
        return Load(self.vectors[place], index, self._dtype(place), proven=True)

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

    def _unrolled(self, var: AxisRef, body: tuple[DeviceStmt, ...], note: str, count: int) -> For:
        unroll = min(count, UNROLLED)
        return For(var.axis, ZERO, number(count), number(1), body, small=True, unroll=unroll, note=note)

    def _dtype(self, place: Place) -> DType:
        return self.state.nest.array(place[0]).dtype

    def _tile(self, place: Place) -> str:
        """The tile of a place in LDS; gives its name."""
        rows = self.turn.rows_of_line(self._dtype(place))
        return self._array(f"{place[0]}_tile", place, "shared", self.turn.tile // rows, rows * self.turn.tile)

    def _vector(self, place: Place) -> str:
        """Registers for `out` elements of a place; gives their name."""
        count, each = self.turn.share(self._dtype(place))
        shape = (each,) if count == 1 else (count, each)
        return self._array(f"{place[0]}_vector{'s' if count > 1 else ''}", place, "vector", *shape)

    def _array(self, wish: str, place: Place, space: Space, *shape: int) -> str:
        """An array of the kernel's own for elements of a place; gives its name."""
        name = self.state.names.fresh(wish, keep=True)
        own = Array(name, self._dtype(place), tuple(number(n) for n in shape), "local")
        self.state.placed[name] = Placed(own, space)
        return name

    def _streamed(self, place: Place) -> bool:
        """Whether an array is the caller's, whose elements are not wanted again here."""
        return self.state.placed[place[0]].space == "global"

    def _moved_all(self, index: tuple[Expr, ...], to: dict[str, Expr]) -> tuple[Expr, ...]:
        return tuple(self._moved(i, to) for i in index)

    def _moved(self, e: Expr, to: Mapping[str, Expr]) -> Expr:
        return map_expr(lambda x: to.get(x.axis, x) if isinstance(x, AxisRef) else x, e)
