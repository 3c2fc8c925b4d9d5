"""How a product is cut: the tile of a block, the waves that share it, the matrix instruction, the stages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import prod
from typing import Literal

from tl2hip.nest.index import value_of
from tl2hip.nest.ir import Axis
from tl2hip.plan.gfx942 import COMPUTE_UNITS, LDS_BYTES, MAX_WAVES, REGISTERS, SIMDS, WAVE
from tl2hip.plan.layout.mfma import Mfma
from tl2hip.plan.matmul.clusters import Cluster, clusters, held
from tl2hip.plan.matmul.find import MatrixProduct

PIECE = 16
"""Bytes that a lane moves at a time, to LDS and from memory."""

ROWS = (128, 256)
"""Bytes of a tile along the summed axis where the user says nothing: one pass over all LDS banks, or two."""

SMALL = 64 * 64
"""Elements of a tile of the result that may be deep: that saves starts of steps, which are short here."""

LARGE = 3 << 10
"""What an extent counts as that is not known before the kernel runs."""

STEP = 48
"""Clocks of each step of the sum in which a block waits."""

LATENCY, BANDWIDTH = 600, 54
"""Clocks until the first tile is there, and bytes a clock in which the result goes to memory, both while only other
blocks of the compute unit work (gfx942.md 1.1; the middle setting of the model)."""

MEMORY, FAR = 2000, 1700
"""Bytes a clock that all compute units get from memory, and clocks until these arrive (4.2 TB/s and about 0.8 us at
2.1 GHz, gfx942.md 1.1 and 2.3)."""

CACHE = 4000
"""Bytes a clock of partial sums, which stay in the caches: about half of the Infinity Cache's 17.2 TB/s."""

LONGEST = 1 << 20
"""Elements of a sum that is split in any case, where tiles are few."""

LAUNCH = 5000
"""Clocks until a second launch is under way: two or three microseconds (an estimate)."""

BEHIND, ALONE = 0.2, 0.1
"""How much longer it takes where fragments are not read ahead, and where a block that turns a factor is alone on a
compute unit."""

VECTOR, VECTOR_RATE = 1.5, SIMDS * 16
"""How much longer it takes for each clock that vector instructions take of one of the matrix units (seen in the
model), and lanes of them a clock."""

OTHERS = 40
"""Registers of a lane for addresses, offsets and what the compiler needs besides (seen in compiled kernels)."""

COMPUTING = 24
"""How many more for a factor that is computed on its way (seen there too)."""

OTHERS_AHEAD = 12
"""How many more where fragments are read a slice ahead (seen there too)."""


MOST_STAGES = 3
"""Tiles in flight, at most: the loop over the sum goes back and forth between two in LDS."""

MOST_TOGETHER = 8
"""Waves that share a tile, at most: two on a SIMD, which leaves each 256 registers."""

Turns = Literal["ping-pong", "ahead", "plain"]
"""Whether two groups of waves take turns at reading and multiplying, fragments are read while those before are
multiplied, or neither."""

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
    the depth, those of the left and of the right factor. Lanes should store `together` neighbouring columns.
    """

    rows: int
    columns: int
    depth: int
    down: int
    across: int
    mfma: Mfma
    stages: int = 2
    pads: tuple[int, int] = (0, 0)
    together: int = 1
    beside: int = 0
    """Registers of a lane in which factors are computed."""

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
        """Fragments of a wave along rows and columns."""
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
    def lds_of(self) -> tuple[int, int]:
        """Bytes of LDS of the left and of the right factor."""
        a, b = (self.depth + pad for pad in self.pads)
        each = self.bytes * self.copies
        return self.rows * a * each, self.columns * b * each

    @property
    def sums(self) -> int:
        """Registers of a lane that hold sums."""
        return self.rows * self.columns // self.threads * self.mfma.result.bytes // 4

    @property
    def waiting(self) -> int:
        """Registers of a lane in which the next tile waits."""
        return (self.rows + self.columns) * self.depth * self.bytes // self.threads // 4

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
        return held(self.clusters) if self.turns == "ping-pong" else 2 if self.turns == "ahead" else 1

    def registers(self, slices: int) -> int:
        """Registers of a lane with the fragments of so many slices at once."""
        fragments = sum(self.fragments) * PIECE // 4 * slices
        others = OTHERS + self.beside + (OTHERS_AHEAD if slices > 1 else 0)
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
        if self.stages > MOST_STAGES:
            return Fault("stages", f"at most {MOST_STAGES} tiles are in flight: two in LDS, one in registers")
        if self.lds > LDS_BYTES:
            return Fault("lds", f"{self.stages} stages need {self.lds:,} bytes of LDS; gfx942 has {LDS_BYTES:,}")
        if self.sums > 128 or self.registers(1) > REGISTERS // 2:
            return Fault("registers", f"{self.registers(1)} registers a lane leave no two waves on a SIMD")
        return None


def _uneven(size: int, waves: int, what: str, m: int) -> str:
    """Why waves do not share rows or columns in fragments of `m`."""
    if size % waves == 0 and waves > 1:
        return f"a tile of {size} over {waves} waves leaves {size // waves} {what}, no whole number of {m}"
    return f"{size} {what} over {waves} wave{'s' * (waves > 1)} are no whole number of {m}"


def tiles(p: MatrixProduct) -> tuple[Tile, ...]:
    """The tiles that the marks allow, those that fit first, the best of them first of all; none where there is no
    such matrix instruction."""
    mfma = p.instruction(instruction_size(p))
    if mfma is None:
        return ()
    given, task = p.over.axis.tile, task_of(p)
    depths = tuple(row // p.left.dtype.bytes for row in ROWS) if given is None else (given,)
    stages = p.over.axis.mark("stages") or 2
    sizes, waves = (_sizes(p.rows.tile), _sizes(p.columns.tile)), (_waves(p.rows), _waves(p.columns))
    beside = COMPUTING * sum(o.value is not None for o in (p.left, p.right))
    like = tuple(Tile(0, 0, d, 1, 1, mfma, stages, p.pads, p.together, beside) for d in depths)
    return _sorted(sizes, waves, like, task)


def instruction_size(p: MatrixProduct) -> int:
    """Rows and columns of the results of the matrix instructions: as the user says, else 16, which runs at a higher
    clock than 32 (gfx942.md 2.1)."""
    return p.over.axis.mark("mfma") or 16


@lru_cache(64)
def _sorted(
    sizes: tuple[tuple[int, ...], tuple[int, ...]],
    waves: tuple[tuple[int, ...], tuple[int, ...]],
    like: tuple[Tile, ...],
    task: Task,
) -> tuple[Tile, ...]:
    """Tiles of these sizes along rows and columns, shared by so many waves, otherwise like some: those that suit
    the task come first. Deeper ones than the first are small."""
    made = [
        replace(one, rows=rows, columns=columns, down=down, across=across)
        for one in like
        for rows, columns in product(*sizes)
        for down, across in product(*waves)
        if down * across <= MOST_TOGETHER and (one is like[0] or rows * columns <= SMALL)
    ]
    faults = {id(t): t.fault() for t in made}
    fitting = sorted((t for t in made if faults[id(t)] is None), key=lambda t: cost(t, task, slices(t, task)))
    return (*fitting, *(t for t in made if faults[id(t)] is not None))


def _sizes(given: int | None) -> tuple[int, ...]:
    return (256, 128, 64, 32, 16) if given is None else (given,)


def _waves(axis: Axis) -> tuple[int, ...]:
    given = axis.mark("waves")
    return (1, 2, 4, 8) if given is None else (given,)


@dataclass(frozen=True, slots=True)
class Task:
    """`products` of `rows` by `columns` elements, each a sum of `depth`. `turned`: a factor is turned on its way to
    LDS. `work`: vector instructions that an element of the left and of the right factor takes there. `slices`: how
    many blocks share a sum; None where that may be chosen."""

    rows: int
    columns: int
    depth: int
    turned: bool
    work: tuple[int, int] = (0, 0)
    products: int = 1
    slices: int | None = 1

    def tiles(self, t: Tile) -> int:
        """Tiles of all products."""
        return -(-self.rows // t.rows) * -(-self.columns // t.columns) * self.products


def task_of(p: MatrixProduct) -> Task:
    """The task of a product, with what its sizes count as where they are not known. Its sum is split as the user
    says, and by choice only where he says nothing of its tiles."""
    m, n, k = (value_of(a.stop) or LARGE for a in (p.rows, p.columns, p.over.axis))
    products = prod(value_of(p.chain.axes[n].stop) or 1 for n in p.batch)
    said = p.over.axis.mark("split") or (1 if p.shaped or p.computed else None)
    return Task(m, n, k, "axis" in (p.left.along, p.right.along), (p.left.work, p.right.work), products, said)


def slices(t: Tile, task: Task) -> int:
    """How many blocks share the sum of a tile: what the user says, else several where that takes less time."""
    many = most_slices(t, task)
    return many if task.slices or (many > 1 and cost(t, task, many) < cost(t, task, 1)) else 1


def most_slices(t: Tile, task: Task) -> int:
    """How many blocks share the sum of a tile: as the user says, else as many as leave no compute unit idle; no
    more than there are steps."""
    wanted = task.slices or COMPUTE_UNITS // max(1, task.tiles(t))
    return max(1, min(wanted, -(-task.depth // t.depth)))


FEW = COMPUTE_UNITS // 8
"""Tiles of a result that are few: an eighth of the compute units would be busy."""


@lru_cache(64)
def longest_whole(t: Tile, task: Task) -> int:
    """From which length on a sum is better split where tiles are few, in doublings of the tile's depth."""
    few, depth = replace(task, rows=t.rows, columns=t.columns * FEW, products=1), t.depth
    while depth < LONGEST and slices(t, replace(few, depth=depth)) == 1:
        depth *= 2
    return depth


def cost(t: Tile, task: Task, slices: int) -> float:
    """How long a product takes, to compare tiles: clocks of the matrix units of the busiest compute unit, longer as
    LDS and L2 are busier, and as fewer waves hide each other's waits; or of memory, where that takes longer. A sum
    in slices takes a second launch, and its partial sums to memory and back.

    LDS gives a compute unit 128 bytes a clock, L2 2,048 an XCD of 38 units. At so many operations a clock (1,024 of
    16-bit types), a tile of m by n wants as many bytes times (1/m + 1/n): of a wave from LDS, of a block into it
    (gfx942.md 2.1). How much longer what takes is fitted to the model of a compute unit (tests/bench/tune.py).
    """
    most = -(-task.tiles(t) * slices // COMPUTE_UNITS)
    blocks = min(t.blocks, most)
    rate = t.mfma.macs * SIMDS / t.mfma.clocks
    wanted = rate * t.bytes
    wave = t.down / t.rows + t.across / t.columns
    block = 1 / t.rows + 1 / t.columns
    lds = wanted * (wave + block) / 128
    l2 = wanted * block * 38 / 2048
    waves = blocks * t.down * t.across / SIMDS
    slower = max(1.0, lds, l2) + 0.5 * min(1.0, lds) + 0.2 * min(1.0, l2) + 0.3 / waves
    steps = max(1, -(-task.depth // (t.depth * slices)))
    step = t.rows * t.columns * t.depth / rate
    ends = LATENCY + t.rows * t.columns * t.mfma.result.bytes / BANDWIDTH
    slower += STEP / step + ends / (steps * step * blocks)
    slower += (BEHIND if t.turns == "plain" else 0) + (ALONE if task.turned and blocks == 1 else 0)
    slower += VECTOR * rate / VECTOR_RATE * (task.work[0] / t.columns + task.work[1] / t.rows)
    busy = most * steps * step * slower * max(1.0, 1 / waves)
    partial = task.rows * task.columns * task.products * t.mfma.result.bytes
    again = LAUNCH + 2 * slices * partial / CACHE if slices > 1 else 0
    return max(busy, _streamed(t, task, min(COMPUTE_UNITS, task.tiles(t) * slices), blocks)) + again


def _streamed(t: Tile, task: Task, units: int, blocks: int) -> float:
    """Clocks until both factors are read once from memory by so many compute units of so many blocks."""
    once = (task.rows + task.columns) * task.depth * t.bytes * task.products
    under_way = blocks * (t.rows + t.columns) * t.depth * t.bytes
    return once / min(MEMORY, max(1, units) * min(BANDWIDTH, under_way / FAR))
