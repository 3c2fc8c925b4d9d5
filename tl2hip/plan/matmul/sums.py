"""The sums that the body of a chain makes: each a total of products, in one loop or in several that run alike.

Several sums are one product with several right factors (`g += A[i, k] * B[j, k]; u += A[i, k] * C[j, k]`): all
loops become one, which goes first. What else is done with an element keeps its order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tl2hip.dtypes import DType
from tl2hip.nest.ir import Axis, AxisRef, Binary, Const, Expr, Loop, Set, Stmt, Var
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, map_expr, substitute
from tl2hip.plan.matmul.flat import sum_axes
from tl2hip.plan.state import State
from tl2hip.plan.unfit import Unfit
from tl2hip.rule.terms import plus_zero
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True)
class Sum:
    """The scalar `name` takes the sum of `left` times `right`."""

    name: str
    dtype: DType
    left: Expr
    right: Expr
    at: Span


@dataclass(frozen=True, slots=True)
class Sums:
    """What an element of the result is: sums over `axes`, the loops of which are `over` and the `others`, and the
    statements `body`, in which `summed(n)` stands for sum n."""

    over: Loop
    others: tuple[Loop, ...]
    axes: tuple[Axis, ...]
    sums: tuple[Sum, ...]
    body: tuple[Stmt, ...]


def summed(n: int, dtype: DType) -> Var:
    """Stands for sum n of an element until it is known which register holds it; no user's name has spaces."""
    return Var(f"sum {n} of the product", dtype)


def sums_of(state: State, body: Sequence[Stmt]) -> Sums:
    """The sums of a body, whose loops are all sums of products. Raises Unfit where one is none, where they do not
    run alike, or where a scalar that takes a sum is used before."""
    loops = tuple(s for s in body if isinstance(s, Loop))
    over, *others = loops
    axes, _ = sum_axes(over)
    sums: list[Sum] = []
    done: tuple[Stmt, ...] = ()
    for n, s in enumerate(body):
        if not isinstance(s, Loop):
            done = (*done, s)
            continue
        own, inner = sum_axes(s)
        same = _same(own, axes)
        for one in _terms(inner, body[n + 1 :]):
            start, done = _start(state, done, one)
            total: Expr = summed(len(sums), one.dtype)
            if not (isinstance(start, Const) and start.value == 0):
                total = Binary("+", start, total)
            done = (*done, Set(one.name, total, at=one.at))
            left, right = substitute(one.left, same), substitute(one.right, same)
            sums.append(Sum(one.name, one.dtype, left, right, one.at))
    return Sums(over, tuple(others), axes, tuple(sums), done)


def _same(own: tuple[Axis, ...], axes: tuple[Axis, ...]) -> dict[Expr, Expr]:
    """The axes of one loop as those of another that runs alike."""
    for a, b in zip(own, axes, strict=False):
        if (a.start, a.stop, a.step, a.tile, a.marks) != (b.start, b.stop, b.step, b.tile, b.marks):
            break
    else:
        if len(own) == len(axes):
            return {AxisRef(a.name): AxisRef(b.name) for a, b in zip(own, axes, strict=True)}
    raise Unfit("its loops do not run alike", "give each loops of its own")


def _terms(over: Loop, behind: Sequence[Stmt]) -> Iterator[Sum]:
    """The sums of one loop, its locals put in their places. A local that a turn takes over from the one before, or
    that is read behind the loop, is another result."""
    known: dict[str, Expr] = {}
    own = {s.name for s in over.body if isinstance(s, Set)}
    outside = _read(all_exprs(behind))
    taken: set[str] = set()
    for s in over.body:
        if not isinstance(s, Set):
            raise Unfit("the summing loop does more than sum")
        value = map_expr(lambda x: known.get(x.name, x) if isinstance(x, Var) else x, s.value)
        term = _term(s, value)
        carried = (own - known.keys()) & _read(term[2:] if term else (value,))
        if term is not None and not carried and s.name not in (known.keys() | taken):
            taken.add(s.name)
            yield Sum(*term, at=s.at)
        elif s is over.body[-1]:
            raise Unfit("a term is no product of two elements")
        elif carried or s.name in outside or s.name in taken:
            raise Unfit(f"the summing loop makes {s.name} besides the sum", "give each sum loops of its own")
        else:
            known[s.name] = value


def _term(s: Set, value: Expr) -> tuple[str, DType, Expr, Expr] | None:
    """What a scalar takes the sum of; None where it takes no sum of products."""
    match value:
        case Binary(op="+", left=Var(name=name, dtype=t), right=Binary(op="*", left=a, right=b)):
            pass
        case Binary(op="+", left=Binary(op="*", left=a, right=b), right=Var(name=name, dtype=t)):
            pass
        case _:
            return None
    return (name, t, a, b) if name == s.name else None


def _read(exprs: Sequence[Expr]) -> set[str]:
    """The scalars that expressions read."""
    return {p.name for e in exprs for p in all_parts(e) if isinstance(p, Var)}


def _start(state: State, done: tuple[Stmt, ...], one: Sum) -> tuple[Expr, tuple[Stmt, ...]]:
    """What a sum starts from, and the statements ahead of its loop. A start that is no constant is computed where
    it stands among them, into a scalar of its own: what follows may change what it is made of."""
    name, dtype = one.name, one.dtype
    at = max((n for n, s in enumerate(done) if isinstance(s, Set) and s.name == name), default=None)
    if at is None or _touched(done[at + 1 :], name):
        raise Unfit(f"{name} is used before the sum")
    set_ = done[at]
    assert isinstance(set_, Set)
    if isinstance(set_.value, Const):
        if dtype.is_float and set_.value.value == 0 and not plus_zero(set_.value):
            raise Unfit(f"{name} starts from -0.0, and the sums of matrix instructions from 0.0")
        return set_.value, (*done[:at], *done[at + 1 :])
    first = Var(state.names.fresh(f"{name}_start", keep=True), dtype)
    state.dtypes[first.name] = dtype
    return first, (*done[:at], Set(first.name, set_.value, at=set_.at), *done[at + 1 :])


def _touched(body: Sequence[Stmt], name: str) -> bool:
    """Whether statements read or write a scalar."""
    return name in _read(all_exprs(body)) or any(isinstance(s, Set) and s.name == name for s in all_stmts(body))
