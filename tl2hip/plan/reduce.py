"""Reductions over the threads of a block: private partials, one Combine, one merge into the user's variable."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl2hip.dtypes import I64, DType
from tl2hip.nest.dependence import Reduction
from tl2hip.nest.ir import (
    Axis,
    AxisRef,
    Binary,
    Compare,
    Const,
    Expr,
    If,
    Load,
    Logic,
    Loop,
    Set,
    Stmt,
    Store,
    Update,
    Var,
)
from tl2hip.nest.walk import MIRRORED, all_parts, all_stmts, map_exprs, map_stmts, substitute
from tl2hip.plan.ir import Declare
from tl2hip.plan.lanes_ir import NONE_FIRST, NONE_LAST, Combine
from tl2hip.plan.names import Names
from tl2hip.source.span import Span


def identity(op: str, dtype: DType) -> Const:
    """The value that changes nothing: x op identity == x for every x.

    -0.0 for a float sum, since 0.0 would turn a sum of no elements onto -0.0 into 0.0. A NaN for a float fmax or
    fmin, which drop it: an infinity would win against NaNs alone.
    """
    match op:
        case "+" | "|" | "^":
            return Const(-0.0 if dtype.is_float else 0, dtype)
        case "*":
            return Const(1.0 if dtype.is_float else 1, dtype)
        case "&":
            return Const(dtype.limits[1] if dtype.kind == "uint" else -1, dtype)
        case "and":
            return Const(True, dtype)
        case "or":
            return Const(False, dtype)
        case "fmax" | "fmin" if dtype.is_float:
            return Const(math.nan, dtype)
        case "max" | "maximum" | "fmax":
            return Const(-_largest(dtype) if dtype.is_float else dtype.limits[0], dtype)
        case "min" | "minimum" | "fmin":
            return Const(_largest(dtype) if dtype.is_float else dtype.limits[1], dtype)
        case _:
            raise ValueError(f"no identity of {op}")


def _largest(dtype: DType) -> float:
    """The largest value of a float type: infinity, or a finite one where the type has no infinity (FNUZ)."""
    return {"f8e4m3": 240.0, "f8e5m2": 57344.0}.get(dtype.name, math.inf)


def merge(op: str, target: Expr, partial: Expr) -> Expr:
    """The user's variable with a partial result taken in: the variable stands left, so its NaN stays."""
    if op in ("and", "or"):
        return Logic(op, target, partial)
    return Binary(op, target, partial)


@dataclass(frozen=True, slots=True)
class Partial:
    """One reduction with its private names: `names[0]` the partial value, `names[1]` the position of a pair."""

    reduction: Reduction
    axis: Axis
    names: tuple[str, ...]
    dtypes: tuple[DType, ...]
    payloads: tuple[tuple[str, Expr], ...] = ()
    """Variables that follow the winner, and what each takes at the winning iteration, in terms of the axis."""
    compare: str = ""
    """The comparison that decides the winner, `x compare best`; empty for a plain reduction."""

    @property
    def combine_op(self) -> str:
        """The operation that Combine runs on the partials."""
        if not self.compare:
            return self.reduction.op
        strict = self.compare in (">", "<")
        first = strict == (self.axis.step > 0)
        return f"{'first' if first else 'last'}_{'max' if self.compare[0] == '>' else 'min'}"

    @property
    def none(self) -> Const:
        """The position of a lane that found nothing."""
        return Const(NONE_FIRST if self.combine_op.startswith("first") else NONE_LAST, I64)

    def start(self) -> tuple[Declare, ...]:
        """The partial before any iteration."""
        return tuple(Declare(n, v.dtype, v) for n, v in zip(self.names, self.neutral, strict=True))

    @property
    def neutral(self) -> tuple[Const, ...]:
        """The values of a partial that has seen nothing."""
        if not self.compare:
            return (identity(self.reduction.op, self.dtypes[0]),)
        return (identity("max" if self.compare[0] == ">" else "min", self.dtypes[0]), self.none)

    def combine(self, threads: int, at: Span) -> Combine:
        return Combine(self.combine_op, tuple(zip(self.names, self.dtypes, strict=True)), threads, at=at)

    def finish(self, at: Span) -> tuple[Stmt, ...]:
        """The user's variables with the combined partial taken in."""
        target = self.reduction.variables[0]
        best, found = Var(target, self.dtypes[0]), Var(self.names[0], self.dtypes[0])
        if not self.compare:
            return (Set(target, merge(self.reduction.op, best, found), at=at),)
        where = Var(self.names[1], I64)
        wins = Logic("and", Compare("!=", where, self.none), Compare(self.compare, found, best))
        at_winner: dict[Expr, Expr] = {AxisRef(self.axis.name): where}
        follow = tuple(Set(name, substitute(value, at_winner), at=at) for name, value in self.payloads)
        return (If(wins, (Set(target, found, at=at), *follow), at=at),)


def partials(
    reductions: tuple[Reduction, ...],
    axis: Axis,
    body: tuple[Stmt, ...],
    dtypes: dict[str, DType],
    names: Names,
) -> tuple[Partial, ...] | None:
    """A Partial for each reduction over an axis; None where one of them cannot be shared out (a winner that is
    not decided directly under this loop). The dtypes of the new variables are added to `dtypes`."""
    made: list[Partial] = []
    for r in reductions:
        value = r.variables[0]
        private = names.fresh(f"{value}_part")
        dtypes[private] = dtypes[value]
        if len(r.variables) == 1:
            made.append(Partial(r, axis, (private,), (dtypes[value],)))
            continue
        winner = _winner(body, r)
        if winner is None:
            return None
        where = names.fresh(f"{value}_at")
        dtypes[where] = I64
        made.append(Partial(r, axis, (private, where), (dtypes[value], I64), *winner))
    return tuple(made)


def _winner(body: tuple[Stmt, ...], r: Reduction) -> tuple[tuple[tuple[str, Expr], ...], str] | None:
    """The payloads and the comparison of the one `if x > m: m = x; p = e` of a body, found under Ifs only."""
    sets = [s for s in all_stmts(body) if isinstance(s, Set) and s.name == r.variables[0]]
    found = next((s for s in _under_ifs(body) if any(x is sets[0] for x in s.then)), None)
    if len(sets) != 1 or found is None or not isinstance(found.test, Compare):
        return None
    payloads = tuple((s.name, s.value) for s in found.then if isinstance(s, Set) and s.name in r.variables[1:])
    changing = {s.name for s in all_stmts(body) if isinstance(s, Set)}
    stored = {s.array for s in all_stmts(body) if isinstance(s, Store | Update)}
    if not all(_repeatable(value, changing, stored, body) for _, value in payloads):
        return None
    best = Var(r.variables[0], found.test.right.dtype)
    return payloads, (found.test.op if found.test.right == best else MIRRORED[found.test.op])


def _under_ifs(body: tuple[Stmt, ...]) -> Iterator[If]:
    for s in body:
        if isinstance(s, If):
            yield s
            yield from _under_ifs(s.then)
            yield from _under_ifs(s.orelse)


def _repeatable(e: Expr, changing: set[str], stored: set[str], body: tuple[Stmt, ...]) -> bool:
    """Whether an expression can be evaluated after the loop, knowing only the axis' value."""
    inner = {s.axis.name for s in all_stmts(body) if isinstance(s, Loop)}
    for p in all_parts(e):
        if isinstance(p, Var) and p.name in changing:
            return False
        if isinstance(p, Load) and p.array in stored:
            return False
        if isinstance(p, AxisRef) and p.axis in inner:
            return False
    return True


def privatised(body: tuple[Stmt, ...], parts: tuple[Partial, ...]) -> tuple[Stmt, ...]:
    """The loop's body working on the partials in place of the user's variables. Of a winner's payloads only
    the position is kept."""
    renamed = {p.reduction.variables[0]: p.names[0] for p in parts}
    follow = {name: p for p in parts for name, _ in p.payloads}
    first = {p.payloads[0][0] for p in parts if p.payloads}

    def expr(e: Expr) -> Expr:
        return replace(e, name=renamed[e.name]) if isinstance(e, Var) and e.name in renamed else e

    def stmt(s: Stmt) -> Stmt | None:
        if not isinstance(s, Set):
            return s
        if s.name in follow:
            p = follow[s.name]
            return replace(s, name=p.names[1], value=AxisRef(p.axis.name)) if s.name in first else None
        return replace(s, name=renamed.get(s.name, s.name))

    return map_stmts(stmt, map_exprs(expr, body))


def sums(parts: tuple[Partial, ...]) -> frozenset[str]:
    """The partials that are only added to."""
    return frozenset(p.names[0] for p in parts if p.reduction.op == "+")
