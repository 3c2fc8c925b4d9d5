"""Traces as the executor records them: the records of runtime/tracing.cpp."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from tl2hip.prove.emulate.library import Run
from tl2hip.prove.machine.model.trace import Lanes, Step, Trace
from tl2hip.prove.machine.program import Program

STEP = np.dtype([
    ("at", "u4"), ("bytes", "u4"), ("lds", "u2"), ("lds_free", "u2"), ("requests", "u2"), ("lines", "u2"),
    ("used", "u2"), ("wave", "u1"), ("idle", "u1"),
])  # fmt: skip
SAMPLE = np.dtype([
    ("at", "u4"), ("bytes", "u4"), ("cost", "u4"), ("lds", "u4"), ("present", "u8"), ("address", "u8", 64),
])  # fmt: skip


MIDDLE = (1 << 64) - 1
"""Stands for the number of the block in the middle of a launch (runtime/tracing.cpp)."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The block that is traced, MIDDLE for the one in the middle; `kernel` is "" for any. `alone`: no other launch
    runs. With a `count`, the lines of so many blocks from there on are counted instead, of each wave in its first
    `steps` instructions (lines.py)."""

    kernel: str
    launch: int
    block: int
    alone: bool = False
    count: int = 0
    steps: int = 0


class Starved(ValueError):
    """A run that this machine has no memory for, or that takes it too long: another one may do it."""


class Traced(ctypes.Structure):
    """What was recorded."""

    _fields_ = [
        ("steps", ctypes.c_void_p), ("count", ctypes.c_uint32), ("kernel", ctypes.c_uint32),
        ("threads", ctypes.c_uint32), ("grid", ctypes.c_uint32 * 3), ("id", ctypes.c_uint32 * 3),
        ("ended", ctypes.c_uint8), ("too_long", ctypes.c_uint8), ("step_bytes", ctypes.c_uint16),
        ("sample_bytes", ctypes.c_uint16), ("sample_count", ctypes.c_uint32), ("samples", ctypes.c_void_p),
        ("no_room", ctypes.c_uint8), ("unsampled", ctypes.c_uint8),
    ]  # fmt: skip


def want(runtime: ctypes.CDLL, wanted: Wanted | None) -> None:
    """Say which block the next call traces. None: no one, and what was recorded stays."""
    runtime.tl2hip_trace.argtypes = [
        ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_bool, ctypes.c_uint64, ctypes.c_uint32,
    ]  # fmt: skip
    one = wanted or Wanted("", 0, 0)
    name = one.kernel.encode() if wanted else None
    runtime.tl2hip_trace(name, one.launch, one.block, one.alone, one.count, one.steps)


def read_trace(runtime: ctypes.CDLL, program: Program, run: Run) -> Trace:
    """What a run recorded. Raises ValueError where that is no whole block, Starved where this machine is why."""
    runtime.tl2hip_traced.restype = ctypes.POINTER(Traced)
    traced = runtime.tl2hip_traced().contents
    assert traced.step_bytes == STEP.itemsize, f"a step takes {STEP.itemsize} bytes here, {traced.step_bytes} there"
    assert traced.sample_bytes == SAMPLE.itemsize
    if traced.no_room:
        raise Starved("there is no memory for a trace")
    if traced.too_long:
        raise ValueError(f"the block executes more than the {traced.count:,} instructions that there is room for")
    if traced.unsampled:
        raise ValueError("the block executes more memory instructions than there is room for")
    check_ran(run, "that is traced")
    if not traced.ended:
        raise ValueError("the launcher does not launch that block of that kernel")
    raw = (ctypes.c_uint8 * (traced.count * STEP.itemsize)).from_address(traced.steps)
    steps = np.frombuffer(raw, STEP)
    waves = tuple(_steps(steps[steps["wave"] == wave]) for wave in range(-(-traced.threads // 64)))
    kernel = program.kernels[traced.kernel]
    return Trace(kernel, waves, _three(traced.id), _three(traced.grid), *_lanes(traced))


def check_ran(run: Run, what: str) -> None:
    """Raises ValueError where a run was given up, Starved where that was for its time."""
    for error in run.errors[:1]:
        raised = Starved if error.kind == "hang" else ValueError
        raise raised(f"the run {what} is given up: {error.message}")


def _lanes(traced: Traced) -> tuple[dict[int, Lanes], dict[int, Lanes]]:
    """Where the lanes of instructions went: in memory, and in LDS."""
    found: tuple[dict[int, Lanes], dict[int, Lanes]] = {}, {}
    raw = (ctypes.c_uint8 * (traced.sample_count * SAMPLE.itemsize)).from_address(traced.samples)
    for one in np.frombuffer(raw, SAMPLE):
        there = [bool(int(one["present"]) >> lane & 1) for lane in range(64)]
        least = min(int(at) for at, on in zip(one["address"], there, strict=True) if on) // 4 * 4
        offsets = tuple(int(at) - least if on else None for at, on in zip(one["address"], there, strict=True))
        found[int(one["lds"])][int(one["at"])] = Lanes(int(one["bytes"]), offsets)
    return found


def _three(numbers: ctypes.Array[ctypes.c_uint32]) -> tuple[int, int, int]:
    x, y, z = numbers
    return x, y, z


def _steps(records: np.ndarray[tuple[int], np.dtype[np.void]]) -> tuple[Step, ...]:
    """The steps of one wave; those that are alike are one object."""
    distinct, which = np.unique(records, return_inverse=True)
    made = [
        Step(int(at), int(lds), int(requests), int(lines), int(moved), bool(idle), int(free), int(used))
        for at, moved, lds, free, requests, lines, used, _, idle in distinct.tolist()
    ]
    return tuple(made[one] for one in which.tolist())
