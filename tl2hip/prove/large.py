"""Draws large shapes out of the grains of a plan: whole tiles, tiles and pieces, tiles and an odd rest; and those
that it wants to be tried."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tl2hip.nest.ir import Dim, Expr, Nest
from tl2hip.nest.walk import all_parts
from tl2hip.plan.grain import Grain, Probe
from tl2hip.prove.evaluate import Evaluator, Sizes
from tl2hip.prove.shapes import FEW, Shapes

LARGE = 30_000
"""The `work` of one large shape, where BULK statements that run side by side count as one: about a second."""
LARGEST = 500_000
"""That of one that is the only way into a kernel."""
BULK = 200
"""How many statements side by side take as long as a small case's one."""

Kind = Literal["pieces", "whole", "odd"]
KINDS: tuple[Kind, ...] = ("pieces", "whole", "odd")
"""What is behind the whole tiles: some pieces, nothing, or a number of elements that is no whole piece."""


@dataclass(frozen=True, slots=True)
class Cut:
    """An extent of `tiles` tiles of a grain, and some `rest`."""

    grain: Grain
    tiles: int
    rest: int

    @property
    def value(self) -> int:
        return self.tiles * self.grain.tile + self.rest


def large(
    nest: Nest, grains: tuple[Grain, ...], kind: Kind | None, turn: int, random: np.random.Generator, budget: int,
    parallel: Collection[str], bulk: int = BULK,
) -> Sizes | None:  # fmt: skip
    """A shape whose grained extents are all of one kind, or each of any: three tiles of one, each in its turn, and
    two of the others where that is within the budget, fewer else. None where no such shape fits, or none of these
    extents can be chosen."""
    ones = Evaluator(nest, dict.fromkeys(nest.dims, 1))
    known = [g for g in grains if _names(g.extent) and ones.whole(g.extent) is not None]
    by_extent = {g.extent: [o for o in known if o.extent == g.extent] for g in known}
    if not by_extent:
        return None
    draw = Shapes(nest, random, budget, parallel, bulk)
    cutting = [n for n, some in enumerate(by_extent.values()) if not some[0].exact] or [0]
    long = cutting[-1 - turn % len(cutting)]
    cuts = [
        _drawn(some[random.integers(len(some))], 3 if n == long else 2, kind, random)
        for n, some in enumerate(by_extent.values())
    ]
    others = draw.drawn(FEW)
    while True:
        sizes = _sized(draw, others, cuts)
        if sizes is not None and draw.fits(sizes):
            return sizes
        if not any(c.tiles for c in cuts if not c.grain.exact):
            return None
        _shorten(cuts, long, random)


def probed(
    nest: Nest, probe: Probe, random: np.random.Generator, budget: int, parallel: Collection[str]
) -> Sizes | None:
    """A shape with the extents of a probe; None where there is none within the budget."""
    draw = Shapes(nest, random, budget, parallel, BULK)
    sizes = _sized(draw, draw.drawn(FEW), [Cut(Grain(e, value), 1, 0) for e, value in probe.extents])
    return sizes if sizes is not None and draw.fits(sizes) else None


def _shorten(cuts: list[Cut], long: int, random: np.random.Generator) -> None:
    """One tile less, of which several are left, and rather not of the long one."""
    some = [n for n, c in enumerate(cuts) if c.tiles and not c.grain.exact]
    several = [n for n in some if cuts[n].tiles > 1]
    left = [n for n in several if n != long] or several or some
    k = left[random.integers(len(left))]
    less = replace(cuts[k], tiles=cuts[k].tiles - 1)
    cuts[k] = less if less.value else replace(less, rest=less.grain.piece)


def _names(e: Expr) -> tuple[str, ...]:
    return tuple(dict.fromkeys(p.name for p in all_parts(e) if isinstance(p, Dim)))


def _drawn(grain: Grain, tiles: int, kind: Kind | None, random: np.random.Generator) -> Cut:
    if grain.exact:
        return Cut(grain, 1, 0)
    kind = KINDS[random.integers(len(KINDS))] if kind is None else kind
    pieces = max(1, min(4, grain.tile // grain.piece))
    some = int(random.integers(1, pieces)) if pieces > 1 else 0
    match kind:
        case "whole":
            rest = 0
        case "pieces":
            rest = some * grain.piece
        case "odd":
            rest = some * grain.piece + int(random.integers(1, max(2, grain.piece)))
    return Cut(grain, tiles, rest)


def _sized(draw: Shapes, sizes: Sizes, cuts: list[Cut]) -> Sizes | None:
    """The sizes for which the extents are as long as their cuts, as far as the nest's checks allow."""
    for cut in cuts:
        found = _solved(draw.nest, sizes, cut)
        if found is None:
            return None
        sizes = found
    return draw.coupled(sizes)


def _solved(nest: Nest, sizes: Sizes, cut: Cut) -> Sizes | None:
    """The sizes with one changed so that the extent is the cut's; the others of an extent 1 where they must be."""
    names = _names(cut.grain.extent)
    for others in (sizes, {**sizes, **dict.fromkeys(names, 1)}):
        for name in reversed(names):
            none, one = (Evaluator(nest, {**others, name: n}).whole(cut.grain.extent) for n in (0, 1))
            if none is None or one is None or one <= none:
                continue
            size, left = divmod(cut.value - none, one - none)
            found = {**others, name: size}
            if left == 0 and size >= 0 and Evaluator(nest, found).whole(cut.grain.extent) == cut.value:
                return found
    return None
