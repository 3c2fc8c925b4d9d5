"""Strips: straight bodies over several axes whose rows are no one run over memory, by vectors of several rows.

`for i: for j: Y[i, j] = X[i, j] + b[j]`: lanes side by side take vectors side by side along j. Each thread has
vectors of several rows under way, and of what is the same in all of them one. A wave that has a row to itself holds
the row's number in scalar registers, so that no address is computed for each lane. What is behind the last whole
vector of a row is taken one element at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tl2hip.dtypes import I64
from tl2hip.nest.index import (
    ZERO,
    add,
    floor_div,
    minimum,
    modulo,
    mul,
    number,
    trip_count,
    value_of,
)
from tl2hip.nest.ir import Axis, AxisRef, Compare, Expr, Load, Logic, Set, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_parts, all_stmts, map_exprs, map_stmts, substitute
from tl2hip.plan import loops, marks
from tl2hip.plan.access import coefficient, contiguous, loads_or_locals, uses
from tl2hip.plan.chain import Chain
from tl2hip.plan.cut import Cut, launches
from tl2hip.plan.gfx942 import WAVE
from tl2hip.plan.ir import DeviceIf, DeviceStmt, For, HostStmt, Let
from tl2hip.plan.launch import BLOCK, LETTERS, moved_arrays
from tl2hip.plan.names import called, told
from tl2hip.plan.places import pace, place_of
from tl2hip.plan.state import State
from tl2hip.plan.streams import neighbours, streams
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.turning import deepened, turns
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.walk import map_exprs as device_exprs
from tl2hip.plan.widen import MOST_ACCESSES, Moves, Widened, moves
from tl2hip.plan.work import work

PLAN = "strips of rows"

IN_FLIGHT = 4
"""Loads of 16 bytes that each thread has under way, at least: 4 KiB a wave, of the 11 KiB a compute unit that hide
HBM's latency at its full rate (Little's law)."""

FEWEST_LANES = 8
"""Lanes side by side along a row, at least: a line of 128 bytes."""

LANE_WORK = 1200
"""Instructions, roughly, for the share of a lane: with more of them latency is hidden by fewer rows, too."""

THREAD = Var("thread.x", I64)


@dataclass(frozen=True, slots=True)
class Strip:
    """A block's share: `lanes` lanes side by side along a row, each with a vector of `many` rows, `apart` rows from
    one to the next. A block has `apart` rows at a time."""

    lanes: int
    many: int

    @property
    def apart(self) -> int:
        return BLOCK // self.lanes

    @property
    def rows(self) -> int:
        return self.apart * self.many


def strips(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """The launch of a straight nest by vectors of several rows; None for any other nest."""
    chain = _whole(state, chain)
    if not _near(state, chain):
        return None
    try:
        found = _found(state, chain)
    except Unfit as unfit:
        state.miss(PLAN, unfit, chain.places[-1])
        return None
    if neighbours(found):
        return None
    *_, row, lane = chain.axes
    strip = _strip(chain, found)
    cuts = _cuts(state, chain, found, strip)
    for axis in chain.axes:
        state.honours.walked(axis)
    state.honours.moved(moved_arrays(state, found), found.width)
    state.grain(trips(lane), strip.lanes * found.width, found.width)
    state.grain(trips(row), strip.rows, strip.apart)
    _tell(state, cuts, found, strip)
    code = _Code(state, chain, found, strip, cuts)
    summary = f"a block for {strip.rows} {called(row)}, {found.width} {called(lane)} at a time"
    return launches(state.add("", code.lower(), (BLOCK, 1, 1), summary), cuts)


# --- what fits ---------------------------------------------------------------------------------------------


def fits(state: State, chain: Chain) -> bool:
    """Whether a nest can go by strips."""
    chain = _whole(state, chain)
    try:
        return _near(state, chain) and not neighbours(_found(state, chain))
    except Unfit:
        return False


def _whole(state: State, chain: Chain) -> Chain:
    """The nest with the loops behind scalars of its rows, and indices that say themselves what these hold. They are
    computed again for each element, which is wrong where they hang on what the loops store."""
    deep = deepened(chain, state.kinds)
    read = uses(s for s in deep.body if isinstance(s, Set)).reads
    stored = uses(deep.body).writes
    alike = stored.union(*(state.same.get(a, frozenset()) for a in stored))
    return chain if read & alike else _looked_up(deep)


def _near(state: State, chain: Chain) -> bool:
    """Whether a nest stores along its innermost axis, which lanes take, and has another axis around it."""
    stmts = tuple(all_stmts(chain.body))
    straight = all(isinstance(s, Set | Store | Update) for s in stmts)
    last = len(chain.axes) - 1
    lane = chain.axes[-1]
    stores = [s for s in stmts if isinstance(s, Store | Update)]
    along = any(contiguous(s.index, lane.name) or pace(state, place_of(s), lane) for s in stores)
    return last > 0 and straight and along and chain.lane() == last and not turns(chain)


def _looked_up(chain: Chain) -> Chain:
    """The nest with indices that say themselves what scalars of its rows hold: `row = ids[i]`, `W[row, j]`."""
    names = [s.name for s in chain.body if isinstance(s, Set)]
    known: dict[Expr, Expr] = {}
    for s in chain.body:
        if isinstance(s, Set) and names.count(s.name) == 1:
            value = substitute(s.value, known)
            if not any(isinstance(p, Var) or p == AxisRef(chain.axes[-1].name) for p in all_parts(value)):
                known[Var(s.name, s.value.dtype)] = value

    def index(x: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return tuple(substitute(i, known) for i in x)

    def expr(e: Expr) -> Expr:
        return replace(e, index=index(e.index)) if isinstance(e, Load) else e

    def stmt(s: Stmt) -> Stmt:
        return replace(s, index=index(s.index)) if isinstance(s, Store | Update) else s

    return replace(chain, body=map_stmts(stmt, map_exprs(expr, chain.body)))


def _found(state: State, chain: Chain) -> Moves:
    """What a nest moves. Raises Unfit where it is no rectangle of rows or marks say how it is shared out."""
    lane = chain.axes[-1]
    for axis, at in zip(chain.axes, chain.places, strict=True):
        if axis.marks or axis.tile is not None:
            raise Unfit(f"{told(axis)} has a tile or marks of its own", "take them out", at)
        ends = (axis.start, axis.stop)
        if any(loads_or_locals(e) or _moves(e) for e in ends):
            raise Unfit(f"{told(axis)} starts or ends elsewhere all the time", at=at)
        if axis.step != 1 and axis is not lane:
            raise Unfit(f"{told(axis)} does not count up by 1", at=at)
    atomic = {u.array for a in chain.axes for u in state.kinds[a.name].updates}
    found = moves(state, lane, chain.body, atomic, most=MOST_ACCESSES, paced=True)
    found = replace(found, width=marks.width(lane, moved_arrays(state, found), found.width))
    trip = value_of(trips(lane))
    if found.width == 1 or (trip is not None and trip < found.width):
        raise Unfit(f"{told(lane)} is shorter than an access of {found.width} elements")
    return found


def trips(axis: Axis) -> Expr:
    """How many values an axis has."""
    return trip_count(axis.start, axis.stop, axis.step)


def _moves(e: Expr) -> bool:
    return any(isinstance(p, AxisRef) for p in all_parts(e))


def _strip(chain: Chain, found: Moves) -> Strip:
    """How a block is shared out: as many lanes along a row as leave few of them idle, and as many rows as keep
    IN_FLIGHT loads under way."""
    *_, row, lane = chain.axes
    trip = value_of(trips(lane))
    lanes = WAVE
    if trip is not None:
        vectors = -(-trip // found.width)
        counts = [FEWEST_LANES << n for n in range((BLOCK // FEWEST_LANES).bit_length())]
        lanes = min(counts, key=lambda n: (-(-vectors // n) * n, -n))
    each = sum(any(coefficient(i, row.name) != 0 for i in index) for _, index in found.loads)
    many = -(-IN_FLIGHT // max(1, each))
    while many > 1 and many * found.width * work([(chain.body, {})]) > LANE_WORK:
        many //= 2
    rows = value_of(trips(row))
    while rows is not None and many > 1 and BLOCK // lanes * many > rows:
        many //= 2
    return Strip(lanes, many)


def _cuts(state: State, chain: Chain, found: Moves, strip: Strip) -> tuple[Cut, ...]:
    """How the axes go to the grid, the rows' first: along x, where there may be the most of them."""
    *outer, row, lane = chain.axes
    tile = strip.lanes * found.width
    whole = (value_of(trips(lane)) or tile + 1) <= tile
    wanted = [(row, strip.rows), *([] if whole else [(lane, tile)]), *((a, 1) for a in reversed(outer))]
    given = {a.name: (letter, n) for (a, n), letter in zip(wanted, LETTERS, strict=False)}
    cuts = []
    for axis, at in zip(chain.axes, chain.places, strict=True):
        letter, n = given.get(axis.name, ("", tile))
        cut = Cut(axis, at, n, letter)
        trip = value_of(trips(axis))
        if letter and (trip is None or trip > cut.most * n):
            cut = replace(cut, loop=state.names.fresh(f"{called(axis)}_start", keep=True))
        cuts.append(cut)
    return tuple(cuts)


def _tell(state: State, cuts: tuple[Cut, ...], found: Moves, strip: Strip) -> None:
    """Notes where each axis went."""
    *_, row, lane = cuts
    for c in cuts:
        where = f"grid {c.letter}, {c.tile} a block" if c.letter else "serial in each thread"
        why = "parallel"
        if c is row:
            where = f"{where}, {strip.many} a thread"
        if c is lane:
            where = f"{where}, " if c.letter else ""
            where = f"{where}{strip.lanes} lanes, {found.width} at a time"
            why = "parallel; contiguous accesses run along it"
        state.note(called(c.axis), where, why, c.at)


# --- the kernel --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Code:
    """Lowers a nest for its strip."""

    state: State
    chain: Chain
    found: Moves
    strip: Strip
    cuts: tuple[Cut, ...]

    @property
    def row(self) -> Axis:
        return self.chain.axes[-2]

    @property
    def lane(self) -> Axis:
        return self.chain.axes[-1]

    def lower(self) -> tuple[DeviceStmt, ...]:
        """The kernel's statements: where this block and this thread are, then the tile."""
        part, first = self._place()
        *outer, row, lane = self.cuts
        local = self.state.names.local
        tile = Var(local(f"{called(row.axis)}_tile"), I64)
        columns = Var(local(f"{called(lane.axis)}_first"), I64)
        lets = [Let(tile.name, row.here, at=row.at)]
        begin = lane.axis.start
        if lane.letter:
            lets.append(Let(columns.name, lane.here, at=lane.at))
            begin = columns
        body = self._tile(tile, part, add(begin, mul(first, number(self.found.reach))))
        for c in reversed(outer):
            if not c.letter:
                body = (loops.serial(c.axis, body, self.state.names, c.at),)
        here: dict[Expr, Expr] = {}
        for c in outer:
            if c.letter:
                plain = self.state.plain(c.axis)
                name = c.axis.name if any(x.name == plain for x in lets) else plain
                lets.append(Let(name, c.here, at=c.at))
                here[AxisRef(c.axis.name)] = Var(name, I64)
        body = device_exprs(lambda e: substitute(e, here), body)
        return (*self._ahead(), *lets, *body)

    def _ahead(self) -> tuple[DeviceStmt, ...]:
        """Which rows and vectors of a tile this thread takes."""
        lanes = self.strip.lanes
        part, first = self._place()
        if lanes == BLOCK:
            return ()
        assert isinstance(part, Var) and isinstance(first, Var)
        mine = Let(part.name, floor_div(THREAD, lanes), "uniform" if lanes >= WAVE else "int")
        return (mine, Let(first.name, modulo(THREAD, lanes), "int"))

    def _place(self) -> tuple[Expr, Expr]:
        """The part of the block that this thread is in, each of which takes a row, and its number there."""
        if self.strip.lanes == BLOCK:
            return ZERO, THREAD
        local = self.state.names.local
        return Var(local("part"), I64), Var(local("lane"), I64)

    def _tile(self, tile: Expr, part: Expr, mine: Expr) -> tuple[DeviceStmt, ...]:
        """A tile: several rows at once where all are there, else one after the other."""
        mine_row = add(tile, part)
        inside = self._inside(mine)
        if self.strip.many == 1:
            body = self._one_row(mine_row, mine, inside)
            return body if self._all_rows else (DeviceIf(Compare("<", mine_row, self.row.stop), body),)
        together = self._wide(self.strip.many, mine_row).code(mine)
        if self._all_rows and inside is None:
            return together
        there: Expr = Compare("<=", add(tile, number(self.strip.rows)), self.row.stop)
        if inside is not None:
            there = inside if self._all_rows else Logic("and", there, inside)
        body = self._one_row(AxisRef(self.row.name), mine, inside)
        end = minimum(add(tile, number(self.strip.rows)), self.row.stop)
        step, at = number(self.strip.apart), self.chain.places[-2]
        rest = For(self.row.name, mine_row, end, step, body, unroll=1, note="one at a time", at=at)
        return (DeviceIf(there, together, (rest,), note=f"{self.strip.rows} whole rows"),)

    @property
    def _all_rows(self) -> bool:
        """Whether the rows are surely whole tiles."""
        return (value_of(trips(self.row)) or 1) % self.strip.rows == 0

    def _one_row(self, row: Expr, mine: Expr, inside: Compare | None) -> tuple[DeviceStmt, ...]:
        """One row, by a vector, or one element at a time where that is not whole."""
        body = self._wide(1, row).code(mine)
        if inside is None:
            return body
        rest = device_exprs(lambda e: substitute(e, {AxisRef(self.row.name): row}), self._elements(mine))
        return (DeviceIf(inside, body, rest),)

    def _inside(self, mine: Expr) -> Compare | None:
        """Whether a lane has a whole vector; None where each surely has one."""
        if (value_of(trips(self.lane)) or 1) % (self.strip.lanes * self.found.width) == 0:
            return None
        past = number(self.found.reach - self.lane.step + 1)
        return Compare("<=", add(mine, past), self.lane.stop)

    def _elements(self, mine: Expr) -> tuple[DeviceStmt, ...]:
        """What is left of a vector, at the end of a row."""
        if (value_of(trips(self.lane)) or 1) % self.found.width == 0:
            return ()
        body = self._lower(self.chain.body)
        step = number(self.lane.step)
        return (For(self.lane.name, mine, self.lane.stop, step, body, unroll=1, note="what is left"),)

    def _wide(self, many: int, row: Expr) -> Widened:
        """The body on vectors of so many rows from one on."""
        return Widened(
            self.state,
            self.found,
            self.chain.body,
            self.chain.places[-1],
            self._lower,
            count=many,
            stride=self.strip.apart,
            slots=(self.row, row),
            streamed=streams(self.state, self.chain.axes, self.found),
        )

    def _lower(self, body: tuple[Stmt, ...]) -> tuple[DeviceStmt, ...]:
        return ThreadCode(self.state.names, self.state.dtypes, self.state.kinds).lower(body)
