"""view: a nest as what its statements compute: reductions and stores of whole expressions.

Every spelling of a reduction becomes one form, `Reduction(op, over, init, value)`: a scalar accumulator and an
array that is updated alike, wherever the loop stands, as dependence analysis found it. Scalar temporaries and
elements just stored are put in the place of their reads; what cannot be is a version, named `m#3`: the third
value that was given a name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tl2hip.dtypes import BOOL
from tl2hip.nest.dependence import Analysis, analyse
from tl2hip.nest.ir import (
    Alloc,
    AxisRef,
    Binary,
    Compare,
    Const,
    Expr,
    If,
    Load,
    Logic,
    Loop,
    Nest,
    Select,
    Set,
    Stmt,
    Store,
    Unary,
    Update,
    Var,
    While,
)
from tl2hip.nest.walk import all_parts, all_stmts, own_exprs, parts, rebuild
from tl2hip.rule.meaning import OPERATIONS, STAND_INS
from tl2hip.rule.sites import Around, Site, Version, View
from tl2hip.rule.terms import nothing

REDUCES = (*OPERATIONS, *STAND_INS)

LARGE = 150
"""Nodes of an expression that is still put in the place of its name."""

Element = tuple[str, tuple[Expr, ...]]


def view(nest: Nest, analysis: Analysis | None = None) -> View:
    """What a nest computes. `analysis` is that of this nest, where it is at hand."""
    out = View(nest, (analysis or analyse(nest)).kinds)
    _Walk(out).body(nest.body)
    return out


@dataclass(slots=True)
class _Running:
    """A reduction into a scalar, while its loops are walked."""

    op: str
    init: Expr
    depth: int
    sites: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Memory:
    """Elements known to hold an expression, each with the site that stored it; whole arrays under no index."""

    elements: dict[Element, tuple[Expr, int]] = field(default_factory=dict)
    whole: dict[str, tuple[Expr, int]] = field(default_factory=dict)

    def copy(self) -> _Memory:
        return _Memory(dict(self.elements), dict(self.whole))

    def forget(self, arrays: frozenset[str], sources: Callable[[Expr], frozenset[str]]) -> None:
        """Leaves out what the arrays hold, and what was read from them."""
        self.elements = {
            k: v for k, v in self.elements.items() if k[0] not in arrays and arrays.isdisjoint(sources(v[0]))
        }
        self.whole = {k: v for k, v in self.whole.items() if k not in arrays}


class _Walk:
    """Walks the statements in order, with what each name and element holds."""

    def __init__(self, out: View) -> None:
        self.out = out
        self.names: dict[str, Expr] = {}
        self.memory = _Memory()
        self.loops: tuple[Around, ...] = ()
        self.before: list[_Memory] = []
        self.guards: tuple[tuple[Expr, int], ...] = ()
        """The tests around, each with the number of loops around it."""
        self.running: dict[str, _Running] = {}
        self.known: dict[int, tuple[Expr, frozenset[str]]] = {}
        """The arrays that expressions read, by the expression's id; it is kept, so that the id stays its own."""

    # --- names ---------------------------------------------------------------------------------------

    def version(self, name: str, made: bool = False, site: int | None = None) -> Var:
        """A new value of a name that no expression tells."""
        own = f"{name}#{len(self.out.versions)}"
        self.out.versions[own] = Version(name, tuple(a.axis for a in self.loops), made, site)
        return Var(own, self.out.nest.dtype_of(name))

    def term(self, e: Expr) -> Expr:
        """An expression over versions, with what names and elements hold in their place."""
        if isinstance(e, Var):
            if e.name not in self.names:
                self.names[e.name] = self.version(e.name)
            return self.names[e.name]
        old = parts(e)
        if not old:
            return e
        new = tuple(map(self.term, old))
        if any(a is not b for a, b in zip(old, new, strict=True)):
            e = rebuild(e, new)
        if isinstance(e, Load):
            known = self.memory.elements.get((e.array, e.index))
            return e if known is None else known[0]
        return e

    def sources(self, e: Expr) -> frozenset[str]:
        """The arrays that an expression reads."""
        found = self.known.get(id(e))
        if found is None:
            found = e, frozenset(p.array for p in all_parts(e) if isinstance(p, Load))
            self.known[id(e)] = found
        return found[1]

    def settle(self, arrays: frozenset[str]) -> None:
        """Makes versions of the names whose expression reads arrays about to change."""
        for name, e in self.names.items():
            if not arrays.isdisjoint(self.sources(e)):
                self.names[name] = self.version(name)

    def bind(self, name: str, value: Expr) -> None:
        small = sum(1 for _ in all_parts(value)) <= LARGE
        self.names[name] = value if small else self.version(name)

    # --- statements ----------------------------------------------------------------------------------

    def body(self, body: tuple[Stmt, ...]) -> None:
        for s in body:
            match s:
                case Loop():
                    self.loop(s, s.axis.name)
                case While():
                    self.loop(s, f"while {len(self.out.versions)}")
                case If():
                    self.branch(s)
                case Set() if s.name in self.running:
                    self.accumulate(s)
                case Set():
                    self.bind(s.name, self.term(s.value))
                case Store():
                    self.store(s)
                case Update():
                    self.update(s)
                case Alloc(array=array):
                    self.changed(frozenset({array}))

    def changed(self, arrays: frozenset[str]) -> None:
        self.settle(arrays)
        self.memory.forget(arrays, self.sources)

    def loop(self, s: Loop | While, axis: str) -> None:
        inside = list(all_stmts(s.body))
        arrays = frozenset(x.array for x in inside if isinstance(x, Store | Update | Alloc))
        written = {x.name for x in inside if isinstance(x, Set)}
        self.settle(arrays)
        bounds = tuple(map(self.term, own_exprs(s))) if isinstance(s, Loop) else ()
        saved, guards = dict(self.names), self.guards
        self.before.append(self.memory.copy())
        self.memory.forget(arrays, self.sources)
        memory = self.memory.copy()
        started = self.start(axis, written)
        outer, self.loops = self.loops, (*self.loops, Around(axis, s, bounds, arrays))
        for name in written:
            if name in saved and name not in self.running:
                self.names[name] = self.version(name)
        self.body(s.body)
        self.loops, self.guards, self.memory = outer, guards, memory
        before = self.before.pop()
        self.names = {n: e for n, e in saved.items() if n not in written}
        for name in written:
            self.names[name] = self.version(name, True, self.finish(name) if name in started else None)
        self.filled(s, before)

    def start(self, axis: str, written: set[str]) -> list[str]:
        """The scalars that a loop reduces into and no loop around it does."""
        kind = self.out.kinds.get(axis)
        started = []
        for r in kind.reductions if kind is not None else ():
            name = r.variables[0]
            if len(r.variables) == 1 and name in written and name not in self.running and r.op in REDUCES:
                init = self.names.get(name) or self.version(name)
                self.running[name] = _Running(r.op, init, len(self.loops))
                started.append(name)
        return started

    def finish(self, name: str) -> int | None:
        """Ends a reduction; its site, where it has one and no more."""
        sites = self.running.pop(name).sites
        if len(sites) == 1:
            return sites[0]
        for number in sites:
            self.blame(number, f"{len(sites)} statements add to {name} in the same loop")
        return None

    def blame(self, number: int, fault: str) -> None:
        self.out.sites[number] = replace(self.out.sites[number], fault=fault)

    def branch(self, s: If) -> None:
        test = self.term(s.test)
        inside = list(all_stmts((*s.then, *s.orelse)))
        arrays = frozenset(x.array for x in inside if isinstance(x, Store | Update | Alloc))
        names, memory, guards = dict(self.names), self.memory.copy(), self.guards
        self.guards = (*guards, (test, len(self.loops)))
        self.body(s.then)
        then = self.names
        self.names, self.memory = dict(names), memory.copy()
        self.guards = (*guards, (Unary("not", test), len(self.loops)))
        self.body(s.orelse)
        orelse, self.guards, self.memory = self.names, guards, memory
        self.memory.forget(arrays, self.sources)
        self.names = names
        self.settle(arrays)
        for name in {x.name for x in inside if isinstance(x, Set)} - self.running.keys():
            a, b = then.get(name), orelse.get(name)
            if a is None or b is None or arrays:
                self.names[name] = self.version(name)
            else:
                self.bind(name, a if a == b else Select(test, a, b))

    # --- sites ---------------------------------------------------------------------------------------

    def accumulate(self, s: Set) -> None:
        """`s = s op e` in the loops that reduce it."""
        running = self.running[s.name]
        term = _operand(s.value, s.name)
        over = self.loops[running.depth :]
        fault = "" if term is not None else f"{s.name} is accumulated in a form that is not understood"
        if any(isinstance(a.loop, While) for a in over):
            fault = f"a while stands between {s.name} and the loop over it"
        value = Const(0, s.value.dtype) if term is None else self.term(term)
        running.sites.append(len(self.out.sites))
        axes = tuple(a.axis for a in over)
        self.reduction(s, running.op, s.name, (), axes, running.init, value, running.depth, None, fault)

    def reduction(
        self,
        s: Set | Update,
        op: str,
        target: str,
        index: tuple[Expr, ...],
        over: tuple[str, ...],
        init: Expr,
        value: Expr,
        depth: int,
        filled: int | None,
        fault: str,
    ) -> None:
        """A site of a reduction; tests that change over its loops become part of its terms."""
        where: list[Expr] = []
        for test, place in reversed(self.guards):
            if place >= depth and not self.out.axes_of(test, self.loops).isdisjoint(over):
                value = Select(test, value, nothing(op, value.dtype))
            else:
                where.insert(0, test)
        number, loops = len(self.out.sites), self.loops
        self.out.sites.append(
            Site(number, op, target, index, loops, over, init, value, s.at, depth, filled, tuple(where), fault, s)
        )

    def store(self, s: Store) -> None:
        index, value = tuple(map(self.term, s.index)), self.term(s.value)
        site = self.stored(s, index, value)
        self.changed(frozenset({s.array}))
        if s.proven and s.array not in self.sources(value) and sum(1 for _ in all_parts(value)) <= LARGE:
            self.memory.elements[s.array, index] = (value, site)

    def stored(self, s: Store | Update, index: tuple[Expr, ...], value: Expr, fault: str = "") -> int:
        """The site of a plain store."""
        number, where = len(self.out.sites), tuple(test for test, _ in self.guards)
        depth = len(self.loops)
        self.out.sites.append(
            Site(number, "", s.array, index, self.loops, (), None, value, s.at, depth, None, where, fault, s)
        )
        return number

    def update(self, s: Update) -> None:
        index, value = tuple(map(self.term, s.index)), self.term(s.value)
        own = self.own_axes(index)
        again = [a.axis for a in self.loops if self.updates(a.axis, s)]
        over = tuple(axis for axis in again if axis not in own)
        fault = ""
        if len(over) < len(again):
            fault = f"several iterations may update the same element of {s.array}"
        before = Load(s.array, index, s.value.dtype, s.proven)
        if not over:
            self.stored(s, index, Binary(s.op, before, value), fault)
        else:
            depth = next(n for n, a in enumerate(self.loops) if a.axis in over)
            init, filled = self.start_of(s, index, depth)
            if s.op not in REDUCES:
                fault = f"`{s.op}` is no operation of rules"
            elif len(_writes(self.loops[depth].loop, s.array)) > 1:
                fault = f"{s.array} is written by other statements of the same loop too"
            self.reduction(s, s.op, s.array, index, over, init or before, value, depth, filled, fault)
        self.changed(frozenset({s.array}))

    def own_axes(self, index: tuple[Expr, ...]) -> frozenset[str]:
        """The axes that an element changes with, itself or by the bounds of others that it changes with."""
        own: frozenset[str] = frozenset()
        own = own.union(*(self.out.axes_of(i, self.loops) for i in index))
        for a in reversed(self.loops):
            if a.axis in own:
                own = own.union(*(self.out.axes_of(b, self.loops) for b in a.bounds))
        return own

    def updates(self, axis: str, s: Update) -> bool:
        """Whether several iterations of an axis may update the same element."""
        kind = self.out.kinds.get(axis)
        return kind is not None and any(u.array == s.array for u in kind.updates)

    def start_of(self, s: Update, index: tuple[Expr, ...], depth: int) -> tuple[Expr | None, int | None]:
        """What an element holds before the loops that reduce into it, and the site that put it there."""
        known = self.before[depth].elements.get((s.array, index))
        for level in range(depth, -1, -1):
            known = known or self.before[level].whole.get(s.array)
            around = self.loops[level]
            kind = self.out.kinds.get(around.axis)
            if known is not None:
                return known
            if kind is None or kind.in_order or len(_writes(around.loop, s.array)) > 1:
                break
        return None, None

    def filled(self, s: Loop | While, before: _Memory) -> None:
        """Remembers an array that a loop nest has just filled with one value."""
        axes: dict[str, Expr] = {}
        inner: Stmt = s
        while isinstance(inner, Loop) and len(inner.body) == 1 and inner.axis.step == 1:
            if not isinstance(inner.axis.start, Const) or inner.axis.start.value != 0:
                return
            axes[inner.axis.name] = inner.axis.stop
            inner = inner.body[0]
        if not isinstance(inner, Store) or not inner.proven or not isinstance(inner.value, Const):
            return
        names = [i.axis for i in inner.index if isinstance(i, AxisRef)]
        shape = self.out.nest.array(inner.array).shape
        if sorted(names) == sorted(axes) and len(names) == len(shape):
            whole = all(axes[n] == extent for n, extent in zip(names, shape, strict=True))
            if whole:
                self.memory.whole[inner.array] = (inner.value, len(self.out.sites) - 1)


def _writes(loop: Loop | While, array: str) -> list[Stmt]:
    return [x for x in all_stmts(loop.body) if isinstance(x, Store | Update | Alloc) and x.array == array]


def _operand(value: Expr, name: str) -> Expr | None:
    """What is taken in by `name op e`, or by that under a condition (`e if test else` the neutral element)."""
    match value:
        case Select(test=Compare(left=a, right=b), then=x, orelse=Var(name=n)) if n == name and _uses(
            value.test, name
        ):
            return x if x in (a, b) else None
        case Select(test=test, then=e, orelse=Var(name=n)) if n == name:
            return _under(test, e, name)
        case Select(test=test, then=Var(name=n), orelse=e) if n == name:
            return _under(Unary("not", test), e, name)
        case Binary(left=Var(name=n), right=e) if n == name:
            return e
        case Binary(left=e, right=Var(name=n)) if n == name:
            return e
    return None


def _under(test: Expr, e: Expr, name: str) -> Expr | None:
    op = e.op if isinstance(e, Binary | Logic) else ""
    inner = _operand(e, name)
    if inner is None or op not in REDUCES or inner.dtype is BOOL:
        return None
    return Select(test, inner, nothing(op, inner.dtype))


def _uses(e: Expr, name: str) -> bool:
    return any(isinstance(p, Var) and p.name == name for p in all_parts(e))
