"""What a nest says of attention: scores of a row, their maximum, the sum of their exponentials, the weighted sums.

For each row: a loop over keys that stores scores, each made of one product of the row with a key; a loop that finds
their maximum; one that sums exp(score - maximum); and for each column one that sums exp(score - maximum) times a
value. Scores are no array any more afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from tl2hip.dtypes import F32, DType
from tl2hip.nest.index import ZERO, product
from tl2hip.nest.ir import (
    Alloc,
    Axis,
    AxisRef,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    If,
    Load,
    Loop,
    Set,
    Stmt,
    Store,
    Var,
)
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, map_expr, map_exprs
from tl2hip.plan.attention.weight import FACTORS, narrowed, plain, power_of
from tl2hip.plan.chain import Chain
from tl2hip.plan.names import called
from tl2hip.plan.state import State
from tl2hip.plan.unfit import ASSERT, STRIDES, Unfit
from tl2hip.rule.join.unify import POWERS
from tl2hip.rule.terms import plus_zero
from tl2hip.source.span import Span

PLAN = "attention"


@dataclass(frozen=True, slots=True)
class Factor:
    """An array whose index names `axis` once, has `along` last, and else only axes of the batch."""

    array: str
    dtype: DType
    index: tuple[Expr, ...]
    axis: str
    along: str

    def at(self, row: Expr, column: Expr) -> tuple[Expr, ...]:
        """The index of an element."""
        to = {self.axis: row, self.along: column}
        return tuple(map_expr(lambda e: to.get(e.axis, e) if isinstance(e, AxisRef) else e, i) for i in self.index)

    def pitch(self, shape: tuple[Expr, ...]) -> Expr:
        """Elements of memory from one row to the next."""
        return product(shape[self.index.index(AxisRef(self.axis)) + 1 :])


@dataclass(frozen=True, slots=True)
class Attention:
    """For each row: `product`, the sum over `over` of query times key, makes the `score` of each of the `keys`;
    `most` is their maximum, `total` the sum of their weights exp(score - most), and for each of the `columns`
    `sum` that of the weights, rounded to `weight`, times the value.

    A weight is 2**((score - most) * power). Where the maximum starts from a number, that is the `seed`.

    `behind` is what is done with each element, `row_behind` with each row. `batch` are places in the chain.
    """

    chain: Chain
    rows: Axis
    batch: tuple[int, ...]
    keys: Loop
    over: Loop
    columns: Loop
    query: Factor
    key: Factor
    value: Factor
    score: Expr
    weight: DType
    product: str
    most: str
    total: str
    sum: str
    row_behind: tuple[Stmt, ...]
    behind: tuple[Stmt, ...]
    scores: str
    """The array of scores, which nothing else reads."""
    scoring: tuple[Stmt, ...]
    """What makes a score and stores it."""
    weighing: Expr
    """What a sum takes in for each key: the weight times the value."""
    power: Expr
    seed: Const | None
    product_at: Span
    score_at: Span
    most_at: Span
    total_at: Span
    sum_at: Span

    @property
    def ragged(self) -> bool:
        """Whether rows have different keys."""
        ends = (self.keys.axis.start, self.keys.axis.stop)
        return any(isinstance(p, AxisRef) for e in ends for p in all_parts(e))

    @property
    def quotients(self) -> bool:
        """Whether sums are used in quotients with the total alone, no number itself where any weight is none."""
        used, total = all_exprs((*self.row_behind, *self.behind)), Var(self.total, F32)
        by_total = [e for e in used if isinstance(e, Binary) and e.op == "/" and e.right == total]
        sums = sum(e == Var(self.sum, F32) for e in used)
        return sums == sum(e.left == Var(self.sum, F32) for e in by_total)


def found(state: State, chain: Chain) -> Attention | None:
    """The attention that the body of a chain is; None, with the reason told where it comes near, if it is none."""
    loops = [s for s in chain.body if isinstance(s, Loop)]
    exponentials = [e for e in all_exprs(loops) if isinstance(e, Call) and e.name in POWERS]
    if len(loops) not in (4, 5) or len(exponentials) < 2:
        return None
    try:
        return _Reader(state, chain).attention()
    except Unfit as unfit:
        state.miss(PLAN, unfit, loops[0].at)
        return None


@dataclass(frozen=True, slots=True)
class _Reader:
    """Takes a chain's body apart. Each step raises Unfit where it is not what it looks for."""

    state: State
    chain: Chain

    def attention(self) -> Attention:
        body = [s for s in self.chain.body if not isinstance(s, Alloc)]
        scoring, greatest, *opening, summing, columns = (s for s in body if isinstance(s, Loop))
        over, product, store, score = self._scores(scoring)
        query, key = self._factors(over, scoring.axis.name)
        same = self._alike(scoring.axis)
        most, most_at = self._most(greatest, same, store)
        weigh, power = self._weight(summing, same, Binary("-", Load(store.array, store.index, F32), Var(most, F32)))
        total, total_at = self._total(summing, same, weigh)
        sum_, sum_at, weight, value, term, behind = self._sums(columns, same, weigh)
        starts, seed = self._starts(body, most, total)
        known = (scoring, greatest, summing, columns, *starts)
        rest = tuple(s for s in body if not any(s is k for k in known))
        self._check(store, rest, behind, (most, total, sum_), len(opening))
        rest = tuple(self._opened(s, scoring, store) if isinstance(s, Loop) else s for s in rest)
        rows = next(a for a in self.chain.axes if a.name == query.axis)
        batch = tuple(n for n, a in enumerate(self.chain.axes) if a is not rows)
        bounds = (p for e in (scoring.axis.start, scoring.axis.stop) for p in all_parts(e))
        if any(isinstance(p, AxisRef) and p.axis != rows.name for p in bounds):
            raise Unfit("the keys of a row depend on more than the row")
        return Attention(
            self.chain, rows, batch, scoring, over, columns, query, key, value, score, weight, product, most, total,
            sum_, rest, behind, store.array, scoring.body, term, power, seed, over.body[-1].at, store.at, most_at,
            total_at, sum_at,
        )  # fmt: skip

    # --- the loops ---------------------------------------------------------------------------------------

    def _scores(self, loop: Loop) -> tuple[Loop, str, Store, Expr]:
        """The sum of a product, its name, the store of a score, and the score as an expression of it."""
        over = _one(loop.body, Loop, "a score is made of one product")
        _check_whole(over.axis)
        store = _one(loop.body, Store, "a score is stored once")
        start, name = _sum_of(over, loop.body)
        known: dict[str, Expr] = {}
        for s in loop.body:
            if isinstance(s, Set) and s is not start:
                if s.name in known or loop.body.index(s) < loop.body.index(over):
                    raise Unfit("a score is made of one product, and what stands behind it")
                known[s.name] = _whole(s.value, known)
            elif s not in (start, over, store):
                raise Unfit("a branch makes the scores", "choose by a conditional expression")
        score = _whole(store.value, known)
        if self.state.nest.array(store.array).role != "local" or score.dtype is not F32:
            raise Unfit("the scores are no local array of f32")
        rising = all(_rises(e, {a.name for a in self.chain.axes}) for e in (loop.axis.start, loop.axis.stop))
        if loop.axis.step != 1 or not rising:
            raise Unfit("the first or the last key of a row is not known to rise with the rows")
        return over, name, store, score

    def _alike(self, axis: Axis) -> Callable[[Loop], tuple[Stmt, ...]]:
        """What gives the body of another loop over the same keys, its axis called as the first's."""

        def body(loop: Loop) -> tuple[Stmt, ...]:
            other = loop.axis
            if (other.start, other.stop, other.step) != (axis.start, axis.stop, axis.step):
                raise Unfit("the loops over keys do not have the same bounds")
            mine = AxisRef(axis.name)
            return map_exprs(lambda e: mine if e == AxisRef(other.name) else e, loop.body)

        return body

    def _most(self, loop: Loop, same: Callable[[Loop], tuple[Stmt, ...]], store: Store) -> tuple[str, Span]:
        score = Load(store.array, store.index, F32)
        match same(loop):
            case (Set(name=name, value=Binary(op="max", left=left, right=right), at=at),):
                if (left, plain(right)) == (Var(name, F32), score):
                    return name, at
        raise Unfit("the second loop over keys is no maximum of the scores", "if x > m: m = x")

    def _weight(
        self, loop: Loop, same: Callable[[Loop], tuple[Stmt, ...]], less: Expr
    ) -> tuple[Call, Expr]:
        """The weight of a key, and what scales `less`, how far its score is from the maximum, to make it a power of
        two."""
        match same(loop):
            case (Set(value=Binary(op="+", right=Call(name=name, args=(exponent,)) as weigh)),) if name in POWERS:
                bare = plain(exponent)
                return replace(weigh, args=(bare,)), power_of(name, bare, less)
        raise Unfit("the third loop over keys is no sum of exp(score - maximum)")

    def _total(self, loop: Loop, same: Callable[[Loop], tuple[Stmt, ...]], weigh: Expr) -> tuple[str, Span]:
        match same(loop):
            case (Set(name=name, value=Binary(op="+", left=left, right=right), at=at),):
                if (left, plain(right)) == (Var(name, F32), weigh):
                    return name, at
        raise Unfit("the third loop over keys is no sum of exp(score - maximum)")

    def _sums(
        self, loop: Loop, same: Callable[[Loop], tuple[Stmt, ...]], weigh: Expr
    ) -> tuple[str, Span, DType, Factor, Expr, tuple[Stmt, ...]]:
        """The weighted sum's name and place, the weights' dtype, the values, a term, what is done with a sum."""
        inner = _one(loop.body, Loop, "a column is one sum over the keys")
        _check_whole(loop.axis)
        start, name = _sum_of(inner, loop.body)
        match same(inner):
            case (Set(value=Binary(op="+", left=Var(), right=Binary(op="*") as term), at=at),):
                weight, value = term.left, term.right
            case _:
                raise Unfit("the last loop over keys is no sum of weights times values")
        if any(plain(e) == weigh for e in all_parts(value)):
            weight, value = value, weight
        narrow = narrowed(plain(weight), weigh)
        (axis,) = {p.axis for p in all_parts(weigh) if isinstance(p, AxisRef)} - {a.name for a in self.chain.axes}
        factor = self._factor(value, axis, loop.axis.name)
        behind = tuple(s for s in loop.body if s is not start and s is not inner)
        if any(isinstance(s, Loop) for s in behind) or loop.body.index(inner) > 1:
            raise Unfit("a column does more than sum and use the sum")
        return name, at, narrow, factor, term, behind

    def _opened(self, loop: Loop, scoring: Loop, store: Store) -> Loop:
        """A loop that finds the maximum of the first scores again, which are computed anew for it: for as long as
        there was none above -inf, which is what is asked of it."""
        score = Load(store.array, (AxisRef(loop.axis.name),), F32)
        match loop.body:
            case (Set(name=name, value=Binary(op="max", left=left, right=right)) as most,):
                if (left, plain(right)) == (Var(name, F32), score) and loop.axis.start == scoring.axis.start:
                    mine = AxisRef(loop.axis.name)
                    body = map_exprs(lambda e: mine if e == AxisRef(scoring.axis.name) else e, scoring.body)
                    value = next(s.value for s in body if isinstance(s, Store))
                    again = (*(s for s in body if not isinstance(s, Store)), replace(most, value=value))
                    nothing = Compare("==", Var(name, F32), Const(-math.inf, F32))
                    return replace(loop, body=(If(nothing, again, (), loop.at),))
        raise Unfit("a loop over keys is more than the maximum of the first scores")

    # --- factors -----------------------------------------------------------------------------------------

    def _factors(self, over: Loop, keys: str) -> tuple[Factor, Factor]:
        """Queries and keys of the product."""
        match over.body:
            case (Set(value=Binary(op="+", left=Var(), right=Binary(op="*", left=a, right=b))),):
                pass
            case _:
                raise Unfit("a score is no sum of products")
        if any(p == AxisRef(keys) for p in all_parts(a)):
            a, b = b, a
        names = [x.name for x in self.chain.axes]
        key = self._factor(b, keys, over.axis.name)
        own = {p.axis for p in all_parts(a) if isinstance(p, AxisRef)} - {over.axis.name, keys}
        rows = [n for n in names if n in own and not any(p == AxisRef(n) for p in all_parts(b))]
        if len(rows) != 1:
            raise Unfit("no axis is that of the queries alone")
        if any(p == AxisRef(keys) for p in all_parts(a)):
            raise Unfit("both factors of a score change with the key")
        return self._factor(a, rows[0], over.axis.name), key

    def _factor(self, e: Expr, axis: str, along: str) -> Factor:
        load = e.value if isinstance(e, Cast) else e
        if not isinstance(load, Load) or load.dtype not in FACTORS or e.dtype is not F32:
            raise Unfit("a factor is no element of an array of f16 or bf16, widened to f32")
        array = self.state.nest.array(load.array)
        if not load.always:
            raise Unfit(f"an index of {array.name} may lie outside of it", ASSERT.format(array.name))
        if array.strides is not None:
            raise Unfit(f"{array.name} has strides of its own", STRIDES.format(array.name))
        if self.state.placed[array.name].space != "global":
            raise Unfit(f"{array.name} is a local array")
        if any(_moves(p) and not isinstance(p, AxisRef) for i in load.index for p in all_parts(i)):
            raise Unfit(f"an index of {array.name} is not known before the kernel runs")
        for name in (axis, along):
            if sum(p == AxisRef(name) for i in load.index for p in all_parts(i)) != 1:
                raise Unfit(f"an axis is no index of {array.name} alone")
        if AxisRef(axis) not in load.index[:-1] or load.index[-1] != AxisRef(along):
            raise Unfit(f"consecutive elements of {array.name} do not run along the last axis of the loops")
        return Factor(load.array, load.dtype, load.index, axis, along)

    # --- what is around ----------------------------------------------------------------------------------

    def _starts(self, body: Sequence[Stmt], most: str, total: str) -> tuple[tuple[Stmt, ...], Const | None]:
        """Where maximum and total start, and the number that the maximum starts from, if it is one."""
        sets = [s for s in body if isinstance(s, Set) and s.name in (most, total)]
        if sorted(s.name for s in sets) != sorted((most, total)):
            raise Unfit("maximum and total do not start anew for each row")
        seed: Const | None = None
        for s in sets:
            if not isinstance(s.value, Const) or math.isnan(s.value.value) or s.value.value == math.inf:
                raise Unfit(f"{s.name} does not start from a number")
            if s.name == total and not plus_zero(s.value):
                raise Unfit(f"{total} does not start from 0")
            if s.name == most and s.value.value != -math.inf:
                seed = s.value
        return tuple(sets), seed

    def _check(
        self,
        store: Store,
        rest: tuple[Stmt, ...],
        behind: tuple[Stmt, ...],
        own: tuple[str, str, str],
        opening: int,
    ) -> None:
        """That nobody else reads the scores or changes what the loops are made of."""
        reads = sum(isinstance(e, Load) and e.array == store.array for e in all_exprs(self.state.nest.body))
        if reads != 3 + opening:
            raise Unfit(f"{store.array} is read by more than the softmax")
        after = (*rest, *behind)
        if any(isinstance(s, Set) and s.name in own for s in all_stmts(after)):
            raise Unfit("the maximum, the total or a sum is changed behind its loop", "use a name of its own")
        if any(not isinstance(s, Set | Store) for s in after if s not in rest or not isinstance(s, Loop)):
            raise Unfit("what is done with a row or an element is a branch or a loop")
        columns = {a.name for a in self.chain.axes}
        if any(self.state.kinds[name].updates for name in columns):
            raise Unfit("elements of the result meet")
        for axis in self.chain.axes:
            _check_whole(axis)


def _check_whole(axis: Axis) -> None:
    if axis.start != ZERO or axis.step != 1 or any(_moves(p) for p in all_parts(axis.stop)):
        raise Unfit(f"{called(axis)} does not run from 0 by 1 to an end that stands still")


def _moves(e: Expr) -> bool:
    return isinstance(e, AxisRef | Var | Load)


def _rises(e: Expr, axes: set[str]) -> bool:
    """Whether an expression surely never falls as any of some axes rises, and is known to the launcher else."""
    match e:
        case AxisRef(axis=name):
            return name in axes
        case Binary(op="+" | "min" | "max" | "minimum" | "maximum", left=a, right=b):
            return _rises(a, axes) and _rises(b, axes)
        case Binary(op="-", left=a, right=b):
            return _rises(a, axes) and not any(_moves(p) for p in all_parts(b))
        case Binary(op="*" | "//", left=a, right=Const(value=by)):
            return by > 0 and _rises(a, axes)
        case _:
            return not any(_moves(p) for p in all_parts(e))


def _one(body: tuple[Stmt, ...], kind: type, why: str):  # type: ignore[no-untyped-def]
    some = [s for s in body if isinstance(s, kind)]
    if len(some) != 1:
        raise Unfit(why)
    return some[0]


def _sum_of(loop: Loop, around: Iterable[Stmt]) -> tuple[Set, str]:
    """Where a sum that is all a loop does starts from 0, and its name."""
    if len(loop.body) == 1 and isinstance(last := loop.body[0], Set) and last.value.dtype is F32:
        starts = [s for s in around if isinstance(s, Set) and s.name == last.name]
        if len(starts) == 1 and plus_zero(starts[0].value):
            return starts[0], last.name
    raise Unfit("a loop does more than a sum of f32 that starts from 0")


def _whole(e: Expr, known: dict[str, Expr]) -> Expr:
    return map_expr(lambda x: known.get(x.name, x) if isinstance(x, Var) else x, e)
