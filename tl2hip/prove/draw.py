"""Draws what a kernel is tried on: shapes, data and scalars, the same for the same seed.

Modes find different faults: integers, index-coded and one-hot data make sums exact, so that any wrong index
shows; large and cancelling data strain the rounding; edges hold NaN, infinities and the ends of the range.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tl2hip.dtypes import BOOL, F64, I64, DType
from tl2hip.nest.arithmetic import Values, numpy_type
from tl2hip.nest.ir import Array, Binary, Compare, Const, Dim, Expr, Logic, Loop, Nest, Scalar, Stmt, While
from tl2hip.nest.lanes import Frame
from tl2hip.nest.machine import Machine
from tl2hip.nest.run import Typed
from tl2hip.nest.walk import all_parts, all_stmts, blocks
from tl2hip.prove.uses import Extent, Uses, uses

MODES = ("normal", "integers", "coded", "one-hot", "positive", "cancelling", "large", "edges")
"""Every mode of `data`, in the order cases go through them."""

SMALL = (0, 1, 2, 3, 5, 7, 8, 13, 16)
SPECIAL = (31, 32, 63, 64, 65, 97, 127, 128, 129, 251)
WORK = 40_000
"""How many innermost statements one drawn shape may take."""
SERIAL = 6
"""How many side-by-side statements take as long as one that stands alone."""
FREE_TRIPS = 8
"""What a loop whose length is data counts for."""

Sizes = dict[str, int]


# --- evaluating over dims and scalars --------------------------------------------------------------------


class Evaluator:
    """Values of expressions over the extents, the scalars and given loop variables."""

    def __init__(self, nest: Nest, dims: Mapping[str, int], scalars: Mapping[str, Any] | None = None) -> None:
        self.machine: Machine[Values] = Machine(nest, Typed(), ())
        self.frame: Frame[Values] = Frame(self.machine.arithmetic, 1)
        for name, value in dims.items():
            self.frame.read["#" + name] = np.array([value], np.int64)
        for name, value in (scalars or {}).items():
            self.frame.read["$" + name] = np.array([value])

    def whole(self, e: Expr) -> int | None:
        """An integer; None where the expression needs more than is given."""
        try:
            with np.errstate(all="ignore"):
                return int(self.machine.value(e, self.frame)[0])
        except NameError:
            return None

    def extents(self, array: Array) -> tuple[int | None, ...]:
        return tuple(self.whole(e) for e in array.shape)


def work(nest: Nest, dims: Mapping[str, int], parallel: Collection[str] | None = None) -> int:
    """About how many innermost statements a run takes.

    Where `parallel` names the axes that run side by side, what runs one after the other counts much more, as it
    does in the time that `nest.run` takes.
    """
    total = _work(nest.body, Evaluator(nest, dims), frozenset())
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


# --- shapes ----------------------------------------------------------------------------------------------


def pool(nest: Nest) -> tuple[int, ...]:
    """The extents worth trying: small ones, those around waves, primes, those around the user's tiles."""
    tiles = {s.axis.tile for s in all_stmts(nest.body) if isinstance(s, Loop) and s.axis.tile}
    around = {n for t in tiles for n in (t - 1, t, t + 1, 2 * t - 1)}
    return tuple(sorted({*SMALL, *SPECIAL, *around}))


def shapes(
    nest: Nest, seed: int, count: int, budget: int = WORK, parallel: Collection[str] | None = None
) -> tuple[Sizes, ...]:
    """Up to `count` different shapes that the nest's checks admit, each within the budget of `work`.

    The first ones have a single extent of 0 or 1 each, or all of them 1; the rest are drawn from `pool`.
    Fewer where there are no more, e.g. one where the nest has no extents.
    """
    random = np.random.default_rng([seed, 1])
    names = nest.dims
    found: dict[tuple[int, ...], Sizes] = {}
    given = _corners(nest, random)
    values = pool(nest)
    for attempt in range(count * 40 + len(given)):
        if len(found) >= count:
            break
        if attempt < len(given):
            sizes = given[attempt]
        else:
            choose = values if attempt % 3 else SMALL
            sizes = {n: int(random.choice(choose)) for n in names}
        sizes = _within(nest, _coupled(nest, sizes), budget, parallel)
        if admitted(nest, sizes) and work(nest, sizes, parallel) <= budget:
            found.setdefault(tuple(sizes.values()), sizes)
    return tuple(found.values())


def _corners(nest: Nest, random: np.random.Generator) -> list[Sizes]:
    """Shapes that every nest is tried on: a middling one, all ones, and each extent at 0 and at 1 alone."""

    def middling() -> Sizes:
        return {n: int(random.choice((3, 5, 7, 17, 33, 65))) for n in nest.dims}

    first = [middling(), dict.fromkeys(nest.dims, 1), dict.fromkeys(nest.dims, 64)]
    return first + [{**middling(), n: value} for n in nest.dims for value in (0, 1)]


def _within(nest: Nest, sizes: Sizes, budget: int, parallel: Collection[str] | None) -> Sizes:
    """The shape with its largest extents made smaller until its work is within the budget."""
    sizes = dict(sizes)
    for _ in range(40):
        if work(nest, sizes, parallel) <= budget or max(sizes.values(), default=0) <= 2:
            break
        largest = max(sizes, key=lambda n: sizes[n])
        sizes[largest] = sizes[largest] // 2 + 1 if sizes[largest] > 3 else 2
        sizes = _coupled(nest, sizes)
    return sizes


def admitted(nest: Nest, sizes: Mapping[str, int], scalars: Mapping[str, Any] | None = None) -> bool:
    """Whether no extent is negative and every check holds that these sizes and scalars decide."""
    at = Evaluator(nest, sizes, scalars)
    for array in nest.arrays:
        if any(n is not None and n < 0 for n in at.extents(array)):
            return False
    return all(at.whole(c.test) != 0 for c in nest.checks)


def _coupled(nest: Nest, sizes: Sizes) -> Sizes:
    """The sizes made to fit checks of the forms `N == …` and `N % c == 0`."""
    sizes = dict(sizes)
    for test in _conjuncts(nest):
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


def _conjuncts(nest: Nest) -> list[Expr]:
    """The conditions that must all hold."""
    queue = [c.test for c in nest.checks]
    found: list[Expr] = []
    while queue:
        e = queue.pop(0)
        if isinstance(e, Logic) and e.op == "and":
            queue = [e.left, e.right, *queue]
        else:
            found.append(e)
    return found


# --- data ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Data:
    """The arguments of one call: every parameter array and every scalar, by name."""

    arrays: dict[str, Values]
    scalars: dict[str, Any]


def data(nest: Nest, dims: Mapping[str, int], mode: str, seed: int) -> Data:
    """Arguments of the given shape in one of `MODES`; arrays that the kernel writes hold noise.

    Integer arrays that are subscripts lie mostly in range, with duplicates, in falling order at times, some of
    them negative; in mode "edges" some lie outside. Row pointers rise within the array they point into.
    """
    if mode not in MODES:
        raise ValueError(f"no mode {mode}; there are {', '.join(MODES)}")
    random = np.random.default_rng([seed, 2, MODES.index(mode)])
    found = uses(nest)
    scalars = _scalars(nest, dims, found, mode, random)
    at = Evaluator(nest, dims, scalars)
    arrays = {a.name: _array(nest, a, at, found, mode, random) for a in nest.arrays if a.role == "parameter"}
    return Data(arrays, scalars)


def _scalars(
    nest: Nest, dims: Mapping[str, int], found: Uses, mode: str, random: np.random.Generator
) -> dict[str, Any]:
    """Scalars that the checks admit; those a loop depends on stay small."""
    shaping = {p.name for a in nest.arrays for e in a.shape for p in all_parts(e) if isinstance(p, Scalar)}
    tries: dict[str, Any] = {}
    for _ in range(100):
        tries = {s.name: _scalar(s, s.name in found.limits | shaping, mode, random) for s in nest.scalars}
        if admitted(nest, dims, tries):
            break
    return tries


def _scalar(s: Scalar, small: bool, mode: str, random: np.random.Generator) -> Any:
    kind = numpy_type(s.dtype).type
    if s.dtype is BOOL:
        return bool(random.integers(2))
    if s.dtype.is_int:
        signed = (-1, -3, -8) if s.dtype.kind == "int" else ()
        choices = (0, 1, 2, 3, 7, 20) if small else (0, 1, 2, 3, 5, 17, *signed)
        value = int(random.choice(choices))
        return value if s.dtype is I64 else kind(value)
    real = float(random.choice(_REALS.get(mode, (0.5, 1.0, 2.0, 0.0, -1.25, 1e-5, 0.1))))
    return real if s.dtype is F64 else kind(real)


_REALS: dict[str, tuple[float, ...]] = {
    "positive": (0.5, 1.0, 2.0),
    **dict.fromkeys(("integers", "coded", "one-hot"), (1.0, 2.0, -1.0, 0.0)),
}


def _array(
    nest: Nest, a: Array, at: Evaluator, found: Uses, mode: str, random: np.random.Generator
) -> Values:
    shape = tuple(int(n or 0) for n in at.extents(a))
    kind = numpy_type(a.dtype)
    if a.dtype is BOOL:
        return random.integers(0, 2, shape).astype(np.bool_)
    if a.dtype.is_float:
        return _floats(shape, a.dtype, mode, random).astype(kind)
    if a.name in found.limits:
        return _bounds(nest, a, shape, at, found, random).astype(kind)
    if a.name in found.subscripts:
        limit = _smallest(nest, found.subscripts[a.name], at)
        distinct = a.name in nest.distinct
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
    if limit <= 0:
        return np.zeros(shape, np.int64)
    if distinct:
        return (random.permutation(max(limit, n))[:n]).reshape(shape)
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
