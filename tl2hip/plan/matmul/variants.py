"""The tiles that one product is cut into, each with where the launcher takes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl2hip.nest.index import mul, number, product
from tl2hip.nest.ir import Compare, Expr
from tl2hip.plan.choice import holds
from tl2hip.plan.matmul import marks
from tl2hip.plan.matmul.cost import FEW_ROWS, task_of, tiles
from tl2hip.plan.matmul.find import PLAN, MatrixProduct
from tl2hip.plan.matmul.kernel import TileKernel, tile_kernel
from tl2hip.plan.matmul.sizes import From, choices
from tl2hip.plan.matmul.split import split, tiles_of
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.unfit import Unfit
from tl2hip.source.problems.base import Refused

NAMES = {1: ("",), 2: ("", "small"), 3: ("", "middle", "small")}
"""What kernels are called beside each other, by how many tiles there are, the largest first."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The kernels of one tile, with the word in their names; `where` they are taken rather than those behind, None
    for the last."""

    kernel: TileKernel
    word: str
    where: From | None

    @property
    def test(self) -> Expr | bool:
        """Whether they are taken rather than those behind."""
        p, t = self.kernel.product, self.kernel.tile
        if self.where is None:
            return True
        count = product((*tiles_of(p, t), *(p.chain.axes[n].stop for n in p.batch)))
        least = ((count, self.where.tiles), (p.rows.stop, self.where.rows), (p.columns.stop, self.where.columns))
        tests = [Compare(">=", e, number(n)) for e, n in least if n > 1]
        if p.ragged is not None and self.where.of_group:
            tests.append(Compare(">=", p.rows.stop, mul(p.ragged.group.stop, number(self.where.of_group))))
        return holds(*tests)


def variants(state: State, p: MatrixProduct, numbers: tuple[tuple[Expr, Expr], ...]) -> tuple[Variant, ...]:
    """The product cut into the best tiles that fit, the largest first, the smallest with sums in slices; none
    where no tile fits. `numbers`: number and count of the products along each axis of a batch, the innermost first.
    Raises Refused where the user says what no other plan can do."""
    marks.check_pads(state, p)
    repeated = next((a for a in (p.rows, p.columns) if a.marked("unroll")), None)
    if repeated is not None and not marks.constrained(p):
        why = f"its tile is unrolled as a whole, not {called(repeated)} alone"
        state.miss(PLAN, Unfit(why, "take the unroll mark out"), p.at)
        return ()
    found = marks.cut(p)
    if isinstance(found, marks.Cut):
        return tuple(_variants(state, p, found, numbers))
    if marks.constrained(p):
        raise Refused(marks.refusal(state, p, found))
    state.miss(PLAN, Unfit(found.why, marks.way_out(p, found)), p.at)
    return ()


def _variants(
    state: State, p: MatrixProduct, found: marks.Cut, numbers: tuple[tuple[Expr, Expr], ...]
) -> Iterator[Variant]:
    """A variant for each tile that suits some sizes."""
    moved = any(m.name == "vec" for a in state.nest.arrays for m in a.marks)
    cuts: list[tuple[marks.Cut, From | None]]
    if p.shaped or moved:
        cuts = [(found, None)]
    elif p.ragged is not None:
        cuts = list(_for_groups(p, found))
    else:
        cuts = [(found, None)] if p.whole else list(_for_sizes(p, found))
    for n, ((cut, where), word) in enumerate(zip(cuts, NAMES[len(cuts)], strict=True)):
        last = n == len(cuts) - 1
        shared = split(state, p, cut.tile, numbers) if last else None
        yield Variant(tile_kernel(state, p, cut.tile, cut.fills, shared), word, None if last else where)


def _for_groups(p: MatrixProduct, found: marks.Cut) -> Iterator[tuple[marks.Cut, From | None]]:
    """The cut for groups of many rows, and one for few, whose time is that of reading the right factors once."""
    few = marks.cut_by(p, tiles(p, replace(task_of(p), rows=FEW_ROWS // 2)))
    if not isinstance(few, marks.Cut) or few.tile.rows >= found.tile.rows:
        yield found, None
        return
    yield found, From(1, 1, 1, FEW_ROWS)
    yield few, None


def _for_sizes(p: MatrixProduct, found: marks.Cut) -> Iterator[tuple[marks.Cut, From | None]]:
    """The cut for large sizes, and those for others where they are worth it."""
    some = tiles(p)
    for choice in choices(p, found.tile, [t for t in some if t.fault() is None]):
        t = choice.tile
        cut = marks.cut_by(p, [t, *(o for o in some if (o.rows, o.columns) == (t.rows, t.columns))])
        if isinstance(cut, marks.Cut):
            yield cut, choice.where
