"""soundness: both sides of a rule run on random holes, to find where they differ.

A Fn hole is an arbitrary table of numbers, so that a wrong index shows; extents go from 0 to 8. Numbers are
integers, and floats among which NaN and infinities are; a rule that holds for real numbers only is run in f64,
within a tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tl2hip.rule.join.sides import Join
from tl2hip.rule.load import Loaded
from tl2hip.rule.pattern import Hole

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

LARGEST = 8
"""The largest extent."""

TRIES = 100
"""Random draws of all holes, for each kind of numbers."""

TOLERANCE = 1e-9
"""How far apart the sides of a rule for real numbers may be, relative to the larger."""

SPECIAL = (0.0, 1.0, -1.0, 2.0, math.nan, math.inf, -math.inf, 3.0)


@dataclass(frozen=True, slots=True)
class Table:
    """An arbitrary function of integers: each argument list has a number of its own, by the seed."""

    seed: int
    kind: str

    def __call__(self, *args: int) -> int | float:
        mixed = self.seed * 0x9E3779B1
        for a in args:
            mixed = ((mixed ^ (int(a) + 0x7F4A7C15)) * 0x85EBCA6B) & 0xFFFFFFFF
            mixed ^= mixed >> 15
        if self.kind == "integers":
            return mixed % 19 - 9
        return SPECIAL[mixed % len(SPECIAL)] if self.kind == "special" else (mixed % 4001 - 2000) / 1000


def counterexample(r: Loaded | Join) -> str:
    """Holes for which the sides of a rule differ, as small as they could be made; "" where none were found.

    The same draws each time. Needs hypothesis, of the extra `test`.
    """
    kinds = ("real",) if r.rule.real else ("integers", "special")
    return next((found for kind in kinds if (found := _search(r, kind))), "")


def _search(r: Loaded | Join, kind: str) -> str:
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings
    from hypothesis import strategies as st

    found = [""]
    drawn = st.fixed_dictionaries({h.name: _values(h, kind) for h in r.holes})

    @settings(
        derandomize=True,
        database=None,
        max_examples=TRIES,
        deadline=None,
        verbosity=Verbosity.quiet,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    )
    @given(drawn)
    def compare(holes: dict[str, Any]) -> None:
        found[0] = _difference(r, holes)
        if found[0]:
            raise _Different

    try:
        compare()
    except _Different:
        return found[0]
    return ""


class _Different(Exception):
    """The sides of a rule differ."""


def _difference(r: Loaded | Join, holes: dict[str, Any]) -> str:
    """How the sides differ for these holes; "" where they agree."""
    assert r.rule.right is not None
    left, right = _outcome(r.rule.left, holes), _outcome(r.rule.right, holes)
    if _equal(left, right, r.rule.real):
        return ""
    return f"{r.name} gives {left} and {r.rule.right.__name__} {right} for {_shown(holes)}"


def _outcome(side: Callable[..., Any], holes: dict[str, Any]) -> Any:
    """What a side gives, or the name of what it raises."""
    try:
        return side(**holes)
    except Exception as error:
        return type(error).__name__


def _equal(a: Any, b: Any, real: bool) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_equal(x, y, real) for x, y in zip(a, b, strict=True))
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b):
        return True
    if real:
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(a == b)


def _as_it_is(x: Any) -> Any:
    """What is drawn for a Rounding: for real numbers it is none."""
    return x


def _shown(holes: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} = table {value.seed}" if isinstance(value, Table) else f"{name} = {value}"
        for name, value in holes.items()
    )


def _values(h: Hole, kind: str) -> SearchStrategy[Any]:
    """What is drawn for a hole."""
    from hypothesis import strategies as st

    seeds = st.integers(0, 2**16)
    if h.kind == "Fn":
        return seeds.map(lambda seed: Table(seed, kind))
    if h.kind == "Extent":
        return st.integers(0, LARGEST)
    if h.kind == "Axis":
        return st.integers(0, LARGEST - 1)
    if h.kind == "Rounding":
        return st.just(_as_it_is)
    if h.kind == "Op":
        return st.sampled_from(h.choices)
    return seeds.map(lambda seed: Table(seed, kind)())
