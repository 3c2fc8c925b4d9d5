"""How far apart the rows are that the lanes of one access touch, and what another distance would cost in LDS."""

from __future__ import annotations

from collections import Counter

from tl2hip.prove.machine.model.trace import Lanes

BANKS, WORD = 32, 4
"""Banks of LDS, and the bytes that each gives a clock (AMD CDNA 3 white paper)."""
READ_16 = (0x00F0000F, 0x000F00F0, 0xF0000F00, 0x0F00F000)
"""Lanes of a read of 16 bytes that are served together, of each half of a wave (as runtime/counting.cpp, which
names the source)."""


def pitch(lanes: Lanes) -> int | None:
    """Bytes from row to row, where lanes are in rows: a row is lanes side by side, or at one place. Most rows are
    so far from the one before; None where there is no such distance, as between rows in a swizzled order.

    >>> pitch(Lanes(4, tuple(144 * lane for lane in range(64))))
    144
    >>> pitch(Lanes(4, tuple(144 * (lane // 16) + 4 * (lane % 16) for lane in range(64))))
    144
    >>> pitch(Lanes(4, tuple(4 * lane for lane in range(64)))) is None
    True
    """
    there = [offset for offset in lanes.offsets if offset is not None]
    starts = [b for a, b in zip([None, *there], there, strict=False) if a is None or b - a not in (0, lanes.bytes)]
    steps = Counter(b - a for a, b in zip(starts, starts[1:], strict=False))
    if not steps:
        return None
    step, count = max(steps.items(), key=lambda item: (item[1], -abs(item[0])))
    return abs(step) if 2 * count > sum(steps.values()) else None


def bank_clocks(lanes: Lanes, store: bool) -> int:
    """Clocks that an access takes LDS's banks: what executions record, for distances that nothing executed."""
    return sum(_phase(lanes, group) for group in _groups(lanes.bytes, store))


def better_pitch(lanes: Lanes, store: bool) -> int | None:
    """The least longer pitch without a conflict, of rows that keep their alignment; None where no pad of up to 64
    bytes ends the conflicts, or the lanes are in no rows."""
    old = pitch(lanes)
    if not old:
        return None
    step, free = max(WORD, lanes.bytes), sum(bool(_phase(lanes, group)) for group in _groups(lanes.bytes, store))
    for new in range(old + step, old + 64 + 1, step):
        moved = tuple(None if at is None else at // old * new + at % old for at in lanes.offsets)
        if bank_clocks(Lanes(lanes.bytes, moved), store) == free:
            return new
    return None


def _groups(size: int, store: bool) -> tuple[int, ...]:
    """Lanes that are served together, as masks."""
    if size <= 4:
        return tuple(0xFFFFFFFF << 32 * k for k in range(2))
    if size <= 8:
        return tuple(0xFFFF << 16 * k for k in range(4))
    if store:
        return tuple(0xFF << 8 * k for k in range(8))
    return tuple(READ_16[k % 4] << 32 * (k // 4) for k in range(8))


def _phase(lanes: Lanes, group: int) -> int:
    """The most different words that one bank must give to a group."""
    words = set()
    for lane, offset in enumerate(lanes.offsets):
        if offset is not None and group >> lane & 1:
            words |= {(offset + byte) // WORD for byte in range(0, lanes.bytes, WORD)}
    return max(Counter(word % BANKS for word in words).values(), default=0)
