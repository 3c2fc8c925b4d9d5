"""Runs nests on Python ints and says from what happened what an axis may be.

`run` executes a nest for given sizes and notes every access of every loop's iterations; it may also take the
iterations of one loop in another order, with the variables it sets undefined at the start of each.
"""

from __future__ import annotations

import itertools
import operator
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tl2hip.nest.ir import (
    Alloc,
    AxisRef,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Dim,
    Expr,
    If,
    Load,
    Logic,
    Loop,
    Nest,
    Scalar,
    Select,
    Set,
    Stmt,
    Store,
    Unary,
    Update,
    Var,
    While,
)
from tl2hip.nest.walk import all_stmts

BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b if b else 0,
    "%": lambda a, b: a % b if b else 0,
    "min": min,
    "max": max,
    "minimum": min,
    "maximum": max,
    "|": lambda a, b: a | b,
    "&": lambda a, b: a & b,
    "^": lambda a, b: a ^ b,
}
UNARY: dict[str, Callable[[int], int]] = {"-": operator.neg, "not": operator.not_, "abs": abs, "~": operator.invert}
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


class Undefined(Exception):
    """A variable was read that nothing had set."""


Touch = tuple[str, str | None]
"""A kind of access (load, store, update) and its operation."""


@dataclass
class Run:
    """One execution. `touched[axis]` holds, for each execution of its loop, the accesses of each element by
    iteration."""

    nest: Nest
    sizes: dict[str, int]
    arrays: dict[str, dict[tuple[int, ...], int]] = field(default_factory=dict)
    order: dict[str, random.Random] = field(default_factory=dict)
    keep: dict[str, tuple[str, ...]] = field(default_factory=dict)
    env: dict[str, int] = field(default_factory=dict)
    axes: dict[str, int] = field(default_factory=dict)
    active: list[tuple[str, dict[Any, dict[int, set[Touch]]]]] = field(default_factory=list)
    touched: dict[str, list[dict[Any, dict[int, set[Touch]]]]] = field(default_factory=lambda: defaultdict(list))
    out_of_range: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    made: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    reached: set[int] = field(default_factory=set)

    def go(self) -> Run:
        for a in self.nest.arrays:
            if a.role != "local":
                self.shapes[a.name] = tuple(self.expr(e) for e in a.shape)
        self.block(self.nest.body)
        return self

    # --- memory

    def element(self, array: str, index: tuple[Expr, ...]) -> tuple[int, ...] | None:
        """The element an index means, Python's way; None where it is out of range."""
        out = []
        raw = tuple(self.expr(e) for e in index)
        for i, n in zip(raw, self.shapes[array], strict=True):
            i = i + n if -n <= i < 0 else i
            if not 0 <= i < n:
                return None
            out.append(i)
        return tuple(out)

    def touch(self, array: str, at: tuple[int, ...], kind: str, op: str | None = None) -> None:
        for axis, elements in self.active:
            by = elements.setdefault((array, self.made[array], at), {})
            by.setdefault(self.axes[axis], set()).add((kind, op))

    def load(self, array: str, at: tuple[int, ...] | None) -> int:
        if at is None:
            return 0
        self.touch(array, at, "load")
        return self.arrays.setdefault(array, {}).get(at, 0)

    # --- expressions

    def expr(self, e: Expr) -> Any:
        match e:
            case Const(value=v):
                return int(v)
            case AxisRef(axis=name):
                return self.axes[name]
            case Dim(name=name) | Scalar(name=name):
                return self.sizes[name]
            case Var(name=name):
                if name not in self.env:
                    raise Undefined(name)
                return self.env[name]
            case Load(array=array, index=index):
                return self.load(array, self.element(array, index))
            case Unary(op=op, value=v):
                return UNARY[op](self.expr(v))
            case Binary(op=op, left=a, right=b):
                return BINARY[op](self.expr(a), self.expr(b))
            case Compare(op=op, left=a, right=b):
                return COMPARE[op](self.expr(a), self.expr(b))
            case Logic(op="and", left=a, right=b):
                return self.expr(a) and self.expr(b)
            case Logic(left=a, right=b):
                return self.expr(a) or self.expr(b)
            case Select(test=t, then=a, orelse=b):
                return self.expr(a) if self.expr(t) else self.expr(b)
            case Cast(value=v):
                return self.expr(v)
            case Call():
                raise NotImplementedError(e)

    # --- statements

    def block(self, body: tuple[Stmt, ...]) -> None:
        for s in body:
            self.stmt(s)

    def stmt(self, s: Stmt) -> None:
        match s:
            case Set(name=name, value=v):
                self.env[name] = self.expr(v)
            case Store(array=array, index=index, value=v):
                at, value = self.element(array, index), self.expr(v)
                if at is not None:
                    self.touch(array, at, "store")
                    self.arrays.setdefault(array, {})[at] = value
            case Update(array=array, index=index, op=op, value=v):
                at, value = self.element(array, index), self.expr(v)
                if at is not None:
                    self.touch(array, at, "update", op)
                    old = self.arrays.setdefault(array, {}).get(at, 0)
                    self.arrays[array][at] = BINARY[op](old, value)
            case Alloc(array=array):
                self.made[array] += 1
                self.shapes[array] = tuple(self.expr(e) for e in self.nest.array(array).shape)
                self.arrays[array] = {}
            case If(test=t, then=then, orelse=orelse):
                self.block(then if self.expr(t) else orelse)
            case While(test=t, body=body):
                for _ in itertools.takewhile(lambda _: self.expr(t), range(50)):
                    self.block(body)
            case Loop():
                self.loop(s)

    def loop(self, s: Loop) -> None:
        axis = s.axis
        values = list(range(self.expr(axis.start), self.expr(axis.stop), axis.step))
        shuffled = axis.name in self.order
        names = {x.name for x in all_stmts(s.body) if isinstance(x, Set)}
        hidden = names - set(self.keep.get(axis.name, ())) if shuffled else set()
        if shuffled:
            self.order[axis.name].shuffle(values)
        elements: dict[Any, dict[int, set[Touch]]] = {}
        self.active.append((axis.name, elements))
        for v in values:
            for name in hidden:
                self.env.pop(name, None)
            self.axes[axis.name] = v
            self.block(s.body)
        if values:
            for name in hidden:
                self.env.pop(name, None)
        self.active.pop()
        self.axes.pop(axis.name, None)
        self.touched[axis.name].append(elements)


def verdict(run: Run, axis: str, private: frozenset[str]) -> str:
    """What the array accesses of one run let an axis be: parallel, reduce or serial."""
    out = "parallel"
    for elements in run.touched[axis]:
        for (array, _, _), by in elements.items():
            if array in private or len(by) < 2:
                continue
            touches = set().union(*by.values())
            if all(kind == "load" for kind, _ in touches):
                continue
            if len(touches) == 1 and next(iter(touches))[0] == "update":
                out = "reduce"
            else:
                return "serial"
    return out


def sizes_of(nest: Nest, limit: int, chooser: random.Random, count: int) -> Iterator[dict[str, int]]:
    """Sizes to try: all dims equal for a few, and a number of random ones."""
    names = [*nest.dims, *(s.name for s in nest.scalars)]
    for n in (1, 2, limit):
        yield dict.fromkeys(names, n)
    for _ in range(count):
        yield {n: chooser.randint(0, limit) for n in names}
