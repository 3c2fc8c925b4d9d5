"""What a nest says of a matrix product: its factors, the summed axis, and what is done with each element."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl2hip.dtypes import DType
from tl2hip.nest.index import ZERO, value_of
from tl2hip.nest.ir import (
    Alloc,
    Axis,
    AxisRef,
    Binary,
    Const,
    Expr,
    Load,
    Loop,
    Set,
    Stmt,
    Store,
    Update,
    Var,
)
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, map_expr
from tl2hip.plan.access import unit_stride
from tl2hip.plan.chain import Chain
from tl2hip.plan.layout.mfma import Mfma, find
from tl2hip.plan.matmul.factors import Operand, factors
from tl2hip.plan.matmul.flat import Flat, flat, flat_sum, in_a_row, in_memory, mentions, sum_axes
from tl2hip.plan.names import called
from tl2hip.plan.promote import promoted
from tl2hip.plan.state import State
from tl2hip.plan.unfit import Unfit
from tl2hip.source.span import Span

PLAN = "matrix product"

@dataclass(frozen=True, slots=True)
class MatrixProduct:
    """One element of the result for each point of `chain`: `name` starts from `ahead`, takes the sum over `over` of
    left times right, and goes through `behind`.

    Consecutive elements of the result run along `columns`, the axis of `right`; `batch` axes are the others of the
    chain.
    """

    chain: Chain
    rows: Axis
    columns: Axis
    batch: tuple[int, ...]
    """Places in the chain."""
    over: Loop
    left: Operand
    right: Operand
    pads: tuple[int, int]
    """Elements between rows of either factor in LDS, which the user says."""
    name: str
    dtype: DType
    start: Expr
    ahead: tuple[Stmt, ...]
    behind: tuple[Stmt, ...]
    at: Span
    together: int = 1
    """Neighbouring elements of the result that a lane should store together."""

    @property
    def computed(self) -> bool:
        """Whether a factor is computed on its way to LDS."""
        return any(o.value is not None for o in (self.left, self.right))

    @property
    def shaped(self) -> bool:
        """Whether the user says anything of its tiles, or of how they are summed."""
        axes = (self.rows, self.columns, self.over.axis)
        marks = ("waves", "stages", "mfma", "group", "split")
        return any(a.tile is not None or any(map(a.marked, marks)) for a in axes) or any(
            (*self.pads, self.over.axis.marked("serial"))
        )

    def instruction(self, size: int) -> Mfma | None:
        """The matrix instruction with results of `size` by `size`, its operands exchanged: the rows it counts are
        the columns of the result, so that a lane holds consecutive ones."""
        return find(self.right.dtype, self.left.dtype, self.dtype, size)


def found(state: State, chain: Chain) -> MatrixProduct | None:
    """The product that the body of a chain is; None, with the reason told where a rule saw one, if it is none. Of a
    matrix times a vector nothing is told: loops over rows and the sum, or a factor without an axis of its own."""
    marked = {i.at: i for i in state.nest.idioms if i.rule == "contraction"}
    sites = [s for s in all_stmts(chain.body) if isinstance(s, Set | Update | Store) and s.at in marked]
    if not sites or len(chain.axes) + max(_loops_around(chain.body, s) for s in sites) < 3:
        return None
    try:
        return _product(state, chain, sites[0].at)
    except Unfit as unfit:
        state.miss(PLAN, unfit, sites[0].at)
        return None


def _product(state: State, chain: Chain, at: Span) -> MatrixProduct | None:
    body = tuple(_flat(state, chain.body))
    loops = [n for n, s in enumerate(body) if isinstance(s, Loop)]
    if len(loops) != 1:
        outer = " and ".join(f"`{called(a)}`" for a in chain.axes)
        why = f"{len(loops)} loops stand inside {outer}; a product has one, its sum"
        raise Unfit(why, "give each loops of its own")
    over = body[loops[0]]
    assert isinstance(over, Loop)
    ahead, behind = body[: loops[0]], body[loops[0] + 1 :]
    summed, inner = sum_axes(over)
    name, dtype, left, right = _term(inner, behind)
    start, ahead = _start(state, ahead, name, dtype)
    _check_bounds((*chain.axes, *summed))
    if any(isinstance(s, Loop | Alloc) for s in all_stmts((*ahead, *behind))):
        raise Unfit("what is done with an element holds a loop")
    if len(summed) > 1:
        one = flat_sum(state, in_memory(summed, (left, right)))
        left, right = one.expr(state, left), one.expr(state, right)
        over = replace(over, axis=one.axis)
    if any(state.kinds[axis.name].updates for axis in chain.axes):
        raise Unfit("elements of the result meet")
    for one in _joined(state, chain, (left, right), behind):
        left, right = one.expr(state, left), one.expr(state, right)
        ahead, behind = one.stmts(state, ahead), one.stmts(state, behind)
        chain = _with(chain, one)
    axes = tuple(a.name for a in chain.axes)
    pair = factors(state, (left, right), axes, over.axis.name)
    if pair is None:
        return None
    a, b = pair
    written = {s.array for s in all_stmts((*ahead, *behind)) if isinstance(s, Store | Update)}
    if written & {*a.arrays, *b.arrays}:
        raise Unfit("a factor is written by the same loops", "store the result in an array of its own")
    if unit_stride(behind, a.axis) > unit_stride(behind, b.axis):
        a, b = b, a
    named = {x.name: x for x in chain.axes}
    places = tuple(n for n, x in enumerate(chain.axes) if x.name not in (a.axis, b.axis))
    pads = (_pad(state, a), _pad(state, b))
    made = MatrixProduct(
        chain, named[a.axis], named[b.axis], places, over, a, b, pads, name, dtype, start, ahead, behind, at
    )
    if 1 in (value_of(made.rows.stop), value_of(made.columns.stop)):
        raise Unfit("a matrix times a vector leaves matrix instructions idle")
    if made.instruction(16) is None:
        raise Unfit(f"gfx942 has no matrix instruction for {a.dtype} and {b.dtype} into {dtype}")
    return made


def _pad(state: State, o: Operand) -> int:
    """Elements that the user wants between rows in LDS; without any, pieces change places instead."""
    marks = () if o.value is not None else state.nest.array(o.array).marks
    return next((m.value or 0 for m in marks if m.name == "lds"), 0)


def _loops_around(body: tuple[Stmt, ...], site: Stmt) -> int:
    """How many loops of a body stand around one of its statements."""
    loops = (s for s in all_stmts(body) if isinstance(s, Loop))
    return sum(any(s is site for s in all_stmts(loop.body)) for loop in loops)


def _flat(state: State, body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """The statements of a body, sums into an element of an array held in a scalar."""
    for s in body:
        if isinstance(s, Loop):
            yield from promoted(s, frozenset(), state.dtypes, state.names).body
        else:
            yield s


def _term(over: Loop, behind: tuple[Stmt, ...]) -> tuple[str, DType, Expr, Expr]:
    """The scalar that takes the sum, and the factors of each term, locals of the loop put in their places. A local
    that a turn takes over from the one before, or that is read behind the loop, is another result."""
    *before, last = over.body
    known: dict[str, Expr] = {}
    own = {s.name for s in before if isinstance(s, Set)}
    outside = {e.name for e in all_exprs(behind) if isinstance(e, Var)}

    def whole(e: Expr) -> Expr:
        return map_expr(lambda x: known.get(x.name, x) if isinstance(x, Var) else x, e)

    for s in before:
        if not isinstance(s, Set):
            raise Unfit("the summing loop does more than sum")
        carried = own - known.keys() & {e.name for e in all_parts(s.value) if isinstance(e, Var)}
        if carried or s.name in outside:
            raise Unfit(f"the summing loop makes {s.name} besides the sum", "give each sum loops of its own")
        known[s.name] = whole(s.value)
    if not isinstance(last, Set) or last.name in known:
        raise Unfit("the summing loop does more than sum")
    match whole(last.value):
        case Binary(op="+", left=Var(name=name, dtype=t), right=Binary(op="*", left=a, right=b)):
            pass
        case Binary(op="+", left=Binary(op="*", left=a, right=b), right=Var(name=name, dtype=t)):
            pass
        case _:
            raise Unfit("a term is no product of two elements")
    if name != last.name:
        raise Unfit("the summing loop does more than sum")
    return name, t, a, b


def _start(state: State, ahead: tuple[Stmt, ...], name: str, dtype: DType) -> tuple[Expr, tuple[Stmt, ...]]:
    """What the sum starts from, and the statements ahead of the loop. A start that is no constant is computed where
    it stands among them, into a scalar of its own: what follows may change what it is made of."""
    sets = [s for s in ahead if isinstance(s, Set) and s.name == name]
    read = any(isinstance(e, Var) and e.name == name for e in all_exprs(ahead))
    if len(sets) != 1 or read:
        raise Unfit(f"{name} is used before the sum")
    (at,) = sets
    if isinstance(at.value, Const):
        if dtype.is_float and at.value.value == 0 and math.copysign(1, at.value.value) < 0:
            raise Unfit(f"{name} starts from -0.0, and the sums of matrix instructions from 0.0")
        return at.value, tuple(s for s in ahead if s is not at)
    first = Var(state.names.fresh(f"{name}_start", keep=True), dtype)
    state.dtypes[first.name] = dtype
    return first, tuple(replace(s, name=first.name) if isinstance(s, Set) and s is at else s for s in ahead)


def _joined(
    state: State, chain: Chain, terms: tuple[Expr, Expr], behind: tuple[Stmt, ...]
) -> Iterator[Flat]:
    """For either factor the axes of its own that are rows of the result, as one; those with marks stay several."""
    for this, other in (terms, terms[::-1]):
        own = [a for a in chain.axes if mentions(this, a) and not mentions(other, a)]
        rows = in_a_row(state, own, behind)
        if len(rows) > 1 and not any(a.tile is not None or a.marks for a in rows):
            yield flat(state, rows)


def _with(chain: Chain, one: Flat) -> Chain:
    """A chain with one axis in the place of several, where the last of them stands."""
    last = chain.axes.index(one.axes[-1])
    kept = [n for n, a in enumerate(chain.axes) if n == last or a not in one.axes]
    axes = tuple(one.axis if n == last else chain.axes[n] for n in kept)
    return Chain(axes, tuple(chain.places[n] for n in kept), chain.body)


def _check_bounds(axes: tuple[Axis, ...]) -> None:
    """Every axis runs from 0 by 1 to an end that no other axis moves."""
    for axis in axes:
        if axis.start != ZERO or axis.step != 1:
            raise Unfit(f"{axis.user or axis.name} does not run from 0 by 1")
        if any(isinstance(p, AxisRef | Var | Load) for p in all_parts(axis.stop)):
            raise Unfit(f"the end of {axis.user or axis.name} is not the same for all elements")
