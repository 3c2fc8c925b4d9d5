"""Where the arrays of a case lie: at an allocation's start or one element after it, of any strides."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from tl2hip.dtypes import DType
from tl2hip.nest.run.arithmetic import Values, numpy_type

NOISE = 0xFF
"""The byte that results and workspace hold before the launch: NaN in every float type but e4m3."""


def copies(
    arrays: dict[str, Values], shifted: Collection[str], strides: dict[str, tuple[int, ...]] | None = None
) -> dict[str, Values]:
    """Copies by name, of the given strides; one array under two names stays one, shifted where either is."""
    strides = strides or {}
    off = {id(a) for name, a in arrays.items() if name in shifted}
    made = {id(a): placed(a, id(a) in off, strides.get(name)) for name, a in arrays.items()}
    return {name: made[id(a)] for name, a in arrays.items()}


def placed(values: Values, shifted: bool, strides: tuple[int, ...] | None = None) -> Values:
    """A copy that starts at an allocation's start, or one element after it; row-major without `strides`."""
    width = values.dtype.itemsize
    if strides is not None:
        strides = tuple(s if n > 1 else 0 for n, s in zip(values.shape, strides, strict=True))
    if strides is None:
        strides = tuple(s // width for s in np.ascontiguousarray(values).reshape(values.shape).strides)
    reach = [(n - 1) * s for n, s in zip(values.shape, strides, strict=True)] if values.size else []
    below = -sum(r for r in reach if r < 0)
    size = below + sum(r for r in reach if r > 0) + min(values.size, 1)
    room = np.full((size + shifted) * width, NOISE, np.uint8)
    steps = tuple(s * width for s in strides)
    here: Values = np.ndarray(values.shape, values.dtype, room, (below + shifted) * width, steps)
    here[...] = values
    return here


def noise(shape: Sequence[int], dtype: DType) -> Values:
    """An array nobody has written yet."""
    kind = numpy_type(dtype)
    return np.full(int(np.prod(shape)) * kind.itemsize, NOISE, np.uint8).view(kind).reshape(shape)
