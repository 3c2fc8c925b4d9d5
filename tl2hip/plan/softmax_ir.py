"""Statements of kernels that take a softmax where the scores lie: powers of two, and what two lanes share.

They stand in `plan.ir.DeviceStmt`. A result of a 32 by 32 matrix instruction has each of its columns in two lanes,
32 apart, one of 16 by 16 in four lanes, 16 apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tl2hip.dtypes import F32
from tl2hip.nest.ir import Const, Expr
from tl2hip.source.span import NOWHERE, Span

LOG2_E = Const(1.4426950408889634, F32)
"""exp(x) is 2**(x * log2(e))."""


@dataclass(frozen=True, slots=True)
class PowerOfTwo:
    """`name`, an f32, or element `slot` of the vectors of that name, becomes 2 to the power of a value of f32:
    within one unit in the last place, and 0 where the result is below 2**-126 (v_exp_f32, CDNA3 ISA guide)."""

    name: str
    slot: tuple[Expr, ...]
    value: Expr
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Scaled:
    """Every element of a vector of f32 becomes so many times itself."""

    vector: str
    slot: tuple[Expr, ...]
    times: Expr


@dataclass(frozen=True, slots=True)
class HideUnit:
    """`one` is 1 and `minus_zero` -0, both of f32: roots, which the compiler does not look into."""

    one: str
    minus_zero: str


@dataclass(frozen=True, slots=True)
class RoundNumber:
    """An element of a vector of f16 or bf16 becomes a power of two that was computed in f32, rounded to nearest.

    f16 goes to even. With the `unit` of a HideUnit, one instruction rounds x * 1 + -0, which is x whatever x is,
    into half of a register (v_fma_mixlo_f16, v_fma_mixhi_f16, CDNA3 ISA guide); others take three for a pair.

    For bf16 gfx942 has no instruction (CDNA3 ISA guide), and a value in the middle goes up, which saves one and is
    as near. The value is within one unit in the last place of the power that it stands for, which is itself never
    in the middle: a power of 2 with a whole exponent is a number of bf16, and no other is one of f32. So a value in
    the middle says nothing of which side it is on. What becomes of a NaN in bf16 does not matter.
    """

    vector: str
    slot: tuple[Expr, ...]
    value: Expr
    unit: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class JoinHalves:
    """`name`, an f32, becomes the sum or the greater (a NaN left out, or kept) of its own and that of the lane
    `apart` on or before: both lanes get it. All lanes of the wave are here."""

    op: Literal["+", "greatest", "greatest_or_nan"]
    name: str
    apart: Literal[16, 32] = 32


SoftmaxStmt = PowerOfTwo | Scaled | HideUnit | RoundNumber | JoinHalves


@dataclass(frozen=True, slots=True)
class Joined:
    """A softmax and its weighted sums, taken in one pass over `count` terms, `keys` at a time: the array of its
    scores, each made of `product`, the sum over the axis `over`, and the scalar that is their maximum. `sown`: the
    maximum starts from a number. For the running bound."""

    scores: str
    product: str
    over: str
    most: str
    count: Expr
    keys: int
    sown: bool = False
