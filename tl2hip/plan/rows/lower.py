"""A row in the registers of its lanes: loaded once, in vectors that the loops run over; stored when it is final.

Lane n takes the vectors n, n + lanes, … of the row. What lies behind the end of the row is not loaded and takes no
part in any loop, so that a lane without elements hands a reduction what changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tl2hip.dtypes import F32, F64, I64
from tl2hip.nest.index import ONE, ZERO, add, floor_div, mul, number
from tl2hip.nest.ir import (
    Alloc,
    Array,
    AxisRef,
    Binary,
    Compare,
    Expr,
    If,
    Load,
    Logic,
    Loop,
    Set,
    Stmt,
    Store,
    Update,
    Var,
)
from tl2hip.nest.walk import all_exprs, all_parts, map_exprs, map_stmts, substitute
from tl2hip.plan.gfx942 import ACCESS_BYTES, WAVE
from tl2hip.plan.ir import (
    Barrier,
    DeclareVector,
    DeviceIf,
    DeviceStmt,
    Extreme,
    For,
    Form,
    Let,
    LoadVector,
    Placed,
    StoreVector,
)
from tl2hip.plan.reduce import Partial, partials, privatised, sums
from tl2hip.plan.rows.find import HERE, Held, Place, Row, place_of
from tl2hip.plan.rows.size import Size
from tl2hip.plan.state import State
from tl2hip.plan.threads import ThreadCode
from tl2hip.plan.walk import bodies, with_bodies

THREAD = Var("thread.x", I64)


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a loop: for the elements of one vector with what is stored of it, and for a single element."""

    vector: Callable[[], tuple[DeviceStmt, ...]]
    element: Callable[[], tuple[DeviceStmt, ...]]


@dataclass(slots=True)
class RowCode:
    """Lowers a row for a size. `atomic` names the arrays whose Updates may meet another block's."""

    state: State
    row: Row
    size: Size
    atomic: frozenset[str]
    vectors: dict[Place, str] = field(default_factory=dict, init=False)
    wave: str = field(init=False)
    _lane: str = field(init=False)
    _first: str = field(init=False)
    _v: str = field(init=False)
    _e: str = field(init=False)
    _meetings: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        local = self.state.names.local
        self.wave, self._lane, self._first, self._v, self._e = map(local, ("wave", "lane", "first", "v", "e"))

    def ahead(self) -> tuple[DeviceStmt, ...]:
        """What stands before the rows: which elements this lane takes."""
        width = number(self.size.width)
        if self.size.rows > 1:
            wave = Let(self.wave, floor_div(THREAD, WAVE), "uniform")
            lane = Let(self._lane, Binary("%", THREAD, number(WAVE)), "int")
            return (wave, lane, Let(self._first, mul(Var(self._lane, I64), width), "int"))
        piece: Expr = THREAD
        if self.size.exact and self.size.vectors > 1:
            wave_piece = mul(floor_div(THREAD, WAVE), number(WAVE * self.size.vectors))
            piece = add(wave_piece, Binary("%", THREAD, number(WAVE)))
        return (Let(self._first, mul(piece, width), "int"),)

    def lower(self, again: bool) -> tuple[DeviceStmt, ...]:
        """The statements of one row; `again`: the block goes on to another one."""
        for h in self.row.held:
            self.vectors[h.place] = self._declared(h)
        body: list[DeviceStmt] = []
        loops = 0
        for s in self.row.body:
            if isinstance(s, Loop):
                body += self._loop(s, loops)
                loops += 1
            else:
                body += self._between(s)
        if again and self._meetings == 1:
            body.append(Barrier("the next row uses the LDS again"))
        return (*self._loads(), *body)

    # --- registers ---------------------------------------------------------------------------------------

    def _declared(self, h: Held) -> str:
        """The vectors that hold elements of an array; gives their name. Kernels share what is alike."""
        dtype = self.state.nest.array(h.array).dtype
        shape = tuple(number(n) for n in (self.size.vectors, *self._pieces(h)))
        shape = shape if self._slot() else shape[1:]
        wish = f"{h.array}_row"
        for name, placed in self.state.placed.items():
            same = placed.space == "vector" and name.startswith(wish) and name not in self.vectors.values()
            if same and (placed.array.dtype, placed.array.shape) == (dtype, shape):
                return name
        name = self.state.names.fresh(wish, keep=True)
        self.state.placed[name] = Placed(Array(name, dtype, shape, "local"), "vector")
        return name

    def _pieces(self, h: Held) -> tuple[int, ...]:
        """The shape of one lane's vector: a local one is whole, one in memory is cut into accesses."""
        width, bytes_ = self.size.width, self.state.nest.array(h.array).dtype.bytes
        if h.local or width * bytes_ <= ACCESS_BYTES:
            return (width,)
        return (width * bytes_ // ACCESS_BYTES, ACCESS_BYTES // bytes_)

    def _slot(self) -> tuple[Expr, ...]:
        """Which vector: none is said of the one that a lane always has."""
        if self.size.vectors > 1:
            return (AxisRef(self._v),)
        return () if self.size.exact else (ZERO,)

    def _here(self) -> Expr:
        """The first element of a vector."""
        first: Expr = Var(self._first, I64)
        return first if self.size.vectors == 1 else add(first, mul(AxisRef(self._v), number(self.size.step)))

    def _inside(self) -> Compare:
        """Whether a vector lies in the row."""
        return Compare("<", self._here(), self.row.extent)

    def _each(self, body: tuple[DeviceStmt, ...], note: str = "") -> tuple[DeviceStmt, ...]:
        """A body for each vector of this lane that lies in the row."""
        if not self.size.exact:
            body = (DeviceIf(self._inside(), body),)
        if self.size.vectors == 1:
            return body
        many = number(self.size.vectors)
        return (For(self._v, ZERO, many, ONE, body, unroll=self.size.vectors, small=True, note=note),)

    def _moves(self, h: Held, store: bool) -> tuple[DeviceStmt, ...]:
        """The accesses to one vector of a lane."""
        pieces = self._pieces(h)
        vector = self.vectors[h.place]
        made: list[DeviceStmt] = []
        streamed = self._streamed(h)
        for n in range(pieces[0] if len(pieces) > 1 else 1):
            slot = (*self._slot(), number(n)) if len(pieces) > 1 else self._slot()
            here = add(self._here(), number(n * pieces[-1]))
            index = (*h.place[1][:-1], substitute(h.place[1][-1], {HERE: here}))
            if store:
                made.append(StoreVector(h.array, index, vector, slot, False, streamed))
            else:
                made.append(LoadVector(vector, h.array, index, slot, False, streamed))
        return tuple(made)

    def _streamed(self, h: Held) -> bool:
        """Whether an array is not wanted again soon: it is another row each time."""
        return any(isinstance(p, AxisRef) and p != HERE for i in h.place[1] for p in all_parts(i))

    def _form(self) -> Form:
        """How a column is held."""
        return "int"

    def _loads(self) -> tuple[DeviceStmt, ...]:
        """Declares what a lane holds and loads it, all accesses before the first use."""
        alone = [h for h in self.row.held if h.loaded and not self._slot() and len(self._pieces(h)) == 1]
        declared = tuple(DeclareVector(self.vectors[h.place]) for h in self.row.held if h not in alone)
        loads = tuple(x for h in self.row.held if h.loaded for x in self._moves(h, store=False))
        return (*declared, *self._each(loads, "the whole row: all loads are under way together"))

    # --- statements --------------------------------------------------------------------------------------

    def _loop(self, s: Loop, number_: int) -> tuple[DeviceStmt, ...]:
        """A loop along the row: each lane its elements, then what the lanes found together."""
        state = self.state
        parts = partials(state.kinds[s.axis.name].reductions, s.axis, s.body, state.dtypes, state.names)
        assert parts is not None
        code = ThreadCode(state.names, state.dtypes, state.kinds, sums=sums(parts))
        body = privatised(s.body, parts)

        def vector() -> tuple[DeviceStmt, ...]:
            inner = tuple(_quick(d, parts) for d in self._elements(replace(s, body=body), code))
            width = self.size.width
            each = For(self._e, ZERO, number(width), ONE, inner, unroll=width, small=True, at=s.at)
            return (each, *(x for h in self.row.held if h.last == number_ for x in self._moves(h, store=True)))

        def element() -> tuple[DeviceStmt, ...]:
            return tuple(_quick(d, parts) for d in code.lower(body))

        shared = self._walk(s, Body(vector, element))
        starts = tuple(d for p in parts for d in p.start())
        ends = tuple(d for p in parts for d in (self._meet(p, s), *code.lower(p.finish(s.at))))
        return (*starts, *shared, *ends)

    def _walk(self, s: Loop, code: Body) -> tuple[DeviceStmt, ...]:
        """A loop over what this lane holds."""
        return self._each(code.vector())

    def _meet(self, p: Partial, s: Loop) -> DeviceStmt:
        slot = self._meetings if self.size.lanes > WAVE else None
        self._meetings += self.size.lanes > WAVE
        done = p.combine(self.size.lanes, s.at)
        return replace(done, op=QUICK.get(done.op, done.op) if _has_quick(p) else done.op, slot=slot)

    def _elements(self, s: Loop, code: ThreadCode) -> tuple[DeviceStmt, ...]:
        """The body of a loop at element E of vector V, in registers."""

        def held(e: Expr) -> Expr:
            place = place_of(e.array, e.index, s.axis) if isinstance(e, Load) and e.always else None
            if place is None or place not in self.vectors:
                return e
            return Load(self.vectors[place], self._element(place), e.dtype, proven=True)

        def stored(x: Stmt) -> Stmt:
            place = place_of(x.array, x.index, s.axis) if isinstance(x, Store) else None
            if place is None or not isinstance(x, Store):
                return x
            return replace(x, array=self.vectors[place], index=self._element(place), proven=True)

        body = map_stmts(stored, map_exprs(held, map_stmts(_as_store, s.body)))
        axis, column = AxisRef(s.axis.name), self.state.names.local("column")
        if not any(p == axis for p in all_exprs(body)):
            return code.lower(body)
        body = map_exprs(lambda e: substitute(e, {axis: Var(column, I64)}), body)
        return (Let(column, add(self._here(), AxisRef(self._e)), self._form()), *code.lower(body))

    def _element(self, place: Place) -> tuple[Expr, ...]:
        """Where element E of vector V is in registers."""
        h = next(h for h in self.row.held if h.place == place)
        pieces, e = self._pieces(h), AxisRef(self._e)
        inside: tuple[Expr, ...] = (e,)
        if len(pieces) > 1:
            inside = (Binary("//", e, number(pieces[-1])), Binary("%", e, number(pieces[-1])))
        return (*self._slot(), *inside)

    def _between(self, s: Stmt) -> tuple[DeviceStmt, ...]:
        """A statement outside the loops: all lanes run it alike, and one of them stores."""
        match s:
            case Alloc():
                return ()
            case If(test=test, then=then, orelse=orelse, at=at):
                first, second = (tuple(d for x in b for d in self._between(x)) for b in (then, orelse))
                return (DeviceIf(test, first, second, at=at),)
            case Store() | Update():
                if isinstance(s, Update):
                    s = replace(s, atomic=s.array in self.atomic)
                lane = THREAD if self.size.rows == 1 else Var(self._lane, I64)
                return (DeviceIf(Compare("==", lane, ZERO), (s,), note="one lane stores", at=s.at),)
            case Set():
                return (s,)
            case _:
                raise TypeError(s)


QUICK = {"max": "greatest", "min": "least", "maximum": "greatest_or_nan", "minimum": "least_or_nan"}
"""The steps that do for a reduction's own value what the user's operation would: it starts as an infinity, so that
what Python's max and min skip never gets there."""


def _has_quick(p: Partial) -> bool:
    return p.combine_op in QUICK and p.dtypes[0] in (F32, F64)


def _quick(s: DeviceStmt, parts: tuple[Partial, ...]) -> DeviceStmt:
    """The step of an extreme value by a single instruction where that is right."""
    names = {p.names[0] for p in parts if _has_quick(p)}
    match s:
        case Set(name=name, value=Binary(op=op, left=Var(name=left), right=value), at=at):
            if name in names and left == name and op in QUICK:
                return Extreme(name, QUICK[op], value, at=at)
    return with_bodies(s, tuple(tuple(_quick(x, parts) for x in b) for b in bodies(s)))


def _as_store(s: Stmt) -> Stmt:
    """An update as a store of what it leaves in its element."""
    if not isinstance(s, Update):
        return s
    old = Load(s.array, s.index, s.value.dtype, s.proven, s.always)
    value = Logic(s.op, old, s.value) if s.op in ("and", "or") else Binary(s.op, old, s.value)
    return Store(s.array, s.index, value, s.proven, s.always, at=s.at)
