"""check: the tests that every rule has for free, without a line written by its author.

Both sides are run on random holes (this imports and runs the rule files, and nothing else); a rule must fit its
own left side, whatever its names; its examples must be hit and missed as they say; where two rules fit one
program, it must be settled which is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import product
from pathlib import Path

from tl2hip.nest.ir import Nest
from tl2hip.rule.examples import examples, nest_of
from tl2hip.rule.fits import Match
from tl2hip.rule.join import join
from tl2hip.rule.join.sides import Join
from tl2hip.rule.load import Loaded, RuleFile, rule_files
from tl2hip.rule.pattern import Pattern, nest_of_side, read_left, told
from tl2hip.rule.recognise import apply, fit
from tl2hip.rule.sites import View
from tl2hip.rule.soundness import counterexample
from tl2hip.source import nodes
from tl2hip.source.names import local_names
from tl2hip.source.problems.base import Refused, show
from tl2hip.source.walk import N, map_parts


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with a rule: `check` is sound, itself, renamed, example or overlap."""

    rule: str
    check: str
    text: str


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two rules that fit one statement, and the one that is taken there."""

    one: str
    other: str
    taken: str


@dataclass(frozen=True, slots=True)
class RuleReport:
    """What the free tests found: problems of the files as the user sees them, then findings by rule.

    `rules` were tested; `overlaps` are told, and no fault where it is settled which rule is taken.
    """

    rules: tuple[str, ...]
    problems: tuple[str, ...]
    findings: tuple[Finding, ...]
    overlaps: tuple[Overlap, ...]
    hits: int
    misses: int

    @property
    def ok(self) -> bool:
        return not self.problems and not self.findings

    @property
    def text(self) -> str:
        """The report as `tl2hip test-rules` prints it."""
        lines = list(self.problems)
        lines += [f"{f.rule}: {f.check}: {f.text}" for f in self.findings]
        lines += [f"{o.one} and {o.other} fit the same statement: {o.taken} is taken" for o in self.overlaps]
        found = len(self.findings) + len(self.problems)
        verdict = "all sound" if self.ok else _count(found, "problem")
        examples = f"{_count(self.hits, 'hit')} and {_count(self.misses, 'miss')}"
        lines.append(f"{_count(len(self.rules), 'rule')}, {examples} as they should be: {verdict}")
        return "\n".join(lines)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 'es' if what == 'miss' else 's'}"


def check_rules(folder: Path | None = None) -> RuleReport:
    """Tests the rules of a folder beside tl2hip's own; tl2hip's own where no folder is given.

    Raises Refused where hypothesis is not installed.
    """
    if find_spec("hypothesis") is None:
        raise Refused(told().NoHypothesis())
    files = rule_files(() if folder is None else (folder,))
    tested = [f for f in files if folder is None or f.path.parent == Path(folder)]
    rules = tuple(r for f in files for r in f.rules)
    own = tuple(r for f in tested for r in f.rules)
    joined = tuple(r for f in tested for r in f.joins)
    findings = [finding for r in own for finding in _of_rule(r)]
    findings += [finding for r in joined for finding in _of_join(r)]
    shown, hits, misses = _examples(tested, (*own, *joined))
    overlaps, unsettled = _overlaps(rules, own)
    problems = tuple(show(p, f.source) for f in files for p in f.problems)
    names = (*(r.name for r in own), *(r.name for r in joined))
    return RuleReport(names, problems, (*findings, *shown, *unsettled), overlaps, hits, misses)


# --- one rule --------------------------------------------------------------------------------------------


def _of_rule(r: Loaded) -> Iterator[Finding]:
    wrong = counterexample(r)
    if wrong:
        yield Finding(r.name, "sound", wrong)
    for left, check in ((r.left, "itself"), (_renamed(r.left), "renamed")):
        for pattern in _lefts(r, left):
            if _own_match(r, pattern) is None:
                said = "its own left side" if check == "itself" else "its own left side under other names"
                yield Finding(r.name, check, f"does not recognise {said}{_chosen(pattern)}")


def _of_join(r: Join) -> Iterator[Finding]:
    wrong = counterexample(r)
    if wrong:
        yield Finding(r.name, "sound", wrong)
    for left, check in ((r.function, "itself"), (_renamed(r.function), "renamed")):
        said = "its own left side" if check == "itself" else "its own left side under other names"
        for name, op in _unjoined(r, left):
            yield Finding(r.name, check, f"does not recognise {said}{f' with {name} = {op}' if op else ''}")


def _unjoined(r: Join, left: nodes.Function) -> Iterator[tuple[str, str]]:
    """The operations of its Op hole with which a rule does not join its own left side's values."""
    holes = tuple(replace(h, name=p.name) for h, p in zip(r.holes, left.parameters, strict=True))
    choices = [(h.name, op) for h in holes if h.kind == "Op" for op in h.choices] or [("", "")]
    for name, op in choices:
        nest = nest_of_side(left, r.module, holes, {name: op} if op else {}, rounding=False)
        if not any(fit == r.name for fit, _, _ in join(nest, (r,)).fits):
            yield name, op


def _chosen(pattern: Pattern) -> str:
    return "".join(f" with {name} = {op}" for op, name in pattern.ops.items())


def _lefts(r: Loaded, left: nodes.Function) -> Iterator[Pattern]:
    """The left side, with each operation that its Op holes may be."""
    parameters = [p.name for p in left.parameters]
    holes = tuple(replace(h, name=name) for h, name in zip(r.sides.holes, parameters, strict=True))
    choices = [[(h.name, op) for op in h.choices] for h in holes if h.kind == "Op"]
    for choice in product(*choices):
        yield read_left(left, r.module, holes, dict(choice))


def _own_match(r: Loaded, subject: Pattern) -> Match | None:
    """The match of a rule with the value of a left side."""
    return next((m for m in _matches(r, subject.view)), None)


def _matches(r: Loaded, seen: View) -> Iterator[Match]:
    for site in seen.sites:
        best, _ = fit(r, seen, site)
        if best is not None:
            yield best


def _renamed(left: nodes.Function) -> nodes.Function:
    """A left side with every name of its own replaced."""
    names = {name: f"renamed_{name}" for name in local_names(left)}
    return _with_names(left, names)


def _with_names(node: N, names: dict[str, str]) -> N:
    if isinstance(node, nodes.Name):
        return replace(node, id=names.get(node.id, node.id))
    if isinstance(node, nodes.Parameter):
        node = replace(node, name=names.get(node.name, node.name))
    return map_parts(lambda part: _with_names(part, names), node)


# --- examples --------------------------------------------------------------------------------------------


def _examples(
    files: Iterable[RuleFile], rules: tuple[Loaded | Join, ...]
) -> tuple[list[Finding], int, int]:
    """What is wrong with the examples, and how many hits and misses are as they should be."""
    by_name = {r.name: r for r in rules}
    findings: list[Finding] = []
    right = {True: 0, False: 0}
    for f in files:
        for e in examples(f.source) if f.rules or f.joins else ():
            place = f"{f.source.name}:{e.line}: {'hit' if e.hit else 'miss'}: {e.title}"
            nest = nest_of(e)
            if e.rule not in by_name:
                findings.append(Finding(e.rule or "?", "example", f"{place}: no rule stands above it"))
            elif isinstance(nest, str):
                findings.append(Finding(e.rule, "example", f"{place}: {nest}"))
            else:
                fits, why = _found(by_name[e.rule], nest)
                if fits == e.hit:
                    right[e.hit] += 1
                    continue
                why = f": {why}" if why and e.hit else ""
                findings.append(Finding(e.rule, "example", f"{place}: is {'a' if fits else 'no'} match{why}"))
    return findings, right[True], right[False]


def _found(r: Loaded | Join, nest: Nest) -> tuple[bool, str]:
    """Whether a rule fits a nest, and why not."""
    if isinstance(r, Join):
        outcome = join(nest, (r,))
        return any(name == r.name for name, _, _ in outcome.fits), outcome.why
    verdict = apply(nest, (r,)).verdicts[0]
    near = verdict.nearest
    return bool(verdict.fits), "" if near is None else f"{near.point}: {near.reason}"


# --- several rules ---------------------------------------------------------------------------------------


def _overlaps(rules: tuple[Loaded, ...], own: tuple[Loaded, ...]) -> tuple[tuple[Overlap, ...], list[Finding]]:
    """Every rule run on every other rule's left side: where both fit, and where it is not settled which wins."""
    overlaps: list[Overlap] = []
    findings: list[Finding] = []
    for a, b in product(rules, rules):
        if a is b or not (a in own or b in own):
            continue
        for pattern in _lefts(a, a.left):
            both = {m.site.number for m in _matches(a, pattern.view)}
            both &= {m.site.number for m in _matches(b, pattern.view)}
            if not both:
                continue
            one, other = sorted((a, b), key=lambda r: r.order)
            ways = {tuple(i.rule for i in apply(pattern.view.nest, w).nest.idioms) for w in ((a, b), (b, a))}
            taken = next(iter(ways))[0] if len(ways) == 1 and next(iter(ways)) else "neither"
            overlap = Overlap(one.name, other.name, taken)
            if overlap not in overlaps:
                overlaps.append(overlap)
                findings += _unsettled(one, other, taken)
    return tuple(overlaps), findings


def _unsettled(one: Loaded, other: Loaded, taken: str) -> Iterator[Finding]:
    alike = _rank(one) == _rank(other)
    says = [a.name for a, b in ((one, other), (other, one)) if b.name in a.rule.beats]
    if taken == "neither" or len(says) == 2:
        yield Finding(other.name, "overlap", f"it is not settled whether it or {one.name} is taken")
    elif alike and not says:
        text = f"fits what {one.name} fits and is as large; say which is taken by beats="
        yield Finding(other.name, "overlap", text)


def _rank(r: Loaded) -> tuple[int, int]:
    return len(r.sides.pattern.loops), r.sides.pattern.size
