"""Which tiles a product is cut into for which sizes, where the sizes are not known before the launch.

One tile suits large products, another those with fewer tiles than compute units. Costs are those by which the
planner chooses (`tile.cost`), taken for products of sizes far apart; what the launcher then asks are plain
comparisons, of which those are printed that come closest to what the costs say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from tl2hip.nest.index import value_of
from tl2hip.plan.gfx942 import COMPUTE_UNITS
from tl2hip.plan.matmul.cost import LAUNCH, Task, cost, most_slices, task_of
from tl2hip.plan.matmul.find import MatrixProduct
from tl2hip.plan.matmul.tile import Tile

EXTENTS = (16, 128, 1024, 4096)
"""Rows and columns that an extent may have which is not known."""

DEPTHS = (512, 4096)
"""As many elements a sum may have."""

LONGEST = 4
"""How many times as many rows as columns, or columns as rows, a tile for many sizes has at most."""

WORTH = 0.08
"""How much shorter products must become, as the logarithm of a ratio on average, for one more tile."""

BLOCKS = tuple(COMPUTE_UNITS * n // 8 for n in (1, 2, 3, 4, 6, 8))
"""Numbers of tiles from which on the larger of two may be taken."""

LEAST = (1, 17, 33, 65, 129)
"""Rows or columns from which on it may be."""


@dataclass(frozen=True, slots=True)
class From:
    """A tile is taken where the result has so many of them at least, and so many rows and columns."""

    tiles: int
    rows: int
    columns: int
    of_group: int = 0
    """How many rows groups have on average, at least."""

    def holds(self, task: Task, tiles: int) -> bool:
        """Whether it is taken for a task of so many tiles."""
        return self.tiles <= tiles and self.rows <= task.rows and self.columns <= task.columns


@dataclass(frozen=True, slots=True)
class Choice:
    """A tile, and where it is taken; None where no other is left."""

    tile: Tile
    where: From | None


def choices(p: MatrixProduct, large: Tile, tiles: Sequence[Tile]) -> tuple[Choice, ...]:
    """The tiles that a product is cut into, the largest first: that for large sizes, and some of those that fit."""
    known = tuple(value_of(a.stop) for a in (p.rows, p.columns, p.over.axis))
    if all(n is not None for n in known):
        return (Choice(large, None),)
    return _chosen(known, task_of(p), large, tuple(tiles))


@lru_cache(64)
def _chosen(
    known: tuple[int | None, ...], task: Task, large: Tile, tiles: tuple[Tile, ...]
) -> tuple[Choice, ...]:
    """The large tile, and smaller ones as long as each is worth another kernel. The smallest is the one whose sums
    are split where tiles are few."""
    tasks = tuple(_tasks(known, task))
    some = [large, *(t for t in _one_each(tiles) if t != large)]
    some = [t for t in some if t.rows * t.columns <= large.rows * large.columns]
    whole = {t: [cost(t, x, 1) for x in tasks] for t in some}
    split = {t: [_split(t, x, clocks) for x, clocks in zip(tasks, whole[t], strict=True)] for t in some}
    last = min(some, key=lambda t: _mean(map(min, split[t], whole[large])))
    now = list(map(min, split[last], whole[large]))
    if last == large or _mean(split[large]) - _mean(now) < WORTH:
        return (Choice(large, None),)
    between = [t for t in some if last.rows * last.columns < t.rows * t.columns < large.rows * large.columns]
    middle = min(between, key=lambda t: _mean(map(min, whole[t], now)), default=None)
    taken = [large, last]
    if middle is not None and _mean(now) - _mean(map(min, whole[middle], now)) >= WORTH:
        taken.insert(1, middle)
    return tuple(_asked(taken, tasks, {**whole, last: split[last]}))


def _mean(clocks: Iterable[float]) -> float:
    """How long products take, each with its launch, as a mean of logarithms: times are compared by their ratios."""
    times = [math.log(c + LAUNCH) for c in clocks]
    return sum(times) / len(times)


def _split(t: Tile, task: Task, whole: float) -> float:
    """Clocks where the sums are split, if that takes less time."""
    many = most_slices(t, task)
    return min(whole, cost(t, task, many)) if many > 1 else whole


def _tasks(known: tuple[int | None, ...], task: Task) -> Iterator[Task]:
    """Products of sizes far apart, of those that may come."""
    options = (EXTENTS, EXTENTS, DEPTHS)
    ways = ((n,) if n is not None else some for n, some in zip(known, options, strict=True))
    for rows, columns, depth in product(*ways):
        yield replace(task, rows=rows, columns=columns, depth=depth)


def _one_each(tiles: Sequence[Tile]) -> tuple[Tile, ...]:
    """The first tile of each number of rows and columns, of those that are not too long."""
    found: dict[tuple[int, int], Tile] = {}
    for t in tiles:
        if max(t.rows, t.columns) <= LONGEST * min(t.rows, t.columns):
            found.setdefault((t.rows, t.columns), t)
    return tuple(found.values())


def _asked(tiles: Sequence[Tile], tasks: Sequence[Task], costs: Mapping[Tile, Sequence[float]]) -> Iterator[Choice]:
    """Where each tile is taken rather than the smaller ones behind it: as the costs come out lowest."""
    for n, t in enumerate(tiles[:-1]):
        rest = [min(c) for c in zip(*(costs[o] for o in tiles[n + 1 :]), strict=True)]
        gains = [math.log((b + LAUNCH) / (a + LAUNCH)) for a, b in zip(costs[t], rest, strict=True)]
        counted = [(x, x.tiles(t), gain) for x, gain in zip(tasks, gains, strict=True)]
        wheres = (From(*one) for one in product(BLOCKS, LEAST, LEAST))
        yield Choice(t, max(wheres, key=lambda w: sum(gain for x, tiles_, gain in counted if w.holds(x, tiles_))))
    yield Choice(tiles[-1], None)
