"""One step of a wave: keys and values of a few tiles of keys, their scores, weights, and weighted sums."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from tl2hip.dtypes import F32
from tl2hip.nest.index import ZERO, add, maximum, minimum, mul, number, sub, value_of
from tl2hip.nest.ir import Binary, Call, Cast, Compare, Const, Expr, Load, Select, Set, Store, Var
from tl2hip.nest.walk import map_expr
from tl2hip.plan.decode.find import PRODUCT
from tl2hip.plan.decode.record import Decode
from tl2hip.plan.decode.rows import Reader, Spot, There, at
from tl2hip.plan.decode.tile import RUN, SIZE, Cut, Piece
from tl2hip.plan.ir import DeclareVector, DeviceIf, DeviceStmt, Extreme, Let, LoadVector
from tl2hip.plan.matmul.side import each, fragment_type, put
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import MatrixMultiply, Part, Remark, Settle
from tl2hip.plan.softmax_ir import JoinHalves
from tl2hip.plan.state import State
from tl2hip.source.span import Span

NOTHING = Const(-math.inf, F32)
NONE = Const(0.0, F32)

Greatest = Literal["greatest", "greatest_or_nan"]


def greatest_of(keep_nan: bool) -> Greatest:
    """The operation of a maximum that a NaN makes NaN, or is left out of."""
    return "greatest_or_nan" if keep_nan else "greatest"


@dataclass(frozen=True, slots=True)
class Registers:
    """The vectors of a kernel. `values` has an array for each piece of a row, `wide` one for each width of them."""

    queries: str
    keys: str
    values: tuple[str, ...]
    wide: dict[int, str]
    scores: str
    sums: str


def registers(state: State, p: Decode, c: Cut) -> Registers:
    """Places the vectors of a kernel."""
    slices = p.depth // (2 * SIZE)
    kind, width = fragment_type(p.key.dtype)
    return Registers(
        queries=put(state, f"{p.query.array}_part", kind, (slices, width), "vector"),
        keys=put(state, f"{p.key.array}_part", kind, (c.tiles, slices, width), "vector"),
        values=tuple(
            put(state, f"{p.value.array}_part", p.value.dtype, (c.tiles, RUN, x.width), "vector") for x in c.pieces
        ),
        wide={n: put(state, "wide", F32, (n,), "vector") for n in dict.fromkeys(x.width for x in c.pieces)},
        scores=put(state, "scores", F32, (c.tiles, RUN), "vector"),
        sums=put(state, "sums", F32, (p.width // SIZE, RUN), "vector"),
    )


@dataclass(frozen=True, slots=True)
class Opening:
    """The greatest of the scores of keys before `stop`, which a wave finds beside that of all: an f32 variable."""

    name: str
    stop: Expr
    op: Greatest
    at: Span


@dataclass(frozen=True, slots=True)
class Step:
    """The step of a wave from key `first` on. `spot` is the head whose scores this lane has, `stop` is behind the
    last key, `end` behind the last that arrays have rows for. `most` and `total` are what it has found so far, f32
    variables."""

    words: Words
    decode: Decode
    cut: Cut
    held: Registers
    keys: Reader
    values: Reader
    spot: Spot
    shared: Expr
    stop: Expr
    end: Expr
    most: str
    total: str
    opening: Opening | None

    def whole(self, first: Expr) -> Iterator[DeviceStmt]:
        yield from self._loads(first)
        yield from self._scores(first)
        yield from self._weights()
        yield from self._sums()

    # --- memory ------------------------------------------------------------------------------------------

    def _loads(self, first: Expr) -> Iterator[DeviceStmt]:
        """The keys and values of the step; rows behind the last key are zeros."""
        c, h, w = self.cut, self.held, self.words
        t, g = w.index("t"), w.index("g")
        yield Remark("Keys and values, all under way together; behind the last one they are zeros.")
        yield from (DeclareVector(name, zeros=True) for name in (h.keys, *h.values))
        tile = Let(w.name("tile"), add(first, mul(t, number(SIZE))))
        spot = Spot(self.shared, self.spot.group, w.var("tile"), even=self.spot.even)
        (made, keys), (more, values) = self.keys.ahead(spot), self.values.ahead(spot)
        key = self._row(self.keys, spot, w.var("column"), self._key_loads(t), keys)
        place = add(mul(w.var("quarter"), number(RUN)), g)
        value = each(g.axis, RUN, (self._row(self.values, spot, place, self._value_loads(t, g), values),))
        inside: tuple[DeviceStmt, ...] = (*made, *more, key, value)
        if made or more:
            inside = (DeviceIf(Compare("<", w.var("tile"), self.stop), inside),)
        left = maximum(minimum(sub(self.end, w.var("tile")), number(SIZE)), ZERO)  # in 32 bits, for each row's test
        yield each(t.axis, c.tiles, (tile, Let(w.name("left"), left, "int"), *inside))

    def _row(self, reader: Reader, spot: Spot, apart: Expr, there: There, known: Mapping[int, Expr]) -> DeviceStmt:
        """The loads of the row so far behind a tile's first key."""
        spot = replace(spot, apart=apart)
        return DeviceIf(Compare("<", apart, self.words.var("left")), reader.load(spot, there, known))

    def _key_loads(self, t: Expr) -> There:
        s = self.words.index("s")
        column = add(mul(s, number(2 * SIZE)), mul(self.words.var("quarter"), number(SIZE // 2)))
        rows = self.keys.rows

        def there(index: tuple[Expr, ...]) -> tuple[DeviceStmt, ...]:
            load = LoadVector(self.held.keys, rows.array, (*index, column), (t, s), False, True)
            return (each(s.axis, self.decode.depth // (2 * SIZE), (load,)),)

        return there

    def _value_loads(self, t: Expr, g: Expr) -> There:
        rows, lane = self.values.rows, self.words.var("column")

        def there(index: tuple[Expr, ...]) -> tuple[DeviceStmt, ...]:
            return tuple(
                LoadVector(name, rows.array, (*index, _column(x, lane)), (t, g), False, True)
                for name, x in zip(self.held.values, self.cut.pieces, strict=True)
            )

        return there

    # --- scores ------------------------------------------------------------------------------------------

    def _scores(self, first: Expr) -> Iterator[DeviceStmt]:
        """The scores of each key for the heads, and the greatest of a head."""
        p, c, h, w = self.decode, self.cut, self.held, self.words
        t, s, g = w.index("t"), w.index("s"), w.index("g")
        yield Remark(f"Scores: a lane has those of one {p.heads.user or 'head'}, of {RUN} keys in each tile.")
        yield DeclareVector(h.scores, zeros=True)
        parts = tuple(
            MatrixMultiply(
                c.score.builtin, h.scores, (t,), Part(h.keys, (t, s), n, 2), Part(h.queries, (s,), n, 2),
                at=p.places.product,
            )
            for n in range(2)
        )  # fmt: skip
        yield each(s.axis, p.depth // (2 * SIZE), (each(t.axis, c.tiles, parts),))
        score = Load(h.scores, (t, g), F32, True)
        key = w.var("key")
        value = map_expr(lambda e: score if e == Var(PRODUCT, F32) else e, self._at_key(p.score, key))
        place = add(add(first, mul(t, number(SIZE))), add(mul(w.var("quarter"), number(RUN)), g))
        inside = Select(Compare("<", key, self.stop), value, NOTHING)
        body = (Let(key.name, place), Store(h.scores, (t, g), inside, True))
        yield each(t.axis, c.tiles, (each(g.axis, RUN, body),))
        if self.opening is not None:
            yield from self._opened(self.opening, first, place, score)
        yield Let(w.name("before"), Var(self.most, F32))
        op = greatest_of(p.keep_nan)
        yield each(t.axis, c.tiles, (each(g.axis, RUN, (Extreme(self.most, op, score, at=p.places.most),)),))
        yield JoinHalves(op, self.most, 16)
        yield JoinHalves(op, self.most)

    def _opened(self, first: Opening, start: Expr, key: Expr, score: Expr) -> Iterator[DeviceStmt]:
        """The greatest of the first scores, in the step that has some of them: where these are few, it has them in
        its first tiles, and where they are fewer yet, each lane among its first."""
        t, g = self.words.index("t"), self.words.index("g")
        count = value_of(sub(self.decode.first.stop, self.decode.keys.start)) if self.decode.first else None
        few = self.cut.step if count is None else count
        one = DeviceIf(Compare("<", key, first.stop), (Extreme(first.name, first.op, score, at=first.at),))
        tiles = min(self.cut.tiles, -(-few // SIZE))
        body = (each(t.axis, tiles, (each(g.axis, min(RUN, few), (one,)),)),)
        yield DeviceIf(Compare("<", start, first.stop), body)

    def _at_key(self, e: Expr, key: Expr) -> Expr:
        return at(self.decode, e, Spot(self.spot.head, self.spot.group, key))

    def _weights(self) -> Iterator[DeviceStmt]:
        """The weights in the place of scores, and the total of them; what was summed comes to the new maximum."""
        c, h, w = self.cut, self.held, self.words
        t, g, x = w.index("t"), w.index("g"), w.index("x")
        most, base, factor = Var(self.most, F32), Var(w.name("base"), F32), Var(w.name("rescale"), F32)
        score = Load(h.scores, (t, g), F32, True)
        yield Remark("Weights over the new maximum, to which the sums so far come too. Nothing yet: over 0.")
        yield Let(base.name, Select(Compare("==", most, NOTHING), NONE, most))
        yield Let(factor.name, exp(Binary("-", Var(w.name("before"), F32), base)))
        total = Var(self.total, F32)
        yield Set(self.total, Binary("*", total, factor))
        weight = Store(h.scores, (t, g), exp(Binary("-", score, base)), True, at=self.decode.places.total)
        added = Set(self.total, Binary("+", total, score))
        narrow = self.decode.weight
        rounded = Store(h.scores, (t, g), Cast(Cast(score, narrow, explicit=True), F32), True)
        body = (weight, added) if narrow is F32 else (weight, added, rounded)
        yield each(t.axis, c.tiles, (each(g.axis, RUN, body),))
        sums = Load(h.sums, (x, g), F32, True)
        rescaled = Store(h.sums, (x, g), Binary("*", sums, factor), True)
        yield each(x.axis, self.decode.width // SIZE, (each(g.axis, RUN, (rescaled,)),))

    def _sums(self) -> Iterator[DeviceStmt]:
        """Values times weights, in f32: of each key a lane has as many columns as a piece has elements."""
        p, c, h, w = self.decode, self.cut, self.held, self.words
        t, g, e = w.index("t"), w.index("g"), w.index("e")
        body: list[DeviceStmt] = []
        for name, x in zip(h.values, c.pieces, strict=True):
            wide = h.wide[x.width]
            widened = Store(wide, (e,), Cast(Load(name, (t, g, e), p.value.dtype, True), F32), True)
            body.append(each(e.axis, x.width, (widened,)))
            slot = add(number(x.first // SIZE), e)
            weight = Part(h.scores, (t,), g, RUN)
            product = MatrixMultiply(
                c.weigh.builtin, h.sums, (slot,), Part(wide, (), e, x.width), weight, at=p.places.sum
            )
            body.append(each(e.axis, x.width, (product,)))
        declared = tuple(DeclareVector(h.wide[n]) for n in h.wide)
        yield Remark("Sums: values in f32 times the weights, which lie where the instruction takes them.")
        yield each(t.axis, c.tiles, (each(g.axis, RUN, (*declared, *body)),))
        yield Settle(c.weigh.settled)


def _column(x: Piece, lane: Expr) -> Expr:
    """The first column that a lane takes of a piece."""
    return add(number(x.first), mul(lane, number(x.width)))


def exp(e: Expr) -> Expr:
    return Call("exp", (e,), F32)
