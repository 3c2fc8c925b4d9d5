"""What the model does not know and is told: how late and how fast memory is, and how many blocks run."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.prove.machine.model.facts import WAVE_SLOTS
from tl2hip.prove.machine.program import Kernel

MOST_ROUNDS = 8
ENOUGH_STEPS = 32_768
"""Executed instructions from which one more round of blocks tells nothing new."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of one run of the model, of one compute unit.

    `latency` is the clocks from the moment that a request has had its share of the bandwidth until its data is
    there; `bandwidth` the bytes a clock. `scalar_latency` is that of scalar loads, an L2 hit.
    `transcendental_overlaps`: whether a transcendental goes beneath a matrix instruction, which is contested
    (LLVM's isNeverCoissue says no, the order of AMD's own attention kernels yes).
    """

    latency: int = 200
    bandwidth: float = 54.0
    scalar_latency: int = 200
    transcendental_overlaps: bool = False

    def __post_init__(self) -> None:
        if self.latency < 0 or self.scalar_latency < 0 or self.bandwidth <= 0:
            raise ValueError("a latency is not negative, and a bandwidth is more than nothing")

    def __str__(self) -> str:
        return f"latency {self.latency} clk, {self.bandwidth:g} B/clk"


STANDARD = (Settings(200, 54.0), Settings(600, 54.0), Settings(700, 27.0))
"""Memory as the cache L2 with its share of a die's 2,048 bytes a clock (38 units), as what lies behind it, and as
that with half the bytes. What holds at all three may be acted on."""

STREAMING = Settings(1000, 6.6)
"""HBM, for kernels whose data is in no cache: 4.2 TB/s as copies reach it (ROCm blog on compute and memory modes),
over 304 units at 2.1 GHz."""

REGISTERS, REGISTER_STEP = 512, 8
"""Vector registers of a SIMD for a lane, and the steps they are given in (LLVM, AMDGPUUsage)."""
LDS_BYTES, LDS_STEP = 65_536, 512
"""LDS of a compute unit (AMD CDNA 3 white paper), and the steps it is given in (LLVM, AMDGPUUsage)."""


def resident(kernel: Kernel, waves: int) -> int:
    """How many blocks of so many waves a compute unit holds at once, by registers and LDS.

    Raises ValueError where not even one fits.
    """
    accumulators = -(-kernel.vgprs // 4) * 4 + kernel.agprs if kernel.agprs else kernel.vgprs
    stepped = max(1, -(-accumulators // REGISTER_STEP)) * REGISTER_STEP
    of_simd = min(WAVE_SLOTS, REGISTERS // stepped)
    # The waves of a block are dealt out one SIMD after the other.
    blocks = of_simd * 4 // waves if waves % 4 == 0 or waves < 4 else of_simd // -(-waves // 4)
    if kernel.lds:
        blocks = min(blocks, LDS_BYTES // (-(-kernel.lds // LDS_STEP) * LDS_STEP))
    if not blocks:
        raise ValueError(f"a block of {kernel.name} needs more registers or LDS than a compute unit has")
    return blocks


def rounds(steps: int) -> int:
    """How often each place of a block is filled again, where blocks are short: so that starts and ends weigh
    little.

    >>> rounds(100_000), rounds(5_000), rounds(10)
    (1, 7, 8)
    """
    return max(1, min(MOST_ROUNDS, -(-ENOUGH_STEPS // max(1, steps))))
