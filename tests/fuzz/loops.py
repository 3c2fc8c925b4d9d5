"""Loop headers: the ranges that axes run over, and the marks above them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.fuzz.writer import Axis, Writer

USUAL = ("i", "j", "k", "l", "p", "q")


@contextmanager
def loop(w: Writer, dim: str, *, plain: bool = False, whole: bool = False, serial: bool = False) -> Iterator[Axis]:
    """A loop over an axis of extent `dim`. `plain`: `range(dim)`; `whole`: each index once, in any order;
    `serial`: marked to run in one thread."""
    name = _name(w, new=serial)
    head, axis = _header(w, name, dim, plain, whole)
    _marks(w, name, serial)
    w.looped.add(name)
    with w.block(head):
        w.axes.append(axis)
        yield axis
        w.axes.pop()


def _name(w: Writer, new: bool) -> str:
    """A loop variable: a usual one that is free here, used before or not; `new`: one that can still be marked."""
    busy = {a.name for a in w.axes} | set(w.locals) | (w.looped if new else set())
    free = [n for n in USUAL if n not in busy and (n in w.looped or n not in w.names)]
    if free and w.chance(0.9):
        w.names.add(free[0])
        return free[0]
    return w.name("r", "s", "e", "h")


def _header(w: Writer, name: str, dim: str, plain: bool, whole: bool) -> tuple[str, Axis]:
    same = [a for a in w.axes if a.dim == dim]
    if plain or w.chance(0.45):
        return f"for {name} in range({dim}):", Axis(name, dim)
    if whole or w.chance(0.3):
        w.mark("negative step")
        head = w.one((f"range({dim} - 1, -1, -1)", f"reversed(range({dim}))", f"range({dim} - 1, -1, -1)"))
        return f"for {name} in {head}:", Axis(name, dim)
    if same and w.chance(0.6):
        w.mark("triangular bounds")
        a = w.one(same).name
        head = w.one(
            (
                f"range({a} + 1)",
                f"range({a})",
                f"range({a}, {dim})",
                f"range({a} + 1, {dim})",
                f"range({a}, -1, -1)",
                f"range({dim} - {a})",
            )
        )
        return f"for {name} in {head}:", Axis(name, dim, whole=False)
    kind = w.one(("margin", "margin", "step", "back", "argument", "half"))
    if kind == "margin":
        low, high = w.one(((1, 1), (1, 0), (0, 1), (2, 1)))
        w.mark("bounds with a margin")
        stop = f"{dim} - {high}" if high else dim
        return f"for {name} in range({low}, {stop}):", Axis(name, dim, low, high, False)
    if kind == "step":
        w.mark("strided bounds")
        return f"for {name} in range({w.one(('0', '1'))}, {dim}, {w.one(('2', '3', '4'))}):", Axis(
            name, dim, whole=False
        )
    if kind == "back":
        w.mark("strided bounds", "negative step")
        return f"for {name} in range({dim} - 1, {w.one(('-1', '0'))}, {w.one(('-2', '-3'))}):", Axis(
            name, dim, whole=False
        )
    if kind == "argument":
        w.mark("bound by an argument")
        return f"for {name} in range(min({w.scalar('int')}, {dim})):", Axis(name, dim, whole=False)
    w.mark("bound by //")
    return f"for {name} in range({dim} // 2):", Axis(name, dim, whole=False)


def _marks(w: Writer, name: str, serial: bool) -> None:
    """An annotation above the loop; it holds for every loop over the name, so a name gets it once."""
    if name in w.looped:
        return
    if serial:
        w.mark("serial mark")
        w.line(f"{name}: Tile[int, serial]")
    elif w.chance(0.12):
        size = w.one((4, 16, 64, 100, 256))
        w.mark("tile mark")
        if size % 4 == 0 and w.chance(0.4):
            w.mark("unroll mark")
            w.line(f"{name}: Tile[int, {size}, unroll({w.one((2, 4))})]")
        else:
            w.line(f"{name}: Tile[int, {size}]")
    elif w.chance(0.05):
        w.mark("serial mark")
        w.line(f"{name}: Tile[int, serial]")
