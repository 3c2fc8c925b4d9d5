"""Facts about symbols (polynomials known to be 0 or more) and a small prover over them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tl2hip.nest.analysis.affine import (
    FrozenPoly,
    Monomial,
    Poly,
    Symbol,
    add,
    constant,
    freeze,
    replace_symbol,
    scale,
    times,
)

FUEL = 120
"""Steps that one proof may take before it is given up."""

DERIVED = 6
"""Facts that are looked at for what follows of older symbols, wherever new ones come to be known."""


Choice = tuple[Poly, tuple[Poly, ...]]
"""A value that a symbol may have, and what is 0 or more where it has it."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is known of one symbol wherever it is used.

    `rank` grows in the order of first use; facts of a symbol mention only older ones beside it. `varies` names
    the scopes (loops and whiles) whose iterations may give it other values. `choices`: it equals one of these,
    each with what is known where it is the one. `sized`: so far from the limits of i64 that sums of it never
    wrap. `load`: the array and index it was loaded from. `opaque`: nothing but its facts is known.
    """

    rank: int
    varies: frozenset[str]
    facts: tuple[Poly, ...] = ()
    choices: tuple[Choice, ...] = ()
    sized: bool = True
    nonneg: bool = False
    load: tuple[str, tuple[Poly, ...]] | None = None
    opaque: bool = False


@dataclass(slots=True)
class Facts:
    """Polynomials that are 0 or more at one place of a nest: its own and those of the places around it."""

    own: tuple[Poly, ...] = ()
    around: Facts | None = None
    index: dict[Monomial, tuple[Poly, ...]] | None = field(default=None, compare=False)

    def all(self) -> tuple[Poly, ...]:
        """Every fact, the outermost first."""
        return self.own if self.around is None else (*self.around.all(), *self.own)

    def more(self, facts: tuple[Poly, ...]) -> Facts:
        """These facts and more."""
        return Facts(facts, self) if facts else self


class Prover:
    """Shows that polynomials are 0 or more, by taking facts away from the newest symbol down."""

    def __init__(self, meanings: dict[Symbol, Meaning]) -> None:
        self.meanings = meanings
        self.known: dict[tuple[FrozenPoly, int], bool] = {}
        self.kept: list[Facts] = []

    def nonneg(self, p: Poly, facts: Facts) -> bool:
        """Whether p >= 0 follows; False says nothing."""
        number = constant(p)
        if number is not None:
            return number >= 0
        key = (freeze(p), id(facts))
        if key not in self.known:
            self.kept.append(facts)
            self.known[key] = False
            self.known[key] = self._search(p, facts, [FUEL], frozenset())
        return self.known[key]

    def positive(self, p: Poly, facts: Facts) -> bool:
        """Whether p >= 1 follows."""
        return self.nonneg(add(p, {(): -1}), facts)

    def nonzero(self, p: Poly, facts: Facts) -> bool:
        """Whether p is never 0."""
        return self.positive(p, facts) or self.positive(scale(p, -1), facts)

    def within(self, p: Poly, extent: Poly, facts: Facts) -> bool:
        """Whether 0 <= p < extent follows."""
        return self.nonneg(p, facts) and self.positive(add(extent, p, -1), facts)

    def _rank(self, m: Monomial) -> tuple[int, int]:
        return (max((self.meanings[s].rank for s in m), default=-1), len(m))

    def _newest(self, m: Monomial) -> Symbol:
        return max(m, key=lambda s: self.meanings[s].rank)

    def _indexed(self, facts: Facts) -> dict[Monomial, tuple[Poly, ...]]:
        """The facts by their newest monomial."""
        if facts.index is None:
            table = {} if facts.around is None else dict(self._indexed(facts.around))
            for f in facts.own:
                if f and constant(f) is None:
                    lead = max(f, key=self._rank)
                    table[lead] = (f, *table.get(lead, ()))
            facts.index = table
        return facts.index

    def _facts_of(self, m: Monomial, facts: Facts) -> list[tuple[Poly, Poly]]:
        """Facts led by the monomial, or by one of its symbols, to be multiplied by the rest or by its opposite: by
        what is 0 or more of the two. Each fact comes with its factor, of which there may be none."""
        table = self._indexed(facts)
        newest = self._newest(m)
        out: list[tuple[Poly, Poly]] = [(f, {}) for f in table.get(m, ())]
        out += [(f, {}) for f in self.meanings[newest].facts if m in f]
        if len(m) == 1:
            return out
        for s in dict.fromkeys(m):
            rest = list(m)
            rest.remove(s)
            signs = [self._sign(r, facts) for r in rest]
            if all(signs):
                alone = (*table.get((s,), ()), *self.meanings[s].facts)
                out += [(f, {tuple(rest): math.prod(signs)}) for f in alone if (s,) in f]
        return out

    def _sign(self, s: Symbol, facts: Facts) -> int:
        """1 for a symbol that is 0 or more, -1 for one that is 0 or less, 0 where neither is known."""
        return 1 if self._plainly_nonneg(s, facts) else -1 if self.nonneg({(s,): -1}, facts) else 0

    def closed(self, new: tuple[Poly, ...], facts: Facts) -> Facts:
        """The facts with new ones, and with what follows of older symbols from those: `i < n` where 0 <= i
        says 1 <= n."""
        known = facts.more(new)
        fresh = list(new)
        for _ in range(DERIVED):
            if not fresh:
                break
            f = fresh.pop(0)
            followed = (*self._without_newest(f, known), *self._factors(f, known))
            found = [h for h in followed if h not in known.all()]
            known = known.more(tuple(found))
            fresh += found
        return known

    def _without_newest(self, f: Poly, facts: Facts) -> list[Poly]:
        """What is left of a fact when its newest monomial is cancelled against facts of the other sign."""
        if constant(f) is not None:
            return []
        lead = max(f, key=self._rank)
        out = []
        for g, by in self._facts_of(lead, facts):
            if not by and (g[lead] > 0) != (f[lead] > 0):
                h = add(scale(f, abs(g[lead])), g, abs(f[lead]))
                if constant(h) is None and h not in out:
                    out.append(h)
        return out

    def _factors(self, f: Poly, facts: Facts) -> list[Poly]:
        """Where a product of symbols that are 0 or more is 1 or more, that each of them is."""
        products = [m for m in f if len(m) > 1]
        if len(f) != 2 or len(products) != 1 or f.get((), 0) >= 0:
            return []
        symbols = dict.fromkeys(products[0])
        if f[products[0]] < 0 or not all(self._plainly_nonneg(s, facts) for s in symbols):
            return []
        return [{(s,): 1, (): -1} for s in symbols]

    def _plainly_nonneg(self, s: Symbol, facts: Facts) -> bool:
        return self.meanings[s].nonneg or self.nonneg({(s,): 1}, facts)

    def _search(self, p: Poly, facts: Facts, fuel: list[int], seen: frozenset[FrozenPoly]) -> bool:
        number = constant(p)
        if number is not None:
            return number >= 0
        fuel[0] -= 1
        frozen = freeze(p)
        if fuel[0] <= 0 or frozen in seen:
            return False
        seen = seen | {frozen}
        lead = max(p, key=self._rank)
        factor = p[lead]
        if factor > 0 and all(self.meanings[s].nonneg for s in lead):
            rest = {m: c for m, c in p.items() if m != lead}
            if self._search(rest, facts, fuel, seen):
                return True
        for fact, by in self._facts_of(lead, facts):
            if by:
                fact = times(fact, by)
            own = fact[lead]
            if (own > 0) != (factor > 0):
                continue
            left = add(scale(p, abs(own)), fact, -abs(factor))
            if self._search(left, facts, fuel, seen):
                return True
        newest = self._newest(lead)
        choices = self.meanings[newest].choices
        return bool(choices) and all(
            self._search(replace_symbol(p, newest, c), facts.more(known), fuel, seen) for c, known in choices
        )
