"""The loop over tiles of keys: which tile is read, multiplied and fetched when.

While a tile is multiplied out of LDS, the next one is on its way from memory to registers. Whole tiles are taken
first, by a loop that tests nothing; the last, of which a part may lie past the end, follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl2hip.dtypes import F32
from tl2hip.nest.index import add, number, value_of
from tl2hip.nest.ir import AxisRef, Cast, Compare, Const, Expr, Load, Store
from tl2hip.plan.attention.find import Attention
from tl2hip.plan.attention.side import Streamed
from tl2hip.plan.attention.softmax import Softmax
from tl2hip.plan.attention.tile import Cut
from tl2hip.plan.ir import DeclareVector, DeviceIf, DeviceStmt, For, MultiplyAdd
from tl2hip.plan.matmul.side import each
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import KeepOrder, LdsBarrier, MatrixMultiply, Part, Remark, Settle


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
        yield from self._fetched(add(first, number(self.cut.keys)))
        yield from self._scores()
        yield from self.softmax.whole(first, masked)
        yield from self._sums(masked and self.attention.ragged)

    def _scores(self) -> Iterator[DeviceStmt]:
        """scores = keys @ query: a lane has scores of one row."""
        w, cut, p, keys = self.words, self.cut, self.attention, self.keys
        n, s, tile = w.index("n"), w.index("slice"), self.keys.inner.tile
        yield DeclareVector(self.softmax.scores, zeros=True)
        yield DeclareVector(keys.inner.storage.parts)
        body: list[DeviceStmt] = [keys.read(s)]
        for part in range(tile.parts):
            right = Part(self.queries, (s,), part, tile.parts)
            left = keys.part(part, n)
            one = MatrixMultiply(cut.score.builtin, self.softmax.scores, (n,), left, right, at=p.product_at)
            body.append(each(n.axis, cut.fragments, (one,)))
        yield each(s.axis, tile.slices, tuple(body))

    def _sums(self, watched: bool) -> Iterator[DeviceStmt]:
        """sums += values @ weights. `watched`: a value that is no finite number shows, as it is multiplied with the
        weight 0 of rows that have not its key."""
        cut, c, s = self.cut, self.words.index("c"), self.words.index("slice")
        tile, wide = self.values.inner.tile, cut.weigh.first is F32
        yield DeclareVector(self.values.inner.storage.parts)
        if wide:
            yield Remark("Weights are f32, and so are the values that they are multiplied with.")
            yield DeclareVector(self.wide_values)
        body: list[DeviceStmt] = [self.values.read(s)]
        if watched:
            e = self.words.index("e")
            value = Cast(Load(self.values.inner.storage.parts, (c, e), self.attention.value.dtype, True), F32)
            seen = MultiplyAdd(self.words.name("odd"), value, Const(0.0, F32))
            body.append(each(c.axis, cut.blocks, (each(e.axis, tile.piece, (seen,)),)))
        if wide:
            body += (self._wide(s, c), KeepOrder())
        else:
            for part in range(tile.parts):
                right = Part(self.softmax.weights, (s,), part, tile.parts)
                body.append(each(c.axis, cut.blocks, (self._multiplied(c, self.values.part(part, c), right),)))
        yield each(s.axis, tile.slices, tuple(body))

    def _wide(self, s: Expr, c: AxisRef) -> DeviceStmt:
        """The products of a slice, which f32 instructions take element by element."""
        cut, e, piece = self.cut, self.words.index("e"), self.values.inner.tile.piece
        value = Cast(Load(self.values.inner.storage.parts, (c, e), self.attention.value.dtype, True), F32)
        widened = each(c.axis, cut.blocks, (Store(self.wide_values, (c,), value, True),))
        left, right = Part(self.wide_values, (), c, cut.blocks), Part(self.softmax.weights, (s,), e, piece)
        return each(e.axis, piece, (widened, each(c.axis, cut.blocks, (self._multiplied(c, left, right),))))

    def _multiplied(self, c: Expr, left: Part, right: Part) -> DeviceStmt:
        at = self.attention.sum_at
        return MatrixMultiply(self.cut.weigh.builtin, self.softmax.sums, (c,), left, right, at=at)
