"""closed: what a value is after a loop, from what one turn makes of it.

A sum, a product or an extreme of terms that do not hang on other turns is a reduction. What hangs on other
values that pass from turn to turn is left to the rules that join several values.
"""

from __future__ import annotations

from dataclasses import replace

from tl2hip.nest import index as whole
from tl2hip.nest.ir import Binary, Expr, Load, Select, Unary, Var
from tl2hip.rule.join.book import Book, simpler, started
from tl2hip.rule.join.walk import Carried, Turn
from tl2hip.rule.meaning import OPERATIONS, STAND_INS
from tl2hip.rule.terms import joined, nothing, operands

EITHER_WAY = ("+", "*", "maximum", "minimum")
"""Operations that are the same with their sides exchanged, NaN included."""


def passing(book: Book, e: Expr, turn: Turn) -> bool:
    """Whether a term reads anything that passes from turn to turn."""
    scalars = {c.now for c in turn.carried if isinstance(c.now, Var)}
    arrays = {c.now.array for c in turn.carried if isinstance(c.now, Load)}
    return any(p in scalars or (isinstance(p, Load) and p.array in arrays) for p in book.inside(e))


def reduction(book: Book, turn: Turn, c: Carried) -> tuple[str, Expr] | None:
    """The operation and the terms, where a turn takes one more term in."""
    found = taken_in(c.step, c.now)
    if found is None or passing(book, found[1], turn):
        return None
    return found


def taken_in(step: Expr, now: Expr) -> tuple[str, Expr] | None:
    """`now op term` as the operation and the term, under a test too; None where a turn is something else."""
    match step:
        case Select(test=test, then=then, orelse=orelse):
            if orelse == now or then == now:
                found = taken_in(then if orelse == now else orelse, now)
                if found is None:
                    return None
                op, term = found
                test = test if orelse == now else simpler(Unary("not", test))
                return op, simpler(Select(test, term, nothing(op, term.dtype)))
            a, b = taken_in(then, now), taken_in(orelse, now)
            if a is None or b is None or a[0] != b[0]:
                return None
            return a[0], Select(test, a[1], b[1])
        case Binary(op="-", left=left, right=right) if left == now:
            return "+", Unary("-", right)
        case Binary(op=op) if op in (*OPERATIONS, *STAND_INS):
            return _with_rest(step, op, now)
    return None


def _with_rest(step: Binary, op: str, now: Expr) -> tuple[str, Expr] | None:
    found = operands(step, op)
    places = [n for n, e in enumerate(found) if e == now]
    if len(places) != 1 or (op not in EITHER_WAY and places != [0]):
        return None
    rest = [e for n, e in enumerate(found) if n != places[0]]
    return op, joined(rest, op)


def reduced(book: Book, turn: Turn, c: Carried, op: str, term: Expr) -> Expr:
    """The value of a reduction after its loop; one that starts with the term before it is one turn longer."""
    over, start = replace(turn.over, at=c.layer.at, name=c.name.split("[")[0]), c.start
    ahead = replace(over, start=whole.sub(over.start, whole.ONE))
    if over.step == 1 and start == book.put(term, {over.axis: ahead.start}):
        return book.reduce(op, ahead, term)
    return started(op, start, book.reduce(op, over, term))


def unchanged(c: Carried) -> bool:
    return c.step == c.now


def why_not(book: Book, turn: Turn, c: Carried) -> str:
    """Why nothing is known of a value after the loop."""
    if not passing(book, c.step, turn):
        return f"the last value of {c.name} is used after its loop"
    others = [x.name for x in turn.carried if x is not c and passing(book, c.step, replace(turn, carried=(x,)))]
    if others:
        return f"{c.name} changes with {', '.join(others[:3])} from turn to turn, in a way that no rule joins"
    return f"what a turn makes of {c.name} is no sum and no extreme"
