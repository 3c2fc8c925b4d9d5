"""Which loops may take all their turns side by side: what a turn leaves behind is only taken in by the next one.

A turn may set variables of its own, write elements that no other turn reads, and fold terms into a variable or into
elements. Read off the form alone; what only a run can tell makes the loop `Unfit` while it runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tl2hip.nest.ir import (
    Alloc,
    AxisRef,
    Binary,
    Expr,
    If,
    Load,
    Loop,
    Nest,
    Set,
    Stmt,
    Store,
    Update,
    Var,
    While,
)
from tl2hip.nest.reductions import folded
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, own_exprs

COMMUTING = frozenset({"+", "*", "minimum", "maximum", "fmin", "fmax", "&", "|", "^"})
FOLDING = COMMUTING | {"-", "min", "max"}
"""The operations that a variable takes terms in by; those that may have it on their right side."""


class Unfit(Exception):
    """A decision about a fold is in doubt, or its depth differs from turn to turn: one turn after the other."""


@dataclass(frozen=True, slots=True)
class Together:
    """What the turns of a loop have in common: the variables they fold terms into, and the arrays they write.

    `sure`: nothing that a run finds out can make the loop unfit.
    """

    folds: frozenset[str]
    writes: frozenset[str]
    sure: bool


def fold_of(s: Set) -> tuple[str, tuple[Expr, ...]] | None:
    """The operation and terms of `x = x op …` as they are taken in one by one; None for any other form."""
    match s.value:
        case Binary(op=op, left=Var(name=s.name), right=term) if op in FOLDING and not _uses(term, s.name):
            return op, (term,)
        case Binary(op=op, left=term, right=Var(name=s.name)) if op in COMMUTING and not _uses(term, s.name):
            return op, (term,)
    return folded(s)


def _uses(e: Expr, name: str) -> bool:
    return any(isinstance(p, Var) and p.name == name for p in all_parts(e))


class TogetherLoops:
    """The loops of a nest that may take their turns side by side; `parallel` names axes that surely may."""

    def __init__(self, nest: Nest, parallel: Collection[str]) -> None:
        self.nest = nest
        self.parallel = parallel
        self.known: dict[int, Together | None] = {}

    @cached_property
    def reads(self) -> Counter[str]:
        """How often each variable is read in the whole nest."""
        shapes = (p for a in self.nest.arrays for e in a.shape for p in all_parts(e))
        return _variables((*all_exprs(self.nest.body), *shapes))

    def of(self, s: Loop) -> Together | None:
        """How a loop's turns go together; None where they must follow one another."""
        if id(s) not in self.known:
            self.known[id(s)] = self._found(s)
        return self.known[id(s)]

    def _found(self, s: Loop) -> Together | None:
        inside, uses = all_stmts(s.body), _variables(all_exprs(s.body))
        if any(isinstance(x, Alloc | While) for x in inside):
            return None
        sets = Counter(x.name for x in inside if isinstance(x, Set))
        folds = {x.name for x in inside if isinstance(x, Set) and fold_of(x) and sets[x.name] == uses[x.name] == 1}
        own = sets.keys() - folds
        after = _defined(s.body, own, frozenset())
        if after is None or any(self.reads[name] != uses[name] for name in own - after):
            return None
        writes = Counter(x.array for x in inside if isinstance(x, Store | Update))
        loads = {p.array for p in all_exprs(s.body) if isinstance(p, Load)}
        if not (folds or writes) or any(n > 1 for n in writes.values()):
            return None
        if not all(_each_has_its_own(s, array) for array in writes.keys() & loads):
            return None
        loops = (x for x in inside if isinstance(x, Loop) and x.axis.name not in self.parallel)
        if any(_leaves(x, folds) and self.of(x) is None for x in loops):
            return None
        return Together(frozenset(folds), frozenset(writes), not writes or _surely(s.body))


def _each_has_its_own(s: Loop, array: str) -> bool:
    """Whether every turn reads and writes one element of an array that no other turn does."""
    inside = all_stmts((s,))
    writes = [x for x in inside if isinstance(x, Store | Update) and x.array == array]
    loads = [p for p in all_exprs((s,)) if isinstance(p, Load) and p.array == array]
    places = {p.index for p in (*writes, *loads)}
    axes = {x.axis.name for x in inside if isinstance(x, Loop) and _mentions(x, array)}
    plain = {e.axis for index in places for e in index if isinstance(e, AxisRef)}
    return len(places) == 1 and axes <= plain and all(p.proven for p in (*writes, *loads))


def _mentions(s: Loop, array: str) -> bool:
    stores = any(isinstance(x, Store | Update) and x.array == array for x in all_stmts(s.body))
    return stores or any(isinstance(p, Load) and p.array == array for p in all_exprs(s.body))


def _variables(exprs: Iterable[Expr]) -> Counter[str]:
    return Counter(p.name for p in exprs if isinstance(p, Var))


def _leaves(s: Stmt, folds: set[str]) -> bool:
    """Whether anything inside is written to an array, or folded into one of these variables."""
    return any(isinstance(x, Store | Update) or isinstance(x, Set) and x.name in folds for x in all_stmts((s,)))


def _defined(body: tuple[Stmt, ...], own: Collection[str], before: frozenset[str]) -> frozenset[str] | None:
    """Which of a turn's own variables are surely set behind a body; None where one may be read that is not."""
    for s in body:
        if any(p.name in own and p.name not in before for e in own_exprs(s) for p in _vars(e)):
            return None
        match s:
            case Set(name=name):
                before = before | {name}
            case If(then=then, orelse=orelse):
                sides = _defined(then, own, before), _defined(orelse, own, before)
                if sides[0] is None or sides[1] is None:
                    return None
                before = sides[0] & sides[1]
            case Loop(body=inner):
                if _defined(inner, own, before) is None:
                    return None
    return before


def _vars(e: Expr) -> Iterator[Var]:
    return (p for p in all_parts(e) if isinstance(p, Var))


def _surely(body: tuple[Stmt, ...]) -> bool:
    """Whether all turns write at the same steps, at places that cannot be in doubt."""
    inside = all_stmts(body)
    axes = {x.axis.name for x in inside if isinstance(x, Loop)}
    bounds = [e for x in inside if isinstance(x, Loop) for e in own_exprs(x)]
    places = [e for x in inside if isinstance(x, Store | Update) for e in x.index]
    if any(isinstance(x, If) for x in inside):
        return False
    parts = [p for e in bounds for p in all_parts(e)]
    if any(isinstance(p, AxisRef) and p.axis in axes for p in parts):
        return False
    return not any(isinstance(p, Var | Load) for p in (*parts, *(p for e in places for p in all_parts(e))))
