"""`for` and `while`: their ranges, and the names they carry from one turn to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tl2hip.dtypes import BOOL, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold, sequences
from tl2hip.nest.build.assign import poison, put
from tl2hip.nest.build.broadcast import operand
from tl2hip.nest.build.context import Binding, Bound, Context, Result, Tiling, Told, Unreadable
from tl2hip.nest.build.expand import fill, outermost_moving
from tl2hip.nest.build.expressions import test
from tl2hip.nest.build.jumps import breaks, without_break
from tl2hip.nest.build.last import bind_last, follow
from tl2hip.nest.build.linear import same
from tl2hip.nest.build.marks import check_split, tiling_of_call
from tl2hip.nest.build.merge import assigned, carry, filler, meet, not_kept, set_to, undefined, warn_narrow
from tl2hip.nest.build.names import means
from tl2hip.nest.build.types import Typed, instead
from tl2hip.nest.build.values import ScalarValue, View
from tl2hip.nest.walk import all_parts, all_stmts, substitute
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import NOWHERE, Span

Build = Callable[[Context, tuple[nodes.Stmt, ...]], None]

Entry = Typed | Binding
"""How a name enters a loop: carried in a local of a type, or as the one thing it always is."""

_ROUNDS = 8
"""Trials of a loop's body until its carried types are stable; types only widen, so fewer are needed."""


@dataclass(frozen=True, slots=True)
class Level:
    """One loop of a `for`: its axis and what its target is at each index, or the items it is written out for.
    `axis` is None there. `item` is None where what it runs over was refused. `ranges`: the target is the index."""

    axis: ir.Axis | None
    item: Callable[[ir.Expr], Result] | None
    items: tuple[Result, ...] = ()
    ranges: bool = False


def for_loop(ctx: Context, s: nodes.For, build: Build) -> None:
    """A loop over a range, an array, a tuple, `enumerate`, `zip`, or a product of some. What it runs over is worked
    out once, before the first turn."""
    user = _user(s.target)
    try:
        levels = _levels(ctx, s)
    except (Refused, Told) as stop:
        if isinstance(stop, Refused):
            ctx.tell(stop.problem)
        ctx.looped.add(user)
        levels = (Level(ir.Axis(ctx.claim(user or "i"), fold.number(0), fold.number(0), user=user), None),)
    before, copy, left_early = ctx.state.names.get(user), "", breaks(s.body)
    over = levels[0].axis if len(levels) == 1 and levels[0].ranges else None
    if left_early:
        copy = follow(ctx, s, over) if over else ""
        s = replace(s, body=_left_early(ctx, s, copy))
    axis = _nested(ctx, s, levels, (), build)
    if left_early or any(x.axis for x in levels):
        bind_last(ctx, s, axis if over else None, copy, before)


def _left_early(ctx: Context, s: nodes.For, copy: str) -> tuple[nodes.Stmt, ...]:
    """The body of a loop with a `break`: under a flag, and with a copy of its variable where one is asked for."""
    going, at = _flag(ctx, s.at), s.body[0].at
    kept = (nodes.Assign((nodes.Name(copy, at=at),), s.target, at=at),) if copy else ()
    return (nodes.If(nodes.Name(going), (*kept, *without_break(s.body, going)), (), at=at),)


def _nested(
    ctx: Context, s: nodes.For, levels: tuple[Level, ...], found: tuple[Result | None, ...], build: Build
) -> ir.Axis | None:
    """The loops of the levels that are left, in those that gave the items `found`; the axis of the outermost."""
    if not levels:
        _turn(ctx, s, found, build)
        return None
    first, rest = levels[0], levels[1:]
    if first.axis is None:
        for item in first.items:
            _nested(ctx, s, rest, (*found, item), build)
        return None
    axis, item_at = first.axis, first.item
    outer, known = dict(ctx.axes), _for_proofs(axis)

    def turn() -> None:
        ctx.axes[axis.name] = known
        item = None if item_at is None else item_at(ir.AxisRef(axis.name))
        _nested(ctx, s, rest, (*found, item), build)

    targets = assigned((nodes.For(s.target, s.iterable, ()),))
    names = tuple(n for n in assigned(s.body) if n not in targets)
    body = _carried(ctx, names, turn, s.at)
    ctx.axes = outer
    axis = _settled_bounds(ctx, axis, body)
    ctx.emit(ir.Loop(axis, body, at=s.at))
    return axis


def _turn(ctx: Context, s: nodes.For, found: tuple[Result | None, ...], build: Build) -> None:
    """The innermost body, its target bound: to one item, or to a tuple of one from each level."""
    items = tuple(item for item in found if item is not None)
    if len(items) < len(found):
        poison(ctx, (s.target,))
    else:
        put(ctx, s.target, items if sequences.is_product(ctx, s.iterable) else items[0], s.target.at)
    build(ctx, s.body)


def _flag(ctx: Context, at: Span) -> str:
    """A name that says whether a loop with a `break` goes on: true from here."""
    going = ctx.unused("go")
    put(ctx, nodes.Name(going, at=at), ScalarValue(ir.Const(True, BOOL), weak=True), at)
    return going


def _user(target: nodes.Expr) -> str:
    """The name of the loop variable that counts: the first one."""
    first = target.items[0] if isinstance(target, nodes.Tuple_) and target.items else target
    return first.id if isinstance(first, nodes.Name) else ""


def _levels(ctx: Context, s: nodes.For) -> tuple[Level, ...]:
    """The loops that a `for` stands for, the outermost first."""
    iterable, tiling = s.iterable, None
    if isinstance(iterable, nodes.Call) and means(ctx, iterable.func) == "tl2hip.tiled":
        if not iterable.args:
            raise Refused(problems.NotARange(at=iterable.at))
        tiling = replace(tiling_of_call(ctx, iterable), blocks=s.blocks)
        iterable = iterable.args[0]
    found = sequences.levels(ctx, iterable)
    users = [_user(s.target)]
    if sequences.is_product(ctx, iterable):
        if tiling is not None:
            way = "write `i: Tile[int, …]` for a variable of it above the loop"
            raise Refused(problems.NotSupported("`tiled` of a product of loops", way, at=iterable.at))
        targets = s.target.items if isinstance(s.target, nodes.Tuple_) else ()
        users = [_user(t) for t in targets] if len(targets) == len(found) else [""] * len(found)
    return tuple(_level(ctx, user, tiling, seq) for user, seq in zip(users, found, strict=True))


def _level(ctx: Context, user: str, tiling: Tiling | None, seq: sequences.Sequence) -> Level:
    ctx.looped.add(user)
    if seq.listed:
        return Level(None, None, seq.items)
    tiling = tiling or ctx.state.tilings.get(user)
    if seq.bounds is not None:
        axis = _marked_axis(ctx, user, tiling, *seq.bounds)
        return Level(axis, lambda k: ScalarValue(k, weak=True), ranges=True)
    if not seq.counts:
        tiling, user = None, ""
    return Level(_marked_axis(ctx, user, tiling, fold.number(0), seq.length, 1), seq.item)


def _marked_axis(
    ctx: Context, user: str, tiling: Tiling | None, start: ir.Expr, stop: ir.Expr, step: int
) -> ir.Axis:
    if tiling is not None:
        ctx.marked.add(user)
        check_split(ctx.tiles.get(user, tiling.tile), tiling.marks, tiling.at)
    tile = ctx.tiles.get(user, tiling.tile if tiling else None)
    name = ctx.claim(user) if user else ctx.fresh("k")
    marks, tile_at = (tiling.marks, tiling.tile_at) if tiling else ((), NOWHERE)
    blocks = tiling is not None and tiling.blocks
    return ir.Axis(name, start, stop, step, user, tile, marks, blocks, tile_at=tile_at)


class _NeedsStatements(Exception):
    """Raised where the test of a `while` is more than an expression."""


def while_loop(ctx: Context, s: nodes.While, build: Build) -> None:
    """A `while`. A test that needs statements of its own is asked inside, where they run each turn."""
    state = ctx.state.copy()
    try:
        _while(ctx, s, build)
    except _NeedsStatements:
        ctx.state = state
        leave = nodes.If(nodes.Unary("not", s.test, at=s.test.at), (nodes.Break(at=s.at),), (), at=s.test.at)
        _while(ctx, replace(s, test=nodes.Bool(True, at=s.test.at), body=(leave, *s.body)), build)


def _while(ctx: Context, s: nodes.While, build: Build) -> None:
    if breaks(s.body):
        going = _flag(ctx, s.at)
        asked = nodes.Logic("and", (nodes.Name(going, at=s.test.at), s.test), at=s.test.at)
        s = replace(s, test=asked, body=without_break(s.body, going))
    tests: list[ir.Expr] = []

    def turn() -> None:
        with ctx.block() as needed:
            tests.append(test(ctx, s.test))
        if needed:
            raise _NeedsStatements
        build(ctx, s.body)

    body = _carried(ctx, assigned(s.body), turn, s.at)
    ctx.emit(ir.While(tests[-1], body, at=s.at))


# --- carried names ---------------------------------------------------------------------------------------


def _carried(ctx: Context, names: tuple[str, ...], turn: Callable[[], None], at: Span) -> tuple[ir.Stmt, ...]:
    """The body of a loop, built again until the types that its names enter with are those they leave with.

    Emits before the loop the locals that carry names into it, and leaves the names as they are after it.
    """
    before = {n: ctx.state.names[n] for n in names if n in ctx.state.names}
    entering = {n: _entry(b) for n, b in before.items()}
    start = ctx.state
    for _ in range(_ROUNDS):
        ctx.state = start.copy()
        for name, how in entering.items():
            ctx.state.names[name] = _bound(ctx, name, how, before[name])
        with ctx.block() as body:
            turn()
        filled = _filled(ctx, names, before, entering)
        if not _widened(ctx, before, entering) and not filled:
            break
    for name, how in entering.items():
        _close(ctx, name, how, before[name], body, at)
    for name in names:
        if name not in before:
            reason = "a loop without turns gives it none"
            ctx.state.names[name] = undefined(name, reason, "the loop")
    return tuple(body)


def _filled(ctx: Context, names: tuple[str, ...], before: dict[str, Binding], entering: dict[str, Entry]) -> bool:
    """Whether a result was given its first value in the body; it then enters the loop with one of that type."""
    new = [n for n in names if n in ctx.results and n not in before and n in ctx.state.names]
    for name in new:
        before[name] = filler(ctx.state.names[name])
        entering[name] = _entry(before[name])
    return bool(new)


def _entry(b: Binding) -> Entry:
    if isinstance(b, Bound) and isinstance(b.value, ScalarValue):
        return Typed(b.value.dtype, b.value.weak, instead=b.value.instead)
    return b


def _bound(ctx: Context, name: str, how: Entry, before: Binding) -> Binding:
    if isinstance(how, Typed):
        return carry(ctx, name, how, before.at if isinstance(before, Bound) else NOWHERE)
    return how


def _widened(ctx: Context, before: dict[str, Binding], entering: dict[str, Entry]) -> bool:
    """Whether a name left the body as something else than it entered; `entering` then holds what it must be."""
    changed = False
    for name, how in list(entering.items()):
        entered = _bound(ctx, name, how, before[name])
        found = _met(ctx, name, entered, before[name])
        if isinstance(found, Bound) and isinstance(found.value, ScalarValue):
            continue
        if isinstance(found, Unreadable) and (found.problem is None or isinstance(how, Unreadable)):
            continue  # what was refused in this trial must not be forgotten in another
        if found is not how and found != how and not _copied_back(ctx, name, how):
            entering[name] = _from_start(how, found, before[name])
            changed = True
    return changed


def _from_start(how: Entry, found: Entry, before: Binding) -> Entry:
    """What a name must enter a loop as. Where a trial has shown that it leaves it strong, the Python numbers that
    the trial made of it are none: it may still be what it started as, and the next trial shows what else."""
    if not isinstance(how, Typed) or not isinstance(found, Typed) or not how.weak or found.weak:
        return found
    assert isinstance(before, Bound) and isinstance(before.value, ScalarValue)
    return replace(found, instead=instead(before.value, found.weak))


def _met(ctx: Context, name: str, entered: Binding, before: Binding) -> Binding | Typed:
    """What a name must enter a loop as, by what it leaves the body as. A constant that it starts as has to be one
    of the type; of other Python numbers `_close` asks, once their types are stable."""
    found = meet(ctx, name, entered, ctx.state.names.get(name), reason="")
    if isinstance(found, Typed) and isinstance(before, Bound) and isinstance(before.value, ScalarValue):
        problem = not_kept(ctx, name, before.value, found)
        if problem is not None and isinstance(before.value.expr, ir.Const):
            return Unreadable(problem)
    return found


def _close(ctx: Context, name: str, how: Entry, before: Binding, body: list[ir.Stmt], at: Span) -> None:
    """Puts a carried name into its local before the first turn and after each."""
    left = ctx.state.names[name]
    if isinstance(left, Unreadable):
        return
    if not isinstance(how, Typed):
        if _copied_back(ctx, name, how):
            _copy_back(ctx, name, how, body)
        ctx.state.names[name] = how
        return
    last = set_to(ctx, name, how, left, left.at)
    if last is not None:
        body.append(last)
    assert isinstance(before, Bound) and isinstance(before.value, ScalarValue)
    first = set_to(ctx, name, how, before, before.at)
    if first is not None:
        ctx.emit(first)
    problem = not_kept(ctx, name, before.value, how)
    if problem is not None:
        ctx.tell(problem(before.at))
    warn_narrow(ctx, name, Typed.of(before.value), how, before.at, body)
    ctx.state.names[name] = carry(ctx, name, how, before.at)


def _array_of(ctx: Context, b: Binding | Typed | None) -> View | None:
    """The whole local array that a name is bound to."""
    if not isinstance(b, Bound) or not isinstance(b.value, View) or not b.value.shape:
        return None
    local = ctx.state.arrays[b.value.array].role == "local"
    return b.value if local and all(b.value.whole) else None


def _copied_back(ctx: Context, name: str, how: Entry) -> bool:
    """Whether a name that is an array of its own leaves a turn as another one of the same kind: then the
    elements are copied, as no other name can tell."""
    entered, left = _array_of(ctx, how), _array_of(ctx, ctx.state.names.get(name))
    if entered is None or left is None or ctx.scope or entered.array == left.array:
        return False
    shared = any(
        isinstance(b, Bound) and isinstance(b.value, View) and b.value.array in (entered.array, left.array)
        for other, b in ctx.state.names.items()
        if other != name
    )
    alike = entered.dtype is left.dtype and len(entered.shape) == len(left.shape)
    return alike and not shared and all(map(same, entered.shape, left.shape))


def _copy_back(ctx: Context, name: str, how: Entry, body: list[ir.Stmt]) -> None:
    entered, left = _array_of(ctx, how), ctx.state.names[name]
    assert entered is not None and isinstance(left, Bound) and isinstance(left.value, View)
    outer, ctx.out, ctx.at = (ctx.out, ctx.at), body, left.at
    fill(ctx, entered, operand(left.value), left.at)
    ctx.out, ctx.at = outer


# --- ranges ----------------------------------------------------------------------------------------------


def _for_proofs(axis: ir.Axis) -> ir.Axis:
    """The axis with bounds that proofs may use: what a turn may change stands for something unknown."""

    def known(e: ir.Expr, side: str) -> ir.Expr:
        hidden: dict[ir.Expr, ir.Expr] = {
            m: ir.Var(f"?{axis.name}.{side}.{k}", I64) for k, m in enumerate(outermost_moving(e))
        }
        return substitute(e, hidden)

    return replace(axis, start=known(axis.start, "start"), stop=known(axis.stop, "stop"))


def _settled_bounds(ctx: Context, axis: ir.Axis, body: tuple[ir.Stmt, ...]) -> ir.Axis:
    """The axis with every bound that the body changes worked out before the loop, as Python does."""
    changed = {s.name for s in all_stmts(body) if isinstance(s, ir.Set)}
    stored = {s.array for s in all_stmts(body) if isinstance(s, ir.Store | ir.Update)}

    def settled(e: ir.Expr) -> ir.Expr:
        for p in all_parts(e):
            if (isinstance(p, ir.Var) and p.name in changed) or (isinstance(p, ir.Load) and p.array in stored):
                return ctx.temporary(e, f"{axis.name}_end")
        return e

    return replace(axis, start=settled(axis.start), stop=settled(axis.stop))
