"""Puts parts of an attention together, each of keys of its own, and does what the user does with the sums.

A part is its greatest score, its total over that, and its sums. Parts are those of a block's waves, in LDS, or
those that blocks left in the workspace; they are always taken in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tl2hip.dtypes import F32
from tl2hip.nest.index import ONE, ZERO
from tl2hip.nest.ir import Binary, Compare, Const, Expr, Load, Logic, Select, Set, Stmt, Store, Var
from tl2hip.nest.walk import map_exprs
from tl2hip.plan.decode.record import Decode
from tl2hip.plan.decode.step import NONE, NOTHING, exp, greatest_of
from tl2hip.plan.ir import DeviceIf, DeviceStmt, Extreme, For, Let, MultiplyAdd
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode


@dataclass(frozen=True, slots=True)
class Stored:
    """The arrays of f32 that hold parts; `first` holds the greatest of the first scores, if asked for."""

    most: str
    total: str
    sums: str
    first: str | None

    def of_head(self, most: str, total: str, first: str) -> tuple[tuple[str, str], ...]:
        """The arrays that hold a number for each head, each with the name that is given for what goes there."""
        return (self.most, most), (self.total, total), *(((self.first, first),) if self.first else ())


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one head: as many as `count`, in `stored` at the index that `where` gives of a part; the sums
    with the column behind."""

    stored: Stored
    count: Expr
    where: Callable[[Expr], tuple[Expr, ...]]

    def load(self, array: str, part: Expr, *column: Expr) -> Load:
        """An element of a part."""
        return Load(array, (*self.where(part), *column), F32, True)


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a kernel for one head and `column`. `at` brings the user's expressions to that head."""

    words: Words
    state: State
    decode: Decode
    column: Expr
    at: Callable[[Expr], Expr]

    def together(self, parts: Parts, unroll: int | None) -> Iterator[DeviceStmt]:
        """The user's maximum, total and sum from those of the parts."""
        p, n, names, stored = self.decode, self.words.index("part"), self.decode.names, parts.stored
        most, total = parts.load(stored.most, n), parts.load(stored.total, n)
        sums = parts.load(stored.sums, n, self.column)
        yield Set(names.most, NOTHING, at=p.places.most)
        greatest = [Extreme(names.most, greatest_of(p.keep_nan), most)]
        if p.first is not None and stored.first is not None:
            yield Set(p.first.name, NOTHING, at=p.first.at)
            greatest.append(Extreme(p.first.name, greatest_of(p.first.keep_nan), parts.load(stored.first, n)))
        yield self._each(parts, unroll, tuple(greatest))
        found = Var(names.most, F32)
        base, factor = (Var(self.words.name(n), F32) for n in ("base", "rescale"))
        yield Let(base.name, Select(Compare("==", found, NOTHING), NONE, found))
        yield Set(names.total, NONE, at=p.places.total)
        yield Set(names.sum, NONE, at=p.places.sum)
        terms = (
            Let(factor.name, exp(Binary("-", most, base))),
            MultiplyAdd(names.total, total, factor),
            MultiplyAdd(names.sum, sums, factor),
        )
        yield self._each(parts, unroll, terms)

    def _each(self, parts: Parts, unroll: int | None, body: tuple[DeviceStmt, ...]) -> For:
        return For(self.words.name("part"), ZERO, parts.count, ONE, body, unroll=unroll, small=unroll is not None)

    def whole(self) -> Iterator[DeviceStmt]:
        """What the user does with a head and a column, once maximum, total and sum are there."""
        p, names = self.decode, self.decode.names
        total, sums = Var(names.total, F32), Var(names.sum, F32)
        keys = Compare("<", self.at(p.keys.start), self.at(p.keys.stop))
        lost = Logic("and", Compare("==", Var(names.most, F32), NOTHING), keys)
        nan = Const(math.nan, F32)
        yield DeviceIf(lost, (Set(total.name, nan), Set(sums.name, nan)), note="exp(-inf - -inf)")
        if p.divided:
            yield Set(sums.name, Select(keys, Binary("/", sums, total), NONE))
        yield from self._rows()
        yield from self._lowered(p.behind)

    def _rows(self) -> Iterator[DeviceStmt]:
        """What is done once for a head: all columns compute it, one stores."""
        for s in self.decode.row_behind:
            lowered = self._lowered((s,))
            yield from (DeviceIf(Compare("==", self.column, ZERO), lowered),) if isinstance(s, Store) else lowered

    def _lowered(self, body: tuple[Stmt, ...]) -> tuple[DeviceStmt, ...]:
        return ThreadCode(self.state.names, self.state.dtypes, self.state.kinds).lower(map_exprs(self.at, body))
