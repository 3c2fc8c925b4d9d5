"""Lines of memory that the blocks of a round read, as the executor counts them (runtime/lines.cpp)."""

from __future__ import annotations

import ctypes

from tl2hip.prove.emulate.library import Run
from tl2hip.prove.machine.model.shared import XCDS, Lines
from tl2hip.prove.machine.tracing import Starved, check_ran


class _Round(ctypes.Structure):
    _fields_ = [
        ("asked", ctypes.c_uint64 * XCDS), ("behind", ctypes.c_uint64 * XCDS), ("all", ctypes.c_uint64),
        ("ended", ctypes.c_uint8), ("cut", ctypes.c_uint8), ("no_room", ctypes.c_uint8),
        ("bytes", ctypes.c_uint32),
    ]  # fmt: skip


def read_lines_of(runtime: ctypes.CDLL, run: Run) -> Lines:
    """What a run counted. Raises ValueError where that is no whole round, Starved where this machine is why."""
    runtime.tl2hip_round.restype = ctypes.POINTER(_Round)
    found = runtime.tl2hip_round().contents
    own = ctypes.sizeof(_Round)
    assert found.bytes == own, f"a round takes {own} bytes here, {found.bytes} there"
    if found.no_room:
        raise Starved("there is no memory to count lines")
    check_ran(run, "whose lines are counted")
    if not found.ended:
        raise ValueError("the launcher does not launch those blocks of that kernel")
    return Lines(tuple(found.asked), tuple(found.behind), found.all, bool(found.cut))
