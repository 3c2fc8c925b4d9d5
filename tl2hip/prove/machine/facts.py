"""What the checks know of an instruction, and what a launch knows of a kernel: the records of runtime/launch.h."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from enum import IntEnum

from tl2hip.prove.machine.program import Operand, Scalar, Vector

MOST_READS, MOST_WRITES = 6, 3
NO_WAIT = 255


class File(IntEnum):
    """The registers that an instruction uses. MASK: a scalar pair, one bit a lane."""

    NO_FILE, VECTORS, SCALARS, MASK = range(4)


class Reach(IntEnum):
    """The lanes of its vector operands: those of EXEC, all, one that it names, none."""

    ACTIVE, EVERY, READS_ONE, WRITES_ONE, WAVE_WIDE = range(5)


class Flow(IntEnum):
    """Where its result is undefined, as in runtime/launch.h."""

    (ANY, BITS, AND, AND_NOT, NOT_AND, OR, OR_NOT, NOT_OR, SELECT_BITS, SELECT_LANES, ACROSS, CARRIES, PAIR,
     HALVES, LOADED, SCRATCH) = range(16)  # fmt: skip


class Use(ctypes.Structure):
    """Registers that are read or written."""

    _fields_ = [("first", ctypes.c_uint16), ("count", ctypes.c_uint8), ("file", ctypes.c_uint8)]


class Facts(ctypes.Structure):
    """What an instruction reads and writes, what counts it, what it waits for."""

    _fields_ = [
        ("reads", Use * MOST_READS), ("writes", Use * MOST_WRITES), ("counter", ctypes.c_uint8),
        ("reach", ctypes.c_uint8), ("waits", ctypes.c_uint8 * 2), ("flow", ctypes.c_uint8),
        ("needed", ctypes.c_uint8), ("reads_condition", ctypes.c_uint8), ("sets_condition", ctypes.c_uint8),
        ("scratch_bytes", ctypes.c_uint8), ("indexed", ctypes.c_uint8),
    ]  # fmt: skip


class Hidden(ctypes.Structure):
    """An argument that a launch fills in by itself."""

    _fields_ = [("kind", ctypes.c_uint32), ("offset", ctypes.c_uint32), ("bytes", ctypes.c_uint32)]


class KernelRecord(ctypes.Structure):
    """A kernel, for launches."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        *[(name, ctypes.c_void_p) for name in ("code", "facts", "hidden")],
        *[(name, ctypes.c_uint32) for name in (
            "hidden_count", "given_bytes", "arguments_bytes", "group_ids", "thread_ids", "rows",
            "accumulators", "lds", "most_threads", "scratch",
        )],
    ]  # fmt: skip


class ConstantRange(ctypes.Structure):
    """Addresses of constants of a program."""

    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


HIDDEN = (
    "hidden_block_count_x", "hidden_block_count_y", "hidden_block_count_z",
    "hidden_group_size_x", "hidden_group_size_y", "hidden_group_size_z",
    "hidden_remainder_x", "hidden_remainder_y", "hidden_remainder_z",
    "hidden_global_offset_x", "hidden_global_offset_y", "hidden_global_offset_z",
    "hidden_grid_dims",
)  # fmt: skip
"""Kinds of arguments that a launch fills in, in the order of runtime/launch.h."""

GIVEN = ("by_value", "global_buffer")
"""Kinds of arguments that a launch is given."""


def uses(operands: Iterable[Operand]) -> list[Use]:
    """The registers among operands."""
    found = []
    for operand in operands:
        value = operand.value
        if isinstance(value, Vector):
            found.append(Use(value.first, value.count, File.VECTORS))
        elif isinstance(value, Scalar):
            found.append(Use(value.first, value.count, File.SCALARS))
    return found


def fill(facts: Facts, reads: Iterable[Use], writes: Iterable[Use]) -> None:
    """Set what an instruction reads and writes."""
    for at, use in enumerate(reads):
        facts.reads[at] = use
    for at, use in enumerate(writes):
        facts.writes[at] = use
