"""sides: the two sides of a rule that joins values, run on terms."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.nest.ir import Binary, Call, Expr, Nest, Unary
from tl2hip.nest.walk import all_parts
from tl2hip.rule.holes import Rule
from tl2hip.rule.join.book import Book
from tl2hip.rule.join.closed import reduced, reduction, unchanged, why_not
from tl2hip.rule.join.walk import NotFollowed, Turn, Walk
from tl2hip.rule.meaning import STAND_INS
from tl2hip.rule.pattern import OUT, Hole, holes_of, nest_of_side, told
from tl2hip.source import nodes
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Source, Span


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a join: the value that it returns last, in terms of `book`.

    turn: the one loop whose values pass from turn to turn in another way than a reduction's; None where there
    is none. `names` are then those of the two values that it returns
    """

    book: Book
    value: Expr
    turn: Turn | None
    names: tuple[str, ...]

    @property
    def measure(self) -> tuple[int, int]:
        """What must fall from left to right: values that pass in other ways, operations inside loops."""
        book = self.book
        loops = [r.value for r in book.reductions.values()]
        operations = sum(isinstance(p, Binary | Unary | Call) for e in loops for p in all_parts(e))
        return 0 if self.turn is None else 1, operations


@dataclass(frozen=True, slots=True)
class Join:
    """A rule that joins several values, read: `function` is its left side as it stands in `module`."""

    rule: Rule
    holes: tuple[Hole, ...]
    left: Side
    right: Side
    function: nodes.Function
    module: nodes.Module
    source: Source
    at: Span
    order: int

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def stand_ins(self) -> dict[str, str]:
        """The Op hole that each stand-in operation stands for."""
        return stand_ins(self.holes)


def stand_ins(holes: tuple[Hole, ...]) -> dict[str, str]:
    ops = [h.name for h in holes if h.kind == "Op"]
    return dict(zip(reversed(STAND_INS), ops, strict=False))


def gives_several(function: nodes.Function) -> bool:
    """Whether a rule's side gives several values."""
    last = function.body[-1] if function.body else None
    return isinstance(last, nodes.Return) and isinstance(last.value, nodes.Tuple_)


def join_of(
    rule: Rule, left: nodes.Function, right: nodes.Function, module: nodes.Module, source: Source, order: int
) -> Join:
    """A join, read. Raises Refused, at its place, where a side cannot be read or there is no progress."""
    holes = holes_of(left, module)
    if holes_of(right, module) != holes:
        raise Refused(told().OtherHoles(left.name, at=right.at))
    sides = side(left, module, holes), side(right, module, holes)
    if sides[1].measure >= sides[0].measure or sides[1].turn is not None:
        raise Refused(told().NoProgress(left.name, at=right.at))
    return Join(rule, holes, *sides, left, module, source, left.at, order)


def side(function: nodes.Function, module: nodes.Module, holes: tuple[Hole, ...]) -> Side:
    """One side on terms. Raises Refused."""
    ops = {name: op for op, name in stand_ins(holes).items()}
    return _run(nest_of_side(function, module, holes, ops), function)


def _run(nest: Nest, function: nodes.Function) -> Side:
    loops: list[Turn] = []

    def close(walk: Walk, turn: Turn) -> dict[str, Expr]:
        after: dict[str, Expr] = {}
        for c in turn.carried:
            found = reduction(walk.book, turn, c)
            if unchanged(c):
                after[c.name] = c.start
            elif found is not None:
                after[c.name] = reduced(walk.book, turn, c, *found)
            else:
                after[c.name] = walk.book.lost(why_not(walk.book, turn, c), c.now.dtype)
                loops.append(turn)
        return after

    walk = Walk(nest, close)
    try:
        walk.run()
    except NotFollowed as no:
        raise Refused(told().NotUnderstood(no.why, at=no.at)) from no
    outs = sorted(name for name in walk.memory if name.startswith(OUT))
    values = [walk.memory[name].layers[0].value for name in outs]
    names: tuple[str, ...] = ()
    turn = None
    if walk.book.why_lost(values[-1]):
        turn = loops[-1]
        names = tuple(_returned(function))
        if len(set(names)) != 2 or any(n not in {c.name for c in turn.carried} for n in names):
            why = "it returns other than an extreme and one value that passes from turn to turn with it"
            raise Refused(told().NotUnderstood(why, at=function.at))
    return Side(walk.book, values[-1], turn, names)


def _returned(function: nodes.Function) -> list[str]:
    last = function.body[-1]
    assert isinstance(last, nodes.Return)
    assert isinstance(last.value, nodes.Tuple_)
    return [e.id for e in last.value.items if isinstance(e, nodes.Name)]
