"""Where the elements of a tile lie in LDS: rows a pitch apart, and pieces of a row permuted by the row's number.

A swizzle is linear over GF(2): each bit of the row number has a mask, and piece p of row r lies at place
p ^ (xor of the masks of the bits set in r). It only permutes pieces inside a row, so it can always be undone.
Whether it avoids bank conflicts is counted (`count.py`), never derived.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from tl2hip.plan.layout.gf2 import apply, log2

BANKS_BYTES = 128
"""LDS of gfx942 has 32 banks of 4 bytes (CDNA3 ISA guide)."""


class XorTerm(NamedTuple):
    """`((row >> low) & mask) << left`, one part of a swizzle; the parts are combined by xor."""

    low: int
    mask: int
    left: int


@dataclass(frozen=True)
class Tile:
    """`rows` rows of `row_bytes` bytes, `pitch` bytes apart, in pieces of `piece` bytes (8 or 16).

    `swizzle` has a mask of piece numbers for each bit of the row number, lowest first; bits past it have none.
    ValueError where a swizzle leaves its row, pieces do not divide it, or rows overlap.
    """

    rows: int
    row_bytes: int
    pitch: int
    swizzle: tuple[int, ...] = ()
    piece: int = 16

    def __post_init__(self) -> None:
        if self.piece not in (8, 16) or self.rows < 1 or self.row_bytes < 1 or self.row_bytes % self.piece:
            raise ValueError(f"{self.rows} rows of {self.row_bytes} bytes are no pieces of {self.piece} bytes")
        if self.pitch < self.row_bytes or self.pitch % self.piece:
            raise ValueError(f"rows of {self.row_bytes} bytes in pieces of {self.piece} have no pitch {self.pitch}")
        if any(not 0 <= mask < _free(self.row_bytes // self.piece) for mask in self.swizzle):
            raise ValueError(f"the swizzle {self.swizzle} leaves rows of {self.row_bytes // self.piece} pieces")

    @property
    def bytes(self) -> int:
        """What the tile takes; the pad after the last row counts, so that buffers can lie side by side."""
        return self.rows * self.pitch

    def piece_xor(self, row: int) -> int:
        """What the piece numbers of a row are xored with."""
        return apply(self.swizzle, row)

    def address(self, row: int, byte: int) -> int:
        """The address in bytes, from the tile's start, of a byte of a row; ValueError outside the tile."""
        if not (0 <= row < self.rows and 0 <= byte < self.row_bytes):
            raise ValueError(f"row {row}, byte {byte} is outside {self.rows} rows of {self.row_bytes} bytes")
        piece, inside = divmod(byte, self.piece)
        return row * self.pitch + (piece ^ self.piece_xor(row)) * self.piece + inside

    def xor_terms(self) -> tuple[XorTerm, ...]:
        """The swizzle as few shifts and masks of the row number: a value to xor with the piece number.

        >>> transposing(64, 128).xor_terms()
        (XorTerm(low=0, mask=7, left=0), XorTerm(low=3, mask=7, left=0))
        """
        terms: list[XorTerm] = []
        bits = [(low, bit) for low, m in enumerate(self.swizzle) for bit in range(m.bit_length()) if m >> bit & 1]
        for low, left in sorted(bits, key=lambda b: (b[0] - b[1], b[0])):
            last = terms[-1] if terms else None
            if last and (low - last.low, left - last.left) == (last.mask.bit_length(),) * 2:
                terms[-1] = last._replace(mask=last.mask * 2 + 1)
            else:
                terms.append(XorTerm(low, 1, left))
        return tuple(terms)


def _free(pieces: int) -> int:
    """How many pieces a swizzle may permute: the largest power of two that divides the row's pieces."""
    return max(1, pieces & -pieces)


@cache
def padded(rows: int, row_bytes: int, pad: int = 0, piece: int = 16) -> Tile:
    """No swizzle, `pad` bytes between rows."""
    return Tile(rows, row_bytes, row_bytes + pad, (), piece)


@cache
def swizzled(rows: int, row_bytes: int, piece: int = 16) -> Tile:
    """piece ^= row / max(1, 128/P) % min(128/piece, P/piece), for rows of P bytes.

    Where P is a power of two it is free of conflicts for operand reads of both matrix shapes and for fills along
    rows, with accesses as wide as a piece. Other rows permute as many pieces as a power of two divides theirs; that
    may leave conflicts: count them, and compare with `padded`.

    >>> [swizzled(64, 64).piece_xor(row) for row in range(10)]
    [0, 0, 1, 1, 2, 2, 3, 3, 0, 0]
    """
    first = _rows_of_banks(row_bytes)
    return Tile(rows, row_bytes, row_bytes, (0,) * first + _cycle(row_bytes, piece), piece)


@cache
def transposing(rows: int, row_bytes: int, left: int = 0) -> Tile:
    """As `swizzled`, and rows 8 apart differ too: piece ^= phase(row) ^ phase(row / 8), pieces of 16 bytes.

    For rows of 128 bytes and more this is (row ^ row / 8) % 8. Lanes that hold 8 consecutive rows, transposed in
    registers, also write 16 bytes each without conflicts; rows of 64 bytes do so two ways, which no linear swizzle
    beats (8 rows always begin at the same bank).

    `left` turns the bits of the second phase by so many places. Lanes that write fewer bytes each, to few rows,
    fill 2 or 4 pieces side by side in each: there rows 8 apart must differ by as many pieces.

    >>> [transposing(32, 128, 1).piece_xor(row) for row in (0, 8, 16, 24)]
    [0, 2, 4, 6]
    """
    first, cycle = _rows_of_banks(row_bytes), _cycle(row_bytes, 16)
    masks = [0] * (first + 3 + len(cycle))
    for bit, mask in enumerate(cycle):
        masks[first + bit] ^= mask
        masks[first + 3 + bit] ^= cycle[(bit + left) % len(cycle)]
    return Tile(rows, row_bytes, row_bytes, tuple(masks))


def _rows_of_banks(row_bytes: int) -> int:
    """Log2 of how many rows fit into one pass over all banks."""
    return (BANKS_BYTES // row_bytes).bit_length() - 1 if row_bytes <= BANKS_BYTES else 0


def _cycle(row_bytes: int, piece: int) -> tuple[int, ...]:
    """The masks of the row bits that step through the pieces."""
    steps = min(BANKS_BYTES // piece, _free(row_bytes // piece))
    return tuple(1 << bit for bit in range(log2(steps, "the pieces that change places")))
