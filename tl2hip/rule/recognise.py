"""recognise: the idioms that rules recognise in a nest, and for each rule where it fitted or how near it came."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tl2hip.nest.dependence import Analysis
from tl2hip.nest.ir import Idiom, Nest
from tl2hip.rule.fits import Match, Miss, shown
from tl2hip.rule.load import Loaded
from tl2hip.rule.match import match
from tl2hip.rule.sites import Site, View
from tl2hip.rule.view import view
from tl2hip.source.span import Span

SHOWN = 160
"""Characters of an expression that marks and misses show."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The statement at which a rule came furthest, and why it stopped there: `reached` steps of `of`."""

    at: Span
    reached: int
    of: int
    point: str
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule found in a nest: its idioms, and the nearest miss among the other statements."""

    rule: str
    fits: tuple[Idiom, ...]
    nearest: NearMiss | None

    @property
    def told(self) -> tuple[str, ...]:
        """Lines that say where the rule fits, or how near it came."""
        near = self.nearest
        if self.fits:
            axes = [", ".join(f"{role}={' '.join(names)}" for role, names in i.axes) for i in self.fits]
            return tuple(f"{self.rule} fits in line {i.at.line}: {a}" for i, a in zip(self.fits, axes, strict=True))
        if near is None:
            return (f"{self.rule} does not fit",)
        where = f"{self.rule} does not fit; nearest in line {near.at.line}: {near.reason}"
        return where, f"  {near.reached} of {near.of} steps, up to {near.point}"


@dataclass(frozen=True, slots=True)
class Applied:
    """A nest with its idioms marked, and the verdict of each rule, in the rules' order."""

    nest: Nest
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    loaded: Loaded
    match: Match

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Outermost first, then the deepest, the larger, the order of the files."""
        pattern, site = self.match.pattern, self.match.site
        depth = min(self.match.view.sites[n].depth for n in _covers(site))
        return (depth, -len(pattern.loops), -pattern.size, self.loaded.order)


def apply(nest: Nest, rules: Iterable[Loaded], analysis: Analysis | None = None) -> Applied:
    """The nest with the idioms that the rules recognise; `analysis` is that of this nest, where it is at hand.

    A statement belongs to one idiom at most: where several rules fit, the outermost match is taken, then that
    of the most loops, the largest, the first in the order of the files; `beats` comes before all that.
    """
    seen = view(nest, analysis)
    candidates: list[_Candidate] = []
    misses: dict[str, list[Miss]] = {}
    loaded = tuple(rules)
    for r in loaded:
        for site in seen.sites:
            best, miss = fit(r, seen, site)
            if best is not None:
                candidates.append(_Candidate(r, best))
            elif miss is not None:
                misses.setdefault(r.name, []).append(miss)
    chosen = _chosen(candidates, misses)
    chosen.sort(key=lambda c: c.match.site.number)
    idioms = [idiom(c.loaded, c.match) for c in chosen]
    verdicts = tuple(
        Verdict(r.name, tuple(i for i in idioms if i.rule == r.name), _nearest(seen, misses.get(r.name, [])))
        for r in loaded
    )
    return Applied(replace(nest, idioms=tuple(idioms)), verdicts)


def fit(r: Loaded, seen: View, site: Site) -> tuple[Match | None, Miss | None]:
    """The best way in which a rule fits a site, or its nearest miss there."""
    best: Match | None = None
    pattern = r.sides.pattern
    found, miss = match(pattern, seen, site)
    for m in found:
        reason = r.rule.condition(m) if r.rule.condition is not None else None
        if reason:
            miss = Miss(site, m.state.steps, pattern.size, site.value, reason)
        elif best is None or _preference(m) > _preference(best):
            best = m
    return best, None if best is not None else miss


def _preference(m: Match) -> tuple[int, bool, int]:
    """More Axis holes bound, operands as they were written, and the first Axis the outermost of the result."""
    order = _result_axes(m)
    filled = sum(bool(m.axes(a)) for a in m.pattern.axes)
    first = m.axes(m.pattern.axes[0]) if m.pattern.axes else ()
    place = min((order.index(a) for a in first if a in order), default=len(order))
    return filled, not m.state.regrouped, -place


def _result_axes(m: Match) -> tuple[str, ...]:
    """The axes of the loops that make elements of their own, then those of the element's index, in its order."""
    site = m.site
    if site.op and not site.index:
        for other in m.view.sites:
            if not other.op and any(v.site == site.number for v in m.view.made_by(other.value)):
                site = other
                break
    order = [a for i in site.index for a in sorted(m.view.axes_of(i, site.loops))]
    return (*(a.axis for a in m.site.loops if a.axis not in order), *order)


def _covers(site: Site) -> tuple[int, ...]:
    """The sites that a match at this one takes: itself, and the store that its start came from."""
    return (site.number,) if site.filled is None else (site.number, site.filled)


def _chosen(candidates: list[_Candidate], misses: dict[str, list[Miss]]) -> list[_Candidate]:
    """One candidate for each statement."""
    chosen: list[_Candidate] = []
    taken: dict[int, str] = {}
    for c in sorted(candidates, key=lambda c: c.key):
        covered = _covers(c.match.site)
        rivals = [r.loaded.name for r in candidates if r is not c and set(_covers(r.match.site)) & set(covered)]
        owner = next((taken[n] for n in covered if n in taken), "")
        owner = owner or next((r for r in rivals if c.loaded.name in _beaten(candidates, r)), "")
        if owner:
            m = c.match
            reason = f"part of what {owner} recognises"
            told = Miss(m.site, m.state.steps, m.pattern.size, m.site.value, reason)
            misses.setdefault(c.loaded.name, []).append(told)
            continue
        chosen.append(c)
        taken.update(dict.fromkeys(covered, c.loaded.name))
    return chosen


def _beaten(candidates: list[_Candidate], name: str) -> tuple[str, ...]:
    return next(c.loaded.rule.beats for c in candidates if c.loaded.name == name)


def _nearest(seen: View, misses: list[Miss]) -> NearMiss | None:
    if not misses:
        return None
    m = max(misses, key=lambda m: m.reached / m.of)
    point = m.point if isinstance(m.point, str) else _short(shown(seen, m.point))
    return NearMiss(m.site.at, m.reached, m.of, point, m.reason)


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def idiom(r: Loaded, m: Match) -> Idiom:
    """The mark of a match: axes by the roles of the right side, and what each hole stands for.

    axes: each role that the right side names, and `batch`: parallel axes outside that the match changes with
    values: Fn, Value and Const holes as the nest prints them, Op holes, `into` (the scalar or element that
    takes the value), `where` (a test that the statement stands under), and `grouping` where the operands of a
    sum or product were taken in another grouping
    """
    roles = dict(r.sides.roles)
    axes = [(roles.get(h, h), found) for h, found in m.bound.items()]
    if m.outside:
        axes.append(("batch", m.outside))
    values = [(name, _short(m.text(name))) for name in m.state.holes]
    values += m.state.ops.items()
    values.append(("into", _into(m)))
    values += [("where", _short(shown(m.view, test))) for test in m.site.where]
    if m.state.regrouped:
        values.append(("grouping", "other than written"))
    order = [h.name for h in r.sides.holes]
    values.sort(key=lambda v: order.index(v[0]) if v[0] in order else len(order))
    return Idiom(r.name, tuple(axes), tuple(values), m.site.at)


def _into(m: Match) -> str:
    site = m.site
    if not site.index:
        return site.target
    return f"{site.target}[{', '.join(shown(m.view, i) for i in site.index)}]"
