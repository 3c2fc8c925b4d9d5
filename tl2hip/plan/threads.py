"""What one thread runs on its own: nest statements to device statements, one for one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tl2hip.dtypes import F32, F64, DType
from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.ir import Alloc, Binary, If, Loop, Set, Stmt, Store, Update, Var, While
from tl2hip.plan import loops
from tl2hip.plan.ir import DeviceIf, DeviceStmt, DeviceWhile, MultiplyAdd
from tl2hip.plan.names import Names
from tl2hip.plan.promote import promoted, written


@dataclass(frozen=True, slots=True)
class ThreadCode:
    """Lowers bodies whose loops all run inside one thread.

    `atomic` names the arrays whose Updates may meet another thread's; scalars it makes up join `dtypes`.
    `sums` names the scalars that the loops around only add to, so that a product may join them unrounded.
    """

    names: Names
    dtypes: dict[str, DType]
    kinds: Mapping[str, AxisKind]
    atomic: frozenset[str] = frozenset()
    sums: frozenset[str] = frozenset()

    def lower(self, body: Iterable[Stmt]) -> tuple[DeviceStmt, ...]:
        """The device statements of a body; an Alloc is memory already placed and leaves none."""
        body = tuple(body)
        return tuple(d for n, s in enumerate(body) for d in self._one(s, body[:n]))

    def _one(self, s: Stmt, ahead: tuple[Stmt, ...] = ()) -> tuple[DeviceStmt, ...]:
        match s:
            case Loop():
                return self._loop(s, ahead)
            case While(test=test, body=body, at=at):
                return (DeviceWhile(test, self.lower(body), at=at),)
            case If(test=test, then=then, orelse=orelse, at=at):
                return (DeviceIf(test, self.lower(then), self.lower(orelse), at=at),)
            case Update(array=array):
                return (replace(s, atomic=array in self.atomic),)
            case Set():
                return (self._set(s),)
            case Store():
                return (s,)
            case Alloc():
                return ()

    def _loop(self, s: Loop, ahead: tuple[Stmt, ...]) -> tuple[DeviceStmt, ...]:
        held = promoted(s, self.atomic, self.dtypes, self.names, written(ahead))
        inside = replace(self, sums=self.sums | held.sums | sums_of(self.kinds[s.axis.name]))
        lowered: list[DeviceStmt] = []
        for x in held.body:
            if isinstance(x, Loop):
                lowered.append(loops.serial(x.axis, inside.lower(x.body), self.names, x.at))
            else:
                lowered += self._one(x)
        return tuple(lowered) if held.test is None else (DeviceIf(held.test, tuple(lowered)),)

    def _set(self, s: Set) -> DeviceStmt:
        """A term of a sum of products is fused: its product is not rounded by itself."""
        match s.value:
            case Binary(op="+", left=Var(name=name, dtype=dtype), right=Binary(op="*", left=a, right=b)):
                if name == s.name and name in self.sums and dtype in (F32, F64):
                    return MultiplyAdd(name, a, b, at=s.at)
        return s


def sums_of(kind: AxisKind) -> frozenset[str]:
    """The scalars that an axis only adds to."""
    return frozenset(r.variables[0] for r in kind.reductions if r.op == "+")
