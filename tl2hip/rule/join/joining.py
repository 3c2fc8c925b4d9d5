"""joining: loops whose values pass from turn to turn together, closed by the rules that join them.

What a total that is rescaled gives where numbers end. Let a loop start with m = z and x = x0, its turns t = 1, 2, …
have the largest score F(t), and let M be the largest of z and all F. Then x at the end is x0 · exp(z - M) plus the
sum of all weights exp(f - M), by exp(a - b) · exp(b - c) = exp(a - c), wherever all m are finite.

- A score of NaN makes its own weight NaN, on both sides. One of inf makes m inf, its own weight exp(inf - inf)
  NaN, on both sides.
- m is -inf for as long as every score was -inf. With z = -inf the first turn then computes exp(-inf - -inf): NaN,
  which spreads; the passes would give a number if a later score is finite. So the joined form adds NaN to the sum
  where z and the first turn's F are -inf (`first_turn`). For later turns there is nothing to add: m is -inf after
  turn t > 1 only if it was after turn 1. Turns under a test count from the first whose test holds.
- If all scores are -inf, M is -inf, and every weight of the passes is NaN as well. If no turn is run, both sides
  give x0 for a finite z, as x0 · exp(z - z); for any other z that is NaN, so that a test chooses x0 (`some_turn`).
- x0 = 0 makes x0 · exp(z - M) 0: z - M is at most 0, and NaN only in the cases above.

The identity is one of real numbers: where exp(m - new) underflows, a product of several is 0 at another place than
the exponential of the sum is, by an error of less than the smallest number times the value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tl2hip.nest import index as whole
from tl2hip.nest.ir import AxisRef, Binary, Compare, Const, Expr, Load, Logic, Select, Unary
from tl2hip.rule.join.book import Book, Range, simpler, surely
from tl2hip.rule.join.closed import passing, reduced, reduction, taken_in, unchanged, why_not
from tl2hip.rule.join.memory import solved
from tl2hip.rule.join.sides import Join
from tl2hip.rule.join.unify import State, Unifier
from tl2hip.rule.join.walk import Carried, Turn, Walk
from tl2hip.source.span import Span

EXTREMES = ("max", "maximum", "min", "minimum")


@dataclass(slots=True)
class Joined:
    """Closes loops by rules. `fits` says which rule joined what value and where; `misses` how near a rule came."""

    rules: Sequence[Join]
    fits: list[tuple[Join, str, Span]] = field(default_factory=list)
    misses: list[tuple[Join, str, Span, int]] = field(default_factory=list)

    def close(self, walk: Walk, turn: Turn) -> dict[str, Expr]:
        """What each carried value is after a loop."""
        after: dict[str, Expr] = {}
        others: list[Carried] = []
        extremes: list[Carried] = []
        for c in turn.carried:
            found = reduction(walk.book, turn, c)
            if unchanged(c):
                after[c.name] = c.start
            elif found is None:
                others.append(c)
            else:
                after[c.name] = reduced(walk.book, turn, c, *found)
                extremes += [c] if found[0] in EXTREMES else []
        for c in others:
            joined = self.joined(walk, turn, c, extremes)
            after[c.name] = joined or walk.book.lost(why_not(walk.book, turn, c), c.now.dtype)
        return after

    def joined(self, walk: Walk, turn: Turn, c: Carried, extremes: list[Carried]) -> Expr | None:
        """The value after the loop by the first rule that joins it with an extreme."""
        if not passing(walk.book, c.step, turn):
            return None
        for r in self.rules:
            if r.left.turn is None:
                continue
            reached = 0
            for m in extremes:
                own = _in_terms_of(walk.book, m, c)
                if own is None:
                    continue
                value, steps = _fold(r, walk, turn, own, c)
                reached = max(reached, steps)
                if value is not None:
                    self.fits.append((r, c.name, c.layer.at))
                    return value
            if reached:
                why = f"what a turn makes of {c.name} is not rescaled as the largest score changes"
                self.misses.append((r, why, c.layer.at, reached))
        return None

    def rewritten(self, book: Book, e: Expr) -> Expr:
        """A term with every sum that a rule without such a loop recognises as its other side."""

        def there(p: Expr) -> Expr | None:
            if book.reduction(p) is None:
                return None
            for r in self.rules:
                if r.left.turn is not None:
                    continue
                u = _unifier(r, book)
                for s in u.match(r.left.value, p, State()):
                    own = book.reduction(p)
                    assert own is not None
                    self.fits.append((r, own.over.name, own.over.at))
                    s = replace(s, over=(replace(own.over, axis=s.over[0].axis),))
                    return self.rewritten(book, replace(u, own=r.right.book).built(r.right.value, s))
            return None

        return book.map(there, e)


def _unifier(r: Join, book: Book) -> Unifier:
    kinds = {h.name: h.kind for h in r.holes}
    choices = {h.name: h.choices for h in r.holes}
    return Unifier(r.left.book, book, kinds, choices, r.stand_ins, "j~")


def _in_terms_of(book: Book, m: Carried, c: Carried) -> Carried | None:
    """An extreme at the element that the step of another value reads; None where it reads none, or several."""
    if not isinstance(m.now, Load):
        return m
    read = {p for p in book.inside(c.step) if isinstance(p, Load) and p.array == m.now.array}
    places = [(p, solved(m.layer, p.index, book)) for p in read]
    places = [(p, at) for p, at in places if at is not None]
    if len(places) != 1:
        return None
    (now, at) = places[0]
    assert at is not None
    return replace(m, now=now, start=book.put(m.start, at), layer=m.layer.moved(book, at))


def _fold(r: Join, walk: Walk, turn: Turn, m: Carried, c: Carried) -> tuple[Expr | None, int]:
    """The value of `c` after the loop, where a rule joins it with `m`; how many steps of the rule fitted."""
    assert r.left.turn is not None
    named = {x.name: x for x in r.left.turn.carried}
    pm, px = (named[n] for n in r.left.names)
    m_step, c_step, test = _under_one_test(m, c)
    u = _unifier(r, walk.book)
    u.axis = r.left.turn.over.axis
    u.values = {pm.now: m.now, px.now: c.now}
    for s in u.match(pm.step, m_step, State(over=(turn.over,))):
        for t in u.match(px.step, c_step, s):
            if test is not None and t.test is not None:
                continue
            for found in _starts(u, pm, px, m, c, t):
                return _passes(r, walk, turn, m, c, replace(found, test=test or found.test), test), u.reached
    return None, u.reached


def _starts(u: Unifier, pm: Carried, px: Carried, m: Carried, c: Carried, s: State) -> Iterator[State]:
    for first in u.match(pm.start, m.start, s):
        yield from u.match(px.start, c.start, first)


def _under_one_test(m: Carried, c: Carried) -> tuple[Expr, Expr, Expr | None]:
    """The steps of both without the test that leaves both as they are, and that test."""
    a, b = m.step, c.step
    if isinstance(a, Select) and isinstance(b, Select) and a.test == b.test:
        if a.orelse == m.now and b.orelse == c.now:
            return a.then, b.then, a.test
        if a.then == m.now and b.then == c.now:
            return a.orelse, b.orelse, simpler(Unary("not", a.test))
    return a, b, None


def _passes(r: Join, walk: Walk, turn: Turn, m: Carried, c: Carried, s: State, test: Expr | None) -> Expr:
    """The rule's other side: the sum in passes, and what the first turn adds where it met nothing but -inf."""
    book = walk.book
    over = tuple(replace(o, at=c.layer.at, name=c.name.split("[")[0]) for o in s.over)
    u = replace(_unifier(r, book), own=r.right.book)
    value = u.built(r.right.value, replace(s, over=over))
    zero = isinstance(c.start, Const) and c.start.value == 0
    if zero and isinstance(value, Binary) and value.op == "+":
        value = value.right  # x0 · exp(z - M) of x0 = 0, as said above
    elif not _finite(m.start):
        value = Select(some_turn(walk, turn, test), value, c.start)
    nan = first_turn(walk, turn, m, test)
    return value if nan is None else Binary("+", nan, value)


def first_turn(walk: Walk, turn: Turn, m: Carried, test: Expr | None) -> Expr | None:
    """NaN where the value starts at -inf and the first turn met nothing larger, else 0; None where it starts at a
    number."""
    book, over = walk.book, turn.over
    if _finite(m.start):
        return None
    found = taken_in(m.step if test is None else _under_test(m.step, m.now), m.now)
    assert found is not None
    op, term = found
    first = _first(book, over, test)
    axis = book.fresh(over.axis)
    score = book.put(term, {over.axis: AxisRef(axis)})
    end = Binary("min", whole.add(first, whole.ONE), over.stop)
    alone = Range(axis, first, end, 1, over.like, "first", m.layer.at)
    inner = book.reduction(score)
    if inner is not None and inner.op == op:
        largest = book.put(score, {axis: first})
        opened = book.opened(largest, axis)
        largest = book.reduce(op, replace(opened.over, name="first"), opened.value)
    else:
        largest = book.reduce(op, alone, score)
    if not isinstance(m.start, Const):
        largest = Binary(op, m.start, largest)
    nothing = Compare("==", largest, Const(-math.inf, largest.dtype))
    none = Logic("and", some_turn(walk, turn, test), nothing)
    return Select(none, Const(math.nan, term.dtype), Const(0.0, term.dtype))


def some_turn(walk: Walk, turn: Turn, test: Expr | None) -> Expr:
    """Whether a turn is run, under the test of its values where they have one."""
    return Compare("<", _first(walk.book, turn.over, test), turn.over.stop)


def _first(book: Book, over: Range, test: Expr | None) -> Expr:
    """The place of the first turn whose test holds; the end of the loop where there is none."""
    if test is None or surely(book.put(test, {over.axis: over.start}), book):
        return over.start
    return Binary("min", over.stop, book.reduce("min", over, Select(test, AxisRef(over.axis), over.stop)))


def _finite(e: Expr) -> bool:
    return isinstance(e, Const) and math.isfinite(e.value)


def _under_test(step: Expr, now: Expr) -> Expr:
    assert isinstance(step, Select)
    return step.then if step.orelse == now else step.orelse
