"""What `tile` offers: loops over tiles, accumulators, and the product of two tiles."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterator
from typing import Any

from tl2hip.notation.elements import element
from tl2hip.notation.marks import Mark, checked_marks
from tl2hip.notation.tile.values import Axis, Value, axis_of, check_open, combined


def range(extent: int, /, *marks: int | Mark) -> Iterator[Any]:
    """The tiles of an axis: `for i in tile.range(M, 128, waves(2)):`, the last of them cut at the extent.

    Without a size there is one tile, the whole axis, be it empty.
    """
    checked = checked_marks("tile.range", marks)
    size = next((mark for mark in checked if not isinstance(mark, Mark)), None)
    last = max(0, extent)
    for start in builtins.range(0, last, size) if size is not None else (0,):
        axis = Axis(start, last if size is None else min(start + size, last))
        yield _index(axis)
        axis.open = False


def all(extent: int, /) -> Any:
    """One tile, the whole of an axis, with no loop: `d = tile.all(D)`."""
    return _index(Axis(0, max(0, extent)))


def _index(axis: Axis) -> Value:
    import numpy as np

    return Value((axis,), np.arange(axis.start, axis.stop, dtype=np.int64), weak=True)


def zeros(*indices: Any, dtype: Any) -> Any:
    """A tile of zeros over some index tiles: `acc = tile.zeros(i, j, dtype=f32)`."""
    return full(*indices, value=0, dtype=dtype)


def full(*indices: Any, value: Any, dtype: Any) -> Any:
    """A tile over some index tiles whose elements are all `value`: `tile.full(i, value=-math.inf, dtype=f32)`."""
    import numpy as np

    axes: tuple[Axis, ...] = ()
    for index in indices:
        axis = axis_of(index) if isinstance(index, Value) else None
        if axis is None or axis in axes:
            raise TypeError(f"a tile is made over index tiles, each once, and not over {index!r}")
        axes += (axis,)
    check_open(axes)
    shape = tuple(axis.stop - axis.start for axis in axes)
    return Value(axes, np.full(shape, element(dtype)(value), element(dtype).dtype))


def dot(a: Any, b: Any, /) -> Any:
    """The sum of products over the one axis that both tiles have.

    Factors and sum are f32 for the floats below it, i32 for the integers below it, else the tiles' common dtype.
    """
    import numpy as np

    if not isinstance(a, Value) or not isinstance(b, Value):
        raise TypeError("tile.dot takes two tiles, such as A[i, k] and B[k, j]")
    shared = tuple(axis for axis in a.axes if axis in b.axes)
    if len(shared) != 1:
        raise ValueError(f"tile.dot sums over the axis that both tiles have; these share {len(shared)}")
    dtype = np.result_type(a.dtype, b.dtype)
    if dtype.kind == "b":
        raise TypeError("tile.dot of two tiles of bool; cast one of them")
    if dtype.itemsize < 4:
        dtype = np.dtype(np.int32 if dtype.kind in "iu" else np.float32)
    wide = tuple(Value(x.axes, x.array.astype(dtype)) for x in (a, b))
    product = combined(operator.mul, wide, weak=False)
    summed = product.array.sum(axis=product.axes.index(shared[0]), dtype=dtype)
    rest = tuple(axis for axis in product.axes if axis not in shared)
    found = Value(rest, np.asarray(summed))
    axes = tuple(axis for axis in (*a.axes, *b.axes) if axis not in shared)
    return Value(axes, found.along(axes), ordered=(a.ordered and b.ordered) or len(axes) < 2)
