"""What instructions cost on a compute unit of gfx942: the unit that takes them, for how long, how late results are.

Clocks are those of the compute unit; a slot is four of them: a SIMD has 16 lanes, and a wave 64 (CDNA3 ISA guide).
Sources: LLVM's `SISchedule.td`, the model SIDPGFX940FullSpeedModel (its numbers are slots); AMD's matrix
instruction calculator; the CDNA3 ISA guide; and those named at a figure. An instruction that is in no table is
refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from tl2hip.prove.machine.meanings import MEANINGS, control, matrix, memory
from tl2hip.prove.machine.meanings.memory import Counter
from tl2hip.prove.machine.program import Instruction, NotUnderstood

SLOT = 4
"""Clocks of a slot, in which a SIMD issues one instruction of each kind, from different waves (CDNA3 ISA guide)."""
SIMDS = 4
"""SIMDs of a compute unit (CDNA3 ISA guide)."""
WAVE_SLOTS = 8
"""Waves that a SIMD holds (LLVM, AMDGPUUsage; rocprofiler-compute)."""

LDS_LATENCY = 64
"""Clocks from the moment that LDS has served an access until its result may be used. An assumption of the size of
what is published of earlier units."""
LDS_PAIR = 64
"""Bytes a clock between LDS and two SIMDs. The banks give 128 to all (AMD CDNA 3 white paper); that a pair has half
of it to itself is an assumption."""
LANE_MOVE_CLOCKS, LANE_MOVE_BYTES = 2, 256
"""What a move between lanes takes of LDS's crossbar: as a conflict-free access of 32 bits. An assumption."""
ADDRESS_CLOCKS = 4
"""Clocks that an access of global memory takes at least: an assumption of 16 addresses a clock."""
REQUEST = 64
"""Bytes that a request moves, which is what coalescing is counted in."""
TAKEN_BRANCH = 8
"""Slots until a wave goes on after a branch that it takes (SISchedule.td, WriteBranch)."""
BARRIER = 4
"""Slots from the last wave's arrival at a barrier until waves go on. An assumption: vendor loops lose 20 to 30
clocks at a barrier, the skew of their waves counted."""
SLEEP = 16
"""Slots of a wave's sleep for each unit of `s_sleep` (CDNA3 ISA guide: about 64 clocks)."""
QUARTER = 4
"""Slots of an instruction of quarter rate (SISchedule.td)."""
AFTER_MATRIX = 3
"""Slots after a matrix instruction's passes in which its result may not be read yet (LLVM, GCNHazardRecognizer)."""
ALONE_AFTER_MATRIX = 2
"""Passes of a matrix instruction and so many slots pass before what never goes beneath it (LLVM pull request
233721)."""
MOST_OUTSTANDING = {"vmcnt": 63, "lgkmcnt": 15}
"""The most that a counter counts (CDNA3 ISA guide); one more waits."""

TRANSCENDENTAL = frozenset(
    "v_exp_f32 v_log_f32 v_exp_f16 v_log_f16 v_rcp_f32 v_rcp_iflag_f32 v_rcp_f64 v_rcp_f16 v_rsq_f32 v_rsq_f64 "
    "v_rsq_f16 v_sqrt_f32 v_sqrt_f64 v_sqrt_f16".split()
)
"""Of quarter rate (SISchedule.td, WriteTrans32 and WriteTrans64)."""

CONVERSIONS = frozenset(
    "v_cvt_f32_i32 v_cvt_f32_u32 v_cvt_i32_f32 v_cvt_u32_f32 v_cvt_f16_f32 v_cvt_f32_f16 v_cvt_rpi_i32_f32 "
    "v_cvt_flr_i32_f32".split()
)
"""Of quarter rate too (SISchedule.td, WriteFloatCvt; VOP1Instructions.td). LLVM doubts its own number."""

NEVER_BENEATH = frozenset(
    "v_pk_add_f32 v_pk_mul_f32 v_pk_fma_f32 v_pk_mov_b32 v_dot2_f32_f16 v_dot2c_f32_f16 v_dot2_i32_i16 "
    "v_dot2_u32_u16 v_dot4_i32_i8 v_dot4_u32_u8 v_dot8_i32_i4 v_dot8_u32_u4 v_dot2c_i32_i16 "
    "v_dot4c_i32_i8 v_dot8c_i32_i4".split()
)
"""What is never issued while the matrix unit works (LLVM pull request 233721, from traces of an MI308X)."""

PASSES = """
2   4x4x1_16b_f32 4x4x4_16b_f16 4x4x4_16b_bf16 4x4x4_16b_i8
4   16x16x16_f16 16x16x16_bf16 16x16x32_i8 16x16x8_xf32 4x4x4_4b_f64
4   16x16x32_fp8_fp8 16x16x32_fp8_bf8 16x16x32_bf8_fp8 16x16x32_bf8_bf8
8   32x32x8_f16 32x32x8_bf16 32x32x16_i8 32x32x4_xf32
8   32x32x16_fp8_fp8 32x32x16_fp8_bf8 32x32x16_bf8_fp8 32x32x16_bf8_bf8
8   16x16x4_f32 16x16x1_4b_f32 16x16x4_4b_f16 16x16x4_4b_bf16 16x16x4_4b_i8 16x16x4_f64
16  32x32x2_f32 32x32x1_2b_f32 32x32x4_2b_f16 32x32x4_2b_bf16 32x32x4_2b_i8
"""
"""Passes of each matrix instruction: slots between two of them on one SIMD (AMD's matrix instruction calculator,
cdna3; SISchedule.td, Write4PassMAI and so on, agrees)."""
PASSES_OF = {shape: int(line.split()[0]) for line in PASSES.strip().splitlines() for shape in line.split()[1:]}
"""The same by the shape and the types in the name of an instruction."""


class Unit(Enum):
    """What takes an instruction. ALONE is the vector unit, for what never goes beneath a matrix instruction; OWN is
    none: a wave does it by itself."""

    VALU, ALONE, MATRIX, SALU, VMEM, LDS, BRANCH, OWN = range(8)


@dataclass(frozen=True, slots=True)
class Cost:
    """What an instruction costs: its unit, for how many slots, and the slots until others may read its result.

    `holds_vector`: the vector unit takes nothing beside it. `counter` is what counts it until it is done.
    `transcendental`: whether it is one.
    """

    unit: Unit
    slots: int = 1
    late: int = 1
    holds_vector: bool = False
    counter: Counter = Counter.UNCOUNTED
    transcendental: bool = False


def _matrix_costs() -> dict[str, Cost]:
    costs = {}
    for name in matrix.FORMS:
        shape = name.split("_", 3)[3]
        alone = shape.endswith(("_f32", "_f64"))
        costs[name] = Cost(Unit.MATRIX, PASSES_OF[shape], PASSES_OF[shape] + AFTER_MATRIX + 1, alone)
    return costs


def _arithmetic_cost(name: str) -> Cost:
    if name.startswith("s_"):
        return Cost(Unit.SALU)
    if name in TRANSCENDENTAL:
        return Cost(Unit.ALONE, QUARTER, QUARTER, transcendental=True)
    if name in CONVERSIONS:
        return Cost(Unit.VALU, QUARTER, QUARTER)
    return Cost(Unit.ALONE if name in NEVER_BENEATH else Unit.VALU)


def _memory_cost(form: memory.Form) -> Cost:
    units = {"ds": Unit.LDS, "s": Unit.SALU}
    return Cost(units.get(form.family, Unit.VMEM), counter=form.counter)


def _control_cost(name: str) -> Cost:
    if name in control.BRANCHES:
        return Cost(Unit.BRANCH)
    return Cost(Unit.SALU if name == control.PROGRAM_COUNTER else Unit.OWN)


COSTS: Mapping[str, Cost] = {
    **{name: _control_cost(name) for name in control.NAMES},
    **{name: _arithmetic_cost(name) for name in MEANINGS},
    **{name: _memory_cost(form) for name, form in memory.FORMS.items()},
    **_matrix_costs(),
}
"""The cost of every instruction, by the name of the executor's function. One that LLVM gives no slower class takes
the vector or the scalar unit for one slot (SISchedule.td, Write32Bit, WriteDouble, WriteIntMul, WriteSALU)."""


def cost(instruction: Instruction) -> Cost:
    """The cost of an instruction. Raises NotUnderstood for one that is in no table."""
    name = f"{instruction.name}_lds" if "lds" in instruction.modifiers else instruction.name
    if name not in COSTS:
        raise NotUnderstood(f"what the instruction {instruction.name} costs", instruction.line, instruction.text)
    return COSTS[name]
