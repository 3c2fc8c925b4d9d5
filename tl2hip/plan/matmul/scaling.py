"""The scales of a sum in blocks, in a kernel: fetched while the block before is multiplied, as the factors are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from tl2hip.dtypes import F32, I32, I64
from tl2hip.nest.index import ONE, ZERO, add, floor_div, minimum, modulo, mul, number, product, sub
from tl2hip.nest.ir import Binary, Cast, Const, Expr, Load, Store, Var
from tl2hip.plan.ir import DeviceStmt, Let
from tl2hip.plan.matmul.blocks import Scale
from tl2hip.plan.matmul.find import MatrixProduct
from tl2hip.plan.matmul.side import each, put
from tl2hip.plan.matmul.tile import Tile, tiled
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import Fetch, Remark, Window
from tl2hip.plan.state import State


@dataclass(frozen=True, slots=True)
class Held:
    """Where one of the scales of a lane's rows, or columns, is: `count` values of the block that follows in
    `waiting`, `offsets` bytes behind the start of a `window`. `step` names the bytes from block to block."""

    scale: Scale
    shape: tuple[Expr, ...]
    count: int
    waiting: str
    offsets: str
    window: str
    step: str

    def pitch(self, dimension: int) -> Expr:
        """Bytes from one element to the next along a dimension."""
        return mul(product(self.shape[dimension + 1 :]), number(F32.bytes))


@dataclass(frozen=True, slots=True)
class ScaleStorage:
    """The registers of all scales: `now` has those of the block that is multiplied, for each turn one for each
    fragment of rows, and `block` the products of one of them."""

    held: tuple[Held, ...]
    now: tuple[str, ...]
    block: str


@dataclass(frozen=True, slots=True)
class Scaling:
    """The scales in one kernel; `first` are the first row and column of the tile, `waves` tell which wave it is."""

    words: Words
    product: MatrixProduct
    tile: Tile
    storage: ScaleStorage
    first: tuple[Expr, Expr]
    waves: tuple[Expr, Expr]

    def head(self) -> Iterator[DeviceStmt]:
        """Where this lane's scales lie behind the start of each window."""
        r = self.words.index("r")
        yield Remark("Where the scales of this lane's rows, and of this wave's columns, are in memory.")
        for held in self.storage.held:
            pitch = held.pitch(held.scale.dimension)
            away = sub(self._place(held, r), self._base(held))
            offset = Cast(mul(away, pitch), I32)
            yield each(r.axis, held.count, (Store(held.offsets, (r,), offset, True),))

    def opened(self) -> Iterator[DeviceStmt]:
        """The windows on memory, which start at the first block."""
        for held in self.storage.held:
            yield Window(held.window, held.scale.load.array, held.scale.at(self._base(held), ZERO))
            pitch = held.pitch(held.scale.block_dimension)
            if not isinstance(pitch, Const):
                yield Let(held.step, pitch, "int")

    def fetch(self, block: Expr) -> Iterator[DeviceStmt]:
        """The scales of a block are on their way."""
        r = self.words.index("r")
        for held in self.storage.held:
            pitch = held.pitch(held.scale.block_dimension)
            ahead = mul(block, pitch if isinstance(pitch, Const) else Var(held.step, I64))
            fetch = Fetch(held.waiting, (r,), held.window, held.offsets, r, ahead)
            yield each(r.axis, held.count, (fetch,))

    def take(self) -> DeviceStmt:
        """The block that is multiplied next has the scales that wait."""
        r = self.words.index("r")
        stores = (Store(name, (r,), self._waiting(turn, r), True) for turn, name in enumerate(self.storage.now))
        return each(r.axis, self.tile.fragments[0], tuple(stores))

    def times(self, r: Expr) -> tuple[Expr, ...]:
        """What the products of fragment r of rows are multiplied by in turn."""
        return tuple(Load(name, (r,), F32, True) for name in self.storage.now)

    def _waiting(self, turn: int, r: Expr) -> Expr:
        """The product of the scales of a turn that wait."""
        held = (h for h in self.storage.held if h.scale.turn == turn)
        parts: list[Expr] = [Load(h.waiting, (r if h.count > 1 else ZERO,), F32, True) for h in held]
        return reduce(lambda whole, one: Binary("*", whole, one), parts)

    def _base(self, held: Held) -> Expr:
        """The group of neighbours in which the tile starts."""
        return floor_div(self.first[self._which(held)], held.scale.per)

    def _place(self, held: Held, r: Expr) -> Expr:
        """The group of neighbours that fragment r of rows, or all columns of a wave, belong to: past the end the
        last one."""
        n, t = self._which(held), self.tile
        axis, size = ((self.product.rows, t.rows // t.down), (self.product.columns, t.columns // t.across))[n]
        place = add(self.first[n], mul(self.waves[n], number(size)))
        if n == 0:
            place = add(add(place, modulo(self.words.var("lane"), t.mfma.m)), mul(r, number(t.mfma.m)))
        if not tiled(axis.stop, (t.rows, t.columns)[n]):
            place = minimum(place, sub(axis.stop, ONE))
        return floor_div(place, held.scale.per)

    def _which(self, held: Held) -> int:
        return 0 if held.scale.axis == self.product.rows.name else 1


def store_scales(state: State, p: MatrixProduct, t: Tile) -> ScaleStorage | None:
    """Places the registers of the scales; None where there are none."""
    if not p.block:
        return None
    down, slots = t.fragments[0], t.mfma.result_slots
    held = []
    for scale in p.scales:
        array, count = scale.load.array, down if scale.axis == p.rows.name else 1
        names = (state.names.fresh(f"{w}_{array}", keep=True) for w in ("window", "step"))
        waiting = put(state, f"next_{array}", F32, (count,), "thread")
        offsets = put(state, f"from_{array}", I32, (count,), "thread")
        held.append(Held(scale, state.nest.array(array).shape, count, waiting, offsets, *names))
    block = put(state, "block", p.dtype, (t.fragments[1], slots), "vector")
    turns = range(1 + max(s.turn for s in p.scales))
    return ScaleStorage(tuple(held), tuple(put(state, "scale", F32, (down,), "thread") for _ in turns), block)
