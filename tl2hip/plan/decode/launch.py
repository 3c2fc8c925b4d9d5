"""The launch of decode attention: how many blocks share the keys of a row, and when the launcher takes which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tl2hip.dtypes import F32
from tl2hip.nest.index import ONE, ZERO, minimum, modulo, mul, number, value_of
from tl2hip.nest.ir import AxisRef, Binary, Cast, Compare, Expr, Load, Logic, Var
from tl2hip.nest.walk import all_parts
from tl2hip.plan import launch as general
from tl2hip.plan.chain import Chain
from tl2hip.plan.choice import either, holds
from tl2hip.plan.decode.find import PLAN, found
from tl2hip.plan.decode.finish import Stored
from tl2hip.plan.decode.kernel import PAD, Held, Kernels
from tl2hip.plan.decode.record import Decode, Rows
from tl2hip.plan.decode.rows import page_sizes
from tl2hip.plan.decode.step import registers
from tl2hip.plan.decode.tile import SIZE, Cut, cut
from tl2hip.plan.gfx942 import COMPUTE_UNITS, MAX_GRID_X
from tl2hip.plan.ir import HostIf, HostStmt, Launch
from tl2hip.plan.leave import Slices, slices
from tl2hip.plan.matmul.side import put
from tl2hip.plan.names import called
from tl2hip.plan.softmax_ir import Joined
from tl2hip.plan.state import State
from tl2hip.plan.tree import Tree
from tl2hip.plan.unfit import Unfit

BLOCKS = 3 * COMPUTE_UNITS
"""Blocks that slices of keys bring it to: as many as the chip has room for at once, by their registers."""

def decode(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launches of a chain that is decode attention; None where it is none."""
    p = found(state, chain)
    if p is None:
        return None
    try:
        c, longest = cut(p), _longest(state, p)
    except Unfit as unfit:
        state.miss(PLAN, unfit, p.chain.places[0])
        return None
    for array in p.scores:
        state.placed.pop(array, None)
    held = _held(state, p, c)
    _note(state, p, c)
    state.grain(longest, c.waves * c.step, SIZE)
    kernels = Kernels(state, p, c, held)
    note = f"keys of a slice, {c.step} a wave at a time"
    cuts, lets = slices(state, p.keys, longest, c.waves * c.step, kernels.items, BLOCKS, note)
    whole = holds(Compare("<=", cuts.count, ONE))
    return (*lets, *either(whole, lambda: _whole(kernels), lambda: _sliced(kernels, cuts)))


def _by_pages(kernels: Kernels, launch: Callable[[Kernels], Launch]) -> tuple[HostStmt, ...]:
    """A launch, where sizes of pages are known at run time for multiples of 16 and for any."""
    unknown = page_sizes(kernels.decode)
    tests = [Compare("==", modulo(e, SIZE), ZERO) for e in unknown]
    if not tests:
        return (launch(kernels),)
    test: Expr = tests[0]
    for other in tests[1:]:
        test = Logic("and", test, other)
    even = launch(replace(kernels, pages=frozenset(unknown)))
    return (HostIf(test, (even,), (launch(kernels),)),)


def _held(state: State, p: Decode, c: Cut) -> Held:
    """Places what the kernels hold: registers, and the parts of waves and of slices."""
    first = [p.first.name] if p.first else []
    state.names.keep(p.names.most, p.names.total, p.names.sum, *first)
    runs = dict.fromkeys(min(x.width, 4) for x in c.pieces)
    waves = Stored(
        put(state, "lds_most", F32, (c.waves, c.columns), "shared"),
        put(state, "lds_total", F32, (c.waves, c.columns), "shared"),
        put(state, "lds_sums", F32, (c.waves, c.columns, p.width + PAD), "shared"),
        put(state, "lds_first", F32, (c.waves, c.columns), "shared") if first else None,
    )
    return Held(registers(state, p, c), waves, None, {n: put(state, "few", F32, (n,), "vector") for n in runs})


def _grid(kernels: Kernels, blocks: Expr) -> tuple[Expr, Expr, Expr]:
    _, y, z = general.grid_of(general.share_blocks(kernels.decode.batch, ("y", "z")), None)
    return minimum(blocks, number(MAX_GRID_X)), y, z


def _whole(kernels: Kernels) -> tuple[HostStmt, ...]:
    """The launch of blocks that take all keys of their heads."""
    summary = f"a block for the {called(kernels.decode.heads)} that share keys{{}}"
    return _by_pages(kernels, lambda k: _launch(k, "kernel_whole", None, k.numbers, summary))


def _sliced(kernels: Kernels, cuts: Slices) -> tuple[HostStmt, ...]:
    """The launch of slices, and that of their merging."""
    state, p = kernels.state, kernels.decode
    kernels = kernels.with_slices(cuts)
    heads, blocks = called(p.heads), mul(kernels.numbers, cuts.count)
    summary = f"a block for the {heads} that share keys and for each slice of the keys{{}}"
    parts = _by_pages(kernels, lambda k: _launch(k, "kernel_slices", cuts, blocks, summary))
    threads = (kernels.merge_threads, 1, 1)
    merge = state.add("merge", kernels.merging(cuts), threads, f"merges the slices of each {heads}")
    return *parts, Launch(merge, general.grid_of(general.share_blocks(p.chain), None))


def _launch(kernels: Kernels, name: str, cuts: Slices | None, blocks: Expr, summary: str) -> Launch:
    """Adds a kernel of groups of heads, and launches so many blocks of it for each point of the batch."""
    said = summary.format(", pages of whole tiles" if kernels.pages else "")
    _, y, z = general.grid_of(general.share_blocks(kernels.decode.batch, ("y", "z")), None)
    kernel = kernels.state.add(name, kernels.of_group(cuts), (kernels.cut.threads, 1, 1), said)
    return Launch(kernel, (minimum(blocks, number(MAX_GRID_X)), y, z))


def _longest(state: State, p: Decode) -> Expr:
    """How many keys a row may have, as the launcher knows it."""
    if not any(isinstance(e, AxisRef | Var | Load) for e in all_parts(p.keys.stop)):
        return p.keys.stop
    rows = (_of_rows(state, p, r) for r in (p.key, p.value))
    known = [e for e in rows if e is not None]
    if not known:
        raise Unfit("how many keys there are at most is not known before the kernel runs")
    return known[0]


def _of_rows(state: State, p: Decode, rows: Rows) -> Expr | None:
    """How many keys an array has room for: along its own axis, or in a table's pages."""
    keys = AxisRef(p.keys.name)
    for e, extent in zip(rows.index, state.nest.array(rows.array).shape, strict=False):
        if e == keys:
            return extent
        while isinstance(e, Cast):
            e = e.value
        if not isinstance(e, Load):
            continue
        for i, n in zip(e.index, state.nest.array(e.array).shape, strict=True):
            match i:
                case Binary(op="//", left=left, right=by) if left == keys:
                    return mul(n, by)
                case _ if i == keys:
                    return n
    return None


def _note(state: State, p: Decode, c: Cut) -> None:
    """Where each loop went, and what the running bound asks: parts of slices are fewer than the steps they save."""
    for axis, at in zip(p.chain.axes, p.chain.places, strict=True):
        if axis is p.heads:
            group = value_of(p.group)
            said = "those" if group is None else f"{group}"
            state.note(called(axis), "grid x", f"{said} that share keys in a block, a column of a tile each", at)
        else:
            state.note(called(axis), "grid", "parallel", at)
    where = f"steps of {c.step}, {c.waves} waves, slices over blocks where rows are few"
    score, weigh = (x.builtin.removeprefix("__builtin_amdgcn_") for x in (c.score, c.weigh))
    state.note(called(p.keys), where, f"scores by {score}, sums by {weigh}", p.places.product)
    state.trees.update(dict.fromkeys(p.over_keys, Tree(c.waves, width=c.step)))
    state.joins += (Joined(a, p.names.product, p.over, p.names.most, p.keys.stop, c.step) for a in p.scores)
