"""unify: whether a term is what a rule's term says, and what the rule's holes stand for then.

The loop of a rule may be two loops of the nest: where the rule takes one more term in, a turn of the nest may
take in a whole inner loop of them. A rule's turn may also stand under a test, which then belongs to its terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

from tl2hip.dtypes import DType
from tl2hip.nest import index as whole
from tl2hip.nest.ir import AxisRef, Binary, Call, Cast, Const, Dim, Expr, Load, Scalar, Select, Unary, Var
from tl2hip.nest.walk import parts, rebuild
from tl2hip.rule.join.book import Book, Range, started
from tl2hip.rule.join.closed import EITHER_WAY
from tl2hip.rule.meaning import ROUNDING
from tl2hip.rule.terms import above_zero, alike, joined, nothing, operands, stripped

POWERS = ("exp", "exp2")
"""Powers: what a rule says of one of them holds of the other, and of one whose exponent is scaled."""


@dataclass(frozen=True, slots=True)
class Power:
    """A power of any one base: `name` of the exponent, times or over (`op`) the same `factor` wherever it is."""

    name: str
    op: str = ""
    factor: Expr | None = None

    def of(self, exponent: Expr) -> Call:
        """The power."""
        if self.factor is not None:
            exponent = Binary(self.op, exponent, self.factor)
        return Call(self.name, (exponent,), exponent.dtype)


@dataclass(frozen=True, slots=True)
class State:
    """What is known so far: terms by hole, roundings and operations by hole, the power, the loops that the rule's
    one is (outermost first), and the test that its terms stand under."""

    terms: Mapping[str, Expr] = field(default_factory=dict)
    casts: Mapping[str, tuple[Cast, ...]] = field(default_factory=dict)
    ops: Mapping[str, str] = field(default_factory=dict)
    power: Power | None = None
    over: tuple[Range, ...] = ()
    test: Expr | None = None
    steps: int = 0

    def step(self) -> State:
        return replace(self, steps=self.steps + 1)


@dataclass(slots=True)
class Unifier:
    """Terms of a rule (in `own`) against those of a nest (in `book`).

    kinds: the kind of each hole; choices: the operations of each Op hole; stand_ins: the operation that stands
    for each
    values: what passes from turn to turn, in the rule and in the nest
    axis: the rule's loop variable
    """

    own: Book
    book: Book
    kinds: Mapping[str, str]
    choices: Mapping[str, tuple[str, ...]]
    stand_ins: Mapping[str, str]
    axis: str
    values: Mapping[Expr, Expr] = field(default_factory=dict)
    reached: int = 0

    def match(self, p: Expr, e: Expr, s: State) -> Iterator[State]:
        """The ways in which a term fits."""
        self.reached = max(self.reached, s.steps)
        if p in self.values:
            if self.values[p] == e:
                yield s.step()
            return
        match p:
            case Load(array=name):
                yield from self.captured(name, e, s)
                return
            case Scalar(name=name):
                yield from self.captured(name, e, s)
                return
            case Var() if self.own.reduction(p) is not None:
                yield from self.loop(p, stripped(e), s)
                return
            case Call(name=name, args=(inner,)) if name == ROUNDING:
                yield from self.rounded(inner, e, s)
                return
        e = stripped(e)
        if isinstance(p, Call) and isinstance(e, Call) and p.name in POWERS and e.name in POWERS:
            for power, exponent in self.powers(e, s):
                if s.power in (None, power):
                    yield from self.match(p.args[0], exponent, replace(s.step(), power=power))
        elif isinstance(p, Binary):
            yield from self.binary(p, e, s)
        elif alike(p, e):
            yield from self.all(parts(p), parts(e), s.step())

    def all(self, ps: tuple[Expr, ...], es: tuple[Expr, ...], s: State) -> Iterator[State]:
        if not ps:
            yield s
            return
        for first in self.match(ps[0], es[0], s):
            yield from self.all(ps[1:], es[1:], first)

    def powers(self, e: Call, s: State) -> Iterator[tuple[Power, Expr]]:
        """The ways to see a power as one of a base above 1: what scales the exponent in all turns is the base's."""
        exponent = stripped(e.args[0])
        yield Power(e.name), exponent
        if not isinstance(exponent, Binary) or exponent.op not in ("*", "/"):
            return
        sides = ((exponent.left, exponent.right), (exponent.right, exponent.left))
        for of, factor in sides if exponent.op == "*" else sides[:1]:
            if above_zero(factor) and self.stands(factor, s):
                yield Power(e.name, exponent.op, factor), of

    def stands(self, e: Expr, s: State) -> bool:
        """Whether a term is the same in all turns: it changes with no loop, and nothing in it passes on."""
        passing = set(self.values.values())
        arrays = {v.array for v in passing if isinstance(v, Load)}
        inside = self.book.inside(e)
        still = {r.axis for r in s.over}.isdisjoint(self.book.axes(e))
        return still and not any(x in passing or (isinstance(x, Load) and x.array in arrays) for x in inside)

    # --- operations --------------------------------------------------------------------------------------

    def binary(self, p: Binary, e: Expr, s: State) -> Iterator[State]:
        if p.op == "*" and isinstance(p.right, Load) and self.kinds.get(p.right.array) == "Fn":
            yield from self.weighted(p.right.array, p.left, e, s)
            return
        if p.op == "-":
            for a, b in _differences(e):
                yield from self.all((p.left, p.right), (a, b), s.step())
            return
        chosen = self.operation(p.op, e.op, s) if isinstance(e, Binary) else None
        if chosen is None or not isinstance(e, Binary):
            return
        s = chosen.step()
        if p.left in self.values:
            yield from self.taken_in(p, e, s)
            return
        yield from self.all((p.left, p.right), (e.left, e.right), s)
        if e.op in EITHER_WAY:
            yield from self.all((p.left, p.right), (e.right, e.left), s)
            yield from self.added(p, e, s)

    def added(self, p: Binary, e: Binary, s: State) -> Iterator[State]:
        """`total * factor + term`, where the term may be a whole inner loop of terms, or several."""
        found = operands(e, e.op)
        for n, first in enumerate(found):
            rest = joined([x for m, x in enumerate(found) if m != n], e.op)
            for left in self.match(p.left, first, s):
                if len(found) > 2:
                    yield from self.match(p.right, rest, left)
                yield from self.inner(p.right, rest, e.op, left)

    def taken_in(self, p: Binary, e: Binary, s: State) -> Iterator[State]:
        """One more term, or a whole inner loop of terms."""
        now = self.values[p.left]
        found = operands(e, e.op)
        places = [n for n, x in enumerate(found) if x == now]
        if len(places) != 1 or (e.op not in EITHER_WAY and places != [0]):
            return
        rest = joined([x for n, x in enumerate(found) if n != places[0]], e.op)
        yield from self.inner(p.right, rest, e.op, s)
        yield from self.match(p.right, rest, s)

    def inner(self, p: Expr, e: Expr, op: str, s: State) -> Iterator[State]:
        """A term of the rule against the terms of an inner loop, under its test if it has one."""
        own = self.book.reduction(e)
        if own is None or own.op != op or len(s.over) not in (1, 2):
            return
        known = s.over[1] if len(s.over) == 2 else None
        opened = self.book.opened(e, known.axis if known is not None else self.book.fresh("in"))
        if known is not None and known.bounds != opened.over.bounds:
            return
        s = replace(s, over=(s.over[0], opened.over))
        value = opened.value
        if op == "+" and isinstance(value, Select) and value.orelse == nothing(op, value.dtype):
            if s.test in (None, value.test):
                yield from self.match(p, value.then, replace(s, test=value.test))
            return
        yield from self.match(p, value, s)

    def weighted(self, hole: str, p: Expr, e: Expr, s: State) -> Iterator[State]:
        """`term * w(j)`: one factor or two may be the term, all others are the weight; there may be none."""
        found = operands(e, "*")
        places = range(len(found))
        for chosen in (*((n,) for n in places), *combinations(places, 2)):
            rest = [x for n, x in enumerate(found) if n not in chosen]
            weight = joined(rest, "*") if rest else Const(1.0, e.dtype)
            for inside in self.match(p, joined([found[n] for n in chosen], "*"), s.step()):
                yield from self.captured(hole, weight, inside)

    def rounded(self, p: Expr, e: Expr, s: State) -> Iterator[State]:
        """A value that may be rounded to other types on the way."""
        casts: list[Cast] = []
        while isinstance(e, Cast) and e.value.dtype.is_float:
            casts.insert(0, e)
            e = e.value
        hole = next(name for name, kind in self.kinds.items() if kind == "Rounding")
        for inside in self.match(p, e, s.step()):
            yield replace(inside, casts={**inside.casts, hole: tuple(casts)})

    def operation(self, p: str, op: str, s: State) -> State | None:
        hole = self.stand_ins.get(p)
        if hole is None:
            return s if p == op else None
        if op not in self.choices[hole] or s.ops.get(hole, op) != op:
            return None
        return replace(s, ops={**s.ops, hole: op})

    # --- loops and holes ---------------------------------------------------------------------------------

    def loop(self, p: Expr, e: Expr, s: State) -> Iterator[State]:
        """A whole reduction of the rule against one of the nest; all loops of a rule run over the same turns."""
        rule, nest = self.own.reduction(p), self.book.reduction(e)
        chosen = self.operation(rule.op, nest.op, s) if rule is not None and nest is not None else None
        if chosen is None:
            return
        known = s.over[0] if s.over else None
        ours = self.own.opened(p, self.axis)
        theirs = self.book.opened(e, known.axis if known is not None else self.book.fresh("j"))
        if known is not None and known.bounds != theirs.over.bounds:
            return
        yield from self.match(ours.value, theirs.value, replace(chosen.step(), over=(theirs.over,)))

    def captured(self, name: str, e: Expr, s: State) -> Iterator[State]:
        """What a hole stands for; a Value may not change with the loop, and nothing may pass from turn to turn."""
        if not self.stands(e, s if self.kinds[name] != "Fn" else replace(s, over=())):
            return
        old = s.terms.get(name)
        if old is None:
            yield replace(s, terms={**s.terms, name: e}, steps=s.steps + 1)
        elif stripped(old) == stripped(e) or _under(s.test, old) == stripped(e):
            yield s.step()

    # --- the other side ----------------------------------------------------------------------------------

    def built(self, p: Expr, s: State) -> Expr:
        """A term of the rule's other side, with what the holes stand for."""
        match p:
            case Load(array=name) | Scalar(name=name):
                return s.terms[name]
            case Dim():
                over = s.over[0]
                return whole.sub(over.stop, over.start)
            case Var() if self.own.reduction(p) is not None:
                return self.reduced(p, s)
            case Call(name=name, args=(inner,)) if name == ROUNDING:
                value = self.built(inner, s)
                hole = next(name for name, kind in self.kinds.items() if kind == "Rounding")
                for c in s.casts.get(hole, ()):
                    value = replace(c, value=value)
                return value
        new = tuple(self.built(x, s) for x in parts(p))
        if isinstance(p, Call) and p.name in POWERS and s.power is not None:
            return s.power.of(new[0])
        return _typed(p, new, self.stand_ins, s.ops)

    def reduced(self, p: Expr, s: State) -> Expr:
        ours = self.own.opened(p, self.axis)
        op = s.ops[self.stand_ins[ours.op]] if ours.op in self.stand_ins else ours.op
        value = self.built(ours.value, s)
        if s.test is not None:
            value = Select(s.test, value, nothing(op, value.dtype))
        for over in reversed(s.over):
            value = self.book.reduce(op, over, value)
        return value


def _differences(e: Expr) -> Iterator[tuple[Expr, Expr]]:
    """The ways to see a term as a difference."""
    match e:
        case Binary(op="-", left=a, right=b):
            yield a, b
        case Binary(op="+", left=a, right=Unary(op="-", value=b)):
            yield a, b
        case Binary(op="+", left=Unary(op="-", value=b), right=a):
            yield a, b
        case Unary(op="-", value=Binary(op="-", left=b, right=a)):
            yield a, b


def _under(test: Expr | None, e: Expr) -> Expr | None:
    """What a choice is where its test holds."""
    if test is not None and isinstance(e, Select) and e.test == test:
        return stripped(e.then)
    return None


def _typed(p: Expr, new: tuple[Expr, ...], stand_ins: Mapping[str, str], ops: Mapping[str, str]) -> Expr:
    """An operation of the rule over terms of the nest, in their dtype."""
    if isinstance(p, AxisRef | Const | Var):
        return p
    dtype = next((x.dtype for x in new if not isinstance(x, Const) and x.dtype.is_float), None)
    same = new if dtype is None else tuple(_in(x, dtype) for x in new)
    if isinstance(p, Call):
        return replace(p, args=same, dtype=same[0].dtype)
    if isinstance(p, Binary) and p.op in stand_ins:
        return started(ops[stand_ins[p.op]], *same)
    if isinstance(p, Binary) and p.op == "*" and Const(1.0, same[0].dtype) in same:
        return same[1] if same[0] == Const(1.0, same[0].dtype) else same[0]
    return rebuild(p, same)


def _in(x: Expr, dtype: DType) -> Expr:
    """A number of the rule in the dtype that it is computed with."""
    return replace(x, dtype=dtype) if isinstance(x, Const) and x.dtype.is_float else x
