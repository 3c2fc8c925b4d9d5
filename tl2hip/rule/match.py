"""match: whether a rule's term is what one statement of a nest computes, and what its holes stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import permutations, product

from tl2hip.nest.ir import (
    AxisRef,
    Binary,
    Cast,
    Const,
    Dim,
    Expr,
    Load,
    Loop,
    Scalar,
    Var,
)
from tl2hip.nest.walk import all_parts, parts, substitute
from tl2hip.rule.fits import Captured, Match, Miss, State, shown
from tl2hip.rule.pattern import Pattern
from tl2hip.rule.sites import Site, View
from tl2hip.rule.terms import alike, joined, operands, positive, said, stripped

COMMUTE = ("+", "*", "&", "|", "^")
"""Operations whose operands may be taken in any order and grouping."""

OPERANDS = 6
"""The most operands of one sum or product that are taken in every grouping."""


def match(pattern: Pattern, seen: View, site: Site) -> tuple[list[Match], Miss | None]:
    """Every way in which a pattern is what a site computes; the nearest miss where there is none."""
    matcher = _Matcher(pattern, seen, site)
    found = [m for state in matcher.states() if (m := matcher.solved(state)) is not None]
    return found, None if found else matcher.nearest


class _Matcher:
    """One pattern at one site; keeps the deepest point that was reached."""

    def __init__(self, pattern: Pattern, seen: View, site: Site) -> None:
        self.pattern = pattern
        self.seen = seen
        self.site = site
        self.nearest: Miss | None = None

    def miss(self, state: State, point: Expr | str, reason: str, site: Site | None = None) -> None:
        if self.nearest is None or state.steps > self.nearest.reached:
            self.nearest = Miss(site or self.site, state.steps, self.pattern.size, point, reason)

    def states(self) -> Iterator[State]:
        """The ways the term fits, before the axes are shared out."""
        root, site, start = self.pattern.root, self.site, State()
        made = self.pattern.view.site_of(root.name) if isinstance(root, Var) else None
        if site.fault:
            self.miss(start, site.target, site.fault)
        elif made is not None and site.op:
            yield from self.reduction(made, site, start)
        elif made is not None:
            self.miss(start, site.target, "a plain store, not a reduction")
        elif site.op:
            self.miss(start, site.target, "a reduction, not a plain store")
        elif isinstance(root, Load):
            yield from self.expr(root, site.value, start, site)
        else:
            for e in dict.fromkeys(all_parts(site.value)):
                yield from self.expr(root, e, start, site)

    # --- terms ---------------------------------------------------------------------------------------

    def reduction(self, p: Site, s: Site, state: State) -> Iterator[State]:
        """A reduction of the pattern against one of the nest."""
        chosen = self.operation(p.op, s.op, state)
        if chosen is None:
            self.miss(state, s.target, f"reduces by `{s.op}`, not by `{self.named(p.op)}`", s)
            return
        state = chosen
        reason = self.unfit(s)
        if reason:
            self.miss(state, s.target, reason, s)
            return
        if len(p.over) == 1:
            ways: Iterator[tuple[tuple[str, ...], ...]] = iter([(s.over,)])
        elif len(p.over) == len(s.over):
            ways = (tuple((a,) for a in way) for way in permutations(s.over))
        else:
            self.miss(state, s.target, f"reduces over {len(s.over)} loops, not over {len(p.over)}", s)
            return
        assert p.init is not None and s.init is not None
        for way in ways:
            bound = self.loops(p, s, way, state.step())
            if bound is None:
                continue
            before = replace(s, loops=s.loops[: s.depth])
            for started in self.expr(p.init, s.init, bound, before):
                yield from self.expr(p.value, s.value, started, s)

    def operation(self, p: str, op: str, state: State) -> State | None:
        """An operation of the pattern against one of the nest; None where it is another."""
        hole = self.pattern.ops.get(p)
        if hole is None:
            return state if p == op else None
        if op not in self.pattern.hole(hole).choices or state.ops.get(hole, op) != op:
            return None
        return replace(state, ops={**state.ops, hole: op})

    def named(self, op: str) -> str:
        hole = self.pattern.ops.get(op)
        return op if hole is None else ", ".join(self.pattern.hole(hole).choices)

    def unfit(self, s: Site) -> str:
        """Why a reduction of the nest is none whose terms stand alone; "" where it is one."""
        if s.fault:
            return s.fault
        for n, a in enumerate(s.loops):
            kind = self.seen.kinds.get(a.axis)
            if a.axis in s.over and (kind is None or kind.kind != "reduce"):
                why = kind.carried[0].sentence if kind is not None and kind.carried else "its last value is used"
                return f"the loop over {self.user(a.axis)} is serial: {why}"
            if n > s.depth and a.axis not in s.over and (kind is None or kind.in_order):
                return f"a serial loop stands between {s.target} and the loop over it"
        return ""

    def user(self, axis: str) -> str:
        for a in self.site.loops:
            if a.axis == axis and isinstance(a.loop, Loop):
                return a.loop.axis.user or axis
        return axis

    def loops(self, p: Site, s: Site, way: tuple[tuple[str, ...], ...], state: State) -> State | None:
        """The loops of a pattern's reduction bound to those of the nest."""
        loops, extents = dict(state.loops), dict(state.extents)
        named = dict(self.pattern.loops)
        around = {a.axis: a for a in s.loops}
        for axis, over in zip(p.over, way, strict=True):
            loops[axis] = over
            bounds = tuple(b for o in over for b in (*around[o].bounds, _stride(around[o].loop)))
            extent = named.get(axis)
            if extent is not None and extents.setdefault(extent, bounds) != bounds:
                self.miss(state, s.target, f"two loops over {extent} have other bounds", s)
                return None
        return replace(state, loops=loops, extents=extents, sites=(*state.sites, s))

    def expr(self, p: Expr, e: Expr, state: State, site: Site) -> Iterator[State]:
        """A term of the pattern against one of the nest, evaluated at `site`."""
        match p:
            case Load(array=name, index=index):
                args = tuple(i.axis for i in index if isinstance(i, AxisRef))
                yield from self.captured(name, e, args, state, site)
                return
            case Scalar(name=name):
                if self.pattern.kind(name) == "Const" and not isinstance(stripped(e), Const):
                    self.miss(state, e, "no literal", site)
                    return
                yield from self.captured(name, e, (), state, site)
                return
            case Cast(value=Dim(name=name)) | Dim(name=name):
                yield from self.extent(name, e, state, site)
                return
            case Var(name=name):
                made = self.pattern.view.site_of(name)
                assert made is not None
                e = stripped(e)
                other = self.seen.site_of(e.name) if isinstance(e, Var) else None
                if other is None:
                    self.miss(state, e, "not the result of a reduction", site)
                else:
                    yield from self.reduction(made, other, state)
                return
        e = positive(stripped(e)) if isinstance(p, Binary) and p.op == "*" else stripped(e)
        chosen = self.operation(p.op, e.op, state) if isinstance(p, Binary) and isinstance(e, Binary) else None
        if isinstance(p, Binary) and isinstance(e, Binary) and chosen is not None:
            if e.op in COMMUTE:
                yield from self.commuted(p, e, chosen.step(), site)
            else:
                yield from self.all(parts(p), parts(e), chosen.step(), site)
        elif alike(p, e):
            yield from self.all(parts(p), parts(e), state.step(), site)
        else:
            self.miss(state, e, f"{said(e)} where the rule has {said(p)}", site)

    def all(self, ps: tuple[Expr, ...], es: tuple[Expr, ...], state: State, site: Site) -> Iterator[State]:
        if not ps:
            yield state
            return
        for first in self.expr(ps[0], es[0], state, site):
            yield from self.all(ps[1:], es[1:], first, site)

    def commuted(self, p: Binary, e: Binary, state: State, site: Site) -> Iterator[State]:
        """Operands in either order as written; then in other groupings, where a hole can take several."""
        yield from self.all((p.left, p.right), (e.left, e.right), state, site)
        yield from self.all((p.left, p.right), (e.right, e.left), state, site)
        ps, es = operands(p, p.op), operands(e, e.op)
        if not len(ps) <= len(es) <= OPERANDS or len(es) == 2:
            return
        state = replace(state, regrouped=True)
        for places in product(range(len(ps)), repeat=len(es)):
            groups = [[x for x, place in zip(es, places, strict=True) if place == n] for n in range(len(ps))]
            if all(len(g) == 1 or (g and isinstance(q, Load)) for g, q in zip(groups, ps, strict=True)):
                yield from self.all(tuple(ps), tuple(joined(g, e.op) for g in groups), state, site)

    # --- holes ---------------------------------------------------------------------------------------

    def captured(self, name: str, e: Expr, args: tuple[str, ...], state: State, site: Site) -> Iterator[State]:
        old = state.holes.get(name)
        if old is None:
            yield replace(state, holes={**state.holes, name: Captured(e, args, site)}, steps=state.steps + 1)
        elif self.same(old, e, args, state):
            yield state.step()
        else:
            self.miss(state, e, f"`{name}` stands for {shown(self.seen, old.expr)} already", site)

    def same(self, old: Captured, e: Expr, args: tuple[str, ...], state: State) -> bool:
        """Whether an expression is what a hole stands for, at other axes."""
        axes: dict[Expr, Expr] = {}
        for before, now in zip(old.args, args, strict=True):
            a, b = state.loops.get(before, ()), state.loops.get(now, ())
            if len(a) != len(b):
                return False
            axes.update((AxisRef(x), AxisRef(y)) for x, y in zip(a, b, strict=True))
        return substitute(stripped(old.expr), axes) == stripped(e)

    def extent(self, name: str, e: Expr, state: State, site: Site) -> Iterator[State]:
        """An Extent used as a number: the end of a loop that starts at 0 in steps of 1."""
        while isinstance(e, Cast):
            e = e.value
        bounds = state.extents.get(name)
        if bounds is None:
            yield replace(state.step(), extents={**state.extents, name: (_ZERO, e, _ONE)})
        elif len(bounds) == 3 and isinstance(bounds[0], Const) and bounds[0].value == 0 and bounds[1:] == (e, _ONE):
            yield state.step()
        else:
            self.miss(state, e, f"not the number of steps of the loop over {name}", site)

    # --- axes ----------------------------------------------------------------------------------------

    def solved(self, state: State) -> Match | None:
        """The match with each axis around it shared out; None where a hole uses what it may not."""
        loops = {a.axis: a for s in (self.site, *state.sites) for a in s.loops}
        over = {axis for axes in state.loops.values() for axis in axes}
        fixed = self.fixed(state)
        uses = {n: self.seen.axes_of(c.expr, c.site.loops) for n, c in state.holes.items()}
        bound: dict[str, tuple[str, ...]] = dict.fromkeys(self.pattern.axes, ())
        for axis in loops:
            hole = None if axis in over or axis in fixed else self.home(axis, uses, state)
            if hole is not None:
                bound[hole] = (*bound[hole], axis)
        bound.update({name: state.loops[axis] for axis, name in self.pattern.loops if axis in state.loops})
        reason = self.forbidden(state, uses, over)
        if reason:
            self.miss(state, *reason)
            return None
        index = (self.seen.axes_of(i, self.site.loops) for i in self.site.index)
        used = fixed.union(*uses.values(), *index)
        taken = {a for axes in bound.values() for a in axes} | over
        outside = tuple(a for a in loops if a in used and a not in taken and self.free(a))
        return Match(self.pattern, self.seen, self.site, state, bound, outside)

    def fixed(self, state: State) -> frozenset[str]:
        """The axes that the bounds of the loops depend on: these stay outside."""
        bounds = (b for s in state.sites for a in s.loops if a.axis in s.over for b in a.bounds)
        none: frozenset[str] = frozenset()
        return none.union(*(self.seen.axes_of(b, self.site.loops) for b in bounds))

    def serial(self, axis: str) -> bool:
        kind = self.seen.kinds.get(axis)
        return kind is None or kind.in_order

    def free(self, axis: str) -> bool:
        """Whether a loop around the site can be taken last: neither it nor one inside it is serial."""
        names = [a.axis for a in self.site.loops]
        return axis in names and not any(map(self.serial, names[names.index(axis) :]))

    def home(self, axis: str, uses: Mapping[str, frozenset[str]], state: State) -> str | None:
        """The Axis hole that takes an axis: the one that all Fn holes changing with it are used at."""
        fns = [n for n in uses if self.pattern.kind(n) == "Fn"]
        using = [n for n in fns if axis in uses[n]]
        if not using and isinstance(self.pattern.root, Load) and self.indexed(axis):
            using = fns
        if not using or not self.free(axis):
            return None
        homes = [a for a in self.pattern.axes if all(a in state.holes[n].args for n in using)]
        return min(homes, key=lambda a: sum(a in state.holes[n].args for n in fns), default=None)

    def indexed(self, axis: str) -> bool:
        return any(axis in self.seen.axes_of(i, self.site.loops) for i in self.site.index)

    def forbidden(
        self, state: State, uses: Mapping[str, frozenset[str]], over: set[str]
    ) -> tuple[Expr, str] | None:
        """What a hole uses that it may not: an axis it is not given, or what the match writes."""
        for name, c in state.holes.items():
            given = {axis for arg in c.args for axis in state.loops.get(arg, ())}
            beyond = sorted((uses[name] & over) - given)
            if beyond:
                return c.expr, f"`{name}` may not change with {self.user(beyond[0])}"
            written = self.written(c, state)
            if written:
                return c.expr, f"`{name}` reads {written}, which the same loops write"
        return None

    def written(self, c: Captured, state: State) -> str:
        """An array that a Fn reads and the match writes, other than the very element it stores."""
        if not c.args:
            return ""
        if not state.sites:
            own = (p for p in all_parts(c.expr) if isinstance(p, Load) and p.array == self.site.target)
            return self.site.target if any(p.index != self.site.index for p in own) else ""
        none: frozenset[str] = frozenset()
        arrays = none.union(*(s.loops[s.depth].arrays for s in state.sites))
        return next((p.array for p in all_parts(c.expr) if isinstance(p, Load) and p.array in arrays), "")


_ZERO = Const(0, AxisRef("").dtype)
_ONE = Const(1, AxisRef("").dtype)


def _stride(loop: object) -> Expr:
    assert isinstance(loop, Loop)
    return Const(loop.axis.step, AxisRef("").dtype)
