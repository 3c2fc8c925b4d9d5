"""From an offset in a compiled library to the calls around it: of functions inlined, as DWARF 4 tells them.

The library is compiled with `-gdwarf-4 -gline-tables-only`, which tells of them nothing but their places.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tl2hip.prove.emulate.elf import sections

INLINED, UNIT = 0x1D, 0x11
LOW, HIGH, RANGES, CALL_LINE = 0x11, 0x12, 0x55, 0x59
FIXED = {0x01: 8, 0x05: 2, 0x06: 4, 0x07: 8, 0x0B: 1, 0x0C: 1, 0x0E: 4, 0x10: 4, 0x13: 4, 0x17: 4, 0x19: 0}
"""Bytes of the forms of attributes that have as many: addr, data2, data4, data8, data1, flag, strp, ref_addr, ref4,
sec_offset, flag_present."""
ADDRESS, STRING, SIGNED, UNSIGNED, EXPRESSION = 0x01, 0x08, 0x0D, 0x0F, 0x18
Attributes = dict[int, int]


@dataclass(frozen=True, slots=True)
class Call:
    """An inlined call: its line, how many others stand around it, and the offsets of its code."""

    line: int
    depth: int
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Calls:
    """All inlined calls of a library."""

    found: tuple[Call, ...]

    def lines(self, offset: int) -> tuple[int, ...]:
        """The lines of the calls around the instruction that ends at `offset`, the outermost first."""
        here = [one for one in self.found if any(low < offset <= high for low, high in one.ranges)]
        return tuple(one.line for one in sorted(here, key=lambda one: one.depth))


def read_calls(library: Path) -> Calls:
    """The inlined calls of a shared library."""
    parts = {part.name: part.data for part in sections(library.read_bytes())}
    data = parts.get(".debug_info", b"")
    found: list[Call] = []
    at = 0
    while at < len(data):
        end = at + 4 + int(struct.unpack_from("<I", data, at)[0])
        found.extend(_Reader(data[at:end], parts[".debug_abbrev"], parts.get(".debug_ranges", b"")).calls())
        at = end
    return Calls(tuple(found))


class _Bytes:
    """Numbers, one after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def fixed(self, size: int) -> int:
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def number(self) -> int:
        """One of as many bytes as it needs."""
        value = shift = 0
        while True:
            byte = self.fixed(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value


class _Reader:
    """One compilation unit."""

    def __init__(self, data: bytes, abbreviations: bytes, ranges: bytes) -> None:
        self.ranges = ranges
        self.entries = _Bytes(data, 4)
        version = self.entries.fixed(2)
        if version != 4:
            raise ValueError(f"debug information of DWARF {version}; 4 was asked for")
        self.kinds = _abbreviations(_Bytes(abbreviations, self.entries.fixed(4)))
        self.entries.fixed(1)
        self.base = 0

    def calls(self) -> Iterator[Call]:
        """The inlined calls, those around others first."""
        open_: list[bool] = []
        while self.entries.at < len(self.entries.data):
            code = self.entries.number()
            if not code:
                if open_:
                    open_.pop()
                continue
            tag, has_children, forms = self.kinds[code]
            found, size = self.attributes(forms)
            if tag == UNIT:
                self.base = found.get(LOW, 0)
            if tag == INLINED:
                yield Call(found.get(CALL_LINE, 0), sum(open_), tuple(self.places(found, size)))
            if has_children:
                open_.append(tag == INLINED)

    def attributes(self, forms: list[tuple[int, int]]) -> tuple[Attributes, bool]:
        """Those of an entry, and whether its end is told as a size."""
        found, is_size = {}, False
        for name, form in forms:
            if form in FIXED:
                found[name] = self.entries.fixed(FIXED[form])
            elif form in (SIGNED, UNSIGNED):
                found[name] = self.entries.number()
            elif form == STRING:
                self.entries.at = self.entries.data.index(b"\0", self.entries.at) + 1
            elif form == EXPRESSION:
                self.entries.at += self.entries.number()
            else:
                raise ValueError(f"the form {form:#x} of debug information is not known")
            if name == HIGH:
                is_size = form != ADDRESS
        return found, is_size

    def places(self, found: Attributes, is_size: bool) -> Iterator[tuple[int, int]]:
        """Where the code of an entry begins and ends."""
        if RANGES not in found:
            low, high = found.get(LOW, 0), found.get(HIGH, 0)
            yield low, low + high if is_size else high
            return
        ranges, base = _Bytes(self.ranges, found[RANGES]), self.base
        while True:
            low, high = ranges.fixed(8), ranges.fixed(8)
            if not (low or high):
                return
            if low == (1 << 64) - 1:
                base = high
            else:
                yield base + low, base + high


def _abbreviations(table: _Bytes) -> dict[int, tuple[int, bool, list[tuple[int, int]]]]:
    """By number an entry's tag, whether it has others inside, and its attributes with their forms."""
    kinds = {}
    while code := table.number():
        tag, children = table.number(), table.fixed(1) == 1
        forms = []
        while (form := (table.number(), table.number())) != (0, 0):
            forms.append(form)
        kinds[code] = (tag, children, forms)
    return kinds
