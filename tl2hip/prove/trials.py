"""What verify tries, and in which order: small shapes, what kernels that are left need, then large ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tl2hip.nest.ir import Nest
from tl2hip.plan.ir import Plan
from tl2hip.prove.evaluate import Sizes
from tl2hip.prove.large import LARGE, LARGEST, Kind, large, probed
from tl2hip.prove.options import Options
from tl2hip.prove.reach import launched
from tl2hip.prove.shapes import Shapes, shapes

EXACT = ("integers", "coded", "one-hot")
"""The modes whose sums are exact."""

LARGE_STEPS = 5
"""How many times the serial iterations of a small case a large one may take."""

CHEAPER = 4
"""The part of a small case's budget that a shape may take which is tried in several modes for one kernel."""

SEARCHED = 40
"""How many shapes of each sort are looked at for a kernel that no case launches."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One case to run; the arrays `shifted` start one element into their memory."""

    sizes: Sizes
    mode: str
    seed: int
    shifted: tuple[str, ...]
    steps: int


def trials(nest: Nest, options: Options, parallel: Collection[str]) -> tuple[Trial, ...]:
    """The cases of a nest. Where a plan is given and shapes are drawn, large ones and those that launch each kernel
    of the plan that a shape within the budgets launches are among them."""
    possible = Shapes(nest, np.random.default_rng([options.seed, 5]), options.work, parallel).possible()
    options = options if possible else replace(options, shapes=0)
    found = list(_small(nest, options, parallel))
    if options.plan is not None and options.shapes:
        more = tuple(_large(options.plan, options, parallel, len(found)))
        found += [*_reaching(options.plan, options, parallel, (*found, *more)), *more]
    return tuple(found)


def outer(nest: Nest) -> tuple[str, ...]:
    """The arrays that are the caller's."""
    return tuple(a.name for a in nest.arrays if a.role != "local")


def _small(nest: Nest, options: Options, parallel: Collection[str]) -> Iterator[Trial]:
    """Shapes with the modes they are tried in: all for the first, an exact and a rounding one for others."""
    drawn = [*options.given, *shapes(nest, options.seed, options.shapes, options.work, parallel)]
    cases: list[tuple[Sizes, str]] = []
    for k, sizes in enumerate(drawn):
        if k == 0:
            cases += [(sizes, mode) for mode in options.modes]
        else:
            cases += [(sizes, some[k % len(some)]) for some in _sorts(options) if some]
    for k, (sizes, mode) in enumerate(cases):
        seed = options.seed + k
        yield Trial(sizes, mode, seed, outer(nest) if seed % 2 else (), options.steps)


def _sorts(options: Options) -> tuple[list[str], list[str]]:
    """The exact modes, and the rounding ones."""
    return [m for m in options.modes if m in EXACT], [m for m in options.modes if m not in EXACT]


def _large(plan: Plan, options: Options, parallel: Collection[str], before: int) -> Iterator[Trial]:
    """Shapes of tiles and pieces, of whole tiles, of odd extents, then at other alignments, then of any kind."""
    arrays, random = outer(plan.nest), np.random.default_rng([options.seed, 3])
    seen: list[tuple[Sizes, tuple[str, ...]]] = []
    for n in range(options.large):
        ways: tuple[tuple[Kind | None, tuple[str, ...]], ...] = (
            ("pieces", ()), ("whole", ()), ("odd", ()), ("pieces", arrays), (None, ())
        )  # fmt: skip
        kind, shifted = ways[min(n, len(ways) - 1)]
        for _ in range(8):
            sizes = large(plan.nest, plan.grains, kind, n, random, LARGE, parallel)
            if sizes is not None and (sizes, shifted) not in seen:
                seen.append((sizes, shifted))
                seed = options.seed + before + len(seen)
                yield Trial(sizes, _mode(options, n), seed, shifted, options.steps * LARGE_STEPS)
                break


def _mode(options: Options, n: int) -> str:
    """Exact and rounding modes in turn."""
    sorts = [some for some in _sorts(options) if some]
    some = sorts[n % len(sorts)]
    return some[n // len(sorts) % len(some)]


def _reaching(
    plan: Plan, options: Options, parallel: Collection[str], before: tuple[Trial, ...]
) -> Iterator[Trial]:
    """Trials for each kernel in the telling modes in which those `before` do not launch it, on the first shape that
    does; on one of the largest in one mode."""
    telling = _telling(options)
    tried: dict[str, list[str]] = {k.name: [] for k in plan.kernels}
    for t in before:
        for name in launched(plan, t.sizes, t.shifted):
            tried[name].append(t.mode)
    number = len(before)
    alone = True
    for sizes, cost, steps in _candidates(plan, options, parallel):
        for shifted in _shifts(plan, sizes, (1 if cost == LARGEST else None) if alone else 0):
            names = launched(plan, sizes, shifted)
            modes = [m for m in telling if any(m not in tried[name] for name in names)]
            if cost == LARGEST:
                modes = modes[:1] if any(not tried[name] for name in names) else []
            if len(shifted) == 1:
                modes, alone = telling[:1], False
            for mode in modes:
                yield Trial(sizes, mode, options.seed + number, shifted, steps)
                number += 1
            for name in names:
                tried[name] += modes
        if all(set(telling) <= set(modes) for modes in tried.values()):
            return


def _telling(options: Options) -> list[str]:
    """The modes that each kernel is tried in: an exact one, a rounding one, and special values."""
    exact, rounding = _sorts(options)
    return [*exact[:1], *rounding[:1], *(m for m in rounding[1:] if m == "edges")]


def _shifts(plan: Plan, sizes: Sizes, most: int | None) -> tuple[tuple[str, ...], ...]:
    """No array shifted, and all of them; where that makes a difference also single ones, at `most` so many, so that
    a launcher that forgets one of them is found."""
    arrays = outer(plan.nest)
    differs = launched(plan, sizes) != launched(plan, sizes, arrays)
    each = tuple((a,) for a in arrays[:most]) if differs and len(arrays) > 1 else ()
    return ((), arrays, *each)


def _candidates(plan: Plan, options: Options, parallel: Collection[str]) -> Iterator[tuple[Sizes, int, int]]:
    """Shapes that the plan names, cheap ones, small, large and larger ones: each with its budget and the steps it
    may take."""
    random = np.random.default_rng([options.seed, 4])
    many = options.steps * LARGE_STEPS
    for probe in plan.probes:
        for budget in (LARGE, LARGEST):
            sizes = probed(plan.nest, probe, random, budget, parallel)
            if sizes is not None:
                yield sizes, budget, many
                break
    for n in range(SEARCHED):
        cheap = options.work // CHEAPER
        sizes = large(plan.nest, plan.grains, "pieces", n, random, cheap, parallel, CHEAPER)
        if sizes is not None:
            yield sizes, cheap, options.steps
    for sizes in shapes(plan.nest, options.seed, SEARCHED, options.work, parallel):
        yield sizes, options.work, options.steps
    for budget in (LARGE, LARGEST):
        for n in range(SEARCHED):
            sizes = large(plan.nest, plan.grains, None, n, random, budget, parallel)
            if sizes is not None:
                yield sizes, budget, many
