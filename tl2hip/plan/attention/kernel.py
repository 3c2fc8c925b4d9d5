"""One kernel of attention: a block computes the result of some rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl2hip.dtypes import BF16, F32, I64
from tl2hip.nest.index import (
    ONE,
    ZERO,
    add,
    ceil_div,
    floor_div,
    maximum,
    minimum,
    modulo,
    mul,
    number,
    product,
    sub,
)
from tl2hip.nest.ir import Axis, AxisRef, Expr, Load, Select, Store, Unary, Var
from tl2hip.nest.walk import all_stmts, map_expr
from tl2hip.plan.attention.epilogue import Epilogue
from tl2hip.plan.attention.find import Attention, Factor
from tl2hip.plan.attention.loop import KeyLoop
from tl2hip.plan.attention.side import Streamed
from tl2hip.plan.attention.softmax import Scale, Softmax
from tl2hip.plan.attention.tile import SIZE, Cut
from tl2hip.plan.gfx942 import WAVE
from tl2hip.plan.ir import DeclareVector, DeviceStmt, Let, LoadVector
from tl2hip.plan.matmul.fill import Fill
from tl2hip.plan.matmul.side import Side, Storage, each, put, store
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import LdsBarrier, Remark
from tl2hip.plan.state import State
from tl2hip.plan.walk import map_exprs
from tl2hip.plan.widen import Moves


@dataclass(frozen=True, slots=True)
class Registers:
    """The vectors of a cut, which its kernels name alike."""

    keys: Storage
    values: Storage
    queries: str
    scores: str
    weights: str
    sums: str
    totals: str
    wide_values: str


def registers(state: State, p: Attention, cut: Cut, scale: Scale | None) -> Registers:
    """Places the vectors and LDS of a cut. Values are read ahead where the rest leaves registers for it: scores
    that are computed, bounds of rows and roundings to bf16 take some."""
    tight = cut.width > WAVE and (scale is None or p.ragged or p.weight is BF16)
    weight = F32 if cut.weigh.first is F32 else p.weight
    wide = put(state, f"wide_{p.value.array}", F32, (cut.blocks,), "vector") if weight is F32 else ""
    return Registers(
        keys=_stored(state, cut.keys_fill, 2),
        values=_stored(state, cut.values_fill, 1 if tight else 2),
        queries=put(state, f"part_{p.query.array}", p.query.dtype, (cut.depth // 16, 8), "vector"),
        scores=put(state, "scores", F32, (cut.fragments, cut.score.result_slots), "vector"),
        weights=put(state, "weights", weight, (cut.keys // 16, 8), "vector"),
        sums=put(state, "sums", F32, (cut.blocks, cut.weigh.result_slots), "vector"),
        totals=put(state, f"{p.total}_parts", F32, (2,), "vector"),
        wide_values=wide,
    )


def _stored(state: State, fill: Fill, held: int) -> Storage:
    """What a factor goes through, fragments of `held` slices at once, as the numbers that they are: to be looked
    at."""
    made = store(state, fill, 1, held=held)
    placed = state.placed[made.parts]
    state.placed[made.parts] = replace(placed, array=replace(placed.array, dtype=fill.operand.dtype))
    return made


@dataclass(frozen=True, slots=True)
class RowsKernel:
    """The kernel of a cut. `aligned`: rows of all factors start at multiples of 16 bytes."""

    attention: Attention
    cut: Cut
    scale: Scale | None
    registers: Registers
    moves: Moves | None
    aligned: bool

    @property
    def batch(self) -> tuple[Axis, ...]:
        """The axes beside the rows."""
        return tuple(self.attention.chain.axes[n] for n in self.attention.batch)

    @property
    def grid(self) -> Expr:
        """How many blocks there are: 128 rows each of all batches, which are fewer than HIP's 2**24 of 256 threads,
        as no memory of a gfx942 holds that many rows."""
        return mul(ceil_div(self.attention.rows.stop, self.cut.rows), product(tuple(a.stop for a in self.batch)))

    def body(self, state: State) -> tuple[DeviceStmt, ...]:
        """The statements of a block."""
        row = Var(Words(state.names).name(f"{self.attention.rows.name}_kept"), I64)
        known: dict[Expr, Expr] = {AxisRef(self.attention.rows.name): row}
        known |= {AxisRef(a.name): Var(a.name, I64) for a in self.batch}
        return map_exprs(lambda e: map_expr(lambda x: known.get(x, x), e), tuple(self._body(state)))

    def _body(self, state: State) -> Iterator[DeviceStmt]:
        p, cut, words, r = self.attention, self.cut, Words(state.names), self.registers
        row, kept = Var(p.rows.name, I64), Var(words.name(f"{p.rows.name}_kept"), I64)
        yield from self._head(words, row, kept)
        yield from self._queries(words, kept)
        span, ends = self._span(words), self._ends(words, kept)
        yield from self._spanned(words, kept)
        keys = self._streamed(state, words, p.key, cut.keys_fill, r.keys, cut.depth, span[3])
        values = self._streamed(state, words, p.value, cut.values_fill, r.values, cut.width, span[3])
        for side in (keys, values):
            yield DeclareVector(side.inner.storage.waiting)
            yield from side.head()
        yield DeclareVector(r.sums, zeros=True)
        softmax = Softmax(words, p, cut, self.scale, r.scores, r.weights, r.sums, r.totals, kept, ends)
        yield from softmax.declared()
        yield from KeyLoop(words, p, cut, keys, values, softmax, r.queries, r.wide_values, span).whole()
        yield from softmax.finished()
        stored = {s.array for s in all_stmts((*p.row_behind, *p.behind)) if isinstance(s, Store)}
        if p.query.array in stored:  # lanes share rows, and without keys no barrier stood in between
            yield LdsBarrier("every lane has its row")
        yield from Epilogue(words, state, p, cut, self.scale, r.sums, row, ends, self.moves).whole()

    def _head(self, w: Words, row: Var, kept: Var) -> Iterator[DeviceStmt]:
        """Which thread this is, and which row its lane has."""
        p, cut = self.attention, self.cut
        yield Remark(
            f"Which thread this is, and which of the {cut.rows} rows of its block is this lane's. The lane {SIZE} "
            "on has the same row; rows past the end repeat the last one, and nobody stores them."
        )
        yield Let(w.name("thread"), Var("thread.x", I64), "int")
        yield Let(w.name("lane"), modulo(w.var("thread"), WAVE), "int")
        yield Let(w.name("wave"), floor_div(w.var("thread"), WAVE), "uniform")
        inside = add(mul(w.var("wave"), number(SIZE)), modulo(w.var("lane"), SIZE))
        block: Expr = Var("block.x", I64)
        for axis in reversed(self.batch):
            yield Let(axis.name, modulo(block, axis.stop))
            block = floor_div(block, axis.stop)
        tile = w.var(f"{p.rows.name}_tile")
        if p.ragged:  # later rows have more keys: their blocks start first
            block = sub(sub(ceil_div(p.rows.stop, cut.rows), ONE), block)
        yield Let(tile.name, mul(block, number(cut.rows)), "uniform")
        yield Let(row.name, add(tile, inside))
        yield Let(kept.name, minimum(row, sub(p.rows.stop, ONE)))

    def _span(self, w: Words) -> tuple[Expr, Expr | None, Expr, Expr]:
        """The keys of the block, as its loop takes them."""
        start = self.attention.keys.axis.start
        first = ZERO if start == ZERO else w.var("begin")
        some = None if start == ZERO else w.var("all_from")
        return first, some, w.var("whole"), w.var("end") if self.attention.ragged else self.attention.keys.axis.stop

    def _ends(self, w: Words, kept: Var) -> tuple[Expr, Expr]:
        """The first key of this lane's row, and where its keys end."""
        axis = self.attention.keys.axis
        if not self.attention.ragged:
            return axis.start, axis.stop
        return ZERO if axis.start == ZERO else w.var("row_begin"), w.var("row_end")

    def _spanned(self, w: Words, kept: Var) -> Iterator[DeviceStmt]:
        """Which keys the block takes: bounds rise with the rows, so that those of its first and last row tell."""
        p, size = self.attention, self.cut.keys
        axis, first = p.keys.axis, w.var(f"{p.rows.name}_tile")
        last = minimum(add(first, number(self.cut.rows - 1)), sub(p.rows.stop, ONE))

        def of(e: Expr, row: Expr) -> Expr:
            return map_expr(lambda x: row if x == AxisRef(p.rows.name) else x, e)

        def floored(e: Expr) -> Expr:
            return mul(floor_div(maximum(e, ZERO), size), number(size))

        if p.ragged:
            yield Remark(
                "Which keys the block takes: those of all its rows, and in between whole tiles that every row has."
            )
        whole = floored(of(axis.stop, first))
        if axis.start != ZERO:
            yield Let(w.name("row_begin"), of(axis.start, kept), "int")
            yield Let(w.name("begin"), floored(of(axis.start, first)))
            yield Let(w.name("all_from"), floored(add(of(axis.start, last), number(size - 1))), "uniform")
            whole = maximum(whole, w.var("all_from"))
        if not p.ragged:
            yield Let(w.name("whole"), mul(floor_div(axis.stop, size), number(size)), "int")
            return
        yield Let(w.name("row_end"), of(axis.stop, kept), "int")
        yield Let(w.name("whole"), whole, "uniform")
        yield Let(w.name("end"), of(axis.stop, last), "uniform")

    def _queries(self, w: Words, kept: Var) -> Iterator[DeviceStmt]:
        """The row's own elements, as the second operand of the first product has them."""
        p, r = self.attention, self.registers
        n, e = w.index("n"), w.index("e")
        yield DeclareVector(r.queries)
        place = add(mul(n, number(16)), mul(floor_div(w.var("lane"), SIZE), number(8)))
        load = LoadVector(r.queries, p.query.array, p.query.at(kept, place), (n,), self.aligned, at=p.product_at)
        yield each(n.axis, self.cut.depth // 16, (load,))
        negative = None if self.scale is None else self.scale.negative
        if negative is not None:
            yield Remark("The greatest product makes the greatest score: a factor below 0 changes its sign here.")
            value = Load(r.queries, (n, e), p.query.dtype, True)
            turned = Store(r.queries, (n, e), Select(negative, Unary("-", value), value), True)
            yield each(n.axis, self.cut.depth // 16, (each(e.axis, 8, (turned,)),))

    def _streamed(
        self, state: State, w: Words, factor: Factor, fill: Fill, storage: Storage, width: int, end: Expr
    ) -> Streamed:
        shape = state.nest.array(factor.array).shape
        held = len(state.placed[storage.parts].array.shape) - 1
        inner = Side(w, fill, shape, ZERO, end, end, 1, ZERO, storage, held=held)
        return Streamed(w, factor, shape, end, self.cut.keys, width, inner, self.aligned)
