"""What the user says of a product's loops and factors: honoured, or refused with a way out that was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tl2hip.nest.ir import Array, Axis, Mark
from tl2hip.plan.gfx942 import LDS_BYTES, MAX_THREADS, REGISTERS, WAVE
from tl2hip.plan.marks import TILE, not_honoured, said
from tl2hip.plan.matmul.cost import instruction_size, tiles
from tl2hip.plan.matmul.fill import Fill, fill
from tl2hip.plan.matmul.find import MatrixProduct
from tl2hip.plan.matmul.tile import MOST_TOGETHER, Fault, Tile
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.widen import Moves
from tl2hip.source.problems.base import Problem, Refused
from tl2hip.source.span import Span

SIZES = (256, 128, 64, 32, 16)
"""Tiles that are tried as a way out."""

FIRST = {
    "rows": ("waves", TILE),
    "columns": ("waves", TILE),
    "depth": (TILE,),
    "stages": ("stages",),
    "mfma": ("mfma",),
    "lds": (TILE, "stages"),
    "registers": (TILE,),
    "threads": ("waves",),
}
"""The marks that a fault lies in, those to change first."""

NUMBERS = {"waves": (8, 4, 2, 1), "stages": (3, 2, 1), "mfma": (16, 32)}
"""Numbers of marks that are tried as a way out."""

OVER = ("lds", "depth", "stages", "mfma")
"""Faults that lie in what is said of the sum."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A product's tile, and how each factor gets into LDS, the left one first."""

    tile: Tile
    fills: tuple[Fill, ...]


def cut(p: MatrixProduct) -> Cut | Fault:
    """The best tile that the marks allow and that fits, else what is at fault with the first that they allow."""
    return cut_by(p, tiles(p))


def cut_by(p: MatrixProduct, some: Sequence[Tile]) -> Cut | Fault:
    """The first of some tiles that fits, else what is at fault with the first of all. Tiles that are not filled by
    16 bytes at a time are left for marks that allow no other."""
    if p.instruction(instruction_size(p)) is None:
        return Fault("mfma", _no_instruction(p))
    fault: Fault | None = None
    narrow: Cut | None = None
    for tile in some:
        own = tile.fault() or _scales_fault(p, tile)
        if own is None:
            made = _filled(p, tile)
            if made is not None:
                if all(f.run == tile.piece or f.operand.value is not None for f in made.fills):
                    return made
                narrow = narrow or made
        fault = fault or own or Fault("threads", f"{tile.threads} threads do not share the tile evenly")
    waves = (p.rows.mark("waves") or 1) * (p.columns.mark("waves") or 1)
    many = f"{waves} waves share a tile; in a product at most {MOST_TOGETHER} do"
    return narrow or fault or Fault("threads", many)


def _scales_fault(p: MatrixProduct, tile: Tile) -> Fault | None:
    """Why the columns of a wave have no one scale; None where they do."""
    wave = tile.columns // tile.across
    several = any(s.axis == p.columns.name and s.per % wave for s in p.scales)
    return Fault("columns", f"{wave} columns of a wave have several scales in a block") if several else None


def _filled(p: MatrixProduct, tile: Tile) -> Cut | None:
    """The tile with its fills; None where threads do not share one evenly."""
    left = fill(p.left, tile, tile.rows, p.pads[0])
    rights = [fill(o, tile, tile.columns, n, tile.joined) for o, n in zip(p.rights, p.pads[1:], strict=True)]
    fills = tuple(f for f in (left, *rights) if f is not None)
    shares = (tile.down, *(tile.across for _ in rights))
    whole = len(fills) == len(shares) and all(f.splits(n) for f, n in zip(fills, shares, strict=True))
    return Cut(tile, fills) if whole else None


def _no_instruction(p: MatrixProduct) -> str:
    m, left, right = instruction_size(p), p.left.dtype, p.rights[0].dtype
    factors = f"{left}" if left == right else f"{left} and {right}"
    return f"gfx942 has no {m}x{m} matrix instruction that sums products of {factors} in {p.dtype}"


def constrained(p: MatrixProduct) -> bool:
    """Whether the user says of a product what only this plan can do."""
    marks = (m.name for a in (p.rows, p.columns, p.over.axis) for m in a.marks)
    return any(name in ("waves", "stages", "mfma", "group", "split", "xf32") for name in marks) or any(p.pads)


def honour(state: State, p: MatrixProduct, fills: tuple[Fill, ...], moves: Moves | None) -> None:
    """Tells which marks the kernels honour."""
    honours = state.honours
    grouped = p.columns if p.columns.marked("group") and not p.rows.marked("group") else p.rows
    for axis in (p.rows, p.columns):
        honours.honour(axis.name, TILE, "waves", *(("group",) if axis == grouped else ()))
        honours.decline(axis.name, "group", f"the tiles are taken in groups along `{called(grouped)}`")
        honours.single(axis, ("stages",))
        honours.decline(axis.name, "unroll", "the tile of a matrix product is unrolled as a whole")
    sums = tuple(loop.axis for loop in (p.over, *p.others))
    for over in sums:
        honours.honour(over.name, TILE, "unroll", "serial", "stages", "mfma", "xf32")
        if not p.whole or over.mark("split") == 1:
            honours.honour(over.name, "split")
        honours.decline(over.name, "split", p.whole)
        honours.single(over, ("waves",))
        honours.decline(over.name, "waves", "each wave of a matrix product takes in the whole sum")
    for axis in (p.rows, p.columns, *sums):
        for mark in ("lanes", "vec"):
            honours.decline(axis.name, mark, "the matrix instruction says which lane holds which of its elements")
    for n in p.batch:
        honours.walked(p.chain.axes[n], "each block takes one product after the other, with all its waves")
    _honour_arrays(state, fills, moves)


def _honour_arrays(state: State, fills: tuple[Fill, ...], moves: Moves | None) -> None:
    factors = {f.operand.array: f.run for f in fills if f.operand.value is None}
    wide = {a for a, _ in (*moves.loads, *moves.stores)} if moves else set()
    for a in state.nest.arrays:
        width = moves.width if moves is not None and a.name in wide else 1
        state.honours.moved([a], factors.get(a.name, width))
        if a.name in factors:
            state.honours.honour(a.name, "lds")
        else:
            why = "only factors of a matrix product that are moved as they are go through LDS"
            state.honours.decline(a.name, "lds", why)


# --- what is refused -------------------------------------------------------------------------------------


def check_pads(state: State, p: MatrixProduct) -> None:
    """Raises Refused where rows in LDS would not start at whole pieces."""
    for operand, pad in zip(p.factors, p.pads, strict=True):
        if operand.value is not None:
            continue
        array = state.nest.array(operand.array)
        size = array.dtype.bytes
        if pad * size % 16:
            from tl2hip.source.problems.marks import OptionNotHonoured

            mark = _lds(array)
            reason = f"a pad of {pad} elements is {pad * size} bytes; rows in LDS start at multiples of 16 bytes"
            way = f"write lds(pad={-(-pad * size // 16) * 16 // size}), or lds() for rows that need no pad"
            raise Refused(OptionNotHonoured(mark.text, array.name, reason, way, at=mark.at))


def refusal(state: State, p: MatrixProduct, fault: Fault) -> Problem:
    """Why a product cannot be cut as its marks say."""
    advice = way_out(p, fault)
    axis, mark = _blamed(p, fault)
    kernel, threads = f"{state.nest.name}_kernel", _threads(p)
    tile = next(iter(tiles(p)), None)
    if threads > MAX_THREADS:
        from tl2hip.source.problems.planning import TooManyThreads

        return TooManyThreads(kernel, f"{threads:,}", f"{MAX_THREADS:,}", advice, at=mark.at)
    if fault.part == "lds" and tile is not None:
        from tl2hip.source.problems.marks import TooMuchLds

        names = zip((o.array for o in p.factors), tile.lds_of, strict=True)
        told = ", ".join(f"{name} {n:,}" for name, n in names)
        return TooMuchLds(kernel, f"{tile.lds:,}", told, f"{LDS_BYTES:,}", advice, at=mark.at)
    if fault.part == "registers" and tile is not None:
        from tl2hip.source.problems.planning import TooManyRegisters

        told = f"sums {tile.sums}, tiles under way {tile.waiting}, the rest fragments and addresses"
        reason = f"two waves a SIMD leave {REGISTERS // 2} for each"
        return TooManyRegisters(kernel, tile.registers(1), told, reason, advice, at=mark.at)
    return not_honoured(axis, mark, fault.why, advice)


def way_out(p: MatrixProduct, fault: Fault) -> str:
    """What to say instead, so that a product can be cut."""
    tried = next((words for other, words in _ways_out(p, fault) if isinstance(cut(other), Cut)), "")
    return tried or "leave the tiles and marks out, and tl2hip chooses ones that fit"


def _threads(p: MatrixProduct) -> int:
    return (p.rows.mark("waves") or 1) * (p.columns.mark("waves") or 1) * WAVE


def _blamed(p: MatrixProduct, fault: Fault) -> tuple[Axis, Mark]:
    """The axis and the mark that a fault is told of."""
    over = (p.over.axis, p.over.at)
    places = {a.name: at for a, at in zip(p.chain.axes, p.chain.places, strict=True)}
    rows, columns = ((a, places[a.name]) for a in (p.rows, p.columns))
    first = {"columns": columns, "rows": rows, "threads": columns, "registers": columns}.get(fault.part, over)
    marks = [(a, m) for a, at in (first, columns, rows, over) for m in _in_order(a, at, fault)]
    if not marks:
        axis, at = first
        return axis, Mark(TILE, at=at, word="the tile")
    return marks[0]


def _in_order(axis: Axis, at: Span, fault: Fault) -> list[Mark]:
    """What is said of an axis, what the fault lies in first."""
    order = ("stages", TILE) if fault.part == "lds" else (*FIRST[fault.part], "waves", "stages", "mfma")
    return sorted((m for m in said(axis, at) if m.name in order), key=lambda m: order.index(m.name))


def _ways_out(p: MatrixProduct, fault: Fault) -> Iterator[tuple[MatrixProduct, str]]:
    """The product with other marks, in words: those in which the fault lies first."""
    first = FIRST[fault.part]
    order = ("over", "rows", "columns") if fault.part in OVER else ("columns", "rows", "over")
    if fault.part == "rows":
        order = ("rows", "columns", "over")
    for name in dict.fromkeys((*first, "waves", TILE, "stages", "mfma")):
        for where in order:
            yield from _changed(p, where, name)
    if any(p.pads):
        yield replace(p, pads=tuple(0 for _ in p.pads)), "write lds() without a pad"


def _changed(p: MatrixProduct, where: str, name: str) -> Iterator[tuple[MatrixProduct, str]]:
    """The product with other values of one mark of one axis."""
    axis = p.over.axis if where == "over" else p.rows if where == "rows" else p.columns
    user = called(axis)
    if name == TILE and axis.tile is not None:
        for tile in (n for n in SIZES if n != axis.tile):
            yield _with(p, where, replace(axis, tile=tile)), f"write a tile of {tile} for {user}"
    given = axis.mark(name)
    if given is None:
        return
    for n in NUMBERS[name]:
        marks = tuple(replace(m, value=n) if m.name == name else m for m in axis.marks)
        if n != given:
            yield _with(p, where, replace(axis, marks=marks)), f"write {name}({n}) for {user}"


def _with(p: MatrixProduct, where: str, axis: Axis) -> MatrixProduct:
    if where == "over":
        return replace(p, over=replace(p.over, axis=axis))
    return replace(p, rows=axis) if where == "rows" else replace(p, columns=axis)


def _lds(array: Array) -> Mark:
    return next(m for m in array.marks if m.name == "lds")
