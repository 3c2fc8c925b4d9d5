"""From an offset in a compiled library to the line of the HIP text: a reader of DWARF 4 line tables.

Written out because no debugger or symboliser comes with the compiler's wheel. The library is compiled
with `-gdwarf-4 -gline-tables-only` from the single file `kernel.hip`.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tl2hip.prove.emulate.elf import sections

# Operands of the standard opcodes beyond those read here are skipped by the table's own lengths.
COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN = 1, 2, 3, 4, 5
CONST_ADD_PC, FIXED_ADVANCE_PC = 8, 9
END_SEQUENCE, SET_ADDRESS = 1, 2


@dataclass(frozen=True, slots=True)
class LineTable:
    """Sorted code offsets and the line that begins at each; 0 where the code is not from the text."""

    offsets: tuple[int, ...]
    lines: tuple[int, ...]

    def line(self, offset: int) -> int:
        """The line of the text that the instruction ending at `offset` (a return address) belongs to, or 0."""
        at = bisect_right(self.offsets, offset - 1) - 1
        return self.lines[at] if at >= 0 else 0


def read_lines(library: Path, file_name: str = "kernel.hip") -> LineTable:
    """The line table of a shared library, for one source file."""
    data = b"".join(part.data for part in sections(library.read_bytes()) if part.name == ".debug_line")
    rows: list[tuple[int, int]] = []
    at = 0
    while at < len(data):
        end = at + 4 + struct.unpack_from("<I", data, at)[0]
        rows.extend(_Unit(data[at:end], file_name).rows())
        at = end
    # At one offset the last row counts, and the end of a sequence gives way to the start of another.
    table: dict[int, int] = {}
    for offset, line in rows:
        if line or offset not in table:
            table[offset] = line
    ordered = sorted(table.items())
    return LineTable(tuple(offset for offset, _ in ordered), tuple(line for _, line in ordered))


class _Unit:
    """One line program: its header, then a machine that emits rows."""

    def __init__(self, data: bytes, file_name: str) -> None:
        self.data = data
        self.at = 4
        version = self.fixed("<H")
        if version != 4:
            raise ValueError(f"line table of DWARF {version}; 4 was asked for")
        program = self.fixed("<I") + self.at
        self.unit_bytes, _, _ = self.fixed("<B"), self.fixed("<B"), self.fixed("<B")
        self.line_base, self.line_range, self.opcode_base = self.fixed("<b"), self.fixed("<B"), self.fixed("<B")
        self.lengths = [0, *(self.fixed("<B") for _ in range(self.opcode_base - 1))]
        while self.text():
            pass
        self.files = [""]
        while name := self.text():
            self.files.append(name)
            for _ in range(3):
                self.unsigned()
        self.wanted = {n for n, name in enumerate(self.files) if name.rpartition("/")[2] == file_name}
        self.at = program

    def fixed(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return int(value)

    def text(self) -> str:
        end = self.data.index(b"\0", self.at)
        found = self.data[self.at : end].decode()
        self.at = end + 1
        return found

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self) -> int:
        start = self.at
        value = self.unsigned()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) else value

    def rows(self) -> Iterator[tuple[int, int]]:
        address, file, line = 0, 1, 1
        while self.at < len(self.data):
            code = self.fixed("<B")
            if code >= self.opcode_base:
                step = code - self.opcode_base
                address += step // self.line_range * self.unit_bytes
                line += self.line_base + step % self.line_range
                yield address, line if file in self.wanted else 0
            elif code == 0:
                length = self.unsigned()
                after = self.at + length
                kind = self.fixed("<B")
                if kind == SET_ADDRESS:
                    address = self.fixed("<Q")
                elif kind == END_SEQUENCE:
                    yield address, 0
                    address, file, line = 0, 1, 1
                self.at = after
            elif code == COPY:
                yield address, line if file in self.wanted else 0
            elif code == ADVANCE_PC:
                address += self.unsigned() * self.unit_bytes
            elif code == ADVANCE_LINE:
                line += self.signed()
            elif code == SET_FILE:
                file = self.unsigned()
            elif code == CONST_ADD_PC:
                address += (255 - self.opcode_base) // self.line_range * self.unit_bytes
            elif code == FIXED_ADVANCE_PC:
                address += self.fixed("<H")
            else:
                for _ in range(self.lengths[code]):
                    self.unsigned()
