"""Sizes and scalars that the asserts of a nest admit: where drawn ones break a test, one of its values is moved to
where it holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tl2hip.dtypes import BOOL, I64
from tl2hip.nest.ir import Binary, Compare, Dim, Expr, Logic, Nest, Scalar, Store, Unary, Update
from tl2hip.nest.run.arithmetic import numpy_type
from tl2hip.nest.walk import MIRRORED, all_parts, all_stmts
from tl2hip.prove.evaluate import Evaluator, Sizes

ROUNDS = 8
"""How often the tests that are broken are gone through for one draw."""

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
STEPS = (0, 0, 1, 2, 5)
"""How far inside a bound an integer is put."""

Named = Dim | Scalar


def admitted(nest: Nest, sizes: Mapping[str, int], scalars: Mapping[str, Any] | None = None) -> bool:
    """Whether no extent is negative, every check holds that these sizes and scalars decide, and no strides are such
    that the launcher refuses them."""
    at = Evaluator(nest, sizes, scalars)
    strided = stored(nest) if any(a.strides is not None for a in nest.arrays) else set()
    for array in nest.arrays:
        extents = at.extents(array)
        if any(n is not None and n < 0 for n in extents):
            return False
        if array.strides is not None and array.name in strided:
            strides = [at.whole(s) for s in array.strides]
            if folded([n or 0 for n in extents], [s or 0 for s in strides]):
                return False
    return all(at.whole(c.test) != 0 for c in nest.checks)


def stored(nest: Nest) -> set[str]:
    """The arrays that a nest stores into."""
    return {s.array for s in all_stmts(nest.body) if isinstance(s, Store | Update)}


def folded(extents: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether elements of an array may share memory, as the launcher asks: a stride no longer than all that smaller
    ones span.

    >>> folded((4, 3), (3, 1)), folded((4, 3), (2, 1)), folded((0, 3), (2, 1))
    (False, True, False)
    """
    if 0 in extents:
        return False
    span = 0
    for stride, extent in sorted(zip(strides, extents, strict=True)):
        if extent > 1 and stride <= span:
            return True
        span += (extent - 1) * stride
    return False


def of_scalars(nest: Nest) -> bool:
    """Whether an assert is about a scalar."""
    return any(isinstance(p, Scalar) for c in nest.checks for p in all_parts(c.test))


@dataclass(frozen=True, slots=True)
class Mover:
    """Moves the scalars of a nest, and its sizes where these are free too, to where its asserts hold."""

    nest: Nest
    random: np.random.Generator
    sizes_too: bool = False

    def moved(self, sizes: Sizes, scalars: Mapping[str, Any]) -> tuple[Sizes, dict[str, Any]] | None:
        """Values that the asserts admit, near the given ones; None where none are found from there."""
        sizes, scalars = dict(sizes), dict(scalars)
        tests = [t for c in self.nest.checks for t in self._all_of(c.test, True)]
        for _ in range(ROUNDS):
            at = Evaluator(self.nest, sizes, scalars)
            broken = [t for t in tests if at.number(t) is False]
            if not broken:
                break
            for test in broken:
                self._move(test, sizes, scalars)
        return (sizes, scalars) if admitted(self.nest, sizes, scalars) else None

    def _all_of(self, e: Expr, wanted: bool) -> Iterator[Expr]:
        """Tests that make an expression true, or false where that is wanted: of alternatives any one."""
        match e:
            case Unary(op="not", value=v):
                yield from self._all_of(v, not wanted)
            case Logic(op=op, left=a, right=b) if (op == "and") == wanted:
                yield from self._all_of(a, wanted)
                yield from self._all_of(b, wanted)
            case Logic(left=a, right=b):
                yield from self._all_of((a, b)[self.random.integers(2)], wanted)
            case Compare(op=op, left=a, right=b) if not wanted:
                yield Compare(OPPOSITE[op], a, b)
            case _:
                yield e if wanted else Unary("not", e)

    def _move(self, test: Expr, sizes: Sizes, scalars: dict[str, Any]) -> None:
        """Gives one name of a broken test a value with which the test holds, where one is found."""
        free = [p for p in dict.fromkeys(all_parts(test)) if isinstance(p, Scalar) or self._free(p)]
        self.random.shuffle(free)
        for name in free:
            assert isinstance(name, Named)
            values = sizes if isinstance(name, Dim) else scalars
            if name.dtype is BOOL:
                values[name.name] = not values[name.name]
                return
            found = self._solved(test, name, sizes, scalars) if isinstance(test, Compare) else None
            if found is not None and _holds(name, found):
                values[name.name] = _typed(name, found)
                return

    def _free(self, e: Expr) -> bool:
        return self.sizes_too and isinstance(e, Dim) and e.name in self.nest.dims

    def _solved(self, test: Compare, name: Named, sizes: Sizes, scalars: dict[str, Any]) -> Any:
        """A value of a name for which a comparison holds, as if both sides were linear in it; None where neither
        depends on it."""
        if test.op == "==" and isinstance(test.left, Binary) and test.left.op == "%":
            return self._aligned(test.left, test.right, name, sizes, scalars)
        here = (sizes if isinstance(name, Dim) else scalars)[name.name]
        here = int(here) if name.dtype.is_int else float(here)

        def difference(value: Any) -> Any:
            given = {name.name: _typed(name, value)}
            one, other = (sizes | given, scalars) if isinstance(name, Dim) else (sizes, scalars | given)
            at = Evaluator(self.nest, one, other)
            left, right = at.number(test.left), at.number(test.right)
            finite = left is not None and right is not None and math.isfinite(left) and math.isfinite(right)
            return Fraction(left) - Fraction(right) if finite else None

        if not math.isfinite(here) or not _holds(name, here + 1):
            here = type(here)(0)
        low, high = difference(here), difference(here + 1)
        if low is None or high is None or low == high:
            return None
        edge = Fraction(here) - low / (high - low)
        op = test.op if high > low else MIRRORED[test.op]
        return self._whole(op, edge) if name.dtype.is_int else self._real(op, edge)

    def _whole(self, op: str, edge: Fraction) -> int | None:
        """An integer on the wanted side of an edge."""
        step = int(self.random.choice(STEPS))
        match op:
            case "==":
                return int(edge) if edge.denominator == 1 else None
            case "!=":
                return math.floor(edge) + 1 + step
            case "<" | "<=":
                return (math.ceil(edge) - 1 if op == "<" else math.floor(edge)) - step
            case _:
                return (math.floor(edge) + 1 if op == ">" else math.ceil(edge)) + step

    def _real(self, op: str, edge: Fraction) -> float:
        """A real on the wanted side of an edge, nearer at times."""
        step = 10.0 ** -int(self.random.integers(0, 5)) * max(1.0, abs(float(edge)))
        match op:
            case "==" | "<=" | ">=":
                return float(edge)
            case "<":
                return float(edge) - step
            case _:
                return float(edge) + step

    def _aligned(
        self, left: Binary, right: Expr, name: Named, sizes: Sizes, scalars: dict[str, Any]
    ) -> int | None:
        """The next value of `name` for which `name % n` is what it has to be."""
        at = Evaluator(self.nest, sizes, scalars)
        here, by, rest = at.number(name), at.number(left.right), at.number(right)
        if left.left != name or not isinstance(by, int) or by <= 0:
            return None
        return int(here + (rest - here) % by)


def _holds(name: Named, value: Any) -> bool:
    """Whether a name may have a value: no extent is negative, and an integer fits its dtype."""
    if isinstance(name, Dim):
        return bool(0 <= value < 2**63)
    if not name.dtype.is_int:
        return True
    info = np.iinfo(numpy_type(name.dtype))
    return bool(info.min <= value <= info.max)


def _typed(name: Named, value: Any) -> Any:
    """A value as the type that scalars of its dtype are passed as."""
    if name.dtype is I64:
        return int(value)
    kind = numpy_type(name.dtype).type
    return float(value) if kind is np.float64 else kind(value)
