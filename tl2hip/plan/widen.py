"""Straight bodies on vectors: a thread takes a few consecutive elements along an axis, at any alignment.

Every place that a body loads along the axis is one vector (`A[i, j - 1]` and `A[i, j + 1]` are two), and every
store is one. A global access of 16 bytes need not start at a multiple of 16 (LLVM, unaligned-access-mode of
amdhsa), so that no array has to be aligned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from tl2hip.dtypes import DType
from tl2hip.nest.index import ZERO, add, floor_div, modulo, mul, number
from tl2hip.nest.ir import Array, Axis, AxisRef, Binary, Expr, If, Load, Logic, Set, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_exprs, all_parts, map_expr, map_stmt_exprs
from tl2hip.plan.access import coefficient
from tl2hip.plan.gfx942 import ACCESS_BYTES
from tl2hip.plan.ir import DeclareVector, DeviceStmt, For, LoadVector, Placed, StoreVector
from tl2hip.plan.names import told
from tl2hip.plan.state import State
from tl2hip.plan.unfit import ASSERT, STRIDES, Unfit
from tl2hip.source.span import Span

Place = tuple[str, tuple[Expr, ...]]
"""An array and an index into it."""

BRANCH = "store a conditional expression in its place, at every element"
"""The way out of a branch."""

LEAST_BYTES = 4
"""Bytes of the narrowest access of vectors."""

Lower = Callable[[tuple[Stmt, ...]], tuple[DeviceStmt, ...]]

Around = Callable[[tuple[DeviceStmt, ...], tuple[DeviceStmt, ...]], tuple[DeviceStmt, ...]]


@dataclass(frozen=True, slots=True)
class Moves:
    """What a straight body moves in vectors of `width` elements along an axis: the places it loads (those an
    Update reads are among them) and those it stores."""

    axis: Axis
    width: int
    loads: tuple[Place, ...]
    stores: tuple[Place, ...]


def moves(state: State, axis: Axis, body: tuple[Stmt, ...], atomic: Collection[str]) -> Moves:
    """How a body can move vectors along an axis. Raises Unfit where it cannot, as where an Update is atomic."""
    if axis.step != 1:
        raise Unfit(f"{told(axis)} does not count up by 1")
    check_straight(body)
    written = [s for s in body if isinstance(s, Store | Update)]
    check_stores(state, body, axis, atomic)
    stores = tuple((s.array, s.index) for s in written)
    updated = [(s.array, s.index) for s in written if isinstance(s, Update)]
    loads = tuple(dict.fromkeys((*(_place(e) for e in vector_loads(state, axis, body)), *updated)))
    arrays = [state.nest.array(a) for a, _ in (*loads, *stores)]
    if not arrays:
        raise Unfit("nothing is stored")
    wide, narrow = (pick(arrays, key=lambda a: a.dtype.bytes) for pick in (max, min))
    width = ACCESS_BYTES // wide.dtype.bytes
    if width * narrow.dtype.bytes < LEAST_BYTES:
        raise Unfit(f"{width} elements of {wide.name} fill an access, and so few of {narrow.name} make none")
    return Moves(axis, width, loads, stores)


def check_straight(body: tuple[Stmt, ...]) -> None:
    """Raises Unfit where a body holds a branch or a loop."""
    for s in body:
        if isinstance(s, If):
            raise Unfit("what stands under a test is not done at every element", BRANCH, s.at)
        if not isinstance(s, Set | Store | Update):
            raise Unfit("a loop or an array of its own stands in the body", at=s.at)


def check_stores(state: State, body: tuple[Stmt, ...], axis: Axis, atomic: Collection[str]) -> None:
    """Raises Unfit where what a straight body stores cannot go to memory by vectors along an axis, behind all that
    is loaded."""
    stored: set[str] = set()
    for s in body:
        behind = next((e.array for e in all_exprs((s,)) if isinstance(e, Load) and e.array in stored), None)
        if behind is not None:
            raise Unfit(f"{behind} is loaded behind where it is stored", "keep the value in a local", s.at)
        if isinstance(s, Store | Update):
            if s.array in stored:
                again = any(isinstance(x, Store | Update) and x.index == s.index and x is not s for x in body)
                way = "keep the value in a local, and store it once" if again else ""
                raise Unfit(f"{s.array} is stored to twice", way, s.at)
            if s.array in atomic:
                raise Unfit(f"several iterations update one element of {s.array}", at=s.at)
            check_side_by_side(state, s, axis)
            stored.add(s.array)


def check_side_by_side(state: State, s: Load | Store | Update, axis: Axis, at: Span | None = None) -> None:
    """Raises Unfit where an access is not always to elements that lie side by side along an axis."""
    array, place = state.nest.array(s.array), at if isinstance(s, Load) else s.at
    if array.strides is not None:
        raise Unfit(f"{s.array} has strides of its own", STRIDES.format(s.array), place)
    if not s.always:
        raise Unfit(f"an index of {s.array} may lie outside of it", ASSERT.format(s.array), place)
    if coefficient(s.index[-1], axis.name) == -1:
        raise Unfit(f"{s.array} is accessed backwards along {told(axis)}", at=place)
    if not side_by_side(state, (s.array, s.index), axis):
        raise Unfit(f"{s.array} is not accessed at consecutive elements along {told(axis)}", at=place)


def vector_loads(state: State, axis: Axis, body: Iterable[Stmt]) -> tuple[Load, ...]:
    """The loads of a body that read side by side along an axis; the others are loads of their own."""
    return tuple(e for e in all_exprs(body) if isinstance(e, Load) and _in_vector(state, e, axis))


def _in_vector(state: State, e: Load, axis: Axis) -> bool:
    return e.always and side_by_side(state, _place(e), axis)


def _place(e: Load) -> Place:
    return e.array, e.index


def side_by_side(state: State, place: Place, axis: Axis) -> bool:
    """Whether an access moves by one element with the axis, in a row-major array. A scalar of the body in its
    index may be another one at each element."""
    array, index = place
    a: Array = state.nest.array(array)
    if a.strides is not None or state.placed[array].space not in ("global", "workspace"):
        return False
    still = all(coefficient(i, axis.name) == 0 for i in index[:-1])
    own = any(isinstance(p, Var | Load) for i in index for p in all_parts(i))
    return still and not own and coefficient(index[-1], axis.name) == 1


@dataclass(frozen=True, slots=True)
class Widened:
    """A body on vectors. `count` vectors of each place lie `stride` elements apart; with one of them there is no
    loop over them. `streamed`: what it moves between the caller's arrays is not wanted again soon."""

    state: State
    moves: Moves
    body: tuple[Stmt, ...]
    at: Span
    lower: Lower
    count: int = 1
    stride: int = 0
    streamed: bool = False
    vectors: dict[Place, str] = field(default_factory=dict, init=False)

    def code(self, first: Expr) -> tuple[DeviceStmt, ...]:
        """The body at the elements from `first` on: every load, then each vector's elements and stores."""
        for array, index in dict.fromkeys((*self.moves.loads, *self.moves.stores)):
            slots = 1 if (array, index) not in self.moves.loads else self.count
            self.vectors[array, index] = self._vector(array, slots)
        if self.count == 1:
            return (*self._loads(first, ()), *self._rest(first, ()))
        v = self.state.names.local("v")
        here = add(first, mul(AxisRef(v), number(self.stride)))
        slot = (AxisRef(v),)
        rest = self._each(v, self._rest(here, slot))
        if not self.moves.loads:
            return (rest,)
        declared = tuple(DeclareVector(self.vectors[p]) for p in self.moves.loads)
        loads = self._each(v, self._loads(here, slot), "all loads first: they are under way together")
        return (*declared, loads, rest)

    def twice(self, first: Expr, ahead: tuple[Stmt, ...], around: Around) -> tuple[DeviceStmt, ...]:
        """`around` what `ahead` does to the elements from `first` on and what the body does; all loads go first.
        `ahead` stores nothing and loads no more than the body. One vector of each place."""
        for array, index in dict.fromkeys((*self.moves.loads, *self.moves.stores)):
            self.vectors[array, index] = self._vector(array, 1)
        before = replace(self, moves=replace(self.moves, stores=()), body=ahead)
        before.vectors.update(self.vectors)
        return (*self._loads(first, ()), *around(before._rest(first, ()), self._rest(first, ())))

    def _each(self, v: str, body: tuple[DeviceStmt, ...], note: str = "") -> For:
        return For(v, ZERO, number(self.count), number(1), body, small=True, unroll=self.count, note=note)

    def _vector(self, array: str, slots: int) -> str:
        """Vectors in registers for elements of an array; gives their name."""
        dtype, pieces = self.state.nest.array(array).dtype, self._pieces(array)
        counts = [n for n in (slots, pieces) if n > 1]
        shape = tuple(map(number, (*counts, self.moves.width // pieces)))
        name = self._name(f"{array}_vector{'s' if counts else ''}", dtype, shape)
        self.state.placed[name] = Placed(Array(name, dtype, shape, "local"), "vector")
        return name

    def _name(self, wish: str, dtype: DType, shape: tuple[Expr, ...]) -> str:
        """The name of vectors alike in another kernel, or a new one."""
        alike = Placed(Array(wish, dtype, shape, "local"), "vector")
        for name, placed in self.state.placed.items():
            base = replace(placed, array=replace(placed.array, name=wish))
            if base == alike and name.startswith(wish) and name not in self.vectors.values():
                return name
        return self.state.names.fresh(wish, keep=True)

    def _pieces(self, array: str) -> int:
        """Accesses of at most 16 bytes that move a vector of an array."""
        return max(1, self.moves.width * self.state.nest.array(array).dtype.bytes // ACCESS_BYTES)

    def _in_pieces(self, p: Place, first: Expr, slot: tuple[Expr, ...]) -> Iterator[tuple[tuple[Expr, ...], Expr]]:
        """The slot and the first element of each access of a place."""
        count = self._pieces(p[0])
        for n in range(count):
            behind = add(first, number(n * self.moves.width // count))
            yield (slot, first) if count == 1 else ((*slot, number(n)), behind)

    def _loads(self, first: Expr, slot: tuple[Expr, ...]) -> tuple[DeviceStmt, ...]:
        in_pieces = [p for p in self.moves.loads if self._pieces(p[0]) > 1 and not slot]
        return (
            *(DeclareVector(self.vectors[p]) for p in in_pieces),
            *(
                LoadVector(self.vectors[p], p[0], self._index(p, at), place, False, self.streamed, at=self.at)
                for p in self.moves.loads
                for place, at in self._in_pieces(p, first, slot)
            ),
        )

    def _rest(self, first: Expr, slot: tuple[Expr, ...]) -> tuple[DeviceStmt, ...]:
        """The elements of one vector, and the stores."""
        e = self.state.names.local("e")
        here = add(first, AxisRef(e))

        def element(place: Place) -> tuple[Expr, ...]:
            pieces = self._pieces(place[0])
            inside: tuple[Expr, ...] = (AxisRef(e),)
            if pieces > 1:
                each = self.moves.width // pieces
                inside = (floor_div(AxisRef(e), each), modulo(AxisRef(e), each))
            return (*(slot if place in self.moves.loads else ()), *inside)

        def expr(x: Expr) -> Expr:
            if isinstance(x, Load) and _in_vector(self.state, x, self.moves.axis):
                return Load(self.vectors[_place(x)], element(_place(x)), x.dtype, proven=True)
            return x

        def stmt(s: Stmt) -> Stmt:
            done = map_stmt_exprs(lambda x: self._moved(map_expr(expr, x), here), s)
            if not isinstance(s, Store | Update) or not isinstance(done, Store | Update):
                return done
            vector, at = self.vectors[s.array, s.index], element((s.array, s.index))
            value = done.value
            if isinstance(s, Update):
                value = combined(s.op, Load(vector, at, value.dtype, proven=True), value)
            return Store(vector, at, value, proven=True, at=s.at)

        width = self.moves.width
        inner = self.lower(tuple(stmt(s) for s in self.body))
        made = tuple(DeclareVector(self.vectors[p]) for p in self.moves.stores if p not in self.moves.loads)
        each = For(e, ZERO, number(width), number(1), inner, unroll=width)
        stored_at = {(s.array, s.index): s.at for s in self.body if isinstance(s, Store | Update)}
        stores = tuple(
            StoreVector(
                p[0], self._index(p, at), self.vectors[p], place, False, self.streamed, at=stored_at[p]
            )
            for p in self.moves.stores
            for place, at in self._in_pieces(p, first, slot if p in self.moves.loads else ())
        )
        return (*made, each, *stores)

    def _index(self, place: Place, first: Expr) -> tuple[Expr, ...]:
        return tuple(self._moved(i, first) for i in place[1])

    def _moved(self, e: Expr, to: Expr) -> Expr:
        return map_expr(lambda x: to if x == AxisRef(self.moves.axis.name) else x, e)


def combined(op: str, element: Expr, value: Expr) -> Expr:
    """What an Update leaves in an element."""
    return Logic(op, element, value) if op in ("and", "or") else Binary(op, element, value)
