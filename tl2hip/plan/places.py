"""Which accesses of a body lie side by side along an axis, or fill with others of their array what lies so.

`X[i, j]` moves by one element with `j`. `X[i, 2 * p]` and `X[i, 2 * p + 1]` move by two with `p`, and together they
are each element once: of them all there is one vector, twice as long. So it is with `X[i, p, 0]` and `X[i, p, 1]`,
where rows have two elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tl2hip.nest.index import ZERO, add, floor_div, mul, number, sub, value_of
from tl2hip.nest.ir import Array, Axis, AxisRef, Binary, Expr, Load, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, substitute
from tl2hip.plan.access import moved_by
from tl2hip.plan.state import State

Place = tuple[str, tuple[Expr, ...]]
"""An array and an index into it."""

PACES = (2, 4, 8)
"""Elements of an array for each value of an axis, where they are several: vectors of them are whole accesses."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a vector along an axis has what is at a place: it starts at `first` and has `pace` elements for each
    value of the axis, of which this is the one of the number `offset`."""

    first: Place
    pace: int = 1
    offset: int = 0


Access = Load | Store | Update


def accesses(body: Iterable[Stmt]) -> tuple[Access, ...]:
    """The accesses of a body to arrays."""
    body = tuple(body)
    loads = tuple(e for e in all_exprs(body) if isinstance(e, Load))
    return (*loads, *(s for s in all_stmts(body) if isinstance(s, Store | Update)))


def place_of(x: Access) -> Place:
    """The place of an access."""
    return x.array, x.index


def vector_loads(state: State, axis: Axis, body: Iterable[Stmt]) -> tuple[Load, ...]:
    """The loads of a body that read side by side along an axis; the others are loads of their own."""
    return tuple(e for e in all_exprs(body) if isinstance(e, Load) and _in_vector(state, e, axis))


def _in_vector(state: State, x: Access, axis: Axis) -> bool:
    sure = x.always or gathered(state, place_of(x), axis)
    return sure and side_by_side(state, place_of(x), axis, looked_up=True)


def side_by_side(state: State, place: Place, axis: Axis, *, looked_up: bool = False) -> bool:
    """Whether an access moves by one element with the axis, in a row-major array. A scalar of the body in its
    index may be another one at each element, and so may what it loads, unless the other indices may be `looked_up`:
    in an array that the function does not store to they are the same all along the axis."""
    array, index = place
    if not _row_major(state, array) or any(isinstance(p, Var) for i in index for p in all_parts(i)):
        return False
    still = all(_moved(i, axis) == 0 for i in index[:-1])
    loaded = {p.array for i in index for p in all_parts(i) if isinstance(p, Load)}
    if loaded:
        stored = {s.array for s in all_stmts(state.nest.body) if isinstance(s, Store | Update)}
        in_last = any(isinstance(p, Load) for p in all_parts(index[-1]))
        if not looked_up or in_last or loaded & stored:
            return False
    return still and _moved(index[-1], axis) == 1


def _row_major(state: State, array: str) -> bool:
    """Whether an array is in memory, row by row."""
    a: Array = state.nest.array(array)
    return a.strides is None and state.placed[array].space in ("global", "workspace")


def _moved(e: Expr, axis: Axis) -> int | None:
    """How far an index moves from one value of an axis to the next."""
    return moved_by(e, axis.name, axis.step)


def gathered(state: State, place: Place, axis: Axis) -> bool:
    """Whether an access runs along whole rows of an array, in which it may not be: it is or is not for all of a
    row."""
    array, index = place
    whole = index[-1] == AxisRef(axis.name) and (axis.start, axis.stop) == (ZERO, state.nest.array(array).shape[-1])
    return whole and len(index) > 1


# --- several elements for each value of the axis ---------------------------------------------------------


def spots(state: State, axis: Axis, body: Iterable[Stmt], *, paced: bool = False) -> dict[Place, Spot]:
    """Where vectors along an axis have what a body accesses at places that vectors can move; `paced`: those of
    several elements for each value of the axis, too."""
    known = accesses(body)
    found = {place_of(x): Spot(place_of(x)) for x in known if _in_vector(state, x, axis)}
    if paced:
        found |= _together(state, axis, [x for x in known if x.always and place_of(x) not in found])
    return found


def _together(state: State, axis: Axis, known: list[Access]) -> dict[Place, Spot]:
    """The spots of places that fill vectors together, all of them where nothing is missing."""
    left = [p for p in dict.fromkeys(map(place_of, known)) if _row_major(state, p[0]) and pace(state, p, axis)]
    found: dict[Place, Spot] = {}
    for first in left:
        each = pace(state, first, axis)
        beside = {n: p for p in left if (n := _apart(first, p)) is not None and 0 <= n < each}
        # the lowest place of a group finds the others, and no place belongs to two of them
        if len(beside) == each and not any(p in found for p in beside.values()):
            found |= {p: Spot(first, each, n) for n, p in beside.items()}
    return found


def pace(state: State, place: Place, axis: Axis) -> int:
    """How many elements an access moves by with the axis: one of PACES, or 0 where it is none of them or what the
    index holds may be another at each element."""
    array, index = place
    if any(isinstance(p, Var | Load) for i in index for p in all_parts(i)):
        return 0
    shape = state.nest.array(array).shape
    moved = [_moved(i, axis) for i in index]
    within = value_of(index[-1])
    each: int | None = None
    if all(m == 0 for m in moved[:-1]):
        each = moved[-1]
    elif moved[-1] == 0 and moved[-2] == 1 and all(m == 0 for m in moved[:-2]):
        each = value_of(shape[-1])
        if within is None or each is None or not 0 <= within < each:
            return 0
    return each if each in PACES else 0


def _apart(p: Place, q: Place) -> int | None:
    """How many elements behind one place another one of the same row is."""
    if p[0] != q[0] or p[1][:-1] != q[1][:-1]:
        return None
    return value_of(sub(q[1][-1], p[1][-1]))


def moved_to(e: Expr, axis: Axis, value: Expr) -> Expr:
    """An index where an axis has a value. What varies from lane to lane is multiplied apart from what does not, in
    few bits: of `2 * (first + 4 * lane)` it is `2 * first + 8 * lane`."""
    start, by, times = _split(value)
    moved = moved_by(e, axis.name, times)
    if moved is None or moved == times or by is None:
        return substitute(e, {AxisRef(axis.name): value})
    return add(moved_to(e, axis, start) if start != ZERO else _at_zero(e, axis), mul(by, number(moved)))


def _split(value: Expr) -> tuple[Expr, Expr | None, int]:
    """A value as a start and a multiple of something."""
    start, last = (value.left, value.right) if isinstance(value, Binary) and value.op == "+" else (ZERO, value)
    if isinstance(last, Binary) and last.op == "*" and (times := value_of(last.right)) is not None:
        return start, last.left, times
    return value, None, 1


def _at_zero(e: Expr, axis: Axis) -> Expr:
    """An index where an axis is 0."""
    match e:
        case AxisRef(axis=name) if name == axis.name:
            return ZERO
        case Binary(op="+", left=a, right=b):
            return add(_at_zero(a, axis), _at_zero(b, axis))
        case Binary(op="-", left=a, right=b):
            return sub(_at_zero(a, axis), _at_zero(b, axis))
        case Binary(op="*", left=a, right=b):
            return mul(_at_zero(a, axis), _at_zero(b, axis))
        case Binary(op="//", left=a, right=b) if (value_of(b) or 0) > 0:
            return floor_div(_at_zero(a, axis), b)
        case _:
            return substitute(e, {AxisRef(axis.name): ZERO})


def behind(place: Place, index: tuple[Expr, ...], axis: Axis, elements: int, pace: int) -> tuple[Expr, ...]:
    """The index of an access so many elements behind another one at a place; `index`: where that one is."""
    if elements == 0:
        return index
    *rest, last = index
    if _moved(place[1][-1], axis) == 0:
        *outer, row = rest
        return (*outer, add(row, number(elements // pace)), last)
    return (*rest, add(last, number(elements)))


def incomplete(body: Iterable[Stmt], found: Mapping[Place, Spot]) -> Store | Update | None:
    """A store to an element of a vector of which the body does not store all; None where there is none."""
    stores = [s for s in all_stmts(body) if isinstance(s, Store | Update)]
    for s in stores:
        spot = found.get(place_of(s))
        if spot is None:
            continue
        done = {place_of(x) for x in stores if (y := found.get(place_of(x))) and y.first == spot.first}
        if len(done) < spot.pace:
            return s
    return None
