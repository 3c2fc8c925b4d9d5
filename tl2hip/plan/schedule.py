"""The host program: a function's top-level statements as launches, host loops and one-block kernels.

A loop that can be shared out is a launch. A reduction or a scan with nothing parallel around it is two. A serial
loop, a `while` or a branch around parallel ones is one of the launcher, which reads back what it has to know for
that. Everything else is gathered into groups, each run by one block. Scalars that pass from one of these to another
live in the workspace.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from tl2hip.dtypes import BOOL, F32, F64, I32, I64, DType
from tl2hip.nest.dependence import AxisKind, flag_of
from tl2hip.nest.index import ZERO
from tl2hip.nest.ir import (
    Alloc,
    AxisRef,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Expr,
    If,
    Load,
    Logic,
    Loop,
    Scalar,
    Set,
    Stmt,
    Unary,
    Var,
    While,
)
from tl2hip.nest.walk import all_parts, all_stmts, blocks
from tl2hip.plan.access import Uses, loads_or_locals, uses
from tl2hip.plan.block import inner_loops, scannable, shareable
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
class Scan:
    """A top-level scan; `starts`: what its running values hold before it."""

    loop: Loop
    starts: Mapping[str, Expr]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A serial loop of the launcher."""

    loop: Loop
    body: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Until:
    """A `while` of the launcher; an Exit in its body ends it."""

    loop: While
    body: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Choose:
    """A branch that the launcher takes."""

    branch: If
    then: tuple[Unit, ...]
    orelse: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """Scalars that the launcher reads back."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exit:
    """Where the launcher leaves the loop around it unless a test holds."""

    unless: Expr


Unit = Group | Grid | Whole | Scan | Repeat | Until | Choose | Read | Exit


@dataclass(frozen=True, slots=True)
class Known:
    """A value that the launcher has once `ahead` has run and the scalars `back` are read back."""

    value: Expr
    ahead: tuple[Stmt, ...] = ()
    back: tuple[str, ...] = ()

    @property
    def read(self) -> tuple[Read, ...]:
        return (Read(self.back),) if self.back else ()


@dataclass(slots=True)
class Splitter:
    """Splits a body into units. `allocated` collects the local arrays that live through all of them; `kinds`
    and `dtypes` grow with the scalars that are made up. `constants` are scalars that each kernel computes for
    itself."""

    kinds: dict[str, AxisKind]
    dtypes: dict[str, DType]
    names: Names
    constants: Collection[str]
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
            known, unit = self._unit(s)
            if unit is None:
                group.append(s)
                continue
            if isinstance(unit, Scan):
                unit, group = self._started(unit, group)
            group += known.ahead
            if group and not (isinstance(unit, Whole) and _apart(uses(group), uses((s,)))):
                units.append(Group(tuple(group)))
                group = []
            units += (*known.read, unit)
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

    def _unit(self, s: Stmt) -> tuple[Known, Unit | None]:
        """The unit of its own that a statement makes, and what the launcher has to know for it; None where the
        statement joins a group."""
        match s:
            case Loop():
                return self._loop(s)
            case If() if launched((s,), self.kinds):
                test = self._known(s.test, "holds", s)
                return test, Choose(replace(s, test=test.value), self.split(s.then), self.split(s.orelse))
            case While() if launched(s.body, self.kinds):
                test = self._known(s.test, "holds", s)
                ask = (*self.split(test.ahead), *test.read, Exit(test.value))
                return _NOTHING, Until(s, (*ask, *self.split(s.body)))
            case While():
                way = _as_range(s)
                self.problems.append(NothingParallel(way, at=s.at) if way else NothingParallel(at=s.at))
                return _NOTHING, None
            case _:
                return _NOTHING, None

    def _loop(self, s: Loop) -> tuple[Known, Unit | None]:
        kind = self.kinds[s.axis.name]
        if for_grid(s, self.kinds):
            return _NOTHING, Grid(s)
        if shareable(s.axis, self.kinds):
            return _NOTHING, Whole(s) if kind.reductions else Grid(s)
        if scannable(s, self.kinds):
            return _NOTHING, Scan(s, {})
        if launched(s.body, self.kinds):
            name = called(s.axis)
            start, stop = self._known(s.axis.start, f"{name}_start", s), self._known(s.axis.stop, f"{name}_stop", s)
            both = Known(ZERO, (*start.ahead, *stop.ahead), (*start.back, *stop.back))
            axis = replace(s.axis, start=start.value, stop=stop.value)
            return both, Repeat(replace(s, axis=axis), self._turn(s))
        if not s.axis.marked("serial"):
            self.problems.append(CarriedValue.of(kind, called(s.axis), at=s.at))
        return _NOTHING, None

    def _started(self, unit: Scan, group: list[Stmt]) -> tuple[Scan, list[Stmt]]:
        """A scan with the values that its variables start from, and the group ahead of it without the statements
        that only say them. A start that is not known is kept apart: the scan itself changes the variable."""
        kept, starts = list(group), dict[str, Expr]()
        for v in (r.variables[0] for r in self.kinds[unit.loop.axis.name].scans):
            last = next((s for s in reversed(kept) if v in uses((s,)).sets | uses((s,)).gets), None)
            if isinstance(last, Set) and last.name == v and _constant(last.value, {}):
                kept = [s for s in kept if s is not last]
                starts[v] = last.value
                continue
            name = self.names.fresh(f"{v}_before", keep=True)
            self.dtypes[name] = self.dtypes[v]
            starts[v] = Var(name, self.dtypes[v])
            kept.append(Set(name, Var(v, self.dtypes[v]), at=unit.loop.at))
        return replace(unit, starts=starts), kept

    def _turn(self, s: Loop) -> tuple[Unit, ...]:
        """One turn of a loop of the launcher, which ends where its flag is down."""
        flag = flag_of(s.body)
        if flag is None:
            return self.split(s.body)
        return (Read((flag.name,)), Exit(flag), *self.split(tuple(x for top in s.body for x in blocks(top)[0])))

    def _known(self, e: Expr, wish: str, s: Stmt) -> Known:
        """How the launcher gets to know a value: from sizes and arguments, from scalars that it reads back, or
        from one lane that works it out."""
        if not loads_or_locals(e) and not any(isinstance(p, Call) for p in all_parts(e)):
            return Known(e)
        if all(self._plain(p) for p in all_parts(e)):
            return Known(e, back=tuple(dict.fromkeys(p.name for p in all_parts(e) if isinstance(p, Var))))
        name = self.names.fresh(wish, keep=True)
        self.dtypes[name] = e.dtype
        return Known(Var(name, e.dtype), (Set(name, e, at=s.at),), (name,))

    def _plain(self, e: Expr) -> bool:
        """Whether a part of a test is read as easily on the host."""
        if isinstance(e, Var):
            return e.name not in self.constants and e.dtype in (BOOL, I32, I64, F32, F64)
        return isinstance(e, Const | Dim | Scalar | AxisRef | Compare | Logic) or (
            isinstance(e, Unary) and e.op == "not"
        )


_NOTHING = Known(ZERO)
"""Nothing the launcher has to know."""


def launched(body: tuple[Stmt, ...], kinds: Mapping[str, AxisKind]) -> bool:
    """Whether launches can be made of something in a body: of a loop that may be shared out, or of a scan."""
    scans = (s for s in all_stmts(body) if isinstance(s, Loop) and scannable(s, kinds))
    return bool(inner_loops(body, kinds)) or any(scans)


def _apart(group: Uses, loop: Uses) -> bool:
    """Whether a reduction's partials may be computed before a group that stands ahead of it."""
    arrays = group.writes & (loop.reads | loop.writes) or loop.writes & group.reads
    return not arrays and not group.sets & (loop.gets - loop.sets)


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
    """All units that launch something or read something back, those inside loops and branches included."""
    found: list[Unit] = []
    for u in units:
        match u:
            case Repeat(body=body) | Until(body=body):
                found += walk(body)
            case Choose(then=then, orelse=orelse):
                found += (*walk(then), *walk(orelse))
            case Group() | Grid() | Whole() | Scan() | Read():
                found.append(u)
            case Exit():
                pass
    return tuple(found)


def _as_range(s: While) -> str | None:
    """The `for` in place of a `while` that compares a variable with its end and counts it up by 1, last of all."""
    match s.test, s.body[-1] if s.body else None:
        case Compare(op="<", left=Var(name=name), right=end), Set(name=counted, value=Binary(op="+") as after):
            if name != counted or (after.left, after.right) != (s.test.left, Const(1, after.dtype)):
                return None
            stop = end.name if isinstance(end, Dim | Scalar) else "…"
            return f"`{name}` counts: write `for {name} in range({stop})` and drop `{name} += 1`"
    return None
