"""Every array access of a nest, with its index as polynomials and the facts that hold where it happens.

One walk in the order of the text gives each expression a value number: a polynomial over symbols. Equal
numbers mean equal values wherever both are reached in the same iterations of the loops they vary with.
Accesses come in the order of `own_exprs` and `parts`, operands before the operation, a store after both.
"""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import I64, DType
from tl2hip.nest.analysis.affine import Poly, Symbol, add, number, of, scale, subtract
from tl2hip.nest.analysis.facts import Facts
from tl2hip.nest.analysis.values import Values, fits
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


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """One place where an array is read or written.

    `shape` holds the array's extents there. `scopes` names the axes and whiles around it, outermost first;
    `place` numbers the accesses of a nest.
    """

    array: str
    kind: str
    index: tuple[Poly, ...]
    shape: tuple[Poly, ...]
    scopes: tuple[str, ...]
    facts: Facts
    node: Load | Store | Update
    place: int
    at: Span

    @property
    def writes(self) -> bool:
        return self.kind != "load"


class Trace:
    """The walk and what it found. Without `tests` the facts are of loops and asserts alone: what holds of an access
    even where a test on its way does not."""

    def __init__(self, nest: Nest, tests: bool = True) -> None:
        self.nest = nest
        self._tests = tests
        self.values = Values(nest.offsets)
        self.meanings, self.prover = self.values.meanings, self.values.prover
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
        self._env: dict[str, Poly] = {}
        self._scopes: tuple[str, ...] = ()
        self._at = NOWHERE
        for name in nest.dims:
            self.values.symbol(Symbol("dim", name), frozenset(), nonneg=True)
        for s in nest.scalars:
            self.values.argument(s)
        self.facts = Facts()
        for check in nest.checks:
            true, _ = self.values.assumed(self.value(check.test, self.facts))
            self.facts = self.prover.closed(true, self.facts)
        self.accesses.clear()
        for a in nest.arrays:
            if a.role != "local":
                self.shapes[a.name] = self._shape(a.name, self.facts)
        self._block(nest.body, self.facts)

    def _fresh(self, t: DType, hint: str) -> Poly:
        return self.values.fresh(t, hint, frozenset(self._scopes))

    def _under(self, test: tuple[Poly, ...], facts: Facts) -> Facts:
        """The facts with those that a test adds, where tests count."""
        return self.prover.closed(test, facts) if self._tests else facts

    # --- expressions -----------------------------------------------------------------------------

    def value(self, e: Expr, facts: Facts) -> Poly:
        """The value number of an expression; its loads are recorded under the facts."""
        match e:
            case Const(value=v, dtype=t):
                if t.is_float:
                    return self.values.opaque(("const", repr(v), t.name), t, ())
                return number(int(v))
            case AxisRef(axis=name):
                return of(Symbol("axis", name))
            case Dim(name=name):
                s = Symbol("dim", name)
                return of(s) if s in self.meanings else self.values.symbol(s, frozenset(), nonneg=True)
            case Scalar():
                return self.values.argument(e)
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
                if op == "abs" and t is I64:
                    return self.values.absolute(operands[0])
                if op == "not":
                    return self.values.negation(operands[0])
                return self.values.opaque(("unary", op, t.name), t, operands)
            case Binary(op=op, dtype=t):
                if t is I64:
                    return self.values.arithmetic(op, operands[0], operands[1], facts)
                if t.is_int and op in ("min", "max", "minimum", "maximum"):
                    return self.values.extreme(op, operands[0], operands[1])
                return self.values.narrow(op, operands[0], operands[1], t, facts)
            case Compare(op=op, left=left):
                return self.values.compare(op, operands[0], operands[1], left.dtype, facts)
            case Cast(value=inner, dtype=t):
                if fits(inner.dtype, t):
                    return operands[0]
                return self.values.cast(operands[0], inner.dtype, t, facts)
            case Call(name=name, dtype=t):
                return self.values.opaque(("call", name, t.name), t, operands)

    def _load(self, e: Load, facts: Facts) -> Poly:
        index = tuple(self.value(i, facts) for i in e.index)
        self._record(e.array, "load", index, facts, e)
        if e.array in self._written:
            return self._fresh(e.dtype, e.array)
        return self.values.loaded(e.array, index, e.dtype)

    def _logic(self, e: Logic, facts: Facts) -> Poly:
        left = self.value(e.left, facts)
        true, false = self.values.assumed(left)
        right = self.value(e.right, self._under(true if e.op == "and" else false, facts))
        right_true, right_false = self.values.assumed(right)
        both = (true + right_true, ()) if e.op == "and" else ((), false + right_false)
        return self.values.test(("logic", e.op), (left, right), both)

    def _select(self, e: Select, facts: Facts) -> Poly:
        test = self.value(e.test, facts)
        true, false = self.values.assumed(test)
        then = self.value(e.then, self._under(true, facts))
        orelse = self.value(e.orelse, self._under(false, facts))
        return self.values.choice(e.dtype, test, then, orelse)

    def _shape(self, array: str, facts: Facts) -> tuple[Poly, ...]:
        """An array's extents as they are here; loads in them are no accesses of a statement."""
        count = len(self.accesses)
        shape = tuple(self.value(e, facts) for e in self.nest.array(array).shape)
        del self.accesses[count:]
        return shape

    # --- statements ------------------------------------------------------------------------------

    def _record(
        self, array: str, kind: str, index: tuple[Poly, ...], facts: Facts, node: Load | Store | Update
    ) -> None:
        place = len(self.accesses)
        shape = self.shapes[array]
        self.accesses.append(Access(array, kind, index, shape, self._scopes, facts, node, place, self._at))

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
                self.shapes[name] = self._shape(name, facts)
            case If():
                self._if(s, facts)
            case Loop():
                self._loop(s, facts)
            case While():
                self._while(s, facts)

    def _if(self, s: If, facts: Facts) -> None:
        test = self.value(s.test, facts)
        true, false = self.values.assumed(test)
        before = dict(self._env)
        self._block(s.then, self._under(true, facts))
        after_then, self._env = self._env, before
        self._block(s.orelse, self._under(false, facts))
        for name in {**after_then, **self._env}:
            ours, theirs = after_then.get(name), self._env.get(name)
            if ours is None or theirs is None:
                self._env.pop(name, None)
            elif ours != theirs:
                t = self.nest.dtype_of(name)
                self._env[name] = self.values.choice(t, test, ours, theirs)

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
        self.values.symbol(Symbol("axis", axis.name), frozenset((axis.name,)))
        inside = self.prover.closed(self._range_facts(axis.name, start, stop, axis.step), facts)
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
        first_exact, last_exact = self.values.exact(start), self.values.exact(stop)
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
        self._block(s.body, self._under(self.values.assumed(test)[0], facts))
        self._scopes = outer
        self._forget(s.body)
