"""Array expressions expanded into loops of scalar statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from tl2hip.dtypes import DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.broadcast import Operand, Shape, element
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.types import stored
from tl2hip.nest.build.values import ArrayValue, ScalarValue, View
from tl2hip.nest.walk import all_parts, all_stmts, parts, substitute
from tl2hip.source.span import Span


@contextmanager
def loops(ctx: Context, shape: Shape) -> Iterator[Shape]:
    """Loops over every index of a shape; the statements emitted inside become their body."""
    axes = [_axis(ctx, extent) for extent in shape]
    for axis in axes:
        ctx.axes[axis.name] = axis
    with ctx.block() as body:
        yield tuple(ir.AxisRef(a.name) for a in axes)
    for axis in axes:
        del ctx.axes[axis.name]
    statements = tuple(body)
    for axis in reversed(axes):
        statements = (ir.Loop(axis, statements, at=ctx.at),)
    for s in statements:
        ctx.emit(s)


def _axis(ctx: Context, extent: ir.Expr) -> ir.Axis:
    hint = extent.name.lower() if isinstance(extent, ir.Dim | ir.Scalar) else "e"
    return ir.Axis(ctx.fresh(hint), fold.number(0), extent)


def allocate(ctx: Context, hint: str, shape: Shape, dtype: DType, claimed: bool = False) -> View:
    """A new local array; `claimed`: the user named it so."""
    name = ctx.claim(hint) if claimed else ctx.fresh(hint)
    fixed = tuple(fixed_extent(ctx, e) for e in shape)
    ctx.state.arrays[name] = ir.Array(name, dtype, fixed, "local", at=ctx.at)
    ctx.emit(ir.Alloc(name, at=ctx.at))
    return whole_view(ctx.state.arrays[name])


def whole_view(array: ir.Array) -> View:
    """All of an array."""
    return View(array.name, array.shape, array.dtype, lambda ix: ix, (True,) * len(array.shape))


def fixed_extent(ctx: Context, e: ir.Expr) -> ir.Expr:
    """An extent that stays what it is now, whatever happens to the names in it."""
    moving = any(isinstance(p, ir.Var | ir.Load) for p in all_parts(e))
    return _kept(ctx, e, "extent") if moving else e


def _kept(ctx: Context, e: ir.Expr, hint: str) -> ir.Var:
    """A local that keeps what an expression is here: the one that does so already, where there is one."""
    if isinstance(e, ir.Var) and e.name in ctx.state.kept:
        return e
    for s in reversed(ctx.out):
        if isinstance(s, ir.Set) and s.name in ctx.state.kept and s.value == e:
            return ir.Var(s.name, e.dtype)
        if _changes(s, e):
            break
    local = ctx.temporary(e, hint)
    ctx.state.kept[local.name] = e
    return local


def _changes(s: ir.Stmt, e: ir.Expr) -> bool:
    """Whether a statement may change what an expression is."""
    variables = {p.name for p in all_parts(e) if isinstance(p, ir.Var)}
    arrays = {p.array for p in all_parts(e) if isinstance(p, ir.Load)}
    return any(
        (isinstance(x, ir.Set) and x.name in variables)
        or (isinstance(x, ir.Store | ir.Update | ir.Alloc) and x.array in arrays)
        for x in all_stmts((s,))
    )


def fill(ctx: Context, target: View, value: Operand, at: Span) -> None:
    """Stores a value, broadcast, into every element of a place. Nothing of the target may be read by it
    but at the index that is stored."""
    with loops(ctx, target.shape) as index:
        e = stored(element(value, index), target.dtype, at)
        ctx.emit(ir.Store(target.array, target.index(index), e, at=ctx.at))


def materialise(
    ctx: Context, value: ArrayValue, hint: str, at: Span, dtype: DType | None = None, claimed: bool = False
) -> View:
    """An array expression worked out into a new local array."""
    view = allocate(ctx, hint, value.shape, dtype or value.dtype, claimed)
    fill(ctx, view, value, at)
    return view


def computed(ctx: Context, hint: str, shape: Shape, dtype: DType, one: Callable[[Shape], ir.Expr]) -> View:
    """A new local array; `one` gives the element at an index, in its dtype."""
    view = allocate(ctx, hint, shape, dtype)
    with loops(ctx, shape) as index:
        ctx.emit(ir.Store(view.array, view.index(index), one(index), at=ctx.at))
    return view


def frozen(ctx: Context, view: View) -> View:
    """A view that keeps standing where it stands, whatever happens to the names in its index."""
    probe = view.index(tuple(ir.AxisRef(f"?{k}") for k in range(len(view.shape))))
    moving = {m: _kept(ctx, m, "row") for e in (*probe, *view.shape) for m in outermost_moving(e)}
    if not moving:
        return view
    old, values = view.index, dict[ir.Expr, ir.Expr](moving)
    shape = tuple(_shortened(ctx, substitute(e, values)) for e in view.shape)
    return View(view.array, shape, view.dtype, lambda ix: tuple(substitute(e, values) for e in old(ix)), view.whole)


def _shortened(ctx: Context, extent: ir.Expr) -> ir.Expr:
    """An extent that bounds known at run time are cut off in, in a local of its own."""
    inside = list(all_parts(extent))
    cut = any(isinstance(p, ir.Select) for p in inside) and any(isinstance(p, ir.Var) for p in inside)
    return _kept(ctx, extent, "extent") if cut else extent


def outermost_moving(e: ir.Expr) -> tuple[ir.Expr, ...]:
    """The largest parts of an index that a later statement may change: variables and loads."""
    if isinstance(e, ir.Var | ir.Load):
        return (e,)
    if isinstance(e, ir.Cast) and isinstance(e.value, ir.Var | ir.Load):
        return (e,)
    return tuple(m for p in parts(e) for m in outermost_moving(p))


def held(ctx: Context, value: ScalarValue, hint: str) -> ScalarValue:
    """A scalar worked out here and now, into a local of our own."""
    return replace(value, expr=ctx.temporary(value.expr, hint))
