"""Distributed layouts: which coordinate of a tile each (slot, lane, wave) holds.

A slot is one element in a lane's registers; packing several into a register comes after. Inside an *atom*, whose
extents are powers of two, the map from the bits of (slot, lane, wave) to coordinates is linear over GF(2): each bit
has a basis vector, one int per axis, and a coordinate is the xor of the vectors of the bits that are set. A tile is
a grid of equal atoms (192 = 3 x 64); the atoms of the grid differ in slots only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Literal, NamedTuple

from tl2hip.plan.layout.gf2 import Solver, apply, log2, solver

LANES = 64
"""Lanes of a wave of gfx942 (CDNA3 ISA guide: wave64 only)."""

Who = Literal["slot", "lane", "wave"]
Vector = tuple[int, ...]
"""A coordinate or a basis vector: one int per axis."""

Part = tuple[Who, str, int]
"""(who, axis, count): the next bits of the holder run along the next bits of the axis; axis "" makes copies."""


class Holder(NamedTuple):
    """One place of a block's registers."""

    slot: int
    lane: int
    wave: int = 0


@dataclass(frozen=True)
class Layout:
    """Element at (slot, lane, wave) -> coordinates, one per axis, in elements.

    `axes` are (name, log2 of the atom's extent). `slots`, `lanes` and `waves` are basis vectors, lowest bit first;
    a wave has 64 lanes. `repeat` are (axis, count) of the grid of atoms, the last one running fastest: the slot is
    `atom slot + atom slots * grid number`. The map is onto. Bits whose vector depends on earlier bits (slots,
    lanes, waves in this order) make copies. ValueError for a layout that is none.
    """

    axes: tuple[tuple[str, int], ...]
    slots: tuple[Vector, ...]
    lanes: tuple[Vector, ...]
    waves: tuple[Vector, ...] = ()
    repeat: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"an axis twice: {', '.join(self.names)}")
        if 1 << len(self.lanes) != LANES:
            raise ValueError(f"a wave has {LANES} lanes, not {1 << len(self.lanes)}")
        for vector in self.vectors:
            if len(vector) != len(self.axes) or any(v >> b for v, (_, b) in zip(vector, self.axes, strict=False)):
                raise ValueError(f"{vector} is no coordinate of {dict(self.axes)}")
        if self._solver.rank != sum(b for _, b in self.axes):
            raise ValueError("not onto: no lane holds some coordinates")
        grid = [name for name, _ in self.repeat]
        if len(set(grid)) != len(grid) or not set(grid) <= set(self.names):
            raise ValueError(f"repeats along {', '.join(grid)} of a tile with axes {', '.join(self.names)}")
        if any(count < 1 for _, count in self.repeat):
            raise ValueError("a tile repeats its atom at least once")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.axes)

    @property
    def vectors(self) -> tuple[Vector, ...]:
        """All basis vectors: of slots, lanes and waves."""
        return self.slots + self.lanes + self.waves

    @property
    def atom_slots(self) -> int:
        return 1 << len(self.slots)

    @property
    def slot_count(self) -> int:
        """Elements in each lane's registers."""
        return self.atom_slots * prod(count for _, count in self.repeat)

    @property
    def wave_count(self) -> int:
        return 1 << len(self.waves)

    def bits(self, axis: str) -> int:
        """Log2 of the atom's extent along an axis."""
        return dict(self.axes)[axis]

    def extent(self, axis: str) -> int:
        """The tile's extent along an axis, in elements."""
        return dict(self.repeat).get(axis, 1) << self.bits(axis)

    def at(self, slot: int, lane: int, wave: int = 0) -> Vector:
        """The coordinates of the element that a holder has; ValueError for a holder that is none."""
        if not (0 <= slot < self.slot_count and 0 <= lane < LANES and 0 <= wave < self.wave_count):
            raise ValueError(f"no slot {slot}, lane {lane}, wave {wave} in this layout")
        atom, grid = self.split(slot)
        inside = self.unpacked(apply(self.columns, self.word(Holder(atom, lane, wave))))
        steps = dict(zip((name for name, _ in self.repeat), grid, strict=True))
        return tuple(c + (steps.get(name, 0) << b) for c, (name, b) in zip(inside, self.axes, strict=True))

    def split(self, slot: int) -> tuple[int, Vector]:
        """(slot in the atom, coordinates in the grid of atoms, in the order of `repeat`)."""
        number, atom = divmod(slot, self.atom_slots)
        grid = []
        for _, count in reversed(self.repeat):
            number, here = divmod(number, count)
            grid.append(here)
        return atom, tuple(reversed(grid))

    def join(self, atom: int, grid: Sequence[int]) -> int:
        """The slot: what `split` undoes."""
        number = 0
        for here, (_, count) in zip(grid, self.repeat, strict=True):
            number = number * count + here
        return number * self.atom_slots + atom

    def holders(self, at: Sequence[int]) -> tuple[Holder, ...]:
        """Every holder of a coordinate of the tile, in order; the first is not always the one that stores."""
        for c, name in zip(at, self.names, strict=True):
            if not 0 <= c < self.extent(name):
                raise ValueError(f"{name} = {c} is outside the tile of {self.extent(name)}")
        inside = tuple(c & ((1 << b) - 1) for c, (_, b) in zip(at, self.axes, strict=True))
        one = self._solver.solve(self.packed(inside))
        assert one is not None, "the layout is onto"
        steps = {name: c >> b for c, (name, b) in zip(at, self.axes, strict=True)}
        grid = [steps[name] for name, _ in self.repeat]
        found = []
        for copy in range(1 << len(self._solver.kernel)):
            atom, lane, wave = self.holder(one ^ apply(self._solver.kernel, copy))
            found.append(Holder(self.join(atom, grid), lane, wave))
        return tuple(sorted(found))

    @cached_property
    def copies(self) -> Holder:
        """Masks of the bits of (slot in the atom, lane, wave) that only make copies.

        Each coordinate has exactly one holder with all of them zero.
        """
        return self.holder(sum(1 << (k.bit_length() - 1) for k in self._solver.kernel))

    def representative(self, slot: int, lane: int, wave: int = 0) -> bool:
        """Whether this holder is the one of its coordinate's holders that stores and takes part in reductions."""
        copies = self.copies
        return not (slot % self.atom_slots & copies.slot or lane & copies.lane or wave & copies.wave)

    def coordinates(self) -> Iterator[Vector]:
        """Every coordinate of the tile, the last axis running fastest."""
        return product(*(range(self.extent(name)) for name in self.names))

    def packed(self, vector: Vector) -> int:
        """A coordinate of the atom as one int: the first axis in the lowest bits."""
        word, low = 0, 0
        for value, (_, bits) in zip(vector, self.axes, strict=True):
            word |= value << low
            low += bits
        return word

    def unpacked(self, word: int) -> Vector:
        values = []
        for _, bits in self.axes:
            values.append(word & ((1 << bits) - 1))
            word >>= bits
        return tuple(values)

    def word(self, holder: Holder) -> int:
        """A holder in the atom as one int: slot, lane, wave from the lowest bit."""
        slot, lane, wave = holder
        return slot | (lane | wave << len(self.lanes)) << len(self.slots)

    def holder(self, word: int) -> Holder:
        lane_wave, slot = word >> len(self.slots), word & (self.atom_slots - 1)
        return Holder(slot, lane_wave % LANES, lane_wave // LANES)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The packed basis vectors: the map's matrix."""
        return tuple(map(self.packed, self.vectors))

    @cached_property
    def _solver(self) -> Solver:
        return solver(self.columns)


def deal(axes: str, *parts: Part) -> Layout:
    """The layout that deals out the bits of each axis, lowest first.

    `axes` are names, apart by spaces. The result of a 32x32 matrix instruction, row i = 8(slot/4) + 4(lane/32) +
    slot%4 and column j = lane%32:

    >>> d = deal("i j", ("slot", "i", 4), ("lane", "j", 32), ("lane", "i", 2), ("slot", "i", 4))
    >>> d.axes, d.at(slot=5, lane=40)
    ((('i', 5), ('j', 5)), (13, 8))
    """
    names = axes.split()
    extents = dict.fromkeys(names, 0)
    vectors: dict[Who, list[Vector]] = {"slot": [], "lane": [], "wave": []}
    for who, axis, count in parts:
        if axis and axis not in extents:
            raise ValueError(f"no axis {axis} among {axes}")
        for _ in range(log2(count, f"the {who}s along {axis or 'nothing'}")):
            vectors[who].append(tuple(1 << extents[name] if name == axis else 0 for name in names))
            if axis:
                extents[axis] += 1
    slots, lanes, waves = (tuple(vectors[who]) for who in ("slot", "lane", "wave"))
    return Layout(tuple(extents.items()), slots, lanes, waves)


def extend(layout: Layout, *parts: Part) -> Layout:
    """The layout with slots and waves added on top of the atom's axes; an axis it lacks makes copies in waves.

    The same parts thus extend both operands and the result of a product alike: the waves along j hold copies of
    the operand over (i, k), and slots along j are none of its.
    """
    if layout.repeat:
        raise ValueError("extend the atom before it repeats")
    for who, axis, count in parts:
        bits = log2(count, f"the {who}s along {axis}")
        if who == "lane":
            raise ValueError("all lanes are dealt out")
        if who == "slot" and axis not in layout.names:
            continue
        here = [(name, b + bits * (name == axis)) for name, b in layout.axes]
        added = [
            tuple(1 << (b + bit) if name == axis else 0 for name, b in layout.axes) for bit in range(bits)
        ]  # fmt: skip
        slots = layout.slots + tuple(added) if who == "slot" else layout.slots
        waves = layout.waves + tuple(added) if who == "wave" else layout.waves
        layout = replace(layout, axes=tuple(here), slots=slots, waves=waves)
    return layout


def tile(layout: Layout, *repeat: tuple[str, int]) -> Layout:
    """The grid of a layout's atoms, any whole count along each axis; repeats along an axis it lacks are none.

    >>> tile(deal("i", ("slot", "i", 1), ("lane", "i", 64)), ("i", 3)).extent("i")
    192
    """
    if layout.repeat:
        raise ValueError("the layout repeats already")
    return replace(layout, repeat=tuple((axis, count) for axis, count in repeat if axis in layout.names))
