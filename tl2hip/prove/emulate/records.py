"""What the runtime and Python hand each other, in the layout of runtime/*."""

from __future__ import annotations

import ctypes


class Given(ctypes.Structure):
    """A buffer of the caller: its addresses, and whether it may be written."""

    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64), ("writable", ctypes.c_uint64)]


class Image(ctypes.Structure):
    """The address ranges of a library: its image and its LDS."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("image", "image_end", "lds", "lds_end")]


class Limit(ctypes.Structure):
    """Code of a library, and the block sizes that it was compiled for."""

    _fields_ = [
        ("low", ctypes.c_uint64), ("high", ctypes.c_uint64), ("least", ctypes.c_uint64), ("most", ctypes.c_uint64)
    ]  # fmt: skip


class FindingRecord(ctypes.Structure):
    """A finding of a run."""

    _fields_ = [
        ("kind", ctypes.c_uint32), ("severity", ctypes.c_uint32), ("site", ctypes.c_uint64),
        ("offset", ctypes.c_int64), ("place", ctypes.c_int), ("bytes", ctypes.c_uint32),
        ("thread", ctypes.c_uint32), ("other", ctypes.c_uint32), ("block", ctypes.c_uint32 * 3),
        ("write", ctypes.c_uint32), ("count", ctypes.c_uint64),
    ]  # fmt: skip


class Findings(ctypes.Structure):
    """All findings of a run."""

    _fields_ = [("count", ctypes.c_uint32), ("items", FindingRecord * 256)]


class Launched(ctypes.Structure):
    """How often a kernel was launched."""

    _fields_ = [("name", ctypes.c_char_p), ("count", ctypes.c_uint64)]


class Launches(ctypes.Structure):
    """All kernels that a run launched."""

    _fields_ = [("count", ctypes.c_uint32), ("items", Launched * 256)]


class Count(ctypes.Structure):
    """Sums over the counted accesses of one place."""

    _fields_ = [
        ("site", ctypes.c_uint64), ("bytes", ctypes.c_uint32), ("write", ctypes.c_uint32), ("lds", ctypes.c_uint32),
        ("instructions", ctypes.c_uint64), ("lanes", ctypes.c_uint64), ("cost", ctypes.c_uint64),
        ("ideal", ctypes.c_uint64), ("lines", ctypes.c_uint64),
    ]  # fmt: skip


class Counts(ctypes.Structure):
    """All counted places."""

    _fields_ = [("count", ctypes.c_uint32), ("dropped", ctypes.c_uint32), ("items", Count * 512)]
