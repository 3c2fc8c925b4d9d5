"""Refuses a plan that takes more than a compute unit has, with the numbers and a way out that was tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tl2hip.nest.ir import Axis, Loop, Mark, Nest, Stmt
from tl2hip.nest.walk import all_stmts, map_stmts
from tl2hip.plan.budget import Budget, budgets, surely_fits
from tl2hip.plan.gfx942 import LDS_BYTES, MAX_THREADS, REGISTERS
from tl2hip.plan.ir import Plan
from tl2hip.source.problems.base import Problem, Refused
from tl2hip.source.span import Span

SMALLEST_TILE = 16
"""The smallest tile that is proposed: one matrix instruction."""

Again = Callable[[Nest], Plan]
"""Plans a nest."""


@dataclass(frozen=True, slots=True)
class WayOut:
    """Marks that could be written instead: the nest with them, in words, and where they stand."""

    nest: Nest
    words: str
    at: Span


def check(plan: Plan, again: Again) -> None:
    """Raises Refused where a kernel of the plan takes more than there is. `again` plans a nest with other marks."""
    if all(surely_fits(k, plan.arrays) for k in plan.kernels):
        return
    excess = next((b for b in budgets(plan) if not fits(b)), None)
    if excess is not None:
        raise Refused(_problem(excess, plan.nest, again))


def fits(b: Budget) -> bool:
    """Whether a block can run with its threads, LDS and registers.

    Of the registers those count that are sure to be needed: for the scalars and addresses of a plan the compiler
    may find room elsewhere. Where it does not, it spills, which `verify` finds.
    """
    return b.threads <= MAX_THREADS and b.lds_bytes <= LDS_BYTES and b.certain <= b.allowed


def _problem(b: Budget, nest: Nest, again: Again) -> Problem:
    advice, at = _advice(b, nest, again)
    if b.threads > MAX_THREADS:
        from tl2hip.source.problems.planning import TooManyThreads

        return TooManyThreads(b.kernel, f"{b.threads:,}", f"{MAX_THREADS:,}", advice, at=at)
    if b.lds_bytes > LDS_BYTES:
        from tl2hip.source.problems.marks import TooMuchLds

        told = ", ".join(f"{p.name} {p.bytes:,}" for p in b.lds)
        return TooMuchLds(b.kernel, f"{b.lds_bytes:,}", told, f"{LDS_BYTES:,}", advice, at=at)
    from tl2hip.source.problems.planning import TooManyRegisters

    told = ", ".join([*(f"{name} {n}" for name, n in b.vectors), "the rest scalars and addresses"])
    return TooManyRegisters(b.kernel, b.registers, told, _reason(b), advice, at=at)


def _reason(b: Budget) -> str:
    """Why so many registers are too many."""
    if b.allowed == REGISTERS:
        return f"gfx942 has {REGISTERS}"
    if replace(b, promised=None).needed == b.needed:
        return f"a block of {b.threads:,} threads leaves {b.allowed}"
    return f"{b.promised} waves a SIMD leave {b.allowed} for each"


def _advice(b: Budget, nest: Nest, again: Again) -> tuple[str, Span]:
    """The first other marks with which the kernel fits, in words, and the place of what they change."""
    tried = list(_ways_out(nest))
    for way in tried:
        found = _planned(way.nest, again)
        same = next((x for x in found or () if x.kernel == b.kernel and x.says_something), None)
        if found is not None and same is not None and all(map(fits, found)):
            return f"{way.words} needs {_need(b, same)}", way.at
    at = tried[0].at if tried else nest.at
    plain = _planned(_unmarked(nest), again) if tried else None
    if plain is not None and all(map(fits, plain)):
        return "leave the tiles and marks out, and tl2hip chooses ones that fit", at
    return "use fewer or smaller local arrays; no other marks make it fit", at


def _planned(nest: Nest, again: Again) -> tuple[Budget, ...] | None:
    try:
        return budgets(again(nest))
    except Refused:
        return None


def _need(over: Budget, b: Budget) -> str:
    """How much a kernel needs of what another one takes too much of."""
    if over.threads > MAX_THREADS:
        return f"{b.threads:,}"
    return f"{b.lds_bytes:,}" if over.lds_bytes > LDS_BYTES else f"about {b.registers}"


def _ways_out(nest: Nest) -> Iterator[WayOut]:
    """Smaller tiles, then fewer stages and waves; those of pipelined and inner loops first."""
    loops = [s for s in all_stmts(nest.body) if isinstance(s, Loop)]
    named = {x.axis.user: x for x in loops if x.axis.user and (x.axis.tile or x.axis.marks)}
    inner_first = tuple(named.values())[::-1]
    ordered = sorted(inner_first, key=lambda x: not x.axis.marked("stages"))
    for loop in ordered:
        tile = (loop.axis.tile or 0) // 2
        at = loop.axis.marks[0].at if loop.axis.marks else loop.at
        while tile >= SMALLEST_TILE:
            smaller = _changed(nest, loop.axis.user, _tiled(tile))
            yield WayOut(smaller, f"a {loop.axis.user} tile of {tile}", at)
            tile //= 2
    for loop in ordered:
        for mark in loop.axis.marks:
            if mark.name in ("stages", "waves") and mark.value is not None:
                yield from _less_of(nest, loop.axis.user, mark)


def _less_of(nest: Nest, user: str, mark: Mark) -> Iterator[WayOut]:
    """The nest with lower values of one mark."""
    value = mark.value or 0
    halves = [value >> n for n in range(1, value.bit_length())]
    for less in range(value - 1, 0, -1) if mark.name == "stages" else halves:
        marks = {mark: replace(mark, value=less)}
        yield WayOut(_changed(nest, user, _swap(marks)), f"{mark.name}({less}) for {user}", mark.at)


def _swap(marks: dict[Mark, Mark]) -> Callable[[Axis], Axis]:
    return lambda a: replace(a, marks=tuple(marks.get(m, m) for m in a.marks))


def _tiled(tile: int) -> Callable[[Axis], Axis]:
    return lambda a: replace(a, tile=tile)


def _unmarked(nest: Nest) -> Nest:
    """The nest without tiles and marks, `serial` apart, which is part of what the user says."""

    def plain(a: Axis) -> Axis:
        return replace(a, tile=None, marks=tuple(m for m in a.marks if m.name == "serial"))

    for user in sorted({s.axis.user for s in all_stmts(nest.body) if isinstance(s, Loop)}):
        nest = _changed(nest, user, plain)
    return nest


def _changed(nest: Nest, user: str, change: Callable[[Axis], Axis]) -> Nest:
    """The nest with a change to every axis of that name of the user's."""

    def one(s: Stmt) -> Stmt:
        return replace(s, axis=change(s.axis)) if isinstance(s, Loop) and s.axis.user == user else s

    return replace(nest, body=map_stmts(one, nest.body))
