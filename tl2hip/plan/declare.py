"""Declares each scalar local of a kernel where a reader would: at its first assignment, if that is safe."""

from __future__ import annotations

from collections.abc import Mapping

from tl2hip.dtypes import DType
from tl2hip.nest.ir import Const, Set, Var
from tl2hip.nest.walk import all_parts
from tl2hip.plan.ir import Declare, DeviceStmt
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.walk import all_exprs, all_stmts, bodies, own_exprs, with_bodies


def declare(body: tuple[DeviceStmt, ...], dtypes: Mapping[str, DType]) -> tuple[DeviceStmt, ...]:
    """The body with a Declare for each variable that a Set or Combine in it writes.

    A variable is declared by its first Set where that stands in the innermost block that holds every later use
    and does not read it. Blocks that each set it before they read it have a variable each. Elsewhere it is declared
    at the head of the kernel, with 0 (Python would raise on reading it unset, so any value is right there).
    """
    written = {s.name: None for s in all_stmts(body) if isinstance(s, Set)}
    declared = {s.name for s in all_stmts(body) if isinstance(s, Declare)}
    heads: list[DeviceStmt] = []
    for name in written:
        if name in declared:
            continue
        placed = _at_first_set(body, name, dtypes[name])
        if placed is None:
            heads.append(Declare(name, dtypes[name], Const(_zero(dtypes[name]), dtypes[name])))
        else:
            body = placed
    return (*heads, *body)


def _zero(dtype: DType) -> int | float | bool:
    return False if dtype.kind == "bool" else 0.0 if dtype.is_float else 0


def _at_first_set(body: tuple[DeviceStmt, ...], name: str, dtype: DType) -> tuple[DeviceStmt, ...] | None:
    using = [n for n, s in enumerate(body) if _uses(s, name)]
    if not using:
        return body
    at = using[0]
    first = body[at]
    if _reads(first, name):
        return None
    if isinstance(first, Set) and first.name == name:
        return (*body[:at], Declare(name, dtype, first.value, at=first.at), *body[at + 1 :])
    inside = [_at_first_set(b, name, dtype) for b in bodies(first)]
    behind = _at_first_set(body[at + 1 :], name, dtype)
    if behind is None or not inside or any(b is None for b in inside):
        return None
    return (*body[:at], with_bodies(first, tuple(b for b in inside if b is not None)), *behind)


def _reads(s: DeviceStmt, name: str) -> bool:
    """Whether the statement itself, not those inside it, reads the variable."""
    return any(isinstance(p, Var) and p.name == name for e in own_exprs(s) for p in all_parts(e))


def _uses(s: DeviceStmt, name: str) -> bool:
    if any(isinstance(e, Var) and e.name == name for e in all_exprs((s,))):
        return True
    for inner in all_stmts((s,)):
        if isinstance(inner, Set) and inner.name == name:
            return True
        if isinstance(inner, Combine | Prefix) and any(v == name for v, _ in inner.variables):
            return True
    return False
