"""Value numbers: what is known of whole numbers as they are computed.

Each value is a polynomial over symbols. Sums and products stay polynomials; divisions, extremes and choices
become symbols that carry their facts; of anything else (loads, floats, casts that may lose) only the dtype is
known. One operation on equal operands is one symbol.
"""

from __future__ import annotations

from tl2hip.dtypes import BOOL, I64, DType
from tl2hip.nest.analysis.affine import (
    Poly,
    Symbol,
    add,
    constant,
    freeze,
    number,
    of,
    scale,
    subtract,
    times,
)
from tl2hip.nest.analysis.facts import Choice, Facts, Meaning, Prover
from tl2hip.nest.ir import Scalar

Both = tuple[tuple[Poly, ...], tuple[Poly, ...]]
"""What a test says when it is true, and when it is false."""


def plain(t: DType) -> bool:
    """Whole numbers narrower than i64, whose limits are worth a fact."""
    return (t.is_int and t is not I64) or t is BOOL


NARROW = 1 << 32
"""What the bits that `&` leaves stay below, where they are worth a symbol: sums of such numbers never wrap."""


class Values:
    """The symbols of one nest."""

    def __init__(self, offsets: tuple[str, ...] = ()) -> None:
        self.offsets = offsets
        self.meanings: dict[Symbol, Meaning] = {}
        self.prover = Prover(self.meanings)
        self._numbers: dict[object, Symbol] = {}
        self._says: dict[Symbol, Both] = {}

    # --- symbols ---------------------------------------------------------------------------------

    def symbol(
        self,
        s: Symbol,
        varies: frozenset[str],
        facts: tuple[Poly, ...] = (),
        choices: tuple[Choice, ...] = (),
        sized: bool = True,
        nonneg: bool = False,
        load: tuple[str, tuple[Poly, ...]] | None = None,
        opaque: bool = False,
    ) -> Poly:
        rank = len(self.meanings)
        self.meanings[s] = Meaning(rank, varies, facts, choices, sized, nonneg, load, opaque)
        return of(s)

    def argument(self, s: Scalar) -> Poly:
        symbol = Symbol("scalar", s.name)
        if symbol in self.meanings:
            return of(symbol)
        facts = self.dtype_facts(symbol, s.dtype) if plain(s.dtype) else ()
        return self.symbol(symbol, frozenset(), facts)

    def dtype_facts(self, s: Symbol, t: DType) -> tuple[Poly, ...]:
        low, high = t.limits
        return (add(of(s), number(-low)), subtract(number(high), of(s)))

    def fresh(self, t: DType, hint: str, varies: frozenset[str]) -> Poly:
        """A value of which only the dtype is known, made anew at a place in the scopes it varies with."""
        s = Symbol("value", f"{hint}'{len(self.meanings)}")
        facts = self.dtype_facts(s, t) if plain(t) else ()
        return self.symbol(s, varies, facts, sized=bool(facts), opaque=True)

    def numbered(self, key: object, operands: tuple[Poly, ...]) -> tuple[Symbol, bool]:
        """The symbol of a pure operation on operands, and whether it is new (and still without a meaning)."""
        full = (key, *(freeze(p) for p in operands))
        found = self._numbers.get(full)
        if found is not None:
            return found, False
        made = Symbol("value", f"{len(self.meanings)}")
        self._numbers[full] = made
        return made, True

    def varies(self, operands: tuple[Poly, ...]) -> frozenset[str]:
        out: frozenset[str] = frozenset()
        for p in operands:
            for m in p:
                for s in m:
                    out |= self.meanings[s].varies
        return out

    def sized(self, p: Poly) -> bool:
        return all(self.meanings[s].sized for m in p for s in m)

    def exact(self, p: Poly) -> bool:
        """Whether the run-time value surely is the polynomial's, not that value wrapped to 64 bits."""
        return self.sized(p) or (len(p) == 1 and next(iter(p.values())) == 1 and len(next(iter(p))) == 1)

    def opaque(self, key: object, t: DType, operands: tuple[Poly, ...]) -> Poly:
        """A pure function of its operands of which only the dtype is known."""
        s, new = self.numbered(key, operands)
        if new:
            facts = self.dtype_facts(s, t) if plain(t) else ()
            self.symbol(s, self.varies(operands), facts, sized=bool(facts), opaque=True)
        return of(s)

    def loaded(self, array: str, index: tuple[Poly, ...], t: DType) -> Poly:
        """An element of an array that the nest never writes."""
        s, new = self.numbered(("load", array), index)
        if new:
            facts = self.dtype_facts(s, t) if plain(t) else ()
            load = (array, index)
            offset = array in self.offsets
            varies, sized = self.varies(index), bool(facts)
            self.symbol(s, varies, facts, sized=sized, nonneg=offset, load=load, opaque=not offset)
        return of(s)

    def choice(self, t: DType, test: Poly, then: Poly, orelse: Poly) -> Poly:
        """One of two values, which one a test says."""
        s, new = self.numbered("select", (test, then, orelse))
        if new:
            exact = t.is_int and self.exact(then) and self.exact(orelse)
            true, false = self.assumed(test)
            choices = ((then, true), (orelse, false)) if exact else ()
            sized = exact and self.sized(then) and self.sized(orelse)
            self.symbol(s, self.varies((test, then, orelse)), (), choices, sized, opaque=not exact)
        return of(s)

    # --- arithmetic ------------------------------------------------------------------------------

    def arithmetic(self, op: str, a: Poly, b: Poly, facts: Facts) -> Poly:
        match op:
            case "+":
                return add(a, b)
            case "-":
                return subtract(a, b)
            case "*":
                return times(a, b)
            case "min" | "max" | "minimum" | "maximum":
                return self.extreme(op, a, b)
            case "//" | "%":
                return self._division(op, a, b, facts)
            case "<<":
                count = constant(b)
                if count is not None and 0 <= count < 63:
                    return scale(a, 1 << count)
            case "&":
                for mask in (constant(a), constant(b)):
                    if mask is not None and 0 <= mask < NARROW:
                        return self._masked(a, b, mask)
        return self.opaque(("binary", op, "i64"), I64, (a, b))

    def _masked(self, a: Poly, b: Poly, mask: int) -> Poly:
        """The bits of a value that a constant of 0 or more leaves."""
        s, new = self.numbered("&", (a, b))
        if new:
            self.symbol(s, self.varies((a, b)), (subtract(number(mask), of(s)),), nonneg=True, opaque=True)
        return of(s)

    def narrow(self, op: str, a: Poly, b: Poly, t: DType, facts: Facts) -> Poly:
        """An operation in a dtype narrower than i64, or on floats: as in i64 where the result surely fits."""
        if t.is_int and op in ("+", "-", "*") and self.sized(a) and self.sized(b):
            found = self.arithmetic(op, a, b, facts)
            if self._fits(found, t, facts):
                return found
        return self.opaque(("binary", op, t.name), t, (a, b))

    def cast(self, value: Poly, source: DType, t: DType, facts: Facts) -> Poly:
        """A value in another dtype: unchanged where it is whole in both and surely fits."""
        if source.is_int and t.is_int and self.sized(value) and self._fits(value, t, facts):
            return value
        return self.opaque(("cast", t.name), t, (value,))

    def _fits(self, p: Poly, t: DType, facts: Facts) -> bool:
        low, high = t.limits
        above, below = add(p, number(-low)), subtract(number(high), p)
        return self.prover.nonneg(above, facts) and self.prover.nonneg(below, facts)

    def extreme(self, op: str, a: Poly, b: Poly) -> Poly:
        low = op in ("min", "minimum")
        x, y = constant(a), constant(b)
        if x is not None and y is not None:
            return number(min(x, y) if low else max(x, y))
        s, new = self.numbered(("extreme", low), (a, b))
        if new:
            facts: tuple[Poly, ...] = ()
            choices: tuple[Choice, ...] = ()
            if self.exact(a) and self.exact(b):
                sign = -1 if low else 1
                facts = tuple(scale(subtract(of(s), p), sign) for p in (a, b))
                choices = ((a, (scale(subtract(a, b), sign),)), (b, (scale(subtract(b, a), sign),)))
            self.symbol(s, self.varies((a, b)), facts, choices, self.sized(a) and self.sized(b))
        return of(s)

    def _division(self, op: str, a: Poly, b: Poly, facts: Facts) -> Poly:
        """Floor division or its remainder; their facts hold where the divisor is known to be 1 or more."""
        x, y = constant(a), constant(b)
        if y == 0:
            return number(0)
        if x is not None and y is not None:
            return number(x // y if op == "//" else x % y)
        positive = y > 0 if y is not None else self.prover.positive(b, facts)
        if positive and y == 1:
            return a if op == "//" else number(0)
        if positive and self.exact(a) and self.exact(b) and self.prover.within(a, b, facts):
            return number(0) if op == "//" else a
        if not positive:
            return self._unsure_division(op, a, b, facts)
        q = self._quotient(a, b, facts)
        if op == "//":
            return of(q)
        return subtract(a, times(of(q), b)) if self.exact(a) else self._remainder(a, b)

    def absolute(self, a: Poly) -> Poly:
        """The absolute value of an i64, which wraps for the lowest one."""
        if not self.sized(a):
            return self.opaque("abs", I64, (a,))
        s, new = self.numbered("abs", (a,))
        if new:
            minus = scale(a, -1)
            facts = (subtract(of(s), a), add(of(s), a))
            choices: tuple[Choice, ...] = ((a, (a,)), (minus, (minus,)))
            self.symbol(s, self.varies((a,)), facts, choices, nonneg=True)
        return of(s)

    def _quotient(self, a: Poly, b: Poly, facts: Facts) -> Symbol:
        """A floor division by 1 or more; of 0 or more it is 0 or more, and at most that."""
        exact = self.exact(a) and self.sized(b)
        low = exact and self.prover.nonneg(a, facts)
        q, new = self.numbered(("//+", low), (a, b))
        if new:
            rest = subtract(a, times(of(q), b))
            known: tuple[Poly, ...] = (rest, add(subtract(b, rest), number(-1))) if exact else ()
            known += (subtract(a, of(q)),) if low else ()
            self.symbol(q, self.varies((a, b)), known, sized=self.sized(a), nonneg=low)
        return q

    def _remainder(self, a: Poly, b: Poly) -> Poly:
        """A remainder by 1 or more, of a value that may have wrapped."""
        r, new = self.numbered("%+", (a, b))
        if new:
            bounds = (of(r), add(subtract(b, of(r)), number(-1)))
            self.symbol(r, self.varies((a, b)), bounds, sized=self.sized(b), nonneg=True, opaque=True)
        return of(r)

    def _unsure_division(self, op: str, a: Poly, b: Poly, facts: Facts) -> Poly:
        """A division by what may be 0, which then gives 0. By 0 or more, a remainder is 0 or more and at most
        the divisor; it and the quotient of 0 or more are 0 or more and at most that."""
        divisor = self.exact(b) and self.prover.nonneg(b, facts)
        low = divisor and self.exact(a) and self.prover.nonneg(a, facts)
        s, new = self.numbered((op, divisor, low), (a, b))
        if new:
            bounded = low or (divisor and op == "%")
            known: tuple[Poly, ...] = (subtract(b, of(s)),) if divisor and op == "%" else ()
            known += (subtract(a, of(s)),) if low else ()
            sized = (low and self.sized(a)) or (bounded and self.sized(b))
            self.symbol(s, self.varies((a, b)), known, sized=sized, nonneg=bounded, opaque=True)
        return of(s)

    # --- tests -----------------------------------------------------------------------------------

    def test(self, key: object, operands: tuple[Poly, ...], says: Both) -> Poly:
        """A bool of which it is known what it says when true and when false."""
        out = self.opaque(key, BOOL, operands)
        ((s,),) = out
        self._says.setdefault(s, says)
        return out

    def compare(self, op: str, a: Poly, b: Poly, t: DType, facts: Facts) -> Poly:
        """A comparison of two values of one dtype, at a place where facts hold."""
        if not (t.is_int or t is BOOL) or not self.exact(a) or not self.exact(b):
            return self.test(("compare", op), (a, b), ((), ()))
        side = self._side(a, b, facts) if op in ("==", "!=") else 0
        return self.test(("compare", op, side), (a, b), _says(op, a, b, side))

    def _side(self, a: Poly, b: Poly, facts: Facts) -> int:
        """1 where a >= b is known, -1 where a <= b is: then unequal says which is greater."""
        if self.prover.nonneg(subtract(a, b), facts):
            return 1
        return -1 if self.prover.nonneg(subtract(b, a), facts) else 0

    def negation(self, test: Poly) -> Poly:
        """`not` of a bool."""
        true, false = self.assumed(test)
        return self.test("not", (test,), (false, true))

    def assumed(self, test: Poly) -> Both:
        """The facts that a test gives when true and when false."""
        if len(test) == 1:
            ((m, c),) = test.items()
            if c == 1 and len(m) == 1:
                return self._says.get(m[0], ((), ()))
        return (), ()


def _says(op: str, a: Poly, b: Poly, side: int) -> Both:
    """What a comparison of whole numbers says when true and when false."""
    over, under = subtract(a, b), subtract(b, a)
    strictly_over, strictly_under = add(over, number(-1)), add(under, number(-1))
    unequal = {1: (strictly_over,), -1: (strictly_under,), 0: ()}[side]
    match op:
        case "<":
            return (strictly_under,), (over,)
        case "<=":
            return (under,), (strictly_over,)
        case ">":
            return (strictly_over,), (under,)
        case ">=":
            return (over,), (strictly_under,)
        case "==":
            return (over, under), unequal
        case "!=":
            return unequal, (over, under)
    raise ValueError(f"no comparison {op}")


def fits(a: DType, b: DType) -> bool:
    """Whether every whole number of one dtype is the same number in another."""
    if not (a.is_int or a is BOOL) or not b.is_int:
        return False
    (low, high), (floor, top) = a.limits, b.limits
    return floor <= low and high <= top
