"""Scalars of a kernel that only count: their sums print as plain C++ because they cannot reach 2**63.

A variable that starts at an index or a constant and changes by constants under 2**20 would have to change 2**42
times to overflow, which no run does. What the plan keeps in 32 bits surely does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as Names

from tl2hip.dtypes import I64
from tl2hip.hip.context import Known
from tl2hip.hip.facts import is_index
from tl2hip.nest.ir import Binary, Const, Expr, Set, Var
from tl2hip.plan.ir import Declare, DeviceStmt, For, Let
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.matrix_ir import TakeLane, TakeTile
from tl2hip.plan.walk import all_stmts

STEP = 2**20


def counters(body: tuple[DeviceStmt, ...], index: Names[str]) -> set[str]:
    """Names of the i64 variables of a kernel that only take indices and change by small constants. `index`: what is
    known to be an index around it."""
    stmts = list(all_stmts(body))
    loops = {s.var for s in stmts if isinstance(s, For)}
    known = Known(index={*index, *loops})
    for s in stmts:
        if isinstance(s, Let) and s.value.dtype is I64 and is_index(s.value, known):
            known.learn(s.name)
    names = {s.name for s in stmts if isinstance(s, Declare) and s.dtype is I64}
    small = {s.name for s in stmts if isinstance(s, Declare) and s.form}
    names -= {name for s in stmts if isinstance(s, Combine | Prefix) for name, _ in s.variables}
    return small | {n for n in names if all(_counts(n, v, known) for v in _values(n, stmts))}


def kept_small(body: tuple[DeviceStmt, ...]) -> Iterator[str]:
    """Names of the i64 scalars of a kernel that C++ keeps in an int."""
    for s in all_stmts(body):
        match s:
            case Let(name=name, form="int" | "uniform") | Declare(name=name, form="int" | "uniform"):
                yield name
            case For(var=name, small=True) | TakeLane(name=name):
                yield name
            case TakeTile(row=row, column=column):
                yield row
                yield column
            case _:
                continue


def _values(name: str, stmts: list[DeviceStmt]) -> Iterator[Expr]:
    for s in stmts:
        if isinstance(s, Set | Declare) and s.name == name and s.value is not None:
            yield s.value


def _counts(name: str, value: Expr, known: Known) -> bool:
    match value:
        case Binary(op="+" | "-", left=Var(name=n), right=Const(value=step)) if n == name:
            return abs(step) < STEP
        case _:
            return is_index(value, known)
