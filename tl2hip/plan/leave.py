"""A reduction in two launches: partial results that the blocks of one launch leave in the workspace, and the
statements by which the next launch takes them into the user's variables, in an order that never changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tl2hip.dtypes import I64
from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.index import ONE, ZERO, add, ceil_div, floor_div, maximum, mul, number, sub, value_of
from tl2hip.nest.ir import Axis, AxisRef, Binary, Compare, Expr, If, Load, Logic, Loop, Set, Stmt, Store, Var
from tl2hip.plan.ir import HostLet
from tl2hip.plan.names import called
from tl2hip.plan.reduce import Partial, merge
from tl2hip.plan.state import State
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True)
class Slices:
    """What is reduced is cut into `count` slices of `each` steps, the last of which may be shorter. All that is
    reduced together has `most` slices at most."""

    each: Expr
    count: Expr
    most: int


def slices(
    state: State, over: Axis, steps: Expr, piece: int, rows: Expr, blocks: int, note: str
) -> tuple[Slices, tuple[HostLet, ...]]:
    """Slices of whole pieces of so many steps, for each of `rows` rows, no more than `blocks` of them in all where
    the rows are not; and what of that the launcher finds out."""
    lets: list[HostLet] = []
    share = share_of(rows, blocks)
    if value_of(share) is None:
        lets.append(HostLet(_named(state, over, "share"), share, "slices that each may have"))
        share = Var(lets[0].name, I64)
    each, count, more = sliced(state, over, steps, piece, share, note)
    exact = value_of(mul(count, rows))
    return Slices(each, count, blocks if exact is None else exact), (*lets, *more)


def share_of(rows: Expr, blocks: int) -> Expr:
    """Slices that each of so many rows may have, one at least, where there are so many blocks for all of them."""
    return maximum(floor(number(blocks), maximum(rows, ONE)), ONE)


def sliced(
    state: State, over: Axis, steps: Expr, piece: int, share: Expr, note: str
) -> tuple[Expr, Expr, tuple[HostLet, ...]]:
    """How long a slice is, whole pieces of so many steps, and how many there are, `share` at most; and what of that
    the launcher finds out."""
    lets: list[HostLet] = []

    def known(wish: str, value: Expr, note: str = "") -> Expr:
        if value_of(value) is not None:
            return value
        lets.append(HostLet(_named(state, over, wish), value, note))
        return Var(lets[-1].name, I64)

    pieces = maximum(_ceil(ceil_div(steps, piece), share), ONE)
    each = known("slice", mul(pieces, number(piece)), note)
    return each, known("slices", _ceil(steps, each)), tuple(lets)


def _named(state: State, over: Axis, wish: str) -> str:
    return state.names.fresh(f"{called(over)}_{wish}", keep=True)


def floor(a: Expr, b: Expr) -> Expr:
    """a // b, for b over 0."""
    by = value_of(b)
    return Binary("//", a, b) if by is None else floor_div(a, by)


def _ceil(a: Expr, b: Expr) -> Expr:
    """The least integer not below a / b, for b over 0."""
    return floor(sub(add(a, b), ONE), b)


@dataclass(frozen=True, slots=True)
class Left:
    """Partials and the workspace arrays that hold them: for each partial an array for each of its variables."""

    parts: tuple[Partial, ...]
    arrays: tuple[tuple[str, ...], ...]
    at: Span

    def stores(self, which: Expr) -> tuple[Store, ...]:
        """A block leaves its partials as those of this number."""
        return tuple(
            Store(array, (which,), Var(v, t), proven=True, at=self.at)
            for p, names in zip(self.parts, self.arrays, strict=True)
            for array, v, t in zip(names, p.names, p.dtypes, strict=True)
        )

    def taken_in(self, state: State, wish: str, count: Expr, which: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
        """The statements that take `count` partials, whose numbers `which` gives, into the user's variables. The
        axis over them is called as wished; its kind is added."""
        axis = Axis(state.names.fresh(wish, keep=True), ZERO, count)
        here = (which(AxisRef(axis.name)),)
        before: list[Stmt] = []
        body: list[Stmt] = []
        after: list[Stmt] = []
        for p, names in zip(self.parts, self.arrays, strict=True):
            loads = tuple(Load(a, here, t, proven=True, always=True) for a, t in zip(names, p.dtypes, strict=True))
            if not p.compare:
                target = Var(p.reduction.variables[0], p.dtypes[0])
                body.append(Set(target.name, merge(p.reduction.op, target, loads[0]), at=self.at))
                continue
            before += [Set(v, c, at=self.at) for v, c in zip(p.names, p.neutral, strict=True)]
            body.append(_take_pair(p, loads[0], loads[1], self.at))
            after += p.finish(self.at)
        shared = all(not p.compare for p in self.parts)
        reductions = tuple(p.reduction for p in self.parts)
        state.kinds[axis.name] = AxisKind("reduce", reductions) if shared else AxisKind("serial")
        return (*before, Loop(axis, tuple(body), at=self.at), *after)


def left(state: State, parts: tuple[Partial, ...], most: int, at: Span) -> Left:
    """New workspace arrays for the partials of at most so many blocks."""
    arrays = tuple(
        tuple(state.workspace(f"{v}s", t, (number(most),)) for v, t in zip(p.names, p.dtypes, strict=True))
        for p in parts
    )
    return Left(parts, arrays, at)


def _take_pair(p: Partial, value: Expr, where: Expr, at: Span) -> If:
    """Takes one block's (value, position) in: better values win, and on ties the position that the user's
    loop would have kept. The blocks' iterations interleave, so the order of blocks says nothing."""
    best, kept = Var(p.names[0], p.dtypes[0]), Var(p.names[1], I64)
    earlier = Compare("<" if p.combine_op.startswith("first") else ">", where, kept)
    tie = Logic("and", Compare("==", value, best), earlier)
    wins = Logic("and", Compare("!=", where, p.none), Logic("or", Compare(p.compare[0], value, best), tie))
    return If(wins, (Set(best.name, value, at=at), Set(kept.name, where, at=at)), at=at)
