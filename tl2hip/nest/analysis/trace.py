"""Every array access of a nest, with its index as polynomials and the facts that hold where it happens.

One walk in the order of the text gives each expression a value number: a polynomial over symbols. Equal
numbers mean equal values wherever both are reached in the same iterations of the loops they vary with.
Accesses come in the order of `own_exprs` and `parts`, operands before the operation, a store after both.
"""

from __future__ import annotations

from dataclasses import dataclass

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
from tl2hip.nest.analysis.facts import Facts, Meaning, Prover
from tl2hip.nest.ir import (
    Alloc,
    AxisRef,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Dim,
    Expr,
    If,
    Load,
    Logic,
    Loop,
    Nest,
    Scalar,
    Select,
    Set,
    Stmt,
    Store,
    Unary,
    Update,
    Var,
    While,
)
from tl2hip.nest.walk import all_stmts, own_exprs, parts
from tl2hip.source.span import NOWHERE, Span

Both = tuple[tuple[Poly, ...], tuple[Poly, ...]]
"""What a test says when it is true, and when it is false."""


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """One place where an array is read or written.

    `scopes` names the axes and whiles around it, outermost first; `place` numbers the accesses of a nest;
    `life` counts the Allocs of a local so far.
    """

    array: str
    kind: str
    index: tuple[Poly, ...]
    scopes: tuple[str, ...]
    facts: Facts
    node: Load | Store | Update
    place: int
    at: Span

    @property
    def writes(self) -> bool:
        return self.kind != "load"


def _limits(t: DType) -> tuple[int, int]:
    if t is BOOL:
        return 0, 1
    if t.kind == "uint":
        return 0, (1 << t.bits) - 1
    return -(1 << (t.bits - 1)), (1 << (t.bits - 1)) - 1


def _plain(t: DType) -> bool:
    """Whole numbers narrower than i64, whose limits are worth a fact."""
    return (t.is_int and t is not I64) or t is BOOL


class Trace:
    """The walk and what it found."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.meanings: dict[Symbol, Meaning] = {}
        self.prover = Prover(self.meanings)
        self.accesses: list[Access] = []
        self.shapes: dict[str, tuple[Poly, ...]] = {}
        self.loop_facts: dict[str, Facts] = {}
        """Facts that hold just inside each loop."""
        self.bounds: dict[str, tuple[Poly, Poly, int]] = {}
        """Start, stop and step of each axis."""
        self.inner: dict[str, set[str]] = {}
        """The scopes inside each scope, itself included."""
        self.outside: dict[str, Facts] = {}
        """Facts that hold just outside each loop."""
        self._written = {s.array for s in all_stmts(nest.body) if isinstance(s, Store | Update)}
        self._numbers: dict[object, Symbol] = {}
        self._says: dict[Symbol, Both] = {}
        self._env: dict[str, Poly] = {}
        self._scopes: tuple[str, ...] = ()
        self._at = NOWHERE
        for name in nest.dims:
            self._symbol(Symbol("dim", name), frozenset(), nonneg=True)
        for s in nest.scalars:
            self._argument(s)
        self.facts = Facts()
        for check in nest.checks:
            self.facts = self.facts.more(self._assumed(self.value(check.test, self.facts))[0])
        self.accesses.clear()
        for a in nest.arrays:
            if a.role != "local":
                self.shapes[a.name] = tuple(self.value(e, self.facts) for e in a.shape)
        self._block(nest.body, self.facts)

    # --- symbols ---------------------------------------------------------------------------------

    def _symbol(
        self,
        s: Symbol,
        varies: frozenset[str],
        facts: tuple[Poly, ...] = (),
        choices: tuple[Poly, ...] = (),
        sized: bool = True,
        nonneg: bool = False,
        load: tuple[str, tuple[Poly, ...]] | None = None,
        opaque: bool = False,
    ) -> Poly:
        rank = len(self.meanings)
        self.meanings[s] = Meaning(rank, varies, facts, choices, sized, nonneg, load, opaque)
        return of(s)

    def _argument(self, s: Scalar) -> Poly:
        symbol = Symbol("scalar", s.name)
        if symbol in self.meanings:
            return of(symbol)
        facts = self._dtype_facts(symbol, s.dtype) if _plain(s.dtype) else ()
        return self._symbol(symbol, frozenset(), facts)

    def _dtype_facts(self, s: Symbol, t: DType) -> tuple[Poly, ...]:
        low, high = _limits(t)
        return (add(of(s), number(-low)), subtract(number(high), of(s)))

    def _fresh(self, t: DType, hint: str, varies: frozenset[str] | None = None) -> Poly:
        """A value of which only the dtype is known, made anew at this place."""
        s = Symbol("value", f"{hint}'{len(self.meanings)}")
        facts = self._dtype_facts(s, t) if _plain(t) else ()
        inside = frozenset(self._scopes) if varies is None else varies
        return self._symbol(s, inside, facts, sized=bool(facts), opaque=True)

    def _numbered(self, key: object, operands: tuple[Poly, ...]) -> tuple[Symbol, bool]:
        """The symbol of a pure operation on operands, and whether it is new (and still without a meaning)."""
        full = (key, *(freeze(p) for p in operands))
        found = self._numbers.get(full)
        if found is not None:
            return found, False
        made = Symbol("value", f"{len(self.meanings)}")
        self._numbers[full] = made
        return made, True

    def _varies(self, operands: tuple[Poly, ...]) -> frozenset[str]:
        out: frozenset[str] = frozenset()
        for p in operands:
            for m in p:
                for s in m:
                    out |= self.meanings[s].varies
        return out

    def _sized(self, p: Poly) -> bool:
        return all(self.meanings[s].sized for m in p for s in m)

    def _exact(self, p: Poly) -> bool:
        """Whether the run-time value surely is the polynomial's, not that value wrapped to 64 bits."""
        return self._sized(p) or (len(p) == 1 and next(iter(p.values())) == 1 and len(next(iter(p))) == 1)

    def _opaque(self, key: object, t: DType, operands: tuple[Poly, ...]) -> Poly:
        """A pure function of its operands of which only the dtype is known."""
        s, new = self._numbered(key, operands)
        if new:
            facts = self._dtype_facts(s, t) if _plain(t) else ()
            self._symbol(s, self._varies(operands), facts, sized=bool(facts), opaque=True)
        return of(s)

    # --- expressions -----------------------------------------------------------------------------

    def value(self, e: Expr, facts: Facts) -> Poly:
        """The value number of an expression; its loads are recorded under the facts."""
        match e:
            case Const(value=v, dtype=t):
                if t.is_float:
                    return self._opaque(("const", repr(v), t.name), t, ())
                return number(int(v))
            case AxisRef(axis=name):
                return of(Symbol("axis", name))
            case Dim(name=name):
                s = Symbol("dim", name)
                return of(s) if s in self.meanings else self._symbol(s, frozenset(), nonneg=True)
            case Scalar():
                return self._argument(e)
            case Var(name=name, dtype=t):
                if name not in self._env:
                    self._env[name] = self._fresh(t, name)
                return self._env[name]
            case Load():
                return self._load(e, facts)
            case Logic():
                return self._logic(e, facts)
            case Select():
                return self._select(e, facts)
            case Unary() | Binary() | Compare() | Cast() | Call():
                operands = tuple(self.value(p, facts) for p in parts(e))
                return self._operation(e, operands, facts)

    def _operation(
        self, e: Unary | Binary | Compare | Cast | Call, operands: tuple[Poly, ...], facts: Facts
    ) -> Poly:
        match e:
            case Unary(op=op, dtype=t):
                if op == "-" and t is I64:
                    return scale(operands[0], -1)
                if op == "not":
                    return self._negation(operands[0])
                return self._opaque(("unary", op, t.name), t, operands)
            case Binary(op=op, dtype=t):
                if t is I64:
                    return self._arithmetic(op, operands[0], operands[1], facts)
                if t.is_int and op in ("min", "max", "minimum", "maximum"):
                    return self._extreme(op, operands[0], operands[1])
                return self._opaque(("binary", op, t.name), t, operands)
            case Compare(op=op, left=left):
                return self._compare(op, operands[0], operands[1], left.dtype)
            case Cast(value=inner, dtype=t):
                if _fits(inner.dtype, t):
                    return operands[0]
                return self._opaque(("cast", t.name), t, operands)
            case Call(name=name, dtype=t):
                return self._opaque(("call", name, t.name), t, operands)

    def _load(self, e: Load, facts: Facts) -> Poly:
        index = tuple(self.value(i, facts) for i in e.index)
        self._record(e.array, "load", index, facts, e)
        if e.array in self._written:
            return self._fresh(e.dtype, e.array)
        s, new = self._numbered(("load", e.array), index)
        if new:
            plain = self._dtype_facts(s, e.dtype) if _plain(e.dtype) else ()
            self._symbol(
                s, self._varies(index), plain, sized=bool(plain), load=(e.array, index), opaque=True
            )
        return of(s)

    def _logic(self, e: Logic, facts: Facts) -> Poly:
        left = self.value(e.left, facts)
        true, false = self._assumed(left)
        right = self.value(e.right, facts.more(true if e.op == "and" else false))
        right_true, right_false = self._assumed(right)
        out = self._opaque(("logic", e.op), BOOL, (left, right))
        (s,) = next(iter(out))
        both = (true + right_true, ()) if e.op == "and" else ((), false + right_false)
        self._says.setdefault(s, both)
        return out

    def _select(self, e: Select, facts: Facts) -> Poly:
        test = self.value(e.test, facts)
        true, false = self._assumed(test)
        then = self.value(e.then, facts.more(true))
        orelse = self.value(e.orelse, facts.more(false))
        s, new = self._numbered("select", (test, then, orelse))
        if new:
            exact = e.dtype.is_int and self._exact(then) and self._exact(orelse)
            choices = (then, orelse) if exact else ()
            sized = bool(choices) and self._sized(then) and self._sized(orelse)
            self._symbol(s, self._varies((test, then, orelse)), (), choices, sized)
        return of(s)

    def _arithmetic(self, op: str, a: Poly, b: Poly, facts: Facts) -> Poly:
        match op:
            case "+":
                return add(a, b)
            case "-":
                return subtract(a, b)
            case "*":
                return times(a, b)
            case "min" | "max" | "minimum" | "maximum":
                return self._extreme(op, a, b)
            case "//" | "%":
                return self._division(op, a, b, facts)
            case "<<":
                count = constant(b)
                if count is not None and 0 <= count < 63:
                    return scale(a, 1 << count)
        return self._opaque(("binary", op, "i64"), I64, (a, b))

    def _extreme(self, op: str, a: Poly, b: Poly) -> Poly:
        low = op in ("min", "minimum")
        x, y = constant(a), constant(b)
        if x is not None and y is not None:
            return number(min(x, y) if low else max(x, y))
        s, new = self._numbered(("extreme", low), (a, b))
        if new:
            facts: tuple[Poly, ...] = ()
            choices: tuple[Poly, ...] = ()
            if self._exact(a) and self._exact(b):
                sign = -1 if low else 1
                facts = tuple(scale(subtract(of(s), p), sign) for p in (a, b))
                choices = (a, b)
            self._symbol(s, self._varies((a, b)), facts, choices, self._sized(a) and self._sized(b))
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
        if positive and self._exact(a) and self._exact(b) and self.prover.within(a, b, facts):
            return number(0) if op == "//" else a
        if not positive:
            return self._unsure_division(op, a, b, facts)
        q, new = self._numbered("//+", (a, b))
        if new:
            sized, exact = self._sized(a), self._exact(a) and self._sized(b)
            rest = subtract(a, times(of(q), b))
            linked = (rest, add(subtract(b, rest), number(-1))) if exact else ()
            self._symbol(q, self._varies((a, b)), linked, sized=sized)
            self._bound_quotient(q, a, facts, exact)
        if op == "//":
            return of(q)
        rest = subtract(a, times(of(q), b))
        return rest if self._exact(a) else self._remainder(a, b)

    def _bound_quotient(self, q: Symbol, a: Poly, facts: Facts, exact: bool) -> None:
        """A quotient of something that is 0 or more everywhere is 0 or more, and at most that."""
        old = self.meanings[q]
        if exact and self.prover.nonneg(a, self.facts):
            more = (of(q), subtract(a, of(q)))
            self.meanings[q] = Meaning(old.rank, old.varies, old.facts + more, (), old.sized, True)

    def _remainder(self, a: Poly, b: Poly) -> Poly:
        """A remainder by a divisor of 1 or more, of a value that may have wrapped."""
        r, new = self._numbered("%+", (a, b))
        if new:
            bounds = (of(r), add(subtract(b, of(r)), number(-1)))
            self._symbol(r, self._varies((a, b)), bounds, sized=self._sized(b), nonneg=True, opaque=True)
        return of(r)

    def _unsure_division(self, op: str, a: Poly, b: Poly, facts: Facts) -> Poly:
        """A divisor that may be 0: then the result is 0; the remainder by 0 or more is still 0 or more."""
        s, new = self._numbered((op, "?"), (a, b))
        if new:
            bounded = op == "%" and self.prover.nonneg(b, self.facts)
            known = (of(s), subtract(b, of(s))) if bounded else ()
            self._symbol(
                s, self._varies((a, b)), known, sized=bounded and self._sized(b), nonneg=bounded, opaque=True
            )
        return of(s)

    # --- tests -----------------------------------------------------------------------------------

    def _compare(self, op: str, a: Poly, b: Poly, t: DType) -> Poly:
        out = self._opaque(("compare", op), BOOL, (a, b))
        (s,) = next(iter(out))
        if s not in self._says and (t.is_int or t is BOOL) and self._exact(a) and self._exact(b):
            self._says[s] = _says(op, a, b)
        return out

    def _negation(self, test: Poly) -> Poly:
        out = self._opaque(("unary", "not", "bool"), BOOL, (test,))
        (s,) = next(iter(out))
        true, false = self._assumed(test)
        self._says.setdefault(s, (false, true))
        return out

    def _assumed(self, test: Poly) -> Both:
        """The facts that a test gives when true and when false."""
        if len(test) == 1:
            m, c = next(iter(test.items()))
            if c == 1 and len(m) == 1:
                return self._says.get(m[0], ((), ()))
        return (), ()

    # --- statements ------------------------------------------------------------------------------

    def _record(
        self, array: str, kind: str, index: tuple[Poly, ...], facts: Facts, node: Load | Store | Update
    ) -> None:
        place = len(self.accesses)
        self.accesses.append(Access(array, kind, index, self._scopes, facts, node, place, self._at))

    def _block(self, body: tuple[Stmt, ...], facts: Facts) -> None:
        for s in body:
            self._at = s.at
            self._statement(s, facts)

    def _statement(self, s: Stmt, facts: Facts) -> None:
        match s:
            case Set(name=name, value=value):
                self._env[name] = self.value(value, facts)
            case Store() | Update():
                values = tuple(self.value(e, facts) for e in own_exprs(s))
                kind = "store" if isinstance(s, Store) else "update"
                self._record(s.array, kind, values[:-1], facts, s)
            case Alloc(array=name):
                self.shapes[name] = tuple(self.value(e, facts) for e in self.nest.array(name).shape)
            case If():
                self._if(s, facts)
            case Loop():
                self._loop(s, facts)
            case While():
                self._while(s, facts)

    def _if(self, s: If, facts: Facts) -> None:
        test = self.value(s.test, facts)
        true, false = self._assumed(test)
        before = dict(self._env)
        self._block(s.then, facts.more(true))
        after_then, self._env = self._env, before
        self._block(s.orelse, facts.more(false))
        for name in {**after_then, **self._env}:
            ours, theirs = after_then.get(name), self._env.get(name)
            if ours is None or theirs is None:
                self._env.pop(name, None)
            elif ours != theirs:
                self._env[name] = self._merged(name, test, ours, theirs)

    def _merged(self, name: str, test: Poly, then: Poly, orelse: Poly) -> Poly:
        """What a variable holds after an If: one of two values, which one the test says."""
        t = self.nest.dtype_of(name)
        s, new = self._numbered("select", (test, then, orelse))
        if new:
            exact = t.is_int and self._exact(then) and self._exact(orelse)
            choices = (then, orelse) if exact else ()
            sized = bool(choices) and self._sized(then) and self._sized(orelse)
            self._symbol(s, self._varies((test, then, orelse)), (), choices, sized, opaque=not choices)
        return of(s)

    def _forget(self, body: tuple[Stmt, ...]) -> None:
        """Gives each variable set in a body a value of which nothing is known."""
        for name in dict.fromkeys(x.name for x in all_stmts(body) if isinstance(x, Set)):
            self._env[name] = self._fresh(self.nest.dtype_of(name), name)

    def _enter(self, scope: str) -> tuple[str, ...]:
        """Goes into a scope; gives the scopes around it."""
        outer = self._scopes
        self._scopes = (*outer, scope)
        for name in self._scopes:
            self.inner.setdefault(name, set()).add(scope)
        return outer

    def _loop(self, s: Loop, facts: Facts) -> None:
        axis = s.axis
        start, stop = self.value(axis.start, facts), self.value(axis.stop, facts)
        self.outside[axis.name] = facts
        self.bounds[axis.name] = (start, stop, axis.step)
        outer = self._enter(axis.name)
        self._symbol(Symbol("axis", axis.name), frozenset((axis.name,)))
        inside = facts.more(self._range_facts(axis.name, start, stop, axis.step))
        self.loop_facts[axis.name] = inside
        self._forget(s.body)
        self._block(s.body, inside)
        self._scopes = outer
        self._forget(s.body)

    def _range_facts(self, name: str, start: Poly, stop: Poly, step: int) -> tuple[Poly, ...]:
        """Where an axis runs, and that it runs at all; nothing of a bound that may have wrapped."""
        i, out = of(Symbol("axis", name)), []
        sign = 1 if step > 0 else -1
        last = add(stop, number(-sign))
        first_exact, last_exact = self._exact(start), self._exact(stop)
        if first_exact and last_exact:
            out.append(scale(subtract(last, start), sign))
        if first_exact:
            out.append(scale(subtract(i, start), sign))
        if last_exact:
            out.append(scale(subtract(last, i), sign))
        return tuple(out)

    def _while(self, s: While, facts: Facts) -> None:
        outer = self._enter(f"while {len(self.meanings)}")
        self._forget(s.body)
        test = self.value(s.test, facts)
        self._block(s.body, facts.more(self._assumed(test)[0]))
        self._scopes = outer
        self._forget(s.body)


def _says(op: str, a: Poly, b: Poly) -> Both:
    """What a comparison of whole numbers says when true and when false."""
    over, under = subtract(a, b), subtract(b, a)
    strictly_over, strictly_under = add(over, number(-1)), add(under, number(-1))
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
            return (over, under), ()
        case "!=":
            return (), (over, under)
    raise ValueError(f"no comparison {op}")


def _fits(a: DType, b: DType) -> bool:
    """Whether every whole number of one dtype is the same number in another."""
    if not (a.is_int or a is BOOL) or not b.is_int:
        return False
    (low, high), (floor, top) = _limits(a), _limits(b)
    return floor <= low and high <= top
