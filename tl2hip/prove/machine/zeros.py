"""Products that lose the sign of a zero: clang before LLVM 23 rounds `a * b` to f16 as `fma(a, b, +0)`.

A sum of -0 and +0 is +0 (IEEE 754-2019, 6.3), so a product of -0 becomes +0. Text as tl2hip prints it keeps the
compiler from that (`hip.helpers.F16_FROM_F32`); this finds where one did it nevertheless.
"""

from __future__ import annotations

from collections.abc import Iterator

from tl2hip.prove.machine.program import Constant, Instruction, Kernel, Program

MIXED = "v_fma_mix"


def find(program: Program) -> Iterator[tuple[Kernel, Instruction]]:
    """The instructions that add a constant +0 to a product, with their kernels."""
    for kernel in program.kernels:
        for one in kernel.code:
            if one.name.startswith(MIXED) and _adds_zero(one):
                yield kernel, one


def _adds_zero(one: Instruction) -> bool:
    added = one.operands[3]
    return isinstance(added.value, Constant) and added.value.value == 0 and not added.negate
