"""The launch of a matrix product: which tile, which kernels, and when the launcher takes which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from tl2hip.nest.index import ZERO, mul, number, product, value_of
from tl2hip.nest.ir import AxisRef, Compare, Expr, Logic
from tl2hip.plan import launch as general
from tl2hip.plan.chain import Chain
from tl2hip.plan.gfx942 import ACCESS_BYTES, MAX_GRID_X
from tl2hip.plan.ir import Aligned, DeviceStmt, HostIf, HostStmt, Launch
from tl2hip.plan.launch import Shared, wrap
from tl2hip.plan.marks import unmarked
from tl2hip.plan.matmul import marks
from tl2hip.plan.matmul.anywhere import anywhere
from tl2hip.plan.matmul.computed import taken_by
from tl2hip.plan.matmul.epilogue import moved_in_vectors, stored_together
from tl2hip.plan.matmul.fill import Fill
from tl2hip.plan.matmul.find import PLAN, MatrixProduct, found
from tl2hip.plan.matmul.kernel import TileKernel, tile_kernel
from tl2hip.plan.matmul.tile import Tile
from tl2hip.plan.matrix_ir import LdsBarrier
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.widen import Moves
from tl2hip.source.problems.base import Refused

NEAR = 2**31
"""Bytes that a lane's 32-bit offset reaches."""


def matmul(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launch of a chain that is a matrix product; None where it is none."""
    p = found(state, chain)
    if p is None:
        return None
    p = replace(p, together=stored_together(state, p))
    kernel = _cut(state, p)
    if kernel is None:
        return None
    moves = moved_in_vectors(state, p, kernel.tile)
    fast = _choice(state, kernel, moves)
    _note(state, kernel)
    for fill in kernel.computes:
        for unfit in (t.unfit for t in taken_by(state, fill) if t.unfit is not None):
            state.miss("factor read in vectors", unfit, p.at)
    marks.honour(state, p, (kernel.left, kernel.right), moves)
    tile = kernel.tile
    for axis, size in ((p.rows, tile.rows), (p.columns, tile.columns), (p.over.axis, tile.depth)):
        state.grain(axis.stop, size, tile.piece)
    limits = _limits(state, kernel)
    if limits is None:
        return fast
    chain = replace(chain, axes=tuple(map(unmarked, chain.axes)))
    other = general.plain_threads(state, chain, "kernel_any_size", "a thread for each element, of any size")
    return (HostIf(limits, fast, (other,)),)


def _cut(state: State, p: MatrixProduct) -> TileKernel | None:
    """The product cut into the best tile that fits. Raises Refused where none does and the user says what no other
    plan can do."""
    marks.check_pads(state, p)
    repeated = next((a for a in (p.rows, p.columns) if a.marked("unroll")), None)
    if repeated is not None and not marks.constrained(p):
        why = f"its tile is unrolled as a whole, not {called(repeated)} alone"
        state.miss(PLAN, Unfit(why, "take the unroll mark out"), p.at)
        return None
    found = marks.cut(p)
    if isinstance(found, marks.Cut):
        return tile_kernel(state, p, found.tile, found.left, found.right)
    if marks.constrained(p):
        raise Refused(marks.refusal(state, p, found))
    state.miss(PLAN, Unfit(found.why, marks.way_out(p, found)), p.at)
    return None


def _add_anywhere(state: State, kernel: TileKernel, moves: Moves | None) -> str:
    """Adds the kernel for factors at any address alone; its name."""
    t, body = kernel.tile, anywhere(_body(state, kernel, moves, exact=False), kernel.steps)
    return state.add("", body, (t.threads, 1, 1), f"{_summary(t)}, at any alignment", t.waves)


def _add_both(state: State, kernel: TileKernel, moves: Moves | None) -> tuple[str, str]:
    """Adds the kernel for aligned factors and that for any; their names."""
    t, body = kernel.tile, _body(state, kernel, moves, exact=True)
    aligned = state.add("kernel_aligned", body, (t.threads, 1, 1), _summary(t), t.waves)
    if kernel.computes:
        other = anywhere(_body(state, kernel, moves, exact=False), kernel.steps)
        summary = f"{_summary(t)}, at any alignment"
        return aligned, state.add("kernel", other, (t.threads, 1, 1), summary, t.waves)
    changed = partial(anywhere, steps=kernel.steps)
    return aligned, state.again(aligned, "kernel", changed, f"{_summary(t)}, at any alignment")


def _summary(t: Tile) -> str:
    return f"a tile of {t.rows} x {t.columns} a block, {t.down} x {t.across} waves"


def _body(state: State, kernel: TileKernel, moves: Moves | None, *, exact: bool) -> tuple[DeviceStmt, ...]:
    """The statements of the kernel for aligned factors; `exact` as of `TileKernel.body`."""
    body = kernel.body(state, moves, exact=exact)
    batch = _batch(kernel.product)
    return wrap(batch, (*body, LdsBarrier("LDS is used again")), state) if batch else body


def _batch(p: MatrixProduct) -> tuple[Shared, ...]:
    """The axes of the batch: two over the grid, any more inside a block."""
    return general.share_blocks(p.chain.part(p.batch), ("y", "z"))


def _choice(state: State, kernel: TileKernel, moves: Moves | None) -> tuple[HostStmt, ...]:
    """The kernel for aligned factors where they are, else that for any."""
    p, t = kernel.product, kernel.tile
    _, y, z = general.grid_of(_batch(p), None)
    grid = (mul(*kernel.grid), y, z)
    needs = (_needs(kernel.left, kernel, state), _needs(kernel.right, kernel, state))
    names = tuple(dict.fromkeys(a for n in needs for a in n.arrays))
    multiples = dict.fromkeys(e for n in needs for e in n.multiples)
    near = dict.fromkeys(e for n in needs for e in n.near)
    far = any((value_of(e) or 0) >= NEAR for e in near)
    if far or any((value_of(e) or 0) % t.piece for e in multiples):
        return (Launch(_add_anywhere(state, kernel, moves), grid),)
    aligned, other = _add_both(state, kernel, moves)
    unknown = tuple(e for e in multiples if value_of(e) is None)
    test = Aligned(names, ACCESS_BYTES, unknown, t.piece, tuple(e for e in near if value_of(e) is None))
    return (HostIf(test, (Launch(aligned, grid),), (Launch(other, grid),)),)


@dataclass(frozen=True, slots=True)
class Needs:
    """What the kernel for aligned factors needs of one: arrays that start at multiples of 16 bytes, extents that
    are multiples of a piece, bytes that 32-bit offsets reach."""

    arrays: tuple[str, ...]
    multiples: tuple[Expr, ...]
    near: tuple[Expr, ...] = ()


def _needs(f: Fill, kernel: TileKernel, state: State) -> Needs:
    o, p = f.operand, kernel.product
    if o.value is None:
        return Needs((o.array,), (state.nest.array(o.array).shape[-1],), (_whole(f, state),) * (o.along == "axis"))
    found = [t for t in taken_by(state, f) if t.index]
    wide = [t for t in found if t.width > 1]
    own = next(a for a in (p.rows, p.columns) if a.name == o.axis)
    ends = (p.over.axis.stop, *((own.stop,) if o.along == "axis" else ()))
    near = (product((*t.array.shape[t.batch :], number(t.array.dtype.bytes))) for t in found)
    return Needs(
        tuple(t.array.name for t in wide), (*ends, *(t.array.shape[-1] for t in wide)), tuple(near)
    )


def _whole(f: Fill, state: State) -> Expr:
    """Bytes of all rows of memory over the sum, where memory runs along the other axis."""
    o = f.operand
    shape = state.nest.array(o.array).shape
    return mul(mul(o.pitch(shape), shape[o.index.index(AxisRef(o.over))]), number(f.tile.bytes))


def _limits(state: State, kernel: TileKernel) -> Expr | None:
    """What must hold for either kernel: something to sum, tiles for one grid, offsets of 32 bits, whole pieces."""
    p, t = kernel.product, kernel.tile
    fills = [f for f in (kernel.left, kernel.right) if f.operand.value is None]
    pitches = [f.operand.pitch(state.nest.array(f.operand.array).shape) for f in fills]
    most: dict[Expr, int] = {p.over.axis.stop: NEAR // 2}
    for f, pitch in zip(fills, pitches, strict=True):
        rows = f.rows if f.operand.along == "over" else t.depth
        most[pitch] = min(most.get(pitch, NEAR), NEAR // (2 * rows * t.bytes))
    pieces = dict.fromkeys(
        e for f, e in zip(fills, pitches, strict=True) if f.operand.along == "axis"
    )
    tests = [Compare("<", ZERO, p.over.axis.stop), *(Compare("<=", number(t.piece), e) for e in pieces)]
    tests += [Compare("<", e, number(n)) for e, n in most.items()]
    return _all((*tests, Compare("<=", mul(*kernel.grid), number(MAX_GRID_X))))


def _all(tests: Iterable[Compare]) -> Expr | None:
    """The tests that are not sure to hold, joined; None where all of them are."""
    whole: Expr | None = None
    for test in tests:
        a, b = value_of(test.left), value_of(test.right)
        if a is not None and b is not None and (a < b or (test.op == "<=" and a == b)):
            continue
        whole = test if whole is None else Logic("and", whole, test)
    return whole


def _note(state: State, kernel: TileKernel) -> None:
    """Where each loop went."""
    p, t = kernel.product, kernel.tile
    places = {a.name: at for a, at in zip(p.chain.axes, p.chain.places, strict=True)}
    for axis, size, waves, what in (
        (p.rows, t.rows, t.down, "rows"), (p.columns, t.columns, t.across, "columns")
    ):  # fmt: skip
        share = f"tiles of {size}, {waves} waves" if waves > 1 else f"tiles of {size}"
        share += f", in groups of {n}" if (n := axis.mark("group")) else ""
        state.note(called(axis), f"grid x, {share}", f"{what} of a matrix product", places[axis.name])
    for s in _batch(p):
        where = f"grid {s.how.letter}" if s.how else "serial in a block"
        state.note(called(s.axis), where, "a matrix product for each", s.at)
    name = t.mfma.builtin.removeprefix("__builtin_amdgcn_")
    where = f"tiles of {t.depth}, {t.stages} stages"
    state.note(called(p.over.axis), where, f"summed by {name}", p.over.at)
