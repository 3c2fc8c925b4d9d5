"""A table of meanings: one instruction a line, what it writes `=` what it reads `:` C++ on one lane's values.

    v_add_f32      f32 = f32 f32          : d = a + b
    v_add_co_u32   u32 mask = u32 u32     : d = a + b; e = d < a
    v_fmac_f32     f32 = f32 f32 d        : d = fma(a, b, d)
    v_fma_f16      keep f16 = f16 f16 f16 : d = fma(a, b, c)
    s_and_b32      u32 = u32 u32          : d = a & b; scc = d != 0

Operands stand in the order of the assembly text. Results are named d and e, sources a, b and c. Words that stand
for no operand of the text: `d` and `e` among the sources (the old value of that result is read, it is in d or e),
`vcc` (the lane's bit of it), `exec` among the results (EXEC is written with the flags in e), `keep` (a 16-bit
result leaves the other half of its register). The code of a vector instruction may also speak of `lane`, `clamp`
and `high`, that of a scalar one of `scc` and `exec`.

>>> meaning = read("v_add_co_u32  u32 mask = u32 u32 : d = a + b; e = d < a")["v_add_co_u32"]
>>> [t.name for t in meaning.results], [t.name for t in meaning.sources], meaning.function
(['u32', 'mask'], ['u32', 'u32'], 'v_add_co_u32')
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Type:
    """What an operand is read or written as.

    `cpp` is its type in the code, `registers` how many registers of 32 bits it takes, `bits` how wide one number
    is. `halves` says that op_sel, op_sel_hi, neg_lo and neg_hi may say something about it; `implicit` that no
    operand of the text stands for it.
    """

    name: str
    cpp: str
    registers: int
    bits: int
    floating: bool = False
    packed: bool = False
    halves: bool = False
    implicit: bool = False


def _types() -> dict[str, Type]:
    plain = [
        Type(f"{kind}{bits}", f"{kind}{bits}", max(1, bits // 32), bits, kind == "f", halves=bits == 16)
        for bits in (16, 32, 64)
        for kind in "uif"
    ]
    packed = [
        Type(f"{cpp}x2", cpp, 2 * bits // 32, bits, cpp[0] == "f", packed=True, halves=True)
        for cpp, bits in (("f16", 16), ("u16", 16), ("i16", 16), ("f32", 32))
    ]
    others = [
        Type("mask", "u32", 2, 64),  # one bit a lane of a scalar pair
        Type("pair_f16", "u32", 1, 16, True, halves=True),  # two f16, both read by one instruction's sum
        Type("pair_u16", "u32", 1, 16, halves=True),
        Type("mix", "f32", 1, 32, True, halves=True),  # f32, or with op_sel_hi the half of a register as f16
        Type("pick32", "u32", 2, 32, halves=True),  # one register of a pair, by op_sel
        Type("row", "const u32*", 1, 32),  # all lanes of a register, of what is done once for a wave
        Type("scalar", "u32", 1, 32),  # a scalar register there
        Type("d", "", 0, 0, implicit=True),
        Type("e", "", 0, 0, implicit=True),
        Type("vcc", "u32", 0, 0, implicit=True),
        Type("exec", "u32", 0, 0, implicit=True),
    ]
    return {one.name: one for one in (*plain, *packed, *others)}


TYPES = _types()


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an instruction means. `results` and `sources` are those that the text has operands for, in its order."""

    name: str
    results: tuple[Type, ...]
    sources: tuple[Type, ...]
    code: str
    reads_result: bool = False
    reads_second: bool = False
    reads_vcc: bool = False
    writes_exec: bool = False
    keeps: bool = False

    @property
    def function(self) -> str:
        """The name of its C++ function."""
        return self.name

    @property
    def scalar(self) -> bool:
        """Whether the scalar unit does it."""
        return self.name.startswith("s_")

    @property
    def once(self) -> bool:
        """Whether it is done once for the wave: all that the scalar unit does, and reading or writing one lane."""
        return self.scalar or any(t.name in ("row", "scalar") for t in (*self.results, *self.sources))

    @property
    def clamps(self) -> bool:
        """Whether `clamp` means something on it: a float's result ends between 0 and 1, an integer's saturates."""
        return (not self.once and bool(self.results) and self.results[0].floating) or bool(self.uses("clamp"))

    @property
    def halved(self) -> bool:
        """Whether op_sel may send its result into the high half of the register."""
        return not self.once and any(t.bits == 16 and not t.packed for t in self.results) or self.uses("high")

    def uses(self, word: str) -> bool:
        """Whether the code speaks of something."""
        return re.search(rf"\b{word}\b", self.code) is not None

    def sets(self, word: str) -> bool:
        """Whether the code assigns to something."""
        return re.search(rf"\b{word}\s*([-+*&|^]|<<|>>)?=(?!=)", self.code) is not None


def read(text: str) -> dict[str, Meaning]:
    """The meanings of a table, by mnemonic. Empty lines and those that begin with `#` say nothing."""
    found: dict[str, Meaning] = {}
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        one = _line(line)
        if one.name in found:
            raise ValueError(f"{one.name} is twice in a table")
        found[one.name] = one
    return found


def _line(line: str) -> Meaning:
    head, colon, code = line.partition(" : ")
    left, equals, right = head.partition("=")
    if not colon or not equals or not left.split():
        raise ValueError(f"not a line of a table: {line}")
    name, *written = left.split()
    unknown = [word for word in (*written, *right.split()) if word not in TYPES and word != "keep"]
    if unknown:
        raise ValueError(f"{name}: {', '.join(unknown)} is no type")
    results, sources = [TYPES[w] for w in written if w != "keep"], [TYPES[w] for w in right.split()]
    implicit = {t.name for t in sources if t.implicit}
    return Meaning(
        name,
        tuple(t for t in results if not t.implicit),
        tuple(t for t in sources if not t.implicit),
        code.strip(),
        reads_result="d" in implicit,
        reads_second="e" in implicit,
        reads_vcc="vcc" in implicit,
        writes_exec="exec" in {t.name for t in results},
        keeps="keep" in written,
    )


FLOATS = {16: "<e", 32: "<f", 64: "<d"}


def constant(kind: Type, value: int | float, literal: bool = False) -> int:
    """The bits of a constant of the text, as wide as an operand of this type is read.

    An inline integer is sign-extended, a float is in the operand's dtype. A `literal`, an integer that is not
    inline, has 32 bits in the code: of a 64-bit float they are the high half, of a 64-bit integer zeros are above
    them, unless the text says more bits. Of two packed halves a constant is one 32-bit number. Raises ValueError
    for what no operand of the type can be.

    >>> hex(constant(TYPES["f16"], 1.0)), hex(constant(TYPES["f64"], 1.0)), hex(constant(TYPES["u64"], -1))
    ('0x3c00', '0x3ff0000000000000', '0xffffffffffffffff')
    >>> hex(constant(TYPES["f64"], 0x40180000, literal=True)), hex(constant(TYPES["f16x2"], -1))
    ('0x4018000000000000', '0xffffffff')
    """
    wide = kind.bits == 64
    if isinstance(value, float):
        if kind.bits == 16 and not kind.floating and not kind.packed:
            raise ValueError(f"an operand of type {kind.name} cannot be {value}")
        size = 16 if kind.floating and (kind.bits == 16 or kind.name == "pair_f16") else 64 if wide else 32
        return int.from_bytes(struct.pack(FLOATS[size], value), "little")
    bits = 64 if wide and not (literal and kind.floating) else 32
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise ValueError(f"{value:#x} has more than {bits} bits")
    if literal and wide and kind.floating:
        return value << 32
    if literal and kind.name == "i64" and 1 << 31 <= value < 1 << 32:
        raise ValueError(f"whether {value:#x} is negative is not said")
    return value & ((1 << (64 if wide else 32)) - 1)
