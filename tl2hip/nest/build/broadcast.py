"""Arrays of scalars: their elements, broadcasting, and scalar operations lifted to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeGuard

from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.linear import same
from tl2hip.nest.build.undecided import decided
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value, View
from tl2hip.nest.walk import all_parts, substitute
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

Shape = tuple[ir.Expr, ...]
Operand = ScalarValue | ArrayValue


def operand(value: Value) -> Operand:
    """A value to compute with: a place in an array becomes what it holds."""
    if not isinstance(value, View):
        return value
    array, dtype, index = value.array, value.dtype, value.index
    if not value.shape:
        return ScalarValue(ir.Load(array, index(()), dtype))
    return ArrayValue(value.shape, dtype, lambda ix: ir.Load(array, index(ix), dtype), frozenset({array}))


def scalar(value: Value, what: str, at: Span) -> ScalarValue:
    """The one number a value is; refused for an array."""
    found = operand(value)
    if isinstance(found, ArrayValue):
        raise Refused(problems.ArrayAsTest(what, at=at))
    return found


def shapes_differ(ctx: Context, one: Shape, other: Shape, at: Span) -> problems.ShapesDiffer:
    """The problem of two shapes that need not be equal, with what would make them so."""
    held: dict[ir.Expr, ir.Expr] = {ir.Var(name, e.dtype): e for name, e in ctx.state.kept.items()}
    while any(p in held for e in (*one, *other) for p in all_parts(e)):
        one, other = (tuple(substitute(e, held) for e in shape) for shape in (one, other))
    rank = min(len(one), len(other))
    pairs = zip(one[len(one) - rank :], other[len(other) - rank :], strict=True)
    unequal = [pair for pair in pairs if not equal(ctx, *pair)]
    way = _way(ctx, *unequal[0]) if unequal else "give both as many axes"
    return problems.ShapesDiffer(show_shape(one), show_shape(other), way, at=at)


def _way(ctx: Context, a: ir.Expr, b: ir.Expr) -> str:
    """What a user can write so that two extents are equal."""
    cuts = [c for e in (a, b) for c in all_parts(e) if _cut_off(c)]
    uncut: dict[ir.Expr, ir.Expr] = {c: c.left for c in cuts}
    whole, other = (substitute(e.left if _may_be_empty(e) else e, uncut) for e in (a, b))
    if cuts and equal(ctx, whole, other):
        longest = max(cuts, key=lambda c: fold.value_of(c.left) or 0)
        return (
            "a slice is cut off at the end of its array: say"
            f" `assert {show_extent(longest.right)} >= {show_extent(longest.left)}`"
        )
    if any(isinstance(p, ir.Load | ir.Var | ir.Select) or _is_extreme(p) for e in (a, b) for p in all_parts(e)):
        return "slice both by the same bounds, or write the loop over elements"
    if (isinstance(a, ir.Dim) or isinstance(b, ir.Dim)) and "…" not in show_shape((a, b)):
        return f"use one dim for both extents, or state it: `assert {show_extent(a)} == {show_extent(b)}`"
    return "give both the same extents, or write the loop over elements"


def _cut_off(e: ir.Expr) -> TypeGuard[ir.Binary]:
    """Whether an expression is a constant that the extent of an array cuts off."""
    return (
        isinstance(e, ir.Binary) and e.op == "min" and isinstance(e.left, ir.Const) and isinstance(e.right, ir.Dim)
    )


def _may_be_empty(e: ir.Expr) -> TypeGuard[ir.Binary]:
    """Whether an extent is `max(…, 0)`."""
    return isinstance(e, ir.Binary) and e.op == "max" and fold.value_of(e.right) == 0


def _is_extreme(e: ir.Expr) -> bool:
    return isinstance(e, ir.Binary) and e.op in ("min", "max")


def show_shape(shape: Shape) -> str:
    """A shape as the user would write it."""
    return ", ".join(show_extent(e) for e in shape) + ("," if len(shape) == 1 else "")


def show_extent(e: ir.Expr, inner: bool = False) -> str:
    """An extent in Python; `inner`: inside another operation. Where a slice has nothing, its length is left as the
    difference of its bounds, and bounds as they are where they are not below 0."""
    match e:
        case ir.Const(value=value):
            return str(value)
        case ir.Dim(name=name) | ir.Scalar(name=name) | ir.Var(name=name) | ir.AxisRef(axis=name):
            return name
        case ir.Load(array=array, index=index):
            return f"{array}[{', '.join(show_extent(i) for i in index)}]"
        case (
            ir.Cast(value=value)
            | ir.Select(orelse=value)
            | ir.Binary(op="max", left=value, right=ir.Const(value=0))
        ):
            return show_extent(value, inner)
        case ir.Binary(op=op, left=a, right=b) if op in ("min", "max"):
            return f"{op}({show_extent(a)}, {show_extent(b)})"
        case ir.Unary(op="-", value=value):
            return f"-{show_extent(value, True)}"
        case ir.Binary(op=op, left=a, right=b):
            text = f"{show_extent(a, op not in ('+', '-'))} {op} {show_extent(b, True)}"
            return f"({text})" if inner else text
        case _:
            return "…"


def equal(ctx: Context, a: ir.Expr, b: ir.Expr) -> bool:
    """Whether two extents are equal for every call, by what they are or by an assertion of the user."""
    known = ctx.state.equal
    return same(a, b) or (bool(known) and same(substitute(a, known), substitute(b, known)))


def is_unit(extent: ir.Expr) -> bool:
    """Whether an extent is 1, or 1 cut off by an axis, as that of `X[:, :1]` is."""
    match extent:
        case ir.Const(value=value):
            return value == 1
        case ir.Binary(op="min", left=a, right=b):
            return 1 in (fold.value_of(a), fold.value_of(b))
        case _:
            return False


def broadcast(ctx: Context, shapes: Sequence[Shape], at: Span) -> Shape:
    """The shape NumPy broadcasts shapes to; extents must be equal for every size, or 1."""
    rank = max(map(len, shapes), default=0)
    result: list[ir.Expr] = []
    for axis in range(rank):
        extents = [s[axis - rank + len(s)] for s in shapes if axis - rank + len(s) >= 0]
        wide = [e for e in extents if not is_unit(e)] or [e for e in extents if fold.value_of(e) != 1]
        extent = wide[0] if wide else fold.number(1)
        for e in wide[1:]:
            if not equal(ctx, extent, e):
                named = [s for s in shapes if len(s) >= rank - axis]
                raise Refused(shapes_differ(ctx, named[0], named[-1], at))
        result.append(extent)
    return tuple(result)


def element(value: Operand, index: Shape) -> ScalarValue:
    """The element of a value that stands at an index of the shape it is broadcast to."""
    if isinstance(value, ScalarValue):
        return value
    rank = len(value.shape)
    own = index[len(index) - rank :] if rank else ()
    picked = tuple(fold.number(0) if is_unit(extent) else i for extent, i in zip(value.shape, own, strict=True))
    return ScalarValue(value.element(picked), value.weak)


def lift(
    ctx: Context, values: Sequence[Value], f: Callable[[tuple[ScalarValue, ...]], ScalarValue], at: Span
) -> Operand:
    """A scalar operation on values: on the elements where any is an array.

    Costly scalars beside an array are worked out once, before its loops.
    """
    operands = [operand(v) for v in values]
    shapes = [v.shape for v in operands if isinstance(v, ArrayValue)]
    if not shapes:
        return decided(ctx, tuple(v for v in operands if isinstance(v, ScalarValue)), f, at)
    shape = broadcast(ctx, shapes, at)
    ready = [_once(ctx, v) if isinstance(v, ScalarValue) else v for v in operands]
    probe = decided(ctx, tuple(element(v, (fold.number(0),) * len(shape)) for v in ready), f, at)
    reads = frozenset(name for v in ready for name in reads_of(v))

    def at_index(index: Shape) -> ir.Expr:
        return f(tuple(element(v, index) for v in ready)).expr

    return ArrayValue(shape, probe.dtype, at_index, reads, probe.weak)


def reads_of(value: Operand) -> frozenset[str]:
    """The arrays that a value loads from."""
    if isinstance(value, ArrayValue):
        return value.reads
    return frozenset(e.array for e in all_parts(value.expr) if isinstance(e, ir.Load))


def _once(ctx: Context, value: ScalarValue) -> ScalarValue:
    costly = any(
        isinstance(e, ir.Call) or (isinstance(e, ir.Binary) and e.op in ("/", "**") and e.dtype.is_float)
        for e in all_parts(value.expr)
    )
    if not costly:
        return value
    return replace(value, expr=ctx.temporary(value.expr, "value"))
