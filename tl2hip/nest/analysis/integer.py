"""Questions about whole numbers that the small prover leaves open, put to islpy (imported late)."""

from __future__ import annotations

from tl2hip.nest.analysis.affine import Poly, Symbol, subtract, symbols
from tl2hip.nest.analysis.facts import Meaning

LIMIT = 20_000
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
        self._explained: set[tuple[Symbol, int]] = set()

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
            elif len(m) == 1:
                out.append(f"{c}*{self.name((m[0], 0 if self.shared(m[0]) else copy))}")
            elif all(self.shared(s) for s in m):
                out.append(f"{c}*{self.name(m)}")
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
            if (s, copy) in self._explained:
                continue
            self._explained.add((s, copy))
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
        return bool(_solve(self, None)[0])

    def value_of(self, unknown: str) -> tuple[bool, int | None]:
        """Whether some numbers satisfy the constraints, and the one value that an unknown then has."""
        return _solve(self, unknown)


def _solve(system: System, unknown: str | None) -> tuple[bool, int | None]:
    import islpy as isl

    names = list(system.names.values())
    if unknown is not None:
        names.remove(unknown)
        names.append(unknown)
    context = isl.Context()
    context.set_max_operations(LIMIT)
    rule = " and ".join(system.constraints) or "true"
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
