"""Extents known only when a kernel is called: `M, N = dims("M N")` and what is computed from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, cast

if TYPE_CHECKING:

    class Dims(int):
        """What `dims` gives, to a checker: an int that also unpacks into ints."""

        def __iter__(self) -> Iterator[int]: ...


Bound = Mapping[str, int]
"""What dims stand for in one call, by name."""


class Extent:
    """An integer expression over dims. Arithmetic builds more; any use as a number raises TypeError."""

    __slots__ = ()

    def at(self, bound: Bound) -> int:
        """The value where `bound` gives every dim in it; KeyError names a dim that is not there."""
        raise NotImplementedError

    def names(self) -> frozenset[str]:
        """The dims in it."""
        raise NotImplementedError

    def __add__(self, other: Extent | int) -> Extent:
        return _combined("+", self, other)

    def __radd__(self, other: int) -> Extent:
        return _combined("+", other, self)

    def __sub__(self, other: Extent | int) -> Extent:
        return _combined("-", self, other)

    def __rsub__(self, other: int) -> Extent:
        return _combined("-", other, self)

    def __mul__(self, other: Extent | int) -> Extent:
        return _combined("*", self, other)

    def __rmul__(self, other: int) -> Extent:
        return _combined("*", other, self)

    def __floordiv__(self, other: Extent | int) -> Extent:
        return _combined("//", self, other)

    def __rfloordiv__(self, other: int) -> Extent:
        return _combined("//", other, self)

    def __mod__(self, other: Extent | int) -> Extent:
        return _combined("%", self, other)

    def __rmod__(self, other: int) -> Extent:
        return _combined("%", other, self)

    def __neg__(self) -> Extent:
        return _combined("-", 0, self)

    def _unbound(self, *_: object) -> NoReturn:
        raise TypeError(
            f"{self} has no value here: dims are bound while a kernel runs, from the shapes of its tensors"
        )

    __index__ = __int__ = __float__ = __bool__ = _unbound
    __lt__ = __le__ = __gt__ = __ge__ = _unbound

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, float)):
            self._unbound()
        return isinstance(other, Extent) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dim(Extent):
    """One extent by name."""

    name: str

    def at(self, bound: Bound) -> int:
        return bound[self.name]

    def names(self) -> frozenset[str]:
        return frozenset((self.name,))

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Combined(Extent):
    """`left op right`, op one of `+ - * // %`."""

    op: str
    left: Extent | int
    right: Extent | int

    def at(self, bound: Bound) -> int:
        return _computed(self.op, value_at(self.left, bound), value_at(self.right, bound))

    def names(self) -> frozenset[str]:
        return names_in(self.left) | names_in(self.right)

    def __repr__(self) -> str:
        if self.op == "-" and isinstance(self.left, int) and self.left == 0:
            return f"-{_nested(self.right)}"
        return f"{_nested(self.left)} {self.op} {_nested(self.right)}"


class SoleDim(Dim):
    """A dim made alone, `N = dims("N")`; it also unpacks as one of one, `(N,) = dims("N")`."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Dim]:
        return iter((self,))


def dims(names: str) -> Dims:
    """One dim for each name, in order: `M, N = dims("M N")`, `N = dims("N")`.

    To a type checker they are ints. A call of a kernel binds them to the shapes of its arguments, and there
    they are ints; elsewhere they can stand in extents (`Tensor[f32, H - FH + 1]`) and nothing else.
    """
    words = names.replace(",", " ").split()
    if not words:
        raise ValueError('dims needs at least one name, such as dims("M N")')
    for word in words:
        if not re.fullmatch(r"[^\W\d]\w*", word):
            raise ValueError(f"dims: {word!r} is not a name")
    if len(set(words)) < len(words):
        raise ValueError(f"dims: a name stands twice in {names!r}")
    made = SoleDim(words[0]) if len(words) == 1 else tuple(Dim(word) for word in words)
    return cast("Dims", made)


def value_at(extent: Extent | int, bound: Bound) -> int:
    """The value of an extent where every dim in it is bound."""
    return extent.at(bound) if isinstance(extent, Extent) else extent


def names_in(extent: Extent | int) -> frozenset[str]:
    """The dims of an extent."""
    return extent.names() if isinstance(extent, Extent) else frozenset()


def solved(extent: Extent, size: int, bound: Bound) -> tuple[str, int] | None:
    """The one unbound dim of `extent`, and the value for which it is `size`.

    None where none or more than one dim is unbound, or where it stands under `//` or `%` or times zero; then
    another argument has to say it. ValueError where no integer of 0 or more fits.
    """
    unknown = sorted(extent.names() - bound.keys())
    if len(unknown) != 1:
        return None
    line = _line(extent, unknown[0], bound)
    if line is None or line[0] == 0:
        return None
    slope, offset = line
    value, rest = divmod(size - offset, slope)
    if rest or value < 0:
        raise ValueError(f"no {unknown[0]} makes {extent} equal to {size}")
    return unknown[0], value


def _line(extent: Extent | int, name: str, bound: Bound) -> tuple[int, int] | None:
    """(slope, offset) of an extent as a function of one dim; None where it is not a line."""
    if name not in names_in(extent):
        return 0, value_at(extent, bound)
    if isinstance(extent, Dim):
        return 1, 0
    assert isinstance(extent, Combined)
    left, right = _line(extent.left, name, bound), _line(extent.right, name, bound)
    if left is None or right is None:
        return None
    if extent.op == "+":
        return left[0] + right[0], left[1] + right[1]
    if extent.op == "-":
        return left[0] - right[0], left[1] - right[1]
    if extent.op == "*" and 0 in (left[0], right[0]):
        return left[0] * right[1] + right[0] * left[1], left[1] * right[1]
    return None


def _combined(op: str, left: Extent | int, right: Extent | int) -> Extent:
    for side in (left, right):
        if not isinstance(side, Extent) and (isinstance(side, bool) or not isinstance(side, int)):
            raise TypeError(f"an extent is an integer expression over dims, and {side!r} is no integer")
    return Combined(op, left, right)


def _computed(op: str, left: int, right: int) -> int:
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*":
        return left * right
    return left // right if op == "//" else left % right


def _nested(extent: Extent | int) -> str:
    return f"({extent})" if isinstance(extent, Combined) else str(extent)
