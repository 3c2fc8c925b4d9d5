"""Instructions that say how a wave goes on: branches, waits, barriers, the end. runtime/run.cpp does them."""

from __future__ import annotations

BRANCHES = (
    "s_branch", "s_cbranch_scc0", "s_cbranch_scc1", "s_cbranch_vccz", "s_cbranch_vccnz", "s_cbranch_execz",
    "s_cbranch_execnz",
)  # fmt: skip
"""One operand, a label."""

PLAIN = ("s_barrier", "s_endpgm", "s_waitcnt")
"""No operand."""

NUMBERED = ("s_nop", "s_sleep", "s_setprio")
"""One operand, a number; it is a matter of time alone."""

PROGRAM_COUNTER = "s_getpc_b64"

INDEX_ON, INDEX_OFF = "s_set_gpr_idx_on", "s_set_gpr_idx_off"
"""Between them registers of moves are counted from M0, which the first one sets: elements of an array in registers.
It has a scalar and the operands that are meant."""
INDEXED = {"v_mov_b32": "v_mov_b32_indexed"}
"""What may stand between them, and its function there."""
INDEXES = {"gpr_idx(SRC0)": 1, "gpr_idx(DST)": 8, "gpr_idx(SRC0,DST)": 9}
"""The bits of the operands that are meant (CDNA 3 ISA guide, S_SET_GPR_IDX_ON)."""

NAMES = (*BRANCHES, *PLAIN, *NUMBERED, PROGRAM_COUNTER, INDEX_ON, INDEX_OFF, *INDEXED.values())
"""All of them, which are the names of their functions."""

VCC_BRANCHES = ("s_cbranch_vccz", "s_cbranch_vccnz")
SCC_BRANCHES = ("s_cbranch_scc0", "s_cbranch_scc1")
