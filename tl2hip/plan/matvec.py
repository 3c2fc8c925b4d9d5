"""The kernels of a matrix times a vector: four rows a wave, one row a block, or one slice of a row a block."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, ZERO, add, floor_div, minimum, mul, number, product, sub, trip_count, value_of
from tl2hip.nest.ir import Array, Axis, AxisRef, Compare, Expr, Load, Logic, Select, Set, Stmt, Var
from tl2hip.nest.walk import map_expr, map_exprs, map_stmt_exprs, map_stmts
from tl2hip.plan.chain import Chain
from tl2hip.plan.gfx942 import WAVE
from tl2hip.plan.ir import DeclareVector, DeviceIf, DeviceStmt, For, Let, LoadVector, Placed
from tl2hip.plan.lanes_ir import Combine
from tl2hip.plan.launch import BLOCK, share_blocks, wrap
from tl2hip.plan.leave import Left, Slices
from tl2hip.plan.names import called
from tl2hip.plan.places import Place
from tl2hip.plan.private import linear
from tl2hip.plan.reduce import Partial, privatised
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode
from tl2hip.source.span import Span

ROWS = 4
"""Rows of a wave: as many loads of 16 bytes as each lane keeps under way."""

PIECES = 4
"""Pieces of one row that each thread of a block keeps under way."""

WAVES = 4
"""Waves of a block that takes several rows a wave: one for each SIMD of a compute unit."""

AROUND = ("y", "z")
"""Where the axes around a row go in a grid; the x axis is the row's own, or that of its slices."""

LANE, WAVE_INDEX = Var("thread.x", I64), Var("thread.y", I64)
BLOCK_INDEX, BLOCKS = Var("block.x", I64), Var("blocks.x", I64)


@dataclass(frozen=True, slots=True)
class MatrixVector:
    """Rows of `matrix`, each reduced over `over` together with `vector`. `chain` has the axis `row` and those
    around it. `ahead` and `behind` are done once a row, both behind the loop. `width` elements move at a time; the
    places in `streamed` are read once."""

    chain: Chain
    row: Axis
    over: Axis
    body: tuple[Stmt, ...]
    parts: tuple[Partial, ...]
    ahead: tuple[Stmt, ...]
    behind: tuple[Stmt, ...]
    matrix: tuple[Place, ...]
    vector: tuple[Place, ...]
    streamed: tuple[Place, ...]
    width: int
    at: Span

    @property
    def length(self) -> Expr:
        """Elements of a row."""
        return trip_count(self.over.start, self.over.stop, 1)

    @property
    def whole(self) -> Expr:
        """Whole vectors of a row."""
        return floor_div(self.length, self.width)

    @property
    def rows(self) -> Expr:
        """Rows in all."""
        return product(tuple(trip_count(a.start, a.stop, 1) for a in self.chain.axes))

    @property
    def row_at(self) -> Span:
        return self.chain.places[self.chain.axes.index(self.row)]

    @property
    def around(self) -> Chain:
        """The axes around a row."""
        return self.chain.part(n for n, a in enumerate(self.chain.axes) if a is not self.row)

    @property
    def number_of_row(self) -> Expr:
        """Which of all rows this one is, the innermost axis fastest."""
        axes = reversed(self.chain.axes)
        return linear(tuple((sub(AxisRef(a.name), a.start), trip_count(a.start, a.stop, 1)) for a in axes))


def by_waves(state: State, job: MatrixVector) -> tuple[DeviceStmt, ...]:
    """A wave for ROWS rows at a time. Behind the last row it loads that one again, and stores nothing of it."""
    wave, first = state.names.local("wave"), AxisRef(state.names.local(f"{called(job.row)}_first"))
    row, r = Var(state.plain(job.row), I64), AxisRef(state.names.local("r"))

    def row_of(n: Expr) -> Expr:
        return minimum(add(first, n), sub(job.row.stop, ONE))

    code = MatrixCode(state, job)
    copies = tuple(code.copy(f"_{n}", row_of(number(n)), (number(n),)) for n in range(ROWS))
    here = Var(state.names.local(f"{called(job.over)}_first"), I64)
    loads = tuple(code.load(p, here, row_of(r), (r,), ROWS) for p in job.matrix)
    piece: tuple[DeviceStmt, ...] = (
        *(DeclareVector(code.vectors(p, ROWS)) for p in job.matrix),
        unrolled(r, ROWS, loads, "a piece of each row, all under way together"),
        *(code.load(p, here, first) for p in job.vector),
        code.elements(copies, here, ROWS, 1),
    )
    body = (
        *(d for c in copies for d in c.start()),
        code.along(here, LANE, job.whole, WAVE, piece),
        *code.last_few(copies),
        *(d for c in copies for d in c.combine(WAVE, job.at)),
        Let(row.name, add(first, LANE)),
        DeviceIf(
            Logic("and", Compare("<", LANE, number(ROWS)), Compare("<", row, job.row.stop)),
            (*_chosen(job, copies), *code.of_row(row)),
            note="a lane for each row",
        ),
    )
    start = add(job.row.start, mul(add(mul(BLOCK_INDEX, number(WAVES)), Var(wave, I64)), number(ROWS)))
    step = mul(BLOCKS, number(WAVES * ROWS))
    note = f"{ROWS} {called(job.row)} a wave"
    loop = For(first.axis, start, job.row.stop, step, body, note=note, at=job.row_at)
    return (Let(wave, WAVE_INDEX, "uniform"), *wrap(share_blocks(job.around, AROUND), (loop,), state))


def _chosen(job: MatrixVector, copies: tuple[RowCopy, ...]) -> tuple[Let, ...]:
    """Each lane takes the sums of its own row."""
    totals = []
    for n, p in enumerate(job.parts):
        sums_of = [Var(c.parts[n].names[0], p.dtypes[0]) for c in copies]
        value: Expr = sums_of[0]
        for r in range(1, len(sums_of)):
            value = Select(Compare("==", LANE, number(r)), sums_of[r], value)
        totals.append(Let(p.names[0], value))
    return tuple(totals)


def by_block(state: State, job: MatrixVector) -> tuple[DeviceStmt, ...]:
    """A block for each row."""
    row = AxisRef(job.row.name)
    code = MatrixCode(state, job)
    copy = code.copy("", row)
    body = (
        *copy.start(),
        *_stretch(code, copy, ZERO, _tiles(job.whole), job.whole),
        *code.last_few((copy,)),
        *copy.combine(BLOCK, job.at),
        DeviceIf(Compare("==", LANE, ZERO), code.of_row(row), note="one lane stores"),
    )
    note = f"one {called(job.row)} a block"
    loop = For(row.axis, add(job.row.start, BLOCK_INDEX), job.row.stop, BLOCKS, body, note=note, at=job.row_at)
    return wrap(share_blocks(job.around, AROUND), (loop,), state)


def by_slices(state: State, job: MatrixVector, cut: Slices, left: Left) -> tuple[DeviceStmt, ...]:
    """A block for each slice of a row, which leaves its partials in the workspace."""
    code = MatrixCode(state, job)
    copy = code.copy("", AxisRef(job.row.name))
    first, stop, tiled = (
        Var(state.names.local(f"{called(job.over)}_{end}"), I64) for end in ("start", "stop", "tiled")
    )
    end = minimum(add(first, cut.each), job.whole)
    which = linear(((BLOCK_INDEX, cut.count), (job.number_of_row, ONE)))
    last = Compare("==", BLOCK_INDEX, sub(cut.count, ONE))
    body = (
        Let(first.name, mul(BLOCK_INDEX, cut.each)),
        Let(stop.name, end),
        Let(tiled.name, add(first, _tiles(trip_count(first, stop, 1)))),
        *copy.start(),
        *_stretch(code, copy, first, tiled, stop),
        *code.last_few((copy,), last),
        *copy.combine(BLOCK, job.at),
        DeviceIf(Compare("==", LANE, ZERO), left.stores(which), note="one partial a slice"),
    )
    return wrap(share_blocks(job.chain, AROUND), body, state)


def _tiles(length: Expr) -> Expr:
    """How many of so many vectors a block takes PIECES a thread at a time."""
    return mul(floor_div(length, BLOCK * PIECES), number(BLOCK * PIECES))


def _stretch(code: MatrixCode, copy: RowCopy, first: Expr, tiled: Expr, stop: Expr) -> tuple[DeviceStmt, ...]:
    """A block's partials of vectors of a row: those before `tiled` PIECES a thread at a time, the others one."""
    job, state = code.job, code.state
    v = AxisRef(state.names.local("v"))
    here = Var(state.names.local(f"{called(job.over)}_first"), I64)
    far = add(here, mul(v, number(BLOCK * job.width)))
    places = (*job.matrix, *job.vector)
    tile = AxisRef(state.names.fresh(f"{job.over.name}_tile"))
    loads = tuple(code.load(p, far, copy.row, (v,), PIECES) for p in places)
    pieces: tuple[DeviceStmt, ...] = (
        Let(here.name, code.element_at(add(tile, LANE))),
        *(DeclareVector(code.vectors(p, PIECES)) for p in places),
        unrolled(v, PIECES, loads, "pieces of the row, all under way together"),
        unrolled(v, PIECES, (code.elements((replace(copy, slot=(v,)),), far, PIECES, PIECES),), ""),
    )
    piece: tuple[DeviceStmt, ...] = (
        *(code.load(p, here, copy.row) for p in places),
        code.elements((copy,), here, 1, 1),
    )
    return (
        For(tile.axis, first, tiled, number(BLOCK * PIECES), pieces, at=job.at),
        code.along(here, add(tiled, LANE), stop, BLOCK, piece),
    )


def unrolled(var: AxisRef, count: int, body: tuple[DeviceStmt, ...], note: str) -> For:
    return For(var.axis, ZERO, number(count), number(1), body, small=True, unroll=count, note=note)


@dataclass(frozen=True, slots=True)
class RowCopy:
    """The partials of one row and the loop's body about them; `slot` says which vector holds its elements."""

    parts: tuple[Partial, ...]
    body: tuple[Stmt, ...]
    row: Expr
    slot: tuple[Expr, ...]

    def start(self) -> tuple[DeviceStmt, ...]:
        return tuple(d for p in self.parts for d in p.start())

    def combine(self, threads: int, at: Span) -> tuple[Combine, ...]:
        return tuple(p.combine(threads, at) for p in self.parts)


@dataclass(frozen=True, slots=True)
class MatrixCode:
    """Pieces of code that all kernels have."""

    state: State
    job: MatrixVector

    def copy(self, suffix: str, row: Expr, slot: tuple[Expr, ...] = ()) -> RowCopy:
        """The partials and the body of one row, with names of its own where there is a suffix."""
        job, dtypes = self.job, self.state.dtypes
        parts, body = job.parts, privatised(job.body, job.parts)
        own = {s.name: s.name for s in body if isinstance(s, Set)}
        if suffix:
            own = {name: self.state.names.fresh(f"{name}{suffix}", keep=True) for name in own}
        dtypes.update({new: dtypes[old] for old, new in own.items()})

        def expr(e: Expr) -> Expr:
            return Var(own[e.name], e.dtype) if isinstance(e, Var) and e.name in own else e

        body = map_exprs(expr, body)
        body = map_stmts(lambda s: replace(s, name=own[s.name]) if isinstance(s, Set) else s, body)
        return RowCopy(tuple(replace(p, names=(own[p.names[0]],)) for p in parts), body, row, slot)

    def vectors(self, place: Place, count: int = 1) -> str:
        """Vectors for elements of a place; gives their name."""
        dtype = self.state.placed[place[0]].array.dtype
        shape = (*((number(count),) if count > 1 else ()), number(self.job.width))
        places = [p for p in (*self.job.matrix, *self.job.vector) if p[0] == place[0]]
        which = f"_{places.index(place) + 1}" if places.index(place) else ""
        name = f"{place[0]}_vector{'s' if count > 1 else ''}{which}"
        placed = Placed(Array(name, dtype, shape, "local"), "vector")
        while self.state.placed.get(name, placed) != placed or self.state.names.scalar(name):
            name += "_"
            placed = replace(placed, array=replace(placed.array, name=name))
        self.state.placed[name] = placed
        self.state.names.keep(name)
        return name

    def load(self, place: Place, here: Expr, row: Expr, slot: tuple[Expr, ...] = (), count: int = 1) -> LoadVector:
        index = tuple(_moved(i, {self.job.row.name: row, self.job.over.name: here}) for i in place[1])
        return LoadVector(self.vectors(place, count), place[0], index, slot, False, place in self.job.streamed)

    def elements(self, copies: tuple[RowCopy, ...], here: Expr, matrix: int, vector: int) -> For:
        """The body at each element of a piece; so many vectors there are of the matrix and of the vector."""
        e = AxisRef(self.state.names.local("e"))
        inner: list[DeviceStmt] = []
        for c in copies:
            held = {p: (self.vectors(p, matrix), (*c.slot, e)) for p in self.job.matrix}
            held |= {p: (self.vectors(p, vector), (*(c.slot if vector > 1 else ()), e)) for p in self.job.vector}
            inner += self.lowered(c, add(here, e), held)
        return For(e.axis, ZERO, number(self.job.width), number(1), tuple(inner), unroll=self.job.width)

    def lowered(
        self, copy: RowCopy, here: Expr, held: dict[Place, tuple[str, tuple[Expr, ...]]]
    ) -> tuple[DeviceStmt, ...]:
        """The body of a copy at one element; what vectors hold is taken from there."""
        to = {self.job.row.name: copy.row, self.job.over.name: here}

        def expr(x: Expr) -> Expr:
            if isinstance(x, Load) and x.always and (x.array, x.index) in held:
                array, index = held[x.array, x.index]
                return Load(array, index, x.dtype, proven=True)
            return x

        body = tuple(map_stmt_exprs(lambda e: _moved(map_expr(expr, e), to), s) for s in copy.body)
        names = frozenset(p.names[0] for p in copy.parts if p.reduction.op == "+")
        return ThreadCode(self.state.names, self.state.dtypes, self.state.kinds, sums=names).lower(body)

    def element_at(self, vector: Expr) -> Expr:
        """The first element of a vector of the row."""
        return add(self.job.over.start, mul(vector, number(self.job.width)))

    def along(self, here: Var, start: Expr, stop: Expr, threads: int, piece: tuple[DeviceStmt, ...]) -> For:
        """A loop over vectors of a row, strided over threads."""
        vector = AxisRef(self.state.names.fresh(f"{self.job.over.name}_vector"))
        body = (Let(here.name, self.element_at(vector)), *piece)
        return For(vector.axis, start, stop, number(threads), body, at=self.job.at)

    def last_few(self, copies: tuple[RowCopy, ...], alone: Compare | None = None) -> tuple[DeviceStmt, ...]:
        """The elements behind the last whole vector, one a thread, of those for which the test `alone` holds."""
        length = value_of(self.job.length)
        if length is not None and length % self.job.width == 0:
            return ()
        here = Var(self.state.plain(self.job.over), I64)
        inner = tuple(d for c in copies for d in self.lowered(c, here, {}))
        start = add(self.element_at(self.job.whole), LANE)
        inside = Compare("<", here, self.job.over.stop)
        test = inside if alone is None else Logic("and", alone, inside)
        return (Let(here.name, start), DeviceIf(test, inner, note="what is left of a vector"))

    def of_row(self, row: Expr) -> tuple[DeviceStmt, ...]:
        """What is done once for a row, by one lane."""
        finish = tuple(s for p in self.job.parts for s in p.finish(self.job.at))
        body = _at((*self.job.ahead, *finish, *self.job.behind), {self.job.row.name: row})
        return ThreadCode(self.state.names, self.state.dtypes, self.state.kinds).lower(body)


def _at(body: tuple[Stmt, ...], to: dict[str, Expr]) -> tuple[Stmt, ...]:
    """A body with axes replaced by expressions."""
    return tuple(map_stmt_exprs(lambda e: _moved(e, to), s) for s in body)


def _moved(e: Expr, to: dict[str, Expr]) -> Expr:
    return map_expr(lambda x: to.get(x.axis, x) if isinstance(x, AxisRef) else x, e)
