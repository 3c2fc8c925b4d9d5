"""What one access of a wave costs, counted on the addresses of its 64 lanes.

Counting is right for any addresses: pads, masks (None: an inactive lane) and halos. `prove/emulate` counts with a
statement of its own; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tl2hip.plan.layout.linear import LANES, Layout

Addresses = Sequence[int | None]
"""Address in bytes of each of the 64 lanes; None where a lane does not take part."""

BANKS = 32
"""Banks of 4 bytes of gfx942's LDS (CDNA3 ISA guide)."""

READ_16 = ((0, 1, 2, 3, 20, 21, 22, 23), (4, 5, 6, 7, 16, 17, 18, 19), (8, 9, 10, 11, 28, 29, 30, 31))
"""Lanes of the first phases of a 16-byte read; the fourth has the rest of 32 lanes, and the upper lanes follow
(measured on MI300: ROCm blog "LDS bank conflict", tingqli/pyhip, Composable Kernel's `lds_bank_conflicts.rst`)."""

REQUEST, LINE = 64, 128
"""Bytes of a request to the L2 cache, and of a line there (CDNA3 white paper)."""


@dataclass(frozen=True)
class LdsCost:
    """Clocks of an LDS access, and how many `phases` have a lane in them: the clocks without conflicts."""

    clocks: int
    phases: int

    @property
    def extra(self) -> int:
        """Clocks that bank conflicts add."""
        return self.clocks - self.phases

    @property
    def ways(self) -> float:
        """1.0 without conflicts, 2.0 where each phase takes twice as long; 1.0 for no lane at all."""
        return self.clocks / self.phases if self.phases else 1.0


@dataclass(frozen=True)
class MemoryCost:
    """A global access: 64-byte requests, 128-byte lines, bytes that lanes ask for, different ones of those."""

    requests: int
    lines: int
    asked: int
    used: int

    @property
    def efficiency(self) -> float:
        """Share of the requested bytes that are used; 1.0 for no lane at all."""
        return self.used / (REQUEST * self.requests) if self.requests else 1.0


def lds(addresses: Addresses, width: int, write: bool) -> LdsCost:
    """The cost of one LDS access of `width` bytes a lane (1, 2, 4, 8 or 16).

    Lanes are served in phases; a phase takes as many clocks as the busiest bank has different words to give or to
    take. Lanes with the same word share it; in a write this holds for parts of one word and for copies.
    ValueError for another width, or an address that is not aligned to words (to `width` below one).

    >>> lds([128 * lane for lane in range(64)], 4, write=False)
    LdsCost(clocks=64, phases=2)
    """
    _check(addresses, width, (1, 2, 4, 8, 16), min(width, 4))
    clocks = phases = 0
    for lanes in lds_phases(width, write):
        here = [a for a in (addresses[lane] for lane in lanes) if a is not None]
        words = {word for a in here for word in range(a // 4, (a + width - 1) // 4 + 1)}
        clocks += max((sum(w % BANKS == bank for w in words) for bank in range(BANKS)), default=0)
        phases += bool(here)
    return LdsCost(clocks, phases)


def lds_phases(width: int, write: bool) -> tuple[tuple[int, ...], ...]:
    """The lanes that are served together, phase by phase.

    Two halves for up to 4 bytes; 16 consecutive lanes for 8 bytes (a write's were measured on gfx950 and are
    assumed here; a pair of 8-byte reads in one instruction goes otherwise); 8 consecutive for a 16-byte write.
    """
    if width == 16 and not write:
        rest = tuple(lane for lane in range(32) if not any(lane in phase for phase in READ_16))
        low = (*READ_16, rest)
        return low + tuple(tuple(32 + lane for lane in phase) for phase in low)
    size = 8 if width == 16 else 16 if width == 8 else 32
    return tuple(tuple(range(first, first + size)) for first in range(0, LANES, size))


def memory(addresses: Addresses, width: int) -> MemoryCost:
    """The cost of one global access of `width` bytes a lane (1, 2, 4, 8, 12 or 16).

    Addresses count from a multiple of 128. ValueError for another width, or a negative address.

    >>> memory([4 * lane for lane in range(64)], 4)
    MemoryCost(requests=4, lines=2, asked=256, used=256)
    """
    _check(addresses, width, (1, 2, 4, 8, 12, 16), 1)
    active = [a for a in addresses if a is not None]
    used = {byte for a in active for byte in range(a, a + width)}
    requests, lines = ({byte // unit for byte in used} for unit in (REQUEST, LINE))
    return MemoryCost(len(requests), len(lines), width * len(active), len(used))


def total(costs: Iterable[LdsCost]) -> LdsCost:
    """The cost of several accesses together."""
    found = list(costs)
    return LdsCost(sum(c.clocks for c in found), sum(c.phases for c in found))


def wave_addresses(layout: Layout, slot: int, wave: int, address: Callable[..., int | None]) -> Addresses:
    """Where a wave's lanes have a slot's element: `address` of its coordinates, in the order of the axes."""
    return tuple(address(*layout.at(slot, lane, wave)) for lane in range(LANES))


def _check(addresses: Addresses, width: int, widths: tuple[int, ...], align: int) -> None:
    if len(addresses) != LANES:
        raise ValueError(f"{len(addresses)} addresses for {LANES} lanes")
    if width not in widths:
        raise ValueError(f"no access of {width} bytes")
    for address in addresses:
        if address is not None and (address < 0 or address % align):
            raise ValueError(f"an access of {width} bytes at address {address}")
