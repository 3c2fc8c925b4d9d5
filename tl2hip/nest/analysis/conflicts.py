"""Whether two accesses of one array may meet on one element in different iterations of a loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl2hip.nest.analysis.affine import (
    Monomial,
    Poly,
    Symbol,
    add,
    constant,
    evenly,
    scale,
    split,
    subtract,
    symbols,
)
from tl2hip.nest.analysis.facts import Facts
from tl2hip.nest.analysis.integer import Pair, System
from tl2hip.nest.analysis.trace import Access, Trace


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two accesses that may meet. `distance`: the axis' value at the second less that at the first, where it
    is always the same."""

    first: Access
    second: Access
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Two accesses that meet only if every pair is equal (and the wrapping dimensions are)."""

    first: Access
    second: Access
    pairs: tuple[Pair, ...]
    wrapping: tuple[int, ...]
    distance: int | None


class Pairs:
    """Answers for one loop of a traced nest."""

    def __init__(self, trace: Trace, axis: str) -> None:
        self.trace = trace
        self.prover = trace.prover
        self.axis = Symbol("axis", axis)
        self.inside = frozenset(trace.inner[axis])
        self.start, self.stop, self.step = trace.bounds[axis]
        self.outside = trace.outside[axis]

    def settle(self, x: Access, y: Access) -> Conflict | Question | None:
        """The conflict of two accesses in different iterations, None where there surely is none, or a question
        that takes islpy to answer."""
        pairs, wrapping = self._dimensions(x, y)
        distances: set[int] = set()
        left: list[Pair] = []
        alike = self._alike(pairs)
        for pair in pairs:
            answer = self._settle(pair)
            if answer == "open" and alike:
                answer = self._settle_beside(pair, alike)
            if answer == "apart":
                return None
            if isinstance(answer, int):
                distances.add(answer)
            elif answer == "open":
                left.append(pair)
        if len(distances) > 1 or any(not self._reaches(d) for d in distances):
            return None
        distance = next(iter(distances), None)
        left += [(x.index[d], y.index[d]) for d in wrapping]
        if not self._worth_asking(left, x, y):
            return Conflict(x, y, distance)
        return Question(x, y, tuple(pairs), tuple(wrapping), distance)

    def varies(self, p: Poly) -> bool:
        """Whether a polynomial may differ between iterations of the loop, inner axes being equal."""
        return any(self.axis.name in self.trace.meanings[s].varies for s in symbols(p))

    # --- the dimensions --------------------------------------------------------------------------

    def _dimensions(self, x: Access, y: Access) -> tuple[list[Pair], list[int]]:
        """The pairs that must be equal where both meet, flat indices taken apart; and the dimensions of which
        one index may be negative, so that it may wrap. (Elements asserted to be distinct stay so wrapped;
        multiples of them may not.)"""
        pairs: list[Pair] = []
        wrapping: list[int] = []
        for d, (a, b) in enumerate(zip(x.index, y.index, strict=True)):
            places = self._distinct(a, b, x, y) if list(a.values()) == [1] else None
            if places is not None:
                pairs += [p for place in places for p in self._apart(place, x, y)]
            elif self.prover.nonneg(a, x.facts) and self.prover.nonneg(b, y.facts):
                pairs += self._apart((a, b), x, y)
            else:
                wrapping.append(d)
        return pairs, wrapping

    def _apart(self, pair: Pair, x: Access, y: Access) -> list[Pair]:
        """A flat index `q*n + r`, 0 <= r < n, as the two indices it stands for; loads of distinct elements as
        the places they were loaded from."""
        a, b = pair
        places = self._distinct(a, b, x, y)
        if places is not None:
            return [p for place in places for p in self._apart(place, x, y)]
        stride = self._stride(a, b)
        if stride is None:
            return [pair]
        (qa, ra), (qb, rb) = evenly(a, stride), evenly(b, stride)
        extent: Poly = {stride: 1}
        if not (self.prover.within(ra, extent, x.facts) and self.prover.within(rb, extent, y.facts)):
            return [pair]
        return [*self._apart((qa, qb), x, y), *self._apart((ra, rb), x, y)]

    def _stride(self, a: Poly, b: Poly) -> Monomial | None:
        """The largest product of unchanging symbols that a changing one is multiplied by."""
        found = []
        for p in (a, b):
            for m in p:
                rest = tuple(s for s in m if not self._changes(s))
                if rest and len(rest) < len(m):
                    found.append(rest)
        return max(found, key=lambda m: (len(m), m), default=None)

    def _distinct(self, a: Poly, b: Poly, x: Access, y: Access) -> list[Pair] | None:
        """Where both indices load from one array of distinct elements: the indices they load at."""
        if not self.trace.nest.distinct:
            return None
        (inner_a, rest_a), (inner_b, rest_b) = split(a, self._changing(a)), split(b, self._changing(b))
        if rest_a != rest_b or len(inner_a) != 1 or list(inner_a.values()) != list(inner_b.values()):
            return None
        (m,), (k,) = inner_a, inner_b
        if len(m) != 1 or len(k) != 1:
            return None
        load_a, load_b = self.trace.meanings[m[0]].load, self.trace.meanings[k[0]].load
        if load_a is None or load_b is None or load_a[0] != load_b[0]:
            return None
        if load_a[0] not in self.trace.nest.distinct:
            return None
        return self._places(load_a, load_b, x, y)

    def _places(
        self, a: tuple[str, tuple[Poly, ...]], b: tuple[str, tuple[Poly, ...]], x: Access, y: Access
    ) -> list[Pair] | None:
        """The pairs of indices of two loads, each surely in its array."""
        shape = self.trace.shapes[a[0]]
        for (_, index), facts in ((a, x.facts), (b, y.facts)):
            for i, extent in zip(index, shape, strict=True):
                if not self.prover.within(i, extent, facts):
                    return None
        return list(zip(a[1], b[1], strict=True))

    def _changes(self, s: Symbol) -> bool:
        return not self.inside.isdisjoint(self.trace.meanings[s].varies)

    def _changing(self, p: Poly) -> frozenset[Symbol]:
        return frozenset(s for s in symbols(p) if self._changes(s))

    # --- the quick answers -----------------------------------------------------------------------

    def _alike(self, pairs: list[Pair]) -> frozenset[Symbol]:
        """The symbols that are themselves an index of both accesses, so that they are equal where the two meet."""
        found = (s for a, b in pairs if a == b for s in symbols(a) if a == {(s,): 1})
        return frozenset(s for s in found if s != self.axis)

    def _settle_beside(self, pair: Pair, alike: frozenset[Symbol]) -> int | str:
        """The same, where other pairs have made some symbols equal; "open" where that says no more."""
        answer = self._settle(pair, alike)
        return "open" if answer == "same" else answer

    def _settle(self, pair: Pair, alike: frozenset[Symbol] = frozenset()) -> int | str:
        """ "apart" where the two are never equal in different iterations, "same" where they always are, the
        distance of the axis where it is fixed, else "open". `alike` are symbols that are equal in both."""
        (moving_a, still_a), (moving_b, still_b) = (split(p, self._changing(p) - alike) for p in pair)
        gap = subtract(still_a, still_b)
        if not moving_a and not moving_b:
            if not gap:
                return "same"
            return "apart" if self.prover.nonzero(gap, self.outside) else "open"
        if moving_a != moving_b or self._changing(moving_a) != {self.axis}:
            return "open"
        factor, rest = evenly(moving_a, (self.axis,))
        if rest or self._changing(factor):
            return "open"
        whole, apart = constant(factor), constant(gap)
        if not gap:
            moved = whole != 0 if whole is not None else self.prover.nonzero(factor, self.outside)
            return "apart" if moved else "open"
        if whole and apart is not None:
            return "apart" if apart % (whole * self.step) else apart // whole
        return "open"

    def _reaches(self, distance: int) -> bool:
        """Whether two iterations can be that far apart."""
        span = constant(scale(subtract(self.stop, self.start), 1 if self.step > 0 else -1))
        return span is None or abs(distance) < span

    def _worth_asking(self, left: list[Pair], x: Access, y: Access) -> bool:
        """Whether islpy may find accesses apart that differ only as these pairs say."""
        if self._pinned(x) or self._pinned(y):
            return True
        pairs = [p for p in left if not self._hidden(p)]
        if any(a != b or self.varies(a) for a, b in pairs):
            return True
        return bool(pairs) and any(self.varies(f) for access in (x, y) for f in self._inner_facts(access))

    def _pinned(self, access: Access) -> bool:
        """Whether an equation around an access may hold for some iterations only."""
        facts = [f for f in self._inner_facts(access) if self.varies(f)]
        return any(scale(f, -1) in facts for f in facts)

    def _hidden(self, pair: Pair) -> bool:
        """Whether a value of which nothing is known decides the pair."""
        changing = self._changing(pair[0]) | self._changing(pair[1])
        return any(self.trace.meanings[s].opaque for s in changing)

    def _inner_facts(self, access: Access) -> Iterator[Poly]:
        """The facts at an access that are not known of the whole loop."""
        at: Facts | None = access.facts
        while at is not None and at is not self.trace.loop_facts[self.axis.name]:
            yield from at.own
            at = at.around

    # --- the exact answer ------------------------------------------------------------------------

    def ask(self, q: Question) -> Conflict | None:
        """Asks islpy whether two iterations in the domain meet, one after the other either way."""
        x, y = q.first, q.second
        system = System(self.trace.meanings, self.inside, self.trace.bounds)
        i, j = system.name((self.axis, 1)), system.name((self.axis, 2))
        away = system.name("distance")
        system.constraints += [f"{away} = {j} - {i}", f"({away} > 0 or {away} < 0)"]
        for a, b in q.pairs:
            left, right = system.text(a, 1), system.text(b, 2)
            if left is not None and right is not None:
                system.constraints.append(f"{left} = {right}")
        for d in q.wrapping:
            self._wrapping(system, x, y, d)
        for copy, access in ((1, x), (2, y)):
            for index, extent in zip(access.index, access.shape, strict=True):
                system.require(add(subtract(extent, index), {(): -1}), copy)
            for p in access.facts.all():
                system.require(p, copy)
            system.explain([*access.facts.all(), *access.index, *access.shape], copy)
        self._in_order(system, (x, y))
        possible, found = system.value_of(away)
        return Conflict(x, y, found if q.distance is None else q.distance) if possible else None

    def _in_order(self, system: System, accesses: tuple[Access, Access]) -> None:
        """That of two offsets the one that stands first is not the greater."""
        known: list[tuple[str, Poly, Poly, int]] = []
        for s, copy in system.explained:
            load = self.trace.meanings[s].load
            if load is None or load[0] not in self.trace.nest.offsets or len(load[1]) != 1:
                continue
            array, (place,) = load
            if self.prover.within(place, self.trace.shapes[array][0], accesses[copy - 1].facts):
                known.append((array, place, {(s,): 1}, copy))
        for n, (array, place, value, copy) in enumerate(known):
            for other in known[n + 1 :]:
                if other[0] == array:
                    system.in_order((place, other[1]), (value, other[2]), (copy, other[3]))

    def _wrapping(self, system: System, x: Access, y: Access, d: int) -> None:
        """One dimension whose index may be negative: the element is it, or it and the extent."""
        name = system.name(("element", d))
        for copy, access in ((1, x), (2, y)):
            index, size = system.text(access.index[d], copy), system.text(access.shape[d], copy)
            if index is None or size is None:
                return
            system.constraints.append(
                f"(({name} = {index} and 0 <= {name}) or ({name} = {index} + {size} and 0 <= {name}"
                f" and {name} < {size}))"
            )
