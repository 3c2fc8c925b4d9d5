"""What loops do to scalar locals: which are private, carried, reduced, or read after the loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, cast

from tl2hip.dtypes import BOOL
from tl2hip.nest.ir import (
    Alloc,
    Binary,
    Compare,
    Const,
    Expr,
    If,
    Logic,
    Loop,
    ReduceOp,
    Select,
    Set,
    Stmt,
    Store,
    Update,
    Var,
    While,
)
from tl2hip.nest.walk import MIRRORED, all_parts, all_stmts, blocks, own_exprs
from tl2hip.source.span import Span

SIDELESS = ("+", "*", "&", "|", "^", "minimum", "maximum", "fmin", "fmax")
"""Operations that reduce with the variable on either side; `min` and `max` only with it on the left, where
a NaN of the element is skipped whatever the order."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """A scalar that a loop only accumulates into, so that its iterations may be taken in any order.

    `variables` is (m,), or (m, payload, …) where the payloads follow the winning m (argmax): then `op` is max
    or min and `ties` says whether the first or the last of equal elements wins.
    """

    op: ReduceOp
    variables: tuple[str, ...]
    at: Span
    ties: Literal["first", "last"] | None = None


def reads(e: Expr) -> frozenset[str]:
    """The scalar locals that an expression reads."""
    return frozenset(p.name for p in all_parts(e) if isinstance(p, Var))


def _all_reads(exprs: Iterable[Expr]) -> frozenset[str]:
    return frozenset(p.name for e in exprs for p in all_parts(e) if isinstance(p, Var))


def written(body: tuple[Stmt, ...]) -> tuple[str, ...]:
    """The scalar locals set anywhere in a body, in the order of the text."""
    return tuple(dict.fromkeys(s.name for s in all_stmts(body) if isinstance(s, Set)))


class Flow:
    """Where the scalar locals of a nest are read and set; each answer is found once."""

    def __init__(self) -> None:
        self._reads: dict[int, frozenset[str]] = {}
        self._exposed: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
        self._kept: list[object] = []

    def reads(self, s: Stmt) -> frozenset[str]:
        """The variables a statement itself reads, not those of statements inside it."""
        found = self._reads.get(id(s))
        if found is None:
            found = _all_reads(own_exprs(s))
            self._reads[id(s)] = found
            self._kept.append(s)
        return found

    def exposed(self, body: tuple[Stmt, ...]) -> tuple[frozenset[str], frozenset[str]]:
        """The variables a body may read before it sets them, and those it sets on every path."""
        found = self._exposed.get(id(body))
        if found is None:
            found = self._find_exposed(body)
            self._exposed[id(body)] = found
            self._kept.append(body)
        return found

    def _find_exposed(self, body: tuple[Stmt, ...]) -> tuple[frozenset[str], frozenset[str]]:
        open_reads: frozenset[str] = frozenset()
        settled: frozenset[str] = frozenset()
        for s in body:
            open_reads |= self.reads(s) - settled
            inner = [self.exposed(b) for b in blocks(s)]
            for reads_inside, _ in inner:
                open_reads |= reads_inside - settled
            if isinstance(s, Set):
                settled |= {s.name}
            elif isinstance(s, If):
                settled |= inner[0][1] & inner[1][1]
        return open_reads, settled

    def live_after(self, body: tuple[Stmt, ...]) -> dict[str, frozenset[str]]:
        """For each axis, the variables that may be read after its loop before they are set again."""
        out: dict[str, frozenset[str]] = {}
        self._live(body, frozenset(), out)
        return out

    def _live(
        self, body: tuple[Stmt, ...], after: frozenset[str], out: dict[str, frozenset[str]]
    ) -> frozenset[str]:
        """The variables live before a body, given those live after it."""
        for s in reversed(body):
            match s:
                case Set(name=name):
                    after -= {name}
                case If(then=then, orelse=orelse):
                    after = self._live(then, after, out) | self._live(orelse, after, out)
                case Loop(axis=axis, body=inner):
                    out[axis.name] = after
                    after |= self._live(inner, after | self.exposed(inner)[0], out)
                case While(body=inner):
                    again = after | self.exposed(inner)[0] | self.reads(s)
                    after |= self._live(inner, again, out)
                case Store() | Update() | Alloc():
                    pass
            after |= self.reads(s)
        return after


# --- reductions ------------------------------------------------------------------------------------------


def reduction(body: tuple[Stmt, ...], name: str) -> Reduction | None:
    """How a body accumulates into a variable; None where it does anything else with it."""
    found = list(_uses(body, name))
    if not found or any(r is None for r in found):
        return None
    uses = [r for r in found if r is not None]
    first = uses[0]
    if any((r.op, r.variables, r.ties) != (first.op, first.variables, first.ties) for r in uses):
        return None
    return first if _payloads_only(body, first) else None


def _uses(body: tuple[Stmt, ...], name: str) -> Iterator[Reduction | None]:
    """Each accumulation into the variable; None for each other use of it."""
    for s in body:
        if isinstance(s, Set) and s.name == name:
            op = _accumulates(s.value, name)
            yield None if op is None else Reduction(op, (name,), s.at)
            continue
        if isinstance(s, If):
            winner = _winner(s, name)
            if winner is not None:
                yield winner
                continue
        if name in _all_reads(own_exprs(s)):
            yield None
        for inner in blocks(s):
            yield from _uses(inner, name)


def accumulations(body: tuple[Stmt, ...], name: str) -> tuple[Reduction, ...]:
    """Each accumulation into a variable that may also be read in the body; none where it is set in another way."""
    sets = [s for s in all_stmts(body) if isinstance(s, Set) and s.name == name]
    found = tuple(Reduction(op, (name,), s.at) for s in sets if (op := _accumulates(s.value, name)) is not None)
    return found if len(found) == len(sets) else ()


def why_ordered(body: tuple[Stmt, ...], name: str) -> Literal["", "ending", "running", "max", "min"]:
    """What keeps an accumulation from being one whose order is free: that its value is read in the loop
    ("running"), that it stands on the right of Python's max or min; "" where it is no accumulation at all.
    "ending" is a flag that the whole body stands under and only takes down."""
    flag = flag_of(body)
    if flag is not None and flag.name == name:
        return "ending"
    sets = [s for s in all_stmts(body) if isinstance(s, Set) and s.name == name]
    for s in sets:
        match s.value:
            case Binary(op="max", right=Var(name=n)) if n == name:
                return "max"
            case Binary(op="min", right=Var(name=n)) if n == name:
                return "min"
    ops = {r.op for r in accumulations(body, name)}
    return "running" if len(ops) == 1 else ""


def flag_of(body: tuple[Stmt, ...]) -> Var | None:
    """The flag that a whole body stands under and only takes down: a turn behind that does nothing."""
    match body:
        case (If(test=Var() as flag, then=then, orelse=()),):
            sets = [s for s in all_stmts(then) if isinstance(s, Set) and s.name == flag.name]
            return flag if sets and all(s.value == Const(False, BOOL) for s in sets) else None
        case _:
            return None


def _accumulates(value: Expr, name: str) -> ReduceOp | None:
    """The operation of `name op e`, or of that under a condition, where nothing else in it reads the name. To put a
    flag up is to `or` it with what leads there, to take it down an `and`."""
    match value:
        case Const(value=up, dtype=dtype) if dtype is BOOL:
            return "or" if up else "and"
        case Select(test=Compare() as test, then=x, orelse=Var(name=n)) if n == name and name in reads(test):
            return _guarded(test, x, name)
        case Select(test=test, then=e, orelse=Var(name=n)) if n == name and name not in reads(test):
            return _accumulates(e, name)
        case Select(test=test, then=Var(name=n), orelse=e) if n == name and name not in reads(test):
            return _accumulates(e, name)
        case Binary(op=op, left=Var(name=n), right=e) if n == name and name not in reads(e):
            return cast(ReduceOp, op) if op in (*SIDELESS, "min", "max") else None
        case Binary(op=op, left=e, right=Var(name=n)) if n == name and name not in reads(e):
            return cast(ReduceOp, op) if op in SIDELESS else None
        case Logic(op=op, left=Var(name=n), right=e) if n == name and name not in reads(e):
            return cast(ReduceOp, op)
        case Logic(op=op, left=e, right=Var(name=n)) if n == name and name not in reads(e):
            return cast(ReduceOp, op)
    return None


def _against(test: Expr, name: str) -> tuple[str, Expr] | None:
    """`x op name` out of a comparison of the variable with something else, whichever side it stands on."""
    match test:
        case Compare(op=op, left=x, right=Var(name=n)) if n == name and name not in reads(x):
            return op, x
        case Compare(op=op, left=Var(name=n), right=x) if n == name and name not in reads(x):
            return MIRRORED[op], x
    return None


def _guarded(test: Compare, x: Expr, name: str) -> ReduceOp | None:
    """The operation of `x if x > name else name`: Python's max or min."""
    against = _against(test, name)
    if against is None or against[1] != x:
        return None
    ops: dict[str, ReduceOp] = {">": "max", ">=": "max", "<": "min", "<=": "min"}
    return ops.get(against[0])


def _winner(s: If, name: str) -> Reduction | None:
    """`if x > m: m = x` with payloads that follow m."""
    against = _against(s.test, name)
    if against is None or s.orelse or not s.then:
        return None
    op, x = against
    if op not in ("<", "<=", ">", ">="):
        return None
    payloads = []
    changed: set[str] = set()
    for inner in s.then:
        if not isinstance(inner, Set) or inner.name in changed:
            return None
        if inner.name == name:
            if inner.value != x or changed & reads(x):
                return None
        elif name in reads(inner.value):
            return None
        else:
            payloads.append(inner.name)
        changed.add(inner.name)
    if name not in changed:
        return None
    ties: Literal["first", "last"] | None = ("last" if "=" in op else "first") if payloads else None
    return Reduction("max" if ">" in op else "min", (name, *payloads), s.at, ties)


def _payloads_only(body: tuple[Stmt, ...], r: Reduction) -> bool:
    """Whether payloads are set only where the winner is, and never read in the body."""
    payloads = r.variables[1:]
    if not payloads:
        return True
    sets = sum(isinstance(s, Set) and s.name in payloads for s in all_stmts(body))
    winners = sum(isinstance(s, If) and _winner(s, r.variables[0]) is not None for s in all_stmts(body))
    read = frozenset().union(*(_all_reads(own_exprs(s)) for s in all_stmts(body)))
    return sets == winners * len(payloads) and read.isdisjoint(payloads)
