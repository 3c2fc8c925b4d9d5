"""What blocks that run at once share in L2: how much of what they read must come from behind it at least.

Workgroup i runs on XCD i mod 8 (ROCm blog on compute and memory modes), and each XCD has an L2 of its own, of 4 MiB
in lines of 128 bytes (AMD CDNA 3 white paper). The blocks that are there at once, in the middle of the launch, are
executed, and the lines that they read are counted: those of each block for itself are what blocks ask of L2, those
of all blocks of an XCD what must come from behind it, those of all XCDs what must come from HBM or the Infinity
Cache.

Blocks are taken as in step, L2 as ample for what they read meanwhile (a step of a product's sum takes much less),
and nothing as kept from the round before. It is a count of sets that tells orders of blocks apart; it is no hit
rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from tl2hip.plan.gfx942 import COMPUTE_UNITS
from tl2hip.prove.machine.model.settings import resident
from tl2hip.prove.machine.model.trace import Trace

if TYPE_CHECKING:
    from tl2hip.prove.emulate.library import Argument
    from tl2hip.prove.machine.library import MachineLibrary

XCDS = 8
"""Dies of a chip, each with an L2 of its own (AMD CDNA 3 white paper)."""
LINE = 128
"""Bytes of a line of L2 (AMD CDNA 3 white paper)."""
FABRIC = 1024
"""Bytes a clock that an XCD's L2 gets from behind it: 16 channels of 64 (AMD CDNA 3 white paper)."""
MOST_STEPS = 4_000_000
"""Instructions of all waves of a round from which on those of a block are cut: less than a second."""
LEAST_STEPS = 1000
"""Instructions of each wave that are executed in any case: some turns of a loop, and what comes before it."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of memory that a round's blocks read: by XCD, of each block for itself (`asked`) and of all its blocks
    together (`behind`); and of all blocks (`together`). `cut`: of some waves the first instructions only."""

    asked: tuple[int, ...]
    behind: tuple[int, ...]
    together: int
    cut: bool


@dataclass(frozen=True, slots=True)
class Shared:
    """What the `blocks` that are there at once share, in bytes a block: what one asks of L2, what comes from behind
    it, and what from behind all of them; at least, and for all that a block executes.

    `steps` is how many instructions of each wave were executed where they were cut, else 0: then these bytes are in
    proportion to the block's loads, and their shares are those of its beginning.
    """

    blocks: int
    asked: float
    behind: float
    beyond: float
    steps: int = 0

    @property
    def share(self) -> float:
        """The part of what blocks ask for that comes from behind L2."""
        return self.behind / self.asked

    @property
    def share_beyond(self) -> float:
        """The part of it that comes from HBM or the Infinity Cache."""
        return self.beyond / self.asked

    def a_clock(self, clocks_a_block: float) -> float:
        """Bytes a clock from behind the L2 of an XCD whose units take so many clocks for each of their blocks."""
        return self.behind * (COMPUTE_UNITS // XCDS) / clocks_a_block

    def data(self) -> dict[str, Any]:
        """As plain data, in bytes a block."""
        asked, behind, beyond = (round(one) for one in (self.asked, self.behind, self.beyond))
        return {"blocks": self.blocks, "asked": asked, "behind": behind, "beyond": beyond, "cut_at": self.steps}


def shared(
    library: MachineLibrary, launcher: str, args: Sequence[Argument], trace: Trace, *, alone: bool = False
) -> Shared | None:
    """What the blocks share of a kernel that a launcher's call launches, of which one was traced.

    None where there are fewer blocks than compute units, and where the blocks read nothing as far as they are
    executed. Raises what `MachineLibrary.lines` raises.
    """
    at_once = middle(trace)
    if at_once is None:
        return None
    steps = max(LEAST_STEPS, MOST_STEPS // (len(at_once) * len(trace.waves)))
    found = library.lines(launcher, args, trace.kernel.name, at_once, steps=steps, alone=alone)
    part = executed(trace, steps) if found.cut else 1.0
    if not sum(found.asked) or not part:
        return None
    each = LINE / len(at_once) / part
    asked, behind, beyond = (n * each for n in (sum(found.asked), sum(found.behind), found.together))
    return Shared(len(at_once), asked, behind, beyond, steps if found.cut else 0)


def middle(trace: Trace) -> range | None:
    """The blocks that are there at once in the middle of a launch: as many as registers and LDS allow, on all
    units. None where there are fewer blocks than units."""
    if trace.blocks < COMPUTE_UNITS:
        return None
    places = COMPUTE_UNITS * resident(trace.kernel, len(trace.waves))
    first = (-(-trace.blocks // places) - 1) // 2 * places
    return range(first, min(first + places, trace.blocks))


def executed(trace: Trace, steps: int) -> float:
    """The part of a block's requests to read that each wave's first instructions make."""
    reads = ["store" not in one.name for one in trace.kernel.code]
    first = sum(one.requests * reads[one.at] for wave in trace.waves for one in islice(wave, steps))
    return first / max(1, sum(one.requests * reads[one.at] for wave in trace.waves for one in wave))
