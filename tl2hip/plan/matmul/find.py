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
from tl2hip.plan.matmul.blocks import Blocks, Scale, blocks_of, scales_of
from tl2hip.plan.matmul.factors import Operand, factors
from tl2hip.plan.matmul.flat import Flat, flat, flat_sum, in_a_row, in_memory, mentions
from tl2hip.plan.matmul.ragged import Ragged, known_inside, loads_inside, ragged_rows
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
    ragged: Ragged | None = None
    """What says which rows belong together, where these are groups of any length."""
    block: int = 0
    """Elements of the sum in a block that is scaled as a whole; 0 where none is."""
    scales: tuple[Scale, ...] = ()
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
    def whole(self) -> str:
        """Why a block computes all of a sum, in one tile for all sizes; empty where it need not."""
        if self.block:
            return "blocks of the sum are scaled, for the whole sum in one block of threads"
        if self.ragged is not None:
            return "rows come in groups, and blocks that take a whole sum find theirs"
        return "a factor is computed on its way, for the whole sum in one block" if self.computed else ""

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
        the columns of the result, so that a lane holds consecutive ones. Where the user says xf32 it is the one
        that keeps ten bits of the factors' mantissas."""
        return find(self.rights[0].dtype, self.left.dtype, self.dtype, size, self.over.axis.marked("xf32"))


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
    made, blocks = _sums(state, chain)
    terms, body, over = tuple((s.left, s.right) for s in made.sums), made.body, made.over
    ragged = ragged_rows(state.nest, chain, body)
    if ragged is not None:
        chain = replace(chain, axes=tuple(ragged.whole if a == ragged.rows else a for a in chain.axes))
        every = (*chain.axes, *made.axes)
        terms = tuple((loads_inside(state.nest, every, x), loads_inside(state.nest, every, y)) for x, y in terms)
        body = known_inside(state.nest, every, body)
    _check_bounds((*chain.axes, *made.axes))
    if any(isinstance(s, Loop | Alloc) for s in all_stmts(body)):
        raise Unfit("what is done with an element holds a loop")
    if len(made.axes) > 1:
        one = flat_sum(state, in_memory(made.axes, terms[0]))
        terms = _moved(state, one, terms)
        over = replace(over, axis=one.axis)
    if any(state.kinds[axis.name].updates for axis in chain.axes):
        raise Unfit("elements of the result meet")
    for one in _joined(state, chain, terms[0], body):
        terms, body, chain = _moved(state, one, terms), one.stmts(state, body), _with(chain, one)
        blocks = blocks and blocks.moved(state, one)
    axes = tuple(a.name for a in chain.axes)
    pairs = [factors(state, pair, axes, over.axis.name) for pair in terms]
    known = [pair for pair in pairs if pair is not None]
    if len(known) < len(pairs):
        return None
    left, rights = _shared(known, body)
    written = {s.array for s in all_stmts(body) if isinstance(s, Store | Update)}
    scaled_by = {load.array for load in blocks.loads} if blocks else set()
    if written & {*scaled_by, *(a for o in (left, *rights) for a in o.arrays)}:
        raise Unfit("a factor is written by the same loops", "store the result in an array of its own")
    named = {x.name: x for x in chain.axes}
    rows, columns = named[left.axis], named[rights[0].axis]
    own = (rows, columns) if ragged is None else (rows, columns, ragged.group)
    batch = tuple(n for n, x in enumerate(chain.axes) if x not in own)
    pads = tuple(_pad(state, o) for o in (left, *rights))
    size, scales = (blocks.size, scales_of(blocks, rows, columns)) if blocks else (0, ())
    names, sums_at = tuple(s.name for s in made.sums), tuple(s.at for s in made.sums)
    dtype = made.sums[0].dtype
    done = MatrixProduct(
        chain, rows, columns, batch, over, made.others, left, rights, pads, names, dtype, body, sums_at,
        ragged, size, scales,
    )  # fmt: skip
    if 1 in (value_of(rows.stop), value_of(columns.stop)):
        raise Unfit("a matrix times a vector leaves matrix instructions idle")
    _check_ragged(done)
    _check_instruction(done)
    return done


def _check_ragged(p: MatrixProduct) -> None:
    """Raises Unfit where rows in groups are none that tiles can start at."""
    if p.ragged is None:
        return
    if p.block:
        raise Unfit("blocks of a sum are scaled, and rows come in groups")
    name, group = called(p.ragged.rows), AxisRef(p.ragged.group.name)
    if p.rows != p.ragged.whole:
        raise Unfit(f"the loop over `{name}` runs from offset to offset, and is none of rows", "swap its axes")
    if p.left.along == "axis":
        raise Unfit(f"neighbours of {p.left.array} in memory are of several `{name}`, which start anywhere")
    if any(isinstance(i, AxisRef) and i == group for i in p.left.index):
        raise Unfit(f"{p.left.array} has an index for each `{called(p.ragged.group)}`, and rows for all")


def _check_instruction(p: MatrixProduct) -> None:
    """Raises Unfit where no matrix instruction multiplies the factors as the user says."""
    asked = {loop.axis.marked("xf32") for loop in (p.over, *p.others)}
    if len(asked) > 1:
        raise Unfit("xf32 is said of one of its sums and not of another", "give each loops of its own")
    if p.instruction(16) is not None:
        return
    left, right = p.left.dtype, p.rights[0].dtype
    if asked == {True}:
        kinds = f"{left}" if left is right else f"{left} and {right}"
        raise Unfit(f"xf32 rounds factors of f32, and these are {kinds}", "take the xf32 mark out")
    raise Unfit(f"gfx942 has no matrix instruction for {left} and {right} into {p.dtype}")


def _sums(state: State, chain: Chain) -> tuple[Sums, Blocks | None]:
    """The sums that the body of a chain makes, and the blocks of a single one. Raises Unfit where one of its loops
    is none that rules know."""
    body = tuple(_flat(state, chain.body))
    loops = [s for s in body if isinstance(s, Loop)]
    marked = {i.at for i in state.nest.idioms if i.rule == "contraction"}
    if not loops or not all(any(s.at in marked for s in all_stmts(loop.body)) for loop in loops):
        outer = " and ".join(f"`{called(a)}`" for a in chain.axes)
        why = f"{len(loops)} loops stand inside {outer}; a product has one, its sum"
        raise Unfit(why, "give each loops of its own")
    blocks = blocks_of(state, loops[0]) if len(loops) == 1 else None
    made = sums_of(state, body if blocks is None else blocks.without_scales(body))
    if blocks is not None:
        made = replace(made, others=(blocks.inner,))
    if len({s.dtype for s in made.sums}) > 1:
        raise Unfit("its sums have different dtypes", "give each loops of its own")
    return made, blocks


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
