"""gfx942 machine code as the executor takes it: kernels of instructions with typed operands.

Registers are numbered as the hardware does: scalar ones 0 to 101, vcc 106, m0 124, exec 126; vector rows 0 to 255
for VGPRs, 256 to 511 for AGPRs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

VCC, M0, EXEC = 106, 124, 126
"""The scalar registers that have names. `vcc` and `exec` are pairs."""
AGPRS = 256
"""The row of a0."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """`count` scalar registers of 32 bits, from `first` on."""

    first: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class Vector:
    """`count` vector registers of 64 lanes of 32 bits, from row `first` on."""

    first: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class Scc:
    """The scalar condition code, where it is read as an operand."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number in the text. A float stands for its bits in the dtype that the instruction reads it as."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of something in the file: `part` is `abs32@lo`, `rel32@lo`, `rel32@hi` …; plus `addend` bytes."""

    name: str
    part: str
    addend: int = 0


@dataclass(frozen=True, slots=True)
class Label:
    """A place in the kernel."""

    name: str


@dataclass(frozen=True, slots=True)
class Word:
    """An operand that is a word: `off`, `gpr_idx(DST)`."""

    text: str


Value = Scalar | Vector | Scc | Constant | Symbol | Label | Word


@dataclass(frozen=True, slots=True)
class Operand:
    """A value with what is done to it on the way in: `-x`, `|x|`, `sext(x)`."""

    value: Value
    negate: bool = False
    absolute: bool = False
    extend: bool = False


Setting = int | str | tuple[int, ...]
"""What a modifier is set to: `offset:16`, `src0_sel:WORD_1`, `op_sel:[0,1]`; one that just stands there is 1."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. `name` is the mnemonic without `encoding`, its suffix (`e32`, `e64`, `sdwa`, `dpp` or "").

    `waits` is what an `s_waitcnt` waits for, by counter. `line` is the line of the assembly, from 1; `source` that
    of the HIP text, 0 where it is not known. `within` is the line of the kernel itself: where `source` is a line of
    a helper, or of a header, the line that calls it.
    """

    name: str
    encoding: str
    operands: tuple[Operand, ...]
    modifiers: Mapping[str, Setting]
    line: int
    text: str
    source: int = 0
    waits: Mapping[str, int] = field(default_factory=dict)
    within: int = 0


@dataclass(frozen=True, slots=True)
class Argument:
    """One kernel argument: its place in the argument segment in bytes, and its kind by the metadata (`by_value`,
    `global_buffer`, `hidden_block_count_x` …)."""

    offset: int
    size: int
    kind: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: its code, where its labels point to (indices into `code`), and its descriptor.

    `group_ids` says which of the block's three indices follow the pointer to the arguments in s[0:1]; `thread_ids`
    how many of a thread's three indices v0 packs (0: x, 1: x and y, 2: all). `lds`, `scratch` and `arguments_size`
    are in bytes; `most_threads` is the largest block it is compiled for.
    """

    name: str
    code: tuple[Instruction, ...]
    labels: Mapping[str, int]
    group_ids: tuple[bool, bool, bool]
    thread_ids: int
    vgprs: int
    sgprs: int
    agprs: int
    lds: int
    scratch: int
    arguments: tuple[Argument, ...]
    arguments_size: int
    most_threads: int


@dataclass(frozen=True, slots=True)
class Program:
    """All kernels of an assembly text, and the constants that they address by name."""

    kernels: tuple[Kernel, ...]
    constants: Mapping[str, bytes] = field(default_factory=dict)


class NotUnderstood(Exception):
    """A line of assembly with something that the executor does not know. It names it: nothing is guessed."""

    def __init__(self, what: str, line: int, text: str) -> None:
        super().__init__(f"assembly line {line}: {what}: {text.strip()}")
        self.what = what
        self.line = line
        self.text = text
