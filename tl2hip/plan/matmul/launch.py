"""The launch of a matrix product: which tile, which kernels, and when the launcher takes which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from tl2hip.nest.index import ONE, ZERO, mul, number, product, value_of
from tl2hip.nest.ir import AxisRef, Compare, Expr, Logic
from tl2hip.plan import launch as general
from tl2hip.plan.chain import Chain
from tl2hip.plan.choice import either
from tl2hip.plan.gfx942 import ACCESS_BYTES, MAX_GRID_YZ
from tl2hip.plan.grain import Probe
from tl2hip.plan.ir import Aligned, DeviceStmt, HostIf, HostStmt, Launch
from tl2hip.plan.launch import Shared, wrap
from tl2hip.plan.marks import unmarked
from tl2hip.plan.matmul import marks
from tl2hip.plan.matmul.anywhere import anywhere
from tl2hip.plan.matmul.computed import taken_by
from tl2hip.plan.matmul.epilogue import moved_in_vectors, stored_together
from tl2hip.plan.matmul.fill import Fill
from tl2hip.plan.matmul.find import MatrixProduct, found
from tl2hip.plan.matmul.kernel import TileKernel, registers
from tl2hip.plan.matmul.sizes import From
from tl2hip.plan.matmul.variants import Variant, variants
from tl2hip.plan.matrix_ir import LdsBarrier
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.widen import Moves

MOST_THREADS = 1 << 31
"""Threads of one launch, at most: HIP wants fewer than 2**32."""

NEAR = 2**31
"""Bytes that a lane's 32-bit offset reaches."""


def matmul(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launch of a chain that is a matrix product; None where it is none."""
    p = found(state, chain)
    if p is None:
        return None
    p = replace(p, together=stored_together(state, p))
    some = variants(state, p, _numbers(p))
    if not some:
        return None
    kernels = [v.kernel for v in some]
    first, moves = kernels[0], moved_in_vectors(state, p, kernels[0].tile)
    fast = _by_size(state, some)
    _note(state, kernels)
    for fill in first.computes:
        for unfit in (t.unfit for t in taken_by(state, fill) if t.unfit is not None):
            state.miss("factor read in vectors", unfit, p.at)
    marks.honour(state, p, first.fills, moves)
    for v in some:
        _grains(state, v)
    limits = _limits(state, some)
    if limits is None:
        return fast
    chain = replace(chain, axes=tuple(map(unmarked, chain.axes)))
    other = general.plain_threads(state, chain, "kernel_any_size", "a thread for each element, of any size")
    return (HostIf(limits, fast, (other,)),)


def _by_size(state: State, some: Sequence[Variant]) -> tuple[HostStmt, ...]:
    """The launches of the first variant where the sizes are its own, else those of the others."""
    first, *others = some
    return either(
        first.test,
        lambda: _launched(state, first),
        lambda: _by_size(state, others),
    )


def _grains(state: State, v: Variant) -> None:
    """How a variant cuts extents, and sizes at which it is taken."""
    p, t, s = v.kernel.product, v.kernel.tile, v.kernel.split
    for axis, size in ((p.rows, t.rows), (p.columns, t.columns), (p.over.axis, t.depth)):
        state.grain(axis.stop, size, t.piece)
    if v.where is not None:
        state.probes += _probes(v, v.where)
    if s is not None and s.least:
        few = ((p.rows.stop, t.rows + t.piece), (p.columns.stop, t.columns + t.piece))
        state.probes.append(_probe(*few, (p.over.axis.stop, s.least + t.piece)))


def _probes(v: Variant, where: From) -> Iterator[Probe]:
    """Sizes that are a variant's own: many columns and few rows, and the other way around, both with several tiles
    of the sum."""
    p, t = v.kernel.product, v.kernel.tile
    if p.ragged is not None:
        rows, groups = (p.rows.stop, 2 * where.of_group + 1), (p.ragged.group.stop, 2)
        yield _probe(rows, groups, (p.over.axis.stop, 2 * t.depth + t.piece))
        return
    few, many = max(where.rows, t.piece), (where.tiles - 1) * t.columns + max(where.columns, t.piece)
    depth = (p.over.axis.stop, 2 * t.depth + t.piece)
    yield _probe((p.rows.stop, few), (p.columns.stop, many), depth)
    few, many = max(where.columns, t.piece), (where.tiles - 1) * t.rows + max(where.rows, t.piece)
    yield _probe((p.rows.stop, many), (p.columns.stop, few), depth)


def _probe(*extents: tuple[Expr, int]) -> Probe:
    """A probe of the extents that are not known."""
    return Probe(tuple((e, n) for e, n in extents if value_of(e) is None))


def _add_anywhere(state: State, v: Variant, moves: Moves | None) -> str:
    """Adds the kernel for factors at any address alone; its name."""
    t, body = v.kernel.tile, anywhere(_body(state, v.kernel, moves, exact=False), v.kernel.steps)
    return state.add(_suffix(v.word), body, (t.threads, 1, 1), f"{_summary(v.kernel)}, at any alignment", t.waves)


def _add_both(state: State, v: Variant, moves: Moves | None) -> tuple[str, str]:
    """Adds the kernel for aligned factors and that for any; their names."""
    kernel, t = v.kernel, v.kernel.tile
    body, summary = _body(state, kernel, moves, exact=True), f"{_summary(kernel)}, at any alignment"
    aligned = state.add(_suffix(v.word, "aligned"), body, (t.threads, 1, 1), _summary(kernel), t.waves)
    if kernel.computes:
        other = anywhere(_body(state, kernel, moves, exact=False), kernel.steps)
        return aligned, state.add(_suffix(v.word), other, (t.threads, 1, 1), summary, t.waves)
    changed = partial(anywhere, steps=kernel.steps)
    return aligned, state.again(aligned, _suffix(v.word), changed, summary)


def _suffix(*words: str) -> str:
    """What a kernel's name has behind the nest's."""
    return "_".join(("kernel", *filter(None, words)))


def _summary(kernel: TileKernel) -> str:
    t = kernel.tile
    shared = ", slices of the sum" if kernel.split else ""
    return f"a tile of {t.rows} x {t.columns} a block{shared}, {t.down} x {t.across} waves"


def _body(state: State, kernel: TileKernel, moves: Moves | None, *, exact: bool) -> tuple[DeviceStmt, ...]:
    """The statements of the kernel for aligned factors; `exact` as of `TileKernel.body`."""
    body = kernel.body(state, moves, exact=exact)
    batch = _batch(kernel)
    return wrap(batch, (*body, LdsBarrier("LDS is used again")), state) if batch else body


def _batch(kernel: TileKernel) -> tuple[Shared, ...]:
    """The axes of the batch: two over the grid, one where slices of a sum are, any more inside a block."""
    p = kernel.product
    return general.share_blocks(p.chain.part(p.batch), ("z",) if kernel.split else ("y", "z"))


def _numbers(p: MatrixProduct) -> tuple[tuple[Expr, Expr], ...]:
    """Number and count of the products along each axis of the batch, the innermost first."""
    return tuple((AxisRef(a.name), a.stop) for a in reversed(p.chain.part(p.batch).axes))


def _launched(state: State, v: Variant) -> tuple[HostStmt, ...]:
    """The launch of a product, and where slices of its sum are left that which adds them up."""
    moves = moved_in_vectors(state, v.kernel.product, v.kernel.tile)
    done, s = _choice(state, v, moves), v.kernel.split
    if s is None:
        return done
    sums = registers(state, s.product, "total", (1, s.tile.joined, s.tile.mfma.result_slots))
    body, batch = tuple(s.finish(state, sums, moves)), _batch(v.kernel)
    name = state.add("finish", wrap(batch, body, state), (s.added.threads, 1, 1), "adds up the slices of the sum")
    finish: HostStmt = Launch(name, (*s.finish_grid, general.grid_of(batch, None)[2]))
    return (*s.lets, *done, finish if s.always else HostIf(Compare("<", ONE, s.count), (finish,)))


def _choice(state: State, v: Variant, moves: Moves | None) -> tuple[HostStmt, ...]:
    """The kernel for aligned factors where they are, else that for any."""
    kernel, t = v.kernel, v.kernel.tile
    _, y, z = general.grid_of(_batch(kernel), None)
    grid = (mul(*kernel.grid), kernel.split.count if kernel.split else y, z)
    needs = tuple(_needs(f, kernel, state) for f in kernel.fills)
    names = tuple(dict.fromkeys(a for n in needs for a in n.arrays))
    multiples = dict.fromkeys(e for n in needs for e in n.multiples)
    near = dict.fromkeys(e for n in needs for e in n.near)
    far = any((value_of(e) or 0) >= NEAR for e in near)
    if far or any((value_of(e) or 0) % t.piece for e in multiples):
        return (Launch(_add_anywhere(state, v, moves), grid),)
    aligned, other = _add_both(state, v, moves)
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
        shape = state.nest.array(o.array).shape
        moving = [d for d, i in enumerate(o.index[:-1]) if i != ZERO]
        rows = product(shape[moving[-1] + 1 :]) if moving else shape[-1]
        return Needs((o.array,), (rows,), (_whole(f, state),) * (o.along == "axis"))
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
    last = o.index.index(AxisRef(o.over))
    first = next((d + 1 for d in reversed(range(last)) if o.index[d] != ZERO), 0)
    return mul(mul(o.pitch(shape), product(shape[first : last + 1])), number(f.tile.bytes))


def _limits(state: State, some: Sequence[Variant]) -> Expr | None:
    """What must hold for all kernels: something to sum, tiles for one grid, offsets of 32 bits, whole pieces."""
    kernels = [v.kernel for v in some]
    p = kernels[0].product
    over = p.over.axis.stop
    most: dict[Expr, int] = {over: NEAR // 2}
    pieces: dict[Expr, int] = {}
    for kernel in kernels:
        t = kernel.tile
        for f in (f for f in kernel.fills if f.operand.value is None):
            pitch = f.operand.pitch(state.nest.array(f.operand.array).shape)
            rows = f.rows if f.operand.along == "over" else t.depth
            most[pitch] = min(most.get(pitch, NEAR), NEAR // (2 * rows * t.bytes))
            if f.operand.along == "axis":
                pieces[pitch] = t.piece
    tests = [Compare("<", ZERO, over), *(Compare("<=", number(n), e) for e, n in pieces.items())]
    tests += [Compare("<", e, number(n)) for e, n in most.items()]
    tests += (Compare("<", ZERO, e) for e in dict.fromkeys(e for o in p.factors for e in o.filled))
    if p.ragged is not None:
        tests.append(Compare("<", ZERO, p.ragged.group.stop))
        tests += (Compare("<=", mul(*k.grid), number(_most_tiles(k))) for k in kernels[1:])
    scales = (state.nest.array(s.load.array) for s in p.scales)
    tests += [Compare("<", product(a.shape), number(NEAR // a.dtype.bytes)) for a in scales]
    tests.append(Compare("<=", mul(*kernels[0].grid), number(_most_tiles(kernels[0]))))
    tests += (test for before, v in pairwise(some) for test in _of_grid(before, v.kernel))
    if p.over.axis.marked("split") and kernels[-1].split:
        tests.append(Compare("<=", kernels[-1].split.finish_grid[1], number(MAX_GRID_YZ)))
    return _all(tests)


def _most_tiles(kernel: TileKernel) -> int:
    """Tiles of one launch: HIP wants blocks times threads below 2**32."""
    return MOST_THREADS // kernel.tile.threads


def _of_grid(before: Variant, kernel: TileKernel) -> Iterator[Compare]:
    """What must hold for the tiles of a kernel to be few enough, where those before it are not taken: they are also
    left for it where rows, or columns, are few, whatever the others are."""
    p, t = kernel.product, kernel.tile
    assert before.where is not None
    for least, size, other, length in (
        (before.where.rows, t.rows, p.columns.stop, t.columns),
        (before.where.columns, t.columns, p.rows.stop, t.rows),
    ):
        if least > 1:
            yield Compare("<=", other, number(_most_tiles(kernel) // -(-(least - 1) // size) * length))


def _all(tests: Iterable[Compare]) -> Expr | None:
    """The tests that are not sure to hold, joined; None where all of them are."""
    whole: Expr | None = None
    for test in tests:
        a, b = value_of(test.left), value_of(test.right)
        if a is not None and b is not None and (a < b or (test.op == "<=" and a == b)):
            continue
        whole = test if whole is None else Logic("and", whole, test)
    return whole


def _note(state: State, kernels: Sequence[TileKernel]) -> None:
    """Where each loop went."""
    first, last, tiles = kernels[0], kernels[-1], [k.tile for k in kernels]
    p = first.product
    places = {a.name: at for a, at in zip(p.chain.axes, p.chain.places, strict=True)}
    for axis, sizes, what in (
        (p.rows, [(t.rows, t.down) for t in tiles], "rows"),
        (p.columns, [(t.columns, t.across) for t in tiles], "columns"),
    ):
        shares = (f"{size}, {waves} waves" if waves > 1 else f"{size}" for size, waves in sizes)
        share = f"tiles of {' or '.join(dict.fromkeys(shares))}"
        share += f", in groups of {n}" if (n := axis.mark("group")) else ""
        state.note(called(axis), f"grid x, {share}", f"{what} of a matrix product", places[axis.name])
    if p.ragged is not None:
        group, rows = p.ragged.group, called(p.rows)
        where = f"grid x, with the tiles of its {rows}"
        why = f"each block looks its own up in {p.ragged.starts}; no tile holds {rows} of two"
        state.note(called(group), where, why, places[group.name])
    for s in _batch(first):
        where = f"grid {s.how.letter}" if s.how else "serial in a block"
        state.note(called(s.axis), where, "a matrix product for each", s.at)
    name = first.tile.mfma.builtin.removeprefix("__builtin_amdgcn_")
    depths = " or ".join(dict.fromkeys(str(t.depth) for t in tiles))
    where = f"tiles of {depths}, {first.tile.stages} stages"
    if last.split:
        n = p.over.axis.mark("split") or value_of(last.split.count)
        where += f", {n} slices over grid y" if n else ", slices over grid y where tiles are few"
    for over in (p.over, *p.others):
        if last.split and last.split.always:
            state.trees[over.axis.name] = last.split.tree
        state.note(called(over.axis), where, f"summed by {name}", over.at)
