"""Matrix instructions: the shapes and types that their names say, and the registers that follow from them.

Each lane has its part of A, B, C and D, packed into registers of 32 bits: of `v_mfma_f32_16x16x16_f16` four f16 of
A in two, four f32 of D in four. The functions are written out in runtime/matrix.cpp.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from tl2hip.prove.machine.program import AGPRS, Constant, Instruction, NotUnderstood, Scalar, Vector

LANES = 64
BITS = {"f64": 64, "f32": 32, "xf32": 32, "i32": 32, "f16": 16, "bf16": 16, "i8": 8, "fp8": 8, "bf8": 8}
PATTERN = re.compile(
    r"v_mfma_(?P<sum>f32|f64|i32)_(?P<m>\d+)x(?P=m)x(?P<k>\d+)(?:_(?P<blocks>\d+)b)?_(?P<a>\w+?)(?:_(?P<b>\w+))?"
)
MODIFIERS = ("cbsz", "abid", "blgp")
"""Rows and lanes broadcast, lanes of B permuted: understood only where they are 0, and do nothing."""


@dataclass(frozen=True, slots=True)
class Form:
    """One matrix instruction: D = A B + C, `blocks` products of m x k and k x m, the sums of the dtype `sum`."""

    name: str
    sum: str
    m: int
    k: int
    blocks: int
    a: str
    b: str

    @property
    def registers(self) -> tuple[int, int, int, int]:
        """How many registers D, A, B and C take; C may be a constant instead."""
        sums = self.m * self.m * self.blocks * BITS[self.sum] // (LANES * 32)
        a, b = (self.m * self.k * self.blocks * BITS[one] // (LANES * 32) for one in (self.a, self.b))
        return sums, a, b, sums

    def bits(self, value: int | float) -> int:
        """A constant C as the bits of every sum. An integer is the bits, a float one of the sum's dtype.

        >>> hex(FORMS["v_mfma_f32_16x16x4_f32"].bits(1.0)), FORMS["v_mfma_f32_16x16x4_f32"].bits(1)
        ('0x3f800000', 1)
        """
        if isinstance(value, int):
            return value % (1 << BITS[self.sum])
        if self.sum == "f64":
            return int.from_bytes(struct.pack("<d", value), "little")
        return int.from_bytes(struct.pack("<f", value), "little")


def form(name: str) -> Form:
    """What a name says.

    >>> form("v_mfma_f64_4x4x4_4b_f64").registers
    (2, 2, 2, 2)
    """
    match = PATTERN.fullmatch(name)
    assert match is not None, name
    blocks, b = match["blocks"] or "1", match["b"] or match["a"]
    return Form(name, match["sum"], int(match["m"]), int(match["k"]), int(blocks), match["a"], b)


def _names() -> list[str]:
    shapes = {
        "f32": "32x32x2 16x16x4 32x32x1_2b 16x16x1_4b 4x4x1_16b",
        "f16": "32x32x8 16x16x16 32x32x4_2b 16x16x4_4b 4x4x4_16b",
        "bf16": "32x32x8 16x16x16 32x32x4_2b 16x16x4_4b 4x4x4_16b",
        "xf32": "32x32x4 16x16x8",
        "i8": "32x32x16 16x16x32 32x32x4_2b 16x16x4_4b 4x4x4_16b",
        "f64": "16x16x4 4x4x4_4b",
        "fp8_fp8": "32x32x16 16x16x32",
        "fp8_bf8": "32x32x16 16x16x32",
        "bf8_fp8": "32x32x16 16x16x32",
        "bf8_bf8": "32x32x16 16x16x32",
    }
    sums = {"i8": "i32", "f64": "f64"}
    return [
        f"v_mfma_{sums.get(factors, 'f32')}_{shape}_{factors}"
        for factors, all_ in shapes.items()
        for shape in all_.split()
    ]


FORMS: Mapping[str, Form] = {name: form(name) for name in _names()}
"""Every dense matrix instruction of gfx942, by its name (AMD's matrix instruction calculator, cdna3)."""


def check(instruction: Instruction) -> None:
    """Hold an instruction's operands and modifiers against its form. Raises NotUnderstood."""
    form = FORMS[instruction.name]
    if problem := _problem(instruction, form):
        raise NotUnderstood(problem, instruction.line, instruction.text)


def _problem(instruction: Instruction, form: Form) -> str:
    for name, setting in instruction.modifiers.items():
        if name not in MODIFIERS or setting:
            return f"the modifier {name}:{setting} of a matrix instruction"
    if len(instruction.operands) != 4:
        return "a matrix instruction with so many operands"
    for number, (operand, count) in enumerate(zip(instruction.operands, form.registers, strict=True)):
        value = operand.value
        if operand.negate or operand.absolute or operand.extend:
            return "a changed operand of a matrix instruction"
        if number == 3 and isinstance(value, Constant):
            continue
        if not isinstance(value, Vector) or value.count != count:
            found = f"{value.count} registers" if isinstance(value, (Scalar, Vector)) else "no register"
            return f"{'DABC'[number]} of {form.name} in {found}, not {count}"
    d, c = instruction.operands[0].value, instruction.operands[3].value
    if isinstance(d, Vector) and isinstance(c, Vector) and (d.first >= AGPRS) != (c.first >= AGPRS):
        return "C and D in different files of registers"
    return ""
