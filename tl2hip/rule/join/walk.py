"""walk: a nest run on terms instead of numbers; what each array holds at the end.

Loops are run once, with a name for whatever passes from turn to turn; `close` then says what such a value is
after the loop. Where statements stand, which loop they share and what keeps a value on the way (a scalar, an
array, memory of a tile) makes no difference to the terms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import takewhile

from tl2hip.nest.ir import (
    Alloc,
    AxisRef,
    Binary,
    Const,
    Expr,
    If,
    Load,
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
from tl2hip.nest.walk import all_parts, all_stmts, parts, rebuild
from tl2hip.rule.join.book import LARGE, Book, Range, never_negative, simpler, untiled
from tl2hip.rule.join.memory import Cells, Layer, fresh_axes, solved
from tl2hip.rule.join.narrowed import within
from tl2hip.rule.terms import narrows
from tl2hip.source.span import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Carried:
    """A value that passes from turn to turn of a loop: a scalar, or the elements of an array at `layer.index` for
    all of its axes. `layer.value` is what one turn makes of it.

    now: the term by which its value at the start of a turn is read
    start: what it is before the loop
    """

    name: str
    now: Expr
    start: Expr
    layer: Layer

    @property
    def step(self) -> Expr:
        return self.layer.value


@dataclass(frozen=True, slots=True)
class Turn:
    """One loop: its range, and all that passes from turn to turn."""

    over: Range
    carried: tuple[Carried, ...]
    at: Span = NOWHERE


Close = Callable[["Walk", Turn], "dict[str, Expr]"]
"""What each carried value is after the loop, by its name; unknown values are given as such."""


class NotFollowed(Exception):
    """A nest does what terms do not tell; says what, and where."""

    def __init__(self, why: str, at: Span) -> None:
        super().__init__(why)
        self.why = why
        self.at = at


@dataclass(slots=True)
class Walk:
    """Runs the statements in order. `turns` are the loops that were run, inner ones first."""

    nest: Nest
    close: Close
    book: Book = field(default_factory=Book)
    names: dict[str, Expr] = field(default_factory=dict)
    memory: dict[str, Cells] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)
    casts: list[Expr] = field(default_factory=list)
    """All that is rounded to a narrower dtype."""

    def run(self) -> None:
        """Runs the whole nest. Raises NotFollowed."""
        self.book.rising = frozenset(self.nest.offsets)
        for a in self.nest.arrays:
            self.memory[a.name] = Cells(a.name if a.role == "parameter" else "")
        self.body(self.nest.body)

    # --- terms -------------------------------------------------------------------------------------------

    def term(self, e: Expr) -> Expr:
        """An expression of the nest as a term."""
        if isinstance(e, Var):
            return self.names.get(e.name) or self.unset(e.name)
        old = parts(e)
        if old:
            new = tuple(map(self.term, old))
            e = simpler(e if all(a is b for a, b in zip(old, new, strict=True)) else rebuild(e, new))
        if isinstance(e, Load):
            return self.read(e)
        if narrows(e):
            self.casts.append(e)
        return e

    def unset(self, name: str) -> Expr:
        return self.book.lost(f"{name} may not have been set", self.nest.dtype_of(name))

    def read(self, at: Load) -> Expr:
        """An element as it is now."""
        return self.memory[at.array].read(at, self.book, self.holds, self.nest.array(at.array).shape)

    def holds(self, over: Range, value: Expr, extent: Expr | None) -> bool:
        """Whether an index surely is in a range."""
        if over.step == 1 and isinstance(over.start, Const) and over.start.value == 0 and over.stop == extent:
            return True
        own = self.book.ranges.get(value.axis) if isinstance(value, AxisRef) else None
        return own is not None and own.bounds == over.bounds

    # --- statements --------------------------------------------------------------------------------------

    def body(self, body: tuple[Stmt, ...]) -> None:
        for s in body:
            match s:
                case Set(name=name, value=value):
                    self.names[name] = self.small(self.term(value), name)
                case Store(array=array, index=index, value=value):
                    self.store(s, array, index, self.term(value))
                case Update(array=array, index=index, op=op, value=value):
                    now = Load(array, index, value.dtype, s.proven)
                    self.store(s, array, index, Binary(op, self.term(now), self.term(value)))
                case Alloc(array=array):
                    self.memory[array] = Cells("")
                case If():
                    self.branch(s)
                case Loop():
                    self.loop(s)
                case While(at=at):
                    raise NotFollowed("it is not known how often a while turns", at)

    def small(self, e: Expr, name: str) -> Expr:
        if len(all_parts(e)) <= LARGE:
            return e
        return self.book.lost(f"{name} is made of more than {LARGE} operations", e.dtype)

    def store(self, s: Store | Update, array: str, index: tuple[Expr, ...], value: Expr) -> None:
        at = tuple(map(self.term, index))
        if not s.proven and not all(never_negative(i, self.book) for i in at):
            raise NotFollowed(f"the element of {array} that is written may be counted from the end", s.at)
        layer = Layer((), at, self.small(value, array), s.at)
        self.memory[array] = self.memory[array].stored(layer, self.book, self.holds)

    def branch(self, s: If) -> None:
        test = self.term(s.test)
        names, memory = dict(self.names), dict(self.memory)
        self.body(s.then)
        then = self.names, self.memory
        self.names, self.memory = dict(names), dict(memory)
        self.body(s.orelse)
        orelse = self.names, self.memory
        self.names = {n: e for n, e in names.items() if n in then[0] and n in orelse[0]}
        for name in then[0].keys() & orelse[0].keys():
            self.names[name] = _either(test, then[0][name], orelse[0][name])
        self.memory = dict(memory)
        for array in sorted(then[1].keys() & orelse[1].keys()):
            self.merge(array, test, then[1][array], orelse[1][array])

    def merge(self, array: str, test: Expr, then: Cells, orelse: Cells) -> None:
        """An array after a test, from what it is on both sides of it."""
        if then == orelse:
            self.memory[array] = then
            return
        common = set(then.layers) & set(orelse.layers)
        shape = self.nest.array(array).shape
        out = Cells(then.bottom, tuple(x for x in then.layers if x in common), then.fault or orelse.fault)
        if then.bottom != orelse.bottom:
            out = replace(out, fault=f"{array} comes to life on one side of a test only")
        for layer in (*reversed(then.layers), *reversed(orelse.layers)):
            if layer in common:
                continue
            own = fresh_axes(layer, self.book)
            self.book.ranges.update((a.axis, a) for a in own.axes)
            at = Load(array, own.index, own.value.dtype, proven=True)
            a, b = (side.read(at, self.book, self.holds, shape) for side in (then, orelse))
            out = out.stored(replace(own, value=_either(test, a, b)), self.book, self.holds)
        self.memory[array] = out

    # --- loops -------------------------------------------------------------------------------------------

    def loop(self, s: Loop) -> None:
        over = Range(s.axis.name, self.term(s.axis.start), self.term(s.axis.stop), s.axis.step, s.axis.name)
        if over.step < 1:
            raise NotFollowed("a loop runs backwards", s.at)
        inside = all_stmts(s.body)
        scalars = sorted({x.name for x in inside if isinstance(x, Set)})
        places = {x.name: x.at for x in inside if isinstance(x, Set)}
        born = {x.array for x in inside if isinstance(x, Alloc)}
        arrays = sorted({x.array for x in inside if isinstance(x, Store | Update)} - born)
        names, memory = dict(self.names), dict(self.memory)
        now = {n: Var(self.book.fresh(n), self.nest.dtype_of(n)) for n in scalars}
        before = {a: self.book.fresh(a) for a in arrays}
        self.names.update(now)
        self.memory.update((a, Cells(before[a])) for a in arrays)
        self.book.ranges[over.axis] = over
        masks = {a for a in before if memory[a].layers}
        over, body = self.opened(over, s.body, {*now.values(), *before.values()}, masks)
        first = len(self.casts)
        self.body(body)
        ends, made = self.names, self.memory
        self.names, self.memory = names, memory
        carried = [
            Carried(n, now[n], names.get(n) or self.unset(n), Layer((), (), end, places[n]))
            for n, end in ((n, ends.get(n) or self.unset(n)) for n in scalars)
        ]
        lifted: list[tuple[str, Layer]] = []
        for array in arrays:
            self.sort(array, made[array], before[array], over, carried, lifted)
        own = self.own_elements(over, lifted, before)
        carried = [replace(c, layer=replace(c.layer, value=self.found(c.step, own))) for c in carried]
        self.casts[first:] = [self.found(e, own) for e in self.casts[first:]]
        turn = Turn(over, tuple(carried), s.at)
        self.turns.append(turn)
        self.finish(turn, scalars, [(a, replace(x, value=self.found(x.value, own))) for a, x in lifted], before)

    def opened(
        self, over: Range, body: tuple[Stmt, ...], passing: set[Expr | str], filled: set[str]
    ) -> tuple[Range, tuple[Stmt, ...]]:
        """A loop that passes over some turns as the one over its other turns, and what these do. A mask that is
        laid over the turns' own elements of `filled` arrays stays a choice, as it is where scores are made."""
        ahead = tuple(takewhile(lambda s: isinstance(s, Set), body))
        if len(body) != len(ahead) + 1 or not isinstance(last := body[-1], If) or (last.then and last.orelse):
            return over, body
        names, first = dict(self.names), len(self.casts)
        self.body(ahead)
        own = {self.names[s.name] for s in ahead if isinstance(s, Set)}
        test = self.term(last.test if last.then else Unary("not", last.test))
        self.names = names
        del self.casts[first:]
        tighter = within(over, test, self.book)
        if tighter is None or any(self.passes(e, passing) for e in (*own, tighter.start, tighter.stop)):
            return over, body
        inner = last.then or last.orelse
        stores = (s for s in all_stmts(inner) if isinstance(s, Store | Update) and s.array in filled)
        if any(AxisRef(over.axis) in all_parts(i) for s in stores for i in s.index):
            return over, body
        self.book.ranges[over.axis] = tighter
        return self.opened(tighter, (*ahead, *inner), passing, filled)

    def passes(self, e: Expr, passing: set[Expr | str]) -> bool:
        """Whether a term reads any of the values, or any of the arrays, that pass from turn to turn."""
        return any(p in passing or (isinstance(p, Load) and p.array in passing) for p in self.book.inside(e))

    def sort(
        self,
        array: str,
        cells: Cells,
        before: str,
        over: Range,
        carried: list[Carried],
        lifted: list[tuple[str, Layer]],
    ) -> None:
        """Shares out what one turn stored in an array: elements of its own, or the same ones in every turn."""
        if cells.fault:
            self.memory[array] = replace(self.memory[array], fault=cells.fault)
        layers = list(reversed(cells.layers))
        if len(layers) > 1 and not _apart_by(over, layers) and self.mixed(layers, over):
            fault = f"several statements of a loop store in {array}, in elements that other turns may store in too"
            self.memory[array] = replace(self.memory[array], fault=fault)
            return
        for n, layer in enumerate(layers):
            if self.mixed([layer], over):
                lifted.append((array, layer))
                continue
            own = fresh_axes(layer, self.book)
            self.book.ranges.update((a.axis, a) for a in own.axes)
            now = Load(before, own.index, own.value.dtype)
            start = self.read(replace(now, array=array, proven=True))
            carried.append(Carried(f"{array}[{n}]", now, start, own))

    def mixed(self, layers: list[Layer], over: Range) -> bool:
        """Whether any of the layers is one whose elements change with the turn."""
        return any(self.bounded(x, over) or any(over.axis in self.book.axes(i) for i in x.index) for x in layers)

    def bounded(self, layer: Layer, over: Range) -> bool:
        return any(over.axis in self.book.axes(b) for a in layer.axes for b in (a.start, a.stop))

    def own_elements(
        self, over: Range, lifted: list[tuple[str, Layer]], before: dict[str, str]
    ) -> dict[str, tuple[str, Layer]]:
        """The elements that no other turn stores in, by the name of what a turn finds in their array."""
        out: dict[str, tuple[str, Layer]] = {}
        for array, layer in lifted:
            if sum(a == array for a, _ in lifted) == 1 and _single(over, layer, self.book):
                out[before[array]] = (array, layer)
        return out

    def found(self, e: Expr, own: dict[str, tuple[str, Layer]]) -> Expr:
        """A term with what a turn finds in its own elements: what was there before the loop. Other elements of
        these arrays are not known."""

        def there(p: Expr) -> Expr | None:
            if not isinstance(p, Load) or p.array not in own:
                return None
            array, layer = own[p.array]
            if solved(layer, p.index, self.book) is None:
                return self.book.lost(f"turns of a loop read elements of {array} that others write", p.dtype)
            return self.read(replace(p, array=array, proven=True))

        return self.book.map(there, e)

    def finish(
        self, turn: Turn, scalars: list[str], lifted: list[tuple[str, Layer]], before: dict[str, str]
    ) -> None:
        """What names and arrays are after the loop."""
        after = self.close(self, turn)
        arrays = {b: a for a, b in before.items()}
        for c in turn.carried:
            if c.name in scalars:
                self.names[c.name] = after[c.name]
                continue
            assert isinstance(c.now, Load)
            array = arrays[c.now.array]
            layer = replace(c.layer, value=after[c.name])
            self.memory[array] = self.memory[array].stored(layer, self.book, self.holds)
        hidden: set[Expr] = {c.now for c in turn.carried if isinstance(c.now, Var)}
        for array, layer in lifted:
            out = replace(layer, axes=self.around(turn.over, layer), value=self.closed(layer.value, hidden, before))
            self.memory[array] = self.memory[array].stored(out, self.book, self.holds)

    def closed(self, e: Expr, hidden: set[Expr], before: dict[str, str]) -> Expr:
        """A term that is kept beyond its loop: of what passes from turn to turn nothing is known there."""

        def there(p: Expr) -> Expr | None:
            if p in hidden or (isinstance(p, Load) and p.array in before.values()):
                return self.book.lost("a value passes from turn to turn on the way to an element", p.dtype)
            return None

        return self.book.map(there, e)

    def around(self, over: Range, layer: Layer) -> tuple[Range, ...]:
        """The axes of a layer inside a further loop; a loop over tiles around that over one tile is one loop."""
        free = frozenset[str]().union(*map(self.book.axes, (layer.value, *layer.index)))
        for n, a in enumerate(layer.axes):
            one = untiled(over, a)
            others = (b for x in layer.axes if x is not a for b in (x.start, x.stop))
            if one is not None and over.axis not in free.union(*map(self.book.axes, others)):
                self.book.ranges[one.axis] = one
                return (*layer.axes[:n], one, *layer.axes[n + 1 :])
        return (over, *layer.axes)


def _either(test: Expr, then: Expr, orelse: Expr) -> Expr:
    return simpler(Select(test, then, orelse))


def _single(over: Range, layer: Layer, book: Book) -> bool:
    """Whether no two turns of a loop store in the same element."""
    axes = (over, *layer.axes)
    used = tuple(a for a in axes if any(a.axis in book.axes(i) for i in layer.index))
    return over in used and solved(Layer(used, layer.index, layer.value), layer.index, book) is not None


def _apart_by(over: Range, layers: list[Layer]) -> bool:
    """Whether an index tells the turn for all these layers alike."""
    places = zip(*(x.index for x in layers), strict=True)
    return any(all(i == AxisRef(over.axis) for i in place) for place in places)
