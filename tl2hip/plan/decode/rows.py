"""Where a row of queries, keys or values lies, and the loads of a lane's part of it.

An index that comes from memory follows Python: below 0 it counts from the end. A row that is not there is zeros.
Rows behind the last key are never looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tl2hip.dtypes import I64
from tl2hip.nest.index import ZERO, add, floor_div, modulo, number, value_of
from tl2hip.nest.ir import Array, AxisRef, Binary, Compare, Expr, Logic, Select, Var
from tl2hip.nest.walk import all_parts, map_expr
from tl2hip.plan.decode.axes import moves, surely_natural
from tl2hip.plan.decode.record import Decode, Rows
from tl2hip.plan.decode.tile import SIZE
from tl2hip.plan.ir import DeviceIf, DeviceStmt, Let
from tl2hip.plan.matmul.words import Words

There = Callable[[tuple[Expr, ...]], tuple[DeviceStmt, ...]]
"""Makes the loads of a row whose index is given."""


NOTHING: Mapping[int, Expr] = {}


@dataclass(frozen=True, slots=True)
class Spot:
    """A head and a key: the head is `head`, and `group` the number of its group; the key is `apart` behind `first`,
    which is a multiple of 16 where `even`."""

    head: Expr
    group: Expr
    first: Expr = ZERO
    apart: Expr = ZERO
    even: bool = False

    @property
    def key(self) -> Expr:
        return add(self.first, self.apart)


def at(p: Decode, e: Expr, spot: Spot, pages: frozenset[Expr] = frozenset()) -> Expr:
    """An expression for a spot. The 16 keys from an even one on have the same page, of sizes that are multiples of
    16, and `pages` are sizes that the launcher has found to be such."""
    heads, keys = AxisRef(p.heads.name), AxisRef(p.keys.name)

    def whole(by: Expr) -> bool:
        return (value_of(by) or 1) % SIZE == 0 or by in pages

    def ahead(x: Expr) -> Expr:
        match x:
            case Binary() if x == p.shared:
                return spot.group
            case Binary(op="//" | "%" as op, left=left, right=by) if left == keys and spot.even and whole(by):
                return floor_div(spot.first, by) if op == "//" else add(modulo(spot.first, by), spot.apart)
        return x

    def one(x: Expr) -> Expr:
        return spot.head if x == heads else spot.key if x == keys else x

    return map_expr(one, map_expr(ahead, e))


def page_sizes(p: Decode) -> tuple[Expr, ...]:
    """The sizes by which keys are divided, where these are only known at run time."""
    found: dict[Expr, None] = {}
    for e in (*p.key.index, *p.value.index):
        for x in all_parts(e):
            paged = isinstance(x, Binary) and x.op in ("//", "%") and x.left == AxisRef(p.keys.name)
            if paged and isinstance(x, Binary) and value_of(x.right) is None and not moves(x.right):
                found[x.right] = None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads rows of one array."""

    words: Words
    decode: Decode
    rows: Rows
    array: Array
    pages: frozenset[Expr]

    def natural(self) -> tuple[Reader, tuple[Expr, ...]]:
        """The same for keys before the ends that come with it: where a key is an index itself, its end leaves out
        what the array has no row for, once for all, in the place of a test of each."""
        keys, r = self.decode.keys, self.rows
        pairs = zip(r.index, r.inside, strict=True)
        own = [not inside and e == AxisRef(keys.name) and surely_natural(keys.start) for e, inside in pairs]
        inside = tuple(a or b for a, b in zip(own, r.inside, strict=True))
        ends = tuple(n for one, n in zip(own, self.array.shape[:-1], strict=True) if one)
        return replace(self, rows=replace(r, inside=inside)), ends

    def ahead(self, spot: Spot) -> tuple[tuple[DeviceStmt, ...], dict[int, Expr]]:
        """What is looked up once for the 16 keys of a spot, in scalar registers: the statements, and the numbers of
        rows by the place in an index, -1 for one that is not there. All lanes of the wave are here."""
        lets: list[DeviceStmt] = []
        found: dict[int, Expr] = {}
        apart = replace(spot, apart=Var("any lane", I64))
        for n, (e, extent) in enumerate(zip(self.rows.index, self.array.shape[:-1], strict=True)):
            one = at(self.decode, e, spot, self.pages)
            if self.rows.inside[n] or not spot.even or one != at(self.decode, e, apart, self.pages):
                continue
            wish = f"{self.array.name}_{n}"
            row, wide = self.words.var(wish), self.words.var(f"{wish}_wide")
            test, made, wrapped = self._wrapped(wish, one, extent)
            lets += made
            lets += (Let(row.name, Select(test, wrapped, number(-1)), "uniform"), Let(wide.name, row, "wide"))
            found[n] = wide
        return tuple(lets), found

    def load(self, spot: Spot, there: There, known: Mapping[int, Expr] = NOTHING) -> tuple[DeviceStmt, ...]:
        """The loads of a row, where it is in the array; what of its index is `known` already."""
        lets: list[DeviceStmt] = []
        index: list[Expr] = []
        test: Expr | None = None
        r = self.rows
        for n, (e, extent) in enumerate(zip(r.index, self.array.shape[:-1], strict=True)):
            e = at(self.decode, e, spot, self.pages)
            if r.inside[n]:
                index.append(e)
                continue
            if n in known:
                fits: Expr = Compare("<=", ZERO, known[n])
                index.append(known[n])
            else:
                fits, made, wrapped = self._wrapped(f"{self.array.name}_{n}", e, extent)
                lets += made
                index.append(wrapped)
            test = fits if test is None else Logic("and", test, fits)
        loads = there(tuple(index))
        return (*lets, DeviceIf(test, loads)) if test is not None else loads

    def _wrapped(self, wish: str, e: Expr, extent: Expr) -> tuple[Expr, tuple[Let, Let], Var]:
        """Whether an index is inside, the statements that bring it there, and it."""
        given, wrapped = self.words.var(f"{wish}_given"), self.words.var(f"{wish}_wrapped")
        turned = Select(Compare("<", given, ZERO), add(given, extent), given)
        inside = Logic("and", Compare("<=", ZERO, wrapped), Compare("<", wrapped, extent))
        return inside, (Let(given.name, e), Let(wrapped.name, turned)), wrapped
