"""What a transpose turns over, and how its tiles lie in the problem and in LDS."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import DType
from tl2hip.nest.index import add, ceil_div, floor_div, modulo, mul, number, product, trip_count, xor
from tl2hip.nest.ir import Axis, Expr, Store, Update
from tl2hip.plan.gfx942 import ACCESS_BYTES
from tl2hip.plan.places import Place

BANK_BYTES = 128
"""A line of LDS: what its 32 banks give or take in a clock (CDNA3 ISA guide)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What is turned over: places that are loaded along `load` pass through LDS into a store along `store`.

    A thread turns squares of `width` rows and columns, of which 16 bytes are a row of the widest elements, and
    stores `out` elements at a time. A tile has `tile` rows and columns.
    """

    load: Axis
    store: Axis
    around: tuple[Axis, ...]
    """Other axes whose trip counts the launcher knows: tiles are numbered over all of them."""
    staged: tuple[Place, ...]
    beside: tuple[Place, ...]
    """Places that are loaded along the store's axis, as the result is."""
    stored: Store | Update
    width: int = 0
    out: int = 0
    tile: int = 0

    @property
    def pieces(self) -> int:
        """Pieces of `width` elements in a row of a tile, and squares beside each other."""
        return self.tile // self.width

    @property
    def threads(self) -> int:
        """One for each square of a tile."""
        return self.pieces * self.pieces

    @property
    def numbered(self) -> tuple[Axis, ...]:
        """The axes in the order in which tiles are numbered: those side by side along `load` are neighbours."""
        return (*self.around, self.store, self.load)

    def count(self, axis: Axis) -> Expr:
        """How many tiles lie along an axis, one for each of its values where it is around them."""
        trip = trip_count(axis.start, axis.stop, axis.step)
        return trip if axis in self.around else ceil_div(trip, self.tile)

    @property
    def tiles(self) -> Expr:
        """How many tiles there are."""
        return product(tuple(self.count(a) for a in self.numbered))

    def whole_end(self, axis: Axis) -> Expr:
        """Where the last whole square along an axis ends."""
        whole = floor_div(trip_count(axis.start, axis.stop, 1), self.width)
        return add(axis.start, mul(whole, number(self.width)))

    def share(self, dtype: DType) -> tuple[int, int]:
        """Accesses, and the elements of each, for `out` elements of a dtype."""
        each = min(self.out, ACCESS_BYTES // dtype.bytes)
        return self.out // each, each

    def rows_of_line(self, dtype: DType) -> int:
        """Rows of a tile of a dtype that share a line of LDS."""
        return max(1, BANK_BYTES // (self.tile * dtype.bytes))

    def spot(self, dtype: DType, row: Expr, square: Expr, piece: Expr) -> tuple[Expr, Expr]:
        """The line in LDS, and the first element in it, of a piece of a row; `square`: the row's number over the
        width. Squares side by side write a row each at a time, and rows are read piece by piece: both go to all
        banks, as counted in the tests."""
        pieces = BANK_BYTES // (self.width * dtype.bytes)
        if self.rows_of_line(dtype) == 1:
            return row, mul(xor(piece, modulo(square, pieces)), number(self.width))
        half = mul(modulo(xor(row, piece), 2), number(self.tile))
        return floor_div(row, 2), add(half, mul(xor(piece, square), number(self.width)))
