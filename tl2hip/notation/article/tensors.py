"""What an article kernel declares: tensors, tile loops, and the contexts that say how to run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tl2hip.notation.article.runs import Size, current
from tl2hip.notation.article.values import Index, Value, summed
from tl2hip.notation.elements import Element, element
from tl2hip.notation.extents import Extent
from tl2hip.notation.marks import checked_marks

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Declared:
    """A tensor: name, element type, shape, and its array where the run has arrays."""

    name: str
    element: Element
    shape: tuple[Size, ...]
    array: np.ndarray[Any, Any] | None
    output: bool

    def __getitem__(self, indices: Index | int | tuple[Index | int, ...]) -> View:
        """The tile at some indices, one for each axis: tile indices or ints."""
        given = indices if isinstance(indices, tuple) else (indices,)
        if len(given) != len(self.shape):
            raise IndexError(f"{self.name} has {len(self.shape)} axes and is indexed with {len(given)}")
        axes = tuple(index for index in given if isinstance(index, Index))
        if len(set(axes)) < len(axes):
            raise IndexError(f"{self.name}: a tile index stands twice in one place")
        return View(self, given, axes, tuple(map(self._slice, range(len(given)), given)))

    def _slice(self, axis: int, index: Index | int) -> slice | int:
        """The part of one axis that an index stands for; nothing where sizes are not known yet."""
        size = self.shape[axis]
        if not isinstance(index, (Index, int)) or isinstance(index, bool):
            raise TypeError(f"{self.name} is indexed with tile indices and ints, not with {index!r}")
        reach = index.extent if isinstance(index, Index) else index
        if isinstance(size, Extent) or isinstance(reach, Extent):
            return slice(None)
        last = size if isinstance(index, Index) else size - 1
        if reach > last or reach < -size:
            raise IndexError(f"{self.name}: index {reach} on axis {axis}, whose extent is {size}")
        return slice(reach) if isinstance(index, Index) else reach


@dataclass(frozen=True, slots=True)
class View:
    """`A[i, k]`: a tile of a tensor, to be loaded or stored."""

    tensor: Declared
    indices: tuple[Index | int, ...]
    axes: tuple[Index, ...]
    part: tuple[slice | int, ...]

    def load(self) -> Value:
        """The tile as a value."""
        array = self.tensor.array
        return Value(self.axes, None if array is None else array[self.part])

    def load_shared(self) -> Value:
        """The tile as a value, staged in LDS on the way."""
        return self.load()

    def store(self, value: Value | float, /) -> None:
        """Stores a tile, summed over its indices that are in no store, as the output's element type."""
        if not self.tensor.output:
            raise TypeError(f"{self.tensor.name} is an input; store into an OutputTensor")
        run = current()
        run.stored |= {axis.number for axis in self.axes}
        if not isinstance(value, Value):
            value = Value((), None if self.tensor.array is None else self.tensor.element(value))
        if self.tensor.array is None:
            return
        if any(axis.number in run.kept and axis not in self.axes for axis in value.axes):
            raise ValueError(f"{self.tensor.name}: the tile has an index of another store and not of this one")
        full = summed(value, self.axes)
        if full.array is None:
            raise TypeError(f"{self.tensor.name}: the stored tile was computed in another run")
        self.tensor.array[self.part] = full.along(self.axes)


def InputTensor(name: str, shape: Sequence[Size], dtype: object) -> Declared:
    """An input of the kernel; arrays are passed in the order of these calls, or by name."""
    kind, sizes, run = element(dtype), _sizes(name, shape), current()
    if name in run.inputs or name in run.outputs:
        raise ValueError(f"two tensors are called {name}")
    run.inputs[name] = (kind, sizes)
    array = None if run.arrays is None else run.arrays[name]
    return Declared(name, kind, sizes, array, output=False)


def OutputTensor(name: str, shape: Sequence[Size], dtype: object) -> Declared:
    """An output of the kernel, zero where nothing is stored; returned in the order of these calls."""
    kind, sizes, run = element(dtype), _sizes(name, shape), current()
    if name in run.inputs or name in run.outputs:
        raise ValueError(f"two tensors are called {name}")
    array = None
    if run.arrays is not None:
        import numpy as np

        array = np.zeros(tuple(int(size) for size in sizes), kind.dtype)
    run.outputs[name] = array
    return Declared(name, kind, sizes, array, output=True)


def TileLoop(extents: Sequence[Size], blocks: Sequence[Size]) -> tuple[Index, ...]:
    """One tile index for each extent: `i, j, k = tl.TileLoop([M, N, K], [64, 64, 32])`."""
    sizes, tiles, run = _sizes("TileLoop", extents), _sizes("TileLoop", blocks), current()
    if len(sizes) != len(tiles):
        raise ValueError(f"TileLoop: {len(sizes)} extents and {len(tiles)} blocks")
    for tile in tiles:
        if isinstance(tile, int) and tile < 1:
            raise ValueError(f"TileLoop: a block is 1 or more, not {tile}")
    first = len(run.loops)
    run.loops += zip(sizes, tiles, strict=True)
    return tuple(Index(first + place, size) for place, size in enumerate(sizes))


class _Context:
    """A `with` block that marks what stands in it and changes nothing on NumPy."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        return None


class PipelineStage(_Context):
    """The tiles loaded for what stands inside are fetched ahead, `stage` of them in flight."""

    def __init__(self, stage: int) -> None:
        checked_marks("PipelineStage", (stage,))
        self.stage = stage


class Unroll(_Context):
    """The loop over what stands inside is unrolled `times` times."""

    def __init__(self, times: int) -> None:
        checked_marks("Unroll", (times,))
        self.times = times


def _sizes(what: str, given: Sequence[Size]) -> tuple[Size, ...]:
    """Sizes as given, checked; NumPy's ints as Python's."""
    if isinstance(given, (str, int, Extent)):
        raise TypeError(f"{what}: sizes come as a list, such as [M, N], not as {given!r}")
    sizes: list[Size] = []
    for size in given:
        if isinstance(size, Extent):
            sizes.append(size)
        elif hasattr(size, "__index__") and not isinstance(size, bool):
            if size < 0:
                raise ValueError(f"{what}: a size is 0 or more, not {size}")
            sizes.append(size.__index__())
        else:
            raise TypeError(f"{what}: {size!r} is no size")
    return tuple(sizes)
