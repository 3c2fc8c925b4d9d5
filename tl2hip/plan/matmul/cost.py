"""Which tiles suit a product: what it takes with each of them, and in how many slices of its sum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import prod

from tl2hip.nest.index import value_of
from tl2hip.nest.ir import Axis
from tl2hip.plan.gfx942 import COMPUTE_UNITS, SIMDS
from tl2hip.plan.matmul.find import MatrixProduct
from tl2hip.plan.matmul.tile import MOST_TOGETHER, Tile

ROWS = (128, 256)
"""Bytes of a tile along the summed axis where the user says nothing: one pass over all LDS banks, or two."""

SMALL = 64 * 64
"""Elements of a tile of the result that may be deep: that saves starts of steps, which are short here."""

LARGE = 3 << 10
"""What an extent counts as that is not known before the kernel runs."""

GROUP_ROWS = 384
"""Rows that a group counts as where groups are of any length: three tiles of 128, or one and a half of 256."""

FEW_ROWS = 32
"""Rows that groups have on average from which on they are worth the tile for many."""

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

MOST_ON_A_UNIT = 4
"""Blocks of a compute unit that share sums, at most."""

LAUNCH = 5000
"""Clocks until a second launch is under way: two or three microseconds (an estimate)."""

BEHIND, ALONE, SHORT = 0.2, 0.1, 1.0
"""How much longer it takes where fragments are not read ahead, where a block that turns a factor is alone on a
compute unit, and where waves take turns in a sum of one step or two."""

VECTOR, VECTOR_RATE = 1.5, SIMDS * 16
"""How much longer it takes for each clock that vector instructions take of one of the matrix units (seen in the
model), and lanes of them a clock."""

COMPUTING = 24
"""Registers of a lane more for a factor that is computed on its way (seen in compiled kernels)."""


def tiles(p: MatrixProduct, task: Task | None = None) -> tuple[Tile, ...]:
    """The tiles that the marks allow, those that fit first, the best of them first of all; none where there is no
    such matrix instruction. `task`: what they are to suit, else the product's own."""
    mfma = p.instruction(instruction_size(p))
    if mfma is None:
        return ()
    given, task = p.over.axis.tile, task or task_of(p)
    depths = tuple(row // p.left.dtype.bytes for row in ROWS) if given is None else (given,)
    if p.block and given is None:
        depths = (p.block,)
    stages = p.over.axis.mark("stages") or 2
    sizes, waves = (_sizes(p.rows.tile), _sizes(p.columns.tile)), (_waves(p.rows), _waves(p.columns))
    beside = COMPUTING * sum(o.value is not None for o in p.factors)
    like = tuple(Tile(0, 0, d, 1, 1, mfma, stages, p.pads, p.together, beside, p.block) for d in depths)
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
        if down * across <= MOST_TOGETHER and (one is like[0] or rows * columns * one.results <= SMALL)
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
    LDS. `work`: vector instructions that an element of the left and of a right factor takes there. `slices`: how
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
    said = p.over.axis.mark("split") or (1 if p.shaped or p.whole else None)
    if p.ragged is not None:
        m, products = GROUP_ROWS, products * (value_of(p.ragged.group.stop) or LARGE // GROUP_ROWS)
    work = p.left.work, sum(o.work for o in p.rights) // len(p.rights)
    return Task(m, n, k, any(o.along == "axis" for o in p.factors), work, products, said)


def slices(t: Tile, task: Task) -> int:
    """How many blocks share the sum of a tile: what the user says, else several where that takes less time."""
    many = most_slices(t, task)
    return many if task.slices or (many > 1 and cost(t, task, many) < cost(t, task, 1)) else 1


def most_slices(t: Tile, task: Task) -> int:
    """How many blocks share the sum of a tile: as the user says, else as many as leave no compute unit idle; no
    more than there are steps."""
    wanted = task.slices or most_blocks(t) // max(1, task.tiles(t))
    return max(1, min(wanted, -(-task.depth // t.depth)))


def most_blocks(t: Tile) -> int:
    """Blocks that share sums where tiles are few: one for each compute unit, of small tiles several, which have too
    little of memory under way."""
    return COMPUTE_UNITS * max(1, min(MOST_ON_A_UNIT, t.blocks, SMALL // (t.rows * t.width)))


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
    most = max(1, -(-task.tiles(t) * slices // COMPUTE_UNITS))  # a result without elements is one for any tile
    blocks = min(t.blocks, most)
    rate = t.mfma.macs * SIMDS / t.mfma.clocks
    wanted = rate * t.bytes
    wave = t.down / t.rows + t.across / t.width
    block = 1 / t.rows + 1 / t.width
    lds = wanted * (wave + block) / 128
    l2 = wanted * block * 38 / 2048
    waves = blocks * t.down * t.across / SIMDS
    slower = max(1.0, lds, l2) + 0.5 * min(1.0, lds) + 0.2 * min(1.0, l2) + 0.3 / waves
    steps = max(1, -(-task.depth // (t.depth * slices)))
    step = t.rows * t.width * t.depth / rate
    ends = LATENCY + t.rows * t.width * t.mfma.result.bytes / BANDWIDTH
    slower += STEP / step + ends / (steps * step * blocks)
    # Sums of one step or two have no turns to take, and the compiler finds too few registers for them.
    slower += BEHIND if t.turns == "plain" else SHORT if t.turns == "ping-pong" and steps < 3 else 0
    slower += ALONE if task.turned and blocks == 1 else 0
    slower += VECTOR * rate / VECTOR_RATE * (task.work[0] / t.width + task.work[1] / t.rows)
    busy = most * steps * step * slower * max(1.0, 1 / waves)
    partial = task.rows * task.columns * t.results * task.products * t.mfma.result.bytes
    again = LAUNCH + 2 * slices * partial / CACHE if slices > 1 else 0
    streamed = _streamed(t, task, min(COMPUTE_UNITS, task.tiles(t) * slices), blocks)
    return max(busy, streamed) + min(busy, streamed) / 8 + again


def _streamed(t: Tile, task: Task, units: int, blocks: int) -> float:
    """Clocks until both factors are read once from memory by so many compute units of so many blocks. What tiles
    read again comes from the caches: sooner, but it takes its part of what is under way."""
    once = (task.rows + task.columns * t.results) * task.products
    part = min(1.0, once / max(1, task.tiles(t) * (t.rows + t.width)))
    under_way = blocks * (t.rows + t.width) * t.depth * t.bytes * part
    latency = FAR * part + LATENCY * (1 - part)
    return once * task.depth * t.bytes / min(MEMORY, max(1, units) * min(BANDWIDTH, under_way / latency))
