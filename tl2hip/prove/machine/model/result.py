"""What the model says of a kernel: clocks, how busy units are, and where its waves wait.

It ranks kernels of one family; it does not tell time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from tl2hip.prove.machine.model.settings import Settings
from tl2hip.prove.machine.program import Kernel


class Cause(Enum):
    """Why a wave does not issue an instruction, in the words that are printed."""

    VMCNT = "vmcnt"
    LGKMCNT = "lgkmcnt"
    BARRIER = "barrier"
    MATRIX = "MFMA pipe"
    UNIT = "unit taken"
    DEPENDENCY = "dependency"
    PAUSE = "s_nop, s_sleep"
    BRANCH = "branch"


Waits = Mapping[Cause, float]
"""Wave-clocks by cause; a cause that never was is left out."""


@dataclass(frozen=True, slots=True)
class Place:
    """One instruction: its line in the assembly and in the HIP text (0 where not known), how often it was issued,
    and the wave-clocks that waves waited before it."""

    line: int
    source: int
    text: str
    issued: int
    waits: Waits

    @property
    def waited(self) -> float:
        """Wave-clocks by all causes."""
        return sum(self.waits.values())


@dataclass(frozen=True, slots=True)
class Busy:
    """The parts of some clocks in which units work: the four matrix units, the four vector units besides, LDS's
    banks, the memory's bandwidth. What the last instructions of a loop leave to do counts as done in it, up to
    1."""

    mfma: float
    valu: float
    lds: float
    memory: float


@dataclass(frozen=True, slots=True)
class LoopResult:
    """An innermost loop that was executed.

    `iterations` are those that all waves made back to its start, `clocks` how long one took on average (0 where
    none was made). `busy` is over the `window`, the clocks in which any wave was in the loop, and counts the loop's
    own instructions; `together` over those in which all waves were in it, None where they never were. `wave_clocks`
    are spent in it by all waves.
    """

    label: str
    line: int
    source: int
    iterations: int
    clocks: float
    window: float
    busy: Busy
    together: Busy | None
    waits: Waits
    wave_clocks: float
    places: tuple[Place, ...]

    def share(self, cause: Cause) -> float:
        """The part of the waves' clocks in the loop that they waited by a cause."""
        return self.waits.get(cause, 0.0) / self.wave_clocks if self.wave_clocks else 0.0


@dataclass(frozen=True, slots=True)
class Result:
    """What the model says of one kernel on one compute unit, at some settings.

    `resident` blocks were there at once, of `blocks` in all; the launch has `launched`. `clocks` is until the last
    one ended. `wave_clocks` are all that waves lived, `waits` the part of them that they waited.
    """

    kernel: Kernel
    settings: Settings
    resident: int
    blocks: int
    launched: int
    waves: int
    clocks: float
    busy: Busy
    waits: Waits
    wave_clocks: float
    loops: tuple[LoopResult, ...]
    places: tuple[Place, ...]

    @property
    def hot(self) -> LoopResult | None:
        """The loop in which waves spend most of their time."""
        return max(self.loops, key=lambda loop: loop.wave_clocks, default=None)

    @property
    def clocks_a_block(self) -> float:
        """Clocks of the compute unit for each block."""
        return self.clocks / self.blocks

    @property
    def work(self) -> float:
        """What candidates for one and the same task are ranked by, the less the better: the clocks of all blocks of
        the launch."""
        return self.clocks_a_block * self.launched

    def share(self, cause: Cause) -> float:
        """The part of the waves' clocks that they waited by a cause."""
        return self.waits.get(cause, 0.0) / self.wave_clocks

    def slowest(self, count: int = 5) -> tuple[Place, ...]:
        """The instructions that waves waited longest before."""
        return tuple(sorted(self.places, key=lambda place: (-place.waited, place.line))[:count])
