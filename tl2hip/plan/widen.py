"""Straight bodies on vectors: a thread takes a few consecutive elements along an axis, at any alignment.

Every place that a body loads along the axis is one vector (`A[i, j - 1]` and `A[i, j + 1]` are two), and every
store is one. A global access of 16 bytes need not start at a multiple of 16 (LLVM, unaligned-access-mode of
amdhsa), so that no array has to be aligned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from tl2hip.dtypes import I64, DType
from tl2hip.nest.index import ZERO, add, floor_div, modulo, mul, number
from tl2hip.nest.ir import (
    Array,
    Axis,
    AxisRef,
    Binary,
    Compare,
    Expr,
    If,
    Load,
    Logic,
    Select,
    Set,
    Stmt,
    Store,
    Update,
    Var,
)
from tl2hip.nest.walk import all_exprs, map_expr, map_stmt_exprs, substitute
from tl2hip.plan import marks
from tl2hip.plan.access import coefficient
from tl2hip.plan.gfx942 import ACCESS_BYTES
from tl2hip.plan.ir import DeclareVector, DeviceIf, DeviceStmt, For, Let, LoadVector, Placed, StoreVector
from tl2hip.plan.names import told
from tl2hip.plan.places import Place, Spot, behind, gathered, incomplete, moved_to, place_of, side_by_side, spots
from tl2hip.plan.state import State
from tl2hip.plan.unfit import ASSERT, STRIDES, Unfit
from tl2hip.source.span import Span

BRANCH = "store a conditional expression in its place, at every element"
"""The way out of a branch."""

LEAST_BYTES = 4
"""Bytes of the narrowest access of vectors."""

MOST_ACCESSES = 2
"""Accesses of a lane to elements that lie side by side, for arrays whose elements are wider than others': more of
them would leave most of each line to another access."""

Lower = Callable[[tuple[Stmt, ...]], tuple[DeviceStmt, ...]]

Around = Callable[[tuple[DeviceStmt, ...], tuple[DeviceStmt, ...]], tuple[DeviceStmt, ...]]


@dataclass(frozen=True, slots=True)
class Moves:
    """What a straight body moves in vectors for `width` values of an axis: the places it loads (those an Update
    reads are among them) and those it stores, each where a vector starts; `spots`: where the vectors have what the
    body accesses."""

    axis: Axis
    width: int
    loads: tuple[Place, ...]
    stores: tuple[Place, ...]
    spots: Mapping[Place, Spot]

    def pace(self, place: Place) -> int:
        """Elements of a vector for each value of the axis."""
        return self.spots[place].pace

    @property
    def reach(self) -> int:
        """How far the axis moves from one vector to the next."""
        return self.width * self.axis.step


def moves(
    state: State,
    axis: Axis,
    body: tuple[Stmt, ...],
    atomic: Collection[str],
    *,
    most: int = 1,
    paced: bool = False,
) -> Moves:
    """How a body can move vectors along an axis, each by one access, or by up to `most` where an array's elements
    are wider than another's. `paced`: the axis may count up by more than 1, and vectors may have several elements
    for each of its values. Raises Unfit where it cannot, as where an Update is atomic."""
    if axis.step != 1 and (not paced or axis.step < 0):
        raise Unfit(f"{told(axis)} does not count up by 1")
    check_straight(body)
    found = spots(state, axis, body, paced=paced)
    for (array, _), spot in found.items():
        if spot.pace > 1 and marks.vec(state.nest.array(array)) is not None:
            raise Unfit(f"{spot.pace} elements of {array} move together", f"take the vec of {array} out")
    check_stores(state, body, axis, atomic, found)
    written = [s for s in body if isinstance(s, Store | Update)]
    read = [place_of(e) for e in all_exprs(body) if isinstance(e, Load)]
    read += [place_of(s) for s in written if isinstance(s, Update)]
    loads = tuple(dict.fromkeys(found[p].first for p in read if p in found))
    stores = tuple(dict.fromkeys(found[place_of(s)].first for s in written))
    if not (*loads, *stores):
        raise Unfit("nothing is stored")
    return Moves(axis, _width(state, (*loads, *stores), found, most), loads, stores, found)


def _width(state: State, places: tuple[Place, ...], found: Mapping[Place, Spot], most: int) -> int:
    """For how many values of an axis vectors have elements. Raises Unfit where an access would be too narrow."""
    each = {p: state.nest.array(p[0]).dtype.bytes * found[p].pace for p in places}
    (wide, widest), (narrow, narrowest) = (pick(each.items(), key=lambda x: x[1]) for pick in (max, min))
    width = min(ACCESS_BYTES // narrowest, most * ACCESS_BYTES // widest)
    if width * narrowest < LEAST_BYTES or not width:
        raise Unfit(f"{width} elements of {wide[0]} fill an access, and so few of {narrow[0]} make none")
    return width


def check_straight(body: tuple[Stmt, ...]) -> None:
    """Raises Unfit where a body holds a branch or a loop."""
    for s in body:
        if isinstance(s, If):
            raise Unfit("what stands under a test is not done at every element", BRANCH, s.at)
        if not isinstance(s, Set | Store | Update):
            raise Unfit("a loop or an array of its own stands in the body", at=s.at)


def check_stores(
    state: State, body: tuple[Stmt, ...], axis: Axis, atomic: Collection[str], found: Mapping[Place, Spot]
) -> None:
    """Raises Unfit where what a straight body stores cannot go to memory by vectors along an axis, behind all that
    is loaded."""
    stored: set[Place] = set()
    for s in body:
        arrays = {a for a, _ in stored}
        behind = next((e.array for e in all_exprs((s,)) if isinstance(e, Load) and e.array in arrays), None)
        if behind is not None:
            raise Unfit(f"{behind} is loaded behind where it is stored", "keep the value in a local", s.at)
        if isinstance(s, Store | Update):
            if (s.array, s.index) in stored:
                raise Unfit(f"{s.array} is stored to twice", "keep the value in a local, and store it once", s.at)
            if s.array in atomic:
                raise Unfit(f"several iterations update one element of {s.array}", at=s.at)
            if place_of(s) not in found:
                check_side_by_side(state, s, axis, looked_up=True)
            stored.add((s.array, s.index))
    part = incomplete(body, found)
    if part is not None:
        raise Unfit(f"{part.array} is stored to at some elements and not at those between them", at=part.at)


def check_side_by_side(
    state: State, s: Load | Store | Update, axis: Axis, at: Span | None = None, *, looked_up: bool = False
) -> None:
    """Raises Unfit where an access is not always to elements that lie side by side along an axis. `looked_up`: the
    other indices may be loaded, and then lie outside of the array."""
    array, place = state.nest.array(s.array), at if isinstance(s, Load) else s.at
    if array.strides is not None:
        raise Unfit(f"{s.array} has strides of its own", STRIDES.format(s.array), place)
    if not s.always and not (looked_up and gathered(state, (s.array, s.index), axis)):
        raise Unfit(f"an index of {s.array} may lie outside of it", ASSERT.format(s.array), place)
    if coefficient(s.index[-1], axis.name) == -1:
        raise Unfit(f"{s.array} is accessed backwards along {told(axis)}", at=place)
    if not side_by_side(state, (s.array, s.index), axis, looked_up=looked_up):
        raise Unfit(f"{s.array} is not accessed at consecutive elements along {told(axis)}", at=place)


@dataclass(frozen=True, slots=True)
class Widened:
    """A body on vectors. `count` vectors of each place lie `stride` elements apart; with one of them there is no
    loop over them. `slots`: another axis along which they lie apart, and where it starts; what does not move with
    it is one vector for all. `streamed`: the places that are not wanted again soon."""

    state: State
    moves: Moves
    body: tuple[Stmt, ...]
    at: Span
    lower: Lower
    count: int = 1
    stride: int = 0
    slots: tuple[Axis, Expr] | None = None
    streamed: frozenset[Place] = frozenset()
    vectors: dict[Place, str] = field(default_factory=dict, init=False)

    def code(self, first: Expr) -> tuple[DeviceStmt, ...]:
        """The body at the elements from `first` on: every load, then each vector's elements and stores."""
        for place in dict.fromkeys((*self.moves.loads, *self.moves.stores)):
            self.vectors[place] = self._vector(place, self.count if self._many(place) else 1)
        v = AxisRef(self.state.names.local("v")) if self.count > 1 else None
        there = self._there(first, v)
        if v is None:
            return (*self._loads(self.moves.loads, there, None), *self._rest(there, None))
        rest = self._each(v, self._rest(there, v))
        if not self.moves.loads:
            return (rest,)
        many = tuple(p for p in self.moves.loads if self._many(p))
        once = tuple(p for p in self.moves.loads if p not in many)
        declared = tuple(DeclareVector(self.vectors[p], zeros=p in self._maybe) for p in many)
        loads = self._each(v, self._loads(many, there, v), "all loads first: they are under way together")
        return (*declared, loads, *self._loads(once, there, None), rest)

    def twice(self, first: Expr, ahead: tuple[Stmt, ...], around: Around) -> tuple[DeviceStmt, ...]:
        """`around` what `ahead` does to the elements from `first` on and what the body does; all loads go first.
        `ahead` stores nothing and loads no more than the body. One vector of each place."""
        for place in dict.fromkeys((*self.moves.loads, *self.moves.stores)):
            self.vectors[place] = self._vector(place, 1)
        before = replace(self, moves=replace(self.moves, stores=()), body=ahead)
        before.vectors.update(self.vectors)
        there = self._there(first, None)
        return (
            *self._loads(self.moves.loads, there, None),
            *around(before._rest(there, None), self._rest(there, None)),
        )

    def _there(self, first: Expr, v: AxisRef | None) -> dict[Expr, Expr]:
        """Where the axes stand at the first element of the v-th vector."""
        lane: Expr = AxisRef(self.moves.axis.name)
        if self.slots is not None:
            axis, row = self.slots
            row = row if v is None else add(row, mul(v, number(self.stride)))
            return {lane: first, AxisRef(axis.name): row}
        step = self.stride * self.moves.axis.step
        return {lane: first if v is None else add(first, mul(v, number(step)))}

    def _many(self, place: Place) -> bool:
        """Whether there is a vector of a loaded place for each slot."""
        if place not in self.moves.loads:
            return False
        return self.slots is None or any(coefficient(i, self.slots[0].name) != 0 for i in place[1])

    def _each(self, v: AxisRef, body: tuple[DeviceStmt, ...], note: str = "") -> For:
        return For(v.axis, ZERO, number(self.count), number(1), body, small=True, unroll=self.count, note=note)

    def _vector(self, place: Place, slots: int) -> str:
        """Vectors in registers for elements of an array; gives their name. Slots are counted where there are more
        than one, and where a load may not be done."""
        array = place[0]
        dtype = self.state.nest.array(array).dtype
        counted = slots > 1 or place in self._maybe
        counts = ((slots,) if counted else (), self._pieces(place))
        shape = tuple(number(n) for part in counts for n in part)
        name = self._name(f"{array}_vector{'s' if len(shape) > 1 else ''}", dtype, shape)
        self.state.placed[name] = Placed(Array(name, dtype, shape, "local"), "vector")
        return name

    def _pieces(self, place: Place) -> tuple[int, ...]:
        """The shape of a vector: one that an access does not move is cut into accesses."""
        width, bytes_ = self.moves.width * self.moves.pace(place), self.state.nest.array(place[0]).dtype.bytes
        if width * bytes_ <= ACCESS_BYTES:
            return (width,)
        return (width * bytes_ // ACCESS_BYTES, ACCESS_BYTES // bytes_)

    def _name(self, wish: str, dtype: DType, shape: tuple[Expr, ...]) -> str:
        """The name of vectors alike in another kernel, or a new one."""
        alike = Placed(Array(wish, dtype, shape, "local"), "vector")
        for name, placed in self.state.placed.items():
            base = replace(placed, array=replace(placed.array, name=wish))
            if base == alike and name.startswith(wish) and name not in self.vectors.values():
                return name
        return self.state.names.fresh(wish, keep=True)

    def _moved(
        self, place: Place, there: dict[Expr, Expr], access: Callable[[tuple[Expr, ...], int], DeviceStmt]
    ) -> tuple[DeviceStmt, ...]:
        """The accesses that move one vector, each made from its index and number. Where an index that was looked up
        says no row of the array there is none, as of an element."""
        axis, pace = self.moves.axis, self.moves.pace(place)
        others = {k: e for k, e in there.items() if k != AxisRef(axis.name)}
        first = there[AxisRef(axis.name)]
        *rest, last = (substitute(moved_to(i, axis, first), others) for i in place[1])
        lets: list[DeviceStmt] = []
        inside: Expr | None = None
        if place in self._unsure:
            for n, (index, extent) in enumerate(zip(rest, self.state.nest.array(place[0]).shape, strict=False)):
                said, row = (Var(self.state.names.fresh(w), I64) for w in ("at", "row"))
                wrapped = Select(Compare("<", said, ZERO), Binary("+", said, extent), said)
                lets += [Let(said.name, index), Let(row.name, wrapped)]
                there_is = Logic("and", Compare("<=", ZERO, row), Compare("<", row, extent))
                inside = there_is if inside is None else Logic("and", inside, there_is)
                rest[n] = row
        pieces = self._pieces(place)
        count, width = pieces if len(pieces) > 1 else (1, 0)
        moved = tuple(access(behind(place, (*rest, last), axis, n * width, pace), n) for n in range(count))
        return moved if inside is None else (*lets, DeviceIf(inside, moved))

    @property
    def _unsure(self) -> frozenset[Place]:
        """The places whose rows may not be there."""
        loads = [e for e in all_exprs(self.body) if isinstance(e, Load)]
        touched = [*loads, *(s for s in self.body if isinstance(s, Store | Update))]
        return frozenset((x.array, x.index) for x in touched if not x.always)

    @property
    def _maybe(self) -> frozenset[Place]:
        """The places that may not be loaded; there, elements are 0."""
        return self._unsure & frozenset(self.moves.loads)

    def _slot(self, place: Place, v: AxisRef | None) -> tuple[Expr, ...]:
        """Which vector of a place is the v-th."""
        if v is not None and self._many(place):
            return (v,)
        return (ZERO,) if place in self._maybe else ()

    def _piece(self, place: Place, v: AxisRef | None, n: int) -> tuple[Expr, ...]:
        """Where the n-th access to the v-th vector finds its elements."""
        slot = self._slot(place, v)
        return (*slot, number(n)) if len(self._pieces(place)) > 1 else slot

    def _loads(
        self, places: tuple[Place, ...], there: dict[Expr, Expr], v: AxisRef | None
    ) -> tuple[DeviceStmt, ...]:
        alone = (p for p in places if v is None and (len(self._pieces(p)) > 1 or p in self._maybe))
        declared = tuple(DeclareVector(self.vectors[p], zeros=p in self._maybe) for p in alone)

        def load(p: Place, index: tuple[Expr, ...], n: int) -> DeviceStmt:
            slot = self._piece(p, v, n)
            return LoadVector(self.vectors[p], p[0], index, slot, False, p in self.streamed, at=self.at)

        return (*declared, *(d for p in places for d in self._moved(p, there, partial(load, p))))

    def _rest(self, there: dict[Expr, Expr], v: AxisRef | None) -> tuple[DeviceStmt, ...]:
        """The elements of one vector, and the stores."""
        e = AxisRef(self.state.names.local("e"))
        axis = AxisRef(self.moves.axis.name)
        here = {**there, axis: add(there[axis], mul(e, number(self.moves.axis.step)))}

        def element(place: Place) -> tuple[Place, tuple[Expr, ...]]:
            spot = self.moves.spots[place]
            at = add(mul(e, number(spot.pace)), number(spot.offset))
            pieces = self._pieces(spot.first)
            inside: tuple[Expr, ...] = (at,)
            if len(pieces) > 1:
                inside = (floor_div(at, pieces[1]), modulo(at, pieces[1]))
            return spot.first, (*self._slot(spot.first, v), *inside)

        # told from the body as it is: an index that is a vector itself moves along the axis, and no longer says so
        read = (x for x in all_exprs(self.body) if isinstance(x, Load))
        wide = frozenset(x for x in read if place_of(x) in self.moves.spots)

        def expr(x: Expr) -> Expr:
            if isinstance(x, Load) and x in wide:
                first, at = element(place_of(x))
                return Load(self.vectors[first], at, x.dtype, proven=True)
            return x

        def stmt(s: Stmt) -> Stmt:
            done = map_stmt_exprs(lambda x: substitute(map_expr(expr, x), here), s)
            if not isinstance(s, Store | Update) or not isinstance(done, Store | Update):
                return done
            first, at = element(place_of(s))
            vector, value = self.vectors[first], done.value
            if isinstance(s, Update):
                value = combined(s.op, Load(vector, at, value.dtype, proven=True), value)
            return Store(vector, at, value, proven=True, at=s.at)

        width = self.moves.width
        inner = self.lower(tuple(stmt(s) for s in self.body))
        made = tuple(DeclareVector(self.vectors[p]) for p in self.moves.stores if p not in self.moves.loads)
        each = For(e.axis, ZERO, number(width), number(1), inner, unroll=width)
        stored = [s for s in self.body if isinstance(s, Store | Update)]
        stored_at = {self.moves.spots[place_of(s)].first: s.at for s in reversed(stored)}

        def store(p: Place, index: tuple[Expr, ...], n: int) -> DeviceStmt:
            slot = self._piece(p, v, n)
            return StoreVector(p[0], index, self.vectors[p], slot, False, p in self.streamed, at=stored_at[p])

        return (*made, each, *(d for p in self.moves.stores for d in self._moved(p, there, partial(store, p))))


def combined(op: str, element: Expr, value: Expr) -> Expr:
    """What an Update leaves in an element."""
    return Logic(op, element, value) if op in ("and", "or") else Binary(op, element, value)
