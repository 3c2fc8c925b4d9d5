"""From one distributed layout to another: nothing to do, an exchange between lanes, or a trip through LDS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import xor
from typing import Literal

from tl2hip.plan.layout.gf2 import apply, solver
from tl2hip.plan.layout.linear import LANES, Holder, Layout, Vector

Kind = Literal["nothing", "registers", "lanes", "lds"]
"""nothing: every slot stays where it is. registers: slots of a lane change places, which costs at most selects.
lanes: elements come from lanes of the same wave. lds: from other waves."""


@dataclass(frozen=True)
class Conversion:
    """target^-1 o source: where each holder of the target finds its element among the holders of the source.

    `slots`, `lanes` and `waves` say for each bit of a target's holder which bits of the source's holder it flips,
    in atoms brought to one size (`lifted`). Wave, lane and slot stay as they are wherever a copy allows it.
    """

    kind: Kind
    source: Layout
    target: Layout
    slots: tuple[Holder, ...]
    lanes: tuple[Holder, ...]
    waves: tuple[Holder, ...]

    def origin(self, slot: int, lane: int, wave: int = 0) -> Holder:
        """The holder in the source of what this holder of the target needs."""
        inside, rest = _lower(self.target, self.source, slot)
        flips = _set(self.slots, inside) + _set(self.lanes, lane) + _set(self.waves, wave)
        lifted, from_lane, from_wave = (reduce(xor, parts) for parts in zip(Holder(0, 0), *flips, strict=True))
        return Holder(_raise(self.source, self.target, lifted, rest), from_lane, from_wave)

    @property
    def fixed(self) -> bool:
        """Whether the source's register is the same for all lanes and waves: one exchange for each target slot."""
        return not any(part.slot for part in self.lanes + self.waves)

    def exchange(self, slot: int, wave: int = 0) -> tuple[Holder, ...]:
        """For a slot of the target the holder that each lane reads from, lane by lane."""
        return tuple(self.origin(slot, lane, wave) for lane in range(LANES))

    def xor_mask(self, slot: int) -> int | None:
        """The m of `lane ^ m` where every lane reads its element so and from one register; else None."""
        if not self.fixed or any(part.lane != 1 << bit for bit, part in enumerate(self.lanes)):
            return None
        return None if any(part.lane for part in self.waves) else self.origin(slot, 0).lane


def convert(source: Layout, target: Layout) -> Conversion:
    """How the elements get from one layout of a tile to another; ValueError for tiles or blocks that differ.

    >>> from tl2hip.plan.layout.linear import deal
    >>> a = deal("i k", ("slot", "k", 4), ("lane", "i", 32), ("lane", "k", 2), ("slot", "k", 2))
    >>> b = deal("i k", ("slot", "k", 8), ("lane", "i", 32), ("lane", "k", 2))
    >>> convert(a, a).kind, convert(a, b).kind, convert(a, b).origin(slot=4, lane=0)
    ('nothing', 'lanes', Holder(slot=0, lane=32, wave=0))
    """
    if _told(source) != _told(target):
        raise ValueError(f"tiles differ: {_told(source)} and {_told(target)}")
    if len(source.waves) != len(target.waves):
        raise ValueError(f"a block of {source.wave_count} waves and one of {target.wave_count}")
    big = {name: max(source.bits(name), target.bits(name)) for name in source.names}
    old, new = _lifted(source, big), _lifted(target, big)
    slots, lanes, waves = (_origins(old, new, who) for who in range(3))
    made = Conversion("nothing", source, target, slots, lanes, waves)
    return replace(made, kind=_kind(made))


def _kind(made: Conversion) -> Kind:
    lane_stays = all(part.lane == 1 << bit for bit, part in enumerate(made.lanes))
    wave_stays = all(part.wave == 1 << bit for bit, part in enumerate(made.waves))
    if not wave_stays or any(part.wave for part in made.slots + made.lanes):
        return "lds"
    if not lane_stays or any(part.lane for part in made.slots + made.waves):
        return "lanes"
    slots = range(made.target.slot_count)
    same = made.fixed and made.source.slot_count == len(slots)
    return "nothing" if same and all(made.origin(slot, 0).slot == slot for slot in slots) else "registers"


def _origins(source: Layout, target: Layout, who: int) -> tuple[Holder, ...]:
    """For each bit of the target's slots (who = 0), lanes (1) or waves (2) a holder of its vector in the source.

    Tried in order: the same lane and wave with other slots; other lanes with the same slots; anything, where other
    waves come in only if slots and lanes do not reach, since the solver takes the earlier bits.
    """
    first_lane, first_wave = len(source.slots), len(source.slots + source.lanes)
    free = (range(first_lane), range(first_lane, first_wave), range(len(source.columns)))
    found = []
    for bit, vector in enumerate((target.slots, target.lanes, target.waves)[who]):
        own = 0 if who == 0 else 1 << ((first_lane, first_wave)[who - 1] + bit)
        wanted = target.packed(vector) ^ apply(source.columns, own)
        tries = (_combined(source, columns, wanted) for columns in free)
        found.append(source.holder(own ^ next(taken for taken in tries if taken is not None)))
    return tuple(found)


def _combined(source: Layout, free: range, wanted: int) -> int | None:
    """Bits among the free ones of the source's holder that reach a packed coordinate."""
    taken = solver(source.columns[column] for column in free).solve(wanted)
    return None if taken is None else taken << free.start


def _lifted(layout: Layout, big: dict[str, int]) -> Layout:
    """The layout with atoms as large as `big`: of each repeat the low bits become slots of the atom."""
    slots, axes, repeat = list(layout.slots), dict(layout.axes), []
    for axis, count in layout.repeat:
        for bit in range(axes[axis], big[axis]):
            slots.append(tuple(1 << bit if name == axis else 0 for name in layout.names))
        repeat.append((axis, count >> (big[axis] - axes[axis])))
        axes[axis] = big[axis]
    return replace(layout, axes=tuple(axes.items()), slots=tuple(slots), repeat=tuple(repeat))


def _lower(layout: Layout, other: Layout, slot: int) -> tuple[int, dict[str, int]]:
    """A slot as (slot in the lifted atom, its place in the grid of lifted atoms)."""
    atom, grid = layout.split(slot)
    low, rest = len(layout.slots), {}
    for here, (axis, _) in zip(grid, layout.repeat, strict=True):
        bits = max(0, other.bits(axis) - layout.bits(axis))
        atom |= (here & ((1 << bits) - 1)) << low
        low += bits
        rest[axis] = here >> bits
    return atom, rest


def _raise(layout: Layout, other: Layout, lifted: int, rest: dict[str, int]) -> int:
    """The slot: what `_lower` undoes. An axis that does not repeat in the other layout has no place but 0."""
    low, grid = len(layout.slots), []
    for axis, _ in layout.repeat:
        bits = max(0, other.bits(axis) - layout.bits(axis))
        grid.append((lifted >> low & ((1 << bits) - 1)) | rest.get(axis, 0) << bits)
        low += bits
    return layout.join(lifted & (layout.atom_slots - 1), grid)


def _set(parts: Sequence[Holder], bits: int) -> list[Holder]:
    return [part for bit, part in enumerate(parts) if bits >> bit & 1]


def _told(layout: Layout) -> str:
    return ", ".join(f"{name} of {layout.extent(name)}" for name in layout.names)


def drop(layout: Layout, axis: str) -> Layout:
    """The layout of what is left when an axis is reduced, as a statistic of each row: every lane has the result.

    Slots that ran along the axis alone are left out; its lanes and waves hold copies.
    """
    at = layout.names.index(axis)

    def rest(vectors: Sequence[Vector]) -> tuple[Vector, ...]:
        return tuple(v[:at] + v[at + 1 :] for v in vectors)

    slots = rest([layout.slots[bit] for bit in _kept(layout, axis)])
    repeat = tuple(r for r in layout.repeat if r[0] != axis)
    axes = layout.axes[:at] + layout.axes[at + 1 :]
    return Layout(axes, slots, rest(layout.lanes), rest(layout.waves), repeat)


def dropped_slot(layout: Layout, axis: str, slot: int) -> int:
    """The slot of `drop(layout, axis)` in which the same lane has what belongs to this slot's element.

    >>> from tl2hip.plan.layout.linear import deal
    >>> d = deal("i j", ("slot", "j", 4), ("slot", "i", 2), ("lane", "i", 64))
    >>> [dropped_slot(d, "j", slot) for slot in range(8)]
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    atom, grid = layout.split(slot)
    kept = sum((atom >> bit & 1) << to for to, bit in enumerate(_kept(layout, axis)))
    steps = [here for here, (name, _) in zip(grid, layout.repeat, strict=True) if name != axis]
    return drop(layout, axis).join(kept, steps)


def _kept(layout: Layout, axis: str) -> list[int]:
    """The bits of a slot that do not run along the axis alone."""
    at = layout.names.index(axis)
    return [bit for bit, v in enumerate(layout.slots) if any(v[:at] + v[at + 1 :]) or not v[at]]


def reduced(layout: Layout, axis: str) -> Holder:
    """Masks of the (atom slot, lane, wave) bits to combine over when an axis is reduced; copies are left out.

    ValueError where a bit runs along this axis and another one at once.

    >>> from tl2hip.plan.layout.linear import deal
    >>> d = deal("i j", ("slot", "i", 4), ("lane", "j", 32), ("lane", "i", 2), ("slot", "i", 4))
    >>> reduced(d, "i"), reduced(d, "j")
    (Holder(slot=15, lane=32, wave=0), Holder(slot=0, lane=31, wave=0))
    """
    at = layout.names.index(axis)
    word = 0
    copies = layout.word(layout.copies)
    for bit, vector in enumerate(layout.vectors):
        if vector[at] and not copies >> bit & 1:
            if any(vector[:at] + vector[at + 1 :]):
                raise ValueError(f"a bit runs along {axis} and another axis at once")
            word |= 1 << bit
    return layout.holder(word)
