"""canonical: rows of a softmax as the one nest that plans look for.

    for (batch, rows):
        P = np.empty(T)
        for j: P[j] = score
        m = -inf;  for j: m = max(m, P[j])
        total = 0; for j: total += exp(P[j] - m)
        for e: o = 0; for j: o += exp(P[j] - m) * V[j, e];  out[row, e] = o / total
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tl2hip.dtypes import DType
from tl2hip.nest import index as whole
from tl2hip.nest.bounds import prove
from tl2hip.nest.ir import (
    Alloc,
    Array,
    Axis,
    AxisRef,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Expr,
    If,
    Load,
    Loop,
    Nest,
    Select,
    Set,
    Stmt,
    Store,
    Var,
    Variable,
)
from tl2hip.nest.walk import all_parts, all_stmts, parts, rebuild
from tl2hip.rule.join.book import Book, Range, Reduced, surely
from tl2hip.rule.join.joining import EXTREMES
from tl2hip.rule.join.rows import NoSoftmax, Output, Rows, nan_first, spreads, without
from tl2hip.rule.join.unify import POWERS
from tl2hip.rule.join.walk import Walk
from tl2hip.rule.terms import nothing
from tl2hip.source.span import NOWHERE, Span


def canonical(walk: Walk, rows: Rows) -> Nest:
    """The nest of these rows, and of nothing else. Raises NoSoftmax."""
    nest = walk.nest
    writer = _Writer(walk, rows)
    body = writer.whole()
    arrays = (*(a for a in nest.arrays if a.role != "local"), *writer.arrays)
    out = replace(nest, arrays=arrays, variables=tuple(writer.variables), body=body, idioms=())
    _marks_kept(nest, out)
    return prove(out)


def _marks_kept(old: Nest, new: Nest) -> None:
    """Raises NoSoftmax where a loop goes that the user says something of."""
    kept = {s.axis.user for s in all_stmts(new.body) if isinstance(s, Loop)}
    for s in all_stmts(old.body):
        if isinstance(s, Loop) and (s.axis.marks or s.axis.tile is not None) and s.axis.user not in kept:
            raise NoSoftmax(f"the marks of {s.axis.user} have no loop in it", s.at)


@dataclass(slots=True)
class _Writer:
    """Writes terms as statements. `known` holds the names of terms of the row that are computed already."""

    walk: Walk
    rows: Rows
    arrays: list[Array] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    known: dict[Expr, Expr] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    keys: Range | None = None
    skips: bool = False
    """Whether a NaN that a maximum skips shows in every output all the same."""
    scores: str = ""
    """The array of the scores; "" where they are cheap enough to be computed at each use."""

    @property
    def book(self) -> Book:
        return self.walk.book

    def whole(self) -> tuple[Stmt, ...]:
        nest = self.walk.nest
        self.taken |= {nest.name, *nest.dims, *nest.order, *nest.results, *(s.name for s in nest.scalars)}
        self.taken |= {a.axis for a in self.rows.axes} | {a.axis for o in self.rows.outputs for a in o.own}
        outputs = self.plain(self.rows.outputs)
        self.skips = all(self.shows_nan(o) for o in outputs)
        body: list[Stmt] = []
        self.largest(body, outputs)
        for p in dict.fromkeys(p for o in outputs for p in self.of_row(o)):
            self.known[p] = self.lowered(p, body)
        for p in dict.fromkeys(p for o in outputs for p in all_parts(o.value) if _spoiled(p)):
            value = self.variable("total", p.dtype)
            body.append(Set(value.name, self.lowered(p, body), outputs[0].at))
            self.known[p] = value
        for o in outputs:
            self.output(o, body)
        return self.around(self.rows.axes, body, outputs[0].at)

    def plain(self, outputs: tuple[Output, ...]) -> tuple[Output, ...]:
        """The outputs with no more care for NaN than their totals take of it."""
        out = []
        for o in (replace(o, value=self.book.map(self.settled, o.value)) for o in outputs):
            totals = [p for p in all_parts(o.value) if nan_first(p) is not None and self.is_of_row(p)]
            safe = next((t for t in totals if spreads(o.value, t)), None)
            if safe is None:
                out.append(o)
                continue
            (test, total) = nan_first(safe) or (None, None)
            assert total is not None
            assert test is not None
            bare = without(o.value, self.book)
            nan = Const(math.nan, total.dtype)
            out.append(replace(o, value=self.book.swap(bare, {total: Select(test, nan, total)})))
        return tuple(out)

    def shows_nan(self, o: Output) -> bool:
        """Whether an output is NaN where any score is: through a total of weights that spreads it."""
        scores = self.book.opened(self.rows.largest, "j~")
        some = Compare("<", whole.ZERO, whole.sub(scores.over.stop, scores.over.start))

        def with_keys(p: Expr) -> Expr | None:
            return self.book.map(with_keys, p.then) if isinstance(p, Select) and p.test == some else None

        value = self.book.map(with_keys, o.value)
        for p in self.book.inside(value):
            own = self.book.reduction(p)
            if own is None or own.op != "+" or own.over.bounds != scores.over.bounds or not spreads(value, p):
                continue
            weight = self.book.opened(p, "j~").value
            powers = (q for q in all_parts(weight) if isinstance(q, Call) and q.name in POWERS)
            if any(spreads(weight, q) and spreads(q.args[0], scores.value) for q in powers):
                return True
        return False

    def settled(self, p: Expr) -> Expr | None:
        """What a choice surely is."""
        if isinstance(p, Select) and surely(p.test, self.book):
            return self.book.map(self.settled, p.then)
        return None

    def is_of_row(self, e: Expr) -> bool:
        """Whether a term changes with nothing but the row."""
        return self.book.axes(e) <= {a.axis for a in self.rows.axes}

    def of_row(self, o: Output) -> list[Expr]:
        """The parts of an output that are worth a name of the row: reductions, and choices of NaN."""
        found: list[Expr] = []
        for p in _outside_in(self.book, o.value):
            own = self.book.reduction(p)
            if own is not None and self.is_of_row(p):
                found.append(p)
        return found

    # --- the scores and their maximum --------------------------------------------------------------------

    def largest(self, body: list[Stmt], outputs: tuple[Output, ...]) -> None:
        term = self.rows.largest
        own = self.book.opened(term, self.book.fresh("j"))
        if own.over.step != 1:
            raise NoSoftmax("the keys of a row are not one after the other", own.over.at)
        self.keys = own.over
        score = own.value
        if own.op in {r.op for p in all_parts(score) if (r := self.book.reduction(p)) is not None}:
            raise NoSoftmax("the maximum is one of blocks of keys, which are not known to be one after the other")
        if any(self.book.reduction(p) is not None for p in all_parts(score)):
            self.scores = self.name("P")
            self.arrays.append(Array(self.scores, score.dtype, (self.extent(own),), "local"))
            body.append(Alloc(self.scores, own.over.at))
            inner: list[Stmt] = []
            axis = self.axis(own.over, body)
            value = self.lowered(self.book.put(score, {own.over.axis: AxisRef(axis.name)}), inner)
            inner.append(Store(self.scores, (AxisRef(axis.name),), value, at=own.over.at))
            body.append(Loop(axis, tuple(inner), own.over.at))
        seeds = [p for o in outputs for p in self.book.inside(o.value) if _seeded(p, term, own.op)]
        m = self.variable("m", score.dtype)
        start: Expr = nothing(own.op, score.dtype)
        if seeds:
            first = seeds[0]
            assert isinstance(first, Binary)
            start = self.lowered(first.left, body)
            self.known[first] = m
        body.append(Set(m.name, start, own.over.at))
        body.append(self.reduction(m, own, body))
        if not seeds:
            self.known[term] = m

    def extent(self, own: Reduced) -> Expr:
        """How many elements hold all scores: the extent of an array that keys are an index of, or that their pages
        are, times the keys of a page; else their end."""
        names = [a.name for a in self.walk.nest.arrays if a.role == "parameter"]
        for p in self.book.inside(own.value):
            if isinstance(p, Load) and p.array in names:
                shape = self.walk.nest.array(p.array).shape
                for i, extent in zip(p.index, shape, strict=True):
                    match i:
                        case AxisRef(axis=name) if name == own.over.axis and isinstance(extent, Dim):
                            return extent
                        case Binary(op="//", left=AxisRef(axis=name), right=by) if name == own.over.axis:
                            if not any(isinstance(e, AxisRef | Var | Load) for e in all_parts(by)):
                                return whole.mul(extent, by)
        return own.over.stop

    def score_at(self, e: Expr, axis: str) -> Expr:
        """A term with the scores, at one axis, read from where they are kept."""
        if not self.scores or self.keys is None:
            return e
        score = self.book.put(self.book.opened(self.rows.largest, axis).value, {})
        kept = Load(self.scores, (AxisRef(axis),), score.dtype)
        e = self.book.swap(e, {score: kept})
        if isinstance(score, Select) and score.orelse == nothing("max", score.dtype):
            e = self.book.map(lambda p: _chosen(self.book, p, score, kept), e)
        return e

    # --- outputs -----------------------------------------------------------------------------------------

    def output(self, o: Output, body: list[Stmt]) -> None:
        inner: list[Stmt] = []
        value = self.lowered(o.value, inner)
        index = tuple(self.lowered(i, inner) for i in o.index)
        store = Store(o.array, index, value, at=o.at)
        if o.test is None:
            inner.append(store)
        else:
            inner = [If(self.lowered(o.test, body), (*inner, store), (), o.at)]
        body.extend(self.around(o.own, inner, o.at))

    def around(self, axes: Iterable[Range], body: list[Stmt], at: Span) -> tuple[Stmt, ...]:
        """A body inside loops over these axes."""
        out = tuple(body)
        for a in reversed(tuple(axes)):
            axis = replace(self.user(a), name=a.axis, start=self.plainly(a.start), stop=self.plainly(a.stop))
            axis = replace(axis, tile=None) if axis.blocks else axis  # blocks are gone with their loops
            out = (Loop(replace(axis, step=a.step), out, at),)
        return out

    def plainly(self, e: Expr) -> Expr:
        """A term that needs no statement."""
        if any(self.book.reduction(p) is not None for p in all_parts(e)):
            raise NoSoftmax("the bounds of a loop are computed by another", NOWHERE)
        return e

    # --- terms as statements -----------------------------------------------------------------------------

    def lowered(self, e: Expr, out: list[Stmt]) -> Expr:
        """A term as an expression, after the statements that it needs."""
        if e in self.known:
            return self.known[e]
        own = self.book.reduction(e)
        if own is not None:
            return self.loop(e, out)
        old = parts(e)
        new = tuple(self.lowered(p, out) for p in old)
        return e if all(a is b for a, b in zip(old, new, strict=True)) else rebuild(e, new)

    def loop(self, e: Expr, out: list[Stmt]) -> Expr:
        """The statements of a reduction; gives the name of its value."""
        own = self.book.opened(e, self.book.fresh("j"))
        value = self.variable(own.over.name or "s", own.value.dtype)
        out.append(Set(value.name, nothing(own.op, own.value.dtype), own.over.at))
        out.append(self.reduction(value, own, out))
        return value

    def reduction(self, value: Var, own: Reduced, out: list[Stmt]) -> Loop:
        axis = self.axis(own.over, out)
        inner: list[Stmt] = []
        term = self.book.put(own.value, {own.over.axis: AxisRef(axis.name)})
        if self.keys is not None and self.book.axes(own.value) >= {own.over.axis}:
            term = self.score_at(term, axis.name) if self.among_keys(own) else term
        term = self.lowered(term, inner)
        term = _weight_first(term, self.scores)
        op = "max" if self.skips and own.op == "maximum" and self.is_of_scores(own) else own.op
        inner.append(Set(value.name, Binary(op, value, term), own.over.at))
        return Loop(axis, tuple(inner), own.over.at)

    def is_of_scores(self, own: Reduced) -> bool:
        """Whether a reduction is one of the scores themselves."""
        return own.value == self.book.opened(self.rows.largest, own.over.axis).value

    def among_keys(self, own: Reduced) -> bool:
        """Whether a loop runs over the keys, or over the first of them."""
        assert self.keys is not None
        return own.over.bounds == self.keys.bounds or own.op in EXTREMES

    def user(self, over: Range) -> Axis:
        """The nest's own axis that a range came from, for the user's name and marks."""
        for s in all_stmts(self.walk.nest.body):
            if isinstance(s, Loop) and s.axis.name == over.like:
                return s.axis
        return Axis(over.axis, over.start, over.stop)

    def axis(self, over: Range, out: list[Stmt]) -> Axis:
        """An axis of a name of its own, after the statements that its bounds need."""
        old = self.user(over)
        start, stop = self.lowered(over.start, out), self.lowered(over.stop, out)
        name = self.name(old.user or over.like or "j")
        return replace(old, name=name, start=start, stop=stop, step=over.step)

    def variable(self, wish: str, dtype: DType) -> Var:
        name = self.name(wish)
        self.variables.append(Variable(name, dtype))
        return Var(name, dtype)

    def name(self, wish: str) -> str:
        n, name = 2, wish
        while name in self.taken:
            name, n = f"{wish}_{n}", n + 1
        self.taken.add(name)
        return name


def _spoiled(p: Expr) -> bool:
    """Whether a term is NaN or a reduction, by a test."""
    return isinstance(p, Select) and isinstance(p.then, Const) and p.then.value != p.then.value


def _weight_first(e: Expr, scores: str) -> Expr:
    """A product with the factor that the scores are in ahead."""
    match e:
        case Binary(op="*", left=a, right=b) if _reads(b, scores) and not _reads(a, scores):
            return Binary("*", b, a)
    return e


def _reads(e: Expr, array: str) -> bool:
    return any(isinstance(p, Load) and p.array == array for p in all_parts(e))


def _seeded(p: Expr, largest: Expr, op: str) -> bool:
    return isinstance(p, Binary) and p.op == op and p.right == largest


def _outside_in(book: Book, e: Expr) -> list[Expr]:
    return book.inside(e)


def _chosen(book: Book, p: Expr, score: Select, kept: Load) -> Expr | None:
    """A choice by the test of the scores, which are kept as they are where it holds."""
    if isinstance(p, Select) and p.test == score.test and p != score:
        return replace(p, then=book.swap(p.then, {score.then: kept}))
    return None
