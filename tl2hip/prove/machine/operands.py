"""One line of gfx942 assembly, as clang prints it, read into an Instruction: mnemonic, operands and modifiers.

Every form of operand and every modifier that is understood is listed here; any other raises NotUnderstood, which
names it. What a mnemonic means, and which operands it may have, is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from tl2hip.prove.machine.program import (
    AGPRS,
    EXEC,
    M0,
    VCC,
    Constant,
    Instruction,
    Label,
    NotUnderstood,
    Operand,
    Scalar,
    Scc,
    Setting,
    Symbol,
    Value,
    Vector,
    Word,
)

ENCODINGS = ("e32", "e64", "sdwa", "dpp")
SCALARS, VECTORS = 102, 256
"""How many scalar registers have numbers, and how many VGPRs (and AGPRs) there are."""

PLAIN = r"[^\s,\[\]()]"
ITEM = rf"{PLAIN}+(?:(?:\[[^\[\]]*\]|\([^()]*\)){PLAIN}*)*"
LINE = re.compile(rf"\s*([a-z][a-z0-9_]*)(?:\s+({ITEM}(?:, {ITEM})*))?((?: {ITEM})*)\s*")
"""A mnemonic, operands with commas between them, modifiers with spaces between them."""

VALUE = re.compile(
    r"(?P<file>[vsa])(?:(?P<one>\d+)|\[(?P<first>\d+):(?P<last>\d+)\])"
    r"|(?P<float>-?\d+\.\d+(?:e[+-]?\d+)?)"
    r"|(?P<integer>-?(?:0x[0-9a-f]+|\d+))"
    r"|(?P<symbol>[A-Za-z_.$][\w.$]*)@(?P<part>(?:abs32|rel32)@(?:lo|hi))(?P<addend>[+-]\d+)?"
    r"|(?P<label>\.L\w+)"
    r"|(?P<indexed>gpr_idx\((?:SRC0)?,?(?:DST)?\))"
    r"|(?P<word>[a-z][a-z_0-9]*)"
)

NAMED: Mapping[str, Value] = {
    "vcc": Scalar(VCC, 2),
    "vcc_lo": Scalar(VCC),
    "vcc_hi": Scalar(VCC + 1),
    "exec": Scalar(EXEC, 2),
    "exec_lo": Scalar(EXEC),
    "exec_hi": Scalar(EXEC + 1),
    "m0": Scalar(M0),
    "src_scc": Scc(),
    "off": Word("off"),
    "src_shared_base": Word("src_shared_base"),  # where LDS lies in the flat address space
    "src_shared_limit": Word("src_shared_limit"),
    "src_private_base": Word("src_private_base"),
    "src_private_limit": Word("src_private_limit"),
}
NAMES = {value: name for name, value in NAMED.items()}

CHANGES = (
    (re.compile(r"sext\((.+)\)"), (False, False, True)),
    (re.compile(r"-\|(.+)\|"), (True, True)),
    (re.compile(r"\|(.+)\|"), (False, True)),
    (re.compile(r"-abs\((.+)\)"), (True, True)),
    (re.compile(r"abs\((.+)\)"), (False, True)),
    (re.compile(r"neg\((.+)\)"), (True,)),
    (re.compile(r"-([^\d|].*)"), (True,)),
)
"""What is done to an operand on the way in, as it is written around the value: negate, absolute, extend."""


class _Unreadable(ValueError):
    """A part of a line that is not understood; it has no line number yet."""


# ---- modifiers

Form = Callable[[str], Setting]
"""What follows a modifier's colon, read. Raises ValueError."""


def _number(low: int, high: int) -> Form:
    def read(text: str) -> int:
        number = int(text, 0)
        if not low <= number <= high:
            raise ValueError
        return number

    return read


def _among(*numbers: int) -> Form:
    def read(text: str) -> int:
        return numbers[numbers.index(int(text, 0))]

    return read


def _one_of(*words: str) -> Form:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return read


def _numbers(high: int, *lengths: int) -> Form:
    """`[0,1,1]`: as many numbers as one of `lengths`, each from 0 to `high`."""

    def read(text: str) -> tuple[int, ...]:
        if not (text.startswith("[") and text.endswith("]")):
            raise ValueError
        numbers = tuple(map(int, text[1:-1].split(",")))
        if len(numbers) not in lengths or not all(0 <= one <= high for one in numbers):
            raise ValueError
        return numbers

    return read


def _offset(text: str) -> Setting:
    """Bytes; of `ds_swizzle_b32` also the pattern by name, as the 16 bits that it stands for."""
    if not text.startswith("swizzle("):
        return _number(-(1 << 20), (1 << 21) - 1)(text)
    name, *rest = text[len("swizzle(") : -1].split(",")
    if name == "BITMASK_PERM" and len(rest) == 1:
        return _masks(rest[0])
    return SWIZZLES[name](*map(int, rest)) if name in SWIZZLES else _bad()


def _bad() -> int:
    raise ValueError


def _masks(text: str) -> int:
    """`"01pi0"`, for each bit of the lane's number whether it becomes 0 or 1, is kept or inverted."""
    if not re.fullmatch(r'"[01pi]{5}"', text):
        raise ValueError
    bits = [1 << 4 - at for at in range(5)]
    of = {letter: sum(b for b, x in zip(bits, text[1:-1], strict=True) if x == letter) for letter in "1pi"}
    return of["p"] | of["i"] | of["1"] << 5 | of["i"] << 10


def _in(number: int, *numbers: int) -> int:
    return numbers[numbers.index(number)]


SWIZZLES: Mapping[str, Callable[..., int]] = {
    "QUAD_PERM": lambda a, b, c, d: 0x8000 | sum(_in(x, *range(4)) << 2 * at for at, x in enumerate((a, b, c, d))),
    "SWAP": lambda n: _in(n, 1, 2, 4, 8, 16) << 10 | 0x1F,
    "REVERSE": lambda n: _in(n, 2, 4, 8, 16, 32) - 1 << 10 | 0x1F,
    "BROADCAST": lambda n, lane: _in(lane, *range(n)) << 5 | 32 - _in(n, 2, 4, 8, 16, 32),
    "ROTATE": lambda back, n: 0xC000 | _in(back, 0, 1) << 10 | _in(n, *range(32)) << 5,
    "FFT": lambda mask: 0xE000 | _in(mask, *range(32)),
}
"""The patterns that have names, by what is written behind them (LLVM, AMDGPUModifierSyntax, and the ISA guide)."""


SELECTIONS = _one_of("DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1")
FLAGS = frozenset("nt sc0 sc1 glc offen lds clamp row_mirror row_half_mirror".split())
"""Modifiers that just stand there."""
MODIFIERS: Mapping[str, Form] = {
    "offset": _offset,
    "offset0": _number(0, 255),
    "offset1": _number(0, 255),
    "mul": _among(2, 4),
    "div": _among(2),
    "op_sel": _numbers(1, 2, 3, 4),
    "op_sel_hi": _numbers(1, 2, 3),
    "neg_lo": _numbers(1, 2, 3),
    "neg_hi": _numbers(1, 2, 3),
    "dst_sel": SELECTIONS,
    "src0_sel": SELECTIONS,
    "src1_sel": SELECTIONS,
    "dst_unused": _one_of("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"),
    "quad_perm": _numbers(3, 4),
    "row_shl": _number(1, 15),
    "row_shr": _number(1, 15),
    "row_ror": _number(1, 15),
    "row_bcast": _among(15, 31),
    "row_newbcast": _number(0, 15),
    "wave_shl": _among(1),
    "wave_shr": _among(1),
    "wave_rol": _among(1),
    "wave_ror": _among(1),
    "row_mask": _number(0, 15),
    "bank_mask": _number(0, 15),
    "bound_ctrl": _among(1),  # 0 was another way of writing 1 once
    "cbsz": _number(0, 7),
    "abid": _number(0, 15),
    "blgp": _number(0, 7),
}


@lru_cache(maxsize=4096)
def _modifier(text: str) -> tuple[str, Setting]:
    if text in FLAGS:
        return text, 1
    name, colon, setting = text.partition(":")
    form = MODIFIERS.get(name)
    if form is None or not colon:
        raise _Unreadable(f"the modifier {text}")
    try:
        value = form(setting)
    except (ValueError, TypeError) as error:  # of a swizzle, so many numbers
        raise _Unreadable(f"the modifier {name} set to {setting}") from error
    return name, value


def _modifiers(texts: Sequence[str]) -> Mapping[str, Setting]:
    read: dict[str, Setting] = {}
    for text in texts:
        name, value = _modifier(text)
        if name in read:
            raise _Unreadable(f"the modifier {name} twice")
        read[name] = value
    return MappingProxyType(read)


# ---- operands


@lru_cache(maxsize=16384)
def _operand(text: str) -> Operand:
    for pattern, changes in CHANGES:
        if match := pattern.fullmatch(text):
            return Operand(_value(match[1]), *changes)
    return Operand(_value(text))


def _value(text: str) -> Value:
    match = VALUE.fullmatch(text)
    if match is None:
        raise _Unreadable(f"the operand {text}")
    kind = match.lastgroup
    if match["file"]:
        first, last = match["one"] or match["first"], match["one"] or match["last"]
        return _registers(text, match["file"], int(first), int(last))
    if kind == "float":
        return Constant(float(text))
    if kind == "integer":
        return Constant(int(text, 0))
    if match["symbol"]:
        return Symbol(match["symbol"], match["part"], int(match["addend"] or 0))
    if kind == "label":
        return Label(text)
    if kind == "indexed":
        return Word(text)
    if text not in NAMED:
        raise _Unreadable(f"the operand {text}")
    return NAMED[text]


def _registers(text: str, file: str, first: int, last: int) -> Value:
    """Pairs and wider start at an even register; scalars of four and more at a multiple of four."""
    count = last - first + 1
    step = 1 if count == 1 else 4 if file == "s" and count > 2 else 2
    if count < 1 or count > 32 or last >= (SCALARS if file == "s" else VECTORS) or first % step:
        raise _Unreadable(f"the registers {text}")
    if file == "s":
        return Scalar(first, count)
    return Vector(first + (AGPRS if file == "a" else 0), count)


# ---- waits

COUNTERS = {"vmcnt": 63, "expcnt": 7, "lgkmcnt": 15}
"""The counters of `s_waitcnt`, and the number that stands for no wait."""
WAIT = re.compile(r"(\w+)\((\d+)\)")


def _waits(texts: Sequence[str]) -> Mapping[str, int]:
    """`vmcnt(3) lgkmcnt(0)`, or all three in one number: vm[3:0] | exp << 4 | lgkm << 8 | vm[5:4] << 14."""
    if len(texts) == 1 and texts[0][0].isdigit():
        bits = int(texts[0], 0)
        if bits >> 16:
            raise _Unreadable(f"the wait {texts[0]}")
        read = {"vmcnt": bits & 15 | bits >> 14 << 4, "expcnt": bits >> 4 & 7, "lgkmcnt": bits >> 8 & 15}
        return MappingProxyType({name: n for name, n in read.items() if n < COUNTERS[name]})
    read = {}
    for text in texts:
        match = WAIT.fullmatch(text)
        if match is None or match[1] in read or int(match[2]) > COUNTERS.get(match[1], -1):
            raise _Unreadable(f"the wait {text}")
        read[match[1]] = int(match[2])
    return MappingProxyType(read)


# ---- lines

NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Parts:
    """An Instruction without its place."""

    name: str
    encoding: str
    operands: tuple[Operand, ...]
    modifiers: Mapping[str, Setting]
    waits: Mapping[str, int]


@lru_cache(maxsize=65536)
def _parts(text: str) -> _Parts:
    match = LINE.fullmatch(text)
    if match is None:
        raise _Unreadable("the line")
    operands, modifiers = match[2].split(", ") if match[2] else [], match[3].split()
    if match[1] == "s_waitcnt":
        return _Parts("s_waitcnt", "", (), NOTHING, _waits(operands + modifiers))
    if operands and operands[0] in FLAGS:  # `buffer_inv sc1` has no operand
        operands, modifiers = operands[1:], [operands[0], *modifiers]
    name, _, encoding = match[1].rpartition("_")
    if encoding not in ENCODINGS:
        name, encoding = match[1], ""
    return _Parts(name, encoding, tuple(map(_operand, operands)), _modifiers(modifiers), NOTHING)


def read(text: str, line: int, source: int = 0, within: int = 0) -> Instruction:
    """One line without its comment, as an Instruction. Raises NotUnderstood for anything that is not listed here.

    >>> read("v_add_f32_e64 v1, -|v2|, 1.0 mul:2", 7).operands[1]
    Operand(value=Vector(first=2, count=1), negate=True, absolute=True, extend=False)
    """
    try:
        parts = _parts(text)
    except _Unreadable as unreadable:
        raise NotUnderstood(str(unreadable), line, text) from None
    return Instruction(
        parts.name, parts.encoding, parts.operands, parts.modifiers, line, text.strip(), source, parts.waits, within
    )


# ---- and back


def show(instruction: Instruction) -> str:
    """The text of an instruction as clang prints it, but for integers, which are all decimal.

    >>> show(read("ds_read2_b64 v[4:7], v1 offset0:4 offset1:8", 1))
    'ds_read2_b64 v[4:7], v1 offset0:4 offset1:8'
    """
    name = f"{instruction.name}_{instruction.encoding}" if instruction.encoding else instruction.name
    operands = ", ".join(map(_show_operand, instruction.operands))
    waits = (f"{counter}({number})" for counter, number in instruction.waits.items())
    modifiers = (
        key if key in FLAGS else f"{key}:{str(setting).replace('(', '[').replace(')', ']').replace(' ', '')}"
        for key, setting in instruction.modifiers.items()
    )
    return " ".join(part for part in (name, operands, *waits, *modifiers) if part)


def _show_operand(operand: Operand) -> str:
    text = _show_value(operand.value)
    if operand.extend:
        return f"sext({text})"
    if operand.absolute:
        text = f"|{text}|"
    return f"-{text}" if operand.negate else text


def _show_value(value: Value) -> str:
    if value in NAMES:
        return NAMES[value]
    if isinstance(value, (Scalar, Vector)):
        agpr = isinstance(value, Vector) and value.first >= AGPRS
        file = "s" if isinstance(value, Scalar) else "a" if agpr else "v"
        first = value.first - (AGPRS if agpr else 0)
        return f"{file}{first}" if value.count == 1 else f"{file}[{first}:{first + value.count - 1}]"
    if isinstance(value, Symbol):
        return f"{value.name}@{value.part}" + (f"{value.addend:+}" if value.addend else "")
    if isinstance(value, Word):
        return value.text
    return str(value.value) if isinstance(value, Constant) else value.name if isinstance(value, Label) else ""
