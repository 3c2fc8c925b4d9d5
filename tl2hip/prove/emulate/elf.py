"""The sections of a compiled library."""

from __future__ import annotations

import struct
from dataclasses import dataclass

NO_BITS = 8  # a section type: zeros that take no room in the file


@dataclass(frozen=True, slots=True)
class Section:
    """A named piece of a library: where it is loaded (an offset in the image), its size in bytes, its bytes."""

    name: str
    address: int
    size: int
    data: bytes


def sections(elf: bytes) -> tuple[Section, ...]:
    """The sections of a 64-bit little-endian ELF file, in its order."""
    (table,) = struct.unpack_from("<Q", elf, 40)
    entry, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + index * entry) for index in range(count)]
    names_at = headers[names][4]
    found = []
    for name, kind, _, address, offset, size in headers:
        start = names_at + name
        data = b"" if kind == NO_BITS else elf[offset : offset + size]
        found.append(Section(elf[start : elf.index(b"\0", start)].decode(), address, size, data))
    return tuple(found)
