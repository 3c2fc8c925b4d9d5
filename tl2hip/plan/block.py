"""What a whole block runs together: uniform control, inner loops shared out over its lanes.

All lanes walk the same statements; a scalar holds the same value in each of them. A parallel loop gives each
lane its share of the iterations; a reduction gives each lane a partial and ends in a Combine; a store outside
such loops is done by lane 0. Barriers stand where a statement touches an array that another lane may have
written, or writes one that another lane may still read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tl2hip.dtypes import I64
from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.index import number
from tl2hip.nest.ir import Alloc, Axis, Compare, If, Load, Loop, Set, Stmt, Store, Update, Var, While
from tl2hip.nest.walk import all_parts, all_stmts, blocks, own_exprs, with_blocks
from tl2hip.plan import loops
from tl2hip.plan.access import unit_stride, uses
from tl2hip.plan.extents import constant_trip
from tl2hip.plan.gfx942 import WAVE
from tl2hip.plan.ir import Barrier, DeviceIf, DeviceStmt, DeviceWhile
from tl2hip.plan.loops import Spread
from tl2hip.plan.promote import gathered, written
from tl2hip.plan.reduce import Partial, partials, privatised, sums
from tl2hip.plan.running import Scan
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.tree import ScanTree, Tree
from tl2hip.plan.vectors import Wide, lowered, wide


def shareable(axis: Axis, kinds: Mapping[str, AxisKind]) -> bool:
    """Whether an axis' iterations may be shared out over lanes or blocks."""
    return not kinds[axis.name].in_order and not axis.marked("serial")


def inner_loops(body: Iterable[Stmt], kinds: Mapping[str, AxisKind]) -> tuple[Loop, ...]:
    """The loops of a body that a block could share out, outermost first, those inside them included."""
    return tuple(s for s in all_stmts(body) if isinstance(s, Loop) and shareable(s.axis, kinds))


def scannable(loop: Loop, kinds: Mapping[str, AxisKind]) -> bool:
    """Whether a loop is a scan that may be shared out, with no loop inside that is better shared out."""
    is_scan = kinds[loop.axis.name].kind == "scan" and not loop.axis.marked("serial")
    return is_scan and not inner_loops(loop.body, kinds)


def inner_scans(body: Iterable[Stmt], kinds: Mapping[str, AxisKind]) -> tuple[Loop, ...]:
    """The loops of a body that a block could scan, long enough for that as far as is known."""
    return tuple(s for s in all_stmts(body) if isinstance(s, Loop) and _long_scan(s, kinds))


def _long_scan(loop: Loop, kinds: Mapping[str, AxisKind]) -> bool:
    """Whether a scan is long enough; one that is cut or repeated by marks is left to each thread."""
    trips, marked = constant_trip(loop.axis), loop.axis.tile is not None or loop.axis.marked("unroll")
    return scannable(loop, kinds) and not marked and (trips is None or trips >= WAVE)


def on_lanes(loop: Loop, kinds: Mapping[str, AxisKind]) -> bool:
    """Whether a block shares a loop out over its lanes: it may, and no loop inside has more contiguous traffic
    along it (a reduction is never left to a loop inside)."""
    if not shareable(loop.axis, kinds):
        return False
    inner = inner_loops(loop.body, kinds)
    if not inner or kinds[loop.axis.name].reductions:
        return True
    return unit_stride(loop.body, loop.axis.name) >= max(unit_stride(loop.body, x.axis.name) for x in inner)


def gather(state: State, body: Iterable[Stmt]) -> tuple[Stmt, ...]:
    """A body in which what lanes add into one place is a reduction of a scalar."""
    body = tuple(body)
    return tuple(x for n, s in enumerate(body) for x in _gather_one(state, s, body[:n]))


def _gather_one(state: State, s: Stmt, ahead: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    if isinstance(s, Loop) and on_lanes(s, state.kinds):
        return gathered(s, state.kinds, state.dtypes, state.names, written(ahead)) or (s,)
    inner = tuple(gather(state, b) for b in blocks(s))
    return (with_blocks(s, inner) if inner else s,)


@dataclass(slots=True)
class BlockCode:
    """Lowers bodies that a block of `threads` runs together.

    `atomic` names the arrays whose Updates may meet another block's. With `vectors`, lanes move vectors where
    they can. `lanes` collects the axes that went to lanes, `trees` those of them that are reduced, `moves` the
    loops that move vectors.
    """

    state: State
    threads: int
    atomic: frozenset[str] = frozenset()
    vectors: bool = False
    lanes: list[str] = field(default_factory=list, init=False)
    trees: dict[str, Tree] = field(default_factory=dict, init=False)
    moves: list[Wide] = field(default_factory=list, init=False)
    _read: set[str] = field(default_factory=set, init=False)
    _written: set[str] = field(default_factory=set, init=False)

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
                return (*self._fence_tests(s), DeviceWhile(test, self._round(s, body), at=at))
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
        state = self.state
        if self.threads > 1 and _long_scan(s, state.kinds):
            return self._scan(s)
        if on_lanes(s, state.kinds):
            reductions = state.kinds[s.axis.name].reductions
            parts = partials(reductions, s.axis, s.body, state.dtypes, state.names)
            if parts is not None:
                return self._share(s, parts)
        head = self._fence_tests(s)
        return (*head, loops.serial(s.axis, self._round(s, s.body), state.names, s.at))

    def _round(self, s: Loop | While, body: tuple[Stmt, ...]) -> tuple[DeviceStmt, ...]:
        """One round of a loop. It may run not at all: what was pending before it is pending behind it."""
        read, written = set(self._read), set(self._written)
        lowered = (*self.lower(body), *self._close(s))
        self._read |= read
        self._written |= written
        return lowered

    def _share(self, s: Loop, parts: tuple[Partial, ...]) -> tuple[DeviceStmt, ...]:
        state = self.state
        self.lanes.append(s.axis.name)
        if parts:
            self.trees[s.axis.name] = Tree(self.threads)
        head = self._fence(s)
        conflicts = frozenset(u.array for u in state.kinds[s.axis.name].updates)
        code = ThreadCode(state.names, state.dtypes, state.kinds, self.atomic | conflicts, sums(parts))
        loop = self._lanes(replace(s, body=privatised(s.body, parts)), code)
        if parts and self.threads > WAVE:
            self._settle()  # the hop through LDS has barriers of its own
        starts = tuple(d for p in parts for d in p.start())
        ends = tuple(d for p in parts for d in (p.combine(self.threads, s.at), *code.lower(p.finish(s.at))))
        self._read |= uses(x for p in parts for x in p.finish(s.at)).reads
        return (*head, *starts, *loop, *ends)

    def _scan(self, s: Loop) -> tuple[DeviceStmt, ...]:
        """A scan over the lanes."""
        scan = Scan.of(self.state, s, self.threads, self.atomic)
        self.lanes.append(s.axis.name)
        self.trees[s.axis.name] = ScanTree(self.threads, width=scan.run)
        self.state.grain(scan.trips, scan.tile, scan.run)
        head = self._fence(s)
        ends = tuple(Set(v.name, v.var(v.so_far)) for v in scan.values)
        return (*head, *scan.alone({v.name: v.var(v.name) for v in scan.values}), *ends)

    def _lanes(self, s: Loop, code: ThreadCode) -> tuple[DeviceStmt, ...]:
        """The loop, each lane taking its share of the iterations."""
        how = Spread("x", False, self.threads, s.axis.tile or self.threads)
        moved = wide(self.state, s.axis, s.body, code.atomic) if self.vectors else None
        if moved is None:
            return (loops.spread(s.axis, how, code.lower(s.body), self.state.names, s.at),)
        self.moves.append(moved)
        return lowered(self.state, s, how, moved, code.lower)

    def _by_one_lane(self, s: Store | Update) -> tuple[DeviceStmt, ...]:
        s = replace(s, atomic=s.array in self.atomic) if isinstance(s, Update) else s
        if self.threads == 1:
            return (s,)
        first = Compare("==", Var("thread.x", I64), number(0))
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
        return any(x == y or y in self.state.same.get(x, frozenset()) for x in a for y in b)

    def _close(self, s: Loop | While) -> tuple[DeviceStmt, ...]:
        """A barrier at the end of a body whose next round, or next test, could meet what this one touched."""
        touched = uses((s,))
        if self.threads == 1 or not self._overlap(set(touched.writes), set(touched.reads | touched.writes)):
            return ()
        return (Barrier(),)
