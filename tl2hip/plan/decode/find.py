"""Finds decode attention in a nest: scores of cached keys, their softmax, and sums of cached values.

Keys and values may be looked up, as in a table of pages; the loop over keys may end where a length says. The
statements between loops are put in the place of their names, so that it does not matter what has a name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tl2hip.dtypes import BF16, F16, F32, DType
from tl2hip.nest.index import ZERO, value_of
from tl2hip.nest.ir import (
    Alloc,
    Axis,
    AxisRef,
    Binary,
    Call,
    Cast,
    Const,
    Expr,
    Load,
    Loop,
    Set,
    Stmt,
    Store,
    Update,
    Var,
)
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, map_expr, map_exprs
from tl2hip.plan.chain import Chain, for_grid, head
from tl2hip.plan.decode.axes import filled, heads_of, moves, parts_of, size_of, surely_inside
from tl2hip.plan.decode.record import Decode, First, Names, Places, Rows
from tl2hip.plan.state import State
from tl2hip.plan.unfit import STRIDES, Unfit
from tl2hip.source.span import Span

PLAN = "decode attention"

FACTORS = (F16, BF16)
"""The dtypes of queries, keys and values."""

PRODUCT = "product of a query and a key"
"""Stands for a product until it is known which register holds it; no user's name has spaces."""

Known = Mapping[str, Expr]


def found(state: State, chain: Chain) -> Decode | None:
    """The decode attention that a chain is; None, with the reason told where it comes near, if it is none."""
    if not any(isinstance(e, Call) and e.name == "exp" for e in all_exprs(chain.body)):
        return None
    known, chain = deepened(state, chain)
    sums = [s for s in chain.body if isinstance(s, Loop) and any(isinstance(x, Loop) for x in s.body)]
    if len(sums) < 2:  # one makes the scores, another one sums values
        return None
    try:
        return _Reader(state, chain, dict(known)).decode()
    except Unfit as unfit:
        state.miss(PLAN, unfit, chain.places[0])
        return None


def deepened(state: State, chain: Chain) -> tuple[Known, Chain]:
    """The chain with loops behind scalars that an outer loop knows (`n = lengths[b]`), and these scalars."""
    known: dict[str, Expr] = {}
    while True:
        sets = [s for s in chain.body if isinstance(s, Set)]
        inner = [s for s in chain.body if isinstance(s, Loop)]
        if len(inner) != 1 or len(sets) + 1 != len(chain.body) or not for_grid(inner[0], state.kinds):
            return known, chain
        if any(not _stands(state, s) for s in sets):
            return known, chain
        for s in sets:
            known[s.name] = whole(s.value, known)
        more = head(inner[0], state.kinds)
        chain = Chain((*chain.axes, *more.axes), (*chain.places, *more.places), more.body)


def _stands(state: State, s: Set) -> bool:
    """Whether a scalar is set once, from what nothing changes."""
    written = {x.array for x in all_stmts(state.nest.body) if isinstance(x, Store | Update)}
    times = sum(isinstance(x, Set) and x.name == s.name for x in all_stmts(state.nest.body))
    return times == 1 and all(not (isinstance(p, Load) and p.array in written) for p in all_parts(s.value))


def whole(e: Expr, known: Known) -> Expr:
    """An expression with what is known in the place of names; what is known of loads is left out."""

    def one(x: Expr) -> Expr:
        return known.get(x.name, x) if isinstance(x, Var) else x

    return map_expr(one, e)


def plain(e: Expr) -> Expr:
    """An expression without what is known of its loads, to be compared."""
    return map_expr(lambda x: replace(x, proven=False) if isinstance(x, Load) else x, e)


@dataclass(slots=True)
class _Reader:
    """Reads a chain's body, statement by statement. Each step raises Unfit where it is not what it looks for."""

    state: State
    chain: Chain
    known: dict[str, Expr]
    keys: Axis | None = None
    held: dict[str, Expr] = field(default_factory=dict)
    """What the elements of local arrays hold, by the axis of the keys."""
    score: Expr | None = None
    query: Rows | None = None
    key: Rows | None = None
    over: str = ""
    depth: int = 0
    starts: dict[str, float] = field(default_factory=dict)
    found: dict[str, tuple[str, Span]] = field(default_factory=dict)
    keep_nan: bool = False
    rows: list[Stmt] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    first: First | None = None

    def decode(self) -> Decode:
        columns = None
        for s in self.chain.body:
            match s:
                case Alloc():
                    continue
                case Loop() if columns is None and filled(s) in self._locals:
                    continue
                case Loop(body=body) if any(isinstance(x, Loop) for x in body) and self.score is not None:
                    if columns is not None:
                        raise Unfit("there are more loops than those of one attention")
                    columns = s
                case Loop() if columns is None and (first := self._opening(s)) is not None:
                    self.first = first
                    self.loops.append(s.axis.name)
                case Loop() if columns is None:
                    self._over_keys(s)
                case Set(name=name, value=Const(value=value)) if name not in self.starts and columns is None:
                    self.starts[name] = float(value)
                case Set(name=name, value=value) if self.keys is None and _stands(self.state, s):
                    self.known[name] = whole(value, self.known)
                case Set() | Store():
                    self.rows.append(s)
                case _:
                    raise Unfit("what is done with a row is a branch or a loop")
        if columns is None or self.score is None:
            raise Unfit("no loop over columns sums weights times values")
        return self._sums(columns)

    @property
    def _locals(self) -> set[str]:
        return {a.name for a in self.state.nest.arrays if a.role == "local"}

    # --- loops over keys ---------------------------------------------------------------------------------

    def _over_keys(self, loop: Loop) -> None:
        """Takes in what one loop over the keys does: scores, their maximum, the total, and what arrays hold."""
        known = dict(self.known)
        for s in self._body(loop, known):
            match s:
                case Loop():
                    self._product(s, known)
                case Set(name=name, value=v) if name not in known and Var(name, v.dtype) in parts_of((v,)):
                    self._reduced(s, whole(v, known))
                case Set(name=name, value=value):
                    known[name] = self._read(whole(value, known))
                case Store(array=array) if array in self._locals:
                    self._held(s, known)
                case _:
                    raise Unfit("a loop over keys does more than make scores and weights")

    def _body(self, loop: Loop, known: dict[str, Expr]) -> tuple[Stmt, ...]:
        """The body of a loop over keys, its axis called as that of the first."""
        axis = replace(loop.axis, start=whole(loop.axis.start, known), stop=whole(loop.axis.stop, known))
        if self.keys is None:
            if axis.step != 1 or any(isinstance(p, Var) for e in (axis.start, axis.stop) for p in all_parts(e)):
                raise Unfit("the keys are no range that is known where a row begins")
            self.keys = axis
        if [plain(e) for e in (axis.start, axis.stop)] != [plain(e) for e in (self.keys.start, self.keys.stop)]:
            raise Unfit("the loops over keys do not have the same bounds")
        self.loops.append(axis.name)
        mine = AxisRef(self.keys.name)
        return map_exprs(lambda e: map_expr(lambda x: mine if x == AxisRef(axis.name) else x, e), loop.body)

    def _read(self, e: Expr) -> Expr:
        """An expression with what arrays hold in the place of their elements."""
        assert self.keys is not None

        def one(x: Expr) -> Expr:
            if isinstance(x, Load) and x.array in self.held and self._here(x.index):
                return self.held[x.array]
            return x

        return map_expr(one, e)

    def _here(self, index: tuple[Expr, ...]) -> bool:
        """Whether an index is of the row and of the key at hand."""
        assert self.keys is not None
        names = [a.name for a in self.chain.axes]
        axes = [e.axis if isinstance(e, AxisRef) else "" for e in index]
        return axes[-1] == self.keys.name and all(a in names for a in axes[:-1]) and len({*axes}) == len(axes)

    def _held(self, s: Store, known: dict[str, Expr]) -> None:
        if not self._here(s.index):
            raise Unfit(f"{s.array} is not stored by row and key")
        value = self._read(whole(s.value, known))
        if value.dtype is not F32:
            raise Unfit(f"{s.array} does not hold f32")
        self.held[s.array] = value
        if self.score is None and self.query is not None:
            self.score = value

    def _product(self, over: Loop, known: dict[str, Expr]) -> None:
        """The product of a query and a key."""
        match over.body:
            case (Set(name=name, value=Binary(op="+", left=Var(), right=Binary(op="*", left=a, right=b)), at=at),):
                a, b = (self._read(whole(e, known)) for e in (a, b))
            case _:
                raise Unfit("a score is no sum of products")
        assert self.keys is not None
        start = known.pop(name, None)
        if self.query is not None or not isinstance(start, Const) or start.value != 0 or start.dtype is not F32:
            raise Unfit("a score is not one sum of f32 that starts from 0")
        if AxisRef(self.keys.name) in tuple(all_parts(a)):
            a, b = b, a
        if AxisRef(self.keys.name) in tuple(all_parts(a)):
            raise Unfit("both factors of a score change with the key")
        self.query, self.key = self._rows(a, over.axis), self._rows(b, over.axis)
        if self.query.dtype is not self.key.dtype:
            raise Unfit(f"queries are {self.query.dtype} and keys {self.key.dtype}")
        self.over, self.depth = over.axis.name, size_of(over.axis)
        known[name] = Var(PRODUCT, F32)
        self.found["product"] = name, at

    def _reduced(self, s: Set, value: Expr) -> None:
        """The greatest score, or the total of the weights."""
        match value:
            case Binary(op="max" | "maximum" as op, left=Var(name=name), right=right) if name == s.name:
                right = self._read(right)
                if self.score is None and "product" in self.found:
                    self.score = right
                if "most" not in self.found and plain(right) == plain(self._scored()):
                    self.keep_nan = op == "maximum"
                    self.found["most"] = name, s.at
                    return
            case Binary(op="+", left=Var(name=name), right=right) if name == s.name and "most" in self.found:
                if "total" not in self.found and plain(self._read(right)) == plain(self._weight()):
                    self.found["total"] = name, s.at
                    return
        raise Unfit(f"{s.name} is neither the maximum of the scores nor the sum of exp(score - maximum)", at=s.at)

    def _opening(self, loop: Loop) -> First | None:
        """The maximum of the first scores of a row alone, which a loop finds once the scores are known."""
        if self.keys is None or self.score is None or self.first is not None or "most" not in self.found:
            return None
        start, stop = (plain(whole(e, self.known)) for e in (loop.axis.start, loop.axis.stop))
        match stop:
            case Binary(op="min", left=before, right=end) if (start, end) == tuple(
                plain(e) for e in (self.keys.start, self.keys.stop)
            ):
                pass
            case _:
                return None
        mine = AxisRef(self.keys.name)
        match map_exprs(lambda e: mine if e == AxisRef(loop.axis.name) else e, loop.body):
            case (Set(name=name, value=Binary(op="max" | "maximum" as op, left=left, right=right), at=at),):
                score = plain(self._read(whole(right, self.known)))
                if loop.axis.step == 1 and (left, score) == (Var(name, F32), plain(self.score)):
                    return First(name, before, op == "maximum", at)
        return None

    def _scored(self) -> Expr:
        if self.score is None:
            raise Unfit("there are no scores")
        return self.score

    def _weight(self) -> Expr:
        most = self.found.get("most")
        if most is None:
            raise Unfit("there is no maximum of the scores")
        return Call("exp", (Binary("-", self._scored(), Var(most[0], F32)),), F32)

    # --- columns -----------------------------------------------------------------------------------------

    def _sums(self, loop: Loop) -> Decode:
        """The weighted sums, and with them all that there is."""
        inner = [s for s in loop.body if isinstance(s, Loop)]
        if len(inner) != 1 or self.keys is None or {"most", "total"} - {*self.found}:
            raise Unfit("a column is not one sum over the keys")
        known = dict(self.known)
        *names, last = self._body(inner[0], known)
        for s in names:
            if not isinstance(s, Set):
                raise Unfit("a column does more than sum")
            known[s.name] = self._read(whole(s.value, known))
        match last:
            case Set(name=name, value=Binary(op="+", left=Var(), right=Binary(op="*", left=a, right=b)), at=at):
                a, b = (self._read(whole(e, known)) for e in (a, b))
            case _:
                raise Unfit("the last loop over keys is no sum of weights times values")
        start = [s for s in loop.body if isinstance(s, Set) and s.name == name]
        if len(start) != 1 or not isinstance(start[0].value, Const) or start[0].value.value != 0:
            raise Unfit("a column's sum does not start from 0")
        if AxisRef(loop.axis.name) in tuple(all_parts(a)):
            a, b = b, a
        how = self._how(a)
        behind = tuple(s for s in loop.body if s is not start[0] and s is not inner[0])
        if any(not isinstance(s, Set | Store) for s in behind) or loop.body.index(inner[0]) > 1:
            raise Unfit("what is done with a column is a branch or a loop, or comes ahead of its sum")
        return self._whole(loop.axis, self._rows(b, loop.axis), how, behind, (name, at))

    def _how(self, weight: Expr) -> tuple[DType, bool]:
        """What a weight is rounded to, and whether it is divided by the total."""
        whole, total = plain(self._weight()), self.found["total"][0]
        match plain(weight):
            case Binary(op="/", left=left, right=Var(name=name)) if (left, name) == (whole, total):
                return F32, True
            case Cast(value=Cast(value=inner, dtype=narrow, explicit=True)) if inner == whole and narrow in FACTORS:
                return narrow, False
            case found if found == whole:
                return F32, False
        raise Unfit("a weight is not exp(score - maximum), whole, rounded to a half or divided by the total")

    def _whole(
        self,
        columns: Axis,
        value: Rows,
        how: tuple[DType, bool],
        behind: tuple[Stmt, ...],
        last: tuple[str, Span],
    ) -> Decode:
        assert self.keys is not None and self.query is not None and self.key is not None
        named = {**self.found, "sum": last}
        order = ("product", "most", "total", "sum")
        names, places = Names(*(named[w][0] for w in order)), Places(*(named[w][1] for w in order))
        rows = map_exprs(lambda e: whole(e, self.known), tuple(self.rows))
        behind = map_exprs(lambda e: whole(e, self.known), behind)
        self._check((*rows, *behind), names, how[1])
        heads, group, shared = heads_of(self.chain, (*self.key.index, *value.index), self.keys)
        marked = [s.axis for s in all_stmts(self.chain.body) if isinstance(s, Loop)] + [*self.chain.axes]
        if any(a.tile is not None or a.marks for a in marked):
            raise Unfit("a loop has a mark", "take it out")
        own = {names.most, names.total, *([self.first.name] if self.first else [])}
        starts = tuple(Set(n, Const(v, F32)) for n, v in self.starts.items() if n not in own)
        return Decode(
            self.chain, heads, group, shared, self.keys, self.over, self.depth, columns, size_of(columns),
            self.query, self.key, value, self._scored(), names, places, self.keep_nan, *how, (*starts, *rows),
            behind, tuple(self.held), tuple(self.loops), self.first,
        )  # fmt: skip

    def _rows(self, e: Expr, along: Axis) -> Rows:
        """A factor: a cast of one element of an array, `along` its last axis."""
        load = e.value if isinstance(e, Cast) else e
        if not isinstance(load, Load) or load.dtype not in FACTORS or e.dtype is not F32:
            raise Unfit("a factor is no f16 or bf16 array, widened to f32")
        array = self.state.nest.array(load.array)
        if array.strides is not None:
            raise Unfit(f"{array.name} has strides", STRIDES.format(array.name))
        if any(isinstance(p, Var) for i in load.index for p in all_parts(i)):
            raise Unfit(f"an index of {array.name} is not known where a row begins")
        if load.index[-1] != AxisRef(along.name) or AxisRef(along.name) in parts_of(load.index[:-1]):
            raise Unfit(f"consecutive elements of {array.name} do not run along the last axis of the loops")
        size, last = size_of(along), value_of(array.shape[-1])
        if not load.proven and (last is None or last < size):
            raise Unfit(f"rows of {array.name} may be shorter than {size} elements")
        axes = {a.name: a for a in self.chain.axes}
        if self.keys is not None:
            axes[self.keys.name] = self.keys
        pairs = zip(load.index[:-1], array.shape[:-1], strict=True)
        inside = tuple(load.proven or surely_inside(i, n, axes) for i, n in pairs)
        return Rows(load.array, load.dtype, load.index[:-1], inside)

    # --- what is around ----------------------------------------------------------------------------------

    def _check(self, rest: tuple[Stmt, ...], names: Names, divided: bool) -> None:
        """That the softmax is as it should be, and nobody else reads scores or changes what the loops give."""
        first = [self.first.name] if self.first else []
        for name, start in ((names.most, -math.inf), (names.total, 0.0), *((n, -math.inf) for n in first)):
            if self.starts.get(name) != start:
                raise Unfit(f"{name} does not start from {start:g}")
        changed = {s.name for s in all_stmts(rest) if isinstance(s, Set)}
        fixed = {names.most, names.sum, *first, *([names.total] if divided else [])}
        if changed & fixed:
            raise Unfit("the maximum, the total or a sum is changed behind its loop", "use a name of its own")
        inside = tuple(all_exprs(self.chain.body))
        for array in self.held:
            reads = [e for e in all_exprs(self.state.nest.body) if isinstance(e, Load) and e.array == array]
            if len(reads) != sum(isinstance(e, Load) and e.array == array for e in inside):
                raise Unfit(f"{array} is read by more than the softmax")
            if any(isinstance(e, Load) and e.array == array for e in all_exprs(rest)):
                raise Unfit(f"{array} is read behind the softmax")
        for axis in self.chain.axes:
            if self.state.kinds[axis.name].updates:
                raise Unfit("elements of the result meet")
            if axis.start != ZERO or axis.step != 1 or moves(axis.stop):
                raise Unfit("an axis around the keys does not run from 0 by 1 to an end that stands still")
