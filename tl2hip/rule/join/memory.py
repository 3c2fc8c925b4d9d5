"""memory: what the elements of an array are, as layers of stores, the newest first.

A layer is one store: an element, or with axes of its own all elements that a loop nest stored. A read is
answered by the newest layer that surely holds the element; where one may hold it, the answer is a choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tl2hip.nest import index as whole
from tl2hip.nest.ir import AxisRef, Binary, Compare, Const, Expr, Load, Logic, Select
from tl2hip.rule.join.book import Book, Range
from tl2hip.source.span import NOWHERE, Span

Holds = Callable[[Range, Expr, "Expr | None"], bool]
"""Whether an index surely takes only values of a range; the extent of the array, where the index is an axis."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A store of `value` at `index`, for all values of `axes` (outermost first)."""

    axes: tuple[Range, ...]
    index: tuple[Expr, ...]
    value: Expr
    at: Span = field(default=NOWHERE, compare=False)

    def moved(self, book: Book, to: dict[str, Expr]) -> Layer:
        """The layer with its axes under other names or at other values; those that have a value are gone."""
        left = [a for a in self.axes if isinstance(to.get(a.axis, AxisRef(a.axis)), AxisRef)]
        axes = tuple(_range(book, a, to) for a in left)
        index = tuple(book.put(i, to) for i in self.index)
        return replace(self, axes=axes, index=index, value=book.put(self.value, to))


def _range(book: Book, a: Range, to: dict[str, Expr]) -> Range:
    name = to.get(a.axis)
    axis = name.axis if isinstance(name, AxisRef) else a.axis
    return replace(a, axis=axis, start=book.put(a.start, to), stop=book.put(a.stop, to))


@dataclass(frozen=True, slots=True)
class Cells:
    """An array: its layers, newest first, on `bottom`: the name under which what was there before is read, or ""
    where nothing was."""

    bottom: str
    layers: tuple[Layer, ...] = ()
    fault: str = ""

    def stored(self, layer: Layer, book: Book, holds: Holds) -> Cells:
        """The array after a store; what that hides for sure is gone."""
        kept = tuple(old for old in self.layers if not _hides(layer, old, book, holds))
        return replace(self, layers=(layer, *kept))

    def read(self, at: Load, book: Book, holds: Holds, shape: tuple[Expr, ...]) -> Expr:
        """The value of an element; unknown, with the reason, where no layer tells."""
        if self.fault:
            return book.lost(self.fault, at.dtype)
        return self._from(self.layers, at, book, holds, shape)

    def _from(
        self, layers: tuple[Layer, ...], at: Load, book: Book, holds: Holds, shape: tuple[Expr, ...]
    ) -> Expr:
        if not layers:
            if self.bottom:
                return replace(at, array=self.bottom, proven=False)
            return book.lost(f"an element of {at.array} is read that may not have been written", at.dtype)
        top, *rest = layers
        if apart(top.index, at.index):
            return self._from(tuple(rest), at, book, holds, shape)
        where = solved(top, at.index, book)
        if where is None:
            return book.lost(f"it is not known which element of {at.array} is read", at.dtype)
        tests: list[Expr] = []
        for a in top.axes:
            here, value = _range(book, a, where), where[a.axis]
            extent = next((n for n, i in zip(shape, top.index, strict=True) if i == AxisRef(a.axis)), None)
            inside = at.proven or (isinstance(value, Const) and value.value >= 0)
            if not holds(here, value, extent if inside else None):
                if a.step != 1:
                    return book.lost(f"it is not known which element of {at.array} is read", at.dtype)
                tests += [Compare("<=", here.start, value), Compare("<", value, here.stop)]
        value = book.put(top.value, where)
        if not tests:
            return value
        test = tests[0]
        for t in tests[1:]:
            test = Logic("and", test, t)
        return Select(test, value, self._from(tuple(rest), at, book, holds, shape))


def _hides(new: Layer, old: Layer, book: Book, holds: Holds) -> bool:
    """Whether a store surely covers all elements of an older one."""
    where = solved(new, old.index, book)
    if where is None:
        return False
    ranges = {a.axis: a for a in old.axes}
    for a in new.axes:
        here, value = _range(book, a, where), where[a.axis]
        own = ranges.get(value.axis) if isinstance(value, AxisRef) else None
        if own is not None and own.bounds == here.bounds:
            continue
        if not holds(here, value, None):
            return False
    return True


def apart(a: tuple[Expr, ...], b: tuple[Expr, ...]) -> bool:
    """Whether two indices are surely of two elements: constants that differ at one place."""
    pairs = zip(a, b, strict=True)
    return any(isinstance(x, Const) and isinstance(y, Const) and x.value != y.value for x, y in pairs)


def solved(layer: Layer, at: tuple[Expr, ...], book: Book) -> dict[str, Expr] | None:
    """The values of a layer's axes at which it stores the element `at`; None where they are not known."""
    found: dict[str, Expr] = {}
    axes = {a.axis for a in layer.axes}
    for p, e in zip(layer.index, at, strict=True):
        if not _solve(p, e, axes, found, book):
            return None
    if axes - found.keys():
        return None
    return found


def _solve(p: Expr, e: Expr, axes: set[str], found: dict[str, Expr], book: Book) -> bool:
    """Solves for the one axis in `p`; what is added to it goes to the other side."""
    if axes.isdisjoint(book.axes(p)):
        return p == e
    if isinstance(p, AxisRef):
        return found.setdefault(p.axis, e) == e
    if not isinstance(p, Binary) or p.op not in ("+", "-"):
        return False
    same = isinstance(e, Binary) and e.op == p.op
    if axes.isdisjoint(book.axes(p.right)):
        if same and isinstance(e, Binary) and e.right == p.right:
            return _solve(p.left, e.left, axes, found, book)
        return _solve(p.left, whole.sub(e, p.right) if p.op == "+" else whole.add(e, p.right), axes, found, book)
    if p.op == "+" and axes.isdisjoint(book.axes(p.left)):
        if same and isinstance(e, Binary) and e.left == p.left:
            return _solve(p.right, e.right, axes, found, book)
        return _solve(p.right, whole.sub(e, p.left), axes, found, book)
    return False


def fresh_axes(layer: Layer, book: Book) -> Layer:
    """The layer with names of its own for its axes."""
    to: dict[str, Expr] = {a.axis: AxisRef(book.fresh(a.axis.split("~")[0])) for a in layer.axes}
    return layer.moved(book, to)
