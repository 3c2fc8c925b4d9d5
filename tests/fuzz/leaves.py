"""What random expressions are made of: numbers, elements, locals and scalar arguments of a wanted dtype."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.indices import element
from tests.fuzz.kinds import is_float
from tests.fuzz.writer import Writer

Make = Callable[[], str]


def literal(w: Writer, tag: str) -> str:
    """A weak number that an operand of the tag takes."""
    if is_float(tag) or tag == "float":
        return w.one(("0.5", "2.0", "1.5", "0.25", "3", "-1.0", "1", "0.1", "-2", "1e-3"))
    if tag.startswith("u"):
        return w.one(("1", "2", "3", "7", "11", "100"))
    return w.one(("1", "2", "3", "-1", "-3", "7", "5", "100"))


def weak_int(w: Writer, depth: int = 1) -> str:
    """A small Python integer of indices."""
    options: list[tuple[Make, int]] = [(lambda: w.one(("1", "2", "3", "5")), 1)]
    if w.axes:
        a = w.one(w.axes).name
        b = w.one(w.axes).name
        options += [
            (lambda: a, 5),
            (lambda: f"({a} + {b})", 1),
            (lambda: f"({a} - {b})", 1),
            (lambda: f"({a} % 3)", 1),
            (lambda: f"({a} // 2)", 1),
            (lambda: f"(({a} - 4) // 3)", 1),
            (lambda: f"(({b} - 5) % 4)", 1),
            (lambda: f"(-{a} % 5)", 1),
        ]
    if w.held("int"):
        options.append((lambda: w.one(w.held("int")), 4))
    if w.scalars.get("n") == "int" or w.chance(0.1):
        options.append((lambda: w.scalar("int"), 1))
    w.mark("weak int")
    return w.weighted(options)()


def small_weak(w: Writer, tag: str) -> str:
    """A weak integer that fits the narrowest type and is not below 0 for an unsigned one."""
    if is_float(tag):
        return weak_int(w)
    if w.axes:
        return f"({w.one(w.axes).name} % {w.one((3, 5, 7))})"
    return literal(w, tag)


def leaf(w: Writer, tag: str) -> str:
    """A load, a local, a scalar argument or a number of the dtype."""
    held = w.held(tag)
    arrays = w.readable(tag)
    options: list[tuple[Make, int]] = [(lambda: f"{tag}({literal(w, tag)})", 1)]
    if held:
        options.append((lambda: w.one(held), 6))
    if arrays:
        options.append((lambda: element(w, w.one(arrays)), 8))
    elif w.axes and len(w.parameters) < 6:
        dims = tuple(dict.fromkeys(a.dim for a in w.axes[-2:]))
        options.append((lambda: element(w, w.parameter(tag, dims)), 8))
    if tag in w.scalars.values() or w.chance(0.25):
        options.append((lambda: w.scalar(tag), 4))
    return w.weighted(options)()


def varied(w: Writer, tag: str, text: str) -> str:
    """The expression; where it is a constant, an element of an array."""
    return text if w.varies(text) else fresh(w, tag)


def another(w: Writer, tag: str, make: Make, *known: str) -> str:
    """What `make` gives, none of the known expressions: x - x and max(x, x) would hide what is wrong with x."""
    return w.other(make, *known) or w.other(lambda: fresh(w, tag), *known) or f"({known[0]} + 1)"


def fresh(w: Writer, tag: str) -> str:
    return element(w, w.source(tag, (w.one(w.axes).dim,)))
