"""Lanes: many iterations of parallel loops run side by side, each with its own variables.

A `Frame` is a set of active lanes. A branch, a ragged loop or a parallel loop opens a frame inside another;
values are looked up in the outer frame and picked for the lanes that are active when first read. A value is
an array over the lanes, or of one element where all lanes agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from tl2hip.dtypes import DType
from tl2hip.nest.run.arithmetic import Values

if TYPE_CHECKING:
    from tl2hip.nest.run.folds import Runs

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
V = TypeVar("V")


def pick_lanes(a: Values, pick: Ints) -> Values:
    """The values of some lanes; one element stands for all of them."""
    return a if a.shape[0] == 1 else a[pick]


def put_lanes(old: Values | None, pick: Ints, new: Values, n: int) -> Values:
    """The values over n lanes with those at `pick` replaced; lanes that had none get 0."""
    base = np.zeros(n, new.dtype) if old is None else np.array(np.broadcast_to(old, (n,)))
    base[pick] = new
    return base


Memory: TypeAlias = Any
"""The elements of one array, flat; only the arithmetic that made it looks inside."""


class Arithmetic(Protocol[V]):
    """How values are held and computed: typed, or typed with bounds."""

    certain: bool
    """Whether no value is ever in doubt."""

    def constant(self, value: int | float | bool, dtype: DType) -> V: ...
    def whole(self, values: Ints) -> V: ...
    def integers(self, value: V) -> Ints: ...
    def truth(self, value: V) -> Bools: ...
    def doubt(self, value: V) -> Bools | None:
        """Where a value is not decided; None where all are."""
        ...

    def tainted(self, value: V, where: Bools) -> V: ...
    def read(self, value: V) -> V:
        """The value as an operand."""
        ...

    def take(self, value: V, pick: Ints) -> V: ...
    def put(self, old: V | None, pick: Ints, new: V, n: int) -> V: ...
    def either(self, test: V, then: V, orelse: V) -> V:
        """`then` or `orelse` where the test is in doubt."""
        ...

    def unary(self, op: str, value: V, dtype: DType) -> V: ...
    def binary(self, op: str, a: V, b: V, dtype: DType) -> V: ...
    def compare(self, op: str, a: V, b: V) -> V: ...
    def logic(self, op: str, a: V, b: V) -> V: ...
    def cast(self, value: V, old: DType, new: DType, explicit: bool) -> V: ...
    def call(self, name: str, args: list[V], dtype: DType) -> V: ...
    def accumulate(self, old: V, op: str, term: V, dtype: DType, depth: int | None, entry: int) -> V:
        """`old op term` of a sum whose order is free; `entry` numbers the executions of its loop."""
        ...

    def accumulate_all(
        self, old: V, op: str, terms: V, runs: Runs, dtype: DType, depth: int | None, entry: int
    ) -> V:
        """The same with many terms for each lane of `old`, in their order."""
        ...

    def fold(self, old: V, op: str, terms: V, runs: Runs, dtype: DType) -> V:
        """`binary` with many terms for each lane of `old`, in their order."""
        ...

    def memory(self, size: int, dtype: DType) -> Memory: ...
    def load(self, memory: Memory, offset: Ints, ok: Bools | None) -> V: ...
    def store(self, memory: Memory, offset: Ints, value: V) -> None: ...
    def update(self, memory: Memory, offset: Ints, op: str, value: V, depth: int | None) -> None: ...
    def blur(self, memory: Memory) -> None:
        """No element is decided any more: a store went to an undecided place."""
        ...


@dataclass(slots=True)
class Place:
    """An array as the lanes of a frame see it: each lane's first element and extents, in elements."""

    memory: Memory
    base: Ints
    shape: tuple[Ints, ...]
    strides: tuple[Ints, ...]

    def take(self, pick: Ints) -> Place:
        return Place(
            self.memory,
            pick_lanes(self.base, pick),
            tuple(pick_lanes(x, pick) for x in self.shape),
            tuple(pick_lanes(x, pick) for x in self.strides),
        )


def row_major(shape: tuple[Ints, ...]) -> tuple[Ints, ...]:
    """The strides, in elements, of a row-major array."""
    strides: list[Ints] = []
    size: Ints = np.ones(1, np.int64)
    for extent in reversed(shape):
        strides.insert(0, size)
        size = size * extent
    return tuple(strides)


class Frame(Generic[V]):
    """Active lanes and their variables; `pick` says which lanes of the parent they are. Where they are the turns of
    a loop, `folds` names the variables outside that take in a term of each."""

    def __init__(
        self,
        arithmetic: Arithmetic[V],
        n: int,
        parent: Frame[V] | None = None,
        pick: Ints | None = None,
        taint: Bools | None = None,
    ) -> None:
        self.arithmetic = arithmetic
        self.n = n
        self.parent = parent
        self.pick = pick
        self.written: dict[str, V] = {}
        self.read: dict[str, V] = {}
        self.places: dict[str, Place] = {}
        self.taint = taint
        self.folds: frozenset[str] = frozenset()

    def inner(self, pick: Ints, taint: Bools | None = None) -> Frame[V]:
        """A frame of some of these lanes, in the given order, a lane once or more."""
        if taint is None and self.taint is not None:
            taint = self.taint[pick]
        return Frame(self.arithmetic, len(pick), self, pick, taint)

    def find(self, name: str) -> V | None:
        """A variable's value; None where no lane has set it."""
        value = self.written.get(name)
        if value is None:
            value = self.read.get(name)
        if value is None and self.parent is not None and self.pick is not None:
            outer = self.parent.find(name)
            if outer is not None:
                value = self.read[name] = self.arithmetic.take(outer, self.pick)
        return value

    def get(self, name: str) -> V:
        """A variable's value; NameError where no lane has set it."""
        value = self.find(name)
        if value is None:
            raise NameError(f"{name} is read before it is set")
        return value

    def set(self, name: str, value: V) -> None:
        if self.taint is not None:
            value = self.arithmetic.tainted(value, self.taint)
        self.written[name] = value

    def home(self, name: str) -> tuple[Frame[V], Ints] | None:
        """The frame whose lanes take the terms of these in for a variable, and which of them each does."""
        found, frame, owner = None, self, None
        while frame.parent is not None and frame.pick is not None:
            owner = frame.pick if owner is None else frame.pick[owner]
            if name in frame.folds:
                found = frame.parent, owner
            frame = frame.parent
        return found

    def place(self, array: str) -> Place:
        """Where an array lies; NameError where it is not allocated yet."""
        found = self.places.get(array)
        if found is None:
            if self.parent is None or self.pick is None:
                raise NameError(f"array {array} is used before it is made")
            found = self.places[array] = self.parent.place(array).take(self.pick)
        return found

    def leave(self) -> None:
        """Hands the variables set here to the outer frame, for the lanes that were active."""
        if self.parent is None or self.pick is None:
            return
        for name, value in self.written.items():
            old = self.parent.find(name)
            self.parent.written[name] = self.arithmetic.put(old, self.pick, value, self.parent.n)
