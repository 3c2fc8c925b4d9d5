"""The emulated compute unit: printed HIP compiled for this host, its launchers called on guarded arrays."""

from __future__ import annotations

import _ctypes
import ctypes
import platform
import re
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tl2hip.hip.origins import Origins, UserLine
from tl2hip.prove.compiler import compile_host
from tl2hip.prove.emulate.elf import sections
from tl2hip.prove.emulate.findings import (
    GUARD,
    KINDS,
    LAUNCHER,
    SEVERITIES,
    BankConflicts,
    Coalescing,
    Finding,
    other_party,
    where,
)
from tl2hip.prove.emulate.inlined import Calls, read_calls
from tl2hip.prove.emulate.lines import LineTable, read_lines
from tl2hip.prove.emulate.memory import Array, Buffer, Memory
from tl2hip.prove.emulate.records import Counts, FindingRecord, Findings, Given, Image, Launches, Limit

RUNTIME = Path(__file__).parent / "runtime"

RUNTIME_FLAGS = ("-O2", "-fvectorize", "-fslp-vectorize", "-fvisibility=hidden", "-Wno-unused-function")
PLAIN_FLAGS = ("-O2",)
QUICK_FLAGS = ("-O0",)  # a fifth of the time to compile
DETECT_FLAGS = (
    "-O2", "-fsanitize=thread", "-mllvm", "-tsan-instrument-read-before-write=1",
    "-mllvm", "-tsan-instrument-func-entry-exit=0",
    "-fsanitize=signed-integer-overflow,shift-exponent,integer-divide-by-zero,bounds",
    "-gdwarf-4", "-gline-tables-only",
)  # fmt: skip

NO_BOUND = (1 << 64) - 1
"""More calls than a launcher can make."""

_LOCK = threading.Lock()  # one block, one unit: calls are one at a time

Argument = Array | Buffer | np.generic | Any  # Any: an instance of a simple ctypes type


class UnsupportedHost(Exception):
    """The emulated compute unit does not run on this machine; the text says why."""


class LoadError(Exception):
    """A compiled text could not be loaded: it uses a name that neither HIP's header nor the C library has."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one call of a launcher gave.

    `status` is the launcher's hipError_t (719 when the run was given up at a finding). `launches` counts the
    launches of each kernel by its name in the text, in the order of the first ones. `dropped` counts accesses at
    places past the counters' table.
    """

    status: int
    findings: tuple[Finding, ...]
    launches: dict[str, int]
    bank_conflicts: tuple[BankConflicts, ...]
    coalescing: tuple[Coalescing, ...]
    dropped: int = 0

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "error")


class Emulator:
    """Makes libraries for the emulated compute unit out of HIP texts."""

    @staticmethod
    def load(
        text: str, *, detect: bool = True, quick: bool = False, origins: Origins | None = None
    ) -> Library:
        """The library of a HIP text.

        `detect` finds races and out-of-range accesses and counts; without it runs are several times faster and
        give values, guard zones and crashes only. `quick` compiles a text without detectors as it stands, not
        optimised: for many short runs. `origins` let findings tell the user's lines.

        Raises UnsupportedHost, MissingCompiler, CompileError (a text that is not legal HIP) and LoadError.
        """
        flags = DETECT_FLAGS if detect else QUICK_FLAGS if quick else PLAIN_FLAGS
        return Library(text, flags, detect, origins)


class Library:
    """A HIP text, compiled for the host and loaded. Calls are one at a time per process."""

    def __init__(self, text: str, flags: Sequence[str], detect: bool, origins: Origins | None = None) -> None:
        self._runtime, runtime_path = self._load_runtime()
        self._text = text.splitlines()
        self._detect = detect
        self._origins = origins
        self._path = compile_host(text, flags, [runtime_path])
        self._lines: LineTable | None = None
        self._calls: Calls | None = None
        self._limits = _thread_limits(self._path)
        try:
            self._library = ctypes.CDLL(str(self._path))
        except OSError as error:
            raise LoadError(str(error)) from error

    def _load_runtime(self) -> tuple[ctypes.CDLL, Path]:
        """What runs kernels, and its file to link against."""
        return _runtime()

    def _prepare(self) -> None:
        """Tell the runtime what it must know of this library's kernels before a call."""
        self._runtime.tl2hip_limits(self._limits, len(self._limits))

    def _release(self) -> None:
        """Take from the runtime what it must not know of after a call."""

    def close(self) -> None:
        """Unload the library; it cannot be called afterwards."""
        _ctypes.dlclose(self._library._handle)

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, launcher: str, args: Sequence[Argument], *, seconds: int = 60, calls: int | None = None) -> Run:
        """Run `extern "C" hipError_t launcher(args…, hipStream_t)`.

        Arrays (or Buffers) become pointers to guarded copies and are updated in place afterwards; scalars are NumPy
        scalars or ctypes values of the parameter's C type. A run of more than `seconds` of processor time, or one
        that makes more than so many `calls` to HIP's functions, is given up with the finding `hang`. Raises
        AttributeError when there is no such launcher, TypeError for any other argument.
        """
        function = ctypes.cast(getattr(self._library, launcher), ctypes.c_void_p)
        image = ctypes.byref(Image.in_dll(self._library, "tl2hip_library"))
        bounds = seconds, NO_BOUND if calls is None else calls
        with _LOCK:
            memory = Memory(_buffers(args))
            regions = memory.regions
            given = (Given * max(1, len(regions)))()
            for slot, region in zip(given, regions, strict=False):
                slot.low, slot.high, slot.writable = region.home, region.home + region.size, region.writable
            passed = [_pass(arg, memory) for arg in args]
            self._prepare()
            try:
                if not self._runtime.tl2hip_begin(function, image, given, len(regions), self._detect, *bounds):
                    raise TypeError(f"{len(regions)} arrays are more than the emulated compute unit takes")
                try:
                    status = int(self._runtime["tl2hip_call"](*passed, ctypes.c_void_p(0)))
                finally:
                    self._runtime.tl2hip_end()
            finally:
                self._release()
            findings = [*self._findings(memory), *self._broken_guards(memory)]
            return Run(status, tuple(findings), self._launches(), *self._counts())

    def value(self, function: str, args: Sequence[Any]) -> int:
        """The size_t that a host function of the text gives, e.g. the bytes of workspace it asks for."""
        found = getattr(self._library, function)
        found.restype = ctypes.c_size_t
        return int(found(*(_scalar(arg) for arg in args)))

    def _line(self, site: int) -> tuple[int, str]:
        """Line number and text of a site, (0, "") when unknown."""
        if self._lines is None:
            self._lines = read_lines(self._path)
        number = self._lines.line(site) if site else 0
        return number, self._text[number - 1] if 0 < number <= len(self._text) else ""

    def _user(self, line: int) -> UserLine | None:
        """The user's line that a line of the text is from."""
        return self._origins.of(line) if self._origins else None

    def _kernel_line(self, site: int, line: int) -> int:
        """The line of the kernel that a site is called from, where its line is a helper's and that is known."""
        if not site or self._user(line):
            return line
        if self._calls is None:
            self._calls = read_calls(self._path)
        return next((call for call in self._calls.lines(site) if self._user(call)), line)

    def _findings(self, memory: Memory) -> list[Finding]:
        raw = self._runtime.tl2hip_findings().contents
        return [self._finding(item, memory) for item in raw.items[: raw.count]]

    def _finding(self, item: FindingRecord, memory: Memory) -> Finding:
        line, text = self._line(item.site)
        region = memory.regions[item.place] if item.place >= 0 else None
        argument = region.argument if region else -1 if item.place == -1 else None
        place = where(argument, item.offset, region.size if region else 0)
        kernel_line = self._kernel_line(item.site, line)
        return Finding(
            KINDS[item.kind],
            SEVERITIES[item.severity],
            _message(item, place),
            line,
            text,
            argument,
            item.offset,
            item.bytes,
            tuple(item.block),
            item.thread,
            item.count,
            kernel_line=kernel_line,
            user=self._user(kernel_line),
        )

    def _broken_guards(self, memory: Memory) -> list[Finding]:
        found = []
        sizes = {region.argument: region.size for region in memory.regions}
        for argument, offset in memory.finish():
            message = f"the launcher wrote {where(argument, offset, sizes[argument])}"
            found.append(Finding(GUARD, "error", message, 0, "", argument, offset, 1, (0, 0, 0), 0, 1))
        return found

    def _launches(self) -> dict[str, int]:
        raw = self._runtime.tl2hip_launches().contents
        return {item.name.decode(): item.count for item in raw.items[: raw.count]}

    def _counts(self) -> tuple[tuple[BankConflicts, ...], tuple[Coalescing, ...], int]:
        raw = self._runtime.tl2hip_counts().contents
        banks, memory = [], []
        for item in raw.items[: raw.count]:
            if not item.ideal:
                continue
            head = (*self._line(item.site), bool(item.write), item.bytes, item.instructions, item.cost, item.ideal)
            if item.lds:
                banks.append(BankConflicts(*head))
            else:
                memory.append(Coalescing(*head, item.lines))
        return tuple(sorted(banks, key=_by_line)), tuple(sorted(memory, key=_by_line)), raw.dropped


def _by_line(count: BankConflicts | Coalescing) -> tuple[int, bool, int]:
    return count.line, count.store, count.bytes


def unsupported() -> str | None:
    """Why this machine cannot run the emulated compute unit, None when it can."""
    if not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "AMD64"):
        return f"it needs Linux on x86-64; this is {sys.platform} on {platform.machine()}"
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        return None
    missing = [flag for flag in ("avx2", "fma", "f16c", "bmi2") if flag not in flags]
    return f"the processor lacks {', '.join(missing)}" if missing else None


@lru_cache(maxsize=1)
def _runtime() -> tuple[ctypes.CDLL, Path]:
    """The runtime, compiled and loaded once per process, and its file to link against."""
    if why := unsupported():
        raise UnsupportedHost(f"the emulated compute unit cannot run here: {why}")
    load_mathematics()
    path = compile_host(_runtime_text(), RUNTIME_FLAGS, soname="tl2hip-runtime.so")
    runtime = ctypes.CDLL(str(path))
    declare(runtime)
    return runtime, path


def declare(runtime: ctypes.CDLL) -> None:
    """Say what the runtime's functions take and give."""
    runtime.tl2hip_begin.argtypes = [
        *[ctypes.c_void_p] * 3, ctypes.c_uint32, ctypes.c_bool, ctypes.c_uint32, ctypes.c_uint64
    ]  # fmt: skip
    runtime.tl2hip_begin.restype = ctypes.c_bool
    runtime.tl2hip_limits.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    runtime.tl2hip_launches.restype = ctypes.POINTER(Launches)
    runtime.tl2hip_findings.restype = ctypes.POINTER(Findings)
    runtime.tl2hip_counts.restype = ctypes.POINTER(Counts)


def load_mathematics() -> None:
    """Make `expf` and the like known to texts; some C libraries hold them without a library of their own."""
    try:
        ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return


def _thread_limits(path: Path) -> ctypes.Array[Limit]:
    """The block sizes that each kernel is compiled for; host.h writes them into the names of code sections."""
    found = []
    for part in sections(path.read_bytes()):
        if match := re.fullmatch(r"tl2hip_threads_(\d+)_(\d+)", part.name):
            found.append(Limit(part.address, part.address + part.size, int(match[1]), int(match[2])))
    return (Limit * len(found))(*found)


def _runtime_text() -> str:
    """All sources of the runtime as one text, so that the cache's key covers them."""
    parts = [(RUNTIME / "runtime.h").read_text()]
    for path in sorted(RUNTIME.glob("*.cpp")):
        parts.append(path.read_text().replace('#include "runtime.h"', ""))
    return "\n".join(parts).replace("#pragma once", "")


def _buffers(args: Sequence[Argument]) -> list[tuple[int, Buffer]]:
    """The arrays among the arguments, with their positions."""
    found = []
    for position, arg in enumerate(args):
        if isinstance(arg, Buffer):
            found.append((position, arg))
        elif isinstance(arg, np.ndarray):
            found.append((position, Buffer(arg)))
    return found


def _pass(arg: Argument, memory: Memory) -> Any:
    if isinstance(arg, Buffer):
        return ctypes.c_void_p(memory.address(arg.array))
    if isinstance(arg, np.ndarray):
        return ctypes.c_void_p(memory.address(arg))
    return _scalar(arg)


def _scalar(arg: Any) -> Any:
    """A C value from a ctypes or NumPy scalar; 16-bit floats ride in the low half of a float register."""
    if isinstance(arg, ctypes._SimpleCData):
        return arg
    if not isinstance(arg, np.generic):
        raise TypeError(f"{arg!r} does not say its C type: pass a NumPy scalar or a ctypes value")
    if arg.dtype.kind in "fV" and arg.dtype.itemsize == 2:
        return ctypes.c_float.from_buffer_copy(arg.tobytes() + b"\0\0")
    if arg.dtype.itemsize == 1 and arg.dtype.kind in "fV":
        return ctypes.c_uint8(arg.tobytes()[0])
    dtype: Any = arg.dtype
    return np.ctypeslib.as_ctypes_type(dtype)(arg.item())


def _message(item: Any, place: str) -> str:
    """What a finding says, in one clause."""
    verb = "writes" if item.write else "reads"
    who = f"thread {item.thread} of block {tuple(item.block)}"
    kind = KINDS[item.kind]
    if kind == "race":
        return f"{who} {verb} {place} with no barrier after {other_party(item.other)}"
    if kind in ("out_of_bounds", "read_only_written"):
        return f"{who} {verb} {item.bytes} bytes {'at ' if place.startswith(('byte', 'address')) else ''}{place}"
    if kind == "lds_uninitialised":
        return f"{who} reads {place}, which this block has not written"
    if kind == "divergent_barrier":
        return f"{who} waits at a barrier that other threads of its block do not reach"
    if kind == "divergent_wave_op":
        return f"{who} meets a wave operation that other live lanes of its wave do not reach"
    if kind == "inactive_lane":
        return f"{who} reads lane {item.offset}, which does not take part"
    if kind == "invalid_launch":
        return "the launch has no blocks, dynamic LDS, or a block size that the kernel is not compiled for"
    if kind == "undefined":
        return f"{who} does what C++ leaves undefined (overflow, shift, division or index)"
    if kind == "hang" and item.other == LAUNCHER:
        kernels = f"{item.count} kernel{'' if item.count == 1 else 's'}"
        return f"the launcher does not come to an end: it was given up after {kernels}"
    if kind == "hang":
        return f"{who} does not come to an end"
    return f"{who} crashes at {place}"
