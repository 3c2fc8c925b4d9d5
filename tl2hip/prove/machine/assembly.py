"""gfx942 assembly text, as clang prints it, read into a Program: kernels, labels, constants, lines of the source.

A directive that is not listed here raises NotUnderstood. Functions that are no kernels are read, and a kernel that
calls one is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tl2hip.prove.machine import descriptor, operands
from tl2hip.prove.machine.descriptor import Facts, Line
from tl2hip.prove.machine.program import Instruction, Kernel, Label, NotUnderstood, Program

SOURCE = "kernel.hip"
"""The file that `compile_device` compiles: lines of any other are not the source's."""

TARGET = '"amdgcn-amd-amdhsa--gfx942"'
CALLS = ("s_swappc_b64", "s_setpc_b64", "s_call_b64")

DIRECTIVE = re.compile(r"\s*(\.[a-z_0-9]+)(?:\s+(.*))?")
LABEL = re.compile(r"([A-Za-z_.$][\w.$]*):")
COMMENT = re.compile(r'((?:[^";]|"(?:[^"\\]|\\.)*")*)(?:;.*)?')
FILE = re.compile(r'(\d+) (?:"(?:[^"\\]|\\.)*" )?"((?:[^"\\]|\\.)*)"(?: md5 0x[0-9a-f]+)?')
LOC = re.compile(r"(\d+) (\d+) ")
INLINED = re.compile(rf"@\[ (?:\S*/)?{re.escape(SOURCE)}:(\d+):\d+ ")
"""Where an inlined function is called, as the comment of a `.loc` tells it."""
TYPE = re.compile(r"([\w.$]+),@(function|object)")
ESCAPE = re.compile(rb'\\([0-7]{1,3}|[bfnrt"\\])')
LETTERS = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b'"': b'"', b"\\": b"\\"}

CODE, CONSTANTS, ASIDE = (".text",), (".rodata", ".data", ".bss"), (".debug_", ".AMDGPU.", ".note.GNU-stack")
"""Sections by how their names begin: of code, of constants, and those that do not matter to a run."""

WIDTHS = {".byte": 1, ".short": 2, ".long": 4, ".quad": 8}
IGNORED = frozenset(
    ".globl .protected .hidden .weak .p2align .p2alignl .ident .addrsig .addrsig_sym "
    ".cfi_sections .cfi_startproc .cfi_endproc".split()
)
"""Directives that change nothing about a run: who sees a name, padding, the compiler's version, unwinding."""


@dataclass(slots=True)
class _Function:
    at: Line
    code: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Reader:
    """What has been read so far."""

    section: str = ".text"
    types: dict[str, str] = field(default_factory=dict)
    functions: dict[str, _Function] = field(default_factory=dict)
    function: _Function | None = None
    descriptors: dict[str, Mapping[str, int]] = field(default_factory=dict)
    metadata: Mapping[str, Facts] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    constants: dict[str, bytearray] = field(default_factory=dict)
    constant: str = ""
    files: set[int] = field(default_factory=set)
    source: int = 0
    within: int = 0


def read(text: str) -> Program:
    """All kernels and constants of an assembly text. Raises NotUnderstood with the line that is not understood."""
    reader = _Reader()
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("\t") and line[1:2].isalpha():
            function = reader.function
            if function is None:
                raise NotUnderstood("an instruction outside a function", at, line)
            function.code.append(operands.read(line.partition(";")[0], at, reader.source, reader.within))
        elif line.startswith("\t.amdhsa_kernel "):
            at = _descriptor(reader, lines, at)
        elif line == "\t.amdgpu_metadata":
            end = _find(lines, at, "\t.end_amdgpu_metadata")
            reader.metadata = descriptor.read_metadata(_numbered(lines, at, end))
            at = end + 1
        elif bare := _bare(line, at):
            _other(reader, bare, at)
            if bare.startswith("\t.loc\t"):
                reader.within = _within(line) or reader.source
    return Program(
        tuple(_kernel(reader, name) for name in reader.descriptors),
        {name: bytes(data) for name, data in reader.constants.items()},
    )


def _bare(line: str, at: int) -> str:
    """The line without its comment."""
    if not line:
        return ""
    match = COMMENT.fullmatch(line)
    if match is None:
        raise NotUnderstood("the quotes", at, line)
    return match[1].rstrip()


def _within(line: str) -> int:
    """The line of the source in which the outermost call of an inlined function stands; 0 where none is told.

    >>> _within("\\t.loc\\t0 94 12 ; kernel.hip:94:12 @[ kernel.hip:30:5 @[ kernel.hip:205:30 ] ]")
    205
    """
    calls = INLINED.findall(line)
    return int(calls[-1]) if calls else 0


def _numbered(lines: list[str], start: int, end: int) -> list[Line]:
    return [(start + i + 1, line) for i, line in enumerate(lines[start:end])]


def _find(lines: list[str], at: int, what: str) -> int:
    try:
        return lines.index(what, at)
    except ValueError:
        raise NotUnderstood(f"no {what.strip()} after this", at, lines[at - 1]) from None


def _descriptor(reader: _Reader, lines: list[str], at: int) -> int:
    """Read a descriptor; the index of the line after it."""
    end = _find(lines, at, "\t.end_amdhsa_kernel")
    name = lines[at - 1].split()[1]
    if name in reader.descriptors:
        raise NotUnderstood("a second descriptor", at, lines[at - 1])
    reader.descriptors[name] = descriptor.read_descriptor(_numbered(lines, at, end), (at, lines[at - 1]))
    return end + 1


def _other(reader: _Reader, line: str, at: int) -> None:
    """Read a label or a directive."""
    if match := LABEL.fullmatch(line):
        return _label(reader, match[1], (at, line))
    match = DIRECTIVE.fullmatch(line)
    if match is None:
        raise NotUnderstood("the line", at, line)
    name, rest = match[1], (match[2] or "").strip()
    if name in IGNORED:
        return None
    if reader.section.startswith(".debug_") and (name in DATA or name == ".uleb128"):
        return None
    if name in DATA:
        return _data(reader, name, rest, (at, line))
    if name not in DIRECTIVES:
        raise NotUnderstood(f"the directive {name}", at, line)
    if not DIRECTIVES[name](reader, rest):
        raise NotUnderstood(f"the directive {name} {rest}", at, line)
    return None


def _label(reader: _Reader, name: str, at: Line) -> None:
    if reader.section.startswith(CODE):
        if reader.types.get(name) == "function":
            reader.function = reader.functions[name] = _Function(at)
            reader.source = reader.within = 0
            return
        if reader.function is not None and name not in reader.function.labels:
            reader.function.labels[name] = len(reader.function.code)
            return
    elif reader.section.startswith(CONSTANTS):
        if reader.types.get(name) == "object" and name not in reader.constants:
            reader.constants[name], reader.constant = bytearray(), name
            return
    elif reader.section.startswith(".debug_"):
        return
    raise NotUnderstood(f"the label {name} in the section {reader.section}", *at)


# ---- directives: each is given what follows its name, and says whether it is understood


def _section(reader: _Reader, rest: str) -> bool:
    reader.section = rest.partition(",")[0].strip('"')
    return reader.section.startswith(CODE + CONSTANTS + ASIDE)


def _type(reader: _Reader, rest: str) -> bool:
    match = TYPE.fullmatch(rest)
    if match:
        reader.types[match[1]] = match[2]
    return match is not None


def _size(reader: _Reader, rest: str) -> bool:
    """The end of a function or of a constant; the size of a constant is held against what it was given."""
    name, _, size = rest.partition(", ")
    if reader.types.get(name) == "function":
        reader.function = None
        return True
    reader.constant = ""
    return name in reader.constants and size == str(len(reader.constants[name]))


def _set(reader: _Reader, rest: str) -> bool:
    name, comma, value = rest.partition(", ")
    reader.settings[name] = value
    return bool(comma)


def _file(reader: _Reader, rest: str) -> bool:
    match = FILE.fullmatch(rest)
    if match and match[2].rpartition("/")[2] == SOURCE:
        reader.files.add(int(match[1]))
    return match is not None


def _loc(reader: _Reader, rest: str) -> bool:
    match = LOC.match(rest)
    if match:
        reader.source = int(match[2]) if int(match[1]) in reader.files else 0
    return match is not None


def _fill(reader: _Reader, rest: str) -> bool:
    """Code is filled up at its end, after all functions."""
    return reader.section.startswith(CODE) and reader.function is None


DIRECTIVES: Mapping[str, Callable[[_Reader, str], bool]] = {
    ".amdgcn_target": lambda reader, rest: rest == TARGET,
    ".amdhsa_code_object_version": lambda reader, rest: rest in ("5", "6"),
    ".text": lambda reader, rest: _section(reader, ".text"),
    ".data": lambda reader, rest: _section(reader, ".data"),
    ".bss": lambda reader, rest: _section(reader, ".bss"),
    ".section": _section,
    ".type": _type,
    ".size": _size,
    ".set": _set,
    ".file": _file,
    ".loc": _loc,
    ".fill": _fill,
}

# ---- constants


def _integers(width: int) -> Callable[[str], bytes]:
    def read(rest: str) -> bytes:
        numbers = (int(one, 0) for one in rest.split(","))
        return b"".join((one % (1 << 8 * width)).to_bytes(width, "little") for one in numbers)

    return read


def _string(rest: str) -> bytes:
    """What stands between two quotes. Raises ValueError where there are none.

    >>> _string(r'"AB\\000\\310"')
    b'AB\\x00\\xc8'
    """
    if len(rest) < 2 or rest[0] != '"' or rest[-1] != '"':
        raise ValueError
    return ESCAPE.sub(lambda match: LETTERS.get(match[1]) or bytes([int(match[1], 8)]), rest[1:-1].encode())


DATA: Mapping[str, Callable[[str], bytes]] = {
    **{name: _integers(width) for name, width in WIDTHS.items()},
    ".ascii": _string,
    ".asciz": lambda rest: _string(rest) + b"\0",
    ".zero": lambda rest: bytes(int(rest)),
}


def _data(reader: _Reader, name: str, rest: str, at: Line) -> None:
    if not (reader.constant and reader.section.startswith(CONSTANTS)):
        raise NotUnderstood(f"{name} outside a constant", *at)
    try:
        reader.constants[reader.constant] += DATA[name](rest)
    except ValueError:  # an address, say
        raise NotUnderstood(f"{name} of {rest}", *at) from None


# ---- kernels


def _kernel(reader: _Reader, name: str) -> Kernel:
    function, facts = reader.functions.get(name), reader.metadata.get(name)
    if function is None or facts is None:
        raise NotUnderstood(f"a descriptor of {name}, which has no {'metadata' if function else 'code'}", 1, "")
    _check_code(function)
    entries = reader.descriptors[name]
    descriptor.check(entries, facts)
    vgprs, agprs, sgprs = (_setting(reader, name, one) for one in ("num_vgpr", "num_agpr", "numbered_sgpr"))
    ids = [entries[f"system_sgpr_workgroup_id_{axis}"] == 1 for axis in "xyz"]
    return Kernel(
        name=name,
        code=tuple(function.code),
        labels=function.labels,
        group_ids=(ids[0], ids[1], ids[2]),
        thread_ids=entries["system_vgpr_workitem_id"],
        vgprs=vgprs,
        sgprs=sgprs,
        agprs=agprs,
        lds=entries["group_segment_fixed_size"],
        scratch=entries["private_segment_fixed_size"],
        arguments=facts.given(),
        arguments_size=entries["kernarg_size"],
        most_threads=facts.numbers[".max_flat_workgroup_size"],
    )


def _setting(reader: _Reader, kernel: str, what: str) -> int:
    value = reader.settings.get(f"{kernel}.{what}", "nothing")
    if not value.isdigit():
        raise NotUnderstood(f"{kernel}.{what} set to {value}", *reader.functions[kernel].at)
    return int(value)


def _check_code(function: _Function) -> None:
    """Refuse calls, and branches to labels that the kernel does not have."""
    for instruction in function.code:
        if instruction.name in CALLS:
            raise NotUnderstood("a call of a function", instruction.line, instruction.text)
        for operand in instruction.operands:
            if isinstance(operand.value, Label) and operand.value.name not in function.labels:
                raise NotUnderstood(f"the label {operand.value.name}", instruction.line, instruction.text)
