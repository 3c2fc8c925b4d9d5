"""Walking device statements: their expressions, their bodies, and rebuilding them with other bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from tl2hip.nest.ir import Expr, Set, Store, Update, Var
from tl2hip.nest.walk import all_parts
from tl2hip.plan.ir import (
    Barrier,
    Combine,
    Declare,
    DeclareVector,
    DeviceIf,
    DeviceStmt,
    DeviceWhile,
    For,
    Let,
    LoadVector,
    MultiplyAdd,
    StoreVector,
)


def own_exprs(s: DeviceStmt) -> tuple[Expr, ...]:
    """The expressions a statement itself evaluates, not those of statements inside it."""
    match s:
        case Let(value=value) | Set(value=value):
            return (value,)
        case Declare(value=initial):
            return () if initial is None else (initial,)
        case MultiplyAdd(name=name, left=left, right=right):
            return (Var(name, left.dtype), left, right)
        case Store(index=index, value=value) | Update(index=index, value=value):
            return (*index, value)
        case For(start=start, stop=stop, step=step):
            return (start, stop, step)
        case DeviceIf(test=test) | DeviceWhile(test=test):
            return (test,)
        case LoadVector(index=index, slot=slot) | StoreVector(index=index, slot=slot):
            return (*slot, *index)
        case Barrier() | Combine() | DeclareVector():
            return ()


def bodies(s: DeviceStmt) -> tuple[tuple[DeviceStmt, ...], ...]:
    """The bodies directly inside a statement."""
    match s:
        case For(body=body) | DeviceWhile(body=body):
            return (body,)
        case DeviceIf(then=then, orelse=orelse):
            return (then, orelse)
        case _:
            return ()


def with_bodies(s: DeviceStmt, new: tuple[tuple[DeviceStmt, ...], ...]) -> DeviceStmt:
    """The same statement around other bodies, given in the order of `bodies`."""
    match s:
        case For() | DeviceWhile():
            return replace(s, body=new[0])
        case DeviceIf():
            return replace(s, then=new[0], orelse=new[1])
        case _:
            return s


def all_stmts(body: Iterable[DeviceStmt]) -> Iterator[DeviceStmt]:
    """Every statement of a body and of the bodies inside, in the order of the text."""
    for s in body:
        yield s
        for inner in bodies(s):
            yield from all_stmts(inner)


def all_exprs(body: Iterable[DeviceStmt]) -> Iterator[Expr]:
    """Every expression node evaluated anywhere in a body."""
    for s in all_stmts(body):
        for e in own_exprs(s):
            yield from all_parts(e)


def map_own_exprs(f: Callable[[Expr], Expr], s: DeviceStmt) -> DeviceStmt:
    """The statement with `f` applied to each whole expression it evaluates itself."""
    match s:
        case Let() | Set():
            return replace(s, value=f(s.value))
        case Declare(value=initial):
            return s if initial is None else replace(s, value=f(initial))
        case MultiplyAdd():
            return replace(s, left=f(s.left), right=f(s.right))
        case Store() | Update():
            return replace(s, index=tuple(f(i) for i in s.index), value=f(s.value))
        case For():
            return replace(s, start=f(s.start), stop=f(s.stop), step=f(s.step))
        case DeviceIf() | DeviceWhile():
            return replace(s, test=f(s.test))
        case LoadVector() | StoreVector():
            return replace(s, index=tuple(f(i) for i in s.index), slot=tuple(f(i) for i in s.slot))
        case Barrier() | Combine() | DeclareVector():
            return s


def map_exprs(f: Callable[[Expr], Expr], body: tuple[DeviceStmt, ...]) -> tuple[DeviceStmt, ...]:
    """A body with `f` applied to each whole expression anywhere in it."""
    return tuple(with_bodies(map_own_exprs(f, s), tuple(map_exprs(f, b) for b in bodies(s))) for s in body)
