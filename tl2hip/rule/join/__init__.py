"""Joining: attention, whatever way it is written, as one canonical nest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tl2hip.nest.ir import Call, Nest
from tl2hip.nest.walk import all_exprs
from tl2hip.rule.join.canonical import canonical
from tl2hip.rule.join.joining import Joined
from tl2hip.rule.join.memory import Layer
from tl2hip.rule.join.rounded import check
from tl2hip.rule.join.rows import NoSoftmax, rows_of
from tl2hip.rule.join.sides import Join
from tl2hip.rule.join.unify import POWERS
from tl2hip.rule.join.walk import NotFollowed, Walk
from tl2hip.source.span import NOWHERE, Span

__all__ = ["Outcome", "join", "may_join"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What joining made of a nest: the canonical one, or None, and the condition that was lost, with its place.

    fits: the rules that joined a value, with the value's name and place
    """

    nest: Nest | None
    why: str = ""
    at: Span = NOWHERE
    fits: tuple[tuple[str, str, Span], ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """Lines that say what was joined, and which condition was lost."""
        lines = [f"{rule} joins {name} in line {at.line}" for rule, name, at in self.fits]
        if self.nest is not None:
            lines.append("the outputs are rows of a softmax: scores, their maximum, and sums relative to it")
        elif self.why:
            where = f" in line {self.at.line}" if self.at.line else ""
            lines.append(f"no rows of a softmax{where}: {self.why}")
        return tuple(lines)


def may_join(nest: Nest) -> bool:
    """Whether a nest has what every softmax is made of, so that it is worth reading the rules."""
    return any(isinstance(e, Call) and e.name in (*POWERS, "pow") for e in all_exprs(nest.body))


def join(nest: Nest, rules: Sequence[Join]) -> Outcome:
    """A nest whose outputs are rows of a softmax, in its canonical form; it computes the same, up to rounding.

    Every output is followed as a value through scalars, local arrays and loops; the rules join what passes from
    turn to turn. Nothing else is kept of the nest, so it must be made of these rows alone.
    """
    if not may_join(nest):
        return Outcome(None)
    joined = Joined(rules)
    walk = Walk(nest, joined.close)
    try:
        walk.run()
        layers = [
            (a.name, Layer(x.axes, x.index, joined.rewritten(walk.book, x.value), x.at))
            for a in nest.arrays
            if a.role != "local"
            for x in reversed(walk.memory[a.name].layers)
        ]
        if not layers:
            return Outcome(None, "it stores nothing")
        out = canonical(walk, rows_of(walk, layers))
        check(walk, out)
    except (NotFollowed, NoSoftmax) as no:
        return Outcome(None, no.why, no.at, _fits(joined))
    return Outcome(out, fits=_fits(joined))


def _fits(joined: Joined) -> tuple[tuple[str, str, Span], ...]:
    return tuple(dict.fromkeys((r.name, name, at) for r, name, at in joined.fits))
