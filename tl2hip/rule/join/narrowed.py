"""narrowed: a loop of which some turns do nothing, as the loop over its other turns.

Keys are left out by `if j > i: continue`, by `if j <= i:` around the body, or by the bounds of the loop. Where a
test compares the axis with what stands still in the loop, the turns for which it holds follow each other, so that
all of these are one loop with tighter bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tl2hip.dtypes import I64
from tl2hip.nest import index as whole
from tl2hip.nest.ir import AxisRef, Binary, Call, Compare, Expr, Logic, Unary
from tl2hip.rule.join.book import Book, Range, simpler, surely


def within(over: Range, test: Expr, book: Book) -> Range | None:
    """The turns for which a test holds; None where they are not known to follow each other."""
    if over.step != 1:
        return None
    for one in _conjunction(test):
        found = _bound(over.axis, one, book)
        if found is None:
            return None
        first, limit = found
        if first and not surely(Compare("<=", limit, over.start), book):
            over = replace(over, start=whole.maximum(over.start, limit))
        if not first and not surely(Compare("<=", over.stop, limit), book):
            over = replace(over, stop=whole.minimum(over.stop, limit))
    return over


def _conjunction(test: Expr) -> Iterator[Expr]:
    """The tests that must all hold; a distance that stays below a number is two of them."""
    match test:
        case Logic(op="and", left=a, right=b):
            yield from _conjunction(a)
            yield from _conjunction(b)
        case Unary(op="not", value=Logic(op="or", left=a, right=b)):
            yield from _conjunction(simpler(Unary("not", a)))
            yield from _conjunction(simpler(Unary("not", b)))
        case Compare(op="<" | "<=" as op, left=Unary(op="abs", value=a) | Call(name="abs", args=(a,)), right=b):
            yield Compare(op, a, b)
            yield Compare(op, whole.sub(whole.ZERO, b), a)
        case _:
            yield test


def _bound(axis: str, test: Expr, book: Book) -> tuple[bool, Expr] | None:
    """The first turn that a comparison allows (True), or the one behind the last (False)."""
    test = simpler(test)
    if not isinstance(test, Compare) or test.op not in ("<", "<=") or {test.left.dtype, test.right.dtype} != {I64}:
        return None
    left, right = _alone(axis, test.left, book), _alone(axis, test.right, book)
    if left is None or right is None or abs(left[0] - right[0]) != 1:
        return None
    strict = test.op == "<"
    if left[0] > right[0]:
        limit = whole.sub(right[1], left[1])
        return False, limit if strict else whole.add(limit, whole.ONE)
    limit = whole.sub(left[1], right[1])
    return True, whole.add(limit, whole.ONE) if strict else limit


def _alone(axis: str, e: Expr, book: Book) -> tuple[int, Expr] | None:
    """How often an index has the axis in it, and the rest of it; None where it is not so made."""
    if axis not in book.axes(e):
        return 0, e
    match e:
        case AxisRef():
            return 1, whole.ZERO
        case Binary(op="+" | "-" as op, left=a, right=b):
            left, right = _alone(axis, a, book), _alone(axis, b, book)
            if left is None or right is None:
                return None
            if op == "+":
                return left[0] + right[0], whole.add(left[1], right[1])
            return left[0] - right[0], whole.sub(left[1], right[1])
    return None
