"""Templates of matrix products: loops in any order and of any bounds, and those that matrix cores take in tiles."""

from __future__ import annotations

from tests.fuzz.leaves import literal
from tests.fuzz.loops import loop
from tests.fuzz.writer import Writer

WIDE = {"f16": "f32", "bf16": "f32", "i8": "i32"}
"""What products of narrow elements are summed in."""
DEPTHS = {"f16": (32, 64), "bf16": (32, 64), "f32": (16, 32), "f64": (16, 32), "i8": (128,)}
"""Small depths of a tile that one wave shares evenly, whichever way round its factors lie."""
TILED = "product in tiles"
"""The feature of a product that matrix cores take in tiles: it needs extents past a tile (`check.TILED_SHAPES`)."""


def matrix_product(w: Writer) -> None:
    """A product of matrices in loops, its accumulator and order as they come."""
    tag = w.one(("f16", "bf16", "f32", "f64", "i8", "i32"))
    wide = WIDE.get(tag, tag)
    a, b = w.source(tag, ("M", "K")), w.source(tag, ("K", "N"))
    c = w.parameter(wide, ("M", "N"))
    w.writing.add(c.name)
    w.mark("matrix product")
    with loop(w, "M") as i, loop(w, "N") as j:
        s = w.name("s", "acc")
        w.line(f"{s} = {wide}(0)")
        with loop(w, "K") as k:
            w.line(f"{s} += {_term(w, tag, f'{a.name}[{i.name}, {k.name}]', f'{b.name}[{k.name}, {j.name}]')}")
        w.line(f"{c.name}[{i.name}, {j.name}] = {s}" if w.chance(0.7) else f"{c.name}[{i.name}, {j.name}] += {s}")


def tiled_product(w: Writer) -> None:
    """A product that goes to matrix cores: whole loops, factors either way round, mostly in the smallest tiles, so
    that small extents are several tiles with a part of one at each edge."""
    tag = w.one(tuple(DEPTHS))
    wide = WIDE.get(tag, tag)
    along = w.chance(0.4)  # the sum: only then fragments may be read ahead of their use
    a = w.source(tag, ("M", "K") if along else w.one((("M", "K"), ("K", "M"))))
    b = w.source(tag, ("N", "K") if along else w.one((("K", "N"), ("N", "K"))))
    c = w.parameter(wide, ("M", "N"))
    w.writing.add(c.name)
    w.mark("matrix product", TILED)
    i, j, k = w.name("row_", "r"), w.name("column", "q"), w.name("depth", "k_")
    if w.chance(0.8):
        w.mark("stages mark")
        w.line(f"{i}: Tile[int, 16]")
        w.line(f"{j}: Tile[int, {w.one((16, 16, 32))}]")
        w.line(f"{k}: Tile[int, {DEPTHS[tag][-1] if along else w.one(DEPTHS[tag])}, stages({w.one((1, 2, 2, 3))})]")
    index = {"M": i, "N": j, "K": k}
    left, right = (f"{x.name}[{', '.join(index[d] for d in x.extents)}]" for x in (a, b))
    s = w.name("s", "acc")
    with w.block(f"for {i} in range(M):"), w.block(f"for {j} in range(N):"):
        w.line(f"{s} = {wide}({w.one(('0', '0', '1'))})")
        with w.block(f"for {k} in range(K):"):
            w.line(f"{s} += {_term(w, tag, left, right)}")
        to, op = f"{c.name}[{i}, {j}]", w.one(("=", "=", "+="))
        w.line(f"{to} {op} {w.one((s, f'{s} * {literal(w, wide)}', f'max({s}, {wide}(0))'))}")


def _term(w: Writer, tag: str, left: str, right: str) -> str:
    """The product of two elements, widened where the sum is wider; its factors in any order."""
    if tag in WIDE:
        left, right = f"{WIDE[tag]}({left})", f"{WIDE[tag]}({right})"
    return f"{left} * {right}" if w.chance(0.7) else f"{right} * {left}"
