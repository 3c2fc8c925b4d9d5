"""What all parts of the generator share: the random choices, the names, the arrays and the lines so far."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from tests.fuzz.kinds import CLASHING, COMMON, NUMPY, is_float

T = TypeVar("T")

FIXED = frozenset(("M", "N", "K", "math", "np"))
"""The names of a program that it does not make."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A loop variable: it runs within 0 … dim - 1, at least `below` over 0 and `above` under the last index."""

    name: str
    dim: str
    below: int = 0
    above: int = 0
    whole: bool = True
    """Whether the loop visits each index of the dim once."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array in scope. `points` names the dim that the values of an index array lie in."""

    name: str
    dtype: str
    extents: tuple[str, ...]
    points: str = ""


@dataclass(slots=True)
class Writer:
    """One program while it is written."""

    random: random.Random
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    features: set[str] = field(default_factory=set)
    arrays: list[Array] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    scalars: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    axes: list[Axis] = field(default_factory=list)
    locals: dict[str, str] = field(default_factory=dict)
    writing: set[str] = field(default_factory=set)
    looped: set[str] = field(default_factory=set)
    returned: list[str] = field(default_factory=list)
    returns: str = "None"

    # --- choices

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def one(self, items: Sequence[T]) -> T:
        return items[self.random.randrange(len(items))]

    def weighted(self, items: Sequence[tuple[T, int]]) -> T:
        """One of the items, each as often as its weight says."""
        left = self.random.randrange(sum(w for _, w in items))
        for item, w in items:
            left -= w
            if left < 0:
                return item
        raise AssertionError(items)

    def several(self, items: Sequence[tuple[T, int]], counts: Sequence[tuple[int, int]]) -> list[T]:
        """A few of the items, none twice, and as many as one of the counts says; both by weight."""
        left = list(items)
        found: list[T] = []
        for _ in range(min(self.weighted(counts), len(left))):
            found.append(self.weighted(left))
            left = [(item, n) for item, n in left if item != found[-1]]
        return found

    def dtype(self, within: Sequence[str] = ()) -> str:
        return self.weighted([(d, w) for d, w in COMMON if not within or d in within])

    def mark(self, *features: str) -> None:
        self.features.update(features)

    # --- text

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """A compound statement; names that it makes are gone after it."""
        self.line(head)
        before = dict(self.locals)
        self.indent += 1
        yield
        self.indent -= 1
        self.locals = before

    # --- names

    def name(self, *wanted: str) -> str:
        """A name that is not in use: one that clashes with C++ at times, else the first free of `wanted`."""
        if self.chance(0.07):
            found = self.one(CLASHING)
            if found not in self.names:
                self.mark("name that clashes with C++")
                self.names.add(found)
                return found
        for candidate in (*wanted, *(f"{wanted[0]}{k}" for k in range(2, 99))):
            if candidate not in self.names:
                self.names.add(candidate)
                return candidate
        raise AssertionError(wanted)

    # --- arrays and scalars

    def parameter(self, dtype: str, extents: tuple[str, ...], points: str = "") -> Array:
        """A new array parameter."""
        wanted = ("idx", "pos") if points else ("A", "B", "C", "D", "x", "y", "z", "u", "v", "w")
        found = Array(self.name(*wanted), dtype, extents, points)
        spelled = "bool_" if dtype == "bool" else dtype
        self.parameters.append(f"{found.name}: Tensor[{spelled}, {', '.join(extents)}]")
        self.arrays.append(found)
        self.mark(f"array of {dtype}", f"{len(extents)} axes")
        return found

    def readable(self, dtype: str = "", extents: tuple[str, ...] | None = None) -> list[Array]:
        """Arrays that may be read here."""
        return [
            a
            for a in self.arrays
            if a.name not in self.writing
            and (not dtype or a.dtype == dtype)
            and (extents is None or a.extents == extents)
            and not a.points
        ]

    def source(self, dtype: str, extents: tuple[str, ...]) -> Array:
        """An array to read from: one there is, or a new parameter."""
        found = self.readable(dtype, extents)
        if found and (len(self.parameters) > 6 or self.chance(0.6)):
            return self.one(found)
        return self.parameter(dtype, extents)

    def target(self, dtype: str, extents: tuple[str, ...]) -> Array:
        """An array to write: mostly a new one, at times one that is there (which makes two writers)."""
        found = self.readable(dtype, extents)
        if found and self.chance(0.3):
            self.mark("array written again")
            return self.one(found)
        if self.indent == 1 and self.chance(0.5) and dtype in NUMPY:
            return self.local_array(dtype, extents)
        return self.parameter(dtype, extents)

    def local_array(self, dtype: str, extents: tuple[str, ...], kind: str = "zeros", keep: bool = True) -> Array:
        """An array made inside the function; those of the function itself may be returned."""
        found = Array(self.name("t", "tmp", "row", "acc"), dtype, extents)
        shape = extents[0] if len(extents) == 1 else f"({', '.join(extents)})"
        self.line(f"{found.name} = np.{kind}({shape}, dtype={NUMPY[dtype]})")
        self.mark("local array", f"np.{kind}")
        self.arrays.append(found)
        if keep and self.indent == 1:
            self.returned.append(found.name)
        return found

    def mark_choice(self, name: str, tag: str, kept: bool = True) -> None:
        """Marks a max or min of floats, where NaN counts. `kept`: a running value, an element or an expression of
        arrays takes the result; in a term of an expression other NaN, or a test, often hide it."""
        if is_float(tag):
            self.mark(f"{name} of floats", *([f"{name} of floats, kept"] if kept else []))

    def scalar(self, tag: str) -> str:
        """A scalar parameter of a dtype, or `int`."""
        for name, kind in self.scalars.items():
            if kind == tag:
                return name
        wanted = ("n", "m", "flag") if tag == "int" or tag[0] in "iu" else ("alpha", "beta", "gamma")
        name = self.name(*wanted)
        self.scalars[name] = tag
        self.parameters.append(f"{name}: {tag}")
        self.mark(f"scalar argument {tag}")
        return name

    def varies(self, text: str) -> bool:
        """Whether an expression names anything but extents and functions, so that it is no constant."""
        names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
        return bool(names & (self.names - FIXED))

    def other(self, make: Callable[[], str], *known: str) -> str:
        """What `make` gives, drawn anew where it is one of the known ones but for its spelling; "" after a few."""
        plain = {_plain(k) for k in known}
        features = set(self.features)
        for _ in range(3):
            text = make()
            if _plain(text) not in plain:
                return text
            self.features = set(features)
        return ""

    def held(self, tag: str) -> list[str]:
        """The locals of a type."""
        return [n for n, t in self.locals.items() if t == tag]


def _plain(text: str) -> str:
    """An expression without casts around it, with each element and row spelled one way."""
    text = re.sub(r"\.astype\([a-z0-9.]+\)$", "", text)
    text = re.sub(r"^[a-z]*\d*\((.*)\)$", r"\1", text)
    for spelled, plain in (("][", ", "), ("[(", "["), (")]", "]"), ("[:]", ""), (", :]", "]")):
        text = text.replace(spelled, plain)
    return text


Part = Callable[[Writer], None]
