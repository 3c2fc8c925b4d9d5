"""An instruction that touches memory or LDS as a record, by its form in the table."""

from __future__ import annotations

from tl2hip.prove.machine.facts import Facts, File, Flow, Use, fill, uses
from tl2hip.prove.machine.meanings.memory import OFFSETS, SHARED_BASE, Counter, Form
from tl2hip.prove.machine.program import M0, Constant, Instruction, NotUnderstood, Operand, Scalar, Vector, Word
from tl2hip.prove.machine.records import Code, Kind, Source


def refuse(what: str, instruction: Instruction) -> NotUnderstood:
    """What is not understood, at its line."""
    return NotUnderstood(what, instruction.line, instruction.text)


def registers(value: Scalar | Vector) -> Source:
    """An operand that is registers."""
    kind = Kind.SCALAR if isinstance(value, Scalar) else Kind.ROW
    return Source(kind, 0, 0, 0, value.first, value.count, 0)


def encode_access(instruction: Instruction, form: Form, code: Code, facts: Facts) -> None:
    """Fill an instruction's records. Raises NotUnderstood."""
    _Access(instruction, form, code, facts).fill()


LANE_MOVES = ("ds_bpermute_b32", "ds_permute_b32", "ds_swizzle_b32")


def _unused(pattern: int) -> int:
    """The bits of a swizzle's pattern that say nothing: of masks, of a quad, of a rotation, of an FFT."""
    return 0 if pattern < 0x8000 else 0x3F00 if pattern < 0xC000 else 0x1800 if pattern < 0xE000 else 0x1FE0


class _Access:
    """An instruction that touches memory: its operands in turn, as its form has them."""

    def __init__(self, instruction: Instruction, form: Form, code: Code, facts: Facts) -> None:
        self.instruction = instruction
        self.form = form
        self.code = code
        self.facts = facts
        self.left = list(instruction.operands)
        self.reads: list[Operand] = []
        self.displacement = 0

    def fill(self) -> None:
        form, instruction = self.form, self.instruction
        returns = "_atomic_" not in form.name or instruction.modifiers.get("sc0", 0) == 1
        results = form.results if returns else ()
        written = [self.result(word) for word in results]
        data = ["b", "c"]
        last = ""  # of `address`, whose second part stands behind the data
        for word in form.sources:
            if word.isdigit():
                first = form.family == "ds" and not self.reads
                self.set("a" if first else data.pop(0), self.vector(int(word)))
            else:
                getattr(self, word)()
                last = word
        if last == "address":
            self.base()
        elif last == "private":
            self.scalar_or_off("c")
        if self.left:
            known = len(instruction.operands) - len(self.left)
            raise refuse(f"the operands, which are more than {known}", instruction)
        self.modifiers()
        self.facts.counter = form.counter
        if written and form.counter == Counter.VECTOR_STORE:
            self.facts.counter = Counter.VECTOR_LOAD
        to_lds = [Use(M0, 1, File.SCALARS)] if form.name.endswith("_lds") or "_load_lds_" in form.name else []
        reads = [*uses(self.reads), *to_lds]
        fill(self.facts, reads, uses(written))
        if form.name in LANE_MOVES:
            self.facts.flow = Flow.ACROSS
            self.facts.needed = len(form.sources) - 1  # the address, where there is one
        else:
            self.facts.flow = Flow.LOADED
            self.facts.needed = (1 << len(reads)) - 1
        if form.family == "scratch":
            self.facts.flow, self.facts.scratch_bytes = Flow.SCRATCH, form.bytes
            if not written:  # what is stored may be what nothing has written: it comes back as that
                self.facts.needed &= ~(1 << int(self.code.a.kind == Kind.ROW))

    def next(self) -> Operand:
        if not self.left:
            raise refuse("the operands, which are too few", self.instruction)
        operand = self.left.pop(0)
        if operand.negate or operand.absolute or operand.extend:
            raise refuse("the change of an operand", self.instruction)
        return operand

    def set(self, slot: str, operand: Operand) -> None:
        value = operand.value
        assert isinstance(value, (Scalar, Vector))
        setattr(self.code, slot, registers(value))
        self.reads.append(operand)

    def vector(self, count: int) -> Operand:
        operand = self.next()
        if not isinstance(operand.value, Vector) or operand.value.count != count:
            raise refuse(f"an operand that is not {count} vector register{'s' * (count > 1)}", self.instruction)
        return operand

    def scalar(self, count: int) -> Operand:
        operand = self.next()
        if not isinstance(operand.value, Scalar) or operand.value.count != count:
            raise refuse(f"an operand that is not {count} scalar register{'s' * (count > 1)}", self.instruction)
        return operand

    def result(self, word: str) -> Operand:
        operand = self.scalar(int(word[1:])) if word[0] == "s" else self.vector(int(word))
        value = operand.value
        assert isinstance(value, (Scalar, Vector))
        self.code.d = registers(value)
        return operand

    # ---- the words of the table

    def address(self) -> None:
        wide = isinstance(self.instruction.operands[-1].value, Word)
        self.set("a", self.vector(2 if wide else 1))

    def base(self) -> None:
        if self.left and self.left[0].value == Word("off"):
            self.next()
            return
        self.set("c", self.scalar(2))

    def flat(self) -> None:
        self.set("a", self.vector(2))
        self.code.c = Source(Kind.CONSTANT, bits=SHARED_BASE)

    def private(self) -> None:
        if self.left and self.left[0].value == Word("off"):
            self.next()
            return
        self.set("a", self.vector(1))

    def scalar_or_off(self, slot: str) -> None:
        if self.left and self.left[0].value == Word("off"):
            self.next()
            return
        self.set(slot, self.scalar(1))

    def offset(self) -> None:
        if "offen" in self.instruction.modifiers:
            self.set("a", self.vector(1))
        elif self.next().value != Word("off"):
            raise refuse("an address without offen", self.instruction)

    def buffer(self) -> None:
        self.set("c", self.scalar(4))
        number = self.register_or_number("e")
        if number is not None:
            self.code.e = Source(Kind.CONSTANT, bits=number & 0xFFFFFFFF)

    def pair(self) -> None:
        self.set("a", self.scalar(2))
        self.displacement = self.register_or_number("b") or 0

    def register_or_number(self, slot: str) -> int | None:
        """A number, or None where a scalar register is put into the slot."""
        operand = self.next()
        value = operand.value
        if isinstance(value, Constant) and isinstance(value.value, int):
            return value.value
        if isinstance(value, Scalar) and value.count == 1:
            self.set(slot, operand)
            return None
        raise refuse("an offset that is neither a number nor a scalar register", self.instruction)

    def modifiers(self) -> None:
        code, given = self.code, self.instruction.modifiers
        unknown = set(given) - self.form.modifiers - ({"lds"} if self.form.name.endswith("_lds") else set())
        if unknown:
            raise refuse(f"the modifier {min(unknown)}", self.instruction)
        offset = given.get("offset0", given.get("offset", 0))
        second = given.get("offset1", 0)
        assert isinstance(offset, int) and isinstance(second, int)
        if self.form.name == "ds_swizzle_b32" and offset & _unused(offset):
            raise refuse("a swizzle with bits that say nothing", self.instruction)
        room = range(1 << 8) if "offset1" in self.form.modifiers else OFFSETS[self.form.family]
        if offset + self.displacement not in room or second not in range(1 << 8):
            raise refuse("an offset that the instruction has no room for", self.instruction)
        code.offset, code.offset1 = offset + self.displacement, second
