"""Small examples that show a polynomial to be negative, so that nobody looks for a proof."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tl2hip.nest.analysis.affine import Poly, Symbol, symbols
from tl2hip.nest.analysis.facts import Facts
from tl2hip.nest.analysis.trace import Trace

SIZES = ((4, 6, 9, 5), (9, 5, 4, 6), (1, 3, 2, 8), (6, 6, 6, 6))
"""Values of the extents that are tried, taken in turn."""

AXES = 4
"""Axes of a polynomial that are tried at both ends; more are left to the proof."""


def negative_somewhere(p: Poly, facts: Facts, trace: Trace) -> bool:
    """Whether one of a few examples satisfies all facts and makes the polynomial negative. False says nothing;
    so does a polynomial over values that hang on data."""
    known = facts.all()
    needed = sorted(_needed((p, *known), trace), key=lambda s: trace.meanings[s].rank)
    if any(s.kind == "value" for s in needed):
        return False
    axes = [s for s in needed if s.kind == "axis"]
    if len(axes) > AXES:
        return False
    for sizes in SIZES:
        for ends in product((False, True), repeat=len(axes)):
            at = _example(needed, sizes, iter(ends), trace)
            if _value(p, at) < 0 and all(_value(f, at) >= 0 for f in known):
                return True
    return False


def _needed(ps: tuple[Poly, ...], trace: Trace) -> set[Symbol]:
    """Every symbol of polynomials and of the bounds of the axes in them."""
    found: set[Symbol] = set()
    pending = list(ps)
    while pending:
        for s in symbols(pending.pop()):
            if s not in found:
                found.add(s)
                if s.kind == "axis":
                    start, stop, _ = trace.bounds[s.name]
                    pending += [start, stop]
    return found


def _example(needed: list[Symbol], sizes: tuple[int, ...], ends: Iterator[bool], trace: Trace) -> dict[Symbol, int]:
    """Values of symbols, older ones first: extents as given, an axis at its first or last value."""
    at: dict[Symbol, int] = {}
    for n, s in enumerate(needed):
        if s.kind == "axis":
            start, stop, step = trace.bounds[s.name]
            values = range(_value(start, at), _value(stop, at), step) or (0,)
            at[s] = values[-1 if next(ends) else 0]
        else:
            at[s] = sizes[n % len(sizes)]
    return at


def _value(p: Poly, at: dict[Symbol, int]) -> int:
    total = 0
    for m, c in p.items():
        for s in m:
            c *= at[s]
        total += c
    return total
