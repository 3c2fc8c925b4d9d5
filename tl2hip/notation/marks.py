"""The marks users put on loops and tensors: how a kernel is to be mapped. In Python they change nothing."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark: its name and its arguments."""

    name: str
    arguments: tuple[object, ...] = ()

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})" if self.arguments else self.name


serial = Mark("serial")
"""The loop's turns run one after the other inside the block."""


xf32 = Mark("xf32")
"""The factors of the sum, f32 ones, may lose all but ten bits of their mantissas: four times as fast."""


def waves(n: int, /) -> Mark:
    """n wavefronts share the tile along this axis."""
    return Mark("waves", (_count("waves", n),))


def lanes(n: int, /) -> Mark:
    """Consecutive elements along this axis go to n lanes of a wavefront."""
    return Mark("lanes", (_count("lanes", n),))


def vec(n: int, /) -> Mark:
    """A lane moves n elements at a time."""
    return Mark("vec", (_count("vec", n),))


def unroll(n: int, /) -> Mark:
    """The loop's body is repeated n times a turn."""
    return Mark("unroll", (_count("unroll", n),))


def stages(n: int, /) -> Mark:
    """n tiles are in flight, the one in use included; 1 is no prefetch."""
    return Mark("stages", (_count("stages", n),))


def mfma(n: int, /) -> Mark:
    """The matrix instructions of the sum give results of n by n: 16 or 32."""
    return Mark("mfma", (_count("mfma", n),))


def group(n: int, /) -> Mark:
    """Blocks take the tiles of a matrix product in groups of n along this axis."""
    return Mark("group", (_count("group", n),))


def split(n: int, /) -> Mark:
    """n blocks share the sum of a matrix product, a slice of this axis each; a second launch adds the slices up."""
    return Mark("split", (_count("split", n),))


def lds(*, pad: int = 0) -> Mark:
    """The tensor is staged in LDS, each row followed by `pad` unused elements."""
    if isinstance(pad, bool) or not isinstance(pad, int) or pad < 0:
        raise ValueError(f"lds: pad is a number of elements, 0 or more, not {pad!r}")
    return Mark("lds", (pad,))


def strides(*elements: int) -> Mark:
    """The tensor's strides, in elements, one for each axis: ints, dims or expressions of dims."""
    return Mark("strides", elements)


def tiled(turns: Iterable[Item], /, *marks: int | Mark) -> Iterable[Item]:
    """The loop's turns unchanged: `for i in tiled(range(M), 64, waves(2)):` marks this loop alone."""
    checked_marks("tiled", marks)
    return turns


def checked_marks(what: str, given: tuple[object, ...]) -> tuple[int | Mark, ...]:
    """The tile size, if any, and the marks after it; TypeError or ValueError says what does not fit."""
    marks: list[int | Mark] = []
    for place, mark in enumerate(given):
        if isinstance(mark, Mark):
            marks.append(mark)
        elif place == 0:
            marks.append(_count(what, mark))
        else:
            raise TypeError(f"{what}: {mark!r} is not a mark; the tile size comes first, marks after it")
    return tuple(marks)


def _count(what: str, n: object) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"{what} takes a whole number, not {n!r}")
    count = operator.index(n)
    if count < 1:
        raise ValueError(f"{what} takes a number of 1 or more, not {count}")
    return count
