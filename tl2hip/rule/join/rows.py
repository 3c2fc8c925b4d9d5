"""rows: what the outputs of a nest have in common where each row of them is a softmax.

    P[j] = score          the scores of a row, over a range of keys
    m = max of P          one maximum a row
    sums of f(exp(P[j] - m)) over the same keys, with or without an axis of the output's own
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

from tl2hip.nest.ir import AxisRef, Binary, Call, Cast, Const, Expr, Load, Select, Unary, Var
from tl2hip.nest.walk import all_parts, parts
from tl2hip.rule.join.book import Book, Range
from tl2hip.rule.join.joining import EXTREMES
from tl2hip.rule.join.memory import Layer
from tl2hip.rule.join.unify import POWERS
from tl2hip.rule.join.walk import Walk
from tl2hip.source.span import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class NoSoftmax(Exception):
    """Outputs that are no rows of a softmax: which condition is lost, and where."""

    why: str
    at: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Output:
    """What is stored in an array: for all of `rows`, then of `own`, `value` at `index`, where `test` holds."""

    array: str
    rows: tuple[Range, ...]
    own: tuple[Range, ...]
    index: tuple[Expr, ...]
    value: Expr
    test: Expr | None
    at: Span


@dataclass(frozen=True, slots=True)
class Rows:
    """Outputs over the same rows, and the maximum that all of them are made with."""

    axes: tuple[Range, ...]
    largest: Var
    outputs: tuple[Output, ...]


def rows_of(walk: Walk, layers: list[tuple[str, Layer]]) -> Rows:
    """The outputs as rows of a softmax. Raises NoSoftmax."""
    written = {array for array, _ in layers}
    outputs: list[Output] = []
    axes: tuple[Range, ...] = ()
    largest: Var | None = None
    for array, layer in layers:
        _known(walk.book, array, layer, written)
        own = _largest(walk.book, array, layer)
        wanted = _around(walk.book, layer, own)
        if largest is None:
            axes, largest = _ordered(walk.book, layer, wanted, _shared(walk.book, own)), own
        there = _renamed(walk.book, layer, wanted, axes, own, largest)
        if there is None:
            other = f"{array} is made with another maximum, or over other rows, than {layers[0][0]}"
            raise NoSoftmax(other, layer.at)
        outputs.append(_output(array, there, axes))
    assert largest is not None
    return Rows(axes, largest, tuple(outputs))


def _known(book: Book, array: str, layer: Layer, written: set[str]) -> None:
    """Raises NoSoftmax where what is stored is not known, or hangs on what the nest writes."""
    bounds = [b for a in layer.axes for b in (a.start, a.stop)]
    for e in (layer.value, *layer.index, *bounds):
        why = book.why_lost(e)
        if why:
            raise NoSoftmax(why, layer.at)
    kept = Load(array, layer.index, layer.value.dtype)
    for p in book.inside(layer.value):
        if isinstance(p, Load) and p.array in written and p != kept:
            raise NoSoftmax(f"{p.array} is read as well as written", layer.at)


def _largest(book: Book, array: str, layer: Layer) -> Var:
    """The one maximum that exponentials of a term are taken relative to."""
    found: dict[Expr, None] = {}
    for p in book.inside(layer.value):
        if isinstance(p, Call) and p.name in POWERS:
            for q in all_parts(p.args[0]):
                own = book.reduction(q)
                if own is not None and own.op in EXTREMES[:2]:
                    found[q] = None
    if not found:
        raise NoSoftmax(f"{array} is made of no exponentials that are taken relative to a maximum", layer.at)
    if len(found) > 1:
        raise NoSoftmax(f"{array} is made of exponentials that are taken relative to several maxima", layer.at)
    (largest,) = found
    assert isinstance(largest, Var)
    return largest


def _around(book: Book, layer: Layer, largest: Var) -> tuple[Range, ...]:
    """The axes that the rows are: those that the maximum changes with, and those that their bounds do."""
    names = set(book.axes(largest))
    for a in reversed(layer.axes):
        if a.axis in names:
            names |= book.axes(a.start) | book.axes(a.stop)
    return tuple(a for a in layer.axes if a.axis in names)


def _shared(book: Book, largest: Var) -> frozenset[str]:
    """The axes that the keys change with: the batch, of which each has keys of its own."""
    own = book.opened(largest, book.fresh("j"))
    with_keys = (p for p in book.inside(own.value) if isinstance(p, Load) and own.over.axis in book.axes(p))
    return frozenset[str]().union(*map(book.axes, with_keys))


def _ordered(book: Book, layer: Layer, wanted: tuple[Range, ...], batch: frozenset[str]) -> tuple[Range, ...]:
    """The rows' axes, those of the batch first, in the order of the element's index; one that others' bounds
    hang on stands ahead of them."""
    places = {a.axis: next((n for n, i in enumerate(layer.index) if a.axis in book.axes(i)), -1) for a in wanted}
    left = sorted(wanted, key=lambda a: (a.axis not in batch, places[a.axis]))
    out: list[Range] = []
    while left:
        done = {a.axis for a in out} | (book.axes(layer.value) - {a.axis for a in wanted})
        ready = next(a for a in left if book.axes(a.start) | book.axes(a.stop) <= done)
        out.append(ready)
        left.remove(ready)
    return tuple(out)


def _renamed(
    book: Book, layer: Layer, wanted: tuple[Range, ...], axes: tuple[Range, ...], own: Var, largest: Var
) -> Layer | None:
    """The layer over the rows' axes, by the order of its own that makes its maximum the same."""
    if len(wanted) != len(axes):
        return None
    for way in permutations(wanted):
        to: dict[str, Expr] = {a.axis: AxisRef(b.axis) for a, b in zip(way, axes, strict=True)}
        moved = layer.moved(book, to)
        bounds = {a.axis: a.bounds for a in moved.axes}
        if book.put(own, to) == largest and all(bounds[a.axis] == a.bounds for a in axes):
            return moved
    return None


def _output(array: str, layer: Layer, axes: tuple[Range, ...]) -> Output:
    names = {a.axis for a in axes}
    own = tuple(a for a in layer.axes if a.axis not in names)
    value, test = layer.value, None
    kept = Load(array, layer.index, value.dtype)
    if isinstance(value, Select) and kept in (value.then, value.orelse):
        test = value.test if value.orelse == kept else Unary("not", value.test)
        value = value.then if value.orelse == kept else value.orelse
    if any(p == kept for p in all_parts(value)):
        raise NoSoftmax(f"{array} is read as well as written", layer.at)
    return Output(array, axes, own, layer.index, value, test, layer.at)


# --- where NaN goes --------------------------------------------------------------------------------------


def spreads(e: Expr, total: Expr) -> bool:
    """Whether a term is surely NaN where one part of it is: that is added, multiplied, divided or taken a function
    of, and never chosen or compared."""
    if e == total:
        return True
    match e:
        case Binary(op=op) if op in ("+", "-", "*", "/"):
            return any(spreads(p, total) for p in parts(e))
        case Cast() if e.dtype.is_float:
            return spreads(e.value, total)
        case Unary(op="-") | Call(name="exp" | "exp2" | "log" | "log2" | "sqrt"):
            return any(spreads(p, total) for p in parts(e))
        case Select(then=Const(value=nan)) if nan != nan:
            return spreads(e.orelse, total)
    return False


def nan_first(e: Expr) -> tuple[Expr, Expr] | None:
    """A sum to which NaN is added where the first turn of its loop met nothing, as that test and the sum alone."""
    match e:
        case Binary(op="+", left=Select(test=test, then=Const(value=nan), orelse=Const(value=0.0)), right=Var()):
            return (test, e.right) if nan != nan else None
    return None


def without(e: Expr, book: Book) -> Expr:
    """A term without the NaN of first turns."""

    def there(p: Expr) -> Expr | None:
        found = nan_first(p)
        return None if found is None else found[1]

    return book.map(there, e)
