"""fits: what a rule's holes stand for where it fits, and how near it came where it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tl2hip.nest.ir import Expr, Var
from tl2hip.nest.show import show_expr
from tl2hip.nest.walk import map_expr
from tl2hip.rule.pattern import Pattern
from tl2hip.rule.sites import Site, View


@dataclass(frozen=True, slots=True)
class Captured:
    """What a hole stands for: an expression where `site` evaluates it, over the pattern's axes `args`."""

    expr: Expr
    args: tuple[str, ...]
    site: Site


@dataclass(frozen=True, slots=True)
class State:
    """A match on its way: holes and loops bound so far, steps taken, and whether operands were regrouped."""

    holes: Mapping[str, Captured] = field(default_factory=dict)
    loops: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extents: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)
    ops: Mapping[str, str] = field(default_factory=dict)
    sites: tuple[Site, ...] = ()
    steps: int = 0
    regrouped: bool = False

    def step(self) -> State:
        return replace(self, steps=self.steps + 1)


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that fits: what a condition (`when`) may look at."""

    pattern: Pattern
    view: View
    site: Site
    state: State
    bound: Mapping[str, tuple[str, ...]]
    """The axes of each Axis hole and of each Extent."""
    outside: tuple[str, ...]
    """Parallel axes around the match that something in it changes with."""

    def axes(self, hole: str) -> tuple[str, ...]:
        """The axes bound to an Axis hole, or reduced over for an Extent."""
        return self.bound.get(hole, ())

    def expr(self, hole: str) -> Expr:
        """What a Fn or Value stands for; names of locals carry a number (`m#3`)."""
        return self.state.holes[hole].expr

    def made_per_element(self, hole: str) -> tuple[str, ...]:
        """The results of loops in what a hole stands for that are new for each of its own elements."""
        captured = self.state.holes[hole]
        own = {axis for arg in captured.args for axis in self.axes(arg)}
        return tuple(v.name for v in self.view.made_by(captured.expr) if own <= set(v.loops))

    def text(self, hole: str) -> str:
        """What a hole stands for, as the nest prints it."""
        return shown(self.view, self.state.holes[hole].expr)


@dataclass(frozen=True, slots=True)
class Miss:
    """How far a rule came at a statement: steps taken of those its left side has, what it stood at, and why
    it went no further."""

    site: Site
    reached: int
    of: int
    point: Expr | str
    reason: str


def shown(view: View, e: Expr) -> str:
    """An expression of a view as the nest prints it, its versions by their user's names."""

    def plain(x: Expr) -> Expr:
        return replace(x, name=view.versions[x.name].name) if isinstance(x, Var) else x

    return show_expr(view.nest, map_expr(plain, e))
