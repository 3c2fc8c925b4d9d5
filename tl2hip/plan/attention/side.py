"""Keys or values in a kernel: the way of a tile from memory to fragments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tl2hip.dtypes import I32, I64
from tl2hip.nest.index import ONE, ZERO, add, floor_div, maximum, minimum, modulo, mul, number, sub
from tl2hip.nest.ir import AxisRef, Cast, Compare, Expr, Select, Store, Var
from tl2hip.plan.attention.find import Factor
from tl2hip.plan.ir import DeclareVector, DeviceStmt, Let, LoadVector
from tl2hip.plan.matmul.side import Side, each
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import Fetch, FetchFirst, KeepOrder, Part, Remark, Window

Slice = Callable[[Expr], Iterable[DeviceStmt]]
"""Statements for the slice of that number."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """Keys or values, of which a tile of rows follows the other. `end` is the end of all rows. `inner` moves a
    tile from registers to LDS and to fragments as a product does."""

    words: Words
    factor: Factor
    shape: tuple[Expr, ...]
    end: Expr
    keys: int
    width: int
    """Elements of a row."""
    inner: Side
    aligned: bool

    def head(self) -> Iterator[DeviceStmt]:
        """Where in a tile and in LDS this thread's pieces lie: the same for all tiles."""
        n, f, own = self.words.index("n"), self.inner.fill, self.inner.storage.own
        yield Remark(self._said())
        thread = self.words.var("thread")
        yield Let(own["row"], f.row(thread), "int")
        yield Let(own["k"], f.k(thread), "int")
        if self.aligned:
            row, column = self._place(n)
            offset = mul(add(mul(row, self.factor.pitch(self.shape)), column), number(self.factor.dtype.bytes))
            store = Store(self.inner.storage.offsets, (n,), Cast(offset, I32), True)
            yield each(n.axis, f.loads, (store,))
        yield Let(own["to"], f.element(Var(own["row"], I64), Var(own["k"], I64)), "int")
        yield Let(own["start"], self.inner._read_from(), "int")

    def _said(self) -> str:
        f, own, a = self.inner.fill, self.inner.storage.own, self.factor.array
        moved = f"{f.loads} pieces of {f.run * self.factor.dtype.bytes} bytes"
        said = f"{a}: of each tile of {self.keys} rows a thread moves {moved}"
        if f.turn > 1:
            said += f", of which {f.turn} rows are turned at a time, in the order of the weights in registers"
        where = f"{self.inner.storage.offsets} is where they are in memory, " if self.aligned else ""
        return (
            f"{said}. {where}{own['to']} where they go in LDS, {own['start']} where this lane's fragments begin "
            "there. Pieces of a row change places by its number (^): the lanes of an access meet in no bank."
        )

    def _place(self, load: Expr) -> tuple[Expr, Expr]:
        """The row of the tile and the element in it at which a load of this thread starts."""
        f, own = self.inner.fill, self.inner.storage.own
        row, k = (Var(own[name], I64) for name in ("row", "k"))
        if f.turn == 1:
            return f.row_of(row, load), k
        return in_weights(f.k_of(k, load)), row

    def fetch(self, first: Expr) -> Iterator[DeviceStmt]:
        """The tile whose first row is given goes on its way to registers; rows behind the end are zeros."""
        n, s, f = self.words.index("n"), self.inner.storage, self.inner.fill
        if self.aligned:
            yield Window(s.window, self.factor.array, self.factor.at(first, ZERO), bytes=self._left(first))
            yield each(n.axis, f.loads, (Fetch(s.waiting, (n,), s.window, s.offsets, n, ZERO),))
            return
        row, column = self._place(n)
        row = add(first, row)
        count = Select(Compare("<", row, self.end), number(f.run), ZERO)
        fetch = FetchFirst(s.waiting, (n,), self.factor.array, self.factor.at(row, column), count, aligned=False)
        yield each(n.axis, f.loads, (fetch,))

    def _left(self, first: Expr) -> Expr:
        """Bytes from the first element of a tile to the last of its rows before the end."""
        rows = minimum(sub(self.end, first), number(self.keys))
        elements = add(mul(sub(rows, ONE), self.factor.pitch(self.shape)), number(self.width))
        return mul(maximum(elements, ZERO), number(self.factor.dtype.bytes))

    def write(self) -> tuple[DeviceStmt, ...]:
        """What waits in registers goes to LDS."""
        turned = self.inner.storage.turned
        return (*((DeclareVector(turned),) if turned else ()), *self.inner.write_loop((), ZERO))

    def read(self, s: Expr) -> DeviceStmt:
        """The fragments of one slice."""
        inner, n = self.inner, self.words.index("n")
        f, size = inner.fill, inner.tile.mfma.m
        start = Var(inner.storage.own["start"], I64)
        slice_ = mul(s, number(inner.tile.groups * inner.tile.piece))
        place = f.moved(start, mul(n, number(size)), f.rows, slice_)
        load = LoadVector(inner.storage.parts, inner.storage.lds, (place,), self.slot(s, n))
        return each(n.axis, f.rows // size, (load,))

    def slot(self, s: Expr, n: Expr) -> tuple[Expr, ...]:
        """Where fragment n of a slice is held: two slices have registers at once, where there are enough."""
        return (modulo(s, 2), n) if self.inner.held > 1 else (n,)

    def part(self, s: Expr, p: int, n: Expr) -> Part:
        """Operand of the instructions for fragment n of a slice."""
        return Part(self.inner.storage.parts, self.slot(s, n), p, self.inner.tile.parts)

    def ahead(self, s: AxisRef, multiplied: Slice, made: Slice = lambda s: ()) -> Iterator[DeviceStmt]:
        """All slices multiplied, each while the fragments of the next are read, and what else it takes is `made`;
        those of the first are there. With registers for one slice alone each is read as it is needed, and when is
        left to the compiler."""
        count = self.inner.tile.slices
        if self.inner.held == 1:
            yield each(s.axis, count, (self.read(s), *made(s), *multiplied(s)))
            return
        following = add(s, ONE)
        body = (self.read(following), KeepOrder(), *made(following), *multiplied(s), KeepOrder())
        yield each(s.axis, count - 1, body)
        yield from multiplied(number(count - 1))


def in_weights(k: Expr) -> Expr:
    """The row of values that stands at place k of a column in LDS.

    A result of 32 by 32 has rows 8 a + 4 half + b in the lanes of each half, and an instruction takes eight rows,
    four of each half. A lane reads the eight of its half for two instructions at once: bits 2 and 3 change places.
    """
    inside = add(mul(modulo(floor_div(k, 4), 2), number(8)), mul(modulo(floor_div(k, 8), 2), number(4)))
    return add(add(mul(floor_div(k, 16), number(16)), inside), modulo(k, 4))
