"""Draws shapes that a kernel is tried on: small and large, around waves and tiles, within a budget of work."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tl2hip.nest.ir import Array, Binary, Compare, Const, Dim, Loop, Nest, Stmt, While
from tl2hip.nest.walk import all_stmts, blocks, conjuncts
from tl2hip.prove.asserts import Mover, admitted, of_scalars
from tl2hip.prove.evaluate import Evaluator, Sizes
from tl2hip.prove.scalars import drawn, scalars

SMALL = (0, 1, 2, 3, 5, 7, 8, 13, 16)
FEW = (1, 2, 3, 5)
MIDDLING = (3, 5, 7, 17, 33, 65)
SPECIAL = (31, 32, 63, 64, 65, 97, 127, 128, 129, 251)
LONG = (257, 513, 1025, 1500)
"""Extents past the largest block of threads, so that loops with its stride turn more than once."""
WORK = 40_000
"""How many innermost statements one drawn shape may take."""
ALONE = 2_000_000
"""The same for a shape of ones, where no other without an empty extent fits: sizes that are fixed may be large."""
ELEMENTS = 1 << 24
"""How many elements all arrays of a drawn shape may have together; each is held several times."""
SERIAL = 6
"""How many side-by-side statements take as long as one that stands alone."""
FREE_TRIPS = 8
"""What a loop whose length is data counts for."""
EXTENTS = (4096, 1024, 512, 256, 128, 96, 64, 48, 32, 16, 8, 4, 2, 1)
"""What all extents may be at once, the largest first."""
DRAWS = 8
"""How many draws of scalars are looked at for one shape."""
HOPELESS = 100
"""How many shapes are looked at where none of them fits."""


def work(nest: Nest, dims: Mapping[str, int], parallel: Collection[str] | None = None, bulk: int = 1) -> int:
    """About how many innermost statements a run takes, `bulk` of them counted as one.

    Where `parallel` names the axes that run side by side, what runs one after the other counts much more, as it
    does in the time that `nest.run` takes.
    """
    total = _work(nest.body, Evaluator(nest, dims), frozenset()) // bulk
    if parallel is not None:
        total += SERIAL * _work(nest.body, Evaluator(nest, dims), frozenset(parallel))
    return total


def _work(body: tuple[Stmt, ...], at: Evaluator, free: frozenset[str]) -> int:
    """How many statements run; axes that are free count as one iteration."""
    total = 0
    for s in body:
        inner = sum(_work(b, at, free) for b in blocks(s)) if not isinstance(s, Loop) else 0
        if isinstance(s, Loop):
            start, stop = at.whole(s.axis.start), at.whole(s.axis.stop)
            known = start is not None and stop is not None
            trips = max(0, -((start - stop) // s.axis.step)) if known else FREE_TRIPS  # type: ignore[operator]
            middle = (start or 0) + (trips // 2) * s.axis.step
            at.frame.read["@" + s.axis.name] = np.array([middle], np.int64)
            inner = (min(trips, 1) if s.axis.name in free else trips) * _work(s.body, at, free)
        total += 1 + (inner * FREE_TRIPS if isinstance(s, While) else inner)
    return total


def elements(nest: Nest, dims: Mapping[str, int]) -> int:
    """How many elements the memory of all arrays holds, gaps between strides among them; arrays whose extents are
    data count as none."""
    at = Evaluator(nest, dims)
    return sum(_reach(at, a) for a in nest.arrays)


def _reach(at: Evaluator, array: Array) -> int:
    shape = [max(0, n or 0) for n in at.extents(array)]
    if array.strides is None or 0 in shape:
        return math.prod(shape)
    return 1 + sum((n - 1) * abs(at.whole(s) or 0) for n, s in zip(shape, array.strides, strict=True))


def largest(nest: Nest, budget: int) -> Sizes | None:
    """The largest sizes within a budget of innermost statements: alike extents where the asserts admit them, else
    drawn ones; None where there are none."""
    alike = [dict.fromkeys(nest.dims, n) for n in EXTENTS] if nest.dims else [{}]
    for sizes in alike:
        if work(nest, sizes) <= budget and admitted(nest, sizes):
            return sizes
    drawn = shapes(nest, 0, 12) if nest.dims else ()
    return max(drawn, key=lambda sizes: work(nest, sizes), default=None)


# --- shapes ----------------------------------------------------------------------------------------------


def pool(nest: Nest) -> tuple[int, ...]:
    """The extents worth trying: small ones, those around waves, primes, those around the user's tiles."""
    tiles = {s.axis.tile for s in all_stmts(nest.body) if isinstance(s, Loop) and s.axis.tile}
    around = {n for t in tiles for n in (t - 1, t, t + 1, 2 * t - 1)}
    return tuple(sorted({*SMALL, *SPECIAL, *around}))


def shapes(
    nest: Nest, seed: int, count: int, budget: int = WORK, parallel: Collection[str] | None = None
) -> tuple[Sizes, ...]:
    """Up to `count` different shapes that the nest's checks admit, each within the budget of `work`
    and of `ELEMENTS`.

    The first ones are a middling one, all extents 1, each one long alone, each 0, each 1; the rest are drawn
    from `pool`.
    Fewer where there are no more, e.g. one where the nest has no extents.
    """
    draw = Shapes(nest, np.random.default_rng([seed, 1]), budget, parallel)
    found: dict[tuple[int, ...], Sizes] = {}
    for n, sizes in enumerate(draw.all(count * 40)):
        if len(found) >= count or (n >= HOPELESS and not found):
            break
        if draw.fits(sizes):
            found.setdefault(tuple(sizes.values()), sizes)
    alone = replace(draw, budget=ALONE)
    some = count == 0 or any(all(s.values()) for s in found.values())
    if not some and alone.fits(ones := alone.fitted(dict.fromkeys(nest.dims, 1))):
        found[tuple(ones.values())] = ones
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Shapes:
    """Draws the shapes of one nest."""

    nest: Nest
    random: np.random.Generator
    budget: int
    parallel: Collection[str] | None
    bulk: int = 1

    def all(self, count: int) -> Iterator[Sizes]:
        """The corners, then `count` others, small ones among them; each made to fit as far as it can be."""
        names, values = self.nest.dims, pool(self.nest)
        yield self.middling()
        yield self.fitted(dict.fromkeys(names, 1))
        for name in names:
            yield self.fitted({**self.drawn(FEW), name: int(self.random.choice(LONG))})
        yield from (self.fitted({**self.middling(), name: 0}) for name in names)
        yield from self.empty()
        yield self.fitted(dict.fromkeys(names, 64))
        yield from (self.fitted({**self.middling(), name: 1}) for name in names)
        for k in range(count):
            yield self.fitted(self.drawn(values if k % 3 else SMALL))

    def middling(self) -> Sizes:
        """A shape without a corner, where one is found soon."""
        sizes: Sizes = {}
        for _ in range(30):
            sizes = self.fitted(self.drawn(MIDDLING))
            if self.fits(sizes) and min(sizes.values(), default=2) > 1:
                break
        return sizes

    def empty(self) -> Iterator[Sizes]:
        """For each extent that is an expression, a shape where it is 0, if one is found soon."""
        extents = {e: None for a in self.nest.arrays for e in a.shape if not isinstance(e, Dim | Const)}
        for e in extents:
            for _ in range(60):
                sizes = self.fitted(self.drawn((0, 1, 2, 3)))
                if self.fits(sizes) and Evaluator(self.nest, sizes).whole(e) == 0:
                    yield sizes
                    break

    def drawn(self, values: tuple[int, ...]) -> Sizes:
        """Extents out of some values; unnamed ones of the same place in different arrays are mostly alike."""
        sizes = {n: int(self.random.choice(values)) for n in self.nest.dims}
        if self.random.random() < 0.7:
            first: dict[int, int] = {}
            for array in self.nest.arrays:
                for d, e in enumerate(array.shape):
                    if isinstance(e, Dim) and e.name == f"{array.name}_{d}":
                        sizes[e.name] = first.setdefault(d, sizes[e.name])
        return sizes

    def coupled(self, sizes: Sizes) -> Sizes:
        """The sizes made to fit the nest's checks, as far as that is found."""
        sizes = _coupled(self.nest, sizes)
        if not self.nest.checks or self.asserted(sizes):
            return sizes
        mover = Mover(self.nest, self.random, sizes_too=True)
        moved = (mover.moved(sizes, drawn(self.nest, "normal", self.random)) for _ in range(DRAWS))
        return next((found[0] for found in moved if found is not None), sizes)

    def fitted(self, sizes: Sizes) -> Sizes:
        """The shape that the checks admit with its largest extents made smaller until its work is within the
        budget."""
        sizes = self.coupled(sizes)
        for _ in range(40):
            small = max(sizes.values(), default=0) <= 2
            if small or work(self.nest, sizes, self.parallel) <= self.budget:
                break
            largest = max(sizes, key=lambda n: sizes[n])
            less = self.coupled({**sizes, largest: sizes[largest] // 2 + 1 if sizes[largest] > 3 else 2})
            if sum(less.values()) >= sum(sizes.values()):
                break  # the checks hold it there
            sizes = less
        return sizes

    def possible(self) -> bool:
        """Whether sizes are found that the nest's checks admit."""
        return any(self.asserted(self.coupled(self.drawn(FEW))) for _ in range(DRAWS))

    def asserted(self, sizes: Sizes) -> bool:
        """Whether the nest's checks admit the sizes, with some scalars where they are about these too."""
        if not admitted(self.nest, sizes):
            return False
        found = scalars(self.nest, sizes, "normal", self.random, DRAWS) if of_scalars(self.nest) else {}
        return found is not None

    def fits(self, sizes: Sizes) -> bool:
        """Whether the nest's checks admit the sizes and the budgets hold."""
        if elements(self.nest, sizes) > ELEMENTS or not self.asserted(sizes):
            return False
        return work(self.nest, sizes, self.parallel, self.bulk) <= self.budget


def _coupled(nest: Nest, sizes: Sizes) -> Sizes:
    """The sizes made to fit checks of the forms `N == …` and `N % c == 0`."""
    sizes = dict(sizes)
    for test in (t for c in nest.checks for t in conjuncts(c.test)):
        match test:
            case Compare(op="==", left=Dim(name=n), right=e) | Compare(op="==", left=e, right=Dim(name=n)):
                value = Evaluator(nest, sizes).whole(e)
                if value is not None and value >= 0:
                    sizes[n] = value
            case Compare(op="==", left=Binary(op="%", left=Dim(name=n), right=e), right=Const(value=0)):
                value = Evaluator(nest, sizes).whole(e)
                if value is not None and value > 0:
                    sizes[n] = -(-sizes[n] // value) * value
    return sizes
