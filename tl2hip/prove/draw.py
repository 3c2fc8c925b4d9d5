"""Draws the data and scalars that a kernel is tried on, the same for the same seed; `shapes` draws the extents.

Modes find different faults: integers, index-coded and one-hot data make sums exact, so that any wrong index
shows; large and cancelling data strain the rounding; edges hold NaN, infinities and the ends of the range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tl2hip.dtypes import BOOL, DType
from tl2hip.nest.ir import Array, Nest
from tl2hip.nest.run.arithmetic import Values, numpy_type
from tl2hip.prove.asserts import admitted
from tl2hip.prove.evaluate import Evaluator, Sizes
from tl2hip.prove.scalars import scalars
from tl2hip.prove.shapes import FREE_TRIPS, WORK, pool, shapes, work
from tl2hip.prove.uses import Extent, Uses, uses

__all__ = ["MODES", "WORK", "Data", "Evaluator", "NoScalars", "Sizes", "admitted", "data", "pool", "shapes", "work"]

MODES = ("normal", "integers", "coded", "one-hot", "positive", "cancelling", "large", "edges")
"""Every mode of `data`, in the order cases go through them."""


# --- data ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Data:
    """The arguments of one call: every parameter array and every scalar, by name."""

    arrays: dict[str, Values]
    scalars: dict[str, Any]


class NoScalars(Exception):
    """No scalars were found that the asserts of a kernel admit beside the given sizes."""


def data(nest: Nest, dims: Mapping[str, int], mode: str, seed: int, *, block: int | None = None) -> Data:
    """Arguments of the given shape in one of `MODES`; arrays that the kernel writes hold noise.

    With `block`, arrays of floats with more elements repeat so many.

    Integer arrays that are subscripts lie mostly in range, with duplicates, in falling order at times, some of
    them negative; in mode "edges" some lie outside. Row pointers rise within the array they point into. Raises
    NoScalars.
    """
    if mode not in MODES:
        raise ValueError(f"no mode {mode}; there are {', '.join(MODES)}")
    random = np.random.default_rng([seed, 2, MODES.index(mode)])
    found = uses(nest)
    given = scalars(nest, dict(dims), mode, random)
    if given is None:
        raise NoScalars(nest.name)
    at = Evaluator(nest, dims, given)
    arrays = {}
    for a in nest.arrays:
        if a.role != "parameter":
            continue
        shape = tuple(int(n or 0) for n in at.extents(a))
        part = (block,) if block and a.dtype.is_float and math.prod(shape) > block else shape
        values = _array(nest, a, part, at, found, mode, random)
        arrays[a.name] = values if part == shape else np.resize(values, shape)
    return Data(arrays, given)


def _array(
    nest: Nest,
    a: Array,
    shape: tuple[int, ...],
    at: Evaluator,
    found: Uses,
    mode: str,
    random: np.random.Generator,
) -> Values:
    kind = numpy_type(a.dtype)
    if a.dtype is BOOL:
        return random.integers(0, 2, shape).astype(np.bool_)
    if a.dtype.is_float:
        return _floats(shape, a.dtype, mode, random).astype(kind)
    if a.name in nest.offsets:
        over = found.bounds.get(a.name) or found.subscripts.get(a.name) or ()
        return _pointers(shape, _smallest(nest, over, at) if over else FREE_TRIPS, random).astype(kind)
    if a.name in found.limits:
        return _bounds(nest, a, shape, at, found, random).astype(kind)
    distinct = a.name in nest.distinct
    if distinct or a.name in found.subscripts:
        limit = _smallest(nest, found.subscripts.get(a.name, ()), at)
        return _indices(shape, limit, a.dtype, mode, distinct, random).astype(kind)
    return _wholes(shape, a.dtype, mode, random)


def _smallest(nest: Nest, extents: tuple[Extent, ...], at: Evaluator) -> int:
    """The smallest extent that a subscript must fit."""
    sizes = []
    for e in extents:
        size, factor = at.whole(nest.array(e.array).shape[e.dim]), at.whole(e.factor)
        if size is not None:
            sizes.append(-(-size // max(1, factor or 1)))
    return min(sizes, default=1)


def _bounds(
    nest: Nest, a: Array, shape: tuple[int, ...], at: Evaluator, found: Uses, random: np.random.Generator
) -> Values:
    """Row pointers where the array starts a loop, lengths where it only stops one."""
    over = found.bounds.get(a.name, ())
    limit = _smallest(nest, over, at) if over else FREE_TRIPS
    if a.name not in found.starts:
        return np.where(random.random(shape) < 0.2, 0, random.integers(0, limit + 1, shape))
    return _pointers(shape, limit, random)


def _pointers(shape: tuple[int, ...], limit: int, random: np.random.Generator) -> Values:
    """Starts of rows up to a limit, some of them empty."""
    pointers = np.sort(random.integers(0, limit + 1, shape), axis=-1)
    if pointers.shape and pointers.shape[-1] > 1:
        empty = random.random(shape)[..., 1:] < 0.3
        pointers[..., 1:] = np.where(empty, pointers[..., :-1], pointers[..., 1:])
        pointers = np.maximum.accumulate(pointers, axis=-1)
        if limit and random.integers(2):
            pointers[..., 0], pointers[..., -1] = 0, limit
    return pointers


def _indices(
    shape: tuple[int, ...], limit: int, dtype: DType, mode: str, distinct: bool, random: np.random.Generator
) -> Values:
    n = int(np.prod(shape))
    if distinct:
        return (random.permutation(max(limit, n))[:n]).reshape(shape)
    if limit <= 0:
        return np.zeros(shape, np.int64)
    found = random.integers(0, limit, n)
    if mode == "coded":
        found = (np.arange(n)[::-1] % limit).astype(np.int64)
    if dtype.kind == "int" and mode != "coded":
        found = np.where(random.random(n) < 0.2, found - limit, found)
    if mode == "edges" and n:
        outside = random.choice([limit, limit + 5, *((-limit - 1,) if dtype.kind == "int" else ())], n)
        found = np.where(random.random(n) < 0.1, outside, found)
    return found.reshape(shape)


def _wholes(shape: tuple[int, ...], dtype: DType, mode: str, random: np.random.Generator) -> Values:
    """Integers that are plain numbers."""
    kind = numpy_type(dtype)
    info = np.iinfo(kind)
    if mode == "coded":
        return np.arange(int(np.prod(shape))).astype(kind).reshape(shape)
    if mode == "edges":
        ends = np.array([info.min, info.max, 0, 1, info.max - 1, info.min + 1], kind)
        return random.choice(ends, shape).astype(kind)
    if mode == "large":
        return random.integers(info.min, info.max, shape, kind, endpoint=True)
    reach = 4 if mode in ("integers", "one-hot") else 100
    low = 0 if dtype.kind == "uint" or mode == "positive" else -reach
    return random.integers(low, reach + 1, shape).astype(kind)


# --- floats ----------------------------------------------------------------------------------------------


def _floats(shape: tuple[int, ...], dtype: DType, mode: str, random: np.random.Generator) -> Values:
    n = int(np.prod(shape))
    normal: Values = np.asarray(random.standard_normal(shape))
    match mode:
        case "normal":
            return normal
        case "integers":
            return random.integers(-4, 5, shape).astype(np.float64)
        case "coded":
            modulus = min(1021, 2 ** (dtype.mantissa + 1) - 3)
            return np.asarray(np.arange(n, dtype=np.float64) % modulus).reshape(shape)
        case "one-hot":
            return _one_hot(shape, random)
        case "positive":
            return np.asarray(0.05 + 1.9 * random.random(shape))
        case "cancelling":
            return _cancelling(normal, float(np.sqrt(_large(dtype))))
        case "large":
            return normal * _large(dtype)
        case "edges":
            return _edged(normal, dtype, random)
    raise ValueError(mode)


def _large(dtype: DType) -> float:
    """A size whose square is still far from overflowing."""
    sizes = {8: 2.0, 16: 30.0 if dtype.mantissa == 10 else 1e15, 32: 1e15, 64: 1e100}
    return sizes[dtype.bits]


def _one_hot(shape: tuple[int, ...], random: np.random.Generator) -> Values:
    """One element of each row is 1."""
    values = np.zeros(shape)
    if not values.size:
        return values
    if not shape:
        return values + 1
    rows = values.reshape(-1, shape[-1])
    rows[np.arange(len(rows)), random.integers(0, shape[-1], len(rows))] = 1
    return values


def _cancelling(normal: Values, size: float) -> Values:
    """Large values of which the second half of each row takes back the first."""
    values = normal * size
    if values.ndim and values.shape[-1] > 1:
        half = values.shape[-1] // 2
        values[..., -half:] = -values[..., :half] + normal[..., -half:]
    return values


def _edged(values: Values, dtype: DType, random: np.random.Generator) -> Values:
    """A few special values: at the ends, in the middle, anywhere."""
    import ml_dtypes

    info: Any = ml_dtypes.finfo(numpy_type(dtype))  # type: ignore[no-untyped-call]
    top, tiny = float(info.max), float(info.smallest_subnormal)
    common = [np.nan, np.inf, -np.inf, -0.0, 0.0, tiny, -tiny * 3]
    special = [*common * 4, top, -top]  # sums with the largest values are often undecided
    flat = values.reshape(-1)
    n = len(flat)
    if n:
        places = {0, n - 1, n // 2, *(int(p) for p in random.integers(0, n, 3 + n // 50))}
        for p in sorted(places):
            flat[p] = special[int(random.integers(len(special)))]
    return flat.reshape(values.shape)
