"""Statements of kernels that feed matrix instructions: memory read in pieces, products, and their order.

They stand in `plan.ir.DeviceStmt`. All of them are run by every lane of a block: uniform control flow only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tl2hip.nest.ir import Expr, Load
from tl2hip.source.span import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class TakeTile:
    """Declares `row` and `column`, ints: the tile of a grid of `rows` by `columns` that block number `block` takes.

    Neighbouring blocks run on different XCDs (workgroup i on XCD i mod 8, gfx942.md 1.1); this hands each XCD
    `group` by `group` tiles that stand together, taken in groups of so many rows, so that they meet in its L2.
    """

    row: str
    column: str
    block: Expr
    rows: Expr
    columns: Expr
    group: int


@dataclass(frozen=True, slots=True)
class TakeLane:
    """Declares `name`, an int: the number of this lane in its wave, asked of the hardware at this place.

    What is computed from it shares nothing with what went before, so that nothing of it waits in registers while
    all of them are needed.
    """

    name: str


@dataclass(frozen=True, slots=True)
class Window:
    """`name` is the memory of `array` from an element on, the same for all lanes of a block.

    `aligned`: the element and every piece read stand at multiples of 16 bytes, and all lie within 2 GiB of it. The
    memory is then read through a buffer descriptor, with offsets that cost no vector arithmetic. `bytes`: what lies
    so far or further behind the element reads as 0; without it all memory may be read.
    """

    name: str
    array: str
    index: tuple[Expr, ...]
    aligned: bool = True
    bytes: Expr | None = None


@dataclass(frozen=True, slots=True)
class Fetch:
    """A vector of up to 16 bytes, or an element of a thread's array, takes what stands `offset` bytes (a lane's
    own, below 2**31: element `offset_at` of a thread's array of i32) and `ahead` bytes (the same for all lanes)
    behind the start of a window."""

    vector: str
    slot: tuple[Expr, ...]
    window: str
    offset: str
    offset_at: Expr
    ahead: Expr
    aligned: bool = True


@dataclass(frozen=True, slots=True)
class FetchFirst:
    """A vector takes up to `count` consecutive elements of `array` and zeros behind them; with none it reads
    nothing."""

    vector: str
    slot: tuple[Expr, ...]
    array: str
    index: tuple[Expr, ...]
    count: Expr
    aligned: bool = True
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class TurnBytes:
    """Rows of bytes become columns: vector e of `columns` takes element e of each of the vectors `rows` from number
    `first` on, of as many of them as it has elements (a multiple of four)."""

    rows: str
    first: int
    columns: str


@dataclass(frozen=True, slots=True)
class Bits:
    """A small integer: `bits` bits of an integer in registers from bit `shift` on, all in one of its bytes, some of
    them turned over (`flip`), and a constant `add` more."""

    load: Load
    shift: int
    bits: int
    flip: int
    add: int

    @property
    def left(self) -> int:
        """What is added where the bits stand behind the 1 of an f16 of 1024, divided by what their shift makes them
        more."""
        return self.add - (1024 >> self.shift % 8)


@dataclass(frozen=True, slots=True)
class SmallIntegers:
    """A vector of two f16 takes two small integers, exactly. `add` less 1024 is 2048 at most for each."""

    vector: str
    slot: tuple[Expr, ...]
    first: Bits
    second: Bits


@dataclass(frozen=True, slots=True)
class Part:
    """Part number `part` of `parts` equal ones of a vector in registers: an operand of a matrix instruction. Single
    elements may be numbered by an expression."""

    vector: str
    slot: tuple[Expr, ...]
    part: int | Expr
    parts: int


@dataclass(frozen=True, slots=True)
class MatrixMultiply:
    """`sums[slot] += left @ right` by one matrix instruction of a whole wave (`builtin`)."""

    builtin: str
    sums: str
    slot: tuple[Expr, ...]
    left: Part
    right: Part
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class AddScaled:
    """The vector `sums` at `slot` takes every element of another one, at `at_slot`, times each f32 in turn. The
    last product and the sum are rounded once."""

    sums: str
    slot: tuple[Expr, ...]
    vector: str
    at_slot: tuple[Expr, ...]
    times: tuple[Expr, ...]
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class LdsBarrier:
    """Every thread of the block gets here, and LDS is in order after it. Loads from memory stay in flight."""

    note: str = ""


@dataclass(frozen=True, slots=True)
class Meet:
    """Every wave of the block gets here; nothing is waited for, so that it orders only what was waited for before.
    The compiler moves nothing across."""

    note: str = ""


@dataclass(frozen=True, slots=True)
class Priority:
    """From here on a SIMD asks this wave before those of lower `level` (0 to 3; waves start with 0)."""

    level: int


Kind = Literal["matrix", "vector", "global_read", "lds_read", "lds_write"]
"""What a scheduling group counts: matrix instructions, ordinary vector ones, loads from memory, reads and writes of
LDS."""


@dataclass(frozen=True, slots=True)
class Group:
    """The next `count` instructions of a kind stand together in the compiled text, behind the groups before."""

    kind: Kind
    count: int


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment: what the statements behind it do, and why."""

    text: str


@dataclass(frozen=True, slots=True)
class KeepOrder:
    """The compiler moves no instruction across this place."""


@dataclass(frozen=True, slots=True)
class Settle:
    """Waits until the results of matrix instructions are there, which takes so many wait states.

    The hardware does not wait for all who read or overwrite them. The compiler puts wait states in, but looks at a
    block once, on the first way that leads to it: behind a branch they may be missing on another way.
    """

    states: int


MatrixStmt = (
    TakeTile
    | TakeLane
    | Window
    | Fetch
    | FetchFirst
    | TurnBytes
    | SmallIntegers
    | MatrixMultiply
    | AddScaled
    | LdsBarrier
    | Meet
    | Priority
    | Group
    | Remark
    | KeepOrder
    | Settle
)
