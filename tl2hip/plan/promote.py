"""Updates of one element all through a loop become a scalar, which is stored or merged once behind the loop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tl2hip.dtypes import DType
from tl2hip.nest.dependence import AxisKind, Reduction
from tl2hip.nest.index import value_of
from tl2hip.nest.ir import AxisRef, Call, Compare, Expr, If, Load, Logic, Loop, Set, Stmt, Store, Update, Var
from tl2hip.nest.walk import all_exprs, all_parts, all_stmts, map_stmts
from tl2hip.plan.access import uses
from tl2hip.plan.names import Names
from tl2hip.plan.reduce import identity, merge


@dataclass(frozen=True, slots=True)
class Promoted:
    """The statements around and of a loop, and the scalars that hold the sums of its axis.

    They may run only where `test` holds: where it does not, the loop does nothing, and its element may be none
    or another thread's. Without a test they may always run.
    """

    body: tuple[Stmt, ...]
    sums: frozenset[str]
    test: Expr | None = None


Element = tuple[str, tuple[Expr, ...]]
"""An array and an index into it."""


def written(ahead: Iterable[Stmt]) -> frozenset[Element]:
    """The elements that these statements surely write, by indices of axes and sizes alone.

    Whatever follows them in their body names the same element by the same index: it is there, and no other
    thread may have a part in it that this one has not.
    """
    stores = (s for s in ahead if isinstance(s, Store | Update) and s.proven)
    return frozenset(
        (s.array, s.index) for s in stores if not any(isinstance(p, Load | Var | Call) for p in _index(s))
    )


def promoted(
    loop: Loop,
    atomic: frozenset[str],
    dtypes: dict[str, DType],
    names: Names,
    before: frozenset[Element] = frozenset(),
) -> Promoted:
    """The loop with `C[i, j] += …` over its axis turned into a sum in a scalar: load, loop, store.

    Only for an element that stands still in the loop, that nothing else in it touches, and that no other thread
    updates. The new scalars are added to `dtypes`. An element `before`, which is `written` ahead of the loop, is
    stored back even where the loop does not run.
    """
    ahead: list[Stmt] = []
    behind: list[Stmt] = []
    sums: set[str] = set()
    test: Expr | None = None
    for array in dict.fromkeys(s.array for s in all_stmts(loop.body) if isinstance(s, Update)):
        update = _still(loop, array)
        if update is None or array in atomic:
            continue
        if (array, update.index) not in before:
            test = _ever(loop)
        dtype = update.value.dtype
        held = Var(names.fresh(f"{array}_held"), dtype)
        dtypes[held.name] = dtype
        sums |= {held.name} if update.op == "+" else set()
        ahead.append(Set(held.name, Load(array, update.index, dtype, update.proven, update.always), at=update.at))
        behind.append(Store(array, update.index, held, update.proven, update.always, at=update.at))
        loop = replace(loop, body=_into(loop.body, array, held))
    return Promoted((*ahead, loop, *behind), frozenset(sums), test)


def gathered(
    loop: Loop,
    kinds: dict[str, AxisKind],
    dtypes: dict[str, DType],
    names: Names,
    before: frozenset[Element] = frozenset(),
    *,
    keep: bool = False,
) -> tuple[Stmt, ...] | None:
    """The loop with `C[i] += …` over its axis turned into a reduction of a scalar, and one update behind it.

    For lanes and blocks that share the axis out: they combine a scalar in a tree, where updates would be
    atomics that all meet in one place. The axis' kind changes with it. None where nothing stands still.
    `before` are the elements `written` ahead of the loop: these are updated even where the loop does not run.
    `keep`: the scalar is used in more than one kernel.
    """
    kind = kinds[loop.axis.name]
    test = _ever(loop)
    ahead: list[Stmt] = []
    behind: list[Stmt] = []
    for u in kind.updates:
        update = _still(loop, u.array)
        if update is None:
            continue
        dtype = update.value.dtype
        held = Var(names.fresh(f"{u.array}_sum" if u.op == "+" else f"{u.array}_{u.op}", keep=keep), dtype)
        dtypes[held.name] = dtype
        ahead.append(Set(held.name, identity(u.op, dtype), at=update.at))
        once = replace(update, value=held)
        needed = None if (u.array, update.index) in before else test
        behind.append(once if needed is None else If(needed, (once,), at=update.at))
        loop = replace(loop, body=_into(loop.body, u.array, held))
        reduction = Reduction(u.op, (held.name,), update.at)
        kind = replace(
            kind,
            reductions=(*kind.reductions, reduction),
            updates=tuple(x for x in kind.updates if x.array != u.array),
        )
    kinds[loop.axis.name] = kind
    return (*ahead, loop, *behind) if ahead else None


def _still(loop: Loop, array: str) -> Update | None:
    """An update of the array, if all of them are of one element throughout the loop and it has no other use.

    One of them runs whenever the loop does (`_ever`): where none does the element may be another thread's, or
    none at all.
    """
    updates = [s for s in all_stmts(loop.body) if isinstance(s, Update) and s.array == array]
    always = any(isinstance(s, Update) and s.array == array for s in _alone(loop)[-1].body)
    if len({(u.index, u.proven) for u in updates}) != 1 or not always:
        return None
    if any(isinstance(s, Store) and s.array == array for s in all_stmts(loop.body)):
        return None
    if any(isinstance(e, Load) and e.array == array for e in all_exprs(loop.body)):
        return None
    touched = uses(loop.body)
    axes = {s.axis.name for s in all_stmts((loop,)) if isinstance(s, Loop)}
    return (
        updates[0] if not any(_moves(p, axes, touched.sets, touched.writes) for p in _index(updates[0])) else None
    )


def _alone(loop: Loop) -> tuple[Loop, ...]:
    """The loop and those inside it that are the whole body of the one around, in bounds that stand still."""
    found = [loop]
    while len(found[-1].body) == 1 and isinstance(inside := found[-1].body[0], Loop):
        axes = {x.axis.name for x in found}
        bounds = (*all_parts(inside.axis.start), *all_parts(inside.axis.stop))
        if any(isinstance(p, Load | Var) or (isinstance(p, AxisRef) and p.axis in axes) for p in bounds):
            break
        found.append(inside)
    return tuple(found)


def _ever(loop: Loop) -> Expr | None:
    """Whether the innermost body of `_alone` runs at all; None where it surely does."""
    test: Expr | None = None
    for axis in (x.axis for x in _alone(loop)):
        low, high = (axis.start, axis.stop) if axis.step > 0 else (axis.stop, axis.start)
        a, b = value_of(low), value_of(high)
        if a is None or b is None or a >= b:
            some = Compare("<", low, high)
            test = some if test is None else Logic("and", test, some)
    return test


def _index(u: Store | Update) -> tuple[Expr, ...]:
    return tuple(p for i in u.index for p in all_parts(i))


def _moves(p: Expr, axes: set[str], sets: frozenset[str], writes: frozenset[str]) -> bool:
    match p:
        case AxisRef(axis=name):
            return name in axes
        case Var(name=name):
            return name in sets
        case Load(array=name):
            return name in writes
        case _:
            return False


def _into(body: tuple[Stmt, ...], array: str, held: Var) -> tuple[Stmt, ...]:
    def stmt(s: Stmt) -> Stmt:
        if isinstance(s, Update) and s.array == array:
            return Set(held.name, merge(s.op, held, s.value), at=s.at)
        return s

    return map_stmts(stmt, body)
