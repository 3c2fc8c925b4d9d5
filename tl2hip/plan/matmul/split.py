"""A product whose sum several blocks share: each leaves the sums of its slice in the workspace, and a second launch
adds those of each element up, always in the same order, and does what is done with an element.

In the workspace a slice of the product is rows of fragments as the matrix instructions leave them: lanes side by
side write and read 16 bytes side by side, whatever the extents are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product as product_of

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, ZERO, add, ceil_div, floor_div, minimum, modulo, mul, number, product, value_of
from tl2hip.nest.ir import Binary, Compare, Expr, Load, Logic, Select, Store, Var
from tl2hip.plan.gfx942 import ACCESS_BYTES, WAVE
from tl2hip.plan.ir import DeclareVector, DeviceIf, DeviceStmt, For, HostLet, Let, LoadVector, StoreVector
from tl2hip.plan.leave import share_of, sliced
from tl2hip.plan.matmul.cost import longest_whole, most_blocks, slices, task_of
from tl2hip.plan.matmul.epilogue import Epilogue
from tl2hip.plan.matmul.find import MatrixProduct
from tl2hip.plan.matmul.side import each, put
from tl2hip.plan.matmul.tile import Tile
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import Remark
from tl2hip.plan.names import called
from tl2hip.plan.private import linear
from tl2hip.plan.state import State
from tl2hip.plan.tree import SliceTree
from tl2hip.plan.widen import Moves

WAVES = 4
"""Waves of a block that adds slices up, each with a fragment of the result: one for each SIMD of a compute unit."""

UNDER_WAY = 4
"""Slices of which a lane loads its part at a time."""


SLICE = Var("block.y", I64)
"""Which slice a block sums."""


@dataclass(frozen=True, slots=True)
class Split:
    """The sum of a product cut into `count` slices of `each` elements, the last of which may be shorter; `lets` is
    what of that the launcher finds out. `partials` is the array in the workspace, `pieces` are vectors for
    what a lane moves of it at a time, `batch` which product of how many it is. Sums of fewer than `least` elements
    are not cut."""

    product: MatrixProduct
    tile: Tile
    each: Expr
    count: Expr
    lets: tuple[HostLet, ...]
    partials: str
    pieces: str
    batch: tuple[tuple[Expr, Expr], ...]
    least: int

    @property
    def always(self) -> bool:
        """Whether the sum surely has several slices."""
        return (value_of(self.count) or 1) > 1

    def head(self, words: Words) -> Iterator[DeviceStmt]:
        """Which slice a block sums, and where it begins and ends."""
        (first, end), over = self.ends(words), self.product.over.axis
        yield Let(first.name, mul(SLICE, self.each), "int")
        yield Let(end.name, minimum(add(first, self.each), over.stop), "int")

    def ends(self, words: Words) -> tuple[Var, Var]:
        """Where in the sum a block's slice begins and ends."""
        name = called(self.product.over.axis)
        return words.var(f"{name}_from"), words.var(f"{name}_to")

    def left(self, words: Words, sums: tuple[str, ...], row: Expr, column: Expr) -> Iterator[DeviceStmt]:
        """Leaves the sums of a wave, whose first row and column of the result these are."""
        t, p = self.tile, self.product
        r, c, e = (words.index(n) for n in "rce")
        (down, across), m = t.fragments, t.mfma.m
        stores: list[DeviceStmt] = []
        for n, (which, q, h) in enumerate(self._pieces()):
            fragment = add(mul(c, number(t.joined)), number(q))
            taken = Load(sums[which], (r, fragment, add(e, number(h * self._width))), p.dtype, True)
            at = add(floor_div(row, m), r), add(floor_div(column, m), fragment)
            place = self._place(words, SLICE, which, *at, h)
            stores += (
                each(e.axis, self._width, (Store(self.pieces, (number(n), e), taken, True),)),
                StoreVector(self.partials, (place,), self.pieces, (number(n),)),
            )
        yield Remark("The sums of this slice, as the lanes have them: the next launch adds the slices up.")
        inside = self._inside(add(row, mul(r, number(m))), add(column, mul(c, number(m * t.joined))))
        kept = DeviceIf(inside, tuple(stores))
        yield DeclareVector(self.pieces)
        yield each(r.axis, down, (each(c.axis, across // t.joined, (kept,)),))

    def _pieces(self) -> Iterator[tuple[int, int, int]]:
        """The sum, the fragment, and the number in it, of what a lane moves at a time, of fragments whose columns
        take turns."""
        t = self.tile
        return product_of(range(t.results), range(t.joined), range(t.mfma.result_slots // self._width))

    def _inside(self, row: Expr, column: Expr) -> Expr:
        """Whether fragments that start there have elements of the result."""
        p = self.product
        return Logic("and", Compare("<", row, p.rows.stop), Compare("<", column, p.columns.stop))

    @property
    def _width(self) -> int:
        """Elements that a lane moves at a time."""
        return ACCESS_BYTES // self.product.dtype.bytes

    def _place(self, words: Words, slice_: Expr, which: int, row: Expr, column: Expr, h: int) -> Expr:
        """Where piece h of a lane lies, of a fragment of a sum of a slice, counted along rows and columns."""
        rows, columns = fragments_of(self.product, self.tile)
        part = add(mul(linear((*self.batch, (slice_, self.count))), number(self.tile.results)), number(which))
        fragment = linear(((column, columns), (row, rows), (part, ONE)))
        inside = add(mul(words.var("lane"), number(self._width)), number(h * WAVE * self._width))
        return add(mul(fragment, number(self.tile.mfma.m**2)), inside)

    # --- the second launch -------------------------------------------------------------------------------

    @property
    def added(self) -> Tile:
        """The tile of a block that adds slices up: a fragment a wave, or some whose columns take turns."""
        t, m = self.tile, self.tile.mfma.m
        across = _shared(t.columns // (m * t.joined), WAVES)
        down = _shared(t.rows // m, WAVES // across)
        return replace(t, rows=down * m, columns=across * m * t.joined, down=down, across=across)

    def finish(self, state: State, sums: tuple[str, ...], moves: Moves | None) -> Iterator[DeviceStmt]:
        """The statements of a block that adds slices up."""
        p, t, words = self.product, self.added, Words(state.names)
        m, width = t.mfma.m, self._width
        yield Remark(f"Which thread this is, and which {t.rows} x {t.columns} elements its block adds up.")
        yield Let(words.name("thread"), Var("thread.x", I64), "int")
        yield Let(words.name("lane"), modulo(words.var("thread"), WAVE), "int")
        yield Let(words.name("wave"), floor_div(words.var("thread"), WAVE), "uniform")
        row, column = words.var(f"{p.rows.name}_tile"), words.var(f"{p.columns.name}_tile")
        yield Let(row.name, mul(Var("block.y", I64), number(t.rows)), "uniform")
        yield Let(column.name, mul(Var("block.x", I64), number(t.columns)), "uniform")
        down = floor_div(words.var("wave"), t.across) if t.down > 1 else ZERO
        across = modulo(words.var("wave"), t.across)
        for one in sums:
            yield DeclareVector(one, zeros=True)
        yield DeclareVector(self.pieces)
        e, n = words.index("e"), words.index("slice")
        body: list[DeviceStmt] = []
        for k, (which, q, h) in enumerate(self._pieces()):
            slot = (ZERO, number(q), add(e, number(h * width)))
            before, new = Load(sums[which], slot, p.dtype, True), Load(self.pieces, (number(k), e), p.dtype, True)
            fragment = add(add(floor_div(column, m), mul(across, number(t.joined))), number(q))
            place = self._place(words, n, which, add(floor_div(row, m), down), fragment, h)
            body.append(LoadVector(self.pieces, self.partials, (place,), (number(k),)))
            body.append(each(e.axis, width, (Store(sums[which], slot, Binary("+", before, new), True),)))
        note, at = "all slices, always in this order", p.over.at
        added = For(n.axis, ZERO, self.count, ONE, tuple(body), unroll=UNDER_WAY, small=True, note=note, at=at)
        first = add(row, mul(down, number(m))), add(column, mul(across, number(m * t.joined)))
        yield DeviceIf(self._inside(*first), (added,), note="a fragment of the result")
        yield from Epilogue(words, state, p, t, sums, row, column, down, across, moves).whole()

    @property
    def finish_grid(self) -> tuple[Expr, Expr]:
        """Blocks along x and y that add up one product."""
        rows, columns = tiles_of(self.product, self.added)
        return columns, rows

    @property
    def tree(self) -> SliceTree:
        """How many additions an element goes through, where there surely are several slices."""
        return SliceTree(1, value_of(self.count) or 1, self.tile.depth)


def split(state: State, p: MatrixProduct, t: Tile, batch: tuple[tuple[Expr, Expr], ...]) -> Split | None:
    """How the sum of a product is shared by blocks; None where one block takes all of it. `batch` has number and
    count of the products along each axis of a batch, the innermost first."""
    over, tiles = p.over.axis, product((*tiles_of(p, t), *(n for _, n in batch)))
    if p.whole:
        return None
    share, size, least = _share(p, t, tiles)
    if value_of(share) == 1:
        return None
    first: tuple[HostLet, ...] = ()
    if value_of(share) is None:
        name = state.names.fresh(f"{called(over)}_share", keep=True)
        first = (HostLet(name, share, "slices that the sum may have, so that no compute unit is left idle"),)
        share = Var(name, I64)
    each_, count, lets = sliced(state, over, over.stop, t.depth, share, f"what of {called(over)} each slice takes")
    if value_of(count) in (0, 1):
        return None
    lets = (*first, *lets)
    name = "_".join(dict.fromkeys(p.names))
    partials = state.workspace(f"{name}_slices", p.dtype, (size,))
    width, results = ACCESS_BYTES // p.dtype.bytes, t.results * t.joined
    pieces = put(state, f"{name}_pieces", p.dtype, (results * t.mfma.result_slots // width, width), "vector")
    return Split(p, t, each_, count, lets, partials, pieces, batch, least)


def _share(p: MatrixProduct, t: Tile, tiles: Expr) -> tuple[Expr, Expr, int]:
    """Slices that the sum of each of so many tiles may have, how many elements all of them have at most where they
    are several, and from which length of the sum on they may be: as many slices as leave no compute unit idle,
    where the sum is so long that this takes less time."""
    over, task = p.over.axis, task_of(p)
    if task.slices is not None or value_of(tiles) is not None and value_of(over.stop) is not None:
        many = number(slices(t, task))
        products = (p.chain.axes[n].stop for n in p.batch)
        return many, product((many, *products, *fragments_of(p, t), number(t.results * t.mfma.m**2))), 0
    least = longest_whole(t, task)
    some, length = share_of(tiles, most_blocks(t)), value_of(over.stop)
    if length is None:
        some = Select(Compare("<", over.stop, number(least)), ONE, some)
    size = number(most_blocks(t) * t.rows * t.width)
    return (ONE if length is not None and length < least else some), size, least


def tiles_of(p: MatrixProduct, t: Tile) -> tuple[Expr, Expr]:
    """Tiles along rows and along columns."""
    down = ceil_div(p.rows.stop, t.rows) if p.ragged is None else p.ragged.tiles(t.rows)
    return down, ceil_div(p.columns.stop, t.columns)


def fragments_of(p: MatrixProduct, t: Tile) -> tuple[Expr, Expr]:
    """Fragments of one product along rows and along columns, of these all whose columns take turns."""
    m = t.mfma.m
    return ceil_div(p.rows.stop, m), mul(ceil_div(p.columns.stop, m * t.joined), number(t.joined))


def _shared(count: int, most: int) -> int:
    """The largest power of two up to `most` that divides a count."""
    while count % most:
        most //= 2
    return most
