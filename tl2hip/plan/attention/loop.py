"""The loop over tiles of keys: which tile is read, multiplied and fetched when.

While a tile is multiplied out of LDS, the next one is on its way from memory to registers. Whole tiles are taken
first, by a loop that tests nothing; the last, of which a part may lie past the end, follows. Waves that multiply go
before those that take a softmax on the same SIMD: so they do not do the same for long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl2hip.dtypes import F32
from tl2hip.nest.index import ZERO, add, number, value_of
from tl2hip.nest.ir import AxisRef, Cast, Compare, Expr, Load, Store
from tl2hip.plan.attention.find import Attention
from tl2hip.plan.attention.side import Streamed
from tl2hip.plan.attention.softmax import Softmax
from tl2hip.plan.attention.tile import Cut
from tl2hip.plan.ir import DeclareVector, DeviceIf, DeviceStmt, For, Let
from tl2hip.plan.matmul.side import each
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import KeepOrder, LdsBarrier, MatrixMultiply, Part, Priority, Remark, Settle


@dataclass(frozen=True, slots=True)
class KeyLoop:
    """The loop of one kernel. `queries` and `wide_values` are vectors; the latter hold a fragment of values in f32
    where weights are."""

    words: Words
    attention: Attention
    cut: Cut
    keys: Streamed
    values: Streamed
    softmax: Softmax
    queries: str
    wide_values: str
    span: tuple[Expr, Expr | None, Expr, Expr]
    """Keys of the block: the first tile's, the first that are all of every row (None: those too), where these end,
    and the end of all."""

    def whole(self) -> Iterator[DeviceStmt]:
        """All tiles, from the first fetch to the last product."""
        size, axis = self.cut.keys, self.attention.keys.axis
        begin, some, whole, end = self.span
        name = self.words.name("first")
        yield from self._fetched(begin)
        if some is not None:
            yield self._loop(name, begin, some, True, "keys that are not all of every row")
        yield self._loop(name, begin if some is None else some, whole, False, "whole tiles of keys")
        if self.attention.ragged:
            yield self._loop(name, whole, end, True, "keys that are not all of every row")
        elif (value_of(axis.stop) or 1) % size:
            rest = tuple(self._turn(whole, True))
            yield DeviceIf(Compare("<", whole, end), rest, note="the rest of the keys")
        yield Settle(self.cut.weigh.settled)

    def _loop(self, name: str, start: Expr, stop: Expr, masked: bool, note: str) -> DeviceStmt:
        body = tuple(self._turn(AxisRef(name), masked))
        at = self.attention.keys.at
        return For(name, start, stop, number(self.cut.keys), body, unroll=1, small=True, note=note, at=at)

    def _fetched(self, first: Expr) -> Iterator[DeviceStmt]:
        for side in (self.keys, self.values):
            yield from side.fetch(first)

    def _turn(self, first: Expr, masked: bool) -> Iterator[DeviceStmt]:
        yield LdsBarrier("every wave is done with the tile before")
        yield from self.keys.write()
        yield from self.values.write()
        yield LdsBarrier("the tile is in LDS")
        yield DeclareVector(self.keys.inner.storage.parts)
        yield self.keys.read(ZERO)
        following = self.words.var("next")
        yield Let(following.name, add(first, number(self.cut.keys)))
        yield from self._fetched(following)
        yield from self._scores()
        yield Priority(0)
        yield from self.softmax.tile(first, masked)
        if self.values.inner.held > 1:
            yield from self.softmax.weights_of(ZERO, masked)
        yield Priority(1)
        yield from self._sums(masked)

    def _scores(self) -> Iterator[DeviceStmt]:
        """scores = keys @ query: a lane has scores of one row. The first values are read behind that."""
        w, cut, p = self.words, self.cut, self.attention
        n, parts = w.index("n"), self.keys.inner.tile.parts

        def multiplied(s: Expr) -> Iterator[DeviceStmt]:
            for part in range(parts):
                left, right = self.keys.part(s, part, n), Part(self.queries, (s,), part, parts)
                one = MatrixMultiply(cut.score.builtin, self.softmax.scores, (n,), left, right, at=p.product_at)
                yield each(n.axis, cut.fragments, (one,))

        yield DeclareVector(self.softmax.scores, zeros=True)
        yield from self.keys.ahead(w.index("slice"), multiplied)
        yield DeclareVector(self.values.inner.storage.parts)
        if self.values.inner.held > 1:
            yield self.values.read(ZERO)
            yield KeepOrder()

    def _sums(self, masked: bool) -> Iterator[DeviceStmt]:
        """sums += values @ weights, the weights of a slice computed while the one before is multiplied."""
        cut, c, wide = self.cut, self.words.index("c"), self.cut.weigh.first is F32
        parts = self.values.inner.tile.parts

        def multiplied(s: Expr) -> Iterator[DeviceStmt]:
            if wide:
                yield self._wide(s, c)
                if self.values.inner.held == 1:
                    yield KeepOrder()
                return
            for part in range(parts):
                left, right = self.values.part(s, part, c), Part(self.softmax.weights, (s,), part, parts)
                yield each(c.axis, cut.blocks, (self._multiplied(c, left, right),))

        if wide:
            yield Remark("Weights are f32, and so are the values that they are multiplied with.")
            yield DeclareVector(self.wide_values)
        yield KeepOrder()
        yield from self.values.ahead(
            self.words.index("slice"), multiplied, lambda s: self.softmax.weights_of(s, masked)
        )

    def _value(self, s: Expr, c: Expr, e: Expr) -> Expr:
        """An element of a fragment of values, in f32."""
        load = Load(self.values.inner.storage.parts, (*self.values.slot(s, c), e), self.attention.value.dtype, True)
        return Cast(load, F32)

    def _wide(self, s: Expr, c: AxisRef) -> DeviceStmt:
        """The products of a slice, which f32 instructions take element by element."""
        cut, e, piece = self.cut, self.words.index("e"), self.values.inner.tile.piece
        widened = each(c.axis, cut.blocks, (Store(self.wide_values, (c,), self._value(s, c, e), True),))
        left, right = Part(self.wide_values, (), c, cut.blocks), Part(self.softmax.weights, (s,), e, piece)
        return each(e.axis, piece, (widened, each(c.axis, cut.blocks, (self._multiplied(c, left, right),))))

    def _multiplied(self, c: Expr, left: Part, right: Part) -> DeviceStmt:
        at = self.attention.sum_at
        return MatrixMultiply(self.cut.weigh.builtin, self.softmax.sums, (c,), left, right, at=at)
