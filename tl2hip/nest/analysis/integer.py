"""Questions about whole numbers that the small prover leaves open, put to islpy (imported late)."""

from __future__ import annotations

import re

from tl2hip.nest.analysis.affine import Poly, Symbol, subtract, symbols
from tl2hip.nest.analysis.facts import Meaning

Pair = tuple[Poly, Poly]
"""A polynomial of each of two copies."""

LIMIT = 100_000
"""Operations of isl that one question may take; past it the answer is "possible"."""


class System:
    """Constraints over symbols, each symbol taken in one of several copies (iterations).

    A symbol that no copy may change (`shared`) is one unknown; any other is one unknown for each copy.
    Constraints that are not affine are left out, which only makes more things possible.
    """

    def __init__(
        self,
        meanings: dict[Symbol, Meaning],
        inside: frozenset[str],
        bounds: dict[str, tuple[Poly, Poly, int]],
    ) -> None:
        self.meanings = meanings
        self.inside = inside
        self.bounds = bounds
        self.names: dict[object, str] = {}
        self.constraints: list[str] = []
        self._fixed: set[str] = set()
        """The unknowns that are the same in all copies."""
        self.explained: dict[tuple[Symbol, int], None] = {}
        """The symbols of which all is said that is known, each in its copy."""

    def shared(self, s: Symbol) -> bool:
        """Whether the symbol is the same in both copies."""
        return self.inside.isdisjoint(self.meanings[s].varies)

    def name(self, key: object) -> str:
        """The name of an unknown."""
        return self.names.setdefault(key, f"v{len(self.names)}")

    def text(self, p: Poly, copy: int) -> str | None:
        """A polynomial in isl's notation; None where it is not affine."""
        out = []
        for m, c in p.items():
            if not m:
                out.append(str(c))
            elif all(self.shared(s) for s in m):
                name = self.name(m)
                self._fixed.add(name)
                out.append(f"{c}*{name}")
            elif len(m) == 1:
                out.append(f"{c}*{self.name((m[0], copy))}")
            else:
                return None
        return " + ".join(out) or "0"

    def require(self, p: Poly, copy: int, relation: str = ">= 0") -> None:
        """Adds `p >= 0` (or another relation) for one copy, where it is affine."""
        text = self.text(p, copy)
        if text is not None:
            self.constraints.append(f"{text} {relation}")

    def explain(self, ps: list[Poly], copy: int) -> None:
        """Adds what is known of every symbol of polynomials in one copy."""
        pending = [s for p in ps for s in symbols(p)]
        while pending:
            s = pending.pop()
            if (s, copy) in self.explained:
                continue
            self.explained[s, copy] = None
            meaning = self.meanings[s]
            if meaning.nonneg:
                self.require({(s,): 1}, copy)
            for f in meaning.facts:
                self.require(f, copy)
                pending += symbols(f)
            if meaning.choices:
                self._either(s, meaning, copy)
            if s.kind == "axis":
                pending += self._stride(s, copy)

    def in_order(self, places: Pair, values: Pair, copies: tuple[int, int]) -> None:
        """Adds that of two values, each at a place, the one that stands later is not the lesser."""
        i, j = (self.text(p, copy) for p, copy in zip(places, copies, strict=True))
        x, y = (self.text(v, copy) for v, copy in zip(values, copies, strict=True))
        if None not in (i, j, x, y):
            self.constraints.append(f"(({i} > {j} or {x} <= {y}) and ({j} > {i} or {y} <= {x}))")

    def _stride(self, s: Symbol, copy: int) -> list[Symbol]:
        start, _, step = self.bounds[s.name]
        if abs(step) > 1:
            text = self.text(subtract({(s,): 1}, start), copy)
            if text is not None:
                trip = self.name((s, copy, "trip"))
                self.constraints.append(f"{text} = {step}*{trip}")
        return list(symbols(start))

    def _either(self, s: Symbol, meaning: Meaning, copy: int) -> None:
        """Adds that a symbol has one of its choices; nothing where one of them is not affine."""
        options = []
        for value, known in meaning.choices:
            equal = self.text(subtract({(s,): 1}, value), copy)
            if equal is None:
                return
            texts = [self.text(f, copy) for f in known]
            options.append(" and ".join([f"{equal} = 0", *(f"{t} >= 0" for t in texts if t is not None)]))
        self.constraints.append("(" + " or ".join(f"({o})" for o in options) + ")")

    def possible(self) -> bool:
        """Whether some whole numbers satisfy every constraint."""
        return _solve(self.constraints, None)[0]

    def value_of(self, unknown: str) -> tuple[bool, int | None]:
        """Whether some numbers satisfy the constraints, and the one value that an unknown then has.

        The parts that no unknown of one copy ties together are asked first, each by itself: one that has no
        solution settles it, and a loop nest of many axes would take too long as a whole.
        """
        parts = self._parts()
        if len(parts) > 1 and not all(_solve(part, None)[0] for part in parts):
            return False, None
        return _solve(self.constraints, unknown)

    def _parts(self) -> list[list[str]]:
        """The constraints in groups that have no unknown in common but fixed ones; what is said of fixed ones
        alone is in each."""
        parts: list[tuple[set[str], list[str]]] = []
        common: list[str] = []
        for text in self.constraints:
            moving = _unknowns(text) - self._fixed
            if not moving:
                common.append(text)
                continue
            joined = (moving, [text])
            for part in [p for p in parts if not p[0].isdisjoint(moving)]:
                parts.remove(part)
                joined = (joined[0] | part[0], part[1] + joined[1])
            parts.append(joined)
        return [[*common, *texts] for _, texts in parts]


def _unknowns(text: str) -> set[str]:
    return set(re.findall(r"\bv\d+", text))


def _solve(constraints: list[str], unknown: str | None) -> tuple[bool, int | None]:
    import islpy as isl

    rule = " and ".join(constraints) or "true"
    names = sorted(_unknowns(rule) - {unknown}, key=lambda name: int(name[1:]))
    if unknown is not None:
        names.append(unknown)
    context = isl.Context()
    context.set_max_operations(LIMIT)
    try:
        found = isl.Set(f"{{ [{', '.join(names)}] : {rule} }}", context=context)
        if found.is_empty():
            return False, None
        if unknown is None:
            return True, None
        line = found.project_out(isl.dim_type.set, 0, len(names) - 1)
        low, high = line.dim_min_val(0), line.dim_max_val(0)
        return True, low.to_python() if low.is_int() and low == high else None
    except isl.Error:
        return True, None
