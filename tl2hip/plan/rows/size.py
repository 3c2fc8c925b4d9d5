"""How a row is shared out: how many lanes it takes, and how many vectors of it each of them."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.nest.ir import AxisRef
from tl2hip.plan.gfx942 import ACCESS_BYTES, MAX_THREADS, WAVE
from tl2hip.plan.rows.find import HERE, Row
from tl2hip.plan.state import State
from tl2hip.plan.work import work as work_of

WAVES = 4
"""Rows of a block of which each takes a wave: one for each SIMD of a compute unit."""

BLOCKS = (128, 256, 512, 1024)
"""Threads of a block that takes a row alone."""

RUN_TIME_VECTORS = 1024
"""Vectors of a row that a block takes alone whose length is only known when it is launched."""

LANE_BYTES = 192
"""Bytes of a row that a lane holds at most: 48 registers, which leaves some for the arithmetic of six waves and
more on a SIMD."""

GUARDED_BYTES = 128
"""The same where the length is known at run time: branches around vectors cost registers (counted, clang 22)."""

LANE_WORK = 160
"""Instructions, roughly, for the share of a lane of a row whose length is known: more lanes with less each hide
latency as well, and the kernel stays short."""

PIECE_LANES = 512
"""Threads of a block that walks a row piece by piece: pieces are long, and two such blocks and more fit a compute
unit."""

IN_FLIGHT = 4
"""Vectors of a lane that are enough to keep memory busy while it waits."""


@dataclass(frozen=True, slots=True)
class Size:
    """`vectors` vectors of `width` elements for each of `lanes` lanes, the threads of a block or of one wave, of
    which there are `rows` in a block. `exact`: together they are the whole row, always. `pieces`: they are a piece
    of a row, which each loop walks piece by piece."""

    lanes: int
    vectors: int
    width: int
    rows: int = 1
    exact: bool = False
    pieces: bool = False

    @property
    def step(self) -> int:
        """Elements from one vector of a lane to the next: where the row is as long as it can be, each wave has a
        piece of it to itself, so that addresses differ by little constants."""
        return (WAVE if self.exact else self.lanes) * self.width

    @property
    def most(self) -> int:
        """The longest row."""
        return self.lanes * self.width * self.vectors


def width_of(state: State, row: Row) -> int | None:
    """Elements that a lane takes side by side: 16 bytes of the narrowest array in memory, as long as that is not
    more than two accesses of the widest. None where no array along the row is in memory, or an access would be
    narrower than any there is."""
    sizes = [state.nest.array(h.array).dtype.bytes for h in row.held if not h.local]
    if not sizes:
        return None
    width = min(ACCESS_BYTES // min(sizes), 2 * ACCESS_BYTES // max(sizes))
    return width if width >= 2 and width * min(sizes) >= 4 else None


def most_vectors(state: State, row: Row, width: int, work: int | None = None) -> int:
    """How many vectors of each array a lane may take: what its registers hold, and what so much `work` allows."""
    bytes_ = sum(state.nest.array(h.array).dtype.bytes for h in row.held if h.loaded or h.local or h.kept)
    most = LANE_BYTES if work is not None else GUARDED_BYTES
    held = most // max(1, bytes_ * width)
    each = work_of((s.body, {AxisRef(s.axis.name): HERE}) for s in row.loops)
    worked = IN_FLIGHT if work is None else work // (width * each)
    return max(1, min(IN_FLIGHT, held, worked))


def longest(state: State, row: Row, width: int) -> int:
    """How many vectors of each array a lane may take of a row that has no smaller share: what registers hold."""
    return most_vectors(state, row, width, LANE_WORK * LANE_BYTES)


def in_pieces(width: int, loads: int, waves: int | None, length: int | None) -> Size:
    """The size for rows that registers do not hold, or that are no whole vectors, by loops that load so many arrays
    at most. `waves`: what the user says share a row, `length`: where that is known."""
    vectors = max(1, -(-IN_FLIGHT // max(1, loads)))
    lanes = PIECE_LANES if waves is None else waves * WAVE
    while waves is None and length is not None and lanes > WAVE and lanes * vectors * width >= 2 * length:
        lanes //= 2
    return Size(lanes, vectors, width, pieces=True)


def rows_of(tile: int | None) -> int:
    """Rows of a block of which each takes a wave, where the user gave a tile of that many or none. A tile of more
    than a block has waves is too large for that: 0."""
    if tile is None:
        return WAVES
    return tile if tile * WAVE <= MAX_THREADS else 0


def fixed(length: int, width: int, vectors: int, rows: int, waves: int | None) -> Size | None:
    """The size for rows of one length, short ones in waves with so many `rows` a block; None where they are too
    long for registers or no whole vectors. `waves`: what the user says share a row."""
    if length % width:
        return None
    pieces = length // width
    for lanes in (WAVE, *BLOCKS) if waves is None else (waves * WAVE,):
        if pieces <= lanes * vectors:
            taken = max(1, -(-pieces // lanes))
            return Size(lanes, taken, width, rows if lanes == WAVE else 1, pieces == lanes * taken)
    return None


def run_time(width: int, vectors: int, rows: int, waves: int | None) -> tuple[Size, ...]:
    """The sizes for rows of any length, short ones, with so many `rows` a block, first. `waves`: what the user says
    share a row."""
    if waves is not None:
        return (Size(waves * WAVE, vectors, width, rows if waves == 1 else 1),)
    lanes = -(-RUN_TIME_VECTORS // (vectors * WAVE)) * WAVE
    return Size(WAVE, vectors, width, rows), Size(lanes, vectors, width)
