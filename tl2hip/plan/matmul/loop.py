"""The loop over the sum: which tile is read, multiplied, written and fetched when.

The last tile, of which a part may lie past the end of the sum, is taken first, with zeros for what is not there.
All that follow are whole, so that the loop tests nothing. While one tile is multiplied, the next waits in registers
on its way to LDS, and the one behind it is on its way from memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, ZERO, add, ceil_div, mul, number, sub, value_of, xor
from tl2hip.nest.ir import Compare, Expr, Logic, Select, Set
from tl2hip.plan.gfx942 import SIMDS
from tl2hip.plan.ir import Declare, DeclareVector, DeviceIf, DeviceStmt, For, Let
from tl2hip.plan.matmul.scaling import Scaling
from tl2hip.plan.matmul.side import Side, each
from tl2hip.plan.matmul.tile import Tile, tiled
from tl2hip.plan.matmul.words import Words
from tl2hip.plan.matrix_ir import (
    AddScaled,
    Group,
    KeepOrder,
    Kind,
    LdsBarrier,
    MatrixMultiply,
    Meet,
    Priority,
    Remark,
    Settle,
)
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True)
class SumLoop:
    """The loop of one kernel, from element `first` of the sum to `sum_end`; `sums` are the registers that each of
    the `rights`, times the left factor, is added to, `sums_at` where that stands. `unroll`: the user's."""

    words: Words
    tile: Tile
    left: Side
    rights: tuple[Side, ...]
    sums: tuple[str, ...]
    sum_end: Expr
    unroll: int | None
    at: Span
    sums_at: tuple[Span, ...]
    first: Expr = ZERO
    scaling: Scaling | None = None
    """The scales of the blocks of the sum, each of which is a step."""

    @property
    def sides(self) -> tuple[Side, ...]:
        return (self.left, *self.rights)

    def whole(self) -> Iterator[DeviceStmt]:
        """From the first fetch to the last product."""
        t = self.tile
        yield Remark(
            "The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, "
            "so that the loop has nothing to test."
        )
        yield Let(self.words.name("steps"), ceil_div(sub(self.sum_end, self.first), t.depth), "int")
        k_last = add(self.first, mul(sub(self.words.var("steps"), ONE), number(t.depth)))
        yield Let(self.words.name("k_last"), k_last)
        for side in self.sides:
            yield from side.opened(self.first)
        if self.scaling:
            yield from self.scaling.opened()
            yield from self.scaling.fetch(sub(self.words.var("steps"), ONE))
        yield from self._fetch_last()
        yield Let(self.words.name("last"), sub(self.words.var("steps"), number(2)), "int")
        if t.copies > 1:
            yield Declare(self.words.name("copy"), I64, ZERO, "int")
        for side in self.sides:
            yield from side.write_loop((), ZERO, self.words.var("k_last"), last=True)
        if t.stages > 1:
            yield DeviceIf(Compare("<", ONE, self.words.var("steps")), tuple(self._fetch(ZERO)))
        if self.scaling:
            yield self.scaling.take()
        yield LdsBarrier()
        if t.turns == "ahead":
            yield from self._read(0)
        wave, half = self.words.var("wave"), number(SIMDS)
        if t.turns == "ping-pong":
            yield DeviceIf(Compare("<=", half, wave), (Meet("half of the waves are half a cluster behind"),))
        if self.scaling:
            yield self._loop(tuple(self._in_blocks(self.scaling)))
        else:
            turns = {"ahead": self._interleaved, "ping-pong": self._in_turns, "plain": self._in_order_of_slices}
            yield self._loop(tuple(turns[t.turns]()))
        if t.turns == "ping-pong":
            yield DeviceIf(Compare("<", wave, half), (Meet("all are together again"),))
        yield from self._last()

    def _fetch_last(self) -> Iterator[DeviceStmt]:
        """Fetches the last tile of the sum, all of it at once: where it is whole as all others, and none of its
        pieces runs past the end of memory, else by its pieces, with zeros past the end."""
        k, length = self.words.var("k_last"), sub(self.sum_end, self.first)
        as_others = tuple(self._fetch(sub(self.words.var("steps"), ONE)))
        in_part = tuple(s for side in self.sides for s in side.fetch_first(k))
        tests: list[Expr | None] = [side.kept_inside for side in self.sides]
        if value_of(length) is None:
            tests.insert(0, Compare("<=", add(k, number(self.tile.depth)), self.sum_end))
        elif not tiled(length, self.tile.depth):
            yield from in_part
            yield KeepOrder()
            return
        needed = [t for t in tests if t is not None]
        test = reduce(partial(Logic, "and"), needed) if needed else None
        yield from as_others if test is None else (DeviceIf(test, as_others, in_part),)
        yield KeepOrder()

    def _loop(self, turn: tuple[DeviceStmt, ...]) -> DeviceStmt:
        step, steps = self.words.name("step"), self.words.var("steps")
        note = "the tile in LDS is multiplied, the next one follows it there"
        return For(step, ONE, steps, ONE, turn, unroll=self.unroll, small=True, note=note, at=self.at)

    # --- the turns of the loop ---------------------------------------------------------------------------

    def _interleaved(self) -> Iterator[DeviceStmt]:
        """Fragments are read a slice ahead; every access of memory and LDS stands between matrix instructions."""
        t = self.tile
        yield self._advance()
        blocks = [(s, p) for s in range(t.slices) for p in range(t.parts)]
        early = (t.slices - 2) * t.parts + 1
        for s, p in blocks[:early]:
            if p == 0:
                yield from self._read(s + 1)
            yield self._multiply(s, p)
        yield LdsBarrier("every wave has its fragments")
        yield from self._write_and_fetch()
        for s, p in blocks[early:-1]:
            yield self._multiply(s, p)
        yield LdsBarrier("the next tile is in LDS")
        yield from self._read(0)
        yield self._multiply(*blocks[-1])
        if not self._computed:
            yield from self._groups(early, len(blocks))

    def _groups(self, early: int, blocks: int) -> Iterator[DeviceStmt]:
        """The order in which the compiler is to issue all that: accesses spread evenly between products."""
        yield Remark("The order of all that in the machine code: accesses spread out between matrix instructions.")
        t = self.tile
        down, across = t.fragments[0], t.fragments[1] * t.results
        products, n = down * across, self.words.name("n")
        # A product first: a fragment is not overwritten right behind the instruction that reads it.
        read: tuple[Kind, ...] = ("lds_read",)
        middle = self._accesses()
        yield from _spread(n, [(read, (down + across) * (t.slices - 1))], products * early, first=True)
        yield from _spread(n, middle, products * (blocks - early - 1))
        yield from _spread(n, [(read, down + across)], products, first=True)

    def _accesses(self) -> list[Run]:
        """The accesses of `_write_and_fetch`, in its order."""
        if not self._turned:
            return [(("lds_write", "global_read"), side.fill.loads) for side in self.sides]
        runs: list[Run] = []
        for side in self._in_order:
            # Turning 2-byte elements takes an instruction for each pair.
            pairs = side.fill.turn // 2 if side.tile.bytes <= 2 else 0
            turning: tuple[Kind, ...] = ("vector",)
            runs.append(((*turning * pairs, "lds_write"), side.fill.stores))
        return [*runs, (("global_read",), sum(side.fill.loads for side in self.sides))]

    def _in_turns(self) -> Iterator[DeviceStmt]:
        """Each cluster is first one of memory and LDS, then one of products, with all waves meeting behind each:
        half of the waves do the one while the others do the other.

        What must be in order for all waves is waited for before they meet: their last reads of a tile, which the
        other half is about to overwrite, and what they write.
        """
        yield self._advance()
        cut = self.tile.clusters
        for n, cluster in enumerate(cut):
            last = n == len(cut) - 1
            for s in cluster.reads:
                yield from self._read(s)
            if last:
                yield from self._write_and_fetch()
            if n >= len(cut) - 2:
                yield KeepOrder()
                yield LdsBarrier("the next tile is in LDS" if last else "this wave has its fragments")
                yield KeepOrder()
            else:
                yield Meet()
            yield Priority(1)
            for s, p in cluster.blocks:
                yield self._multiply(s, p)
            yield Priority(0)
            yield Meet()

    def _in_order_of_slices(self) -> Iterator[DeviceStmt]:
        """One slice's fragments at a time, then its products: for tiles that leave no registers for more."""
        t = self.tile
        early = t.parts if self._turned and not t.ahead else 1
        yield self._advance()
        for s in range(t.slices):
            last = s == t.slices - 1
            yield from self._read(s)
            yield KeepOrder()
            if last and t.copies == 1:
                yield LdsBarrier("every wave has its fragments")
            parts = [self._multiply(s, p) for p in range(t.parts)]
            yield from parts[:early]
            if last:
                yield KeepOrder()
                yield from self._write_and_fetch()
                yield KeepOrder()
            yield from parts[early:]
            yield KeepOrder()
        yield LdsBarrier("the next tile is in LDS")
        if t.copies > 1:
            yield Set(self.words.name("copy"), xor(self.words.var("copy"), ONE))

    def _in_blocks(self, scaling: Scaling) -> Iterator[DeviceStmt]:
        """All fragments of a step, which is a block of the sum, are read at once: its products for one fragment of
        rows after the other then go into the sums, times their scale. The compiler finds a better order than hints
        that spread accesses evenly."""
        t = self.tile
        yield self._advance()
        yield from scaling.fetch(sub(self.words.index("step"), ONE))
        for s in range(t.slices):
            yield from self._read(s)
        yield LdsBarrier("every wave has its fragments")
        yield from self._write_and_fetch()
        yield self._block(scaling)
        yield LdsBarrier("the next tile is in LDS")
        yield scaling.take()

    def _block(self, scaling: Scaling) -> DeviceStmt:
        """The products of a block, added to the sums."""
        i, j = self.words.index("r"), self.words.index("c")
        (down, across), name, block = self.tile.fragments, self.tile.mfma.builtin, scaling.storage.block
        right, left, at = self.rights[0], self.left, self.sums_at[0]
        products = [
            each(j.axis, across, (MatrixMultiply(name, block, (j,), right.part(s, p, j), left.part(s, p, i), at),))
            for s in range(self.tile.slices)
            for p in range(self.tile.parts)
        ]
        added = each(j.axis, across, (AddScaled(self.sums[0], (i, j), block, (j,), scaling.times(i)),))
        return each(i.axis, down, (DeclareVector(block, zeros=True), *products, added))

    def _last(self) -> Iterator[DeviceStmt]:
        """The last tile, with nothing behind it. Where waves take turns, sums leave few registers: the compiler is
        kept from reading ahead."""
        yield Remark("The last tile: nothing follows it.")
        t = self.tile
        for s in range(t.slices):
            if s or self.tile.turns != "ahead":
                yield from self._read(s)
            if self.scaling is None:
                for p in range(t.parts):
                    if t.turns == "ping-pong":
                        yield KeepOrder()
                    yield self._multiply(s, p)
        if self.scaling:
            yield self._block(self.scaling)
        yield Settle(t.mfma.settled)

    # --- the parts of a turn -----------------------------------------------------------------------------

    def _advance(self) -> DeviceStmt:
        """The tile to fetch; the last whole one is fetched once too often rather than tested for."""
        step, last = self.words.index("step"), self.words.var("last")
        if self.tile.stages == 1:
            return Let(self.words.name("next"), sub(step, ONE), "int")
        return Let(self.words.name("next"), Select(Compare("<", step, last), step, last), "int")

    def _fetch(self, tile: Expr) -> Iterator[DeviceStmt]:
        for side in self._in_order:
            if side.pieces:
                yield each(self.words.name("n"), side.pieces, side.fetch(self.words.index("n"), tile))

    def _write_and_fetch(self) -> Iterator[DeviceStmt]:
        """The waiting tile goes to LDS, and as its registers become free the one behind it is fetched.

        Where a factor is turned, its pieces are needed all at once, so that one wait for all of them is left.
        """
        tile, n = self.words.var("next"), self.words.index("n")
        waiting = mul(sub(self.words.index("step"), ONE), number(self.tile.depth))
        if self.tile.stages == 1:
            yield from self._fetch(tile)
        one_by_one = self.tile.stages > 1 and not self._turned
        for side in self._in_order:
            behind = side.fetch(n, tile) if one_by_one else ()
            yield from side.write_loop(behind, self._other_copy(side), waiting, last=False)
            if self.tile.turns == "ping-pong" and side.fill.turn > 1:
                yield KeepOrder()  # registers in which a factor is turned serve the other one too
        if self.tile.stages > 1 and not one_by_one:
            yield from self._fetch(tile)

    @property
    def _in_order(self) -> list[Side]:
        """The factors as they are fetched and written: first the one that is turned, whose pieces are needed all at
        once, so that the wait for them leaves the other's under way."""
        return sorted(self.sides, key=lambda side: -side.fill.turn)

    @property
    def _computed(self) -> bool:
        """Whether a factor is computed on its way: the compiler knows best what that takes."""
        return any(side.fill.operand.value is not None for side in self.sides)

    @property
    def _turned(self) -> bool:
        return any(side.fill.turn > 1 for side in self.sides)

    def _this_copy(self, side: Side) -> Expr:
        return mul(self.words.var("copy"), number(side.copy_size)) if self.tile.copies > 1 else ZERO

    def _other_copy(self, side: Side) -> Expr:
        return mul(xor(self.words.var("copy"), ONE), number(side.copy_size)) if self.tile.copies > 1 else ZERO

    def _read(self, s: int) -> Iterator[DeviceStmt]:
        for side in self.sides:
            yield side.read(s, self._this_copy(side))

    def _multiply(self, s: int, p: int) -> DeviceStmt:
        """Every pair of fragments. The instruction's rows are the result's columns: a lane has consecutive ones."""
        i, j = self.words.index("r"), self.words.index("c")
        (down, across), name, left = self.tile.fragments, self.tile.mfma.builtin, self.left.part(s, p, i)
        products = tuple(
            MatrixMultiply(name, sums, (i, j), right.part(s, p, j), left, at=at)
            for right, sums, at in zip(self.rights, self.sums, self.sums_at, strict=True)
        )
        return each(i.axis, down, (each(j.axis, across, products),))


Run = tuple[tuple[Kind, ...], int]
"""Kinds of instructions that follow each other, and how often all of them do."""


def _spread(n: str, runs: Sequence[Run], products: int, first: bool = False) -> Iterator[DeviceStmt]:
    """Groups of one access each, with equal shares of the products behind them, or `first` ahead of them."""
    share = products // sum(count * sum(k != "vector" for k in kinds) for kinds, count in runs)
    matrix = (Group("matrix", share),) if share else ()
    for kinds, count in runs:
        body: list[DeviceStmt] = []
        for kind in kinds:
            one = Group(kind, 1)
            body += (one,) if kind == "vector" else (*matrix, one) if first else (one, *matrix)
        yield each(n, count, tuple(body))
