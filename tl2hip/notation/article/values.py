"""Tiles as values: an array whose axes are tile indices, combined by index and not by position."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tl2hip.notation.article.runs import Size, current

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """One index of a TileLoop: its place among all of the run, and the extent it runs over."""

    number: int
    extent: Size


@dataclass(frozen=True, slots=True)
class Value:
    """A tile: its axes, and its array where the run has arrays. Arithmetic pairs axes by their index.

    In a run without arrays the axes are not followed.
    """

    axes: tuple[Index, ...]
    array: np.ndarray[Any, Any] | None

    def __add__(self, other: Value | float) -> Value:
        return _combined(operator.add, self, other)

    def __radd__(self, other: float) -> Value:
        return _combined(operator.add, other, self)

    def __sub__(self, other: Value | float) -> Value:
        return _combined(operator.sub, self, other)

    def __rsub__(self, other: float) -> Value:
        return _combined(operator.sub, other, self)

    def __mul__(self, other: Value | float) -> Value:
        return _combined(operator.mul, self, other)

    def __rmul__(self, other: float) -> Value:
        return _combined(operator.mul, other, self)

    def __truediv__(self, other: Value | float) -> Value:
        return _combined(operator.truediv, self, other)

    def __rtruediv__(self, other: float) -> Value:
        return _combined(operator.truediv, other, self)

    def __neg__(self) -> Value:
        return Value(self.axes, None if self.array is None else -self.array)

    def along(self, axes: tuple[Index, ...]) -> Any:
        """The array with its axes in the order of `axes`, one of extent 1 for each that it lacks."""
        assert self.array is not None
        order = [self.axes.index(axis) for axis in axes if axis in self.axes]
        index = tuple(slice(None) if axis in self.axes else None for axis in axes)
        return self.array.transpose(order)[index]


def dot(a: Value, b: Value, /) -> Value:
    """The sum of products over the indices both factors have and no store has; halves are summed in f32."""
    _check("dot", a)
    _check("dot", b)
    if a.array is None or b.array is None:
        return Value(_union(a.axes, b.axes), None)
    import numpy as np

    shared = [axis for axis in a.axes if axis in b.axes and axis.number not in current().kept]
    if not shared:
        raise ValueError("dot: the factors share no index to sum over; each index they share is in a store")
    axes = tuple(axis for axis in _union(a.axes, b.axes) if axis not in shared)
    letters = {axis: chr(ord("a") + place) for place, axis in enumerate(_union(a.axes, b.axes))}
    left, right, out = ("".join(letters[axis] for axis in part) for part in (a.axes, b.axes, axes))
    return Value(axes, np.einsum(f"{left},{right}->{out}", _widened(a.array), _widened(b.array)))


def exp(x: Value, /) -> Value:
    """e to the power of each element."""
    _check("exp", x)
    import numpy as np

    return Value(x.axes, None if x.array is None else np.exp(x.array))


def max(x: Value, /, axis: int | Index) -> Value:
    """The largest element along one axis, by place or by its index; NaN where there is a NaN."""
    _check("max", x)
    if x.array is None:
        return x
    place = _place("max", x, axis)
    return Value(_without(x.axes, place), x.array.max(axis=place))


def sum(x: Value, /, axis: int | Index) -> Value:
    """The sum along one axis, by place or by its index; halves are summed in f32 and stay halves."""
    _check("sum", x)
    if x.array is None:
        return x
    place = _place("sum", x, axis)
    return Value(_without(x.axes, place), _widened(x.array).sum(axis=place).astype(x.array.dtype))


def summed(x: Value, axes: tuple[Index, ...]) -> Value:
    """`x` summed over the indices outside `axes`; halves become f32."""
    rest = tuple(place for place, axis in enumerate(x.axes) if axis not in axes)
    if not rest or x.array is None:
        return x
    kept = tuple(axis for axis in x.axes if axis in axes)
    return Value(kept, _widened(x.array).sum(axis=rest))


def _combined(do: Callable[[Any, Any], Any], a: Value | float, b: Value | float) -> Value:
    axes = _union(*(side.axes for side in (a, b) if isinstance(side, Value)))
    for side in (a, b):
        if not isinstance(side, Value) and not hasattr(side, "__float__"):
            raise TypeError(f"a tile is combined with a tile or a number, not with {side!r}; load tensors first")
    if any(isinstance(side, Value) and side.array is None for side in (a, b)):
        return Value(axes, None)
    left, right = (side.along(axes) if isinstance(side, Value) else side for side in (a, b))
    return Value(axes, do(left, right))


def _widened(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Floats narrower than f32 as f32; anything else as it is."""
    import numpy as np

    narrow = array.dtype.itemsize < 4 and array.dtype.kind not in "biu"
    return array.astype(np.float32) if narrow else array


def _check(what: str, x: object) -> None:
    if not isinstance(x, Value):
        raise TypeError(f"{what} takes loaded tiles, such as A[i, k].load(), not {x!r}")


def _place(what: str, x: Value, axis: int | Index) -> int:
    if isinstance(axis, Index):
        if axis not in x.axes:
            raise ValueError(f"{what}: the tile has no such index")
        return x.axes.index(axis)
    place = operator.index(axis)
    if not -len(x.axes) <= place < len(x.axes):
        raise ValueError(f"{what}: axis {place} of a tile with {len(x.axes)} axes")
    return place % len(x.axes)


def _without(axes: tuple[Index, ...], place: int) -> tuple[Index, ...]:
    return axes[:place] + axes[place + 1 :]


def _union(*parts: tuple[Index, ...]) -> tuple[Index, ...]:
    return tuple(dict.fromkeys(axis for axes in parts for axis in axes))
