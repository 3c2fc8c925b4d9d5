"""How a tile of one factor gets from memory into LDS: which lane moves which pieces, and where they lie there.

In LDS a tile is rows of the factor's own axis, each with consecutive elements of the sum, whatever the order in
memory: the matrix instructions want consecutive elements of the sum in a lane. Where memory runs along the sum, a
lane moves pieces as they are. Where it runs along the other axis, a lane takes pieces of several rows of memory,
turns them in registers and writes shorter pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from tl2hip.nest.index import add, floor_div, modulo, mul, number, value_of, xor
from tl2hip.nest.ir import Expr
from tl2hip.plan.gfx942 import WAVE
from tl2hip.plan.layout.count import lds
from tl2hip.plan.layout.lds import Tile as LdsTile
from tl2hip.plan.layout.lds import padded, swizzled, transposing
from tl2hip.plan.matmul.factors import Operand
from tl2hip.plan.matmul.tile import Tile

LINE = 128
"""Bytes of a line of the L2 cache: lanes side by side should take whole ones (AMD CDNA 3 white paper)."""


@dataclass(frozen=True, slots=True)
class Fill:
    """The fill of a tile of `rows` rows.

    A lane takes `run` elements of memory at a time. `turn` is 1 where these pieces are moved as they are; else so
    many rows of memory are turned together, and a piece in LDS has so many elements. `near` neighbouring lanes take
    neighbouring pieces of memory, and `deep` groups of them the rows behind, before lanes go on along memory. `pad`
    elements lie between rows in LDS; with none, pieces change places instead, as `layout.lds` says of `left`. The
    rows of `joined` fragments take turns by `mfma.run`: those that follow each other in memory meet in one lane.
    """

    operand: Operand
    tile: Tile
    rows: int
    run: int
    turn: int = 1
    near: int = 1
    deep: int = 1
    left: int = 0
    pad: int = 0
    joined: int = 1

    @property
    def layout(self) -> LdsTile:
        """Where elements lie in LDS: free of bank conflicts for reads of fragments and for this fill, or with the
        pad that the user says."""
        row = self.tile.depth * self.tile.bytes
        if self.pad:
            return padded(self.rows, row, self.pad * self.tile.bytes)
        return swizzled(self.rows, row) if self.turn == 1 else transposing(self.rows, row, self.left)

    @property
    def pitch(self) -> int:
        """Elements from one row in LDS to the next."""
        return self.tile.depth + self.pad

    @property
    def loads(self) -> int:
        """Pieces that a lane loads of each tile."""
        return self.rows * self.tile.depth // self.run // self.tile.threads

    @property
    def stores(self) -> int:
        """Pieces that a lane writes to LDS of each tile."""
        return self.loads if self.turn == 1 else self.loads // self.turn * self.run

    @property
    def columns(self) -> int:
        """Pieces of the tile along memory, where they are turned."""
        return self.rows // self.run

    # --- in memory ---------------------------------------------------------------------------------------

    def row(self, thread: Expr) -> Expr:
        """The row of the tile at which a thread's first load starts: its row, or the first of a piece's."""
        t = self.tile
        if self.turn == 1:
            return floor_div(thread, t.row_pieces)
        far = mul(modulo(floor_div(thread, self.near * self.deep), self.columns // self.near), number(self.near))
        return mul(add(modulo(thread, self.near), far), number(self.run))

    def k(self, thread: Expr) -> Expr:
        """The element of the sum at which a thread's first load starts."""
        if self.turn == 1:
            return mul(modulo(thread, self.tile.row_pieces), number(self.tile.piece))
        far = mul(floor_div(thread, self.deep * self.columns), number(self.deep))
        return mul(add(modulo(floor_div(thread, self.near), self.deep), far), number(self.turn))

    @property
    def rows_apart(self) -> int:
        """Rows from one load of a thread to the next, where pieces are moved as they are."""
        return self.tile.threads // self.tile.row_pieces

    @property
    def k_apart(self) -> int:
        """Elements of the sum from one group of `turn` loads of a thread to the next."""
        return self.tile.threads // self.columns * self.turn

    def row_of(self, first: Expr, load: Expr) -> Expr:
        """The row at which another load of the thread starts."""
        return add(first, mul(load, number(self.rows_apart))) if self.turn == 1 else first

    def k_of(self, first: Expr, load: Expr) -> Expr:
        """The element of the sum at which another load of the thread starts."""
        if self.turn == 1:
            return first
        if self.loads == self.turn:
            return add(first, load)
        again = mul(floor_div(load, self.turn), number(self.k_apart))
        return add(first, add(again, modulo(load, self.turn)))

    # --- in LDS ------------------------------------------------------------------------------------------

    def in_memory(self, row: Expr) -> Expr:
        """The row of the tile in memory that lies at a row in LDS."""
        m, run, joined = self.tile.mfma.m, self.tile.mfma.run, self.joined
        if joined == 1:
            return row
        fragment, turn = floor_div(modulo(row, m * joined), m), floor_div(modulo(row, m), run)
        inside = add(mul(turn, number(run * joined)), add(mul(fragment, number(run)), modulo(row, run)))
        return add(mul(floor_div(row, m * joined), number(m * joined)), inside)

    def in_lds(self, row: Expr, below: int | None = None) -> Expr:
        """Where in LDS a row of the tile in memory lies; `below`: what its number stays below."""
        m, run, joined = self.tile.mfma.m, self.tile.mfma.run, self.joined
        if joined == 1 or (below or m) <= run:
            return row
        fragment, turn = floor_div(row, run), floor_div(row, run * joined)
        if below is not None and below <= run * joined:
            return add(mul(fragment, number(m)), modulo(row, run))
        inside = add(mul(modulo(turn, m // run), number(run)), modulo(row, run))
        inside = add(mul(modulo(fragment, joined), number(m)), inside)
        return add(mul(floor_div(row, m * joined), number(m * joined)), inside)

    @property
    def width(self) -> int:
        """Elements of a piece in LDS."""
        return self.run if self.turn == 1 else self.turn

    def element(self, row: Expr, k: Expr) -> Expr:
        """Where an element lies, for a row and an element of the sum at the start of a piece in LDS."""
        inside = xor(k, mul(self.phase(row), number(self.tile.piece)))
        return add(mul(row, number(self.pitch)), inside)

    def moved(self, base: Expr, row: Expr, below: int, k: int | Expr) -> Expr:
        """The place `row` rows (fewer than `below`) and `k` elements on from a place, where no bit of these is set
        in the place's own row and element: then the swizzle is a number to xor. Rows with a pad have none."""
        k = number(k) if isinstance(k, int) else k
        if self.pad:
            return add(base, add(mul(row, number(self.pitch)), k))
        mask = xor(k, mul(self.phase(row, below), number(self.tile.piece)))
        return add(xor(base, mask), mul(row, number(self.tile.depth)))

    def phase(self, row: Expr, below: int | None = None) -> Expr:
        """What the numbers of a row's pieces are xored with; `below`: what the row number stays below."""
        phase: Expr = number(0)
        for low, mask, left in self.layout.xor_terms():
            if below is not None and below <= 1 << low:
                continue
            bits = floor_div(row, 1 << low)
            if below is None or below > (mask + 1) << low:
                bits = modulo(bits, mask + 1)
            phase = xor(phase, mul(bits, number(1 << left)))
        return phase

    def splits(self, waves: int) -> bool:
        """Whether the rows of fragments, counted from a wave's first, are xored on their own. Those of lanes inside
        a fragment always are: they have bits of the row's number to themselves."""
        xored, wave = self.layout.piece_xor, self.rows // waves
        fragments = range(0, wave, self.tile.mfma.m)
        return all(xored(w * wave + n) == xored(w * wave) ^ xored(n) for w in range(waves) for n in fragments)

    # --- what it costs -----------------------------------------------------------------------------------

    def conflicts(self) -> int:
        """Clocks that bank conflicts add to the writes of one wave's first piece."""
        lanes = [number(lane) for lane in range(WAVE)]
        places = [_value(self.element(self.in_lds(self.row(x)), self.k(x))) * self.tile.bytes for x in lanes]
        return lds(places, self.width * self.tile.bytes, write=True).extra


def _value(e: Expr) -> int:
    """The value of an expression over constants."""
    value = value_of(e)
    assert value is not None, e
    return value


def fill(operand: Operand, tile: Tile, rows: int, pad: int, joined: int = 1) -> Fill | None:
    """The fill of a factor's tile; None where the threads do not share it evenly."""
    if operand.along == "over":
        return Fill(operand, tile, rows, tile.piece, pad=pad, joined=joined)
    if operand.value is None:
        return _turned(operand, tile, rows, pad, joined)
    return _computed(operand, tile, rows, joined)


@cache
def _turned(operand: Operand, tile: Tile, rows: int, pad: int, joined: int) -> Fill | None:
    """The first fill whose writes meet in no bank, else the one with the fewest that do. Pieces of 8 bytes are
    taken from memory only where threads do not share those of 16 evenly: small tiles have too few."""
    for run in (tile.piece, tile.piece // 2):
        found: list[tuple[int, Fill]] = []
        for f in _turning(Fill(operand, tile, rows, run, pad=pad, joined=joined)):
            conflicts = f.conflicts()
            if conflicts == 0:
                return f
            found.append((conflicts, f))
        if found:
            return min(found, key=lambda x: x[0])[1]
    return None


@cache
def _computed(operand: Operand, tile: Tile, rows: int, joined: int) -> Fill | None:
    """The fill of a factor that is computed, in blocks of about as many elements along memory as along the sum: the
    fewer accesses either side has, the better."""
    runs = (n for n in (tile.piece, tile.piece // 2, tile.piece // 4) if n)
    found = [f for run in runs for f in _turning(Fill(operand, tile, rows, run, joined=joined))]
    return min(found, key=lambda f: (f.conflicts() > 0, f.stores + f.loads), default=None)


def _turning(like: Fill) -> Iterator[Fill]:
    """Fills like one that all threads share evenly, the best first: wide writes, then whole lines of memory, then
    lanes that stay close to each other."""
    tile, run = like.tile, like.run
    if run == 1 or like.rows % run:
        return
    columns = like.rows // run
    for turn in (16, 8, 4, 2):
        if turn * tile.bytes in (4, 8, 16) and tile.depth % turn == 0:
            for near in (LINE // (run * tile.bytes), 16, 4, 2, 1):
                for deep in (1, 2, 4, 8):
                    f = replace(like, turn=turn, near=near, deep=deep)
                    if columns % near == 0 and near * deep <= WAVE and _even(f):
                        yield from (f,) if f.pad else (replace(f, left=left) for left in range(3))


def _even(f: Fill) -> bool:
    """Whether every thread turns as many whole groups of rows as any other."""
    t = f.tile
    blocks = t.depth // f.turn * f.columns
    return f.loads % f.turn == 0 and blocks % t.threads == 0 and t.threads % (f.deep * f.columns) == 0
