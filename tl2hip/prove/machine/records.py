"""The executor's records as ctypes structures, in the layout of runtime/machine.h."""

from __future__ import annotations

import ctypes
from enum import IntEnum, IntFlag

WAVE, SCALARS, ROWS = 64, 128, 512


class Kind(IntEnum):
    """Where an operand is."""

    NOTHING, ROW, SCALAR, CONSTANT, CONDITION = range(5)


class Change(IntFlag):
    """What is done to a whole operand on the way in."""

    NEGATE, ABSOLUTE, EXTEND = 1, 2, 4


class Pick(IntEnum):
    """The part of a register that an SDWA operand is."""

    DWORD, BYTE_0, BYTE_1, BYTE_2, BYTE_3, WORD_0, WORD_1 = range(7)


class Halves(IntFlag):
    """Of the two halves of a packed operand: where each is read from, and which is negated."""

    LOW_FROM_HIGH, HIGH_FROM_HIGH, NEGATE_LOW, NEGATE_HIGH = 1, 2, 4, 8


class Dpp(IntEnum):
    """How lanes are permuted."""

    (NO_DPP, QUAD_PERM, ROW_SHL, ROW_SHR, ROW_ROR, ROW_MIRROR, ROW_HALF_MIRROR, ROW_BCAST, WAVE_SHL, WAVE_SHR,
     WAVE_ROL, WAVE_ROR, ROW_NEWBCAST) = range(13)  # fmt: skip


class Unused(IntEnum):
    """What becomes of the rest of a register of which a part is written."""

    PAD, SEXT, PRESERVE = range(3)


class Source(ctypes.Structure):
    """An operand."""

    _fields_ = [
        ("kind", ctypes.c_uint8), ("change", ctypes.c_uint8), ("pick", ctypes.c_uint8), ("halves", ctypes.c_uint8),
        ("first", ctypes.c_uint16), ("count", ctypes.c_uint16), ("bits", ctypes.c_uint64),
    ]  # fmt: skip


class Code(ctypes.Structure):
    """An instruction."""

    _fields_ = [
        ("run", ctypes.c_void_p),
        *[(name, Source) for name in "deabc"],
        ("offset", ctypes.c_int32), ("offset1", ctypes.c_int32), ("target", ctypes.c_uint32),
        *[(name, ctypes.c_uint8) for name in ("clamp", "scale", "pick", "unused", "dpp", "dpp_number")],
        *[(name, ctypes.c_uint8) for name in ("row_mask", "bank_mask", "bound_control")],
        ("quad", ctypes.c_uint8 * 4), ("high", ctypes.c_uint8),
        ("site", ctypes.c_uint32),
    ]  # fmt: skip


class Wave(ctypes.Structure):
    """The state of a wave."""

    _fields_ = [
        ("s", ctypes.c_uint32 * SCALARS), ("v", ctypes.c_uint32 * WAVE * ROWS), ("at", ctypes.c_uint32),
        ("number", ctypes.c_uint32), ("scc", ctypes.c_uint8), ("state", ctypes.c_uint8),
        ("lds_bytes", ctypes.c_uint32),
    ]  # fmt: skip
