"""Random subscripts, mostly inside the axes they index."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.writer import Array, Writer

Make = Callable[[], str]


def index(w: Writer, dim: str) -> str:
    """An index into an axis of extent `dim`, mostly inside it."""
    axes = [a for a in w.axes if a.dim == dim]
    options: list[tuple[Make, int]] = [(lambda: _constant(w), 1 if axes else 4)]
    if axes:
        a = axes[-1] if w.chance(0.6) else w.one(axes)
        options += [
            (lambda: a.name, 22),
            (lambda: _turned(w, a.name, dim), 3),
            (lambda: _near(w, a.name, a.below, a.above), 5),
            (lambda: _clamped(w, a.name, dim), 2),
            (lambda: _wrapped(w, a.name, dim), 2),
        ]
    pointers = [p for p in w.arrays if p.points == dim and p.name not in w.writing]
    if w.axes and (pointers or len(w.parameters) < 6):
        options.append((lambda: _gathered(w, dim), 2))
    elif w.axes:
        options.append((lambda: f"{w.one(w.axes).name} % max({dim}, 1)", 1))
    return w.weighted(options)()


def _constant(w: Writer) -> str:
    value = w.weighted((("0", 4), ("-1", 3), ("1", 1), ("-2", 1)))
    w.mark("constant index" if value[0] != "-" else "negative constant index")
    return value


def _turned(w: Writer, axis: str, dim: str) -> str:
    w.mark("reversed index")
    return w.one((f"{dim} - 1 - {axis}", f"-1 - {axis}", f"-{axis} - 1", f"{dim} - {axis} - 1"))


def _near(w: Writer, axis: str, below: int, above: int) -> str:
    """A neighbour: within the loop's margins, or one below 0 (which wraps)."""
    steps = [f"{axis} - {k}" for k in range(1, below + 1)] + [f"{axis} + {k}" for k in range(1, above + 1)]
    if not steps or w.chance(0.2):
        w.mark("index that wraps below 0")
        return f"{axis} - {w.one((1, 1, 2))}"
    w.mark("neighbour index")
    return w.one(steps)


def _clamped(w: Writer, axis: str, dim: str) -> str:
    w.mark("clamped index")
    return w.one((f"min({axis} + 1, {dim} - 1)", f"max({axis} - 1, 0)", f"min({axis} * 2, {dim} - 1)"))


def _wrapped(w: Writer, axis: str, dim: str) -> str:
    w.mark("index by // or %")
    return w.one(
        (f"{axis} // 2", f"({axis} + 3) % {dim}", f"{axis} * 3 % {dim}", f"({axis} - 2) % {dim}", f"{axis} >> 1")
    )


def _gathered(w: Writer, dim: str) -> str:
    """An index read from an array."""
    pointers = [p for p in w.arrays if p.points == dim and p.name not in w.writing]
    axis = w.one(w.axes)
    fitting = [p for p in pointers if any(a.dim == p.extents[0] for a in w.axes)]
    pointer = w.one(fitting) if fitting else w.parameter(w.one(("i32", "i32", "i64", "u8")), (axis.dim,), dim)
    at = w.one([a for a in w.axes if a.dim == pointer.extents[0]])
    w.mark("gather")
    return f"{pointer.name}[{at.name}]"


def element(w: Writer, array: Array, at: list[str] | None = None) -> str:
    """An element of an array, spelled one way or another."""
    at = [index(w, d) for d in array.extents] if at is None else at
    if len(at) > 1 and w.chance(0.25):
        w.mark("a[i][j]")
        return array.name + "".join(f"[{i}]" for i in at)
    if len(at) > 1 and w.chance(0.05):
        w.mark("a[(i, j)]")
        return f"{array.name}[({', '.join(at)})]"
    return f"{array.name}[{', '.join(at)}]"
