"""book: values of a nest as terms in which whole reductions are names, the same name for the same value.

A term is an expression of the nest's own nodes. A reduction in it is a `Var` whose meaning the book keeps, its
axis renamed to a number that only its depth tells, so that two spellings of one sum are one name. A name that
carries a value from turn to turn is a `Var` or a `Load` of its own, until the loop is closed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tl2hip.dtypes import DType
from tl2hip.nest import index as whole
from tl2hip.nest.ir import AxisRef, Binary, Call, Cast, Compare, Const, Dim, Expr, Load, Logic, Select, Unary, Var
from tl2hip.nest.walk import MIRRORED, all_parts, parts, rebuild
from tl2hip.rule.terms import nothing
from tl2hip.source.span import NOWHERE, Span

LARGE = 600
"""Nodes of a term beyond which it is not looked into."""


@dataclass(frozen=True, slots=True)
class Range:
    """The values that an axis takes; `like` is the nest's axis that it came from, `name` and `at` the name and the
    place of a reduction over it."""

    axis: str
    start: Expr
    stop: Expr
    step: int = 1
    like: str = field(default="", compare=False)
    name: str = field(default="", compare=False)
    at: Span = field(default=NOWHERE, compare=False)

    @property
    def bounds(self) -> tuple[Expr, Expr, int]:
        return self.start, self.stop, self.step


@dataclass(frozen=True, slots=True)
class Reduced:
    """`value` over all turns of `over`, taken together by `op`; of none, what `op` leaves unchanged."""

    op: str
    over: Range
    value: Expr


@dataclass(slots=True)
class Book:
    """The reductions that terms name, what is unknown and why, the ranges of axes, arrays that
    rise from 0 (`rising`), and names not given before."""

    reductions: dict[str, Reduced] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, Range] = field(default_factory=dict)
    rising: frozenset[str] = frozenset()
    _names: dict[Reduced, str] = field(default_factory=dict)
    _heights: dict[str, int] = field(default_factory=dict)
    _axes: dict[str, frozenset[str]] = field(default_factory=dict)
    _count: int = 0

    def fresh(self, wish: str) -> str:
        """A name that nothing else has; no user can write one of these."""
        self._count += 1
        return f"{wish}~{self._count}"

    def lost(self, why: str, dtype: DType) -> Var:
        """A value of which nothing is known, and the reason."""
        name = self.fresh("?")
        self.unknown[name] = why
        return Var(name, dtype)

    def reduction(self, e: Expr) -> Reduced | None:
        """The reduction that a term is, if it is one."""
        return self.reductions.get(e.name) if isinstance(e, Var) else None

    def reduce(self, op: str, over: Range, value: Expr) -> Expr:
        """The term of a reduction; a loop over tiles around the loop over one tile is one loop."""
        one = self._untiled(op, over, value)
        if one is not None:
            return one
        height = 1 + max((self._heights[p.name] for p in self._reduced(value)), default=0)
        axis = f"~{height}"
        own = Reduced(op, replace(over, axis=axis), self.put(value, {over.axis: AxisRef(axis)}))
        name = self._names.get(own)
        if name is None:
            name = f"~{len(self._names)}"
            self._names[own], self.reductions[name], self._heights[name] = name, own, height
        return Var(name, value.dtype)

    def _reduced(self, e: Expr) -> list[Var]:
        return [p for p in all_parts(e) if isinstance(p, Var) and p.name in self.reductions]

    def opened(self, e: Expr, axis: str) -> Reduced:
        """A reduction with its axis under a name of one's own."""
        own = self.reduction(e)
        assert own is not None
        self.ranges[axis] = replace(own.over, axis=axis)
        return Reduced(own.op, self.ranges[axis], self.put(own.value, {own.over.axis: AxisRef(axis)}))

    def _untiled(self, op: str, over: Range, value: Expr) -> Expr | None:
        inner = self.reduction(value)
        if inner is None or inner.op != op or over.axis in self.axes(inner.value):
            return None
        one = untiled(over, inner.over)
        if one is None:
            return None
        own = self.opened(value, self.fresh("tile"))
        return self.reduce(op, replace(one, axis=own.over.axis), own.value)

    # --- looking into terms and changing them ------------------------------------------------------------

    def inside(self, e: Expr) -> list[Expr]:
        """All nodes of a term, those of its reductions too."""
        found: list[Expr] = []
        for p in all_parts(e):
            found.append(p)
            own = self.reduction(p)
            if own is not None:
                for q in (own.over.start, own.over.stop, own.value):
                    found += self.inside(q)
        return found

    def axes(self, e: Expr) -> frozenset[str]:
        """The axes that a term changes with."""
        found: set[str] = set()
        for p in all_parts(e):
            if isinstance(p, AxisRef):
                found.add(p.axis)
            elif isinstance(p, Var) and p.name in self.reductions:
                if p.name not in self._axes:
                    own = self.reductions[p.name]
                    bounds = self.axes(own.over.start) | self.axes(own.over.stop)
                    self._axes[p.name] = bounds | self.axes(own.value) - {own.over.axis}
                found |= self._axes[p.name]
        return frozenset(found)

    def map(self, f: Callable[[Expr], Expr | None], e: Expr) -> Expr:
        """A term with `f` put in the place of each node for which it gives one, outside in."""
        new = f(e)
        if new is not None:
            return new
        if self.reduction(e) is not None:
            own = self.opened(e, self.fresh("in"))
            start, stop, value = (self.map(f, p) for p in (own.over.start, own.over.stop, own.value))
            if (start, stop, value) == (own.over.start, own.over.stop, own.value):
                return e
            return self.reduce(own.op, replace(own.over, start=start, stop=stop), value)
        old = parts(e)
        changed = tuple(self.map(f, p) for p in old)
        return e if all(a is b for a, b in zip(old, changed, strict=True)) else simpler(rebuild(e, changed))

    def put(self, e: Expr, axes: dict[str, Expr]) -> Expr:
        """A term at other values of its axes."""
        axes = {a: x for a, x in axes.items() if x != AxisRef(a)}
        if axes.keys().isdisjoint(self.axes(e)):
            return e

        def there(p: Expr) -> Expr | None:
            if isinstance(p, AxisRef):
                return axes.get(p.axis)
            return p if isinstance(p, Var) and axes.keys().isdisjoint(self.axes(p)) else None

        return self.map(there, e)

    def swap(self, e: Expr, terms: dict[Expr, Expr]) -> Expr:
        """A term with other terms in the place of whole parts of it."""
        return self.map(terms.get, e)

    def why_lost(self, e: Expr) -> str:
        """Why a term is not known; "" where it is."""
        lost = (p.name for p in self.inside(e) if isinstance(p, Var) and p.name in self.unknown)
        return next((self.unknown[n] for n in lost), "")


def started(op: str, start: Expr, rest: Expr) -> Expr:
    """What a reduction from `start` on gives, where `rest` is its terms together."""
    return rest if start == nothing(op, start.dtype) else Binary(op, start, rest)


OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}
"""What holds of whole numbers where a comparison does not."""


def simpler(e: Expr) -> Expr:
    """One of the ways to say the same: comparisons of indices by < and <=, choices that end with -inf, a choice
    between equals as what they are, a sum of two whole numbers as one, a power of 2 by its function."""
    match e:
        case Compare(op=">" | ">=" as op, left=a, right=b) if a.dtype.is_int:
            return Compare(MIRRORED[op], b, a)
        case Unary(op="not", value=Compare(op=op, left=a, right=b)) if op in OPPOSITE and a.dtype.is_int:
            return simpler(Compare(OPPOSITE[op], a, b))
        case Select(test=Compare(op=op, left=a, right=b), then=Const(value=first), orelse=last) if (
            first == -math.inf and op in OPPOSITE and a.dtype.is_int
        ):
            return Select(simpler(Compare(OPPOSITE[op], a, b)), last, e.then)
        case Call(name="pow", args=(Const(value=2), exponent)):
            return Call("exp2", (exponent,), e.dtype)
        case Select(then=then, orelse=orelse) if then == orelse:
            return then
        case Binary(op="+", left=Const(value=int() as a), right=Const(value=int() as b)) if e.dtype.is_int:
            return Const(a + b, e.dtype)
    return e


def untiled(outer: Range, inner: Range) -> Range | None:
    """The one loop that is the turns `start, start + n, …` around those from each up to the next or to the end, or
    around those of them that lie between bounds which are the same for all tiles."""
    tile = AxisRef(outer.axis)
    end = Binary("+", tile, Const(outer.step, tile.dtype))
    stops = (Binary("min", end, outer.stop), Binary("min", outer.stop, end))
    first, least = _bounded("max", inner.start, (tile,))
    last, most = _bounded("min", inner.stop, stops)
    limits = [p for limit in (least, most) if limit is not None for p in all_parts(limit)]
    if outer.step < 2 or inner.step != 1 or first != tile or last not in stops or tile in limits:
        return None
    start = outer.start if least is None else Binary("max", outer.start, least)
    stop = outer.stop if most is None else Binary("min", outer.stop, most)
    return replace(inner, start=start, stop=stop)


def _bounded(op: str, e: Expr, wanted: tuple[Expr, ...]) -> tuple[Expr, Expr | None]:
    """A bound as the one that is wanted and what bounds it further."""
    if e not in wanted and isinstance(e, Binary) and e.op == op:
        return e.left, e.right
    return e, None


def surely(test: Expr, book: Book) -> bool:
    """Whether a comparison of indices holds wherever it stands: its sides differ by what is never negative."""
    match test:
        case Logic(op="and", left=a, right=b):
            return surely(a, book) and surely(b, book)
        case Logic(op="or", left=a, right=b):
            return surely(a, book) or surely(b, book)
        case Unary(op="not", value=Compare()):
            return simpler(test) != test and surely(simpler(test), book)
        case Compare(op="<=", left=a, right=b) | Compare(op=">=", left=b, right=a):
            return never_negative(whole.sub(b, a), book)
        case Compare(op="<", left=a, right=b) | Compare(op=">", left=b, right=a):
            return never_negative(whole.sub(whole.sub(b, a), whole.ONE), book)
    return False


def never_negative(e: Expr, book: Book) -> bool:
    """Whether an index is surely 0 or more."""
    match e:
        case Const(value=value):
            return value >= 0
        case AxisRef(axis=axis):
            own = book.ranges.get(axis)
            return own is not None and never_negative(own.start, book)
        case Binary(op="+", left=a, right=b):
            return never_negative(a, book) and never_negative(b, book)
        case Load(array=array) | Cast(value=Load(array=array)):
            return array in book.rising
    return isinstance(e, Dim)
