"""A kernel's instructions as records that the executor runs, by the tables of meanings.

An instruction, a form of an operand or a modifier that the tables do not have is refused (program.NotUnderstood).
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from tl2hip.prove.machine.accesses import encode_access, refuse, registers
from tl2hip.prove.machine.arithmetic import encode_arithmetic
from tl2hip.prove.machine.facts import (
    GIVEN,
    HIDDEN,
    NO_WAIT,
    ConstantRange,
    Facts,
    File,
    Flow,
    Hidden,
    KernelRecord,
    Reach,
    Use,
    fill,
    uses,
)
from tl2hip.prove.machine.meanings import control, matrix, memory
from tl2hip.prove.machine.meanings.table import Meaning
from tl2hip.prove.machine.program import (
    M0,
    VCC,
    Constant,
    Instruction,
    Kernel,
    Label,
    NotUnderstood,
    Operand,
    Program,
    Scalar,
    Symbol,
    Vector,
    Word,
)
from tl2hip.prove.machine.records import Code, Kind, Source

LARGEST_HIDDEN = 8
"""Bytes of an argument that a launch fills in."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A program that can be run. The records point into `kept`, which must live as long."""

    kernels: ctypes.Array[KernelRecord]
    constants: ctypes.Array[ConstantRange]
    kept: tuple[object, ...]


def encode(program: Program, functions: Mapping[str, int], meanings: Mapping[str, Meaning]) -> Encoded:
    """The records of a program, given the addresses of the executor's functions and the tables of arithmetic.

    Raises NotUnderstood.
    """
    held = {name: ctypes.create_string_buffer(data, max(1, len(data))) for name, data in program.constants.items()}
    symbols = {name: ctypes.addressof(buffer) for name, buffer in held.items()}
    ranges = (ConstantRange * max(1, len(held)))()
    for slot, (name, data) in zip(ranges, program.constants.items(), strict=False):
        slot.low, slot.high = symbols[name], symbols[name] + len(data)
    records = (KernelRecord * max(1, len(program.kernels)))()
    kept: list[object] = [held]
    for record, kernel in zip(records, program.kernels, strict=False):
        kept.append(_Encoder(kernel, functions, meanings, symbols).into(record))
    return Encoded(records, ranges, tuple(kept))


Only = TypeVar("Only", Label, Constant, Scalar)


def _only(instruction: Instruction, kind: type[Only]) -> Only:
    """The only operand of an instruction that has no modifiers."""
    if len(instruction.operands) == 1 and not instruction.modifiers:
        (operand,) = instruction.operands
        if isinstance(operand.value, kind) and operand == Operand(operand.value):
            return operand.value
    raise refuse("the operands", instruction)


class _Encoder:
    """One kernel."""

    def __init__(
        self,
        kernel: Kernel,
        functions: Mapping[str, int],
        meanings: Mapping[str, Meaning],
        symbols: Mapping[str, int],
    ) -> None:
        self.kernel = kernel
        self.functions = functions
        self.meanings = meanings
        self.symbols = symbols
        self.indexes = 0
        """Bits of the operands whose registers are counted from M0."""

    def into(self, record: KernelRecord) -> object:
        """Fill the kernel's record; what it points to."""
        kernel = self.kernel
        if not kernel.code or kernel.code[-1].name not in ("s_endpgm", "s_branch"):
            line = kernel.code[-1].line if kernel.code else 0
            raise NotUnderstood(f"the end of {kernel.name}, which goes on", line, "")
        codes, facts = (Code * len(kernel.code))(), (Facts * len(kernel.code))()
        reached = set(kernel.labels.values())
        for at, instruction in enumerate(kernel.code):
            codes[at].site = at
            facts[at].waits[:] = [NO_WAIT, NO_WAIT]
            if self.indexes and (at in reached or instruction.name in control.BRANCHES):
                raise refuse("registers that are counted from M0 over more than one block", instruction)
            self.one(instruction, at, codes[at], facts[at])
        hidden = self.hidden()
        given = [one for one in kernel.arguments if one.kind in GIVEN]
        record.name = kernel.name.encode()
        record.code, record.facts = ctypes.addressof(codes), ctypes.addressof(facts)
        record.hidden, record.hidden_count = ctypes.addressof(hidden), len(kernel.arguments) - len(given)
        record.given_bytes = max((one.offset + one.size for one in given), default=0)
        record.arguments_bytes = kernel.arguments_size
        if any(one.offset < 0 or one.offset + one.size > kernel.arguments_size for one in kernel.arguments):
            raise NotUnderstood(f"an argument of {kernel.name} outside its segment", kernel.code[0].line, "")
        record.group_ids = sum(1 << axis for axis, there in enumerate(kernel.group_ids) if there)
        record.thread_ids, record.lds, record.most_threads = kernel.thread_ids, kernel.lds, kernel.most_threads
        record.rows, record.accumulators, record.scratch = kernel.vgprs, kernel.agprs, kernel.scratch
        return codes, facts, hidden

    def hidden(self) -> ctypes.Array[Hidden]:
        kernel = self.kernel
        wanted = [one for one in kernel.arguments if one.kind not in GIVEN]
        found = (Hidden * max(1, len(wanted)))()
        for slot, one in zip(found, wanted, strict=False):
            if one.kind not in HIDDEN or one.size > LARGEST_HIDDEN:
                raise NotUnderstood(f"an argument of {kernel.name} of the kind {one.kind}", kernel.code[0].line, "")
            slot.kind, slot.offset, slot.bytes = HIDDEN.index(one.kind), one.offset, one.size
        return found

    def one(self, instruction: Instruction, at: int, code: Code, facts: Facts) -> None:
        """Fill the records of one instruction."""
        name = f"{instruction.name}_lds" if "lds" in instruction.modifiers else instruction.name
        if name in (control.INDEX_ON, control.INDEX_OFF):
            self.index(instruction, code, facts)
        elif self.indexes:
            if name not in control.INDEXED or instruction.encoding != "e32":
                raise refuse("an instruction where registers are counted from M0", instruction)
            encode_arithmetic(instruction, self.meanings[name], code, facts)
            code.offset = facts.indexed = self.indexes
            name = control.INDEXED[name]
        elif name in control.NAMES:
            self.control(instruction, code, facts)
        elif form := memory.FORMS.get(name):
            encode_access(instruction, form, code, facts)
        elif name in matrix.FORMS:
            self.matrix(instruction, code, facts)
        elif meaning := self.meanings.get(name):
            encode_arithmetic(self.resolved(instruction, at), meaning, code, facts)
        else:
            raise refuse(f"the instruction {instruction.name}", instruction)
        code.run = self.functions[name]

    def control(self, instruction: Instruction, code: Code, facts: Facts) -> None:
        if instruction.name in control.BRANCHES:
            label = _only(instruction, Label)
            if label.name not in self.kernel.labels:
                raise refuse(f"the label {label.name}", instruction)
            code.target = self.kernel.labels[label.name]
            if code.target >= len(self.kernel.code):
                raise refuse(f"the label {label.name} behind the last instruction", instruction)
            fill(facts, [Use(VCC, 2, File.SCALARS)] if instruction.name in control.VCC_BRANCHES else [], [])
            facts.reads_condition = instruction.name in control.SCC_BRANCHES
            facts.needed = 1
            facts.reach = Reach.WAVE_WIDE
        elif instruction.name in control.PLAIN:
            if instruction.operands or instruction.modifiers:
                raise refuse("the operands", instruction)
            unknown = set(instruction.waits) - {"vmcnt", "lgkmcnt", "expcnt"}
            if unknown:
                raise refuse(f"the counter {min(unknown)}", instruction)
            facts.waits[:] = [instruction.waits.get(one, NO_WAIT) for one in ("vmcnt", "lgkmcnt")]
        elif instruction.name in control.NUMBERED:
            if not isinstance(_only(instruction, Constant).value, int):
                raise refuse("the operands", instruction)
        else:
            pair = _only(instruction, Scalar)
            if pair.count != 2:
                raise refuse("the operands", instruction)
            code.d = registers(pair)
            fill(facts, [], uses(instruction.operands))
            facts.reach = Reach.WAVE_WIDE

    def index(self, instruction: Instruction, code: Code, facts: Facts) -> None:
        """Where counting registers from M0 begins or ends."""
        operands, begins = instruction.operands, instruction.name == control.INDEX_ON
        known = len(operands) == 2 and isinstance(operands[0].value, Scalar) and operands[0].value.count == 1
        if begins == bool(self.indexes) or instruction.modifiers or (not known if begins else operands):
            raise refuse("the operands, or the place,", instruction)
        facts.reach = Reach.WAVE_WIDE
        if not begins:
            self.indexes = 0
            return
        first, mode = operands[0].value, operands[1].value
        assert isinstance(first, Scalar)
        self.indexes = control.INDEXES.get(mode.text, 0) if isinstance(mode, Word) else 0
        if not self.indexes:
            raise refuse("the operands that are meant", instruction)
        code.a, code.offset = registers(first), self.indexes
        fill(facts, uses(operands[:1]), [Use(M0, 1, File.SCALARS)])
        facts.needed = 1

    def matrix(self, instruction: Instruction, code: Code, facts: Facts) -> None:
        matrix.check(instruction)
        for slot, operand in zip("dabc", instruction.operands, strict=True):
            value = operand.value
            if isinstance(value, Constant):
                setattr(code, slot, Source(Kind.CONSTANT, bits=matrix.FORMS[instruction.name].bits(value.value)))
            elif isinstance(value, Vector):
                setattr(code, slot, registers(value))
        fill(facts, uses(instruction.operands[1:]), uses(instruction.operands[:1]))
        facts.reach, facts.flow = Reach.EVERY, Flow.ACROSS

    def resolved(self, instruction: Instruction, at: int) -> Instruction:
        """The instruction with the addresses of constants in place of their names.

        Code has no addresses here: `s_getpc_b64` gives 0, and the two instructions behind it add to it the halves
        of an address, which stand 4 and 12 bytes behind the place that it names.
        """
        if not any(isinstance(operand.value, Symbol) for operand in instruction.operands):
            return instruction
        operands = []
        for operand in instruction.operands:
            value = operand.value
            if isinstance(value, Symbol):
                operand = Operand(Constant(self.address(value, instruction, at)))
            operands.append(operand)
        return Instruction(
            instruction.name, instruction.encoding, tuple(operands), instruction.modifiers, instruction.line,
            instruction.text, instruction.source, instruction.waits,
        )  # fmt: skip

    def address(self, symbol: Symbol, instruction: Instruction, at: int) -> int:
        steps = {"rel32@lo": (1, 4, "s_add_u32", 0), "rel32@hi": (2, 12, "s_addc_u32", 32)}
        if symbol.name not in self.symbols or symbol.part not in steps:
            raise refuse(f"the address {symbol.name}@{symbol.part}", instruction)
        back, place, name, shift = steps[symbol.part]
        if at < back or self.kernel.code[at - back].name != control.PROGRAM_COUNTER or instruction.name != name:
            raise refuse(f"the address {symbol.name}@{symbol.part} here", instruction)
        return (self.symbols[symbol.name] + symbol.addend - place) >> shift & 0xFFFFFFFF
