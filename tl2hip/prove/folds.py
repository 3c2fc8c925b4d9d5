"""Many terms with running bounds taken in at once, as `Bounds` takes them in one by one.

Where errors only add up, they do so in one accumulation; where they depend on the value before, as behind an
overflow, the terms go in one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tl2hip.nest.run import arithmetic as typed
from tl2hip.nest.run.arithmetic import Values
from tl2hip.nest.run.folds import Runs
from tl2hip.nest.run.lanes import Bools, Ints
from tl2hip.prove.sums import opened, size
from tl2hip.prove.values import SIGN_FREE, Bounded, Open, loose, pair

if TYPE_CHECKING:
    from tl2hip.prove.bounded import Bounds

Step = Callable[[Bounded, Bounded], Bounded]


def folded(bounds: Bounds, old: Bounded, op: str, terms: Bounded, runs: Runs) -> Bounded:
    """The terms of each run taken into a value by `Bounds.binary`."""
    dtype = terms.dtype
    if dtype.is_float and (op not in ("min", "max", "minimum", "maximum", "fmin", "fmax") or _off(old, terms)):
        return _one_by_one(bounds, old, terms, runs, lambda a, b: bounds.binary(op, a, b, dtype))
    result = runs.last(typed.folds(op, runs.table(old.typed, terms.typed)))
    flags = old.flags | runs.over(np.bitwise_or, terms.flags)
    if not dtype.is_float:
        return Bounded(result, flags, dtype)
    (x, _), (y, _) = pair(old), pair(terms)
    wide = runs.last(typed.folds(op, runs.table(x, y)))
    return Bounded(result, flags | np.uint8(SIGN_FREE), dtype, wide, np.zeros(1, bounds.real))


def _off(old: Bounded, terms: Bounded) -> bool:
    """Whether any of the values has an error."""
    return bool(pair(old)[1].any() or pair(terms)[1].any())


def summed(
    bounds: Bounds, old: Bounded, op: str, terms: Bounded, runs: Runs, depth: int | None, entry: int
) -> Bounded:
    """The terms of each run taken into a sum or product by `Bounds.accumulate`."""
    dtype = terms.dtype
    if old.open is not None and (old.open.op, old.open.entry) != (op, entry):
        old = bounds.read(old)
    o = old.open or opened(old, op, entry)
    (x, ex), (y, ey) = pair(old), pair(terms)
    wide = runs.last(typed.folds(op, runs.table(x, y)))
    error, hard = _errors(op, wide, ex, ey, runs)
    whole = (ey == 0) & (y == np.floor(y)) & ~loose(terms)
    total = runs.last(typed.folds("+", runs.table(o.total, size(op, y, ey))))
    made = Bounded(
        runs.last(typed.folds(op, runs.table(old.typed, terms.typed))),
        old.flags | runs.over(np.bitwise_or, terms.flags) | np.uint8(SIGN_FREE),
        dtype,
        wide,
        error,
        Open(
            op,
            entry,
            total,
            o.count + runs.counts,
            np.maximum(o.depth, -1 if depth is None else depth),
            o.whole & runs.over(np.logical_and, whole),
        ),
    )
    if not hard.any():
        return made
    rows = np.flatnonzero(np.broadcast_to(hard, (len(runs.counts),)))
    some = bounds.take(old, rows), bounds.take(terms, runs.lanes(rows)), Runs(runs.counts[rows])
    right = _one_by_one(bounds, *some, lambda a, b: bounds.accumulate(a, op, b, dtype, depth, entry))
    return bounds.put(made, rows, right, len(runs.counts))


def _errors(op: str, wide: Values, ex: Values, ey: Values, runs: Runs) -> tuple[Values, Bools]:
    """How far off each sum is, and which of them must be taken term by term to know."""
    if not (ex.any() or ey.any()):
        return np.zeros(1, wide.dtype), np.zeros(1, np.bool_)
    none = (ex == 0) & ~runs.over(np.logical_or, ey != 0)
    error = runs.last(typed.folds("+", runs.table(ex, ey)))
    simple = np.isfinite(wide) & ~np.isnan(error) if op == "+" else np.zeros(1, np.bool_)
    return np.where(none, wide.dtype.type(0), error), ~(none | simple)


def _one_by_one(bounds: Bounds, old: Bounded, terms: Bounded, runs: Runs, step: Step) -> Bounded:
    """The first term of every run, then the second, and so on."""
    n, starts = len(runs.counts), runs.starts
    for t in range(int(runs.counts.max())):
        rows: Ints = np.flatnonzero(runs.counts > t)
        term = bounds.take(terms, starts[rows] + t)
        every = len(rows) == n
        old = step(old, term) if every else bounds.put(old, rows, step(bounds.take(old, rows), term), n)
    return old
