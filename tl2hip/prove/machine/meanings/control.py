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

NAMES = (*BRANCHES, *PLAIN, *NUMBERED, PROGRAM_COUNTER)
"""All of them, which are the names of their functions."""

VCC_BRANCHES = ("s_cbranch_vccz", "s_cbranch_vccnz")
SCC_BRANCHES = ("s_cbranch_scc0", "s_cbranch_scc1")
