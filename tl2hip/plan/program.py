"""Turns the units of a function into kernels and the launcher's statements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tl2hip.nest.analysis.variables import Flow
from tl2hip.nest.index import ONE, ZERO
from tl2hip.nest.ir import Loop, Set, Stmt, Store, Var
from tl2hip.nest.walk import all_parts
from tl2hip.plan import fast
from tl2hip.plan.access import uses
from tl2hip.plan.block import BlockCode, gather, inner_loops
from tl2hip.plan.ir import HostIf, HostLoop, HostStmt, HostWhile, Launch, Leave, ReadBack
from tl2hip.plan.launch import BLOCK, honour_inner, launch, note_inner
from tl2hip.plan.names import called
from tl2hip.plan.private import for_block
from tl2hip.plan.scan import scan
from tl2hip.plan.schedule import Choose, Exit, Grid, Group, Read, Repeat, Scan, Unit, Until, Whole, walk
from tl2hip.plan.state import State
from tl2hip.plan.total import total


@dataclass(slots=True)
class Program:
    """Builds the launcher's statements. `combines` maps a reduced loop, by identity, to the statements that
    take its partials in."""

    state: State
    combines: dict[int, tuple[Stmt, ...]] = field(default_factory=dict)

    def host(self, units: tuple[Unit, ...]) -> tuple[HostStmt, ...]:
        """The launcher's statements for these units."""
        return tuple(h for u in units for h in self._one(u))

    def _one(self, u: Unit) -> tuple[HostStmt, ...]:
        match u:
            case Grid(loop=loop):
                told = len(self.state.misses)
                done = fast.launch(self.state, loop) or launch(self.state, loop)
                self.state.check((loop,), self.state.misses[told:])
                return done
            case Whole(loop=loop):
                return self._whole(loop)
            case Scan(loop=loop, starts=starts):
                done = scan(self.state, loop, starts)
                self.state.check((loop,))
                return done
            case Group(body=body):
                return (self._group(body),)
            case Repeat(loop=loop, body=body):
                return (self._repeat(loop, body),)
            case Until(loop=loop, body=body):
                why = "there are parallel loops in it; it waits for what its test reads"
                self.state.note("while", "a loop of the launcher", why, loop.at)
                return (HostWhile(self.host(body), at=loop.at),)
            case Read(names=names):
                return tuple(ReadBack(n, self.state.dtypes[n], self.state.slots[n]) for n in names)
            case Exit(unless=test):
                return (Leave(test),)
            case Choose(branch=branch, then=then, orelse=orelse):
                return (HostIf(branch.test, self.host(then), self.host(orelse), at=branch.at),)

    def _whole(self, loop: Loop) -> tuple[HostStmt, ...]:
        halves = total(self.state, loop)
        if halves is None:
            return ()
        self.combines[id(loop)] = halves.combine
        self.state.check((loop,))
        return (halves.launch,)

    def _repeat(self, loop: Loop, body: tuple[Unit, ...]) -> HostLoop:
        axis = loop.axis
        carried = self.state.kinds[axis.name].carried
        why = carried[0].sentence if carried else "its iterations follow one another"
        self.state.note(called(axis), "a loop of the launcher", why, loop.at)
        self.state.honours.launched(axis)
        self.state.check((replace(loop, body=()),))
        return HostLoop(axis.name, axis.start, axis.stop, axis.step, self.host(body), at=loop.at)

    def _group(self, body: tuple[Stmt, ...]) -> Launch:
        state = self.state
        open_reads, settled = Flow().exposed(body)
        sets = uses(body).sets
        marked = tuple(s for s in body if id(s) not in self.combines)
        body = gather(state, (x for s in body for x in self.combines.get(id(s), (s,))))
        body = for_block(state, body, ONE, ZERO)
        kept = [v for v in state.slots if v in sets and (v in open_reads or v not in settled)]
        ahead = tuple(Set(v, state.slot(v), at=body[0].at) for v in kept)
        behind = tuple(
            Store(array, (ZERO,), Var(v, state.dtypes[v]), proven=True, at=body[-1].at)
            for v, array in state.slots.items()
            if v in sets
        )
        threads = BLOCK if inner_loops(body, state.kinds) else 1
        code = BlockCode(state, threads)
        lowered = code.lower((*ahead, *body, *behind))
        kernel = state.add("finish" if self.combines else "scalars", lowered, (threads, 1, 1), "one block")
        note_inner(state, body, code.lanes, threads)
        honour_inner(state, body, code)
        state.check(marked)
        state.trees.update(code.trees)
        return Launch(kernel, (ONE, ONE, ONE))


def passed_on(units: tuple[Unit, ...], constants: Iterable[str]) -> tuple[str, ...]:
    """The scalars that one unit leaves for another, in order of name: they need memory between launches."""
    wanted: set[str] = set()
    for u in walk(units):
        match u:
            case Grid(loop=loop) | Whole(loop=loop):
                touched = uses((loop,))
                wanted |= touched.gets - touched.sets
            case Scan(loop=loop, starts=starts):
                touched = uses((loop,))
                wanted |= touched.gets - touched.sets
                wanted |= {e.name for start in starts.values() for e in all_parts(start) if isinstance(e, Var)}
            case Group(body=body):
                wanted |= Flow().exposed(body)[0]
            case Read(names=names):
                wanted |= set(names)
            case _:
                raise TypeError(u)
    return tuple(sorted(wanted - set(constants)))
