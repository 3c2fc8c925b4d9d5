"""What a block executed: the instructions of each wave in their order, with what only execution knows of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tl2hip.prove.machine.program import Kernel


@dataclass(frozen=True, slots=True)
class Step:
    """One executed instruction: `at` is its index in the kernel's code.

    `lds` are the clocks that it takes LDS's banks, conflicts counted; `requests` and `lines` the pieces of 64 and
    of 128 bytes of global memory that its lanes touch; `bytes` what they move, in LDS or global memory; `idle`
    whether EXEC was 0. `lds_free` are the clocks that the banks would take without conflicts; `used` the bytes of
    global memory that lanes ask for, those of several lanes counted once.
    """

    at: int
    lds: int = 0
    requests: int = 0
    lines: int = 0
    bytes: int = 0
    idle: bool = False
    lds_free: int = 0
    used: int = 0


@dataclass(frozen=True, slots=True)
class Lanes:
    """Where the lanes of one access are, in bytes from the word in which the lowest of them begins; None for lanes
    that take no part. Each moves so many `bytes`."""

    bytes: int
    offsets: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """What one block of a kernel's launch executed, wave by wave.

    `block` is its index; `grid` says how many blocks there are along each axis. By instruction, `in_memory` and
    `in_lds` are where its lanes went the first of the times that it cost most; of two accesses the dearer one.
    """

    kernel: Kernel
    waves: tuple[tuple[Step, ...], ...]
    block: tuple[int, int, int] = (0, 0, 0)
    grid: tuple[int, int, int] = (1, 1, 1)
    in_memory: Mapping[int, Lanes] = field(default_factory=dict)
    in_lds: Mapping[int, Lanes] = field(default_factory=dict)

    @property
    def blocks(self) -> int:
        """Blocks of the launch."""
        x, y, z = self.grid
        return x * y * z

    @property
    def steps(self) -> int:
        """Instructions that all its waves executed."""
        return sum(map(len, self.waves))
