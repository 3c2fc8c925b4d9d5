"""What a nest says of a matrix product: its factors, the summed axis, and what is done with each element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tl2hip.dtypes import DType
from tl2hip.nest.index import ZERO, value_of
from tl2hip.nest.ir import (
    Alloc,
    Axis,
    AxisRef,
    Expr,
    Load,
    Loop,
    Set,
    Stmt,
    Store,
    Update,
    Var,
)
from tl2hip.nest.walk import all_parts, all_stmts
from tl2hip.plan.access import unit_stride
from tl2hip.plan.chain import Chain
from tl2hip.plan.layout.mfma import Mfma, find
from tl2hip.plan.matmul.factors import Operand, factors
from tl2hip.plan.matmul.flat import Flat, flat, in_a_row, in_memory, mentions
from tl2hip.plan.matmul.ingredients import counted
from tl2hip.plan.matmul.sums import Sums, sums_of
from tl2hip.plan.names import called
from tl2hip.plan.promote import promoted
from tl2hip.plan.state import State
from tl2hip.plan.unfit import Unfit
from tl2hip.source.span import Span

PLAN = "matrix product"

@dataclass(frozen=True, slots=True)
class MatrixProduct:
    """What an element of the result is for each point of `chain`: a sum over `over` of left times right, or several
    that share the left factor, and the statements `body`, in which `summed(n)` stands for sum n.

    Consecutive elements of the result run along `columns`, the axis of `rights`; `batch` axes are the others of the
    chain. `others` are more loops over the same, each with sums of its own.
    """

    chain: Chain
    rows: Axis
    columns: Axis
    batch: tuple[int, ...]
    """Places in the chain."""
    over: Loop
    others: tuple[Loop, ...]
    left: Operand
    rights: tuple[Operand, ...]
    pads: tuple[int, ...]
    """Elements between rows of each factor in LDS, which the user says."""
    names: tuple[str, ...]
    """The scalars that take the sums."""
    dtype: DType
    body: tuple[Stmt, ...]
    sums_at: tuple[Span, ...]
    """Where each sum stands."""
    inner: frozenset[Expr] = frozenset()
    """What the axes are divided by that stand for several loops."""
    pieces: frozenset[Expr] = frozenset()
    """How far the innermost loop of a sum runs that is one of several, where nobody knows: the kernel for aligned
    factors takes whole pieces of it."""
    together: int = 1
    """Neighbouring elements of the result that a lane should store together."""

    @property
    def factors(self) -> tuple[Operand, ...]:
        """The left factor and the right ones."""
        return (self.left, *self.rights)

    @property
    def at(self) -> Span:
        """Where the first sum stands."""
        return self.sums_at[0]

    @property
    def computed(self) -> bool:
        """Whether a factor is computed on its way to LDS."""
        return any(o.value is not None for o in self.factors)

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
        return find(self.rights[0].dtype, self.left.dtype, self.dtype, size)


def found(state: State, chain: Chain) -> MatrixProduct | None:
    """The product that the body of a chain is; None, with the reason told where a rule saw one, if it is none. Of a
    matrix times a vector nothing is told: loops over rows and the sum, or a factor without an axis of its own."""
    marked = {i.at: i for i in state.nest.idioms if i.rule == "contraction"}
    sites = [s for s in all_stmts(chain.body) if isinstance(s, Set | Update | Store) and s.at in marked]
    if not sites or len(chain.axes) + max(_loops_around(chain.body, s) for s in sites) < 3:
        return None
    try:
        return _product(state, chain)
    except Unfit as unfit:
        state.miss(PLAN, unfit, sites[0].at)
        return None


def _product(state: State, chain: Chain) -> MatrixProduct | None:
    made = _sums(state, chain)
    terms, body, over = tuple((s.left, s.right) for s in made.sums), made.body, made.over
    _check_bounds((*chain.axes, *made.axes))
    if any(isinstance(s, Loop | Alloc) for s in all_stmts(body)):
        raise Unfit("what is done with an element holds a loop")
    joined: list[Flat] = []
    if len(made.axes) > 1:
        one = flat(state, in_memory(made.axes, terms[0]))
        joined.append(one)
        terms = _moved(state, one, terms)
        over = replace(over, axis=one.axis)
    pieces = frozenset(e for one in joined if value_of(e := one.axes[-1].stop) is None)
    if any(state.kinds[axis.name].updates for axis in chain.axes):
        raise Unfit("elements of the result meet")
    for one in _joined(state, chain, terms[0], body):
        joined.append(one)
        terms, body, chain = _moved(state, one, terms), one.stmts(state, body), _with(chain, one)
    axes = tuple(a.name for a in chain.axes)
    pairs = [factors(state, pair, axes, over.axis.name) for pair in terms]
    known = [pair for pair in pairs if pair is not None]
    if len(known) < len(pairs):
        return None
    left, rights = _shared(known, body)
    written = {s.array for s in all_stmts(body) if isinstance(s, Store | Update)}
    if written & {a for o in (left, *rights) for a in o.arrays}:
        raise Unfit("a factor is written by the same loops", "store the result in an array of its own")
    named = {x.name: x for x in chain.axes}
    rows, columns = named[left.axis], named[rights[0].axis]
    batch = tuple(n for n, x in enumerate(chain.axes) if x not in (rows, columns))
    pads = tuple(_pad(state, o) for o in (left, *rights))
    names, sums_at = tuple(s.name for s in made.sums), tuple(s.at for s in made.sums)
    dtype, divisors = made.sums[0].dtype, frozenset(e for one in joined for e in one.divisors)
    left, rights = counted(state, left), tuple(counted(state, o) for o in rights)
    done = MatrixProduct(
        chain, rows, columns, batch, over, made.others, left, rights, pads, names, dtype, body, sums_at,
        divisors, pieces,
    )  # fmt: skip
    if 1 in (value_of(rows.stop), value_of(columns.stop)):
        raise Unfit("a matrix times a vector leaves matrix instructions idle")
    if done.instruction(16) is None:
        raise Unfit(f"gfx942 has no matrix instruction for {left.dtype} and {rights[0].dtype} into {dtype}")
    return done


def _sums(state: State, chain: Chain) -> Sums:
    """The sums that the body of a chain makes. Raises Unfit where one of its loops is none that rules know."""
    body = tuple(_flat(state, chain.body))
    loops = [s for s in body if isinstance(s, Loop)]
    marked = {i.at for i in state.nest.idioms if i.rule == "contraction"}
    if not loops or not all(any(s.at in marked for s in all_stmts(loop.body)) for loop in loops):
        outer = " and ".join(f"`{called(a)}`" for a in chain.axes)
        why = f"{len(loops)} loops stand inside {outer}; a product has one, its sum"
        raise Unfit(why, "give each loops of its own")
    made = sums_of(state, body)
    if len({s.dtype for s in made.sums}) > 1:
        raise Unfit("its sums have different dtypes", "give each loops of its own")
    return made


def _moved(state: State, one: Flat, terms: tuple[tuple[Expr, Expr], ...]) -> tuple[tuple[Expr, Expr], ...]:
    """Factors of one axis instead of several."""
    return tuple((one.expr(state, x), one.expr(state, y)) for x, y in terms)


def _shared(
    pairs: Sequence[tuple[Operand, Operand]], body: tuple[Stmt, ...]
) -> tuple[Operand, tuple[Operand, ...]]:
    """The factor that all sums share, the left one, and the others: where that may be either, elements of the
    result that are neighbours in memory run along the others."""
    a, b = pairs[0]
    if unit_stride(body, a.axis) > unit_stride(body, b.axis):
        a, b = b, a
    left = next((o for o in (a, b) if all(o in pair for pair in pairs)), None)
    if left is None:
        raise Unfit("its sums share no factor", "give each loops of its own")
    rights = tuple(y if x == left else x for x, y in pairs)
    if len({(o.axis, o.dtype) for o in rights}) > 1:
        raise Unfit("the other factors of its sums are not alike", "give each loops of its own")
    return left, rights


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


def _joined(
    state: State, chain: Chain, terms: tuple[Expr, Expr], body: tuple[Stmt, ...]
) -> Iterator[Flat]:
    """For either factor the axes of its own that are rows of the result, as one; those with marks stay several."""
    for this, other in (terms, terms[::-1]):
        own = [a for a in chain.axes if mentions(this, a) and not mentions(other, a)]
        rows = in_a_row(state, own, body)
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
