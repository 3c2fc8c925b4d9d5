"""The matrix instructions of gfx942 that plans use.

The planner's facts; `prove/emulate` states shapes and lane maps again, and a test compares the two. Sources: AMD's
matrix instruction calculator (`-a cdna3`) and the CDNA3 ISA guide for lane maps; LLVM's `SISchedule.td`, which
agrees with the ISA guide, for clocks. Instructions with two blocks of 32x32 or four of 16x16 run at half the rate
and are left out, as is what only gfx950 has (16x16x32 and 32x32x16 of 16-bit types).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tl2hip.dtypes import BF16, F8E4M3, F8E5M2, F16, F32, F64, I8, I32, DType
from tl2hip.plan.layout.linear import LANES, Layout, Part, deal


@dataclass(frozen=True)
class Mfma:
    """D = A B + C, in each of `blocks` blocks: A is m x k, B is k x n, C and D are m x n, and m == n.

    `clocks` from one issue to the next on a SIMD. An operand of a lane is `per_lane` elements of `first` or
    `second`, passed as `width` values of the C type `operand`; 8-bit types pass as one `long`, lowest byte first.
    `run` rows that follow each other are in consecutive slots of the result. `shadow`: whether ordinary vector
    instructions may issue while it runs. `asked` ones lose precision and are taken only where the user asks.
    """

    builtin: str
    m: int
    k: int
    blocks: int
    clocks: int
    first: DType
    second: DType
    result: DType
    operand: str
    width: int
    run: int = 4
    shadow: bool = True
    asked: bool = False

    @property
    def n(self) -> int:
        return self.m

    @property
    def per_lane(self) -> int:
        """Elements of an operand in each lane."""
        return self.m * self.k * self.blocks // LANES

    @property
    def result_slots(self) -> int:
        """Elements of C and of D in each lane, passed as a vector of that many `result`s (one: a scalar)."""
        return self.m * self.n * self.blocks // LANES

    @property
    def settled(self) -> int:
        """Wait states from its issue until any instruction may read or overwrite its result (CDNA3 ISA guide 7.5;
        LLVM's `checkMAIVALUHazards`): three more than its passes of four clocks, for f64 what memory needs."""
        return 18 if self.result is F64 else self.clocks // 4 + 3

    @property
    def macs(self) -> int:
        """Multiplications with an addition."""
        return self.m * self.n * self.k * self.blocks

    @cached_property
    def first_layout(self) -> Layout:
        """A over (i, k), or (block, i, k): lane l has row l % m at k = per_lane * (l / (m * blocks)) + slot."""
        return deal(self._axes("i k"), *self._operand("i"))

    @cached_property
    def second_layout(self) -> Layout:
        """B over (k, j), or (block, k, j): as A, with j for i."""
        return deal(self._axes("k j"), *self._operand("j"))

    @cached_property
    def result_layout(self) -> Layout:
        """C and D over (i, j), or (block, i, j): lane l has column l % m; rows go by runs to groups of lanes."""
        groups = LANES // (self.m * self.blocks)
        rows: tuple[Part, ...] = (("lane", "i", groups), ("slot", "i", self.m // (self.run * groups)))
        return deal(self._axes("i j"), ("slot", "i", self.run), ("lane", "j", self.n), *self._block(), *rows)

    def _axes(self, axes: str) -> str:
        return f"block {axes}" if self.blocks > 1 else axes

    def _block(self) -> tuple[Part, ...]:
        return (("lane", "block", self.blocks),) if self.blocks > 1 else ()

    def _operand(self, row: str) -> tuple[Part, ...]:
        groups = LANES // (self.m * self.blocks)
        return (("slot", "k", self.per_lane), ("lane", row, self.m), *self._block(), ("lane", "k", groups))


def _named(name: str) -> str:
    return f"__builtin_amdgcn_mfma_{name}"


def _halves() -> tuple[Mfma, ...]:
    """16-bit floats. The bf16 ones without `_1k` are of an older chip and half the rate."""
    shapes = ((32, 8, 1, 32), (16, 16, 1, 16), (4, 4, 16, 8))
    types = ((F16, "f16", "_Float16"), (BF16, "bf16_1k", "short"))
    return tuple(
        Mfma(_named(f"f32_{m}x{m}x{k}{suffix}"), m, k, blocks, clocks, t, t, F32, c, 4)
        for t, suffix, c in types
        for m, k, blocks, clocks in shapes
    )


def _bytes() -> tuple[Mfma, ...]:
    """8-bit integers, and 8-bit floats in all four mixes; fp8 and bf8 are FNUZ on this chip."""
    floats = ((F8E4M3, "fp8"), (F8E5M2, "bf8"))
    mixes = [(I8, I8, I32, "i32", "i8")]
    mixes += [(a, b, F32, "f32", f"{x}_{y}") for a, x in floats for b, y in floats]
    return tuple(
        Mfma(_named(f"{total}_{m}x{m}x{k}_{suffix}"), m, k, 1, clocks, a, b, d, "long", 1)
        for a, b, d, total, suffix in mixes
        for m, k, clocks in ((32, 16, 32), (16, 32, 16))
    )


MFMAS: tuple[Mfma, ...] = (
    *_halves(),
    *_bytes(),
    Mfma(_named("f32_32x32x2f32"), 32, 2, 1, 64, F32, F32, F32, "float", 1, shadow=False),
    Mfma(_named("f32_16x16x4f32"), 16, 4, 1, 32, F32, F32, F32, "float", 1, shadow=False),
    Mfma(_named("f32_4x4x1f32"), 4, 1, 16, 8, F32, F32, F32, "float", 1, shadow=False),
    Mfma(_named("f64_16x16x4f64"), 16, 4, 1, 32, F64, F64, F64, "double", 1, run=1, shadow=False),
    Mfma(_named("f64_4x4x4f64"), 4, 4, 4, 16, F64, F64, F64, "double", 1, run=1, shadow=False),
    Mfma(_named("f32_32x32x4_xf32"), 32, 4, 1, 32, F32, F32, F32, "float", 2, asked=True),
    Mfma(_named("f32_16x16x8_xf32"), 16, 8, 1, 16, F32, F32, F32, "float", 2, asked=True),
)
"""xf32 rounds its operands to ten bits of mantissa."""


def find(first: DType, second: DType, result: DType, m: int, asked: bool = False) -> Mfma | None:
    """The instruction with m x m results for these types; None where gfx942 has none.

    `asked` takes those that round their operands; without it none of them is found.

    >>> found = find(F16, F16, F32, 32)
    >>> found.builtin, found.k, found.clocks, found.per_lane, found.result_slots
    ('__builtin_amdgcn_mfma_f32_32x32x8f16', 8, 32, 4, 16)
    """
    wanted = (first, second, result, m, asked)
    return next((x for x in MFMAS if (x.first, x.second, x.result, x.m, x.asked) == wanted), None)
