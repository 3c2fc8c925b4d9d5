"""Declares each scalar local of a kernel where a reader would: at its first assignment, if that is safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tl2hip.dtypes import DType
from tl2hip.nest.ir import Const, Expr, Set, Var
from tl2hip.nest.walk import all_parts
from tl2hip.plan.ir import Declare, DeviceStmt
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.walk import all_stmts, bodies, own_exprs, with_bodies


def declare(
    body: tuple[DeviceStmt, ...], dtypes: Mapping[str, DType], used: Mentions
) -> tuple[DeviceStmt, ...]:
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
        placed = _at_first_set(body, name, dtypes[name], used)
        if placed is None:
            heads.append(Declare(name, dtypes[name], Const(_zero(dtypes[name]), dtypes[name])))
        else:
            body = placed
    return (*heads, *body)


def _zero(dtype: DType) -> int | float | bool:
    return False if dtype.kind == "bool" else 0.0 if dtype.is_float else 0


class Mentions:
    """The variables that statements and those inside them read or write; each statement is looked at once."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[DeviceStmt, frozenset[str]]] = {}
        self._exprs: dict[int, tuple[DeviceStmt, list[Expr]]] = {}

    def __getitem__(self, s: DeviceStmt) -> frozenset[str]:
        found = self._found.get(id(s))
        if found is None:
            read = (p.name for p in self.exprs(s) if isinstance(p, Var))
            inside = (self[inner] for body in bodies(s) for inner in body)
            found = self._found[id(s)] = (s, frozenset((*read, *_written(s))).union(*inside))
        return found[1]

    def exprs(self, s: DeviceStmt) -> list[Expr]:
        """Every expression node that a statement itself, not those inside it, evaluates."""
        found = self._exprs.get(id(s))
        if found is None:
            found = self._exprs[id(s)] = (s, [p for e in own_exprs(s) for p in all_parts(e)])
        return found[1]


def _written(s: DeviceStmt) -> Iterator[str]:
    """The variables that a statement itself writes."""
    match s:
        case Set(name=name):
            yield name
        case Combine(variables=variables) | Prefix(variables=variables):
            yield from (v for v, _ in variables)
        case _:
            return


def _at_first_set(
    body: tuple[DeviceStmt, ...], name: str, dtype: DType, used: Mentions
) -> tuple[DeviceStmt, ...] | None:
    using = [n for n, s in enumerate(body) if name in used[s]]
    if not using:
        return body
    at = using[0]
    first = body[at]
    if _reads(first, name):
        return None
    if isinstance(first, Set) and first.name == name:
        return (*body[:at], Declare(name, dtype, first.value, at=first.at), *body[at + 1 :])
    inside = [_at_first_set(b, name, dtype, used) for b in bodies(first)]
    behind = _at_first_set(body[at + 1 :], name, dtype, used)
    if behind is None or not inside or any(b is None for b in inside):
        return None
    return (*body[:at], with_bodies(first, tuple(b for b in inside if b is not None)), *behind)


def _reads(s: DeviceStmt, name: str) -> bool:
    """Whether the statement itself, not those inside it, reads the variable."""
    return any(isinstance(p, Var) and p.name == name for e in own_exprs(s) for p in all_parts(e))
