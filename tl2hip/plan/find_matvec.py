"""Finds a matrix times a vector: one reduction whose loads run along memory, and what is done around it."""

from __future__ import annotations

from collections.abc import Iterator

from tl2hip.nest.index import trip_count, value_of
from tl2hip.nest.ir import Axis, AxisRef, Const, If, Load, Loop, Set, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts
from tl2hip.plan.access import coefficient, uses
from tl2hip.plan.block import gather
from tl2hip.plan.chain import Chain
from tl2hip.plan.gfx942 import ACCESS_BYTES
from tl2hip.plan.marks import vec
from tl2hip.plan.matvec import MatrixVector
from tl2hip.plan.names import called
from tl2hip.plan.reduce import partials
from tl2hip.plan.state import State, Unfit
from tl2hip.plan.widen import Place, combined, vector_loads


def found(state: State, chain: Chain, *, along_rows: bool) -> MatrixVector:
    """A chain around one reduction, whose loads go along the reduction or, where not `along_rows`, along an axis of
    the chain. Raises Unfit for any other chain."""
    body = gather(state, chain.body)
    loops = [s for s in body if isinstance(s, Loop)]
    if len(loops) != 1:
        raise Unfit("what is done for a row is not one loop over it")
    (loop,) = loops
    cut = body.index(loop)
    around = (*body[:cut], *body[cut + 1 :])
    _check(state, chain, loop, around)
    row, matrix, vector = _places(state, chain, loop, along_rows)
    width = _width(state, (*matrix, *vector))
    parts = partials(state.kinds[loop.axis.name].reductions, loop.axis, loop.body, state.dtypes, state.names)
    if parts is None:
        raise Unfit(f"a reduction over {called(loop.axis)} cannot be shared out")
    ahead, behind = _folded(body[:cut], body[cut + 1 :])
    own = [a.name for a in chain.axes if a is not row and value_of(trip_count(a.start, a.stop, 1)) != 1]
    streamed = tuple(p for p in matrix if all(_moves(p, name) for name in own))
    return MatrixVector(
        chain, row, loop.axis, loop.body, parts, ahead, behind, matrix, vector, streamed, width, loop.at
    )


def _check(state: State, chain: Chain, loop: Loop, around: tuple[Stmt, ...]) -> None:
    """Raises Unfit where an axis does not count by 1 within bounds that the launcher knows, or has marks; where the
    loop does more than reduce scalars; where what stands around it may not wait until it is through."""
    for axis in (*chain.axes, loop.axis):
        if axis.step != 1:
            raise Unfit(f"{called(axis)} does not count by 1")
        if axis.marks or axis.tile:
            raise Unfit(f"{called(axis)} has a tile or marks of its own")
        if any(isinstance(p, Load | Var | AxisRef) for e in (axis.start, axis.stop) for p in all_parts(e)):
            raise Unfit(f"the launcher does not know how far {called(axis)} goes")
    if any(state.kinds[a.name].updates for a in chain.axes):
        raise Unfit("several rows update one element")
    kind = state.kinds[loop.axis.name]
    plain = kind.kind == "reduce" and not kind.updates and all(len(r.variables) == 1 for r in kind.reductions)
    if not (plain and kind.reductions and all(isinstance(s, Set) for s in loop.body)):
        raise Unfit(f"the loop over {called(loop.axis)} does more than reduce")
    if not all(isinstance(s, Set | Store | Update | If) for s in all_stmts(around)):
        raise Unfit(f"there is a loop beside that over {called(loop.axis)}")
    if not _apart(state, loop, around):
        raise Unfit(f"what stands beside the loop over {called(loop.axis)} shares more with it than its sums")


def _apart(state: State, loop: Loop, around: tuple[Stmt, ...]) -> bool:
    """Whether what stands around a loop meets it in nothing but the scalars that it reduces, and may be done by
    one lane behind it."""
    reduced = {r.variables[0] for r in state.kinds[loop.axis.name].reductions}
    inside, outside = uses(loop.body), uses(around)
    same = {x for a in outside.writes for x in (a, *state.same.get(a, ()))}
    scalars = (inside.gets | inside.sets) & (outside.gets | outside.sets)
    return not same & inside.reads and scalars <= reduced


def _places(
    state: State, chain: Chain, loop: Loop, along_rows: bool
) -> tuple[Axis, tuple[Place, ...], tuple[Place, ...]]:
    """The axis of rows, and the places that are loaded 16 bytes at a time: those of the matrix, which move with the
    rows, and those of the vector. Raises Unfit where no axis of the chain is one of rows."""
    for row in _candidates(chain):
        along, across = (loop.axis, row) if along_rows else (row, loop.axis)
        places = tuple(dict.fromkeys((e.array, e.index) for e in vector_loads(state, along, loop.body)))
        matrix = tuple(p for p in places if _moves(p, across.name))
        vector = tuple(p for p in places if p not in matrix) if along_rows else ()
        slides = any(coefficient(index[-1], across.name) != 0 for _, index in matrix)
        if matrix and not slides:
            return row, matrix, vector
    over = called(loop.axis)
    raise Unfit(
        f"no axis around {over} has rows that lie along memory" if along_rows
        else f"no axis around {over} has columns side by side in memory"
    )


def _candidates(chain: Chain) -> Iterator[Axis]:
    """The axes of a chain, the innermost first; at last those with a single turn."""
    inner = chain.axes[::-1]
    alone = [value_of(trip_count(a.start, a.stop, 1)) == 1 for a in inner]
    for single in (False, True):
        yield from (a for a, one in zip(inner, alone, strict=True) if one is single)


def _moves(place: Place, axis: str) -> bool:
    """Whether a place is another one at each turn of an axis."""
    return any(coefficient(i, axis) != 0 for i in place[1])


def _width(state: State, places: tuple[Place, ...]) -> int:
    """Elements that move at a time. Raises Unfit where that is only one, or not as many as the user says."""
    arrays = [state.nest.array(a) for a, _ in places]
    sizes = [a.dtype.bytes for a in arrays]
    width = ACCESS_BYTES // max(sizes)
    if width < 2 or width * min(sizes) < 4:
        raise Unfit("its elements cannot be moved several at a time")
    if any(n is not None and n != width for n in map(vec, arrays)):
        raise Unfit(f"marks say other than {width} elements at a time")
    return width


def _folded(ahead: tuple[Stmt, ...], behind: tuple[Stmt, ...]) -> tuple[tuple[Stmt, ...], tuple[Stmt, ...]]:
    """`y[i] = 0` ahead of a loop and `y[i] += s` behind it as one store of `0 + s`."""
    for start in ahead:
        others = tuple(s for s in all_stmts((*ahead, *behind)) if s is not start)
        if not isinstance(start, Store) or not isinstance(start.value, Const):
            continue
        uses_of = [s for s in others if isinstance(s, Store | Update) and s.array == start.array]
        loaded = any(isinstance(e, Load) and e.array == start.array for e in all_exprs((*ahead, *behind)))
        update = uses_of[0] if len(uses_of) == 1 and not loaded else None
        if isinstance(update, Update) and update.index == start.index and update in behind:
            value = combined(update.op, start.value, update.value)
            store = Store(start.array, start.index, value, start.proven, start.always, at=update.at)
            return tuple(s for s in ahead if s is not start), tuple(store if s is update else s for s in behind)
    return ahead, behind
