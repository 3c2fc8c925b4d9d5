"""Assignments: to names, elements, slices and tuples of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tl2hip.dtypes import BOOL, I64, DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold, operators, slices, stores
from tl2hip.nest.build.context import Bound, Context, Listed, Result, Unreadable
from tl2hip.nest.build.expand import frozen, materialise
from tl2hip.nest.build.names import means
from tl2hip.nest.build.operands import value
from tl2hip.nest.build.products import matmul
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value, View
from tl2hip.nest.walk import all_parts
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

_LARGEST_IN_PLACE = 12
"""Nodes of an index expression that is written where its name is used; larger ones get a local."""


def assign(ctx: Context, s: nodes.Assign) -> None:
    """`a = b = value`: the value once, then each target from the left."""
    single = s.targets[0]
    ctx.naming = single.id if isinstance(single, nodes.Name) and isinstance(s.value, nodes.Call) else ""
    ctx.whole = s.value
    ctx.stored = (_element_type(ctx, s.targets), frozenset(_choices(ctx, s.value)))
    found = _kept(ctx, ctx.evaluate(ctx, s.value), s.targets[:-1])
    ctx.naming = ""
    for target in s.targets:
        put(ctx, target, found, s.at)


def _element_type(ctx: Context, targets: tuple[nodes.Expr, ...]) -> DType | None:
    """The dtype of the array of a name that the one target is in."""
    match targets:
        case (nodes.Subscript(value=nodes.Name(id=name)),):
            held = getattr(ctx.state.names.get(name), "value", None)
            return held.dtype if isinstance(held, View) else None
        case _:
            return None


def _choices(ctx: Context, e: nodes.Expr) -> Iterator[Span]:
    """The places of `max`, `min` and conditional expressions that give one of their values as what `e` is."""
    match e:
        case nodes.IfExp(then=then, orelse=orelse):
            items: tuple[nodes.Expr, ...] = (then, orelse)
        case nodes.Call(args=args) if means(ctx, e.func) in ("builtins.max", "builtins.min"):
            items = args
        case _:
            return
    yield e.at
    for item in items:
        yield from _choices(ctx, item)


def put(ctx: Context, target: nodes.Expr, found: Result, at: Span) -> None:
    """Gives a value to a target."""
    match target:
        case nodes.Name(id=name):
            bind(ctx, name, found, at)
        case nodes.Tuple_(items=items) | nodes.List_(items=items):
            _unpack(ctx, items, found, at)
        case nodes.Subscript():
            if isinstance(found, tuple):
                raise Refused(
                    problems.NotSupported("a tuple stored into an array", "store its items one by one", at=at)
                )
            stores.store(ctx, place(ctx, target), found, at)
        case _:
            raise Refused(
                problems.NotSupported("this target", "assign to a name, an element or a slice", at=target.at)
            )


def place(ctx: Context, target: nodes.Subscript) -> View:
    """The place in an array that a subscript names."""
    base = value(ctx, target.value)
    found = slices.subscript(ctx, base, target.index, target.at)
    if not isinstance(found, View):
        way = "store into an array, an element or a slice of it; write a loop for an array of indices"
        raise Refused(problems.NotSupported("storing here", way, at=target.at))
    return found


def _unpack(ctx: Context, items: tuple[nodes.Expr, ...], found: Result, at: Span) -> None:
    """All values are read before any target is written."""
    if not isinstance(found, tuple):
        raise Refused(problems.NotSupported("unpacking an array", "index it: `x, y = p[0], p[1]`", at=at))
    if len(found) != len(items):
        what = f"unpacking {len(found)} values into {len(items)} names"
        raise Refused(problems.NotSupported(what, "make the counts equal", at=at))
    ready = [_kept(ctx, v, items[:k]) for k, v in enumerate(found)]
    for target, v in zip(items, ready, strict=True):
        put(ctx, target, v, at)


def _kept(ctx: Context, found: Result, earlier: tuple[nodes.Expr, ...]) -> Result:
    """A value that the targets before its own would change, held in a local first."""
    if not earlier:
        return found
    if isinstance(found, tuple):
        return tuple(_kept(ctx, v, earlier) for v in found)
    if isinstance(found, ScalarValue):
        return _held_apart(ctx, found, earlier)
    if not found.shape and isinstance(found, View):
        return _held_apart(ctx, ScalarValue(ir.Load(found.array, found.index(()), found.dtype)), earlier)
    if isinstance(found, ArrayValue):
        return materialise(ctx, found, "copy", ctx.at)
    return found


def _held_apart(ctx: Context, found: ScalarValue, earlier: tuple[nodes.Expr, ...]) -> ScalarValue:
    targets = [leaf for t in earlier for leaf in _leaves(t)]
    names = {t.id for t in targets if isinstance(t, nodes.Name)}
    written = {v for (name, _), v in ctx.state.versions.items() if name.removeprefix(ctx.scope) in names}
    stores_too = any(not isinstance(t, nodes.Name) for t in targets)
    for e in all_parts(found.expr):
        if (isinstance(e, ir.Var) and e.name in written) or (isinstance(e, ir.Load) and stores_too):
            return replace(found, expr=ctx.temporary(found.expr, "next"))
    return found


def _leaves(target: nodes.Expr) -> Iterator[nodes.Expr]:
    """The names and places that a target is made of."""
    if isinstance(target, nodes.Tuple_ | nodes.List_):
        for item in target.items:
            yield from _leaves(item)
    else:
        yield target


def bind(ctx: Context, name: str, found: Result, at: Span) -> None:
    """Gives a name a value: constants and index arithmetic stand for themselves wherever the name is read,
    other numbers go into a local, an array expression into a local array; a view aliases."""
    if isinstance(found, tuple):
        ctx.state.names[name] = Bound(settled(ctx, found), at)
    elif isinstance(found, ScalarValue):
        bind_scalar(ctx, name, found, at)
    elif not found.shape:
        bind_scalar(ctx, name, _loaded(found), at)
    elif isinstance(found, ArrayValue):
        _check_own(found, at)
        ctx.state.names[name] = Bound(materialise(ctx, found, name, at, claimed=True), at)
    else:
        ctx.state.names[name] = Bound(frozen(ctx, found), at)


def _loaded(found: View | ArrayValue) -> ScalarValue:
    if isinstance(found, View):
        return ScalarValue(ir.Load(found.array, found.index(()), found.dtype))
    return ScalarValue(found.element(()), found.weak)


def settled(ctx: Context, found: Result) -> Result:
    """A value that stays what it is now, whatever happens to the names in it."""
    if isinstance(found, tuple):
        items = (settled(ctx, v) for v in found)
        return Listed(items) if isinstance(found, Listed) else tuple(items)
    if not isinstance(found, ScalarValue) and not found.shape:
        found = _loaded(found)
    if isinstance(found, ScalarValue):
        return found if stays(found.expr) else replace(found, expr=ctx.temporary(found.expr, "item"))
    if isinstance(found, ArrayValue):
        _check_own(found, ctx.at)
        return materialise(ctx, found, "item", ctx.at)
    return frozen(ctx, found)


def _check_own(found: ArrayValue, at: Span) -> None:
    """Refuses to keep what would be a copy here, and is a view in NumPy for some sizes."""
    if found.shares:
        what = "a name for axes that NumPy may have as a view of the array or as a copy"
        raise Refused(problems.NotSupported(what, "say that a copy is meant, with `.copy()` behind it", at=at))


def stays(e: ir.Expr) -> bool:
    """Whether an expression means the same wherever its name is in reach, and is cheap: a constant, or a
    little integer arithmetic (or a test of it) over axes, dims and scalar parameters."""
    if isinstance(e, ir.Const):
        return True
    nodes_inside = list(all_parts(e))
    return len(nodes_inside) <= _LARGEST_IN_PLACE and all(
        p.dtype in (I64, BOOL) and not isinstance(p, ir.Var | ir.Load | ir.Select | ir.Cast | ir.Call)
        for p in nodes_inside
    )


def bind_scalar(ctx: Context, name: str, found: ScalarValue, at: Span) -> None:
    if stays(found.expr):
        ctx.state.names[name] = Bound(found, at)
        return
    local = ctx.version(name, found.dtype)
    ctx.emit(ir.Set(local.name, reduction_form(local, found.expr), at=at))
    ctx.state.names[name] = Bound(replace(found, expr=local), at)


def reduction_form(local: ir.Var, e: ir.Expr) -> ir.Expr:
    """`s = e + s` as `s + e` and `s - e` as `s + -e`, where not a bit of the result differs."""
    if not isinstance(e, ir.Binary):
        return e
    if e.op == "-" and e.left == local and local not in all_parts(e.right):
        return ir.Binary("+", local, fold.negative(e.right))
    commutes = e.op in ("+", "*", "&", "|", "^", "minimum", "maximum") or (
        e.op in ("min", "max") and e.dtype.is_int
    )
    if commutes and e.right == local and local not in all_parts(e.left):
        return ir.Binary(e.op, local, e.left)
    return e


def augmented(ctx: Context, s: nodes.AugAssign) -> None:
    """`target op= value`: an array changes in place, a number is computed anew."""
    ctx.whole = s.value if isinstance(s.target, nodes.Name) else None
    right = value(ctx, s.value)
    if isinstance(s.target, nodes.Name):
        current = value(ctx, s.target)
        if isinstance(current, View) and current.shape:
            _in_place(ctx, current, s, right)
        else:
            bind(ctx, s.target.id, _applied(ctx, s, current, right), s.at)
    elif isinstance(s.target, nodes.Subscript):
        _in_place(ctx, place(ctx, s.target), s, right)
    else:
        raise Refused(
            problems.NotSupported("this target", "assign to a name, an element or a slice", at=s.target.at)
        )


def _in_place(ctx: Context, target: View, s: nodes.AugAssign, right: Value) -> None:
    if s.op == "@":
        raise Refused(problems.NotSupported("`@=`", "write `C[:] = C @ B`", at=s.at))
    stores.update(ctx, target, s.op, right, s.at)


def _applied(ctx: Context, s: nodes.AugAssign, current: Value, right: Value) -> Value:
    if s.op == "@":
        return matmul(ctx, current, right, s.at)
    return operators.apply(ctx, s.op, current, right, s.at)


def poison(ctx: Context, targets: tuple[nodes.Expr, ...]) -> None:
    """Marks what a refused statement would have assigned, so that reading it tells nothing more."""
    for t in targets:
        if isinstance(t, nodes.Name):
            ctx.state.names[t.id] = Unreadable(None)
        elif isinstance(t, nodes.Tuple_ | nodes.List_):
            poison(ctx, t.items)
