"""Guarded copies of a call's arrays: each lies between poisoned zones, and overlapping arrays stay overlapping."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

ALIGNMENT = 256  # of device allocations
SMALLEST_GUARD, LARGEST_GUARD = 4096, 1 << 20


class Buffer:
    """An array as an argument. `in_place` passes its own memory, with no copy and no guard zones.

    Passing the same Buffer (or array) twice passes the same address twice.
    """

    __slots__ = ("array", "in_place")

    def __init__(self, array: Array, *, in_place: bool = False) -> None:
        self.array = array
        self.in_place = in_place


@dataclass(slots=True)
class Region:
    """Bytes of the caller's arrays that overlap, and where they lie while the launcher runs."""

    low: int
    high: int
    in_place: bool
    writable: bool
    poison: int
    argument: int
    align_from: int
    home: int = 0
    guard: int = 0

    @property
    def size(self) -> int:
        return self.high - self.low

    def moved(self, address: int) -> int:
        return self.home + address - self.low


def span(array: Array) -> tuple[int, int]:
    """The lowest address that an array's elements use and the one after the highest; equal when it is empty."""
    address = int(array.__array_interface__["data"][0])
    if array.size == 0:
        return address, address
    low = high = address
    for extent, stride in zip(array.shape, array.strides, strict=True):
        reach = (extent - 1) * stride
        low, high = (low + reach, high) if reach < 0 else (low, high + reach)
    return low, high + array.itemsize


def poison_of(array: Array) -> int:
    """A byte that is NaN when repeated, for floats, and a large odd value for integers."""
    name = array.dtype.name
    if name.startswith("float8"):
        return 0x80 if name.endswith("fnuz") else 0x7F
    return 0xFF if array.dtype.kind in "fcV" else 0xA5


class Memory:
    """The buffers of one call: copied in on entry, checked and copied back by `finish`."""

    def __init__(self, buffers: Sequence[tuple[int, Buffer]]) -> None:
        """`buffers` are (position among the arguments, buffer)."""
        self.regions = _merge([_region(position, buffer) for position, buffer in buffers])
        self._arena = self._place()
        for region in self.regions:
            if not region.in_place:
                self._fill(region)

    def address(self, array: Array) -> int:
        """Where an array of this call lies for the launcher."""
        low, high = span(array)
        pointer = int(array.__array_interface__["data"][0])
        around = [region for region in self.regions if region.low <= low and high <= region.high]
        if not around:
            raise KeyError("this array is not an argument of the call")
        # An empty array at the start of another one has a region of its own, which may not be touched.
        return min(around, key=lambda region: region.size).moved(pointer)

    def finish(self) -> list[tuple[int, int]]:
        """Copy results back; the (argument, byte offset) of each guard zone that was overwritten."""
        broken = []
        for region in self.regions:
            if region.in_place:
                continue
            broken += self._broken(region)
            if region.writable and region.size:
                ctypes.memmove(region.low, region.home, region.size)
        return broken

    def _place(self) -> Array:
        at = 0
        for region in self.regions:
            if region.in_place:
                region.home = region.low
                continue
            region.guard = min(max(SMALLEST_GUARD, region.size), LARGEST_GUARD)
            # An array that begins inside another allocation keeps its offset from an aligned start.
            start = -(-(at + region.guard) // ALIGNMENT) * ALIGNMENT
            region.home = start + (region.low - region.align_from) % ALIGNMENT
            at = region.home + region.size + region.guard
        arena = np.empty(at + ALIGNMENT, np.uint8)
        base = -(-int(arena.ctypes.data) // ALIGNMENT) * ALIGNMENT
        for region in self.regions:
            if not region.in_place:
                region.home += base
        return arena

    def _zones(self, region: Region) -> tuple[tuple[int, Array], tuple[int, Array]]:
        """Both guard zones, with the offset of their first byte from the region's start."""
        at = region.home - int(self._arena.ctypes.data)
        before = self._arena[at - region.guard : at]
        after = self._arena[at + region.size : at + region.size + region.guard]
        return (-region.guard, before), (region.size, after)

    def _fill(self, region: Region) -> None:
        for _, zone in self._zones(region):
            zone.fill(region.poison)
        if region.size:
            ctypes.memmove(region.home, region.low, region.size)

    def _broken(self, region: Region) -> list[tuple[int, int]]:
        found = []
        for start, zone in self._zones(region):
            changed = np.flatnonzero(zone != region.poison)
            if changed.size:
                # The byte nearest to the buffer tells most.
                nearest = changed[-1] if start < 0 else changed[0]
                found.append((region.argument, start + int(nearest)))
        return found


def _region(position: int, buffer: Buffer) -> Region:
    array = buffer.array
    low, high = span(array)
    root: Any = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    aligned = span(root)[0]
    return Region(low, high, buffer.in_place, bool(array.flags.writeable), poison_of(array), position, aligned)


def _merge(regions: list[Region]) -> list[Region]:
    """One region for arrays whose bytes overlap; in place, or writable, when any of them is."""
    merged: list[Region] = []
    for region in sorted(regions, key=lambda r: (r.low, r.high)):
        last = merged[-1] if merged else None
        same = last is not None and (region.low, region.high) == (last.low, last.high)
        if last is None or not (region.low < last.high or same):
            merged.append(region)
            continue
        last.high = max(last.high, region.high)
        last.in_place |= region.in_place
        last.writable |= region.writable
        last.argument = min(last.argument, region.argument)
    return merged
