"""Tiles at run time: arrays whose axes are named by the loops they come from. NumPy is loaded when one is made.

An index tile, and arithmetic of it with ints, is weak as the loop variable it stands for: beside a tile of f32 it
is f32. What is loaded or computed by a NumPy function is strong.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tl2hip.notation.elements import Element, element

if TYPE_CHECKING:
    import numpy as np


@dataclass(slots=True, eq=False)
class Axis:
    """The elements of one tile, from `start` up to `stop`; `open` while its turn of the loop lasts."""

    start: int
    stop: int
    open: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A tile: its elements, and its axes in the order of the array's.

    `ordered` is whether NumPy gives the axes this order too, so that they may be counted (`axis=1`).
    """

    axes: tuple[Axis, ...]
    array: np.ndarray[Any, Any]
    weak: bool = False
    ordered: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of elements along each axis."""
        shape: tuple[int, ...] = self.array.shape
        return shape

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the elements."""
        return self.array.dtype

    @property
    def T(self) -> Value:
        """The same tile with its axes counted from the other end."""
        return Value(self.axes[::-1], self.array.T, self.weak, self.ordered)

    def astype(self, dtype: object) -> Value:
        """The tile with each element cast."""
        return self.cast_to(element(dtype))

    def cast_to(self, kind: Element) -> Value:
        """The tile with each element cast."""
        return Value(self.axes, self.array.astype(kind.dtype), ordered=self.ordered)

    def sum(self, axis: int | Value | None = None, keepdims: bool = False) -> Value:
        """The sum along one axis, or of all elements; halves are summed in f32 and stay halves."""
        array = _widened(self.array)
        return self._reduced(axis, lambda place: array.sum(axis=place).astype(_summed(self.dtype)))

    def max(self, axis: int | Value | None = None, keepdims: bool = False) -> Value:
        """The largest element along one axis, or of all; NaN where there is a NaN."""
        return self._reduced(axis, lambda place: self.array.max(axis=place))

    def min(self, axis: int | Value | None = None, keepdims: bool = False) -> Value:
        """The least element along one axis, or of all; NaN where there is a NaN."""
        return self._reduced(axis, lambda place: self.array.min(axis=place))

    def _reduced(self, axis: int | Value | None, reduce: Callable[[int | None], Any]) -> Value:
        import numpy as np

        check_open(self.axes)
        place = None if axis is None else place_of(self, axis)
        rest = () if place is None else self.axes[:place] + self.axes[place + 1 :]
        return Value(rest, np.asarray(reduce(place)), ordered=self.ordered or len(rest) < 2)

    def along(self, axes: tuple[Axis, ...]) -> Any:
        """The array with its axes in the order of `axes`, one of extent 1 for each that it lacks."""
        order = [self.axes.index(axis) for axis in axes if axis in self.axes]
        return self.array.transpose(order)[tuple(slice(None) if axis in self.axes else None for axis in axes)]

    def __getitem__(self, index: Any) -> Value:
        """`x[:, None]`, for those who would write it in NumPy: axes are paired by their loops, so it is `x`."""
        given = index if isinstance(index, tuple) else (index,)
        whole = [part for part in given if isinstance(part, slice) and part == slice(None)]
        if len(whole) + sum(part is None for part in given) < len(given) or len(whole) != len(self.axes):
            raise TypeError("a tile is indexed with `:` for each of its axes, and None; index the tensor instead")
        return self

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a tile is no plain array: NumPy's element-wise functions take it, others do not")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Value:
        if method != "__call__" or options or ufunc.nout != 1 or ufunc.signature is not None:
            raise TypeError(f"np.{ufunc.__name__} of tiles is called plainly, element by element")
        return combined(ufunc, inputs, weak=False)

    def __array_function__(self, function: Any, _: Any, arguments: Any, named: dict[str, Any]) -> Value:
        import numpy as np

        if function in (np.where, np.clip) and not named and len(arguments) == 3:
            return combined(function, arguments, weak=False)
        if function in (np.sum, np.max, np.min) and isinstance(arguments[0], Value):
            return getattr(arguments[0], function.__name__.removeprefix("a"))(*arguments[1:], **named)  # type: ignore[no-any-return]
        raise TypeError(f"np.{function.__name__} does not take tiles")

    def __bool__(self) -> bool:
        raise TypeError("a tile is not one truth: choose elements with np.where")

    __iter__ = None
    __hash__ = None  # type: ignore[assignment]


def combined(do: Callable[..., Any], parts: tuple[Any, ...], weak: bool) -> Value:
    """`do` of tiles and numbers, element by element, axes paired by their loops."""
    import numpy as np

    if any(not isinstance(part, Value) and np.ndim(part) > 0 for part in parts):
        raise TypeError("a tile is combined with tiles and numbers; index the array with index tiles first")
    tiles = [part for part in parts if isinstance(part, Value)]
    axes, ordered = _paired(tiles)
    check_open(axes)
    arrays = [part.along(axes) if isinstance(part, Value) else part for part in _settled(parts)]
    return Value(axes, np.asarray(do(*arrays)), weak, ordered)


def _paired(tiles: list[Value]) -> tuple[tuple[Axis, ...], bool]:
    """The axes of all tiles, in the order of one that has all of them if no other has another; else in none."""
    axes = tuple(dict.fromkeys(axis for tile in tiles for axis in tile.axes))
    for tile in tiles:
        if tile.ordered and len(tile.axes) == len(axes):
            kept = [tuple(a for a in tile.axes if a in t.axes) == t.axes for t in tiles if t.ordered]
            return tile.axes, all(kept)
    return axes, len(axes) < 2


def _settled(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Weak tiles beside strong ones, in the dtype that Python's numbers would have there."""
    import numpy as np

    strong = [part for part in parts if _strong(part)]
    if not strong or not any(isinstance(part, Value) and part.weak for part in parts):
        return parts
    dtype = np.result_type(*(part.dtype for part in strong))

    def settled(part: Any) -> Any:
        if not isinstance(part, Value) or not part.weak:
            return part
        number = part.array.dtype.type(0).item()
        array = part.array.astype(np.result_type(dtype, number))
        if array.dtype.kind in "iu" and np.any(array != part.array):
            raise OverflowError(f"an index does not fit {array.dtype}; cast the other tile to a wider type")
        return Value(part.axes, array, ordered=part.ordered)

    return tuple(map(settled, parts))


def _strong(part: Any) -> bool:
    return not part.weak if isinstance(part, Value) else hasattr(part, "dtype")


def check_open(axes: tuple[Axis, ...]) -> None:
    """ValueError where a tile belongs to a turn of a loop that is over."""
    if any(not axis.open for axis in axes):
        raise ValueError("a tile is used after the turn of the tile loop that it belongs to")


def axis_of(x: Value) -> Axis | None:
    """The axis that an index tile stands for; None for any other tile."""
    axis = x.axes[0] if len(x.axes) == 1 else None
    same = axis is not None and x.weak and list(x.array) == list(range(axis.start, axis.stop))
    return axis if same and x.array.dtype.kind == "i" else None


def place_of(x: Value, axis: int | Value) -> int:
    """The place of an axis, given by its place or by its index tile."""
    if isinstance(axis, Value):
        named = axis_of(axis)
        if named is None or named not in x.axes:
            raise ValueError("the tile has no axis of this index tile")
        return x.axes.index(named)
    if not x.ordered:
        raise ValueError("the axes of this tile have no order to count them by: give the index tile, `axis=j`")
    place = operator.index(axis)
    if not -len(x.axes) <= place < len(x.axes):
        raise ValueError(f"axis {place} of a tile with {len(x.axes)} axes")
    return place % len(x.axes)


def _widened(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Floats narrower than f32 as f32; anything else as it is."""
    import numpy as np

    narrow = array.dtype.itemsize < 4 and array.dtype.kind not in "biu"
    return array.astype(np.float32) if narrow else array


def _summed(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of NumPy's sum."""
    import numpy as np

    if dtype.kind not in "biu" or dtype.itemsize == 8:
        return dtype
    return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)


def _operator(do: Callable[..., Any], turned: bool = False) -> Callable[..., Value]:
    def apply(self: Value, other: Any) -> Value:
        parts = (other, self) if turned else (self, other)
        return combined(do, parts, weak=not any(map(_strong, parts)))

    return apply


def _compared(do: Callable[..., Any]) -> Callable[[Value, Any], Value]:
    """A mask: NumPy's bools, those of index tiles too."""
    return lambda self, other: combined(do, (self, other), weak=False)


def _in_place(do: Callable[..., Any]) -> Callable[[Value, Any], Value]:
    """`x += y` binds the name anew, to a tile whose axes have the order of those of `x`."""
    apply = _operator(do)

    def kept(self: Value, other: Any) -> Value:
        found = apply(self, other)
        if set(found.axes) != set(self.axes):
            return found
        return Value(self.axes, found.along(self.axes), found.weak, self.ordered)

    return kept


def _unary(do: Callable[..., Any]) -> Callable[[Value], Value]:
    return lambda self: Value(self.axes, do(self.array), self.weak, self.ordered)


# Python's operators, spelled once: the one of a tile is that of its array, with its axes paired by their loops.
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
    _short = _name.rstrip("_")
    setattr(Value, f"__{_short}__", _operator(getattr(operator, _name)))
    setattr(Value, f"__r{_short}__", _operator(getattr(operator, _name), turned=True))
    setattr(Value, f"__i{_short}__", _in_place(getattr(operator, _name)))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Value, f"__{_name}__", _compared(getattr(operator, _name)))
for _name in ("neg", "pos", "invert", "abs"):
    setattr(Value, f"__{_name}__", _unary(getattr(operator, _name)))
