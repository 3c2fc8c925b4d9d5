"""Finds rows: a body whose inner loops all run over the same extent, straight through, and what they hold of it.

Every array that such loops access at `[…, j]` can stay in the registers of the lane that the element belongs to,
from the first loop that uses it to the last.
"""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import BOOL
from tl2hip.nest.index import ZERO
from tl2hip.nest.ir import (
    Alloc,
    Axis,
    AxisRef,
    Binary,
    Const,
    Dim,
    Expr,
    If,
    Load,
    Loop,
    Scalar,
    Stmt,
    Store,
    Update,
    While,
)
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, own_exprs, substitute
from tl2hip.plan.access import coefficient, contiguous, loads_or_locals, moves_with, multiplies
from tl2hip.plan.gfx942 import WAVE
from tl2hip.plan.names import told
from tl2hip.plan.state import State
from tl2hip.plan.unfit import ASSERT, STRIDES, Unfit

HERE = AxisRef("")
"""Stands for the axis of whichever loop an index is used in."""

Place = tuple[str, tuple[Expr, ...]]
"""An array and an index into it, with HERE in the place of the row's axis."""


@dataclass(frozen=True, slots=True)
class Held:
    """The elements of one array along a row. `loaded`: they come from memory before the first loop. `last`: the
    number of the loop behind which they go to memory, None where they are only read or the array is local. `kept`:
    what a loop stores is used again."""

    place: Place
    loaded: bool
    last: int | None
    local: bool
    kept: bool = False

    @property
    def array(self) -> str:
        return self.place[0]


@dataclass(frozen=True, slots=True)
class Row:
    """A body of loops over `range(extent)`, and what stands between them."""

    extent: Expr
    body: tuple[Stmt, ...]
    held: tuple[Held, ...]

    @property
    def loops(self) -> tuple[Loop, ...]:
        return tuple(s for s in self.body if isinstance(s, Loop))


def near(body: tuple[Stmt, ...]) -> bool:
    """Whether a body looks like one that works on a row: a straight loop of it runs along consecutive elements of
    an array, and it is no single sum of products, which has a plan of its own."""
    loops = [s for s in body if isinstance(s, Loop)]
    if len(loops) == 1 and multiplies(loops):
        return False
    return any(contiguous(index, s.axis.name) for s in loops for index in _straight(s))


def down(body: tuple[Stmt, ...], around: tuple[Axis, ...]) -> Loop | None:
    """The first of several straight loops that step from row to row of an array, whose consecutive elements lie
    along an axis around them; None where a body has no such loops."""
    loops = [
        s
        for s in body
        if isinstance(s, Loop)
        and any(
            moves_with(index, s.axis.name) and any(contiguous(index, a.name) for a in around)
            for index in _straight(s)
        )
    ]
    return loops[0] if len(loops) > 1 else None


def _straight(loop: Loop) -> list[tuple[Expr, ...]]:
    """The places of all accesses of a straight loop; none where another loop is inside."""
    stmts = tuple(all_stmts(loop.body))
    if any(isinstance(s, Loop | While) for s in stmts):
        return []
    indices = [e.index for e in all_exprs(loop.body) if isinstance(e, Load)]
    return indices + [s.index for s in stmts if isinstance(s, Store | Update)]


def find(state: State, body: tuple[Stmt, ...], around: tuple[Axis, ...]) -> Row:
    """The row that a body works on, `around` which these axes turn. Raises Unfit."""
    extent = _shared_extent(state, body)
    local = {s.array for s in body if isinstance(s, Alloc)}
    places = _Places(state, local, around)
    number = 0
    for s in body:
        if isinstance(s, Loop):
            places.loop(s, number)
            number += 1
        else:
            places.between(s)
    places.check()
    return Row(extent, body, places.held())


def of_loop(state: State, row: Row, loop: Loop, around: tuple[Axis, ...]) -> tuple[Held, ...]:
    """What one loop of a row holds, where nothing is kept from one to the next."""
    local = {s.array for s in row.body if isinstance(s, Alloc)}
    places = _Places(state, local, around)
    places.loop(loop, 0)
    return places.held()


def place_of(array: str, index: tuple[Expr, ...], axis: Axis) -> Place | None:
    """The place of an access along a row; None where it is no such access: its last index does not move by one
    element with the axis, or another one changes along the row."""
    here = AxisRef(axis.name)
    fixed = all(isinstance(p, AxisRef | Dim | Scalar | Const | Binary) for i in index for p in all_parts(i))
    if not index or not fixed or any(p == here for i in index[:-1] for p in all_parts(i)):
        return None
    if coefficient(index[-1], axis.name) != 1:
        return None
    return array, (*index[:-1], substitute(index[-1], {here: HERE}))


def _shared_extent(state: State, body: tuple[Stmt, ...]) -> Expr:
    """Where all loops of a body end."""
    loops = [s for s in body if isinstance(s, Loop)]
    stops = list(dict.fromkeys(s.axis.stop for s in loops))
    if not stops:
        raise Unfit("no loop runs along it")
    if len(stops) > 1:
        raise Unfit(f"{told(loops[0].axis)} does not end in the same place in all its loops")
    if any(isinstance(p, AxisRef) for p in all_parts(stops[0])) or loads_or_locals(stops[0]):
        raise Unfit(f"the launcher does not know where {told(loops[0].axis)} ends")
    for s in loops:
        _check_loop(state, s)
    nested = [s for top in body if not isinstance(top, Loop) for s in all_stmts((top,))]
    if any(isinstance(s, Loop | While) for s in nested):
        raise Unfit("a loop stands in a branch or in a while")
    return stops[0]


def _check_loop(state: State, s: Loop) -> None:
    axis, kind = s.axis, state.kinds[s.axis.name]
    name = told(axis)
    if axis.start != ZERO or axis.step != 1:
        raise Unfit(f"{name} does not count up from 0 by 1", at=s.at)
    own = [m for m in axis.marks if m.name not in ("waves", "vec") and (m.name, m.value) != ("lanes", WAVE)]
    if axis.tile is not None or own:
        raise Unfit(f"{name} has a tile or marks of its own", "take them out", s.at)
    if kind.in_order:
        raise Unfit(kind.carried[0].sentence if kind.carried else f"{name} runs in order", at=s.at)
    if kind.updates:
        raise Unfit(f"iterations of {name} update one element of {kind.updates[0].array}", at=s.at)
    if any(isinstance(x, Loop | While | Alloc) for x in all_stmts(s.body)):
        raise Unfit(f"a loop or an array is inside {name}", at=s.at)


class _Places:
    """Gathers the accesses of a body in the order of the text."""

    def __init__(self, state: State, local: set[str], around: tuple[Axis, ...]) -> None:
        self._state = state
        self._around = {AxisRef(a.name) for a in around}
        self._local = local
        self._found: dict[Place, None] = {}
        self._loaded: set[Place] = set()
        self._again: set[Place] = set()
        self._settled: set[Place] = set()
        self._last: dict[Place, int] = {}
        self._elsewhere: dict[str, None] = {}
        self._beside: dict[str, None] = {}

    def loop(self, s: Loop, number: int) -> None:
        """Takes in a loop along the row."""
        self._settled = self._block(s.body, s.axis, number, self._settled, True)

    def _block(
        self, body: tuple[Stmt, ...], axis: Axis, number: int, before: set[Place], always: bool
    ) -> set[Place]:
        """The places that are surely stored to behind a body, if those `before` it are. `always`: it runs for each
        element."""
        settled = set(before)
        for s in body:
            for e in own_exprs(s):
                self._reads(e, axis, settled)
            match s:
                case If(then=then, orelse=orelse):
                    first = self._block(then, axis, number, settled, False)
                    settled = first & self._block(orelse, axis, number, settled, False)
                case Store() | Update():
                    settled.add(self._stores(s, axis, number, settled, always))
                case _:
                    continue
        return settled

    def _reads(self, e: Expr, axis: Axis, settled: set[Place]) -> None:
        for p in all_parts(e):
            if not isinstance(p, Load):
                continue
            place = self._place(p.array, p.index, axis, p.always)
            if place is None:
                self._elsewhere[p.array] = None
            else:
                self._needs(place, settled)

    def _needs(self, place: Place, settled: set[Place]) -> None:
        """Takes in a place whose element is needed as it was, unless it is settled."""
        self._found[place] = None
        if place in settled:
            self._again.add(place)
        elif place[0] not in self._local:
            self._loaded.add(place)

    def _stores(self, s: Store | Update, axis: Axis, number: int, settled: set[Place], always: bool) -> Place:
        place = self._place(s.array, s.index, axis, s.always)
        if place is None:
            raise self._misplaced(s, axis)
        if not always and s.array not in self._local and not self._around <= {*s.index}:
            # The row is stored whole, also where the test fails: there it may be another turn's.
            raise Unfit(f"{s.array} is stored to under a test, where other turns may store to it, too", at=s.at)
        if isinstance(s, Update) or not always:
            self._needs(place, settled)
        self._found[place] = None
        self._last[place] = number
        return place

    def _misplaced(self, s: Store | Update, axis: Axis) -> Unfit:
        """Why what is stored has no place along the row."""
        array = self._state.nest.array(s.array)
        if array.strides is not None:
            return Unfit(f"{s.array} has strides of its own", STRIDES.format(s.array), s.at)
        if not s.always:
            return Unfit(f"an index of {s.array} may lie outside of it", ASSERT.format(s.array), s.at)
        if array.dtype is BOOL:
            return Unfit(f"{s.array} holds truth values, which registers do not keep", at=s.at)
        return Unfit(f"{s.array} is stored to elsewhere than at {told(axis)}", at=s.at)

    def _place(self, array: str, index: tuple[Expr, ...], axis: Axis, proven: bool) -> Place | None:
        a = self._state.nest.array(array)
        mine = array in self._local
        if a.strides is not None or not proven or (a.role == "local" and not mine) or a.dtype is BOOL:
            return None
        if mine and a.shape != (axis.stop,):
            return None
        place = place_of(array, index, axis)
        return None if mine and place is not None and place[1] != (HERE,) else place

    def between(self, s: Stmt) -> None:
        """Takes in a statement that all lanes run alike, of whose stores one lane does."""
        for x in all_stmts((s,)):
            for e in own_exprs(x):
                self._elsewhere.update((p.array, None) for p in all_parts(e) if isinstance(p, Load))
            if isinstance(x, Store | Update):
                self._beside[x.array] = None

    def check(self) -> None:
        """Raises Unfit where what is stored may be seen elsewhere than where registers hold it."""
        along = {array for array, _ in self._found}
        for array in dict.fromkeys((*(a for a, _ in self._last), *self._beside)):
            alike = {array, *self._state.same.get(array, frozenset())}
            indices = {index for other, index in self._found if other in alike}
            if alike & {*self._elsewhere} or len(indices) > 1 or (array in self._beside and alike & along):
                raise Unfit(f"{array} is stored to and used elsewhere, too", "store to an array of its own")
        if self._local & {*self._elsewhere}:
            raise Unfit("an array of the row's own is used at more than one place")

    def held(self) -> tuple[Held, ...]:
        """All that registers hold, in the order of the text."""
        return tuple(
            Held(
                p,
                p in self._loaded,
                None if p[0] in self._local else self._last.get(p),
                p[0] in self._local,
                p in self._again,
            )
            for p in self._found
        )
