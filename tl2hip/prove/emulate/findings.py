"""What a run on the emulated compute unit found, in words that name the printed line."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.hip.origins import UserLine

# In the order of `enum Kind` in runtime/runtime.h; `guard_overwritten` is found by Python after the run.
KINDS = (
    "race",
    "out_of_bounds",
    "divergent_barrier",
    "divergent_wave_op",
    "inactive_lane",
    "lds_uninitialised",
    "crash",
    "invalid_launch",
    "undefined",
    "read_only_written",
    "hang",
    "pending_register",
    "unwritten_register",
    "misaligned",
    "not_done",
    "stale_scalar",
)
SEVERITIES = ("error", "warning")
GUARD = "guard_overwritten"

# Values of `other` past the threads of a block, as in runtime/shadow.cpp.
LANES_OF_WAVE, SEVERAL_WAVES, SEVERAL_BLOCKS = 1024, 1040, 2047
LAUNCHER = 1  # of a hang, as in runtime/runtime.h


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of the printed text, at the first place and thread where it showed.

    `line` counts from 1 and is 0 when it is not known; `argument` is the position of the buffer among the
    launcher's arguments, -1 for LDS, None when the address belongs to neither. `offset` is in bytes from the
    start of that buffer (negative before it). `count` says how often this line did it; of a launcher that does not
    come to an end, how many kernels it launched. `code` is the instruction of machine code that did it, `code_line`
    its line of the assembly from 1; "" and 0 where the printed text itself ran. `kernel_line` is the line of the
    kernel that the line is called from, where it stands in a helper and that is known, else the same; `user` the
    user's line that this one is from, None where it is not known.
    """

    kind: str
    severity: str
    message: str
    line: int
    text: str
    argument: int | None
    offset: int
    bytes: int
    block: tuple[int, int, int]
    thread: int
    count: int
    code: str = ""
    code_line: int = 0
    kernel_line: int = 0
    user: UserLine | None = None

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line else ""
        quoted = f"\n    {self.text.strip()}" if self.text else ""
        if self.user:
            called = f", by way of line {self.kernel_line}" if self.kernel_line != self.line else ""
            quoted += f"\n    {self.user}: {self.user.text}{called}"
        if self.code_line:
            quoted += f"\n    assembly line {self.code_line}: {self.code.strip()}"
        return f"{place}{self.kind} ({self.severity}): {self.message}{quoted}"


@dataclass(frozen=True, slots=True)
class BankConflicts:
    """LDS accesses of one line: clocks by the bank model of gfx942, and clocks without conflicts.

    Sums over the counted wave instructions; `ways` is their ratio, 1.0 when there is no conflict.
    """

    line: int
    text: str
    store: bool
    bytes: int
    instructions: int
    clocks: int
    ideal: int

    @property
    def ways(self) -> float:
        return self.clocks / self.ideal


@dataclass(frozen=True, slots=True)
class Coalescing:
    """Global accesses of one line: 64-byte requests and 128-byte lines touched, and the fewest requests possible.

    Sums over the counted wave instructions; `efficiency` is 1.0 when neighbouring lanes share requests fully.
    """

    line: int
    text: str
    store: bool
    bytes: int
    instructions: int
    requests: int
    ideal: int
    lines: int

    @property
    def efficiency(self) -> float:
        return self.ideal / self.requests


def other_party(other: int) -> str:
    """Who an access conflicts with."""
    if other == SEVERAL_BLOCKS:
        return "another block"
    if other == SEVERAL_WAVES:
        return "threads of several waves"
    if other >= LANES_OF_WAVE:
        return f"other lanes of wave {other - LANES_OF_WAVE}"
    return f"thread {other}"


def where(argument: int | None, offset: int, size: int) -> str:
    """A place in words: inside a buffer, or how far outside the nearest one."""
    if argument is None:
        return f"address {offset & (1 << 64) - 1:#x}"
    name = "LDS" if argument < 0 else f"argument {argument}"
    if offset < 0:
        return f"{-offset} bytes before {name}"
    if argument >= 0 and offset >= size:
        return f"{offset - size} bytes past the end of {name} ({size} bytes)"
    return f"byte {offset} of {name}"
