"""Elements accumulated on those of the iteration before, as running values: `y[i] = y[i - 1] + x[i]` is a scan.

    for i in range(1, N):                     y_so_far = y[0]
        y[i] = y[i - 1] + x[i]         ->     for i in range(1, N):
                                                  y_so_far = y_so_far + x[i]
                                                  y[i] = y_so_far

Only where that makes the loop a scan; other recurrences stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tl2hip.nest.dependence import analyse
from tl2hip.nest.index import add, number, sub
from tl2hip.nest.ir import AxisRef, Binary, Expr, Load, Logic, Loop, Nest, Set, Stmt, Store, Update, Var, Variable
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, blocks, map_exprs, substitute, with_blocks


def with_running_values(nest: Nest) -> Nest:
    """The nest with running values in the place of elements that a loop carries to its next iteration."""
    tried: set[str] = set()
    while True:
        loop = next((s for s in _loops(nest.body) if s.axis.name not in tried and _target(s) is not None), None)
        if loop is None:
            return nest
        tried.add(loop.axis.name)
        changed = _changed(nest, loop)
        if analyse(changed).kind(loop.axis.name) == "scan":
            nest = changed


def _loops(body: tuple[Stmt, ...]) -> Iterator[Loop]:
    return (s for s in all_stmts(body) if isinstance(s, Loop))


def _target(loop: Loop) -> Store | Update | None:
    """The store of an element that the next iteration reads, and no other, until it stores its own."""
    for n, s in enumerate(loop.body):
        if not isinstance(s, Store | Update) or not _moves(s.index, loop):
            continue
        before = _before(s.index, loop)
        others = (*loop.body[:n], *loop.body[n + 1 :])
        loads = [e for e in all_exprs(loop.body) if isinstance(e, Load) and e.array == s.array]
        stores = any(isinstance(x, Store | Update) and x.array == s.array for x in all_stmts(others))
        late = any(isinstance(e, Load) and e.array == s.array for e in all_exprs(loop.body[n + 1 :]))
        if loads and not stores and not late and all(_plain(e.index) == before for e in loads):
            return s
    return None


def _moves(index: tuple[Expr, ...], loop: Loop) -> bool:
    """Whether an element moves with the loop along one of its indices, and with nothing that the loop sets."""
    inside = {s.name for s in all_stmts(loop.body) if isinstance(s, Set)}
    parts = [p for e in index for p in all_parts(e)]
    still = not any(isinstance(p, Load) or (isinstance(p, Var) and p.name in inside) for p in parts)
    return still and sum(p == AxisRef(loop.axis.name) for p in parts) == 1


def _before(index: tuple[Expr, ...], loop: Loop) -> tuple[Expr, ...]:
    """The element of the iteration before."""
    here = AxisRef(loop.axis.name)
    return _plain(tuple(substitute(e, {here: add(here, number(-loop.axis.step))}) for e in index))


def _plain(index: tuple[Expr, ...]) -> tuple[Expr, ...]:
    return tuple(_folded(e) for e in index)


def _folded(e: Expr) -> Expr:
    """An index with the constants that are added to it put together."""
    match e:
        case Binary(op="+", left=a, right=b):
            return add(_folded(a), _folded(b))
        case Binary(op="-", left=a, right=b):
            return sub(_folded(a), _folded(b))
        case _:
            return e


def _changed(nest: Nest, loop: Loop) -> Nest:
    """The nest with a running value for the element that a loop carries."""
    target = _target(loop)
    assert target is not None
    a = nest.array(target.array)
    taken = {v.name for v in nest.variables} | {x.name for x in nest.arrays} | {*nest.dims, nest.name}
    taken |= {s.name for s in nest.scalars} | {s.axis.name for s in _loops(nest.body)}
    wish = f"{a.name}_so_far"
    name = next(n for n in (wish, *(f"{wish}_{k}" for k in range(2, 2 + len(taken)))) if n not in taken)
    value = Var(name, a.dtype)
    before = _before(target.index, loop)
    first = _plain(tuple(substitute(e, {AxisRef(loop.axis.name): loop.axis.start}) for e in before))
    start = Set(name, Load(a.name, first, a.dtype), at=loop.at)


    def expr(e: Expr) -> Expr:
        return value if isinstance(e, Load) and e.array == a.name else e

    def one(s: Stmt) -> tuple[Stmt, ...]:
        (done,) = map_exprs(expr, (s,))
        if s is not target or not isinstance(done, Store | Update):
            return (done,)
        stored = done.value
        if isinstance(done, Update):
            old = Load(a.name, done.index, a.dtype)
            stored = Logic(done.op, old, stored) if done.op in ("and", "or") else Binary(done.op, old, stored)
        return (Set(name, stored, at=s.at), Store(a.name, done.index, value, at=s.at))

    inside = replace(loop, body=tuple(x for s in loop.body for x in one(s)))
    body = _with(nest.body, loop, (start, inside))
    return replace(nest, body=body, variables=(*nest.variables, Variable(name, a.dtype)))


def _with(body: tuple[Stmt, ...], loop: Loop, new: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """A body with other statements in the place of a loop anywhere in it."""

    def within(s: Stmt) -> Stmt:
        return with_blocks(s, tuple(_with(b, loop, new) for b in blocks(s))) if blocks(s) else s

    return tuple(x for s in body for x in (new if s is loop else (within(s),)))
