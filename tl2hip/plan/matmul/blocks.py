"""A sum in blocks, each of which is scaled: `for b: p = 0; for k: p += …; s += p * x[i, b] * y[j // 128, b]`.

A block is one step of the loop over the sum: its products go into registers of their own, and these, each times the
scale of its row and column, into the sums. They are multiplied as they are written: `p * (x * y)` takes one
operation for each register of sums, `p * x * y` two, as `x * y` may be too large or too small where that is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl2hip.dtypes import F32, I64
from tl2hip.nest.index import ZERO, mul, value_of
from tl2hip.nest.ir import Axis, AxisRef, Binary, Expr, Load, Loop, Set, Stmt, Var
from tl2hip.nest.walk import all_exprs, all_parts, map_expr
from tl2hip.plan.matmul.flat import Flat
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.unfit import ASSERT, STRIDES, Unfit
from tl2hip.rule.terms import operands, plus_zero


@dataclass(frozen=True, slots=True)
class Scale:
    """An element of an array that a block's products are scaled by: `per` neighbours along `axis` share one. Those
    of one `turn` are multiplied with each other first."""

    load: Load
    axis: str
    block: str
    per: int
    turn: int

    def at(self, place: Expr, block: Expr) -> tuple[Expr, ...]:
        """The index for a group of neighbours and a block."""
        return tuple(place if self._own(i) else block if i == AxisRef(self.block) else i for i in self.load.index)

    @property
    def dimension(self) -> int:
        """The dimension that the axis runs along."""
        return next(d for d, i in enumerate(self.load.index) if self._own(i))

    @property
    def block_dimension(self) -> int:
        """The dimension that blocks run along."""
        return self.load.index.index(AxisRef(self.block))

    def _own(self, index: Expr) -> bool:
        return any(p == AxisRef(self.axis) for p in all_parts(index))


@dataclass(frozen=True, slots=True)
class Blocks:
    """The sum in blocks of `size` elements: `loop` runs over blocks, `inner` over the elements of one, `over` over
    all of them, adding products up without scales. `factors` are the scales: a block is multiplied by the product
    of each of these in turn."""

    loop: Loop
    inner: Loop
    over: Loop
    size: int
    factors: tuple[tuple[Load, ...], ...]

    def moved(self, state: State, one: Flat) -> Blocks:
        """The same with one axis of rows, or columns, in the place of several."""

        def load(x: Load) -> Load:
            moved = one.expr(state, x)
            assert isinstance(moved, Load)
            return moved

        return replace(self, factors=tuple(tuple(map(load, turn)) for turn in self.factors))

    @property
    def loads(self) -> tuple[Load, ...]:
        """All scales."""
        return tuple(load for turn in self.factors for load in turn)

    def without_scales(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """A body with the loop over all elements. Raises Unfit where the last block's own sum is read behind it."""
        own = {s.name for s in self.loop.body[:1] if isinstance(s, Set)}
        at = next(n for n, s in enumerate(body) if s is self.loop)
        if own & {e.name for e in all_exprs(body[at + 1 :]) if isinstance(e, Var)}:
            raise Unfit("the sum of the last block is read behind its loop")
        return (*body[:at], self.over, *body[at + 1 :])


def blocks_of(state: State, loop: Loop) -> Blocks | None:
    """The blocks that a loop sums one after the other; None where it is none of that kind. Raises Unfit where it is
    one that no kernel can scale."""
    match loop.body:
        case (Set(name=p, value=start), Loop() as inner, Set(name=s, value=value)) if plus_zero(start):
            pass
        case _:
            return None
    size = value_of(inner.axis.stop)
    match inner.body, value:
        case (
            (Set(name=own, value=Binary(op="+", left=Var(name=old, dtype=dtype), right=Binary(op="*") as term)),),
            Binary(op="+", left=Var(name=total), right=Binary(op="*") as scaled),
        ) if (own, old, total) == (p, p, s):
            pass
        case _:
            return None
    turns = _turns(scaled, Var(p, dtype))
    if turns is None:
        return None
    if size is None or dtype is not F32:
        raise Unfit("blocks of a sum are scaled in f32, and have a length that is known")
    if any(a.start != ZERO or a.step != 1 for a in (loop.axis, inner.axis)) or loop.axis.marks or loop.axis.tile:
        raise Unfit(f"{called(loop.axis)} and {called(inner.axis)} run from 0 by 1, and marks stand at the latter")
    flat = _flat(state, loop.axis, inner.axis, size)
    one = Set(s, Binary("+", Var(s, dtype), _of_blocks(state, flat, size, term)), at=inner.body[0].at)
    over = replace(loop, axis=flat.axis, body=(one,))
    return Blocks(loop, inner, over, size, tuple(tuple(_loads(state, turn)) for turn in turns))


def _turns(e: Expr, block: Var) -> tuple[tuple[Expr, ...], ...] | None:
    """What `block`, which stands in a product once, is multiplied by in turn, each as its factors; None where it is
    no such product."""
    if e == block:
        return ()
    if not isinstance(e, Binary) or e.op != "*":
        return None
    inside = [any(p == block for p in all_parts(side)) for side in (e.left, e.right)]
    if all(inside) or not any(inside):
        return None
    own, other = (e.left, e.right) if inside[0] else (e.right, e.left)
    before = _turns(own, block)
    return None if before is None else (*before, tuple(operands(other, "*")))


def _loads(state: State, scales: tuple[Expr, ...]) -> Iterator[Load]:
    for e in scales:
        if not isinstance(e, Load) or e.dtype is not F32:
            raise Unfit("a block of a sum is scaled by what is no element of an array of f32")
        array = state.nest.array(e.array)
        if not (e.proven and e.always):
            raise Unfit(f"an index of {array.name} may lie outside of it", ASSERT.format(array.name))
        if array.strides is not None or state.placed[array.name].space not in ("global", "workspace"):
            raise Unfit(f"{array.name} has strides of its own", STRIDES.format(array.name))
        yield e


def _flat(state: State, blocks: Axis, inner: Axis, size: int) -> Flat:
    """Both axes as one, with the marks of the inner."""
    name = state.names.fresh(f"{called(blocks)}_{called(inner)}", keep=True)
    state.dtypes[name] = I64
    user = f"{called(blocks)} {called(inner)}"
    axis = Axis(name, ZERO, mul(blocks.stop, inner.stop), user=user, tile=inner.tile, marks=inner.marks)
    return Flat(axis, (blocks, inner))


def _of_blocks(state: State, flat: Flat, size: int, term: Expr) -> Expr:
    """A term by the flat axis: element k of block b is element `b * size + k`."""
    blocks, inner = (AxisRef(a.name) for a in flat.axes)

    def one(e: Expr) -> Expr:
        match e:
            case Binary(op="+", left=Binary(op="*", left=b, right=n), right=k) if (b, value_of(n), k) == (
                blocks, size, inner,
            ):
                return AxisRef(flat.axis.name)
            case _:
                return e

    return flat.expr(state, map_expr(one, term))


def scales_of(blocks: Blocks, rows: Axis, columns: Axis) -> tuple[Scale, ...]:
    """What a block is scaled by for a row, or for a column, or for both. Raises Unfit where it is anything else."""
    found: dict[int, Scale] = {}
    for turn, load in ((n, load) for n, loads in enumerate(blocks.factors) for load in loads):
        own = [n for n, a in enumerate((rows, columns)) if any(p == AxisRef(a.name) for p in all_parts(load))]
        block, parts = AxisRef(blocks.loop.axis.name), [p for i in load.index for p in all_parts(i)]
        if any(isinstance(p, Load | Var) for p in parts):
            raise Unfit(f"an index of {load.array} is not known before the kernel runs")
        if len(own) != 1 or own[0] in found or block not in load.index or parts.count(block) > 1:
            raise Unfit(f"a block is scaled once for its row and once for its column, and {load.array} is neither")
        found[own[0]] = _scale(load, (rows, columns)[own[0]].name, blocks.loop.axis.name, turn)
    return tuple(found[n] for n in sorted(found))


def _scale(load: Load, axis: str, block: str, turn: int) -> Scale:
    """A scale, which is one for so many neighbours along an axis."""
    one = AxisRef(axis)
    others = [i for i in load.index if i != AxisRef(block) and any(p == one for p in all_parts(i))]
    match others:
        case [AxisRef()]:
            return Scale(load, axis, block, 1, turn)
        case [Binary(op="//", left=left, right=n)] if left == one and (value_of(n) or 0) > 0:
            return Scale(load, axis, block, value_of(n) or 1, turn)
        case _:
            raise Unfit(f"an index of {load.array} is neither {axis} alone nor that divided by a number")
