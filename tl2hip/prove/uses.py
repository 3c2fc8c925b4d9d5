"""What integer arrays and scalars of a nest are for: subscripts, loop bounds, or plain numbers.

Drawn data must mean something: a subscript lies mostly in the array it indexes, row pointers rise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl2hip.dtypes import I64
from tl2hip.nest.ir import (
    AxisRef,
    Binary,
    Cast,
    Const,
    Expr,
    Load,
    Loop,
    Nest,
    Scalar,
    Set,
    Stmt,
    Store,
    Update,
    Var,
    While,
)
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, parts

ONE = Const(1, I64)


@dataclass(frozen=True, slots=True)
class Extent:
    """The extent that a subscript runs over: dimension `dim` of `array`, in units of `factor` elements."""

    array: str
    dim: int
    factor: Expr = ONE


@dataclass(frozen=True, slots=True)
class Uses:
    """By the name of an integer array (or scalar): the extents it indexes; those that loops which it starts or
    stops run over; which arrays start a loop (row pointers); which scalars a loop depends on."""

    subscripts: dict[str, tuple[Extent, ...]]
    bounds: dict[str, tuple[Extent, ...]]
    starts: frozenset[str]
    stops: frozenset[str]
    limits: frozenset[str]


def uses(nest: Nest) -> Uses:
    """What each integer array and scalar is used for, variables followed to where they are set."""
    sets: dict[str, list[Expr]] = {}
    for s in all_stmts(nest.body):
        if isinstance(s, Set):
            sets.setdefault(s.name, []).append(s.value)
    subscripts: dict[str, list[Extent]] = {}
    for array, dim, e in _subscripts(nest):
        for name, factor in _sources(e, sets, frozenset()):
            subscripts.setdefault(name, []).append(Extent(array, dim, factor))
    bounds: dict[str, list[Extent]] = {}
    starts: set[str] = set()
    stops: set[str] = set()
    limits: set[str] = set()
    for s in all_stmts(nest.body):
        if isinstance(s, While):
            limits |= {name for name, _ in _sources(s.test, sets, frozenset())}
        if isinstance(s, Loop):
            over = [Extent(a, d) for a, d, e in _subscripts_of(s.body) if _runs_with(e, s.axis.name)]
            for e, kind in ((s.axis.start, starts), (s.axis.stop, stops)):
                for name, _ in _sources(e, sets, frozenset()):
                    kind.add(name)
                    limits.add(name)
                    bounds.setdefault(name, []).extend(over)
    return Uses(
        {k: tuple(dict.fromkeys(v)) for k, v in subscripts.items()},
        {k: tuple(dict.fromkeys(v)) for k, v in bounds.items()},
        frozenset(starts),
        frozenset(stops),
        frozenset(limits),
    )


def _subscripts(nest: Nest) -> Iterator[tuple[str, int, Expr]]:
    """Every index expression of the nest: the array, the dimension, the expression."""
    yield from _subscripts_of(nest.body)


def _subscripts_of(body: tuple[Stmt, ...]) -> Iterator[tuple[str, int, Expr]]:
    for s in all_stmts(body):
        if isinstance(s, Store | Update):
            yield from ((s.array, d, e) for d, e in enumerate(s.index))
    for x in all_exprs(body):
        if isinstance(x, Load):
            yield from ((x.array, d, e) for d, e in enumerate(x.index))


def _runs_with(e: Expr, axis: str) -> bool:
    return isinstance(e, AxisRef) and e.axis == axis


def _sources(e: Expr, sets: dict[str, list[Expr]], seen: frozenset[str]) -> Iterator[tuple[str, Expr]]:
    """The arrays and scalars whose values an expression carries, each with the factor it is multiplied by."""
    match e:
        case Load(array=array):
            yield array, ONE
        case Scalar(name=name):
            yield name, ONE
        case Var(name=name) if name not in seen:
            for value in sets.get(name, ()):
                yield from _sources(value, sets, seen | {name})
        case Cast(value=value):
            yield from _sources(value, sets, seen)
        case Binary(op="*", left=a, right=b):
            for part, other in ((a, b), (b, a)):
                plain = not any(isinstance(p, Load | Var | AxisRef) for p in all_parts(other))
                for name, _ in _sources(part, sets, seen):
                    yield name, other if plain else ONE
        case _:
            for p in parts(e):
                yield from _sources(p, sets, seen)
