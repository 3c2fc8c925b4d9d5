"""Local arrays taken into their readers, as the functions of the index that they are.

    t = np.empty(N)                       for i in range(N):
    for i in range(N):          ->            y[i] = f32(x[i] * 2) + f32(x[i] * 2)
        t[i] = x[i] * 2
    for i in range(N):
        y[i] = t[i] + t[i]

Only where no value can change: the array is written whole, once, by one store before all its readers; every
read is proven to lie in it; and nothing that the stored expression uses changes before the last of them. The
rounding to the array's dtype stays, as a cast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tl2hip.nest.bounds import prove
from tl2hip.nest.ir import (
    Alloc,
    Array,
    AxisRef,
    Binary,
    Call,
    Cast,
    Const,
    Dim,
    Expr,
    If,
    Load,
    Loop,
    Nest,
    Scalar,
    Set,
    Stmt,
    Store,
    Update,
    Var,
    While,
)
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, blocks, map_exprs, own_exprs, substitute

CHEAP = 4
"""Operations that may be done again at each read; an element that is read once may cost anything."""

SLOW = ("/", "//", "%", "**")


@dataclass(frozen=True, slots=True)
class Function:
    """A local array as a function: its element at `axes` is `value`. `loop` is the statement that fills it,
    `blank` one that filled it before (with zeros) to no effect."""

    array: str
    axes: tuple[str, ...]
    value: Expr
    loop: Loop
    blank: Loop | None = None


def forward(nest: Nest) -> Nest:
    """The nest without the local arrays that its readers can do without."""
    if not any(a.role == "local" for a in nest.arrays):
        return nest
    nest = prove(nest)
    for a in nest.arrays:
        if a.role == "local" and a.name not in (*nest.distinct, *nest.offsets):
            nest = _without(nest, a)
    return nest


def _without(nest: Nest, array: Array) -> Nest:
    """The nest without one local array, or as it was."""
    uses = [s for s in all_stmts(nest.body) if isinstance(s, Alloc | Store | Update) and s.array == array.name]
    if sum(isinstance(s, Alloc) for s in uses) != 1 or any(isinstance(s, Update) for s in uses):
        return nest
    block = _block_of(nest.body, array.name)
    function = _function(block, array)
    if function is None or _anchored(nest, function):
        return nest
    readers = block[block.index(function.loop) + 1 :]
    if not _steady(function, readers, nest) or not _worth(function, readers) or _marked(function, readers):
        return nest
    arrays = tuple(a for a in nest.arrays if a.name != array.name)
    return replace(nest, arrays=arrays, body=_replaced(nest.body, function))


def _block_of(body: tuple[Stmt, ...], array: str) -> tuple[Stmt, ...]:
    """The body that an array comes to life in."""
    if any(isinstance(s, Alloc) and s.array == array for s in body):
        return body
    inside = (b for s in body for b in blocks(s))
    return next((found for b in inside if (found := _block_of(b, array))), ())


# --- what the array is -----------------------------------------------------------------------------------


def _function(block: tuple[Stmt, ...], array: Array) -> Function | None:
    """The array as a function, where one loop nest of its block stores every element once; it may have been
    filled once before, unread."""
    stores = [s for s in block if any(isinstance(x, Store) and x.array == array.name for x in all_stmts((s,)))]
    fills = [_filled(s, array) if isinstance(s, Loop) else None for s in stores]
    match fills:
        case [Function() as only]:
            return only
        case [Function(loop=blank), Function() as last]:
            between = block[: block.index(last.loop)]
            return None if _reads(between, array.name) else replace(last, blank=blank)
    return None


def _filled(outer: Loop, array: Array) -> Function | None:
    axes = {}
    s: Stmt = outer
    while isinstance(s, Loop):
        if len(s.body) != 1 or s.axis.step != 1 or s.axis.start != Const(0, s.axis.start.dtype):
            return None
        axes[s.axis.name] = s.axis
        s = s.body[0]
    if not isinstance(s, Store) or s.array != array.name or not s.proven:
        return None
    names = [i.axis for i in s.index if isinstance(i, AxisRef)]
    if len(names) != len(s.index) or sorted(names) != sorted(axes):
        return None
    for name, extent in zip(names, array.shape, strict=True):
        if axes[name].stop != extent or any(isinstance(p, Var | AxisRef) for p in all_parts(extent)):
            return None
    if any(isinstance(p, Load) and p.array == array.name for p in all_parts(s.value)):
        return None
    return Function(array.name, tuple(names), _rounded(s.value, array), outer)


def _rounded(value: Expr, array: Array) -> Expr:
    """The value as the array would hold it: a store of a float rounds in the reference too."""
    if not array.dtype.is_float or isinstance(value, Load | Const):
        return value
    if isinstance(value, Cast):
        return replace(value, explicit=True)
    return Cast(value, array.dtype, explicit=True)


def _anchored(nest: Nest, function: Function) -> bool:
    """Whether an idiom of the nest speaks of the loops that would go."""
    gone = [s for s in (function.loop, function.blank) if s is not None]
    axes = {s.axis.name for s in all_stmts(gone) if isinstance(s, Loop)}
    return any(not axes.isdisjoint(names) for idiom in nest.idioms for _, names in idiom.axes)


def _marked(function: Function, readers: tuple[Stmt, ...]) -> bool:
    """Whether the user says of a loop that would go what no reader's loop of that name says as well."""
    kept = [s.axis for s in all_stmts(readers) if isinstance(s, Loop)]
    said = {(a.user, a.tile, a.marks) for a in kept}
    gone = [s.axis for s in all_stmts((function.loop,)) if isinstance(s, Loop)]
    return any((a.marks or a.tile is not None) and (a.user, a.tile, a.marks) not in said for a in gone)


# --- whether it may and should go ------------------------------------------------------------------------


def _steady(function: Function, readers: tuple[Stmt, ...], nest: Nest) -> bool:
    """Whether all reads are later, sure to be inside, and find what the value uses unchanged."""
    everywhere = [p for p in all_exprs(nest.body) if isinstance(p, Load) and p.array == function.array]
    reads = [p for p in all_exprs(readers) if isinstance(p, Load) and p.array == function.array]
    if len(reads) != len(everywhere) or not all(p.proven for p in reads):
        return False
    last = max((n for n, s in enumerate(readers) if _reads((s,), function.array)), default=-1)
    window = list(all_stmts(readers[: last + 1]))
    changed = {s.array for s in window if isinstance(s, Store | Update | Alloc)}
    changed |= {s.name for s in window if isinstance(s, Set)}
    used = {p.array for p in all_parts(function.value) if isinstance(p, Load)}
    used |= {p.name for p in all_parts(function.value) if isinstance(p, Var)}
    return used.isdisjoint(changed)


def _reads(body: tuple[Stmt, ...], array: str) -> bool:
    return any(isinstance(p, Load) and p.array == array for p in all_exprs(body))


def _worth(function: Function, readers: tuple[Stmt, ...]) -> bool:
    """Whether it costs little to compute the value again at each read, or each element is read once at most."""
    if _cost(function.value) <= CHEAP:
        return True
    counts = list(_readings(readers, function, ()))
    return len(counts) <= 1 and all(counts)


def _cost(e: Expr) -> int:
    """Operations of an expression; a function or a division counts as many."""
    total = 0
    for p in all_parts(e):
        match p:
            case Const() | AxisRef() | Dim() | Scalar() | Var() | Cast():
                pass
            case Call():
                total += CHEAP + 1
            case Binary(op=op) if op in SLOW:
                total += CHEAP + 1
            case _:
                total += 1
    return total


def _readings(body: tuple[Stmt, ...], function: Function, axes: tuple[str, ...]) -> Iterator[bool]:
    """For each read, whether it takes each element at most once: at plain axes, all that it stands in."""
    for s in body:
        for e in own_exprs(s):
            for p in all_parts(e):
                if isinstance(p, Load) and p.array == function.array:
                    names = [i.axis for i in p.index if isinstance(i, AxisRef)]
                    yield len(names) == len(p.index) and sorted(names) == sorted(axes)
        match s:
            case Loop(axis=axis, body=inner):
                yield from _readings(inner, function, (*axes, axis.name))
            case While(body=inner):
                yield from (False for read in _readings(inner, function, axes))
            case If():
                for inner in blocks(s):
                    yield from _readings(inner, function, axes)
            case _:
                pass


# --- taking it out ---------------------------------------------------------------------------------------


def _replaced(body: tuple[Stmt, ...], function: Function) -> tuple[Stmt, ...]:
    """A body without the array's Alloc and its loop, its reads replaced by the value."""

    def read(e: Expr) -> Expr:
        if isinstance(e, Load) and e.array == function.array:
            axes = (AxisRef(name) for name in function.axes)
            return substitute(function.value, dict(zip(axes, e.index, strict=True)))
        return e

    return map_exprs(read, _dropped(body, function))


def _dropped(body: tuple[Stmt, ...], function: Function) -> tuple[Stmt, ...]:
    out: list[Stmt] = []
    for s in body:
        if s in (function.loop, function.blank) or (isinstance(s, Alloc) and s.array == function.array):
            continue
        match s:
            case Loop(body=inner) | While(body=inner):
                s = replace(s, body=_dropped(inner, function))
            case If(then=then, orelse=orelse):
                s = replace(s, then=_dropped(then, function), orelse=_dropped(orelse, function))
            case _:
                pass
        out.append(s)
    return tuple(out)
