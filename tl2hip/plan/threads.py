"""What one thread runs on its own: nest statements to device statements, one for one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tl2hip.dtypes import DType
from tl2hip.nest.ir import Alloc, If, Loop, Set, Stmt, Store, Update, While
from tl2hip.plan import loops
from tl2hip.plan.ir import DeviceIf, DeviceStmt, DeviceWhile
from tl2hip.plan.names import Names
from tl2hip.plan.promote import promoted


@dataclass(frozen=True, slots=True)
class ThreadCode:
    """Lowers bodies whose loops all run inside one thread.

    `atomic` names the arrays whose Updates may meet another thread's; scalars it makes up join `dtypes`.
    """

    names: Names
    dtypes: dict[str, DType]
    atomic: frozenset[str] = frozenset()

    def lower(self, body: Iterable[Stmt]) -> tuple[DeviceStmt, ...]:
        """The device statements of a body; an Alloc is memory already placed and leaves none."""
        return tuple(d for s in body for d in self._one(s))

    def _one(self, s: Stmt) -> tuple[DeviceStmt, ...]:
        match s:
            case Loop():
                return tuple(d for x in promoted(s, self.atomic, self.dtypes, self.names) for d in self._bare(x))
            case _:
                return self._bare(s)

    def _bare(self, s: Stmt) -> tuple[DeviceStmt, ...]:
        match s:
            case Loop(axis=axis, body=body, at=at):
                return (loops.serial(axis, self.lower(body), self.names, at),)
            case While(test=test, body=body, at=at):
                return (DeviceWhile(test, self.lower(body), at=at),)
            case If(test=test, then=then, orelse=orelse, at=at):
                return (DeviceIf(test, self.lower(then), self.lower(orelse), at=at),)
            case Update(array=array):
                return (replace(s, atomic=array in self.atomic),)
            case Set() | Store():
                return (s,)
            case Alloc():
                return ()
