"""Walking device statements: their expressions, their bodies, and rebuilding them with other bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from operator import is_

from tl2hip.dtypes import F32
from tl2hip.nest.ir import Expr, Load, Set, Store, Update, Var
from tl2hip.nest.walk import all_parts
from tl2hip.plan.ir import (
    Barrier,
    Declare,
    DeclareVector,
    DeviceIf,
    DeviceStmt,
    DeviceWhile,
    Extreme,
    For,
    HostIf,
    HostLoop,
    HostStmt,
    HostWhile,
    Let,
    LoadVector,
    MultiplyAdd,
    StoreVector,
)
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.matrix_ir import (
    AddScaled,
    Bits,
    Fetch,
    FetchFirst,
    Group,
    KeepOrder,
    LdsBarrier,
    MatrixMultiply,
    Meet,
    Part,
    Priority,
    Remark,
    Settle,
    SmallIntegers,
    TakeLane,
    TakeTile,
    TurnBytes,
    Window,
)
from tl2hip.plan.softmax_ir import HideUnit, JoinHalves, PowerOfTwo, RoundNumber, Scaled


def all_host(body: Iterable[HostStmt]) -> Iterator[HostStmt]:
    """The statements of a launcher and those inside them, outer ones first."""
    for s in body:
        yield s
        if isinstance(s, HostLoop | HostWhile):
            yield from all_host(s.body)
        elif isinstance(s, HostIf):
            yield from all_host((*s.then, *s.orelse))


COMPOUND = (For, DeviceIf, DeviceWhile)
"""The statements that hold others."""


def own_exprs(s: DeviceStmt) -> tuple[Expr, ...]:
    """The expressions a statement itself evaluates, not those of statements inside it."""
    match s:
        case Let(value=value) | Set(value=value):
            return (value,)
        case Declare(value=initial):
            return () if initial is None else (initial,)
        case MultiplyAdd(name=name, left=left, right=right):
            return (Var(name, left.dtype), left, right)
        case Extreme(name=name, value=value):
            return (Var(name, value.dtype), value)
        case Store(index=index, value=value) | Update(index=index, value=value):
            return (*index, value)
        case For(start=start, stop=stop, step=step, going=going):
            return (start, stop, step) if going is None else (start, stop, step, going)
        case DeviceIf(test=test) | DeviceWhile(test=test):
            return (test,)
        case LoadVector(index=index, slot=slot) | StoreVector(index=index, slot=slot):
            return (*slot, *index)
        case MatrixMultiply(slot=slot, left=left, right=right):
            return (*slot, *_of_part(left), *_of_part(right))
        case SmallIntegers(slot=slot, first=one, second=other):
            return (*slot, one.load, other.load)
        case AddScaled(slot=slot, at_slot=other, times=times):
            return (*slot, *other, *times)
        case TakeTile(block=block, rows=rows, columns=columns):
            return (block, rows, columns)
        case Window(index=index, bytes=size):
            return index if size is None else (*index, size)
        case Fetch(slot=slot, offset_at=at, ahead=ahead):
            return (*slot, at, ahead)
        case FetchFirst(slot=slot, index=index, count=count):
            return (*slot, *index, count)
        case Prefix(name=name, dtype=dtype):
            return (Var(name, dtype),)
        case PowerOfTwo(slot=slot, value=value):
            return (*slot, value)
        case RoundNumber(slot=slot, value=value, unit=unit):
            return (*slot, value, *unit)
        case Scaled(slot=slot, times=times):
            return (*slot, times)
        case JoinHalves(name=name):
            return (Var(name, F32),)
        case Barrier() | Combine() | DeclareVector() | HideUnit() | LdsBarrier() | Group() | Remark():
            return ()
        case KeepOrder() | Meet() | Priority() | Settle() | TakeLane() | TurnBytes():
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
    """The statement around these bodies, given in the order of `bodies`: itself where they are its own."""
    if all(same(a, b) for a, b in zip(bodies(s), new, strict=True)):
        return s
    match s:
        case For() | DeviceWhile():
            return replace(s, body=new[0])
        case DeviceIf():
            return replace(s, then=new[0], orelse=new[1])
        case _:
            return s


def same(a: tuple[DeviceStmt, ...], b: tuple[DeviceStmt, ...]) -> bool:
    """Whether two bodies are the very same statements."""
    return a is b or (len(a) == len(b) and all(map(is_, a, b)))


def all_stmts(body: Iterable[DeviceStmt]) -> list[DeviceStmt]:
    """Every statement of a body and of the bodies inside, in the order of the text."""
    found: list[DeviceStmt] = []
    for s in body:
        found.append(s)
        if isinstance(s, COMPOUND):
            for inner in bodies(s):
                found += all_stmts(inner)
    return found


def map_stmts(f: Callable[[DeviceStmt], DeviceStmt], body: tuple[DeviceStmt, ...]) -> tuple[DeviceStmt, ...]:
    """A body with `f` applied to every statement, inside out."""
    return tuple([f(_mapped(f, s)) if isinstance(s, COMPOUND) else f(s) for s in body])


def _mapped(f: Callable[[DeviceStmt], DeviceStmt], s: DeviceStmt) -> DeviceStmt:
    return with_bodies(s, tuple(map_stmts(f, b) for b in bodies(s)))


def all_exprs(body: Iterable[DeviceStmt]) -> list[Expr]:
    """Every expression node evaluated anywhere in a body."""
    return [p for s in all_stmts(body) for e in own_exprs(s) for p in all_parts(e)]


def map_own_exprs(f: Callable[[Expr], Expr], s: DeviceStmt) -> DeviceStmt:
    """The statement with `f` applied to each whole expression it evaluates itself."""
    match s:
        case Let() | Set():
            return replace(s, value=f(s.value))
        case Declare(value=initial):
            return s if initial is None else replace(s, value=f(initial))
        case MultiplyAdd():
            return replace(s, left=f(s.left), right=f(s.right))
        case Extreme():
            return replace(s, value=f(s.value))
        case Store() | Update():
            return replace(s, index=each(f, s.index), value=f(s.value))
        case For():
            going = None if s.going is None else f(s.going)
            return replace(s, start=f(s.start), stop=f(s.stop), step=f(s.step), going=going)
        case DeviceIf() | DeviceWhile():
            return replace(s, test=f(s.test))
        case LoadVector() | StoreVector():
            return replace(s, index=each(f, s.index), slot=each(f, s.slot))
        case MatrixMultiply():
            return replace(s, slot=each(f, s.slot), left=_part(f, s.left), right=_part(f, s.right))
        case SmallIntegers():
            return replace(s, slot=each(f, s.slot), first=_bits(f, s.first), second=_bits(f, s.second))
        case AddScaled():
            return replace(s, slot=each(f, s.slot), at_slot=each(f, s.at_slot), times=each(f, s.times))
        case TakeTile():
            return replace(s, block=f(s.block), rows=f(s.rows), columns=f(s.columns))
        case Window():
            size = None if s.bytes is None else f(s.bytes)
            return replace(s, index=each(f, s.index), bytes=size)
        case Fetch():
            return replace(s, slot=each(f, s.slot), offset_at=f(s.offset_at), ahead=f(s.ahead))
        case FetchFirst():
            return replace(s, slot=each(f, s.slot), index=each(f, s.index), count=f(s.count))
        case PowerOfTwo():
            return replace(s, slot=each(f, s.slot), value=f(s.value))
        case RoundNumber():
            return replace(s, slot=each(f, s.slot), value=f(s.value), unit=each(f, s.unit))
        case Scaled():
            return replace(s, slot=each(f, s.slot), times=f(s.times))
        case Barrier() | Combine() | Prefix() | DeclareVector() | HideUnit() | LdsBarrier() | Group() | Remark():
            return s
        case KeepOrder() | Meet() | Priority() | Settle() | TakeLane() | TurnBytes() | JoinHalves():
            return s


def _of_part(p: Part) -> tuple[Expr, ...]:
    return p.slot if isinstance(p.part, int) else (*p.slot, p.part)


def _part(f: Callable[[Expr], Expr], p: Part) -> Part:
    return replace(p, slot=each(f, p.slot), part=p.part if isinstance(p.part, int) else f(p.part))


def _bits(f: Callable[[Expr], Expr], b: Bits) -> Bits:
    load = f(b.load)
    assert isinstance(load, Load), b.load.array
    return replace(b, load=load)


def each(f: Callable[[Expr], Expr], exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """`f` of each expression."""
    return tuple(f(e) for e in exprs)


def map_exprs(f: Callable[[Expr], Expr], body: tuple[DeviceStmt, ...]) -> tuple[DeviceStmt, ...]:
    """A body with `f` applied to each whole expression anywhere in it."""
    return tuple(with_bodies(map_own_exprs(f, s), tuple(map_exprs(f, b) for b in bodies(s))) for s in body)
