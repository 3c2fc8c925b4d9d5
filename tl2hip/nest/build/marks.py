"""Marks: `i: Tile[int, 128, waves(2)]`, `tiled(range(n), 64)`, checked and kept for the plan."""

from __future__ import annotations

from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.context import Context, Tiling
from tl2hip.nest.build.names import means
from tl2hip.nest.build.values import ScalarValue
from tl2hip.source import nodes
from tl2hip.source.problems import marks as mark_problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

ALLOWED: dict[str, tuple[int, ...]] = {
    "waves": (1, 2, 4, 8, 16),
    "lanes": (1, 2, 4, 8, 16, 32, 64),
    "vec": (1, 2, 4, 8, 16),
    "unroll": tuple(range(1, 257)),
    "stages": tuple(range(1, 9)),
    "mfma": (16, 32),
    "group": (1, 2, 4, 8, 16),
    "split": tuple(range(1, 65)),
}
"""The values each mark may take: waves of one block of 1024 threads, lanes of one wave of 64, elements of one
16-byte access, rows and columns of the result of one matrix instruction."""

PLAIN = ("serial", "xf32")
"""The marks without a value."""

LARGEST_TILE = 65536
"""Elements along one axis that one block may take."""


def is_tile(ctx: Context, annotation: nodes.Expr) -> bool:
    """Whether an annotation is `Tile[…]` (or `Tile` alone)."""
    base = annotation.value if isinstance(annotation, nodes.Subscript) else annotation
    return means(ctx, base) == "tl2hip.Tile"


def annotate(ctx: Context, s: nodes.AnnAssign) -> None:
    """`i: Tile[int, …]`: holds for every loop over the name from here on."""
    if not isinstance(s.target, nodes.Name) or s.value is not None:
        raise Refused(
            mark_problems.BadTile("a Tile stands on the name of a loop variable, without a value", at=s.at)
        )
    if not isinstance(s.annotation, nodes.Subscript):
        raise Refused(mark_problems.BadTile("a Tile without a size or a mark says nothing", at=s.annotation.at))
    name = s.target.id
    known = ctx.state.tilings.get(name)
    tiling = _tiling(ctx, s.annotation)
    if known is not None and (known.tile, known.marks) != (tiling.tile, tiling.marks):
        raise Refused(mark_problems.TileTwice(name, known.at.line, at=s.at))
    ctx.state.tilings[name] = tiling


def _tiling(ctx: Context, annotation: nodes.Subscript) -> Tiling:
    if not annotation.index:  # `Tile[()]`
        raise Refused(mark_problems.BadTile("a Tile of nothing says nothing", at=annotation.at))
    kind, *rest = annotation.index
    if means(ctx, kind) != "builtins.int":
        raise Refused(
            mark_problems.BadTile("the first item of a Tile is `int`, the type of the loop variable", at=kind.at)
        )
    if not rest:
        raise Refused(mark_problems.BadTile("a Tile without a size or a mark says nothing", at=annotation.at))
    return _marks(ctx, tuple(rest), annotation.at)


def tiling_of_call(ctx: Context, call: nodes.Call) -> Tiling:
    """The marks of `tiled(range(n), 64, waves(2))`."""
    if call.keywords or len(call.args) < 2:
        raise Refused(mark_problems.BadTile("tiled takes a range, then a size, marks, or both", at=call.at))
    return _marks(ctx, call.args[1:], call.at)


def _marks(ctx: Context, items: tuple[nodes.Expr, ...], at: Span) -> Tiling:
    tile: int | None = None
    tile_at = items[0].at
    if not _is_mark(ctx, items[0]):
        tile = constant(ctx, items[0])
        if not 1 <= tile <= LARGEST_TILE:
            raise Refused(mark_problems.MarkOutOfRange("a tile", tile, f"1 to {LARGEST_TILE}", at=items[0].at))
        items = items[1:]
    marks: list[ir.Mark] = []
    for item in items:
        found = mark(ctx, item)
        if any(m.name == found.name for m in marks):
            raise Refused(mark_problems.BadTile(f"{found.name} stands twice", at=item.at))
        marks.append(found)
    check_split(tile, tuple(marks), at)
    return Tiling(tile, tuple(marks), at, tile_at)


def _is_mark(ctx: Context, e: nodes.Expr) -> bool:
    func = e.func if isinstance(e, nodes.Call) else e
    return (means(ctx, func) or "").removeprefix("tl2hip.") in (*ALLOWED, *PLAIN)


def mark(ctx: Context, e: nodes.Expr) -> ir.Mark:
    """One mark, its value in range."""
    if not _is_mark(ctx, e):
        raise Refused(mark_problems.UnknownMark(at=e.at))
    if not isinstance(e, nodes.Call):
        name = (means(ctx, e) or "").removeprefix("tl2hip.")
        if name not in PLAIN:
            raise Refused(mark_problems.BadTile(f"{name} takes a number, as in {name}(2)", at=e.at))
        return ir.Mark(name, None, at=e.at)
    name = (means(ctx, e.func) or "").removeprefix("tl2hip.")
    if name in PLAIN or len(e.args) != 1 or e.keywords:
        takes = "nothing: write it without parentheses" if name in PLAIN else "one number"
        raise Refused(mark_problems.BadTile(f"{name} takes {takes}", at=e.at))
    value = constant(ctx, e.args[0])
    allowed = ALLOWED[name]
    if value not in allowed:
        told = f"{allowed[0]} to {allowed[-1]}" if len(allowed) > 7 else "one of " + ", ".join(map(str, allowed))
        raise Refused(mark_problems.MarkOutOfRange(name, value, told, at=e.at))
    return ir.Mark(name, value, at=e.at, word=own_word(e))


def own_word(e: nodes.Call) -> str:
    """Another notation's own word for a mark (`?word`), if it was written in one."""
    return e.func.id[1:] if isinstance(e.func, nodes.Name) and e.func.id.startswith("?") else ""


def constant(ctx: Context, e: nodes.Expr) -> int:
    """The value of a constant integer, such as a literal, a file-level name or a keyword-only parameter."""
    found = ctx.evaluate(ctx, e)
    value = fold.value_of(found.expr) if isinstance(found, ScalarValue) else None
    if value is None:
        raise Refused(mark_problems.MarkNotConstant(at=e.at))
    return value


def check_split(tile: int | None, marks: tuple[ir.Mark, ...], at: Span) -> None:
    """A tile is waves · lanes · vec · rest, all of which divide it."""
    parts = [m for m in marks if m.name in ("waves", "lanes", "vec")]
    product = 1
    for m in parts:
        product *= m.value or 1
    if tile is not None and tile % product:
        raise Refused(
            mark_problems.TileNotDivisible(tile, " · ".join(f"{m.name}({m.value})" for m in parts), at=at)
        )
