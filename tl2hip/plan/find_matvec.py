"""Finds a matrix times a vector: one reduction whose loads run along memory, and what is done around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.index import trip_count, value_of
from tl2hip.nest.ir import Axis, AxisRef, Const, Expr, If, Load, Loop, Set, Stmt, Store, Update, Var, While
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts
from tl2hip.plan.access import coefficient, contiguous, moves_with, multiplies, uses
from tl2hip.plan.block import gather
from tl2hip.plan.chain import Chain
from tl2hip.plan.gfx942 import ACCESS_BYTES
from tl2hip.plan.marks import TILE, said
from tl2hip.plan.matvec import MatrixVector
from tl2hip.plan.names import told
from tl2hip.plan.places import Place, vector_loads
from tl2hip.plan.reduce import partials
from tl2hip.plan.state import State
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.widen import LEAST_BYTES, check_side_by_side, combined


def near(chain: Chain, kinds: Mapping[str, AxisKind], *, along_rows: bool) -> bool:
    """Whether a nest looks like a matrix times a vector: one reduction stands inside its loops, over elements of a
    matrix that lie side by side along it, times others; or, where not `along_rows`, along a loop around it."""
    loops = [s for s in chain.body if isinstance(s, Loop)]
    if len(loops) != 1 or kinds[loops[0].axis.name].kind != "reduce":
        return False
    (loop,) = loops
    if any(isinstance(s, Loop | While) for s in all_stmts(loop.body)):
        return False
    indices = [e.index for e in all_exprs(loop.body) if isinstance(e, Load)]
    if along_rows:
        return multiplies(loops) and any(_in_rows(i, loop.axis, a) for i in indices for a in chain.axes)
    return any(
        _in_rows(i, a, loop.axis) and all(moves_with(i, x.name) for x in chain.axes)
        for i in indices
        for a in chain.axes
    )


def _in_rows(index: tuple[Expr, ...], along: Axis, across: Axis) -> bool:
    """Whether an access runs along one axis, and takes another row at each turn of the other."""
    apart = moves_with(index, across.name) and coefficient(index[-1], across.name) == 0
    return contiguous(index, along.name) and apart


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
        raise Unfit(f"a reduction over {told(loop.axis)} cannot be shared out")
    ahead, behind = _folded(body[:cut], body[cut + 1 :])
    own = [a.name for a in chain.axes if a is not row and value_of(trip_count(a.start, a.stop, 1)) != 1]
    streamed = tuple(p for p in matrix if all(moves_with(p[1], name) for name in own))
    return MatrixVector(
        chain, row, loop.axis, loop.body, parts, ahead, behind, matrix, vector, streamed, width, loop.at
    )


def _check(state: State, chain: Chain, loop: Loop, around: tuple[Stmt, ...]) -> None:
    """Raises Unfit where an axis does not count by 1 within bounds that the launcher knows, or has marks; where the
    loop does more than reduce scalars; where what stands around it may not wait until it is through."""
    for axis, at in zip((*chain.axes, loop.axis), (*chain.places, loop.at), strict=True):
        if axis.step != 1:
            raise Unfit(f"{told(axis)} does not count up by 1", at=at)
        for m in said(axis, at):
            way = "take the tile size out" if m.name == TILE else f"take {m.text} out"
            raise Unfit(f"this plan shares {told(axis)} out as it finds best, without {m.text}", way, at)
        if any(isinstance(p, Load | Var | AxisRef) for e in (axis.start, axis.stop) for p in all_parts(e)):
            raise Unfit(f"{told(axis)} does not start and end in the same place for all rows", at=at)
    if any(state.kinds[a.name].updates for a in chain.axes):
        raise Unfit("several rows update one element")
    kind = state.kinds[loop.axis.name]
    more = next((s for s in loop.body if not isinstance(s, Set)), None)
    if more is not None or kind.updates or kind.kind != "reduce" or not kind.reductions:
        why = f"the loop over {told(loop.axis)} does more than reduce"
        raise Unfit(why, at=loop.at if more is None else more.at)
    if any(len(r.variables) != 1 for r in kind.reductions):
        raise Unfit(f"several scalars are reduced over {told(loop.axis)} as one, as by argmax", at=loop.at)
    other = next((s for s in all_stmts(around) if not isinstance(s, Set | Store | Update | If)), None)
    if other is not None:
        raise Unfit("more than scalars and stores stands around the sum", at=other.at)
    _check_apart(state, loop, around)


def _check_apart(state: State, loop: Loop, around: tuple[Stmt, ...]) -> None:
    """Raises Unfit where what stands around a loop meets it in more than the scalars that it reduces, or may not be
    done by one lane behind it."""
    reduced = {r.variables[0] for r in state.kinds[loop.axis.name].reductions}
    inside, outside = uses(loop.body), uses(around)
    same = {x for a in outside.writes for x in (a, *state.same.get(a, ()))}
    for array in sorted(same & inside.reads):
        way = "store to an array of its own"
        raise Unfit(f"{array} is summed and may be stored to beside the sum", way, loop.at)
    for name in sorted((inside.gets | inside.sets) & (outside.gets | outside.sets) - reduced):
        raise Unfit(f"{name} is used in the sum and beside it", f"compute {name} inside the sum", loop.at)


def _places(
    state: State, chain: Chain, loop: Loop, along_rows: bool
) -> tuple[Axis, tuple[Place, ...], tuple[Place, ...]]:
    """The axis of rows, and the places that are loaded 16 bytes at a time: those of the matrix, which move with the
    rows, and those of the vector. Raises Unfit where no axis of the chain is one of rows."""
    for row in _candidates(chain):
        along, across = (loop.axis, row) if along_rows else (row, loop.axis)
        places = tuple(dict.fromkeys((e.array, e.index) for e in vector_loads(state, along, loop.body)))
        matrix = tuple(p for p in places if moves_with(p[1], across.name))
        vector = tuple(p for p in places if p not in matrix) if along_rows else ()
        slides = any(coefficient(index[-1], across.name) != 0 for _, index in matrix)
        if matrix and not slides:
            return row, matrix, vector
    for e in all_exprs(loop.body):
        for row in _candidates(chain):
            along, across = (loop.axis, row) if along_rows else (row, loop.axis)
            if isinstance(e, Load) and _in_rows(e.index, along, across):
                check_side_by_side(state, e, along, loop.at)
                raise Unfit(f"a window slides along {told(along)} beside {e.array}", at=loop.at)
    over = told(loop.axis)
    raise Unfit(
        f"no loop around {over} has rows that lie along memory" if along_rows
        else f"no loop around {over} has columns side by side in memory",
        at=loop.at,
    )


def _candidates(chain: Chain) -> Iterator[Axis]:
    """The axes of a chain, the innermost first; at last those with a single turn."""
    inner = chain.axes[::-1]
    alone = [value_of(trip_count(a.start, a.stop, 1)) == 1 for a in inner]
    for single in (False, True):
        yield from (a for a, one in zip(inner, alone, strict=True) if one is single)


def _width(state: State, places: tuple[Place, ...]) -> int:
    """Elements that move at a time. Raises Unfit where no access moves as many of all these arrays, or the user
    says another number."""
    arrays = [state.nest.array(a) for a, _ in places]
    wide, narrow = (pick(arrays, key=lambda a: a.dtype.bytes) for pick in (max, min))
    width = ACCESS_BYTES // wide.dtype.bytes
    if width * narrow.dtype.bytes < LEAST_BYTES:
        raise Unfit(f"{width} elements of {wide.name} fill an access, and so few of {narrow.name} make none")
    for a in arrays:
        for m in a.marks:
            if m.name == "vec" and m.value != width:
                raise Unfit(f"a lane moves {width} elements of {a.name} at a time", f"take {m.text} out", m.at)
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
