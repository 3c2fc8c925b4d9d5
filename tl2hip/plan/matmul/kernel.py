"""One kernel of a matrix product: a block computes a tile of the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl2hip.dtypes import I32, I64
from tl2hip.nest.index import ONE, ZERO, add, floor_div, modulo, mul, number
from tl2hip.nest.ir import Cast, Compare, Expr, Var
from tl2hip.plan.gfx942 import WAVE
from tl2hip.plan.ir import DeclareVector, DeviceIf, DeviceStmt, Let
from tl2hip.plan.matmul.computed import ComputedSide, store_computed
from tl2hip.plan.matmul.epilogue import Epilogue
from tl2hip.plan.matmul.fill import Fill
from tl2hip.plan.matmul.find import MatrixProduct
from tl2hip.plan.matmul.loop import SumLoop
from tl2hip.plan.matmul.scaling import ScaleStorage, Scaling, store_scales
from tl2hip.plan.matmul.side import Side, Storage, put, store
from tl2hip.plan.matmul.split import Split, tiles_of
from tl2hip.plan.matmul.tile import Tile
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import Remark, TakeTile
from tl2hip.plan.state import State
from tl2hip.plan.widen import Moves

GROUP = 4
"""Rows of tiles that blocks take together where the user says nothing (HipKittens' order, gfx942.md 2.1)."""


@dataclass(frozen=True, slots=True)
class TileKernel:
    """What the kernels of one product share."""

    product: MatrixProduct
    tile: Tile
    fills: tuple[Fill, ...]
    """Those of the left factor and of the right ones."""
    stored: tuple[Storage, ...]
    sums: tuple[str, ...]
    split: Split | None = None
    scales: ScaleStorage | None = None

    def body(self, state: State, moves: Moves | None, *, exact: bool = True) -> tuple[DeviceStmt, ...]:
        """The statements of a block, for factors at multiples of 16 bytes. `moves` tells what the epilogue moves in
        vectors. `exact`: what factors are computed from is read in whole vectors."""
        return tuple(self._body(state, moves, exact))

    @property
    def computes(self) -> tuple[Fill, ...]:
        """The fills of factors that are computed on their way."""
        return tuple(f for f in self.fills if f.operand.value is not None)

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of the bytes from one tile of a factor to the next."""
        scales = (h.step for h in self.scales.held) if self.scales else ()
        return (*(s.own["step"] for s in self.stored), *scales)

    @property
    def grid(self) -> tuple[Expr, Expr]:
        """Tiles along rows and along columns."""
        return tiles_of(self.product, self.tile)

    def _body(self, state: State, moves: Moves | None, exact: bool) -> Iterator[DeviceStmt]:
        p, t, words = self.product, self.tile, Words(state.names)
        yield from self._head(words)
        if p.ragged is None:
            yield from self._tile(state, words, moves, exact)
            return
        first, taken = f"{p.rows.name}_tile", words.var(f"{p.rows.name}_number")
        ended = replace(p, rows=replace(p.rows, stop=p.ragged.stop(words)))
        body = tuple(replace(self, product=ended)._tile(state, words, moves, exact))
        yield from p.ragged.inside(words, taken, t.rows, words.name(first), body)

    def _tile(self, state: State, words: Words, moves: Moves | None, exact: bool) -> Iterator[DeviceStmt]:
        """What a block does with its tile."""
        p, t = self.product, self.tile
        row, column = words.var(f"{p.rows.name}_tile"), words.var(f"{p.columns.name}_tile")
        down, across = self._waves(words)
        over = p.over.axis
        left, *rights = (
            self._side(state, words, n, *((column, (t.across, across)) if n else (row, (t.down, down))), exact)
            for n in range(len(self.fills))
        )
        for sums in self.sums:
            yield DeclareVector(sums, zeros=True)
        for side in (left, *rights):
            yield from side.declared()
            yield from side.head()
        scaling = None
        if self.scales:
            scaling = Scaling(words, p, t, self.scales, (row, column), (down, across))
            yield from scaling.head()
        first, end = self.split.ends(words) if self.split else (ZERO, over.stop)
        unroll = over.mark("unroll")
        yield from SumLoop(
            words, t, left, tuple(rights), self.sums, end, unroll, p.over.at, p.sums_at, first, scaling
        ).whole()
        if self.split is None or not self.split.always:
            ended = tuple(Epilogue(words, state, p, t, self.sums, row, column, down, across, moves).whole())
        if self.split is None:
            yield from ended
            return
        first_row = add(row, mul(down, number(t.rows // t.down)))
        first_column = add(column, mul(across, number(t.columns // t.across)))
        parts = tuple(self.split.left(words, self.sums, first_row, first_column))
        if self.split.always:
            yield from parts
        else:
            yield DeviceIf(Compare("<", ONE, self.split.count), parts, ended)

    def _head(self, words: Words) -> Iterator[DeviceStmt]:
        """Which thread this is, and which tile its block takes."""
        p, t = self.product, self.tile
        yield Remark(f"Which thread this is, and which tile of {t.rows} x {t.columns} its block computes.")
        yield Let(words.name("thread"), Var("thread.x", I64), "int")
        yield Let(words.name("lane"), modulo(words.var("thread"), WAVE), "int")
        yield Let(words.name("wave"), floor_div(words.var("thread"), WAVE), "uniform")
        if self.split:
            yield from self.split.head(words)
        names = [words.name(f"{axis.name}_number") for axis in (p.rows, p.columns)]
        yield self._taken(*names)
        for name, axis, size in zip(names, (p.rows, p.columns), (t.rows, t.columns), strict=True):
            if p.ragged is None or axis is not p.rows:
                yield Let(words.name(f"{axis.name}_tile"), mul(Var(name, I64), number(size)), "uniform")

    def _taken(self, row: str, column: str) -> TakeTile:
        """Which tile a block takes: in groups of rows, or of columns where the user says so."""
        rows, columns = (Cast(count, I32) for count in self.grid)
        block, across = Cast(Var("block.x", I64), I32), self.product.columns.mark("group")
        if across is not None and not self.product.rows.marked("group"):
            return TakeTile(column, row, block, columns, rows, across)
        return TakeTile(row, column, block, rows, columns, self.product.rows.mark("group") or GROUP)

    def _waves(self, words: Words) -> tuple[Expr, Expr]:
        """Which of the waves along rows and along columns this one is."""
        t, wave = self.tile, words.var("wave")
        return floor_div(wave, t.across) if t.down > 1 else number(0), modulo(wave, t.across)

    def _side(
        self, state: State, words: Words, n: int, first: Expr, waves: tuple[int, Expr], exact: bool
    ) -> Side:
        p, storage = self.product, self.stored[n]
        f, axis = self.fills[n], p.columns if n else p.rows
        ends = (axis.stop, p.over.axis.stop)
        if f.operand.value is not None:
            storage = store_computed(state, f, storage, exact=exact)
            return ComputedSide(words, f, (), first, *ends, *waves, storage, self.tile.held, exact)
        shape = state.nest.array(f.operand.array).shape
        return Side(words, f, shape, first, *ends, *waves, storage, self.tile.held)


def tile_kernel(
    state: State, p: MatrixProduct, t: Tile, fills: tuple[Fill, ...], split: Split | None
) -> TileKernel:
    """The kernels' common ground, with its LDS and registers placed."""
    stored = tuple(store(state, f, t.across if n else t.down, t.held) for n, f in enumerate(fills))
    sums = registers(state, p, "sums", (*t.fragments, t.mfma.result_slots))
    return TileKernel(p, t, fills, stored, sums, split, store_scales(state, p, t))


def registers(state: State, p: MatrixProduct, wish: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Places the registers of each of a product's sums."""
    several = len(p.names) > 1
    return tuple(put(state, f"{wish}_{name}" if several else wish, p.dtype, shape, "vector") for name in p.names)
