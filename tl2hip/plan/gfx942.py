"""The planner's facts about gfx942 (MI300X, MI300A, MI325X).

`prove/` states its own copy of what it checks; a test compares the two.
"""

from __future__ import annotations

WAVE = 64
"""Lanes of a wavefront (CDNA3 ISA guide: wave64 only)."""

LDS_BYTES = 65_536
"""LDS of a workgroup and of a compute unit (AMD CDNA 3 white paper)."""

MAX_THREADS = 1024
"""Threads of a workgroup (HIP's limit)."""

SIMDS = 4
"""SIMDs of a compute unit; the waves of a workgroup are dealt out over them (CDNA3 ISA guide)."""

REGISTERS = 512
"""32-bit vector registers of a lane on each SIMD, for all waves there and of both kinds (CDNA3 ISA guide)."""

REGISTER_STEP = 8
"""Registers are given to a wave in steps of so many (LLVM, AMDGPUUsage)."""

MAX_WAVES = 8
"""Waves that a SIMD holds at most (LLVM, AMDGPUUsage)."""

MAX_GRID_X = 1 << 20
"""Blocks along x. Our own cap: HIP wants blocks times threads below 2**32, and every loop over the grid is
strided, so more blocks than this bring nothing."""

MAX_GRID_YZ = 65_535
"""Blocks along y or z (HIP's limit)."""

COMPUTE_UNITS = 304
"""Compute units of an MI300X or MI325X, 38 of each of eight dies (AMD CDNA 3 white paper); an MI300A has 228."""

TOTAL_BLOCKS = 1024
"""Blocks that share a whole-array reduction: about three for each of the chip's 304 compute units, and few
enough for one block to add up what they leave."""

ACCESS_BYTES = 16
"""The widest global access of a lane (dwordx4)."""
