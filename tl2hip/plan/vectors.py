"""16-byte accesses for elementwise bodies: each thread takes a few consecutive elements along the lane axis.

The vector kernel runs where the launcher finds every array aligned; the plain one runs elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tl2hip.dtypes import I64
from tl2hip.nest.index import ZERO, add, floor_div, maximum, mul, number
from tl2hip.nest.ir import Array, Axis, AxisRef, Dim, Expr, Load, Loop, Set, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_exprs, all_parts, map_expr, map_stmt_exprs
from tl2hip.plan import loops, marks
from tl2hip.plan.gfx942 import ACCESS_BYTES
from tl2hip.plan.ir import Aligned, DeclareVector, DeviceStmt, For, Let, LoadVector, Placed, StoreVector
from tl2hip.plan.loops import Spread
from tl2hip.plan.names import called
from tl2hip.plan.state import State


@dataclass(frozen=True, slots=True)
class Wide:
    """What an elementwise body may move in vectors: `width` elements of each of these arrays at a time."""

    axis: Axis
    width: int
    loaded: tuple[str, ...]
    stored: tuple[str, ...]


def aligned(state: State, moves: tuple[Wide, ...]) -> Aligned:
    """When the vector forms of all these loops may run: bases at 16 bytes, and rows whole vectors apart."""
    names = tuple(dict.fromkeys(n for w in moves for n in (*w.loaded, *w.stored)))
    arrays = [state.nest.array(n) for n in names]
    pitches = dict.fromkeys(a.shape[-1] for a in arrays if len(a.shape) > 1)
    return Aligned(names, ACCESS_BYTES, tuple(pitches), max(w.width for w in moves))


def wide(state: State, axis: Axis, body: tuple[Stmt, ...], atomic: frozenset[str]) -> Wide | None:
    """How a loop can move vectors along its axis; None where it cannot, as where an Update must be atomic."""
    straight = all(isinstance(s, Set | Store | Update) for s in body)
    if not straight or axis.step != 1 or axis.start != ZERO:
        return None
    stores = [s for s in body if isinstance(s, Store | Update)]
    if not all(_runs_along(state, s.array, s.index, axis) and s.always for s in stores):
        return None
    stored = tuple(s.array for s in stores)
    updates = [s for s in stores if isinstance(s, Update)]
    if len(set(stored)) != len(stored) or _read_behind(body) or any(u.array in atomic for u in updates):
        return None
    loads = [e for e in all_exprs(body) if isinstance(e, Load) and _in_vector(state, e, axis)]
    loaded = tuple(dict.fromkeys((*(e.array for e in loads), *(u.array for u in updates))))
    places = {(e.array, e.index) for e in loads} | {(s.array, s.index) for s in stores}
    if len(places) != len({*loaded, *stored}) or not places:
        return None
    arrays = [state.nest.array(n) for n in (*loaded, *stored)]
    sizes = [a.dtype.bytes for a in arrays]
    width = marks.width(axis, arrays, ACCESS_BYTES // max(sizes))
    if width < 2 or width * min(sizes) < 4 or (axis.tile is not None and axis.tile % width):
        return None
    return Wide(axis, width, loaded, stored)


def _runs_along(state: State, array: str, index: tuple[Expr, ...], axis: Axis) -> bool:
    """Whether an access is to the element at the axis itself, in a row-major array of the caller's. A scalar in
    the other indices may be another one at each element."""
    a: Array = state.nest.array(array)
    here = AxisRef(axis.name)
    moves = any(p == here or isinstance(p, Var) for i in index[:-1] for p in all_parts(i))
    return index[-1] == here and not moves and a.strides is None and a.role != "local"


def _whole_vectors(axis: Axis, width: int) -> Expr:
    """How many vectors fit from 0 to the end of an axis, which may lie below 0."""
    stop = axis.stop if isinstance(axis.stop, Dim) else maximum(axis.stop, ZERO)
    return floor_div(stop, width)


def _in_vector(state: State, e: Load, axis: Axis) -> bool:
    """Whether a load is of an element of a vector; others of the same array are loads of their own."""
    return e.always and _runs_along(state, e.array, e.index, axis)


def _read_behind(body: tuple[Stmt, ...]) -> bool:
    """Whether an array is loaded in or behind the statement that stores it, other than by that very store."""
    stored: set[str] = set()
    for s in body:
        if any(isinstance(e, Load) and e.array in stored for e in all_exprs((s,))):
            return True
        if isinstance(s, Store | Update):
            stored.add(s.array)
    return False


def lowered(
    state: State, loop: Loop, how: Spread, w: Wide, lower: Callable[[tuple[Stmt, ...]], tuple[DeviceStmt, ...]]
) -> tuple[DeviceStmt, ...]:
    """The loop in vectors, and a plain one over the few elements left at its end."""
    axis = w.axis
    whole = _whole_vectors(axis, w.width)
    vector = Axis(state.names.fresh(f"{axis.name}_vector"), ZERO, whole, user=called(axis))
    first = state.names.local(f"{called(axis)}_first")
    body = (Let(first, mul(AxisRef(vector.name), number(w.width))), *one_vector(state, loop, w, first, lower))
    share = replace(how, tile=(axis.tile // w.width if axis.tile else how.threads))
    main = loops.spread(vector, share, body, state.names, loop.at)
    if _ends_whole(state, w):
        return (main,)
    rest = replace(axis, start=mul(whole, number(w.width)), tile=None)
    tail = loops.spread(rest, replace(how, tile=how.threads), lower(loop.body), state.names, loop.at)
    return (main, replace(tail, note="what is left of a vector"))


def _ends_whole(state: State, w: Wide) -> bool:
    """Whether the loop ends where the rows do, which the launcher found to be whole vectors."""
    shapes = (state.nest.array(n).shape for n in (*w.loaded, *w.stored))
    return any(len(s) > 1 and s[-1] == w.axis.stop for s in shapes)


def one_vector(
    state: State, loop: Loop, w: Wide, first: str, lower: Callable[[tuple[Stmt, ...]], tuple[DeviceStmt, ...]]
) -> tuple[DeviceStmt, ...]:
    """Load the vectors, compute element by element, store the vectors."""
    element = state.names.local("e")
    vectors = {n: _vector(state, n, w.width) for n in dict.fromkeys((*w.loaded, *w.stored))}
    here = add(Var(first, I64), AxisRef(element))
    place = (AxisRef(element),)

    def expr(e: Expr) -> Expr:
        if isinstance(e, Load) and _in_vector(state, e, w.axis):
            return Load(vectors[e.array], place, e.dtype, proven=True)
        return e

    def stmt(s: Stmt) -> Stmt:
        s = map_stmt_exprs(lambda e: _moved(map_expr(expr, e), w.axis, here), s)
        return replace(s, array=vectors[s.array], index=place) if isinstance(s, Store | Update) else s

    index = {s.array: s.index for s in loop.body if isinstance(s, Store | Update)}
    loaded = [e for e in all_exprs(loop.body) if isinstance(e, Load) and _in_vector(state, e, w.axis)]
    index |= {e.array: e.index for e in loaded}
    to_first = {n: tuple(_moved(i, w.axis, Var(first, I64)) for i in index[n]) for n in vectors}
    loads = tuple(LoadVector(vectors[n], n, to_first[n], at=loop.at) for n in w.loaded)
    inner = lower(tuple(stmt(s) for s in loop.body))
    each = For(element, ZERO, number(w.width), number(1), inner, unroll=w.width)
    stores = tuple(StoreVector(n, to_first[n], vectors[n], at=loop.at) for n in w.stored)
    made = tuple(DeclareVector(vectors[n]) for n in w.stored if n not in w.loaded)
    return (*loads, *made, each, *stores)


def _vector(state: State, array: str, width: int) -> str:
    """A vector in registers for elements of an array; gives its name."""
    name = state.names.fresh(f"{array}_vector", keep=True)
    state.placed[name] = Placed(Array(name, state.nest.array(array).dtype, (number(width),), "local"), "vector")
    return name


def _moved(e: Expr, axis: Axis, to: Expr) -> Expr:
    return map_expr(lambda x: to if x == AxisRef(axis.name) else x, e)
