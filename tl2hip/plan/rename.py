"""Gives loops their plain names back: `j_2` is `j` again where no other `j` is in sight.

The nest's axes have unique names, but a C++ loop has a scope of its own, and the user called it `j`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from tl2hip.nest.ir import AxisRef, Expr, Load, Set, Store, Update
from tl2hip.nest.walk import all_parts, map_expr
from tl2hip.plan.ir import Declare, DeviceStmt, Extreme, For, Let, LoadVector, MultiplyAdd, StoreVector
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.matrix_ir import (
    AddScaled,
    Fetch,
    FetchFirst,
    MatrixMultiply,
    SmallIntegers,
    TakeLane,
    TakeTile,
    TurnBytes,
    Window,
)
from tl2hip.plan.names import NUMBER
from tl2hip.plan.softmax_ir import HideUnit, JoinHalves, PowerOfTwo, RoundNumber, Scaled
from tl2hip.plan.walk import all_stmts, bodies, map_exprs, own_exprs, same, with_bodies

Users = Mapping[str, str]
"""The user's name of each axis of the nest; empty for an axis that tl2hip made."""


def plainly(body: tuple[DeviceStmt, ...], users: Users, taken: Collection[str]) -> tuple[DeviceStmt, ...]:
    """The body with the numbers taken out of its loops' names, wherever that is clear.

    `taken` are the names in force around it: arguments, and what enclosing blocks declare.
    """
    declared = {s.name for s in body if isinstance(s, Let | Declare)}
    around = {*taken, *declared}
    done: list[DeviceStmt] = []
    for s in body:
        if isinstance(s, For):
            plain = _plain(s.var, users)
            clear = plain != s.var and plain not in around and plain not in _mentioned(s.body)
            done.append(_loop(s, plain if clear else s.var, users, around))
        else:
            done.append(with_bodies(s, tuple(plainly(b, users, around) for b in bodies(s))))
    return tuple(done)


def _plain(name: str, users: Users) -> str:
    """The user's name of a loop, with what the plan put behind it: `j_3_vector` is `j_vector`."""
    for axis in sorted(users, key=len, reverse=True):
        if name == axis or name.startswith(f"{axis}_"):
            behind = NUMBER.sub("", name[len(axis) :])
            return (users[axis] or NUMBER.sub("", axis)) + behind
    return NUMBER.sub("", name)


def _loop(s: For, plain: str, users: Users, around: set[str]) -> For:
    """The loop under another name, its body renamed in turn."""
    inner = s.body
    if plain != s.var:
        inner = map_exprs(lambda e: map_expr(lambda x: _axis(x, s.var, plain), e), inner)
    inner = plainly(inner, users, {*around, plain})
    return s if plain == s.var and same(inner, s.body) else replace(s, var=plain, body=inner)


def _axis(e: Expr, old: str, new: str) -> Expr:
    return AxisRef(new) if e == AxisRef(old) else e


def _mentioned(body: tuple[DeviceStmt, ...]) -> set[str]:
    """Every name that a body reads, writes or declares."""
    found: set[str] = set()
    for s in all_stmts(body):
        for e in own_exprs(s):
            for p in all_parts(e):
                if isinstance(p, AxisRef):
                    found.add(p.axis)
                elif isinstance(p, Load):
                    found.add(p.array)
                elif name := getattr(p, "name", ""):
                    found.add(name)
        match s:
            case Let(name=name) | Declare(name=name) | Set(name=name) | MultiplyAdd(name=name) | Extreme(name=name):
                found.add(name)
            case PowerOfTwo(name=name) | JoinHalves(name=name) | Scaled(vector=name) | RoundNumber(vector=name):
                found.add(name)
            case HideUnit(one=one, minus_zero=zero):
                found |= {one, zero}
            case For(var=var):
                found.add(var)
            case Store(array=array) | Update(array=array):
                found.add(array)
            case LoadVector(array=array, vector=vector) | StoreVector(array=array, vector=vector):
                found |= {array, vector}
            case TakeTile(row=row, column=column):
                found |= {row, column}
            case TakeLane(name=name):
                found.add(name)
            case Window(name=name, array=array):
                found |= {name, array}
            case Fetch(vector=vector, window=window, offset=offset):
                found |= {vector, window, offset}
            case FetchFirst(vector=vector, array=array):
                found |= {vector, array}
            case TurnBytes(rows=rows, columns=columns):
                found |= {rows, columns}
            case SmallIntegers(vector=vector):
                found.add(vector)
            case MatrixMultiply(sums=sums, left=left, right=right):
                found |= {sums, left.vector, right.vector}
            case AddScaled(sums=sums, vector=vector):
                found |= {sums, vector}
            case Combine(variables=variables) | Prefix(variables=variables):
                found |= {v for v, _ in variables}
            case _:
                continue
    return found
