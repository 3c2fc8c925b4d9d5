"""A HIP text whose kernels run as gfx942 machine code, its launchers as on the emulated compute unit."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tl2hip.hip.origins import Origins
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.emulate.findings import KINDS, Finding, other_party
from tl2hip.prove.emulate.library import (
    QUICK_FLAGS,
    Argument,
    Library,
    Run,
    UnsupportedHost,
    load_mathematics,
    unsupported,
)
from tl2hip.prove.emulate.memory import Memory
from tl2hip.prove.emulate.records import FindingRecord
from tl2hip.prove.machine import assembly, hazards
from tl2hip.prove.machine.encode import encode
from tl2hip.prove.machine.executor import executor
from tl2hip.prove.machine.hazards import Hazard
from tl2hip.prove.machine.lines import read_lines_of
from tl2hip.prove.machine.meanings import MEANINGS
from tl2hip.prove.machine.program import AGPRS, EXEC, M0, VCC, Instruction, Program
from tl2hip.prove.machine.records import ROWS, SCALARS
from tl2hip.prove.machine.tracing import MIDDLE, Wanted, read_trace, want

if TYPE_CHECKING:
    from tl2hip.prove.machine.model.shared import Lines
    from tl2hip.prove.machine.model.trace import Trace

MACHINE_SITE = 1 << 60
"""The bit of sites of machine code (runtime.h); below it the kernel's number and the instruction's index."""
KIND = {name: number for number, name in enumerate(KINDS)}
NOT_DONE = (
    "a matrix instruction with lanes that are off",
    "a buffer that is more than plain bytes (a stride, a swizzle, another format)",
    "an index from M0 that leads past the kernel's registers",
)
"""The reasons, in the order of runtime/machine.h."""
NEVER = (1 << 32) - 1
"""A launch that no run comes to."""
MOST_CALLS = 1 << 20
"""Calls to HIP's functions of a launcher whose kernels do not run, from which on it is given up."""
_TRACING = threading.Lock()  # there is room for one trace
NAMES = {VCC: "vcc_lo", VCC + 1: "vcc_hi", M0: "m0", EXEC: "exec_lo", EXEC + 1: "exec_hi"}


def register(cell: int) -> str:
    """A register as runtime/launch.h numbers them: vector ones, scalar ones, SCC.

    >>> register(3), register(256), register(512 + 7), register(512 + 106)
    ('v3', 'a0', 's7', 'vcc_lo')
    """
    if cell >= ROWS + SCALARS:
        return "scc"
    if cell >= ROWS:
        return NAMES.get(cell - ROWS, f"s{cell - ROWS}")
    return f"a{cell - AGPRS}" if cell >= AGPRS else f"v{cell}"


class MachineLibrary(Library):
    """A HIP text, compiled for gfx942 and executed instruction by instruction. Calls are those of `Library`.

    With `detect` it finds what `Library` finds and, besides, registers that are used while a load into them is
    under way, and uses of what nothing has written. Accesses outside the caller's arrays end a run in any case.

    `program` is run in place of what the compiler makes of the text. `origins` let findings tell the user's lines.

    Raises UnsupportedHost, MissingCompiler, CompileError, LoadError and program.NotUnderstood.
    """

    def __init__(
        self,
        text: str,
        *,
        detect: bool = True,
        program: Program | None = None,
        origins: Origins | None = None,
    ) -> None:
        if why := unsupported():
            raise UnsupportedHost(f"machine code cannot be executed here: {why}")
        self._executor = executor()
        self._program = program or assembly.read(compile_device(text, lines=True).text)
        self._wanted: tuple[int, Wanted] | None = None
        """What is traced, by which thread: calls of others go on as they are."""
        self._encoded = encode(self._program, self._executor.functions, MEANINGS)
        super().__init__(text, (*QUICK_FLAGS, "-DTL2HIP_MACHINE"), detect, origins)

    def _load_runtime(self) -> tuple[ctypes.CDLL, Path]:
        load_mathematics()
        return self._executor.library, self._executor.path

    def _prepare(self) -> None:
        encoded = self._encoded
        counts = len(self._program.kernels), len(self._program.constants)
        given = self._runtime.tl2hip_program(encoded.kernels, counts[0], encoded.constants, counts[1])
        if not given:
            raise TypeError("a kernel takes more arguments or LDS than the executor has room for")
        tracer, wanted = self._wanted or (0, None)
        want(self._runtime, wanted if tracer == threading.get_ident() else None)

    def _release(self) -> None:
        self._runtime.tl2hip_program(None, 0, None, 0)
        want(self._runtime, None)

    def hazards(self) -> tuple[Hazard, ...]:
        """Instructions of the machine code that stand too near each other."""
        return hazards.find(self._program)

    def trace(
        self,
        launcher: str,
        args: Sequence[Argument],
        *,
        kernel: str | None = None,
        block: int | None = 0,
        launch: int = 0,
        alone: bool = False,
        seconds: int = 60,
    ) -> Trace:
        """What one block executes of a launcher's call: `launch` counts the launches of the kernel (of any,
        without one), `block` the blocks along x first, None for the one in the middle. Neither the other blocks nor
        what would follow is run, and with `alone` no launch before it either: it then finds in memory what the
        caller gave.

        Raises ValueError where there is no such launch or block, where it executes more than 4 million
        instructions, and where the run is given up before.
        """
        number = MIDDLE if block is None else block
        if launch < 0 or number < 0:
            raise ValueError("launches and blocks are counted from 0")
        with _TRACING:
            run = self._tracing(launcher, args, Wanted(kernel or "", launch, number, alone), seconds)
            return read_trace(self._runtime, self._program, run)

    def lines(
        self,
        launcher: str,
        args: Sequence[Argument],
        kernel: str,
        blocks: range,
        *,
        steps: int,
        alone: bool = False,
    ) -> Lines:
        """How many lines of 128 bytes the `blocks` of the kernel's first launch read, each wave in its first
        `steps` instructions. What runs before, and what does not, is as with `trace`.

        Raises ValueError where there are no such blocks, and where the run is given up before.
        """
        with _TRACING:
            wanted = Wanted(kernel, 0, blocks.start, alone, len(blocks), steps)
            return read_lines_of(self._runtime, self._tracing(launcher, args, wanted, 60))

    def launches(self, launcher: str, args: Sequence[Argument], *, seconds: int = 60) -> dict[str, int]:
        """How often a launcher's call launches each kernel, none of which runs.

        Raises ValueError where the launcher refuses the arguments or does not come to an end, as it may where it
        waits for what a kernel computes.
        """
        with _TRACING:
            run = self._tracing(launcher, args, Wanted("", NEVER, 0, True), seconds)
        if run.status or run.errors:
            told = run.errors[0].message if run.errors else f"the launcher gives {run.status}"
            raise ValueError(f"launches cannot be counted: {told}")
        return run.launches

    def _tracing(self, launcher: str, args: Sequence[Argument], wanted: Wanted, seconds: int) -> Run:
        self._wanted = (threading.get_ident(), wanted)
        try:
            return self.call(launcher, args, seconds=seconds, calls=None if wanted.launch != NEVER else MOST_CALLS)
        finally:
            self._wanted = None

    def _instruction(self, site: int) -> Instruction | None:
        if not site & MACHINE_SITE:
            return None
        return self._program.kernels[site >> 32 & 0xFFFFFF].code[site & 0xFFFFFFFF]

    def _line(self, site: int) -> tuple[int, str]:
        instruction = self._instruction(site)
        if instruction is None:
            return super()._line(site)
        number = instruction.source
        if number:
            return number, self._text[number - 1] if number <= len(self._text) else ""
        return 0, f"assembly line {instruction.line}: {instruction.text.strip()}"

    def _finding(self, item: FindingRecord, memory: Memory) -> Finding:
        found = super()._finding(item, memory)
        instruction = self._instruction(item.site)
        if instruction is None:
            return found
        return replace(
            found,
            message=self._message(item) or found.message,
            text=found.text if found.line else "",
            code=instruction.text,
            code_line=instruction.line,
            kernel_line=instruction.within,
            user=self._user(instruction.within),
        )

    def _message(self, item: Any) -> str:
        """What a finding about a register says, "" for any other."""
        who = f"wave {item.thread // 64} of block {tuple(item.block)}"
        verb = "writes" if item.write else "reads"
        if item.kind == KIND["pending_register"]:
            if item.place == -1:
                return f"{who} {verb} byte {item.offset} of LDS while a load into it is under way"
            loading = self._program.kernels[item.site >> 32 & 0xFFFFFF].code[item.other]
            where = f"that line {loading.line} loads it is not waited for: {loading.text.strip()}"
            return f"{who} {verb} {register(item.offset)}; {where}"
        if item.kind == KIND["out_of_bounds"]:
            kernel = self._program.kernels[item.site >> 32 & 0xFFFFFF]
            if not kernel.code[item.site & 0xFFFFFFFF].name.startswith("scratch_"):
                return ""
            thread = f"thread {item.thread} of block {tuple(item.block)}"
            place = f"byte {item.offset} of its scratch memory, which has {kernel.scratch}"
            return f"{thread} {verb} {item.bytes} bytes at {place}"
        if item.kind == KIND["stale_scalar"]:
            writer = other_party(item.other)
            return f"{who} reads what {writer} wrote in this launch by a scalar load, whose cache does not see it"
        if item.kind == KIND["unwritten_register"]:
            used = f"{register(item.offset)} in lane {item.thread % 64}"
            return f"{who} uses {used}, which comes of what nothing has written"
        if item.kind == KIND["not_done"]:
            return f"{who} meets what the executor has no meaning for: {NOT_DONE[item.offset]}"
        if item.kind == KIND["misaligned"]:
            return f"{who} updates {item.bytes} bytes at address {item.offset:#x}, which is no multiple of that"
        return ""
