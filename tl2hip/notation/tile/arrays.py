"""A kernel's arrays, indexable with index tiles. Imports NumPy: nothing loads this before a kernel runs."""

from __future__ import annotations

import sys
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from tl2hip.notation.tile.values import Axis, Value, check_open


class Indexable(np.ndarray[Any, np.dtype[Any]]):
    """An array that takes index tiles, one or an int for each axis: `A[i, k]` is a tile over i and k."""

    def __getitem__(self, index: Any) -> Any:
        if not _has_tiles(index):
            return super().__getitem__(index)
        axes, places = _places(self, index)
        parts = [part for part in (index if isinstance(index, tuple) else (index,)) if isinstance(part, Value)]
        counted = all(part.ordered for part in parts) and sum(len(part.axes) for part in parts) == len(axes)
        return Value(axes, np.asarray(self)[places], ordered=counted or len(axes) < 2)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not _has_tiles(index):
            if isinstance(value, Value):
                if value.axes:
                    raise ValueError("a tile is stored where its axes are: `C[i, j] = x`")
                value = value.array[()]
            super().__setitem__(index, value)
            return
        axes, places = _places(self, index)
        if isinstance(value, Value):
            check_open(value.axes)
            if any(axis not in axes for axis in value.axes):
                raise ValueError("the tile that is stored has an axis that the place does not have")
            value = value.along(axes)
        np.asarray(self)[places] = value


def _has_tiles(index: Any) -> bool:
    return any(isinstance(part, Value) for part in (index if isinstance(index, tuple) else (index,)))


def _places(array: Indexable, index: Any) -> tuple[tuple[Axis, ...], tuple[Any, ...]]:
    """The axes of a place in the order its indices have them, and the array of indices for each of its axes."""
    given = index if isinstance(index, tuple) else (index,)
    if len(given) != array.ndim:
        raise IndexError(f"an array with {array.ndim} axes is indexed with {len(given)}")
    axes: tuple[Axis, ...] = ()
    for part in given:
        if isinstance(part, Value):
            check_open(part.axes)
            if part.dtype.kind not in "iu":
                raise IndexError(f"an index is a whole number, not {part.dtype}")
            axes += tuple(axis for axis in part.axes if axis not in axes)
        elif not hasattr(part, "__index__"):
            raise IndexError("an array is indexed with index tiles and ints together, and with nothing else")
    return axes, tuple(part.along(axes) if isinstance(part, Value) else part for part in given)


def indexable(value: Any) -> Any:
    """An array as one that takes index tiles, over the same memory; anything else as it is."""
    return value.view(Indexable) if isinstance(value, np.ndarray) else value


def uses_tiles(function: FunctionType) -> bool:
    """Whether a function speaks of `tile`."""
    names = _names(function.__code__)
    known = [function.__globals__[name] for name in names if name in function.__globals__]
    known += [cell.cell_contents for cell in function.__closure__ or ()]
    tile, tl2hip = sys.modules["tl2hip.notation.tile"], sys.modules["tl2hip"]
    return any(value is tile or (value is tl2hip and "tile" in names) for value in known)


def _names(code: CodeType) -> frozenset[str]:
    """The names a code object looks up, those of the functions inside it included."""
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return frozenset(code.co_names).union(*inner)
