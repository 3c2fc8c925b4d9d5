"""Runs a nest on NumPy arrays, typed exactly as `nest.ir` says: the reference where plain Python is too slow.

Loops over parallel axes are vectorised; all others run in source order, so that results are bit-equal to the
plain function's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from tl2hip.dtypes import DType
from tl2hip.nest.ir import Alloc, Array, Nest, Store, Update
from tl2hip.nest.run import arithmetic as typed
from tl2hip.nest.run.arithmetic import Values, numpy_type
from tl2hip.nest.run.folds import Runs
from tl2hip.nest.run.lanes import Bools, Frame, Ints, Memory, Place, V, pick_lanes, put_lanes, row_major
from tl2hip.nest.run.machine import Machine
from tl2hip.nest.walk import all_stmts

Scalars = Mapping[str, int | float | bool | np.generic]


class Typed:
    """Values are NumPy arrays of their dtype."""

    certain = True

    def constant(self, value: int | float | bool, dtype: DType) -> Values:
        return typed.constant(value, dtype)

    def whole(self, values: Ints) -> Values:
        return values

    def integers(self, value: Values) -> Ints:
        return value

    def truth(self, value: Values) -> Bools:
        return value

    def doubt(self, value: Values) -> None:
        return None

    def tainted(self, value: Values, where: Bools) -> Values:
        return value

    def read(self, value: Values) -> Values:
        return value

    def take(self, value: Values, pick: Ints) -> Values:
        return pick_lanes(value, pick)

    def put(self, old: Values | None, pick: Ints, new: Values, n: int) -> Values:
        return put_lanes(old, pick, new, n)

    def either(self, test: Values, then: Values, orelse: Values) -> Values:
        return np.where(test, then, orelse)

    def unary(self, op: str, value: Values, dtype: DType) -> Values:
        return np.asarray(typed.UNARY[op](value))

    def binary(self, op: str, a: Values, b: Values, dtype: DType) -> Values:
        return typed.binary(op, a, b)

    def compare(self, op: str, a: Values, b: Values) -> Values:
        return np.asarray(typed.COMPARE[op](a, b))

    def logic(self, op: str, a: Values, b: Values) -> Values:
        return typed.binary(op, a, b)

    def cast(self, value: Values, old: DType, new: DType, explicit: bool) -> Values:
        return typed.cast(value, old, new)

    def call(self, name: str, args: list[Values], dtype: DType) -> Values:
        return typed.call(name, args, dtype)

    def accumulate(self, old: Values, op: str, term: Values, dtype: DType, depth: int | None, entry: int) -> Values:
        return typed.binary(op, old, term)

    def accumulate_all(
        self, old: Values, op: str, terms: Values, runs: Runs, dtype: DType, depth: int | None, entry: int
    ) -> Values:
        return self.fold(old, op, terms, runs, dtype)

    def fold(self, old: Values, op: str, terms: Values, runs: Runs, dtype: DType) -> Values:
        return runs.last(typed.folds(op, runs.table(old, terms)))

    def memory(self, size: int, dtype: DType) -> Values:
        return np.zeros(size, numpy_type(dtype))

    def load(self, memory: Any, offset: Ints, ok: Bools | None) -> Values:
        values: Values = memory
        if ok is None:
            return values[offset]
        if not ok.any():
            return np.zeros(1, values.dtype)
        return np.where(ok, values[np.where(ok, offset, 0)], values.dtype.type(0))

    def store(self, memory: Any, offset: Ints, value: Values) -> None:
        if len(offset) == 1 and len(value) > 1:
            value = value[-1:]
        memory[offset] = value

    def update(self, memory: Any, offset: Ints, op: str, value: Values, depth: int | None) -> None:
        if len(offset) != len(value):
            offset, value = np.broadcast_arrays(offset, value)
        typed.update(memory, offset, op, value)

    def blur(self, memory: Memory) -> None:
        return


def run(
    nest: Nest,
    arrays: Mapping[str, Values],
    scalars: Scalars | None = None,
    dims: Mapping[str, int] | None = None,
    *,
    parallel: Collection[str] = (),
    steps: int | None = None,
) -> dict[str, Values]:
    """Every array the nest writes or returns, after a run on copies of `arrays`.

    `arrays` gives each parameter by name (one object under two names is one array); results are made here.
    `parallel` names axes whose iterations may run side by side. `steps` bounds the serial iterations: past
    it, `machine.TooLong` is raised. IndexError where an index marked `proven` is not inside its extent.
    """
    return counted(nest, arrays, scalars, dims, parallel=parallel, steps=steps)[0]


def counted(
    nest: Nest,
    arrays: Mapping[str, Values],
    scalars: Scalars | None = None,
    dims: Mapping[str, int] | None = None,
    *,
    parallel: Collection[str] = (),
    steps: int | None = None,
) -> tuple[dict[str, Values], int]:
    """The same as `run`, and how many turns all loops took together, also those that ran side by side."""
    machine = Machine(nest, Typed(), parallel, steps)
    frame = start(machine, arrays, scalars or {}, dims or {}, lambda a, _: np.array(a, order="C").reshape(-1))
    with np.errstate(all="ignore"):
        machine.block(nest.body, frame)
    places = {name: frame.place(name) for name in outputs(nest)}
    return {name: place.memory.reshape(extents(place)) for name, place in places.items()}, machine.turns


def start(
    machine: Machine[V],
    arrays: Mapping[str, Values],
    scalars: Scalars,
    dims: Mapping[str, int],
    copied: Any,
) -> Frame[V]:
    """The outermost frame, one lane, with all arguments; `copied(array, dtype)` makes an array's memory."""
    nest, arithmetic = machine.nest, machine.arithmetic
    frame: Frame[V] = Frame(arithmetic, 1)
    for name in nest.dims:
        frame.read["#" + name] = arithmetic.whole(np.array([dims[name]], np.int64))
    for scalar in nest.scalars:
        value = scalars[scalar.name]
        frame.read["$" + scalar.name] = arithmetic.constant(value, scalar.dtype)  # type: ignore[arg-type]
    made = {s.array for s in all_stmts(nest.body) if isinstance(s, Alloc)}
    same: dict[int, Memory] = {}
    for array in nest.arrays:
        if array.role == "parameter":
            frame.places[array.name] = _argument(machine, frame, array, arrays[array.name], same, copied)
        elif array.role == "result" and array.name not in made:
            frame.places[array.name] = machine.allocated(array.name, frame)
    given = [id(arrays[a.name]) for a in nest.arrays if a.role == "parameter"]
    machine.aliased = frozenset(n for n in frame.places if n in arrays and given.count(id(arrays[n])) > 1)
    return frame


def _argument(
    machine: Machine[V], frame: Frame[V], array: Array, given: Values, same: dict[int, Memory], copied: Any
) -> Place:
    shape = tuple(machine.whole(e, frame) for e in array.shape)
    wanted = tuple(int(x[0]) for x in shape)
    if given.shape != wanted or given.dtype != numpy_type(array.dtype):
        raise ValueError(f"{array.name} must be {array.dtype}{list(wanted)}, not {given.dtype}{list(given.shape)}")
    if id(given) not in same:
        same[id(given)] = copied(given, array.dtype)
    return Place(same[id(given)], np.zeros(1, np.int64), shape, row_major(shape))


def extents(place: Place) -> tuple[int, ...]:
    """The shape of an array that exists once."""
    return tuple(int(x[0]) for x in place.shape)


def outputs(nest: Nest) -> tuple[str, ...]:
    """The names of all arrays that a caller can see written: stored-to parameters and results."""
    stored = {s.array for s in all_stmts(nest.body) if isinstance(s, Store | Update)}
    return tuple(
        a.name
        for a in nest.arrays
        if a.name in nest.results or a.role == "result" or (a.role == "parameter" and a.name in stored)
    )
