"""The host program: a function's top-level statements as launches, host loops and one-block kernels.

A loop that can be shared out is a launch. A reduction with nothing parallel around it is two. A serial loop
around parallel ones is a loop of the launcher. Everything else is gathered into groups, each run by one block.
Scalars that pass from one of these to another live in the workspace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tl2hip.dtypes import DType
from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.ir import Alloc, AxisRef, Call, Expr, If, Load, Loop, Set, Stmt, Var, While
from tl2hip.nest.walk import all_parts, all_stmts
from tl2hip.plan.access import Uses, loads_or_locals, uses
from tl2hip.plan.block import inner_loops, shareable
from tl2hip.plan.chain import for_grid
from tl2hip.plan.names import Names, called
from tl2hip.plan.promote import gathered, written
from tl2hip.source.problems.base import Problem, Refused
from tl2hip.source.problems.dependence import CarriedValue
from tl2hip.source.problems.planning import NothingParallel


@dataclass(frozen=True, slots=True)
class Group:
    """Statements that one block runs together."""

    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A loop that is shared out over a grid."""

    loop: Loop


@dataclass(frozen=True, slots=True)
class Whole:
    """A top-level reduction: partials over a grid; the statements that take them in join the group behind it."""

    loop: Loop


@dataclass(frozen=True, slots=True)
class Repeat:
    """A serial loop of the launcher."""

    loop: Loop
    body: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Choose:
    """A branch that the launcher takes."""

    branch: If
    then: tuple[Unit, ...]
    orelse: tuple[Unit, ...]


Unit = Group | Grid | Whole | Repeat | Choose


@dataclass(slots=True)
class Splitter:
    """Splits a body into units. `allocated` collects the local arrays that live through all of them; `kinds`
    and `dtypes` grow with the scalars that are made up."""

    kinds: dict[str, AxisKind]
    dtypes: dict[str, DType]
    names: Names
    allocated: list[Alloc] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def split(self, body: tuple[Stmt, ...]) -> tuple[Unit, ...]:
        """The units of a body, in order."""
        units: list[Unit] = []
        group: list[Stmt] = []
        for s in (x for n, top in enumerate(body) for x in self._gathered(top, body[:n])):
            if isinstance(s, Alloc):
                self.allocated.append(s)
                continue
            unit = self._unit(s)
            if unit is None:
                group.append(s)
                continue
            if group and not (isinstance(unit, Whole) and _apart(uses(group), uses((s,)))):
                units.append(Group(tuple(group)))
                group = []
            units.append(unit)
            if isinstance(unit, Whole):
                group.append(s)
        if group:
            units.append(Group(tuple(group)))
        return tuple(units)

    def _gathered(self, s: Stmt, ahead: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """A loop that is all sums into fixed places, with these in scalars."""
        if not isinstance(s, Loop) or not shareable(s.axis, self.kinds) or for_grid(s, self.kinds):
            return (s,)
        return gathered(s, self.kinds, self.dtypes, self.names, written(ahead), keep=True) or (s,)

    def _unit(self, s: Stmt) -> Unit | None:
        """The unit of its own that a statement makes; None where it joins a group."""
        match s:
            case Loop():
                return self._loop(s)
            case If() if inner_loops((s,), self.kinds) and _for_host(s.test):
                return Choose(s, self.split(s.then), self.split(s.orelse))
            case While():
                if not inner_loops(s.body, self.kinds):
                    self.problems.append(NothingParallel(at=s.at))
                return None
            case _:
                return None

    def _loop(self, s: Loop) -> Unit | None:
        kind = self.kinds[s.axis.name]
        if for_grid(s, self.kinds):
            return Grid(s)
        if shareable(s.axis, self.kinds):
            return Whole(s) if kind.reductions else Grid(s)
        if inner_loops(s.body, self.kinds):
            if loads_or_locals(s.axis.start) or loads_or_locals(s.axis.stop):
                return None
            return Repeat(s, self.split(s.body))
        if not s.axis.marked("serial"):
            self.problems.append(CarriedValue.of(kind, called(s.axis), at=s.at))
        return None


def _apart(group: Uses, loop: Uses) -> bool:
    """Whether a reduction's partials may be computed before a group that stands ahead of it."""
    arrays = group.writes & (loop.reads | loop.writes) or loop.writes & group.reads
    return not arrays and not group.sets & (loop.gets - loop.sets)


def _for_host(test: Expr) -> bool:
    """Whether the launcher can take a branch: no memory, no scalar local, no math function."""
    return not loads_or_locals(test) and not any(isinstance(p, Call) for p in all_parts(test))


def refuse(problems: list[Problem]) -> None:
    """Raise the first of the problems, if there is one."""
    if problems:
        raise Refused(problems[0])


def constants(body: tuple[Stmt, ...]) -> dict[str, Set]:
    """Top-level scalars set once in the whole body, from sizes, scalar arguments and each other: they hold
    everywhere and need no memory."""
    counts: dict[str, int] = {}
    for s in all_stmts(body):
        if isinstance(s, Set):
            counts[s.name] = counts.get(s.name, 0) + 1
    found: dict[str, Set] = {}
    for s in body:
        if isinstance(s, Set) and counts[s.name] == 1 and _constant(s.value, found):
            found[s.name] = s
    return found


def _constant(e: Expr, known: Mapping[str, Set]) -> bool:
    return not any(
        isinstance(p, Load | AxisRef) or (isinstance(p, Var) and p.name not in known) for p in all_parts(e)
    )


def walk(units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """All units that launch something, those inside loops and branches included."""
    found: list[Unit] = []
    for u in units:
        match u:
            case Repeat(body=body):
                found += walk(body)
            case Choose(then=then, orelse=orelse):
                found += (*walk(then), *walk(orelse))
            case Group() | Grid() | Whole():
                found.append(u)
    return tuple(found)
