"""rounded: what a nest narrows; a joined nest narrows nothing but what was narrowed as it was written.

Rules move what they join: the maximum that a weight is relative to, and the total that it is divided by. So values
are held against each other by their kind, in which these do not show:

    a weight    what its exponent is of, whatever maximum is taken off it and whatever total it is divided by
    of a row    what is made of sums over keys, and of their maximum: by what is narrowed on its way
    any other   the operations and the arrays that it is made of

A kind holds the kinds of all that is narrowed inside it, so rounding twice is not rounding once. A weight that is
scaled by anything else is no weight: a scale may be there to keep small weights from being rounded to 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.nest.ir import AxisRef, Binary, Call, Cast, Compare, Const, Dim, Expr, Load, Nest, Scalar, Select, Var
from tl2hip.nest.walk import all_parts, parts
from tl2hip.rule.join.book import Reduced
from tl2hip.rule.join.closed import reduction
from tl2hip.rule.join.joining import EXTREMES, Joined
from tl2hip.rule.join.rows import NoSoftmax
from tl2hip.rule.join.unify import POWERS
from tl2hip.rule.join.walk import Walk
from tl2hip.rule.terms import narrows

Kind = tuple[object, ...]
"""What a value is of: the name of its kind, then what tells it from others of that name."""

MOST, NUMBER = ("most",), ("number",)
ROW, WEIGHT = "row", "weight"


def check(walk: Walk, joined: Nest) -> None:
    """Raises NoSoftmax where a joined nest narrows what the nest that was walked does not."""
    again = Walk(joined, Joined(()).close)
    again.run()
    written = narrowed(walk)
    for kind, cast in narrowed(again).items():
        if kind not in written:
            raise NoSoftmax(f"a value is rounded from {cast.value.dtype} to {cast.dtype} that is not so as written")


def narrowed(walk: Walk) -> dict[Kind, Cast]:
    """All that a nest that was walked narrows, by kinds, each with the first cast that does."""
    kinds = _Kinds(walk, _extremes(walk))
    found: dict[Kind, Cast] = {}
    for cast in walk.casts:
        if isinstance(cast, Cast):
            found.setdefault(kinds.of(cast), cast)
    return found


def _extremes(walk: Walk) -> frozenset[str]:
    """The axes of the loops that find an extreme."""
    found = ((t.over.axis, reduction(walk.book, t, c)) for t in walk.turns for c in t.carried)
    return frozenset(axis for axis, r in found if r is not None and r[0] in EXTREMES)


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Tells what terms of a walk are. `extremes` are the axes of the loops that find one."""

    walk: Walk
    extremes: frozenset[str]

    def of(self, e: Expr) -> Kind:
        """The kind of a term."""
        match e:
            case Const(value=value):
                return NUMBER if e.dtype.is_float else ("whole", value)
            case AxisRef():
                return ("axis",)
            case Dim(name=name) | Scalar(name=name):
                return (name,)
            case Var():
                own = self.walk.book.reduction(e)
                return MOST if own is None else self.reduced(own)
            case Load(array=array, index=index):
                return ("load", array, *map(self.of, index))
            case Cast(value=value):
                inside = self.of(value)
                return ("narrow", value.dtype.name, e.dtype.name, inside) if narrows(e) else inside
            case Call(name=name, args=(value,)) if name in POWERS:
                inside = self.of(value)
                return inside if _is(inside, ROW) else (WEIGHT, name, inside)
            case Select():
                return self.chosen(e)
            case Binary():
                return self.computed(e)
        return self.plain(type(e).__name__ + str(getattr(e, "op", getattr(e, "name", ""))), e)

    def plain(self, what: str, e: Expr) -> Kind:
        return _together(what, tuple(map(self.of, parts(e))))

    def reduced(self, own: Reduced) -> Kind:
        """The kind of a reduction: that of a row where it is one of weights."""
        value = self.of(own.value)
        if own.op in EXTREMES:
            return MOST
        return (ROW, *_inside(value)) if _holds(value, WEIGHT) or _is(value, ROW) else (own.op, value)

    def chosen(self, e: Select) -> Kind:
        """The kind of a choice: that of its one value where the other is a number; which is larger, an extreme."""
        then, orelse = self.of(e.then), self.of(e.orelse)
        if isinstance(e.test, Compare) and {e.test.left, e.test.right} == {e.then, e.orelse}:
            return MOST
        if NUMBER in (then, orelse):
            return orelse if then == NUMBER else then
        return then if then == orelse else self.plain("choice", e)

    def computed(self, e: Binary) -> Kind:
        """The kind of an operation, without what a rule may move out of it."""
        a, b = self.of(e.left), self.of(e.right)
        if e.op in EXTREMES:
            return MOST
        if e.op == "-" and b == MOST:
            return a
        if e.op in ("*", "/"):
            for weight, other, of, by in ((a, b, e.left, e.right), (b, a, e.right, e.left)):
                if _is(weight, WEIGHT) and other == (ROW,) and self.stands(by, of):
                    return weight
        a, b = sorted((a, b), key=repr) if e.op in ("+", "*") else (a, b)
        return _together(e.op, (a, b))

    def stands(self, factor: Expr, weight: Expr) -> bool:
        """Whether a factor does not change with the keys of a weight: with what the score changes with, and its
        maximum does not."""
        book = self.walk.book
        for p in all_parts(weight):
            if isinstance(p, Binary) and p.op == "-" and self.of(p.right) == MOST:
                score = book.axes(p.left)
                keys = score - book.axes(p.right) or score & self.extremes
                return bool(keys) and keys.isdisjoint(book.axes(factor))
        return False


def _together(what: str, kinds: tuple[Kind, ...]) -> Kind:
    """An operation of values: one of a row where any is."""
    if any(_is(k, ROW) for k in kinds) or (kinds and all(k in (MOST, NUMBER) for k in kinds)):
        return (ROW, *sorted({i for k in kinds for i in _inside(k)}, key=repr))
    return (what, *kinds)


def _is(kind: Kind, what: str) -> bool:
    return kind[0] == what


def _holds(kind: object, what: str) -> bool:
    return isinstance(kind, tuple) and (kind[:1] == (what,) or any(_holds(k, what) for k in kind))


def _inside(kind: object) -> tuple[Kind, ...]:
    """All that is narrowed on the way to a value."""
    if not isinstance(kind, tuple):
        return ()
    own = (kind,) if kind[:1] == ("narrow",) else ()
    return (*own, *dict.fromkeys(i for k in kind for i in _inside(k)))
