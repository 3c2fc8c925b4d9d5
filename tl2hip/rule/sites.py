"""sites: what the statements of a nest compute, as rules look at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.ir import AxisRef, Expr, Load, Loop, Nest, Set, Store, Update, Var, While
from tl2hip.nest.walk import all_parts
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True)
class Version:
    """One value of a scalar local, known by no expression: the loops it may change in, whether a loop made it,
    and the reduction that did, where it was one."""

    name: str
    loops: tuple[str, ...]
    made: bool = False
    site: int | None = None


@dataclass(frozen=True, slots=True)
class Around:
    """A loop around a statement (a `while` is one too), the terms of its bounds, and the arrays written in it."""

    axis: str
    loop: Loop | While
    bounds: tuple[Expr, ...]
    arrays: frozenset[str]


@dataclass(frozen=True, slots=True)
class Site:
    """One statement that rules look at.

    op: the operation of a reduction, "" for a plain store
    target, index: the scalar or the element that takes the value
    loops: all around it, outermost first; `over` are those of them that it reduces over
    init: what a reduction starts from, with the store that put it there (`filled`)
    value: what is stored, or the terms of the reduction
    where: the tests that it stands under, those left out that are part of a reduction's terms
    fault: why it is no reduction of independent terms after all
    depth: how many loops stand around the outermost of the loops it reduces over
    """

    number: int
    op: str
    target: str
    index: tuple[Expr, ...]
    loops: tuple[Around, ...]
    over: tuple[str, ...]
    init: Expr | None
    value: Expr
    at: Span
    depth: int
    filled: int | None = None
    where: tuple[Expr, ...] = ()
    fault: str = ""
    stmt: Set | Store | Update | None = None


@dataclass(slots=True)
class View:
    """A nest's sites in the order of the text, and what its names are."""

    nest: Nest
    kinds: Mapping[str, AxisKind]
    sites: list[Site] = field(default_factory=list)
    versions: dict[str, Version] = field(default_factory=dict)

    def axes_of(self, e: Expr, loops: tuple[Around, ...]) -> frozenset[str]:
        """The axes of the loops around that a value may change with."""
        found: set[str] = set()
        for p in all_parts(e):
            match p:
                case AxisRef(axis=axis):
                    found.add(axis)
                case Var(name=name):
                    found.update(self.versions[name].loops)
                case Load(array=array):
                    found.update(a.axis for a in loops if array in a.arrays)
                case _:
                    pass
        return frozenset(found)

    def made_by(self, e: Expr) -> Iterator[Version]:
        """The results of loops that an expression reads."""
        for p in all_parts(e):
            if isinstance(p, Var) and self.versions[p.name].made:
                yield self.versions[p.name]

    def site_of(self, name: str) -> Site | None:
        """The reduction that made a version."""
        number = self.versions[name].site
        return None if number is None else self.sites[number]
