"""The annotations of a kernel: `Tensor[f32, M, N]`, `Tile[int, 64]`, `Lds[f16]`.

To a type checker `Tensor` and `Tile` are `Annotated`, and `Lds[T]` is `Annotated[T, "lds"]`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from tl2hip.dtypes import TABLE
from tl2hip.notation.elements import Element
from tl2hip.notation.extents import Extent
from tl2hip.notation.marks import Mark, checked_marks

if TYPE_CHECKING:
    from typing import Annotated as Tensor
    from typing import Annotated as Tile

__all__ = ["Lds", "Tensor", "TensorType", "Tile", "TileType"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TensorType:
    """What `Tensor[…]` says: element type, an extent for each axis (None where any will do), options."""

    element: Element
    extents: tuple[int | Extent | None, ...]
    strides: tuple[int | Extent, ...] | None = None
    options: tuple[Mark, ...] = ()

    def __repr__(self) -> str:
        parts = [self.element.name, *(":" if e is None else str(e) for e in self.extents)]
        if self.strides is not None:
            parts.append(f"strides({', '.join(map(str, self.strides))})")
        return f"Tensor[{', '.join([*parts, *map(str, self.options)])}]"

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Not for calling; `typing` wants annotations that could be."""
        raise TypeError(f"{self} is an annotation; make arrays with NumPy")


@dataclass(frozen=True, slots=True)
class TileType:
    """What `Tile[int, …]` says, outside a kernel (inside one, Python never evaluates it)."""

    marks: tuple[int | Mark, ...]


def _element(given: object) -> Element:
    """The element type a Tensor names: tl2hip's own, or Python's `bool`."""
    if isinstance(given, Element):
        return given
    if given is bool:
        return Element(TABLE["bool"])
    raise TypeError(f"the first part of Tensor[…] is an element type such as f32, not {given!r}")


def _extent(given: object) -> int | Extent | None:
    if isinstance(given, Extent):
        return given
    if isinstance(given, slice):
        if given != slice(None):
            raise TypeError("an axis of any extent is written `:`, with nothing before or after the colon")
        return None
    if isinstance(given, int) and not isinstance(given, bool):
        if given < 0:
            raise ValueError(f"an extent is 0 or more, not {given}")
        return given
    raise TypeError(f"an extent is an int, a dim, an expression of dims or `:`, not {given!r}")


def _tensor_type(parts: object) -> TensorType:
    """The type that the parts between the brackets of `Tensor[…]` say."""
    given = parts if isinstance(parts, tuple) else (parts,)
    element = _element(given[0])
    extents = tuple(_extent(part) for part in given[1:] if not isinstance(part, Mark))
    strides, options = None, []
    for mark in (part for part in given[1:] if isinstance(part, Mark)):
        if mark.name == "strides":
            if strides is not None:
                raise TypeError("Tensor: strides(…) stands twice")
            strides = _strides(mark, len(extents))
        elif mark.name in ("lds", "vec"):
            options.append(mark)
        else:
            raise TypeError(f"Tensor: {mark} is for loops; a tensor takes strides(…), lds(…) and vec(n)")
    if any(isinstance(a, Mark) and not isinstance(b, Mark) for a, b in zip(given, given[1:], strict=False)):
        raise TypeError("Tensor: the extents come before the options")
    return TensorType(element, extents, strides, tuple(options))


def _strides(mark: Mark, rank: int) -> tuple[int | Extent, ...]:
    if len(mark.arguments) != rank:
        raise TypeError(f"Tensor: {mark} has {len(mark.arguments)} strides for {rank} axes")
    strides = []
    for stride in mark.arguments:
        if not isinstance(stride, Extent) and (isinstance(stride, bool) or not isinstance(stride, int)):
            raise TypeError(f"Tensor: a stride is an int or an expression of dims, not {stride!r}")
        strides.append(stride)
    return tuple(strides)


if not TYPE_CHECKING:

    class Tensor:
        """`Tensor[dtype, extents…, options]` annotates an array: `Tensor[f16, M, K]`, `Tensor[f32, :, :]`.

        Row-major unless `strides(…)` says otherwise, in elements; more options are `lds(…)` and `vec(n)`.
        """

        def __class_getitem__(cls, parts):
            return _tensor_type(parts)

        def __new__(cls, *_, **__):
            raise TypeError("Tensor annotates arrays and makes none; make them with NumPy")

    class Tile:
        """`i: Tile[int, 64, waves(2)]` right above a loop over i sizes its tile and marks it."""

        def __class_getitem__(cls, parts):
            if not isinstance(parts, tuple) or parts[0] is not int:
                raise TypeError("a loop variable's tile is written Tile[int, size, marks…]")
            return TileType(checked_marks("Tile", parts[1:]))


Lds = Annotated[T, "lds"]
"""`a: Lds[f16] = A[i, k]` stages a tile in LDS."""
