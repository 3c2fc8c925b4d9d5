"""The kind of each axis of a nest: parallel, reduce, scan or serial, and what makes it so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from tl2hip.nest.analysis.conflicts import Conflict, Pairs, Question
from tl2hip.nest.analysis.scans import scans
from tl2hip.nest.analysis.trace import Access, Trace
from tl2hip.nest.analysis.variables import Flow, Reduction, reduction, why_ordered, written
from tl2hip.nest.ir import Alloc, Loop, Nest, ReduceOp, Set, Stmt, Store, Update
from tl2hip.nest.walk import all_stmts
from tl2hip.source.span import NOWHERE, Span

Kind = Literal["parallel", "reduce", "scan", "serial"]

REORDERABLE = frozenset(get_args(ReduceOp))


@dataclass(frozen=True, slots=True)
class ArrayUpdate:
    """An array that iterations of an axis update on the same elements, by one operation whose order is free.

    `invariant`: the elements updated do not vary with the axis (`C[i, j] += …` over k), so that the axis is a
    reduction for each of them; otherwise they are scattered (`hist[bin[i]] += 1`).
    """

    array: str
    op: ReduceOp
    invariant: bool
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Carried:
    """What one iteration hands to another.

    `distance` counts iterations, where it is always the same; `write` and `read` are the two places (`read`
    is a second write where `flow` is "output"). `flow`: "flow" written then read, "anti" read then
    overwritten, "output" written twice, "unknown" where the order is not known. `how` says more: "stores" for
    plain stores that may meet on one element, "running" for an accumulation that is also read in the loop,
    "ending" for a flag that ends the loop, "max" or "min" for one with the variable on the right, else "".
    """

    name: str
    what: Literal["variable", "array"]
    distance: int | None
    write: Span
    read: Span
    flow: Literal["flow", "anti", "output", "unknown"] = "unknown"
    how: Literal["", "stores", "ending", "running", "max", "min"] = ""

    @property
    def sentence(self) -> str:
        """What is carried, in words for the user."""
        if self.how == "ending":
            return "it ends early, at an iteration that the data decides"
        if self.what == "variable":
            return f"the value of {self.name} passes from one iteration to the next"
        if self.distance is None:
            apart = "another iteration"
        else:
            apart = "the next iteration" if self.distance == 1 else f"the iteration {self.distance} later"
        match self.flow:
            case "flow":
                return f"an element of {self.name} written in one iteration is read in {apart}"
            case "anti":
                return f"an element of {self.name} read in one iteration is overwritten in {apart}"
            case "output":
                return f"an element of {self.name} written in one iteration is written again in {apart}"
            case "unknown":
                return f"an element of {self.name} written in one iteration may be used in {apart}"


@dataclass(frozen=True, slots=True)
class AxisKind:
    """What an axis is. `reductions` and `updates` are told for scans and serial axes too, beside what carries.

    `live_out`: variables whose last value is read after the loop, which makes it serial. `scans`: all that a scan
    accumulates, read while it runs or not. `no_scan`: why running values make no scan, where only they are carried.
    """

    kind: Kind
    reductions: tuple[Reduction, ...] = ()
    updates: tuple[ArrayUpdate, ...] = ()
    carried: tuple[Carried, ...] = ()
    live_out: tuple[str, ...] = ()
    scans: tuple[Reduction, ...] = ()
    no_scan: str = ""
    at: Span = field(default=NOWHERE, compare=False)

    @property
    def in_order(self) -> bool:
        """Whether its iterations follow one another in the text's order, a scan's plan apart."""
        return self.kind in ("scan", "serial")


@dataclass(frozen=True, slots=True)
class Analysis:
    """The kinds of all axes of a nest, by the axis' unique name, in the order of the text."""

    kinds: Mapping[str, AxisKind]

    def kind(self, axis: str) -> Kind:
        """The kind of one axis; KeyError where the nest has none of that name."""
        return self.kinds[axis].kind


def analyse(nest: Nest) -> Analysis:
    """The kind of each axis of a nest."""
    trace = Trace(nest)
    flow = Flow()
    live = flow.live_after(nest.body)
    loops = [s for s in all_stmts(nest.body) if isinstance(s, Loop)]
    return Analysis({s.axis.name: _kind_of(s, trace, flow, live[s.axis.name]) for s in loops})


def _kind_of(loop: Loop, trace: Trace, flow: Flow, live: frozenset[str]) -> AxisKind:
    reductions, carried, last = _variables(loop, flow, live)
    updates, more = _arrays(loop, trace)
    carried += more
    kind: Kind = "parallel"
    found: tuple[Reduction, ...] | str = ()
    if carried or last:
        if not last and all(c.how == "running" for c in carried):
            found = scans(loop, [c.name for c in carried], reductions)
        kind = "scan" if found and not isinstance(found, str) else "serial"
    elif reductions or updates:
        kind = "reduce"
    told = (tuple(reductions), tuple(updates), tuple(carried), tuple(last))
    if isinstance(found, str):
        return AxisKind(kind, *told, no_scan=found, at=loop.at)
    return AxisKind(kind, *told, scans=found, at=loop.at)


# --- variables -------------------------------------------------------------------------------------------


def _variables(loop: Loop, flow: Flow, live: frozenset[str]) -> tuple[list[Reduction], list[Carried], list[str]]:
    open_reads = flow.exposed(loop.body)[0]
    names = written(loop.body)
    reductions: list[Reduction] = []
    carried: list[Carried] = []
    for name in names:
        if name not in open_reads and name not in live:
            continue
        found = reduction(loop.body, name)
        if found is not None:
            reductions.append(found)
        elif name in open_reads:
            carried.append(_carried_variable(loop.body, name, flow))
    reduced = {v for r in reductions for v in r.variables}
    told = reduced | {c.name for c in carried}
    last = [n for n in names if n in live and n not in told]
    return reductions, carried, last


def _carried_variable(body: tuple[Stmt, ...], name: str, flow: Flow) -> Carried:
    """What is told of a variable: the last place that sets it and the first that reads it, for a running value
    the first that uses it."""
    inside = list(all_stmts(body))
    how = why_ordered(body, name)
    sets = [s for s in inside if isinstance(s, Set) and s.name == name]
    reads = [s for s in inside if name in flow.reads(s)]
    uses = [s for s in reads if s not in sets]
    read = uses[0] if how == "running" and uses else reads[0]
    return Carried(name, "variable", 1, sets[-1].at, read.at, "flow", how)


# --- arrays ----------------------------------------------------------------------------------------------


def _arrays(loop: Loop, trace: Trace) -> tuple[list[ArrayUpdate], list[Carried]]:
    by_array: dict[str, list[Access]] = {}
    for access in trace.accesses:
        if loop.axis.name in access.scopes:
            by_array.setdefault(access.array, []).append(access)
    inside = list(all_stmts(loop.body))
    private = {s.array for s in inside if isinstance(s, Alloc) and trace.nest.array(s.array).role == "local"}
    shared = {s.array for s in inside if isinstance(s, Store | Update)} - private
    updates: list[ArrayUpdate] = []
    carried: list[Carried] = []
    pairs = Pairs(trace, loop.axis.name)
    for array, accesses in by_array.items():
        if array not in shared:
            continue
        conflict = _first_conflict(accesses, pairs)
        if conflict is None:
            continue
        update = _update(accesses, pairs)
        if update is None:
            carried.append(_carried_array(conflict, loop.axis.step))
        else:
            updates.append(update)
    return updates, carried


def _first_conflict(accesses: list[Access], pairs: Pairs) -> Conflict | None:
    """A conflict of accesses in different iterations, one of a fixed distance where that is easily found.
    islpy is asked only where nothing simpler settles it."""
    found: Conflict | None = None
    questions: list[Question] = []
    for x, y in _to_compare(accesses):
        answer = pairs.settle(x, y)
        if isinstance(answer, Question):
            questions.append(answer)
        elif answer is not None:
            if answer.distance is not None:
                return answer
            found = found or answer
    return found or next((c for q in questions if (c := pairs.ask(q)) is not None), None)


def _to_compare(accesses: list[Access]) -> Iterator[tuple[Access, Access]]:
    """The pairs of accesses of which one writes, those that look alike once; a write first with itself."""
    asked: set[object] = set()
    writes = [a for a in accesses if a.writes]
    for x in writes:
        for y in (x, *(a for a in accesses if a is not x and (a.place > x.place or not a.writes))):
            key = _shape_of(x, y)
            if key not in asked:
                asked.add(key)
                yield x, y


def _shape_of(x: Access, y: Access) -> object:
    """What a pair of accesses has in common with others that get the same answer."""
    return tuple((tuple(frozenset(p.items()) for p in a.index), id(a.facts), a.writes) for a in (x, y))


def _update(accesses: list[Access], pairs: Pairs) -> ArrayUpdate | None:
    """The update that all accesses are made of, where its order is free."""
    nodes = [a.node for a in accesses if isinstance(a.node, Update)]
    ops = {n.op for n in nodes}
    if len(nodes) != len(accesses) or len(ops) != 1 or not ops <= REORDERABLE:
        return None
    invariant = not any(pairs.varies(p) for a in accesses for p in a.index)
    return ArrayUpdate(accesses[0].array, nodes[0].op, invariant, tuple(a.at for a in accesses))


def _carried_array(conflict: Conflict, step: int) -> Carried:
    x, y = conflict.first, conflict.second
    distance = None if conflict.distance is None else conflict.distance // step
    if distance is not None and distance < 0:
        x, y, distance = y, x, -distance
    write, read = (x, y) if x.writes else (y, x)
    if x.writes and y.writes and not (x.kind == "update" or y.kind == "update"):
        return Carried(x.array, "array", distance, x.at, y.at, "output", "stores")
    if distance is None:
        return Carried(x.array, "array", None, write.at, read.at)
    return Carried(x.array, "array", distance, write.at, read.at, "flow" if x.writes else "anti")
