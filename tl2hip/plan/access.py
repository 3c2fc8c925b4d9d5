"""What a piece of a nest reads and writes, and which axis its accesses run along."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tl2hip.nest.index import value_of
from tl2hip.nest.ir import AxisRef, Binary, Cast, Expr, If, Load, Loop, Set, Stmt, Store, Unary, Update, Var, While
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, blocks, map_expr, own_exprs


@dataclass(frozen=True, slots=True)
class Uses:
    """The arrays and scalar locals a piece of a nest reads and writes."""

    reads: frozenset[str]
    writes: frozenset[str]
    gets: frozenset[str]
    sets: frozenset[str]


def uses(body: Iterable[Stmt]) -> Uses:
    """Everything a body touches, inner bodies included. An Update reads and writes."""
    body = tuple(body)
    stmts = tuple(all_stmts(body))
    exprs = tuple(all_exprs(body))
    updated = frozenset(s.array for s in stmts if isinstance(s, Update))
    return Uses(
        reads=frozenset(e.array for e in exprs if isinstance(e, Load)) | updated,
        writes=frozenset(s.array for s in stmts if isinstance(s, Store)) | updated,
        gets=frozenset(e.name for e in exprs if isinstance(e, Var)),
        sets=frozenset(s.name for s in stmts if isinstance(s, Set)),
    )


def multiplies(body: Iterable[Stmt]) -> bool:
    """Whether every loop of a body, and there is one, multiplies elements of two arrays."""
    loops = [s for s in body if isinstance(s, Loop)]
    return bool(loops) and all(_is_product(s) for s in loops)


def _is_product(loop: Loop) -> bool:
    exprs = tuple(all_exprs(loop.body))
    arrays = {e.array for e in exprs if isinstance(e, Load)}
    return len(arrays) > 1 and any(isinstance(e, Binary) and e.op == "*" for e in exprs)


def loads_or_locals(e: Expr) -> bool:
    """Whether an expression needs memory or a scalar local, so that the launcher cannot evaluate it."""
    return any(isinstance(p, Load | Var) for p in all_parts(e))


def coefficient(e: Expr, axis: str) -> int | None:
    """How far an index moves when the axis moves by one; None where it is not a constant."""
    return moved_by(e, axis, 1)


def moved_by(e: Expr, axis: str, step: int) -> int | None:
    """How far an index moves when the axis moves by `step`; None where that is not a constant."""
    match e:
        case AxisRef(axis=name):
            return step if name == axis else 0
        case Binary(op="+" | "-" as op, left=a, right=b):
            x, y = moved_by(a, axis, step), moved_by(b, axis, step)
            return None if x is None or y is None else x + y if op == "+" else x - y
        case Unary(op="-", value=a):
            x = moved_by(a, axis, step)
            return None if x is None else -x
        case Binary(op="*", left=a, right=b):
            return _scaled(a, b, axis, step)
        case Binary(op="//" | "%" as op, left=a, right=b):
            return _divided(e, op, moved_by(a, axis, step), value_of(b), axis)
        case _:
            return _still(e, axis)


def _still(e: Expr, axis: str) -> int | None:
    """0 of an expression without the axis."""
    return None if any(isinstance(p, AxisRef) and p.axis == axis for p in all_parts(e)) else 0


def _divided(e: Expr, op: str, moved: int | None, by: int | None, axis: str) -> int | None:
    """How far `a // by` or `a % by` moves: of whole multiples of the divisor nothing is left."""
    if moved is None or by is None or by <= 0 or moved % by:
        return _still(e, axis)
    return moved // by if op == "//" else 0


def _scaled(a: Expr, b: Expr, axis: str, step: int) -> int | None:
    x, y = moved_by(a, axis, step), moved_by(b, axis, step)
    if x == 0 and y == 0:
        return 0
    for factor, other in ((value_of(a), y), (value_of(b), x)):
        if factor is not None and other is not None:
            return factor * other
    return None


def _in_i64(e: Expr) -> Expr:
    return e.value if isinstance(e, Cast) and e.dtype.is_int and e.value.dtype.is_int else e


DEPTH_WEIGHT = 8
"""One more loop around an access counts as this many accesses: a guess at an unknown trip count."""


def moves_with(index: tuple[Expr, ...], axis: str) -> bool:
    """Whether an access is elsewhere for each value of an axis, as far as can be told."""
    return any(coefficient(i, axis) != 0 for i in index)


def unit_stride(body: Iterable[Stmt], axis: str, weight: int = 1) -> int:
    """How much of a body's traffic is contiguous along an axis: accesses whose last index moves by one with
    the axis while the others stand still, weighted by the loops around them."""
    total = 0
    for s in body:
        inner = weight * DEPTH_WEIGHT if isinstance(s, Loop | While) else weight
        for e in own_exprs(s):
            total += weight * sum(contiguous(p.index, axis) for p in all_parts(e) if isinstance(p, Load))
        if isinstance(s, Store | Update):
            total += weight * contiguous(s.index, axis)
        if isinstance(s, Loop | While | If):
            total += sum(unit_stride(b, axis, inner) for b in blocks(s))
    return total


def runs_smoothly(body: Iterable[Stmt], axis: str) -> bool:
    """Whether every access of a body is contiguous along an axis, or the same element all along it."""
    stmts = tuple(all_stmts(body))
    indices = [p.index for s in stmts for e in own_exprs(s) for p in all_parts(e) if isinstance(p, Load)]
    indices += [s.index for s in stmts if isinstance(s, Store | Update)]
    return all(contiguous(i, axis) or all(coefficient(x, axis) == 0 for x in i) for i in indices)


def contiguous(index: tuple[Expr, ...], axis: str) -> bool:
    """Whether an access moves by one element with an axis, forwards or backwards, as far as a guess goes: an index
    in a narrow dtype may wrap, and hardly ever does."""
    index = tuple(map_expr(_in_i64, i) for i in index)
    if coefficient(index[-1], axis) not in (1, -1):
        return False
    return all(coefficient(i, axis) == 0 for i in index[:-1])
