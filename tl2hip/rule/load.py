"""load: rule files → rules, in the order of the files. They are imported, and their text is read."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from tl2hip.rule.holes import Rule
from tl2hip.rule.join.sides import Join, gives_several, join_of
from tl2hip.rule.pattern import Hole, Sides, sides, told
from tl2hip.source import nodes
from tl2hip.source.fresh import run_module
from tl2hip.source.load import load
from tl2hip.source.problems.base import Problem, Refused, Report, show
from tl2hip.source.problems.reading import OtherDecorator
from tl2hip.source.read import find, read
from tl2hip.source.span import NOWHERE, Source, Span

BUILTIN = "tl2hip.rules"


@dataclass(frozen=True, slots=True)
class Loaded:
    """One rule, imported and read: `left` as it stands in `module`, both sides compared and measured; `order`
    counts the rules over all files."""

    rule: Rule
    sides: Sides
    left: nodes.Function
    module: nodes.Module
    source: Source
    at: Span
    order: int

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def holes(self) -> tuple[Hole, ...]:
        return self.sides.holes


@dataclass(frozen=True, slots=True)
class RuleFile:
    """One rule file: its rules as far as they are sound in form, and its problems."""

    path: Path
    source: Source
    rules: tuple[Loaded, ...]
    problems: tuple[Problem, ...]
    joins: tuple[Join, ...] = ()


class BadRules(ValueError):
    """Rule files that cannot be used; carries the problems with the text that they stand in."""

    def __init__(self, told: tuple[tuple[Source, Problem], ...]) -> None:
        super().__init__(told)
        self.told = told

    def __str__(self) -> str:
        return "\n".join(show(problem, source) for source, problem in self.told)


_PACKAGES: dict[Path, str] = {}
"""The packages made for folders of rules."""

_KNOWN: dict[tuple[tuple[Path, ...], bool], tuple[tuple[Loaded, ...], tuple[Join, ...]]] = {}
"""The rules of each set of folders, read with tl2hip's own joins and without."""


def load_rules(extra: Iterable[Path] = ()) -> tuple[Loaded, ...]:
    """tl2hip's own rules, then those of the folders `extra`; read once for each set of folders.

    Raises BadRules where a file of them cannot be used.
    """
    return _loaded(extra, joins=False)[0]


def load_joins(extra: Iterable[Path] = ()) -> tuple[Join, ...]:
    """The rules of these files that join several values. Raises BadRules."""
    return _loaded(extra, joins=True)[1]


def _loaded(extra: Iterable[Path], *, joins: bool) -> tuple[tuple[Loaded, ...], tuple[Join, ...]]:
    key = tuple(Path(p) for p in extra), joins
    if key not in _KNOWN:
        files = rule_files(key[0], joins=joins)
        bad = tuple((f.source, p) for f in files for p in f.problems)
        if bad:
            raise BadRules(bad)
        _KNOWN[key] = tuple(r for f in files for r in f.rules), tuple(r for f in files for r in f.joins)
    return _KNOWN[key]


def rule_files(extra: Iterable[Path] = (), *, joins: bool = True) -> tuple[RuleFile, ...]:
    """Every rule file: those of tl2hip, then those of the folders, by name. Without `joins` tl2hip's own are left
    out: reading them takes long, and few kernels need them."""
    package = importlib.import_module(BUILTIN)
    out: list[RuleFile] = []
    for folder in (*map(Path, package.__path__), *extra):
        own = folder in map(Path, package.__path__)
        for path in sorted(Path(folder).glob("*.py")):
            if not path.name.startswith("_"):
                out.append(_file(path, own, sum(len(f.rules) + len(f.joins) for f in out), joins or not own))
    return _together(out)


def _file(path: Path, builtin: bool, order: int, joins: bool) -> RuleFile:
    """One file, imported and read."""
    shown = f"rules/{path.name}" if builtin else str(path)
    source = Source(shown, "")
    try:
        source = load(path, shown)
        module = _imported(path, builtin)
    except Refused as refused:
        return RuleFile(path, source, (), (refused.problem,))
    found = [r for r in vars(module).values() if isinstance(r, Rule) and r.left.__module__ == module.__name__]
    found = [r for r in found if joins or not r.joins]
    report = Report(source)
    names = {r.name for r in found} | {r.right.__name__ for r in found if r.right is not None}
    tree = read(_up_to(source, names), report, wanted=names) if found else nodes.Module(source, (), (), ())
    own = [_end(d.at) for f in tree.functions if f.name in names for d in f.decorators]
    errors = [p for p in report.errors if not (isinstance(p, OtherDecorator) and _end(p.at) in own)]
    out: list[Loaded | Join] = []
    for r in found if not errors else ():
        try:
            out.append(_read(r, tree, source, order + len(out)))
        except Refused as refused:
            errors.append(refused.problem)
    rules = tuple(r for r in out if isinstance(r, Loaded))
    return RuleFile(path, source, rules, tuple(errors), tuple(r for r in out if isinstance(r, Join)))


def _up_to(source: Source, names: set[str]) -> Source:
    """A text as far as its last function of these names: conditions and examples below need no reading."""
    tree = ast.parse(source.text)
    ends = [n.end_lineno or 0 for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in names]
    return Source(source.name, "\n".join((*source.lines[: max(ends, default=0)], "")))


def _read(r: Rule, tree: nodes.Module, source: Source, order: int) -> Loaded | Join:
    left = find(tree, r.name)
    if left is None:
        raise Refused(told().NotUnderstood(f"`{r.name}` is not read", at=NOWHERE))
    if r.real and not r.identity:
        raise Refused(told().NoIdentity(r.name, at=left.at))
    right = find(tree, r.right.__name__) if r.right is not None else None
    if right is None:
        raise Refused(told().NoRightSide(r.name, at=left.at))
    if gives_several(left) and gives_several(right):
        return join_of(r, left, right, tree, source, order)
    return Loaded(r, sides(left, right, tree), left, tree, source, left.at, order)


def _imported(path: Path, own: bool) -> ModuleType:
    """The module of a rule file. Raises Refused with what Python says where it cannot be imported."""
    try:
        if own:
            return importlib.import_module(f"{BUILTIN}.{path.stem}")
        return run_module(f"{_package(path.parent)}.{path.stem}", path)
    except Exception as error:
        line = _line_of(error, path)
        at = Span(line, 0, line, 1) if line else NOWHERE
        raise Refused(told().NotImportable(f"{type(error).__name__}: {error}", at=at)) from error


def _package(folder: Path) -> str:
    """A package made for a folder of rules, so that its files can import each other relatively."""
    place = folder.resolve()
    if place not in _PACKAGES:
        name = f"_tl2hip_rules_{len(_PACKAGES)}"
        package = ModuleType(name)
        package.__path__ = [str(place)]
        sys.modules[name] = package
        _PACKAGES[place] = name
    return _PACKAGES[place]


def _line_of(error: BaseException, path: Path) -> int:
    """The line of a file at which importing it failed; 0 where it is not known."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 0
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _together(files: list[RuleFile]) -> tuple[RuleFile, ...]:
    """The files, with what only shows between them: names used twice, rivals that do not exist."""
    homes: dict[str, str] = {}
    errors: dict[Path, list[Problem]] = {f.path: list(f.problems) for f in files}
    for f in files:
        own: list[Loaded | Join] = [*f.rules, *f.joins]
        for r in own:
            if r.name in homes:
                errors[f.path].append(told().RuleTwice(r.name, homes[r.name], at=r.at))
            homes.setdefault(r.name, f.source.name)
    for f in files:
        for r in f.rules:
            for other in r.rule.beats:
                if other not in homes:
                    errors[f.path].append(told().UnknownRival(r.name, other, at=r.at))
    return tuple(replace(f, problems=tuple(errors[f.path])) for f in files)


def _end(at: Span) -> tuple[int, int]:
    return at.end_line, at.end_column
