"""The softmax of a tile of scores in registers, with what was summed so far brought to the new maximum.

A weight exp(score - base) is taken as a power of two: 2**((score - base) * log2(e)). Where a score is the product
times a factor that all share, that factor is moved behind the difference, (product - base) *
(factor * log2(e)), so that scores are never computed. The base lies near the greatest score so far, and is moved
only where that leaves it far behind: sums are multiplied once in many tiles. In the end they are brought to the
greatest of all, which has the weight 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tl2hip.dtypes import BF16, F16, F32, I64
from tl2hip.nest.index import ZERO, add, floor_div, modulo, mul, number, sub, value_of
from tl2hip.nest.ir import (
    AxisRef,
    Binary,
    Cast,
    Compare,
    Const,
    Expr,
    Load,
    Logic,
    Select,
    Set,
    Store,
    Unary,
    Var,
)
from tl2hip.nest.walk import all_parts, map_expr, substitute
from tl2hip.plan.attention.find import Attention
from tl2hip.plan.attention.tile import SIZE, Cut
from tl2hip.plan.ir import Declare, DeclareVector, DeviceIf, DeviceStmt, Extreme, Let
from tl2hip.plan.matmul.side import each
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import Remark
from tl2hip.plan.softmax_ir import LOG2_E, HideUnit, JoinHalves, PowerOfTwo, RoundNumber, Scaled

NOTHING = Const(-math.inf, F32)
NONE = Const(0.0, F32)
ONCE = Const(1.0, F32)
LEAST = Const(-3.4028234663852886e38, F32)
"""The least f32."""
ROOM = Const(8.0, F32)
"""By how many powers of two weights may be away from those over the greatest score."""
FAR = Const(2.0**100, F32)
"""What changes no f32 whose sum with it were not finite."""
SLICE = 8
"""Scores of a lane that a slice of the second product takes."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How a score is made of the product where it is that times (`op` "*") or over ("/") the same `factor` for all;
    any other score has none, and is computed for each key. `power` brings a score to powers of two."""

    op: str = "*"
    factor: Expr | None = None
    power: Expr = LOG2_E

    @property
    def negative(self) -> Expr | None:
        """Whether the factor is below 0, so that the greatest score is that of the least product; None where it
        surely is above 0."""
        if self.factor is None or (isinstance(self.factor, Const) and self.factor.value > 0):
            return None
        return Compare("<", self.factor, NONE)

    @property
    def size(self) -> Expr | None:
        """The factor without its sign."""
        return self.factor if self.factor is None or self.negative is None else Unary("abs", self.factor)

    @property
    def in_twos(self) -> Expr:
        """What brings a product, or a score that is computed, to powers of two."""
        size = self.size
        if size is None:
            return self.power
        if self.op == "*":
            return size if self.power == ONCE else Binary("*", size, self.power)
        return Binary("/", self.power, size)

    def score(self, product: Expr) -> Expr:
        """The score of a product, which has the factor's sign already; of none it is -inf, whatever the factor."""
        if self.size is None:
            return product
        score = Binary(self.op, product, self.size)
        return Select(Compare("==", product, NOTHING), NOTHING, score) if self.negative is not None else score


def scale_of(p: Attention, constants: Collection[str]) -> Scale | None:
    """The factor of the product in the score; None where a score is more than that."""
    product = Var(p.product, F32)
    match p.score:
        case Var() if p.score == product:
            return Scale(power=p.power)
        case Binary(op="*", left=left, right=right) if product in (left, right):
            factor, op = (right if left == product else left), "*"
        case Binary(op="/", left=left, right=factor) if left == product:
            op = "/"
        case _:
            return None
    moves = (e for e in all_parts(factor) if isinstance(e, Load | AxisRef | Var))
    known = all(isinstance(e, Var) and e.name in constants for e in moves)
    return Scale(op, factor, p.power) if known else None


@dataclass(frozen=True, slots=True)
class Softmax:
    """The registers of the softmax of one kernel: `scores` and `weights` are vectors, `sums` those that are brought
    to the new maximum. `row` is the row of this lane."""

    words: Words
    attention: Attention
    cut: Cut
    scale: Scale | None
    scores: str
    weights: str
    sums: str
    totals: str
    """Two parts of the total."""
    row: Expr
    ends: tuple[Expr, Expr]
    """The first key of this lane's row, and where its keys end."""

    def declared(self) -> Iterator[DeviceStmt]:
        """What is carried from tile to tile."""
        w, p = self.words, self.attention
        what = "score" if self.scale is None else "product"
        yield Remark(
            f"Of this lane's row: the greatest {what} so far, the one that weights are powers over, and its part "
            f"of {p.total}."
        )
        yield Declare(w.name("greatest"), F32, NOTHING)
        yield Declare(w.name("base"), F32, LEAST)
        yield DeclareVector(self.totals, zeros=True)
        if self.scale is None and any(e == AxisRef(p.rows.name) for e in all_parts(p.score)):
            yield Let(w.name("row"), self.row, "int")
        yield Let(w.name("scale"), (self.scale or Scale(power=p.power)).in_twos)
        if not self.tight:
            far = Binary("min", Binary("/", ROOM, w.var32("scale")), FAR)  # times a factor of 0 all is near
            yield Let(w.name("room"), far)
        if self.cut.weigh.first is F16:
            yield HideUnit(w.name("one"), w.name("minus_zero"))

    @property
    def tight(self) -> bool:
        """Whether the base is the greatest score itself: sums of values that reach as far as f32 are not to be
        greater than their quotient, and weights are not to be smaller than they need be. Values of f16 end below
        2**16, and the greatest score may lie 8 powers of two above the base."""
        return self.attention.value.dtype is not F16

    def tile(self, first: Expr, masked: bool) -> Iterator[DeviceStmt]:
        """The scores of a tile whose first key is given, and what was summed so far over a base that fits them.
        `masked`: keys that are not the row's do not count."""
        w, p = self.words, self.attention
        yield from self._scored(first, masked)
        n, e = w.index("n"), w.index("e")
        greatest = w.name("greatest")
        step = Extreme(greatest, "greatest", self._score(n, e), at=p.most_at)
        yield each(n.axis, self.cut.fragments, (each(e.axis, self.cut.score.result_slots, (step,)),))
        yield JoinHalves("greatest", greatest)
        yield self._based()
        yield DeclareVector(self.weights)

    def _score(self, n: Expr, e: Expr) -> Load:
        return Load(self.scores, (n, e), F32, True)

    def _scored(self, first: Expr, masked: bool) -> Iterator[DeviceStmt]:
        """Scores in the place of products, where they are more than a scaled product or some count for nothing."""
        if self.scale is not None and not masked:
            return
        w, p = self.words, self.attention
        n, e = w.index("n"), w.index("e")
        score: Expr = self._score(n, e)
        body: tuple[DeviceStmt, ...] = ()
        own = add(first, mul(floor_div(w.var("lane"), SIZE), number(4)))
        if self.scale is None:
            key = Var(p.keys.axis.name, I64)
            row = AxisRef(p.rows.name)
            placed = map_expr(lambda x: substitute(x, {row: self.row}) if isinstance(x, Load) else x, p.score)
            to: dict[Expr, Expr] = {Var(p.product, F32): score, AxisRef(p.keys.axis.name): key, row: w.var("row")}
            score = substitute(placed, to)
            body = (Let(key.name, add(own, _inside(n, e)), "int"),)
        if masked:
            yield Let(w.name("left"), sub(self.ends[1], own), "int")
            if self.ends[0] != ZERO:
                yield Let(w.name("ahead"), sub(self.ends[0], own), "int")
            score = Select(self._counts(n, e), score, NOTHING)
        body = (*body, Store(self.scores, (n, e), score, True, at=p.score_at))
        yield each(n.axis, self.cut.fragments, (each(e.axis, self.cut.score.result_slots, body),))

    def _counts(self, n: Expr, e: Expr) -> Expr:
        """Whether the key of a score is one of the row's."""
        before = Compare("<", _inside(n, e), self.words.var("left"))
        if self.ends[0] == ZERO:
            return before
        return Logic("and", Compare("<=", self.words.var("ahead"), _inside(n, e)), before)

    def _based(self) -> DeviceStmt:
        """Another base where the greatest score lies too far above it. A row that has seen no score above -inf has
        the least base, so that its weights are 0."""
        w = self.words
        greatest, base = w.var32("greatest"), w.var32("base")
        limit: Expr = base if self.tight else Binary("+", base, w.var32("room"))
        body = (Let(w.name("old"), base), Set(base.name, greatest), *self._rescaled(w.var32("old"), base))
        return DeviceIf(Compare(">", greatest, limit), body, note="which is seldom")

    def _rescaled(self, old: Expr, new: Expr) -> Iterator[DeviceStmt]:
        """What is summed so far, over another base."""
        w, c = self.words, self.words.index("c")
        rescale, change = w.var32("rescale"), Binary("*", Binary("-", old, new), w.var32("scale"))
        yield Declare(rescale.name, F32, None)
        yield PowerOfTwo(rescale.name, (), change)
        yield Scaled(self.totals, (), rescale)
        yield each(c.axis, self.cut.blocks, (Scaled(self.sums, (c,), rescale),))

    def weights_of(self, s: Expr, masked: bool) -> Iterator[DeviceStmt]:
        """Weights in the place of the scores of a slice, their sum, and what the second product takes of them, in
        its order."""
        w, p, e = self.words, self.attention, self.words.index("e")
        parts = self.cut.score.result_slots // SLICE
        n, place = floor_div(s, parts), add(mul(modulo(s, parts), number(SLICE)), e)
        score = self._score(n, place)
        power: Expr = Binary("*", Binary("-", score, w.var32("base")), w.var32("scale"))
        if masked and self.scale is not None and self.scale.negative is not None:  # times 0, -inf is not a number
            power = Select(self._counts(n, place), power, NOTHING)
        part = (modulo(e, 2),)
        body = (
            PowerOfTwo(self.scores, (n, place), power, at=p.total_at),
            Store(self.totals, part, Binary("+", Load(self.totals, part, F32, True), score), True),
            self._rounded((s, e), score),
        )
        yield each(e.axis, SLICE, body)

    def _rounded(self, place: tuple[Expr, Expr], weight: Expr) -> DeviceStmt:
        p, first = self.attention, self.cut.weigh.first
        if first is F16:
            unit = (self.words.var32("one"), self.words.var32("minus_zero"))
            return RoundNumber(self.weights, place, weight, unit)
        if first is BF16 and p.quotients:
            return RoundNumber(self.weights, place, weight)
        stored = weight if p.weight is F32 else Cast(weight, p.weight, True)
        if first is F32 and stored.dtype is not F32:
            stored = Cast(stored, F32)
        return Store(self.weights, place, stored, True)

    def finished(self) -> Iterator[DeviceStmt]:
        """The row's total, from both of its lanes. A row whose maximum starts from -inf and that has keys but no
        score above that has none: exp(-inf + inf) is not a number."""
        w, p = self.words, self.attention
        greatest = w.var32("greatest")
        yield Remark("What is summed, over the greatest of all.")
        old, new = w.var32("base"), w.var32("top")
        yield Let(new.name, Select(Compare("==", greatest, NOTHING), old, greatest))
        yield from self._rescaled(old, new)
        first, second = (Load(self.totals, (number(k),), F32, True) for k in range(2))
        yield Declare(p.total, F32, Binary("+", first, second))
        yield JoinHalves("+", p.total)
        if p.seed is not None:
            yield from self._sown()
            return
        nothing: Expr = Compare("==", greatest, NOTHING)
        some = Compare("<", *self.ends)
        if value_of(p.keys.axis.stop) is None:
            nothing = Logic("and", nothing, some)
        yield Set(p.total, Select(nothing, Const(math.nan, F32), Var(p.total, F32)))

    def _sown(self) -> Iterator[DeviceStmt]:
        """All that is summed relative to the number that the maximum starts from, where no score is greater."""
        w, p, c = self.words, self.attention, self.words.index("c")
        assert p.seed is not None
        yield Remark(f"{p.most} starts from a number: where no score is greater, weights are relative to that.")
        score, rescale = (self.scale or Scale()).score(w.var32("greatest")), w.var32("rescale")
        less = Binary("min", Binary("-", score, p.seed), NONE)
        yield PowerOfTwo(rescale.name, (), less if p.power == ONCE else Binary("*", less, p.power))
        yield Set(p.total, Binary("*", Var(p.total, F32), rescale))
        yield each(c.axis, self.cut.blocks, (Scaled(self.sums, (c,), rescale),))


def greatest_score(p: Attention, scale: Scale | None, greatest: Expr) -> Expr:
    """The maximum of a row, which is no less than what it starts from."""
    score = (scale or Scale()).score(greatest)
    return score if p.seed is None else Binary("max", p.seed, score)


def _inside(n: Expr, e: Expr) -> Expr:
    """Which key of a tile a score belongs to, for lanes of the lower half; four further on for the others."""
    return add(mul(n, number(SIZE)), add(mul(floor_div(e, 4), number(8)), modulo(e, 4)))
