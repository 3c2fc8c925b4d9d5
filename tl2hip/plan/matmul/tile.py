"""How a product is cut: the tile of a block, the waves that share it, the matrix instruction, the stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tl2hip.nest.index import value_of
from tl2hip.nest.ir import Expr
from tl2hip.plan.gfx942 import LDS_BYTES, MAX_WAVES, REGISTERS, SIMDS, WAVE
from tl2hip.plan.layout.mfma import Mfma
from tl2hip.plan.matmul.clusters import Cluster, clusters, held

PIECE = 16
"""Bytes that a lane moves at a time, to LDS and from memory."""

OTHERS = 40
"""Registers of a lane for addresses, offsets and what the compiler needs besides (seen in compiled kernels)."""

OTHERS_AHEAD = 12
"""How many more where fragments are read a slice ahead (seen there too)."""


MOST_STAGES = 3
"""Tiles in flight, at most: the loop over the sum goes back and forth between two in LDS."""

MOST_TOGETHER = 8
"""Waves that share a tile, at most: two on a SIMD, which leaves each 256 registers."""

Turns = Literal["ping-pong", "ahead", "plain", "blocks"]
"""Whether two groups of waves take turns at reading and multiplying, fragments are read while those before are
multiplied, or neither; or those of a whole step are read, which is a block of the sum that is scaled."""

Part = Literal["rows", "columns", "depth", "stages", "mfma", "lds", "registers", "threads"]
"""What is at fault."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a tile cannot be computed."""

    part: Part
    why: str


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile of `rows` by `columns` elements of the result and `depth` of the sum, in elements, for one block.

    `down` by `across` waves share it, each by instructions of `mfma`. `stages` tiles of the factors are in flight,
    the one in use included; the newest waits in registers, the others in LDS, in rows `pads` elements longer than
    the depth, those of the left and of each right factor. Lanes should store `together` neighbouring columns. Each
    right factor has a result of its own.
    """

    rows: int
    columns: int
    depth: int
    down: int
    across: int
    mfma: Mfma
    stages: int = 2
    pads: tuple[int, ...] = (0, 0)
    together: int = 1
    beside: int = 0
    """Registers of a lane in which factors are computed."""
    block: int = 0
    """Elements of the sum that are scaled as a whole: a step of it; 0 where none are."""

    @property
    def results(self) -> int:
        """Right factors."""
        return len(self.pads) - 1

    @property
    def width(self) -> int:
        """Columns of all results."""
        return self.columns * self.results

    @property
    def threads(self) -> int:
        return self.down * self.across * WAVE

    @property
    def bytes(self) -> int:
        """Bytes of an element of a factor."""
        return self.mfma.first.bytes

    @property
    def piece(self) -> int:
        """Elements of a piece."""
        return PIECE // self.bytes

    @property
    def row_pieces(self) -> int:
        """Pieces of one row in LDS."""
        return self.depth // self.piece

    @property
    def groups(self) -> int:
        """Groups of lanes that hold different elements of the sum in one instruction."""
        return WAVE // self.mfma.m

    @property
    def slices(self) -> int:
        """Parts of the depth for which a lane reads one piece of each fragment."""
        return self.row_pieces // self.groups

    @property
    def parts(self) -> int:
        """Instructions that share a piece."""
        return self.piece // self.mfma.per_lane

    @property
    def fragments(self) -> tuple[int, int]:
        """Fragments of a wave along rows and columns of each result."""
        return self.rows // self.down // self.mfma.m, self.columns // self.across // self.mfma.m

    @property
    def joined(self) -> int:
        """Fragments along columns whose columns take turns, so that a lane that has runs of neighbours in each of
        them has as many together as it should store."""
        across = self.fragments[1]
        return max(1, min(self.together // self.mfma.run, across & -across)) if self.mfma.run > 1 else 1

    @property
    def run(self) -> int:
        """Neighbouring columns of a row that a lane has together."""
        return self.mfma.run * self.joined

    @property
    def copies(self) -> int:
        """Tiles of each factor in LDS."""
        return max(1, self.stages - 1)

    @property
    def lds(self) -> int:
        """Bytes of LDS."""
        return sum(self.lds_of)

    @property
    def lds_of(self) -> tuple[int, ...]:
        """Bytes of LDS of the left and of each right factor."""
        left, *rights = (self.bytes * self.copies * (self.depth + pad) for pad in self.pads)
        return self.rows * left, *(self.columns * right for right in rights)

    @property
    def sums(self) -> int:
        """Registers of a lane that hold sums."""
        return self.rows * self.width // self.threads * self.mfma.result.bytes // 4

    @property
    def waiting(self) -> int:
        """Registers of a lane in which the next tile waits."""
        return (self.rows + self.width) * self.depth * self.bytes // self.threads // 4

    @property
    def ahead(self) -> bool:
        """Whether the registers for fragments of two slices leave two waves on a SIMD."""
        return self.slices > 1 and self.registers(2) <= REGISTERS // 2

    @property
    def turns(self) -> Turns:
        """How waves keep matrix units busy.

        Fragments are read ahead where registers leave two waves on a SIMD: in the model of a compute unit that is
        worth a fifth of the time and more. Where they do not, the two waves on each SIMD of a block of eight take
        turns, which is worth as much.
        """
        if self.block:
            return "blocks"
        if self.stages != 2 or self.ahead:
            return "ahead" if self.stages == 2 else "plain"
        together = self.down * self.across == 2 * SIMDS and self.slices * self.parts > 1
        return "ping-pong" if together else "plain"

    @property
    def clusters(self) -> tuple[Cluster, ...]:
        """The clusters of a step where groups of waves take turns."""
        return clusters(self.slices, self.parts)

    @property
    def held(self) -> int:
        """Of how many slices fragments are in registers at once."""
        if self.turns == "blocks":
            return self.slices
        return held(self.clusters) if self.turns == "ping-pong" else 2 if self.turns == "ahead" else 1

    def registers(self, slices: int) -> int:
        """Registers of a lane with the fragments of so many slices at once."""
        down, across = self.fragments
        fragments = (down + across * self.results) * PIECE // 4 * slices
        others = OTHERS + self.beside + (OTHERS_AHEAD if slices > 1 else 0)
        if self.block:
            # Products of two fragments of rows, and the scales of two steps.
            others += 2 * (across * self.mfma.result_slots + down)
        return self.sums + self.waiting + fragments + others

    @property
    def blocks(self) -> int:
        """Blocks on a compute unit: what LDS and registers leave."""
        waves = min(MAX_WAVES, REGISTERS // self.registers(self.held)) * SIMDS
        return max(1, min(LDS_BYTES // self.lds, waves // (self.down * self.across)))

    @property
    def waves(self) -> int:
        """Waves on a SIMD."""
        return -(-self.blocks * self.down * self.across // SIMDS)

    def fault(self) -> Fault | None:
        """Why the tile cannot be computed so; None where it can."""
        m = self.mfma.m
        shares: tuple[tuple[Part, int, int], ...] = (
            ("rows", self.rows, self.down), ("columns", self.columns, self.across)
        )  # fmt: skip
        for what, size, waves in shares:
            if size % (waves * m):
                return Fault(what, _uneven(size, waves, what, m))
        if self.depth % (self.groups * self.piece) or self.row_pieces & (self.row_pieces - 1):
            least = self.groups * self.piece
            return Fault("depth", f"a depth of {self.depth} is no power of two of elements, {least} and more")
        for what, size, _ in shares:
            if size * self.row_pieces % self.threads or self.threads % self.row_pieces:
                return Fault(what, f"{self.threads} threads do not share {size} {what} evenly")
        if self.block and (self.depth != self.block or self.stages != 2):
            part: Part = "depth" if self.depth != self.block else "stages"
            return Fault(part, f"a block of {self.block} elements that are scaled is one step, of two stages")
        if self.stages > MOST_STAGES:
            return Fault("stages", f"at most {MOST_STAGES} tiles are in flight: two in LDS, one in registers")
        if self.lds > LDS_BYTES:
            return Fault("lds", f"{self.stages} stages need {self.lds:,} bytes of LDS; gfx942 has {LDS_BYTES:,}")
        if self.sums > 128 or self.registers(self.held if self.block else 1) > REGISTERS // 2:
            return Fault("registers", f"{self.registers(1)} registers a lane leave no two waves on a SIMD")
        return None


def tiled(extent: Expr, size: int) -> bool:
    """Whether tiles of a size surely divide an extent."""
    known = value_of(extent)
    return known is not None and known % size == 0


def _uneven(size: int, waves: int, what: str, m: int) -> str:
    """Why waves do not share rows or columns in fragments of `m`."""
    if size % waves == 0 and waves > 1:
        return f"a tile of {size} over {waves} waves leaves {size // waves} {what}, no whole number of {m}"
    return f"{size} {what} over {waves} wave{'s' * (waves > 1)} are no whole number of {m}"
