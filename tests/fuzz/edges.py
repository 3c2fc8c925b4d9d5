"""Data for extremes of floats: NaN, infinities and zeros of both signs, where a wrong choice between two shows."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

import numpy as np

from tl2hip.nest.run.arithmetic import Values
from tl2hip.prove.draw import Data, Sizes
from tl2hip.prove.verify import Session

MODE = "extremes"
"""The mode of `EdgeSession` beside those of `prove.draw`."""
SCALARS, SPRINKLED = 0.3, 0.15
"""The shares of scalars, and of elements of arrays of one axis, that are NaN."""
ROWS = ("first", "middle", "plain", "last", "ties", "middle", "first", "infinities", "plain", "all")
"""What is done to the rows of an array, in turn from a drawn one on: where the NaN is, or what else there is."""


def chooses(features: Collection[str]) -> bool:
    """Whether a program takes a max or min of floats (`Writer.mark_choice`)."""
    return any(f"{name} of floats" in features for name in ("max", "min", "np.maximum", "np.minimum"))


class EdgeSession(Session):
    """A session that also knows the mode `MODE`."""

    def drawn(self, sizes: Sizes, mode: str, seed: int) -> Data:
        """The data of a case; in `MODE`, normal data of which each float array holds special values."""
        if mode != MODE:
            return super().drawn(sizes, mode, seed)
        found = super().drawn(sizes, "normal", seed)
        random = np.random.default_rng([seed, 3])
        for array in self.nest.arrays:
            if array.dtype.is_float and array.name in found.arrays:
                place(found.arrays[array.name], random)
        for scalar in self.nest.scalars:
            if scalar.dtype.is_float and random.random() < SCALARS:
                found.scalars[scalar.name] = type(found.scalars[scalar.name])(np.nan)
        return found


def place(values: Values, random: np.random.Generator) -> None:
    """Puts special values into an array: row by row along a drawn axis, or all over where there is one axis."""
    if values.ndim < 2:
        flat = values.reshape(-1)
        for kind in random.permutation(ROWS[:-1])[:3]:
            put(flat, str(kind))
        flat[random.random(len(flat)) < SPRINKLED] = np.nan
        return
    rows = np.moveaxis(values, int(random.integers(values.ndim)), -1)
    first = int(random.integers(len(ROWS)))
    for k, at in enumerate(product(*(range(n) for n in rows.shape[:-1]))):
        put(rows[at], ROWS[(first + k) % len(ROWS)])


def put(row: Values, kind: str) -> None:
    """Puts the special values of a kind of `ROWS` into a row, in place."""
    n = len(row)
    if not n:
        return
    match kind:
        case "first":
            row[0] = np.nan
        case "middle":
            row[n // 2] = np.nan
        case "last":
            row[-1] = np.nan
        case "all":
            row[:] = np.nan
        case "ties":
            row[0::2], row[1::2] = 0.0, -0.0
        case "infinities":
            row[0], row[-1] = np.inf, -np.inf
        case "plain":
            pass
        case _:
            raise ValueError(kind)
