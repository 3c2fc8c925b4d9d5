"""The plan of a nest: which loops become grid, lanes and threads, and the statements each thread runs.

`plan(nest)` maps any legal nest from the kinds of its axes alone; it needs no idiom.
"""

from __future__ import annotations

from dataclasses import replace

from tl2hip.dtypes import I64
from tl2hip.nest.dependence import Analysis, analyse, in_place_ok
from tl2hip.nest.index import ONE
from tl2hip.nest.ir import AxisRef, Expr, Load, Nest, Store, Update, Var
from tl2hip.nest.walk import all_parts, all_stmts, map_expr, map_exprs
from tl2hip.plan import limits, uniform
from tl2hip.plan.attention import find as attention
from tl2hip.plan.decode import find as decode
from tl2hip.plan.interchange import interchange
from tl2hip.plan.ir import Miss, Placed, Plan
from tl2hip.plan.names import Names
from tl2hip.plan.program import Program, passed_on
from tl2hip.plan.schedule import Splitter, constants, refuse
from tl2hip.plan.state import State
from tl2hip.source.problems.base import Refused
from tl2hip.source.problems.planning import WorkspaceExtent

__all__ = ["plan", "plan_either"]

IN_ONE_PASS = (attention.PLAN, decode.PLAN)
"""The plans that take a softmax in one pass over the keys."""

JOINED = "as rules join its passes"


def plan(nest: Nest, analysis: Analysis | None = None) -> Plan:
    """The plan of a nest; `analysis` is that of this nest, where it is at hand. Raises Refused where no parallel
    axis is left, memory cannot be sized, a kernel takes more than a compute unit has, or a mark cannot be
    honoured."""
    planned = _planned(nest, analysis)
    limits.check(planned, _planned)
    uniform.check(planned.kernels)
    return planned


def plan_either(nest: Nest, rows: Nest | None, analysis: Analysis | None = None) -> tuple[Plan, bool]:
    """The plan of a nest, or of the same `rows` of a softmax as rules joined them where a plan takes these as what
    they are, in one pass over the keys, and the nest as it was written is taken by none; and whether it is theirs.
    Raises Refused as `plan` does."""
    if rows is None:
        return plan(nest, analysis), False
    own = _unless_refused(nest, analysis)
    if isinstance(own, Plan) and own.joins:
        return own, False
    theirs = _unless_refused(rows)
    if isinstance(theirs, Plan) and theirs.joins:
        return theirs, True
    if isinstance(own, Refused):
        raise own
    return replace(own, misses=(*own.misses, *_misses(theirs))), False


def _unless_refused(nest: Nest, analysis: Analysis | None = None) -> Plan | Refused:
    try:
        return plan(nest, analysis)
    except Refused as refused:
        return refused


def _misses(theirs: Plan | Refused) -> tuple[Miss, ...]:
    """Why rows of a softmax that rules joined are not taken in one pass."""
    if isinstance(theirs, Refused):
        return (Miss(attention.PLAN, f"{JOINED}: {theirs.problem.text}", at=theirs.problem.at),)
    return tuple(replace(m, why=f"{JOINED}: {m.why}") for m in theirs.misses if m.plan in IN_ONE_PASS)


def _planned(nest: Nest, analysis: Analysis | None = None) -> Plan:
    """The plan of a nest, whatever it takes."""
    given_nest, nest = nest, _sizes_inlined(nest)
    if analysis is None or nest is not given_nest:
        analysis = analyse(nest)
    kinds = dict(analysis.kinds)
    body = interchange(nest.body, kinds)
    given = constants(body)
    body = tuple(s for s in body if not any(s is c for c in given.values()))
    dtypes = {v.name: v.dtype for v in nest.variables}
    names = Names(nest)
    splitter = Splitter(kinds, dtypes, names, given)
    units = splitter.split(body)
    refuse(splitter.problems)
    in_place = _in_place(nest, analysis)
    state = State(nest, kinds, dtypes, names, _same(in_place), given)
    _place(state, splitter)
    for variable in passed_on(units, given):
        state.slots[variable] = state.workspace(f"{variable}_slot", dtypes[variable], (ONE,))
    host = Program(state).host(units)
    state.honours.refuse(nest)
    return Plan(
        nest,
        tuple(state.placed.values()),
        tuple(state.kernels),
        host,
        tuple(state.notes),
        in_place,
        trees=tuple(state.trees.items()),
        misses=tuple(state.misses),
        grains=tuple(state.grains),
        joins=tuple(state.joins),
        probes=tuple(state.probes),
    )


def _in_place(nest: Nest, analysis: Analysis) -> tuple[tuple[str, str], ...]:
    """The pairs (written, read) of the caller's arrays that may start at one address."""
    written = {s.array for s in all_stmts(nest.body) if isinstance(s, Store | Update)}
    outer = [a for a in nest.arrays if a.role != "local"]
    return tuple(
        (a.name, b.name)
        for a in outer
        for b in outer
        if a.name in written
        and b.name not in written
        and (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
        and in_place_ok(nest, a.name, b.name, analysis)
    )


def _same(pairs: tuple[tuple[str, str], ...]) -> dict[str, frozenset[str]]:
    """For each array of these pairs, the others that may be the same memory."""
    found: dict[str, set[str]] = {}
    for a, b in pairs:
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return {name: frozenset(others) for name, others in found.items()}


def _place(state: State, splitter: Splitter) -> None:
    """Parameters and results are the caller's memory, the function's own local arrays part of the workspace."""
    local = {a.array: a for a in splitter.allocated}
    for array in state.nest.arrays:
        if array.role != "local":
            state.placed[array.name] = Placed(array, "global")
        elif array.name in local:
            if any(isinstance(p, AxisRef | Var | Load) for e in array.shape for p in all_parts(e)):
                raise Refused(WorkspaceExtent(array.name, at=local[array.name].at))
            state.placed[array.name] = Placed(array, "workspace")


def _sizes_inlined(nest: Nest) -> Nest:
    """The nest with top-level integer constants (`half = N // 2`) put in the place of their names, so that the
    launcher knows every size."""
    whole = {n: s for n, s in constants(nest.body).items() if s.value.dtype is I64}
    if not whole:
        return nest

    def known(e: Expr) -> Expr:
        if isinstance(e, Var) and e.name in whole:
            return map_expr(known, whole[e.name].value)
        return e

    body = map_exprs(known, tuple(s for s in nest.body if not any(s is w for w in whole.values())))
    arrays = tuple(replace(a, shape=tuple(map_expr(known, e) for e in a.shape)) for a in nest.arrays)
    return replace(nest, body=body, arrays=arrays)
