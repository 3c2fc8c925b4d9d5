"""The running bound: what a kernel's outputs must be, and how far off each may lie.

A nest is evaluated once more with a pair (value, error) for every float. Nobody chooses a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tl2hip.dtypes import F64, DType
from tl2hip.nest.ir import Binary, Compare, Expr, If, Loop, Nest, Select, Set, Stmt, Var, While
from tl2hip.nest.reductions import Reduction, reductions
from tl2hip.nest.run import Scalars, extents, outputs, start
from tl2hip.nest.run.arithmetic import Values
from tl2hip.nest.run.lanes import Bools
from tl2hip.nest.run.machine import Machine
from tl2hip.nest.walk import MIRRORED, all_exprs
from tl2hip.plan.softmax_ir import Joined
from tl2hip.prove.asked import asked
from tl2hip.prove.bounded import Bounds
from tl2hip.prove.cells import Cells
from tl2hip.prove.halves import in_numpy
from tl2hip.prove.joined import marked
from tl2hip.prove.values import APPROXIMATE, INEXACT, SIGN_FREE, UNKNOWN, Bounded

Depths = Mapping[str, int | Callable[[int], int]]
"""For an axis, the longest chain of additions that a plan makes of n iterations: a number, or a function of n."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What one output must be. All arrays have its shape.

    Where `exact`, only `typed` (what a typed run gives) is right, bit for bit; zeros of either sign are alike where
    `sign_free`. Elsewhere a kernel lies within `error` of `value`, except where `unknown`: a decision was within
    its bound there, or nobody wrote the element. `approximate` marks functions of a stated error.
    """

    value: Values
    error: Values
    exact: Bools
    typed: Values
    sign_free: Bools
    unknown: Bools
    approximate: Bools

    @property
    def undecided(self) -> int:
        """How many elements nothing can be said about."""
        return int(self.unknown.sum())


def reference(
    nest: Nest,
    arrays: Mapping[str, Values],
    scalars: Scalars | None = None,
    dims: Mapping[str, int] | None = None,
    *,
    parallel: Collection[str] = (),
    depths: Depths | None = None,
    steps: int | None = None,
    python: bool = False,
    joins: tuple[Joined, ...] = (),
) -> dict[str, Reference]:
    """The reference of every array that the nest writes or returns; arguments as for `nest.run.run`.

    `depths` tells the plan's trees; an axis that is not in it counts as a serial chain. `python` bounds what
    plain Python gives rather than a kernel, with the roundings of NumPy's own reductions of halves. `joins` are the
    softmaxes that the plan takes in one pass.
    """
    nest = branched(in_numpy(nest) if python else asked(marked(nest, joins)))
    bounds = Bounds(np.longdouble if _has_f64(nest) else np.float64, python)
    found = reductions(nest, depths or ())
    machine: Machine[Bounded] = Machine(nest, bounds, parallel, steps, found, _depth(depths or {}))

    def copied(array: Values, dtype: DType) -> Cells:
        return Cells(bounds, np.array(array, order="C").reshape(-1), dtype)

    frame = start(machine, arrays, scalars or {}, dims or {}, copied)
    with np.errstate(all="ignore"):
        machine.block(nest.body, frame)
        return {name: _reference(frame.place(name).memory, extents(frame.place(name))) for name in outputs(nest)}


def _reference(cells: Cells, shape: tuple[int, ...]) -> Reference:
    value = cells.get(np.arange(len(cells.typed)))
    flags = value.flags
    exact = (flags & INEXACT) == 0
    wide: Values = value.typed
    error: Values = np.zeros(len(flags))
    if value.wide is not None and value.error is not None:
        wide, error = value.wide, value.error
    columns: tuple[Values, ...] = (
        wide,
        error,
        exact,
        value.typed,
        (flags & SIGN_FREE) != 0,
        ((flags & UNKNOWN) != 0) | (~exact & ~np.isfinite(error)),
        (flags & APPROXIMATE) != 0,
    )
    return Reference(*(c.reshape(shape) for c in columns))


def _has_f64(nest: Nest) -> bool:
    return any(a.dtype is F64 for a in nest.arrays) or any(e.dtype is F64 for e in all_exprs(nest.body))


def _depth(depths: Depths) -> Callable[[Reduction, Mapping[str, int]], int | None]:
    """The longest chain of a reduction over its loops: the product of their chains."""

    def chain(reduction: Reduction, trips: Mapping[str, int]) -> int | None:
        if depths.keys().isdisjoint(reduction.axes):
            return None
        product = reduction.times
        for axis in reduction.axes:
            n = trips.get(axis, 1)
            one = depths.get(axis, n)
            product *= max(1, one(n) if callable(one) else one)
        return product

    return chain


def branched(nest: Nest) -> Nest:
    """The nest with `x = e if test else x` as a branch, so that a sum under a condition is seen as one, and with
    `if e > x: x = e` of floats as the max that it is."""
    return replace(nest, body=_branched(nest.body))


def _branched(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    return tuple(_branch(s) for s in body)


def _branch(s: Stmt) -> Stmt:
    match s:
        case Loop(body=body) | While(body=body):
            return replace(s, body=_branched(body))
        case If(test=Compare() as test, then=(Set(name=name, value=e),), orelse=()) if (op := _wins(test, name, e)):
            return Set(name, Binary(op, Var(name, e.dtype), e), s.at)
        case If(then=then, orelse=orelse):
            return replace(s, then=_branched(then), orelse=_branched(orelse))
        case Set(name=name, value=Select(test=test, then=e, orelse=Var(name=same))) if same == name:
            return _branch(If(test, (Set(name, e, s.at),), (), s.at))
        case Set(name=name, value=Select(test=test, then=Var(name=same), orelse=e)) if same == name:
            return If(test, (), (_branch(Set(name, e, s.at)),), s.at)
    return s


def _wins(test: Compare, name: str, e: Expr) -> str:
    """"max" or "min" where a test asks whether a float should take the place of a variable; "" for other tests.
    Where the two are equal they are alike but for the sign of a zero, which no order of iterations keeps."""
    old = Var(name, e.dtype)
    if not e.dtype.is_float or (test.left, test.right) not in ((e, old), (old, e)):
        return ""
    op = test.op if test.left == e else MIRRORED[test.op]
    return {">": "max", ">=": "max", "<": "min", "<=": "min"}.get(op, "")


# --- comparing -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Failure:
    """One element outside its bound (a bound of 0: it must be equal)."""

    index: tuple[int, ...]
    got: Any
    expected: Any
    bound: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """What comparing one output found.

    `worst_ratio` is the largest error in units of its bound, over elements that have one. `checked` elements
    were compared, `exact` of them bit for bit; `undecided` ones could not be. `failures` are the first few of
    `wrong`.
    """

    worst_ratio: float
    failures: tuple[Failure, ...]
    undecided: int
    checked: int
    exact: int
    wrong: int

    @property
    def good(self) -> bool:
        return self.wrong == 0


FEW = 5


def compare(got: Values, typed: Values, reference: Reference) -> Verdict:
    """What a kernel gave against the reference; `typed` is what `nest.run.run` gives.

    ValueError where shapes or dtypes differ: those are not a matter of rounding.
    """
    for other in (typed, reference.typed):
        if got.shape != other.shape or got.dtype != other.dtype:
            raise ValueError(f"got {got.dtype}{list(got.shape)}, expected {other.dtype}{list(other.shape)}")
    with np.errstate(all="ignore"):
        equal = _equal(got, typed, reference.sign_free)
        bounded = ~reference.exact & ~reference.unknown
        ratio = _ratios(got, reference) if bounded.any() else np.zeros(got.shape)
        expected = np.where(reference.exact, typed, reference.value.astype(typed.dtype))
    wrong = np.where(reference.exact, ~equal, bounded & ~(ratio <= 1))
    failures = tuple(
        Failure(tuple(int(i) for i in at), got[tuple(at)], expected[tuple(at)], _allowed(reference, tuple(at)))
        for at in np.argwhere(wrong)[:FEW]
    )
    worst = float(np.max(ratio, where=bounded, initial=0.0))
    checked = reference.exact | bounded
    return Verdict(
        worst,
        failures,
        reference.undecided,
        int(checked.sum()),
        int(reference.exact.sum()),
        int(wrong.sum()),
    )


def _allowed(reference: Reference, at: tuple[int, ...]) -> float:
    return 0.0 if reference.exact[at] else float(reference.error[at])


def _equal(got: Values, typed: Values, sign_free: Bools) -> Bools:
    """Bit equality; any NaN equals any other, and zeros are alike where their sign is free."""
    if got.dtype.kind in "biu":
        return np.asarray(got == typed)
    words = np.dtype(f"u{got.dtype.itemsize}")
    same = np.ascontiguousarray(got).view(words) == np.ascontiguousarray(typed).view(words)
    wide, other = got.astype(np.float64), typed.astype(np.float64)
    both_nan = np.isnan(wide) & np.isnan(other)
    return np.asarray(same | both_nan | (sign_free & (wide == 0) & (other == 0)))


def _ratios(got: Values, reference: Reference) -> Values:
    """Each error in units of its bound: 0 for equal values, infinite where only equality will do."""
    real = reference.value.dtype
    wide = (got.astype(np.float64) if got.dtype.itemsize < 4 else got).astype(real)
    value = reference.value
    same = (wide == value) | (np.isnan(wide) & np.isnan(value))
    ratio = np.abs(wide - value) / reference.error
    hopeless = ~np.isfinite(wide) | ~np.isfinite(value) | (reference.error == 0)
    return np.asarray(np.where(same, 0.0, np.where(hopeless, np.inf, ratio)).astype(np.float64))
