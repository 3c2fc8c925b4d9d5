"""What a whole block runs together: uniform control, inner loops shared out over its lanes.

All lanes walk the same statements; a scalar holds the same value in each of them. A parallel loop gives each
lane its share of the iterations; a reduction gives each lane a partial and ends in a Combine; a store outside
such loops is done by lane 0. Barriers stand where a statement touches an array that another lane may have
written, or writes one that another lane may still read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tl2hip.dtypes import I64, DType
from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.index import number
from tl2hip.nest.ir import Alloc, Axis, Compare, If, Load, Loop, Set, Stmt, Store, Update, Var, While
from tl2hip.nest.walk import all_parts, all_stmts, own_exprs
from tl2hip.plan import loops
from tl2hip.plan.access import unit_stride, uses
from tl2hip.plan.gfx942 import WAVE
from tl2hip.plan.ir import Barrier, DeviceIf, DeviceStmt, DeviceWhile, Tree
from tl2hip.plan.loops import Spread
from tl2hip.plan.names import Names
from tl2hip.plan.promote import gathered
from tl2hip.plan.reduce import Partial, partials, privatised, sums
from tl2hip.plan.threads import ThreadCode


def shareable(axis: Axis, kinds: Mapping[str, AxisKind]) -> bool:
    """Whether an axis' iterations may be shared out over lanes or blocks."""
    return kinds[axis.name].kind != "serial" and not axis.marked("serial")


def inner_loops(body: Iterable[Stmt], kinds: Mapping[str, AxisKind]) -> tuple[Loop, ...]:
    """The loops of a body that a block could share out, outermost first, those inside them included."""
    return tuple(s for s in all_stmts(body) if isinstance(s, Loop) and shareable(s.axis, kinds))


@dataclass(slots=True)
class BlockCode:
    """Lowers bodies that a block runs together.

    `atomic` names the arrays whose Updates may meet another block's; `same` maps an array to those that may be
    the same memory. `shared_axes` collects the axes that went to lanes, `trees` those of them that are reduced.
    """

    names: Names
    kinds: dict[str, AxisKind]
    dtypes: dict[str, DType]
    threads: int
    atomic: frozenset[str] = frozenset()
    same: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shared_axes: list[str] = field(default_factory=list)
    trees: dict[str, Tree] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)
    _written: set[str] = field(default_factory=set)

    def lower(self, body: Iterable[Stmt]) -> tuple[DeviceStmt, ...]:
        """The device statements of a body in uniform control flow."""
        return tuple(d for s in body for d in self._one(s))

    def _one(self, s: Stmt) -> tuple[DeviceStmt, ...]:
        match s:
            case Alloc():
                return ()
            case Set():
                return (*self._fence(s), s)
            case Store() | Update():
                return (*self._fence(s), *self._by_one_lane(s))
            case If(test=test, then=then, orelse=orelse, at=at):
                return self._branch(s, then, orelse)
            case While(test=test, body=body, at=at):
                head = self._fence_tests(s)
                return (*head, DeviceWhile(test, (*self.lower(body), *self._close(s)), at=at))
            case Loop():
                return self._loop(s)

    def _branch(self, s: If, then: tuple[Stmt, ...], orelse: tuple[Stmt, ...]) -> tuple[DeviceStmt, ...]:
        """Both sides start from what was pending before and leave the sum of what they leave pending."""
        head = self._fence_tests(s)
        read, written = set(self._read), set(self._written)
        first = self.lower(then)
        read_then, written_then = self._read, self._written
        self._read, self._written = read, written
        second = self.lower(orelse)
        self._read |= read_then
        self._written |= written_then
        return (*head, DeviceIf(s.test, first, second, at=s.at))

    def _loop(self, s: Loop) -> tuple[DeviceStmt, ...]:
        if shareable(s.axis, self.kinds) and not self._better_inside(s):
            held = gathered(s, self.kinds, self.dtypes, self.names)
            if held is not None:
                return self.lower(held)
            kind = self.kinds[s.axis.name]
            parts = partials(kind.reductions, s.axis, s.body, self.dtypes, self.names)
            if parts is not None:
                return self._share(s, parts)
        head = self._fence_tests(s)
        body = (*self.lower(s.body), *self._close(s))
        return (*head, loops.serial(s.axis, body, self.names, s.at))

    def _better_inside(self, s: Loop) -> bool:
        """Whether a loop inside has more contiguous traffic along it, and this one may stay uniform."""
        inner = inner_loops(s.body, self.kinds)
        if not inner or self.kinds[s.axis.name].reductions:
            return False
        return max(unit_stride(s.body, x.axis.name) for x in inner) > unit_stride(s.body, s.axis.name)

    def _share(self, s: Loop, parts: tuple[Partial, ...]) -> tuple[DeviceStmt, ...]:
        self.shared_axes.append(s.axis.name)
        if parts:
            self.trees[s.axis.name] = Tree(self.threads)
        head = self._fence(s)
        conflicts = frozenset(u.array for u in self.kinds[s.axis.name].updates)
        code = ThreadCode(self.names, self.dtypes, self.kinds, self.atomic | conflicts, sums(parts))
        how = Spread("x", False, self.threads, s.axis.tile or self.threads)
        loop = loops.spread(s.axis, how, code.lower(privatised(s.body, parts)), self.names, s.at)
        if parts and self.threads > WAVE:
            self._settle()  # the hop through LDS has barriers of its own
        starts = tuple(d for p in parts for d in p.start())
        ends = tuple(d for p in parts for d in (p.combine(self.threads, s.at), *code.lower(p.finish(s.at))))
        return (*head, *starts, loop, *ends)

    def _by_one_lane(self, s: Store | Update) -> tuple[DeviceStmt, ...]:
        s = replace(s, atomic=s.array in self.atomic) if isinstance(s, Update) else s
        if self.threads == 1:
            return (s,)
        first = Compare("==", Var("thread_x", I64), number(0))
        return (DeviceIf(first, (s,), note="one lane stores", at=s.at),)

    def _fence(self, s: Stmt) -> tuple[DeviceStmt, ...]:
        """A barrier if the statement meets what is pending; then its own accesses are pending."""
        touched = uses((s,))
        return self._meet(set(touched.reads), set(touched.writes))

    def _fence_tests(self, s: Stmt) -> tuple[DeviceStmt, ...]:
        """The same for the bounds or the test of a statement alone."""
        return self._meet({p.array for e in own_exprs(s) for p in all_parts(e) if isinstance(p, Load)}, set())

    def _meet(self, reads: set[str], writes: set[str]) -> tuple[DeviceStmt, ...]:
        meets = self.threads > 1 and (
            self._overlap(reads, self._written)
            or self._overlap(writes, self._written)
            or self._overlap(writes, self._read)
        )
        if meets:
            self._settle()
        self._read |= reads
        self._written |= writes
        return (Barrier(),) if meets else ()

    def _settle(self) -> None:
        """Nothing is pending behind a barrier."""
        self._read.clear()
        self._written.clear()

    def _overlap(self, a: set[str], b: set[str]) -> bool:
        return any(x == y or y in self.same.get(x, frozenset()) for x in a for y in b)

    def _close(self, s: Loop | While) -> tuple[DeviceStmt, ...]:
        """A barrier at the end of a body whose next round, or next test, could meet what this one touched."""
        touched = uses((s,))
        if self.threads == 1 or not self._overlap(set(touched.writes), set(touched.reads | touched.writes)):
            return ()
        return (Barrier(),)
