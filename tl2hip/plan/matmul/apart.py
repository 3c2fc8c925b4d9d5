"""The integers by which a factor is read, taken apart: what changes with its rows alone, and with the sum alone.

Rows stay what they are while a block sums, so that their divisions are made once; those of the sum are made once a
tile for all rows. What is left of an address is one addition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from tl2hip.dtypes import I32, I64, U32, DType
from tl2hip.nest.index import ZERO, value_of
from tl2hip.nest.ir import Array, AxisRef, Binary, Cast, Const, Expr, Load, Var
from tl2hip.nest.walk import all_parts, map_expr, parts, rebuild
from tl2hip.plan.matmul.address import address
from tl2hip.plan.matmul.registers import put
from tl2hip.plan.matmul.taken import FIRST_K, FIRST_ROW, LANE, ROW, TILE, K
from tl2hip.plan.state import State

MOST = 2**30
"""What rows, and elements of the sum, stay below: the launcher takes no such product for more."""

NAMED = 2**20
"""More than the number of an element in a block or a tile."""


@dataclass(frozen=True, slots=True)
class Number:
    """An integer that changes with one axis alone, and the registers that keep it for several of its elements."""

    value: Expr
    kept: str
    dtype: DType

    def at(self, slot: Expr) -> Expr:
        """The register of an element."""
        load = Load(self.kept, (slot,), self.dtype, True)
        return load if self.dtype is I64 else Cast(load, I64)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The integers of a factor that registers keep: those of its rows, and those of the sum."""

    rows: tuple[Number, ...] = ()
    sums: tuple[Number, ...] = ()

    def placed(self, e: Expr, row: Expr, sums: Mapping[Expr, Expr], loads: Mapping[Load, Load]) -> Expr:
        """An expression by the registers of a row, by what `sums` says of integers of the sum, and by `loads` that
        wait in registers."""
        known = {x.value: x.at(row) for x in self.rows} | dict(sums)

        def one(x: Expr) -> Expr:
            if isinstance(x, Load) and x in loads:
                return loads[x]
            if x in known:
                return known[x]
            old = parts(x)
            return rebuild(x, tuple(map(one, old))) if old else x

        return one(e)


def kept(
    state: State, word: str, found: tuple[Collection[Expr], Collection[Expr]], slots: tuple[int, int], inner: Small
) -> Numbers:
    """Registers for integers of rows and of the sum, each for as many elements as `slots` says."""
    words = (f"by_row_{word}", f"by_k_{word}")
    some = (
        tuple(_placed(state, wish, e, n, inner) for e in dict.fromkeys(exprs))
        for wish, exprs, n in zip(words, found, slots, strict=True)
    )
    return Numbers(*some)


def _placed(state: State, wish: str, e: Expr, slots: int, inner: Small) -> Number:
    dtype = I32 if registers(e, inner) == 1 else I64
    return Number(e, put(state, wish, dtype, (slots,), "thread"), dtype)


def registers(e: Expr, inner: Small) -> int:
    """Registers that an integer takes."""
    most = _most(e, inner)
    return 1 if most is not None and most < 2**31 else 2


def apart(e: Expr, axis: str, over: str) -> Iterator[tuple[bool, Expr]]:
    """The largest integers of an expression that change with one of two axes alone; True: with the sum.

    >>> i, k = AxisRef("i"), AxisRef("k")
    >>> list(apart(Binary("+", mul(i, Const(3, I64)), k), "i", "k")) == [(False, mul(i, Const(3, I64))), (True, k)]
    True
    """
    names = {p.axis for p in all_parts(e) if isinstance(p, AxisRef)} & {axis, over}
    if not names:
        return
    if len(names) == 1 and e.dtype is I64 and _anywhere(e):
        yield over in names, e
        return
    for p in parts(e):
        yield from apart(p, axis, over)


def _anywhere(e: Expr) -> bool:
    """Whether an integer may be computed where the source does not: it reads nothing that may not be there."""
    return all(not p.proven or p.always for p in all_parts(e) if isinstance(p, Load))


def flattened(e: Expr, arrays: Mapping[str, Array], axis: str, over: str, but: Collection[Load]) -> Expr:
    """An expression with the index of each load `but` some as one number, of rows plus of the sum, where it is such
    a sum."""
    old = parts(e)
    if not old or isinstance(e, Load) and e in but:
        return e
    x = rebuild(e, tuple(flattened(p, arrays, axis, over, but) for p in old))
    two = address(x, arrays[x.array], axis, over) if isinstance(x, Load) and x.proven else None
    if not isinstance(x, Load) or two is None:
        return x
    return replace(x, index=(*(ZERO for _ in x.index[1:]), _plus(*two)))


def _plus(a: Expr, b: Expr) -> Expr:
    """A sum whose sides stay apart."""
    return a if b == ZERO else b if a == ZERO else Binary("+", a, b)


Small = frozenset[Expr]
"""What is below `MOST` wherever a product is computed, and never below 0: both axes, and the extents of loops that
became one, which are above 0."""


def narrow(e: Expr, inner: Small) -> Expr:
    """An i64 expression with the divisions of small numbers, none below 0, in 32 bits. Extents that are not known
    are above 0: where that is said, nothing has to be tested.

    >>> k = AxisRef("k")
    >>> narrow(Binary("//", k, Const(3, I64)), frozenset({k})) == Cast(
    ...     Binary("//", Cast(k, U32), Const(3, U32)), I64)
    True
    """

    def one(x: Expr) -> Expr:
        if not isinstance(x, Binary) or x.op not in ("//", "%") or x.dtype is not I64:
            return x
        by = value_of(x.right)
        most = _most(x.left, inner)
        if most is None or most >= 2**32 or not (0 < by < 2**32 if by is not None else _divides(x.right, inner)):
            return x
        right = Binary("max", Cast(x.right, U32), Const(1, U32)) if by is None else Const(by, U32)
        inner_left = x.left.value if isinstance(x.left, Cast) and x.left.value.dtype is U32 else Cast(x.left, U32)
        return Cast(Binary(x.op, inner_left, right), I64)

    return map_expr(one, e)


def _divides(e: Expr, inner: Small) -> bool:
    return e in inner and not isinstance(e, AxisRef)


def _most(e: Expr, inner: Small) -> int | None:
    """The most that an integer is that is never below 0; None where nobody knows."""
    if e in inner:
        return MOST
    match e:
        case Const(value=int(v)):
            return v if v >= 0 else None
        case Var():
            return NAMED if e in (K, ROW, LANE) else MOST if e in (FIRST_K, FIRST_ROW, TILE) else None
        case Cast(value=inside) if e.dtype in (I64, U32):
            return _most(inside, inner)
        case Binary(op="+" | "*" | "//" | "%" as op, left=left, right=right):
            a, b = _most(left, inner), _most(right, inner)
            return None if a is None or b is None else _combined(op, a, b, right)
        case _:
            return None


def _combined(op: str, a: int, b: int, right: Expr) -> int:
    by = right.value if isinstance(right, Const) and right.value else None
    match op:
        case "+":
            return a + b
        case "*":
            return a * b
        case "//":
            return a // int(by) if by else a
        case _:
            return min(a, int(by) - 1) if by else a
