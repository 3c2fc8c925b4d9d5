"""Finishes a kernel: from a body, the arguments, places and declarations it needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tl2hip.dtypes import I64, DType
from tl2hip.nest.ir import AxisRef, Dim, Expr, Load, Scalar, Store, Update, Var
from tl2hip.nest.walk import all_parts
from tl2hip.plan.declare import Mentions, declare
from tl2hip.plan.early import ended
from tl2hip.plan.ir import (
    Declare,
    DeclareVector,
    DeviceKernel,
    DeviceStmt,
    For,
    Let,
    LoadVector,
    Place,
    Placed,
    StoreVector,
)
from tl2hip.plan.matrix_ir import Fetch, FetchFirst, SmallIntegers, TakeLane, TakeTile, TurnBytes, Window
from tl2hip.plan.rename import plainly
from tl2hip.plan.softmax_ir import HideUnit, PowerOfTwo, RoundNumber, Scaled
from tl2hip.plan.walk import all_stmts

PLACES: tuple[Place, ...] = (
    Place("block.x", "blockIdx.x"),
    Place("block.y", "blockIdx.y"),
    Place("block.z", "blockIdx.z"),
    Place("blocks.x", "gridDim.x"),
    Place("blocks.y", "gridDim.y"),
    Place("blocks.z", "gridDim.z"),
    Place("thread.x", "threadIdx.x"),
    Place("thread.y", "threadIdx.y"),
    Place("thread.z", "threadIdx.z"),
)
"""The names plans know the hardware's indices by; the dot keeps them apart from every name of the user."""

ON_CHIP = ("shared", "thread", "vector")
"""The memory spaces that a kernel declares itself."""


def finish(
    name: str,
    body: tuple[DeviceStmt, ...],
    block: tuple[int, int, int],
    placed: Mapping[str, Placed],
    dtypes: Mapping[str, DType],
    users: Mapping[str, str],
    summary: str,
    waves: int | None = None,
) -> DeviceKernel:
    """The kernel around a body: each variable declared, each array and scalar it uses an argument.

    `users` gives the user's name of each axis, which its loops get back.
    """
    used = Mentions()
    body = declare(ended(body), dtypes, used)
    inside = [p for s in all_stmts(body) for p in used.exprs(s)]
    arrays = _arrays(body, inside)
    exprs = (*inside, *_shape_exprs(arrays, placed))
    scalars = _free_scalars(exprs, body)
    read = {e.name for e in exprs if isinstance(e, Var)}
    body = plainly(body, users, {*placed, *dtypes, *(name for name, _ in scalars)})
    outside = tuple(a for a in placed if a in arrays and placed[a].space in ("global", "workspace"))
    return DeviceKernel(
        name=name,
        arrays=outside,
        scalars=scalars,
        block=block,
        places=tuple(p for p in PLACES if p.name in read),
        body=body,
        local_arrays=tuple(a for a in placed if a in arrays and placed[a].space in ("shared", "thread")),
        waves=waves,
        summary=summary,
        stored=stored(body),
    )


def _arrays(body: tuple[DeviceStmt, ...], exprs: Iterable[Expr]) -> dict[str, bool]:
    """The arrays a body touches, and whether any access to it needs its first extent (a run-time guard)."""
    found: dict[str, bool] = {}
    for e in exprs:
        if isinstance(e, Load):
            found[e.array] = found.get(e.array, False) or not e.proven
    for s in all_stmts(body):
        if isinstance(s, Store | Update):
            found[s.array] = found.get(s.array, False) or not s.proven
        for name in touched(s):
            found.setdefault(name, False)
    return found


def stored(body: tuple[DeviceStmt, ...]) -> frozenset[str]:
    """The arrays that a body stores to."""
    return frozenset(s.array for s in all_stmts(body) if isinstance(s, Store | Update | StoreVector))


def touched(s: DeviceStmt) -> tuple[str, ...]:
    """The arrays and vectors that a statement about whole vectors names."""
    match s:
        case LoadVector(array=array, vector=vector) | StoreVector(array=array, vector=vector):
            return (array, vector)
        case FetchFirst(array=array, vector=vector):
            return (array, vector)
        case Window(array=array):
            return (array,)
        case Fetch(vector=vector, offset=offset):
            return (vector, offset)
        case TurnBytes(rows=rows, columns=columns):
            return (rows, columns)
        case DeclareVector(vector=vector) | SmallIntegers(vector=vector):
            return (vector,)
        case PowerOfTwo(name=name, slot=slot) if slot:
            return (name,)
        case Scaled(vector=vector) | RoundNumber(vector=vector):
            return (vector,)
        case _:
            return ()


def _shape_exprs(arrays: Mapping[str, bool], placed: Mapping[str, Placed]) -> tuple[Expr, ...]:
    """The extents and strides that addressing these arrays takes."""
    needed: list[Expr] = []
    for name, guarded in arrays.items():
        array = placed[name].array
        if placed[name].space in ON_CHIP:
            continue
        needed += array.strides if array.strides is not None else array.shape[1:]
        needed += array.shape if guarded else ()
    return tuple(p for e in needed for p in all_parts(e))


def _free_scalars(exprs: Iterable[Expr], body: tuple[DeviceStmt, ...]) -> tuple[tuple[str, DType], ...]:
    """The dims, scalars and host variables among the expressions, in order of first use."""
    stmts = tuple(all_stmts(body))
    inner_axes = {s.var for s in stmts if isinstance(s, For)}
    inner_names = {s.name for s in stmts if isinstance(s, Let | Declare)}
    inner_names |= {n for s in stmts if isinstance(s, TakeTile) for n in (s.row, s.column)}
    inner_names |= {s.name for s in stmts if isinstance(s, TakeLane)}
    inner_names |= {n for s in stmts if isinstance(s, HideUnit) for n in (s.one, s.minus_zero)}
    inner_names |= {p.name for p in PLACES}
    found: dict[str, DType] = {}
    for e in exprs:
        match e:
            case Dim(name=name):
                found.setdefault(name, I64)
            case Scalar(name=name, dtype=dtype):
                found.setdefault(name, dtype)
            case AxisRef(axis=name) if name not in inner_axes:
                found.setdefault(name, I64)
            case Var(name=name, dtype=dtype) if name not in inner_names:
                found.setdefault(name, dtype)
            case _:
                continue
    return tuple(found.items())
