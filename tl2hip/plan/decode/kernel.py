"""The kernels of decode attention: a block for a group of heads and a slice of the keys, and one that merges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl2hip.dtypes import F32, I64
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
    value_of,
)
from tl2hip.nest.ir import AxisRef, Compare, Const, Expr, Load, Select, Store, Var
from tl2hip.nest.walk import map_expr
from tl2hip.plan import launch as general
from tl2hip.plan.decode.finish import Finish, Parts, Stored
from tl2hip.plan.decode.record import Decode, Rows
from tl2hip.plan.decode.rows import Reader, Spot, at
from tl2hip.plan.decode.step import NONE, NOTHING, Opening, Registers, Step, greatest_of
from tl2hip.plan.decode.tile import GROUPS, RUN, SIZE, Cut
from tl2hip.plan.gfx942 import WAVE
from tl2hip.plan.ir import (
    Declare,
    DeclareVector,
    DeviceIf,
    DeviceStmt,
    For,
    Let,
    LoadVector,
    StoreVector,
)
from tl2hip.plan.leave import Slices
from tl2hip.plan.matmul.side import each
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import LdsBarrier, Remark
from tl2hip.plan.names import called
from tl2hip.plan.private import linear
from tl2hip.plan.softmax_ir import JoinHalves
from tl2hip.plan.state import State

PAD = 4
"""Elements behind each head's sums in LDS, so that eight lanes that store 16 bytes of a column meet in no bank."""


@dataclass(frozen=True, slots=True)
class Held:
    """Where parts are: in LDS those of waves, in the workspace those of slices; `few` are sums on their way."""

    registers: Registers
    waves: Stored
    slices: Stored | None
    few: dict[int, str]


@dataclass(frozen=True, slots=True)
class Kernels:
    """What the kernels of one attention share. `slices` of the keys, None where a block takes all of a row; `pages`
    are sizes of pages that are multiples of 16."""

    state: State
    decode: Decode
    cut: Cut
    held: Held
    pages: frozenset[Expr] = frozenset()

    def with_slices(self, cuts: Slices) -> Kernels:
        """The same with the workspace placed for the parts of slices."""
        heads = cuts.most * self.cut.columns
        most, total = (self.state.workspace(f"{n}_of_slices", F32, (number(heads),)) for n in ("most", "total"))
        shape = (number(heads), number(self.decode.width))
        sums = self.state.workspace("sums_of_slices", F32, shape)
        asked = self.decode.first is not None
        first = self.state.workspace("first_of_slices", F32, (number(heads),)) if asked else None
        return replace(self, held=replace(self.held, slices=Stored(most, total, sums, first)))

    @property
    def words(self) -> Words:
        return Words(self.state.names)

    # --- which heads -------------------------------------------------------------------------------------

    @property
    def chunks(self) -> Expr:
        """Blocks for the heads of a group."""
        return ceil_div(self.decode.group, SIZE)

    @property
    def numbers(self) -> Expr:
        """Blocks for all heads of a point of the batch."""
        return mul(self.decode.groups, self.chunks)

    @property
    def items(self) -> Expr:
        """Blocks for all heads of the batch."""
        return mul(product(tuple(a.stop for a in self.decode.batch.axes)), self.numbers)

    def item(self, which: Expr) -> Expr:
        """The number of a block of heads in the batch."""
        axes = reversed(self.decode.batch.axes)
        return linear(((which, self.numbers), *((AxisRef(a.name), a.stop) for a in axes)))

    @property
    def _head(self) -> Var:
        """The head of a lane."""
        return Var(self.state.plain(self.decode.heads), I64)

    # --- the kernel of a group of heads ------------------------------------------------------------------

    def of_group(self, slices: Slices | None) -> tuple[DeviceStmt, ...]:
        """A block for a group of heads, and where keys are sliced for a slice of them, whose part it leaves."""
        w = self.words
        work = w.index("work")
        count = self.numbers if slices is None else mul(self.numbers, slices.count)
        body = (*self._group(work, slices), LdsBarrier("LDS is used again"))
        note = f"a group of {called(self.decode.heads)} a block" + ("" if slices is None else ", and a slice")
        loop = For(work.axis, Var("block.x", I64), count, Var("blocks.x", I64), body, note=note)
        batch = general.share_blocks(self.decode.batch, ("y", "z"))
        return (*self._lanes(), *general.wrap(batch, (loop,), self.state))

    def _lanes(self) -> Iterator[DeviceStmt]:
        """Which lane of which wave this is."""
        w = self.words
        yield Remark(f"A lane is one of {GROUPS} quarters of its wave, and in it one of {SIZE} columns.")
        yield Let(w.name("thread"), Var("thread.x", I64), "int")
        yield Let(w.name("column"), modulo(w.var("thread"), SIZE), "int")
        yield Let(w.name("quarter"), modulo(floor_div(w.var("thread"), SIZE), GROUPS), "int")
        yield Let(w.name("wave"), floor_div(w.var("thread"), WAVE), "uniform")

    def _group(self, work: Expr, slices: Slices | None) -> Iterator[DeviceStmt]:
        w = self.words
        which = work if slices is None else w.var("block_of_heads")
        if slices is not None:
            yield Let(w.name("slice"), floor_div(work, self.numbers))
            yield Let(which.name if isinstance(which, Var) else "", modulo(work, self.numbers))
        yield from self._heads(which)
        spot = Spot(self._head, w.var("group"))
        yield from self._range(spot, slices)
        yield from self._query(spot)
        yield from self._walk(spot)
        yield from self._left()
        yield LdsBarrier()
        yield from self._finish(which, slices)

    def _heads(self, which: Expr) -> Iterator[DeviceStmt]:
        """The heads of this block, and the one of this lane; columns behind the last head repeat that one."""
        p, w = self.decode, self.words
        first, heads = w.var("first_head"), w.var("heads")
        one = value_of(self.chunks) == 1
        yield Let(w.name("group"), which if one else floor_div(which, self.chunks))
        inside = ZERO if one else mul(modulo(which, self.chunks), number(SIZE))
        yield Let(first.name, add(mul(w.var("group"), p.group), inside))
        yield Let(heads.name, minimum(minimum(sub(p.group, inside), number(SIZE)), sub(p.heads.stop, first)))
        yield Let(self._head.name, add(first, minimum(w.var("column"), sub(heads, ONE))))

    def _range(self, spot: Spot, slices: Slices | None) -> Iterator[DeviceStmt]:
        """The keys from `start` to `stop` are this block's."""
        p, w = self.decode, self.words
        shared = Spot(w.var("first_head"), spot.group)
        ends = tuple(at(p, e, shared) for e in (p.keys.start, p.keys.stop))
        if slices is None:
            yield Let(w.name("start"), ends[0])
            yield Let(w.name("stop"), ends[1])
            return
        last = Compare("==", w.var("slice"), sub(slices.count, ONE))
        yield Let(w.name("end"), ends[1])
        yield Let(w.name("start"), add(ends[0], mul(w.var("slice"), slices.each)))
        rest = minimum(add(w.var("start"), slices.each), w.var("end"))
        yield Let(w.name("stop"), Select(last, w.var("end"), rest))

    def _query(self, spot: Spot) -> Iterator[DeviceStmt]:
        p, w, s = self.decode, self.words, self.words.index("s")
        reader = self._reader(p.query)
        column = add(mul(s, number(2 * SIZE)), mul(w.var("quarter"), number(SIZE // 2)))
        queries = self.held.registers.queries

        def there(index: tuple[Expr, ...]) -> tuple[DeviceStmt, ...]:
            load = LoadVector(queries, p.query.array, (*index, column), (s,), False)
            return (each(s.axis, p.depth // (2 * SIZE), (load,)),)

        yield DeclareVector(queries, zeros=True)
        yield from reader.load(spot, there)

    def _reader(self, rows: Rows) -> Reader:
        return Reader(self.words, self.decode, rows, self.state.nest.array(rows.array), self.pages)

    def _walk(self, spot: Spot) -> Iterator[DeviceStmt]:
        """The steps of this wave: every so many keys, those of the other waves between."""
        p, c, w = self.decode, self.cut, self.words
        most, total = w.name("greatest"), w.name("total_of_lane")
        yield Remark(f"Each wave takes every {c.waves}th {c.step} keys; it has a greatest score, a total and sums.")
        yield Declare(most, F32, NOTHING)
        yield Declare(total, F32, NONE)
        opening = None
        if p.first is not None:
            before = w.var("first_stop")
            opening = Opening(w.name("first_of_lane"), before, greatest_of(p.first.keep_nan), p.first.at)
            yield Let(before.name, at(p, p.first.stop, Spot(w.var("first_head"), spot.group)))
            yield Declare(opening.name, F32, NOTHING)
        yield DeclareVector(self.held.registers.sums, zeros=True)
        even = isinstance(p.keys.start, Const) and (value_of(p.keys.start) or 0) % SIZE == 0
        spot = Spot(spot.head, spot.group, even=even)
        (keys, ends), (values, more) = self._reader(p.key).natural(), self._reader(p.value).natural()
        end = w.var("end_of_rows" if ends or more else "stop")
        if ends or more:
            least: Expr = w.var("stop")
            for extent in dict.fromkeys((*ends, *more)):
                least = minimum(least, extent)
            yield Let(end.name, least)
        step = Step(
            w, p, c, self.held.registers, keys, values, spot, w.var("first_head"),
            w.var("stop"), end, most, total, opening,
        )  # fmt: skip
        first = w.index("first")
        start = add(w.var("start"), mul(w.var("wave"), number(c.step)))
        stride = number(c.waves * c.step)
        yield For(first.axis, start, w.var("stop"), stride, tuple(step.whole(first)), at=p.places.product)
        yield JoinHalves("+", total, 16)
        yield JoinHalves("+", total)
        if opening is not None:
            yield JoinHalves(opening.op, opening.name, 16)
            yield JoinHalves(opening.op, opening.name)

    def _left(self) -> Iterator[DeviceStmt]:
        """What a wave found goes to LDS."""
        c, w = self.cut, self.words
        g, e = w.index("g"), w.index("e")
        place = (w.var("wave"), w.var("column"))
        found = self.held.waves.of_head("greatest", "total_of_lane", "first_of_lane")
        of_head = tuple(Store(array, place, Var(w.name(v), F32), True) for array, v in found)
        body: list[DeviceStmt] = []
        for x in c.pieces:
            run = min(x.width, 4)
            for first in range(0, x.width, run):
                few = self.held.few[run]
                element = Load(self.held.registers.sums, (add(number(x.first // SIZE + first), e), g), F32, True)
                row = add(mul(w.var("quarter"), number(RUN)), g)
                column = add(number(x.first + first), mul(row, number(x.width)))
                body.append(each(e.axis, run, (Store(few, (e,), element, True),)))
                body.append(StoreVector(self.held.waves.sums, (*place, column), few))
        declared = tuple(DeclareVector(name) for name in self.held.few.values())
        yield Remark("The waves of the block meet in LDS.")
        mine = Compare("<", w.var("column"), w.var("heads"))
        first_quarter = DeviceIf(Compare("==", w.var("quarter"), ZERO), of_head)
        yield DeviceIf(mine, (*declared, first_quarter, each(g.axis, RUN, tuple(body))))

    def _finish(self, which: Expr, slices: Slices | None) -> Iterator[DeviceStmt]:
        """Each thread has a column of a head at a time."""
        p, c, w = self.decode, self.cut, self.words
        n, own = w.index("n"), w.var("own")
        column = Var(self.state.plain(p.columns), I64)
        head = Var(w.name(f"{called(p.heads)}_here"), I64)
        parts = Parts(self.held.waves, number(c.waves), lambda part: (part, own))
        spot = Spot(head, w.var("group"))

        def here(e: Expr) -> Expr:
            return map_expr(lambda x: column if x == AxisRef(p.columns.name) else x, at(p, e, spot))

        end = Finish(w, self.state, p, column, here)
        body: list[DeviceStmt] = [
            Let(own.name, floor_div(n, p.width)),
            Let(column.name, modulo(n, p.width)),
            Let(head.name, add(w.var("first_head"), own)),
            *end.together(parts, c.waves),
        ]
        body += end.whole() if slices is None else self._part(which, own, column, slices)
        stop = mul(w.var("heads"), number(p.width))
        if slices is not None:
            stop = Select(Compare("<", w.var("start"), w.var("stop")), stop, ZERO)
        yield For(n.axis, w.var("thread"), stop, number(c.threads), tuple(body), at=p.columns.tile_at)

    def _part(self, which: Expr, own: Expr, column: Expr, slices: Slices) -> Iterator[DeviceStmt]:
        """A block's part goes to the workspace."""
        place = self._place(self.item(which), self.words.var("slice"), own, slices)
        names, first = self.decode.names, self.decode.first
        found = self._slices.of_head(names.most, names.total, first.name if first else "")
        of_head = tuple(Store(array, (place,), Var(name, F32), True) for array, name in found)
        yield DeviceIf(Compare("==", column, ZERO), of_head)
        yield Store(self._slices.sums, (place, column), Var(names.sum, F32), True)

    def _place(self, item: Expr, slice_: Expr, own: Expr, slices: Slices) -> Expr:
        """Where a part is in the workspace."""
        return linear(((own, number(self.cut.columns)), (slice_, slices.count), (item, ONE)))

    # --- the kernel that merges --------------------------------------------------------------------------

    def merging(self, slices: Slices) -> tuple[DeviceStmt, ...]:
        """A block for each head, which takes in what the slices of its keys left."""
        p, w = self.decode, self.words
        head = AxisRef(p.heads.name)
        group = floor_div(head, p.group) if value_of(p.groups) != 1 else ZERO
        inside = sub(head, mul(group, p.group))
        which = add(mul(group, self.chunks), floor_div(inside, SIZE) if value_of(self.chunks) != 1 else ZERO)
        own = modulo(inside, SIZE) if value_of(self.chunks) != 1 else inside
        column = Var(self.state.plain(p.columns), I64)
        steps = maximum(sub(p.keys.stop, p.keys.start), ZERO)
        found = floor_div(sub(add(steps, slices.each), ONE), slices.each)
        item, mine, count = (w.var(x) for x in ("block_of_heads", "own", "parts"))
        parts = Parts(self._slices, count, lambda part: (self._place(item, part, mine, slices),))

        def here(e: Expr) -> Expr:
            return map_expr(lambda x: column if x == AxisRef(p.columns.name) else x, e)

        end = Finish(w, self.state, p, column, here)
        n = w.index("n")
        body = (Let(column.name, n), *end.together(parts, None), *end.whole())
        threads = number(self.merge_threads)
        inner = (
            Let(item.name, self.item(which)),
            Let(mine.name, own),
            Let(count.name, minimum(found, slices.count)),
            For(n.axis, Var("thread.x", I64), number(p.width), threads, body),
        )
        return general.wrap(general.share_blocks(p.chain), inner, self.state)

    @property
    def _slices(self) -> Stored:
        """The workspace arrays of parts."""
        assert self.held.slices is not None
        return self.held.slices

    @property
    def merge_threads(self) -> int:
        """Threads of a block that merges: one for each column, in whole waves."""
        return -(-self.decode.width // WAVE) * WAVE
