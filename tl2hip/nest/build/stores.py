"""Stores into elements and slices, as updates where they are exactly that."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce

from tl2hip.dtypes import DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold, operators
from tl2hip.nest.build.broadcast import Operand, Shape, broadcast, element, equal, operand, reads_of, shapes_differ
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.expand import loops, materialise
from tl2hip.nest.build.types import common, stored
from tl2hip.nest.build.undecided import decided
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value, View
from tl2hip.nest.walk import all_parts, conjuncts
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

_COMMUTES = ("+", "*", "&", "|", "^", "minimum", "maximum", "fmin", "fmax")
_UPDATES: dict[str, ir.ReduceOp] = {
    "+": "+",
    "*": "*",
    "min": "min",
    "max": "max",
    "minimum": "minimum",
    "maximum": "maximum",
    "fmin": "fmin",
    "fmax": "fmax",
    "&": "&",
    "|": "|",
    "^": "^",
}
_WRAPS = ("+", "-", "*", "&", "|", "^")
"""Integer operations whose low bits do not depend on the width they are computed in."""


def store(ctx: Context, target: View, value: Value, at: Span) -> None:
    """`target[…] = value`: one element, or each element of a slice."""
    found = operand(value)
    if not target.shape:
        if isinstance(found, ArrayValue):
            raise Refused(problems.ElementNeedsOneValue(at=at))
        ctx.emit(store_one(target.array, target.index(()), _taken(ctx, found, target.dtype, at), at))
        return
    _check_shape(ctx, target.shape, found, at)
    if _overlaps(ctx, target, found):
        assert isinstance(found, ArrayValue)
        found = operand(materialise(ctx, found, "copy", at))
    elif isinstance(found, ScalarValue) and target.array in reads_of(found):
        found = replace(found, expr=ctx.temporary(found.expr, "value"))
    with loops(ctx, target.shape) as index:
        e = _taken(ctx, element(found, index), target.dtype, at)
        ctx.emit(store_one(target.array, target.index(index), e, at))


def _taken(ctx: Context, value: ScalarValue, dtype: DType, at: Span) -> ir.Expr:
    """A number as an element of `dtype` takes it, the same whatever Python may have in its place."""
    return decided(ctx, (value,), lambda v: ScalarValue(stored(v[0], dtype, at)), at).expr


def update(ctx: Context, target: View, op: str, value: Value, at: Span) -> None:
    """`target[…] op= value`: an element is computed as Python does, a slice as NumPy does in place."""
    current = operand(target)
    result = operators.apply(ctx, op, current, value, at)
    if isinstance(current, ArrayValue):
        _check_in_place(op, current, operand(value), result.dtype, at)
    store(ctx, target, result, at)


def _check_in_place(op: str, current: ArrayValue, value: Operand, dtype: DType, at: Span) -> None:
    """NumPy refuses to put a result into an array of a lesser kind: `i32[:] += f32[:]` raises."""
    common(op, current, value, at)
    order = {"bool": 0, "uint": 1, "int": 2, "float": 3}
    if order[dtype.kind] > order[current.dtype.kind]:
        way = f"NumPy does not put {dtype} into it in place: cast the right side"
        raise Refused(problems.NotDefinedFor(f"{op}=", f"an array of {current.dtype}", way, at=at))


def _check_shape(ctx: Context, target: Shape, value: Operand, at: Span) -> None:
    """A value must broadcast to the target and never stretch it."""
    if isinstance(value, ScalarValue):
        return
    whole = broadcast(ctx, (target, value.shape), at)
    if len(whole) != len(target) or not all(equal(ctx, a, b) for a, b in zip(whole, target, strict=True)):
        raise Refused(shapes_differ(ctx, target, value.shape, at))


def _overlaps(ctx: Context, target: View, value: Operand) -> bool:
    """Whether the value reads the target's array at another index than the one being stored."""
    if isinstance(value, ScalarValue) or target.array not in value.reads:
        return False
    index = tuple(ir.AxisRef(f"?{k}") for k in range(len(target.shape)))
    place = target.index(index)
    loads = [e for e in all_parts(element(value, index).expr) if isinstance(e, ir.Load)]
    return any(e.array == target.array and e.index != place for e in loads)


def store_one(array: str, index: Shape, value: ir.Expr, at: Span) -> ir.Stmt:
    """A store, as an Update where the value is exactly the element changed by one operation."""
    found = _as_update(ir.Load(array, index, value.dtype), value)
    if found is None:
        return ir.Store(array, index, value, at=at)
    return ir.Update(array, index, found[0], found[1], at=at)


def _as_update(old: ir.Load, value: ir.Expr) -> tuple[ir.ReduceOp, ir.Expr] | None:
    if isinstance(value, ir.Cast) and value.dtype.is_int:
        return _as_wrapped(old, value)
    if not isinstance(value, ir.Binary):
        return None
    if value.left == old and value.op == "-":
        return "+", fold.negative(value.right)
    if value.op not in _UPDATES or value.dtype.kind == "bool":
        return None
    if value.left == old:
        return _UPDATES[value.op], value.right
    if value.right == old and (value.op in _COMMUTES or value.dtype.is_int):
        return _UPDATES[value.op], value.left
    return None


def _as_wrapped(old: ir.Load, value: ir.Cast) -> tuple[ir.ReduceOp, ir.Expr] | None:
    """`i32(i64(a[i]) + x)` is `a[i] + i32(x)`: the sum wraps to the same bits."""
    inner = value.value
    if not isinstance(inner, ir.Binary) or not inner.dtype.is_int or inner.op not in _WRAPS:
        return None
    wide = ir.Cast(old, inner.dtype)
    for mine, other in ((inner.left, inner.right), (inner.right, inner.left)):
        if mine == wide and not (inner.op == "-" and mine is inner.right):
            narrow = fold.cast(other, value.dtype)
            return ("+", fold.negative(narrow)) if inner.op == "-" else (_UPDATES[inner.op], narrow)
    return None


def as_extreme(s: ir.If) -> ir.Stmt:
    """`if x > m: m = x` as `m = max(m, x)`, for a local and for an element. A comparison that decides about one is
    parted from other conditions, which go around it. Anything else unchanged."""
    if s.orelse:
        return s
    conditions = conjuncts(s.test)
    for k, test in enumerate(conditions):
        if isinstance(test, ir.Compare) and any(_decides(test, inner) for inner in s.then):
            found = _extreme(test, s)
            others = conditions[:k] + conditions[k + 1 :]
            return ir.If(reduce(partial(fold.logic, "and"), others), (found,), at=s.at) if others else found
    return s


def _old(s: ir.Stmt) -> ir.Expr | None:
    """What a statement replaces."""
    match s:
        case ir.Set(name=name, value=new):
            return ir.Var(name, new.dtype)
        case ir.Store(array=array, index=index, value=new):
            return ir.Load(array, index, new.dtype)
        case _:
            return None


def _decides(test: ir.Compare, s: ir.Stmt) -> bool:
    """Whether a test compares what a statement replaces with what it puts there."""
    old = _old(s)
    if old is None or test.op not in ("<", "<=", ">", ">="):
        return False
    assert isinstance(s, ir.Set | ir.Store)
    return (test.left, test.right) in ((s.value, old), (old, s.value))


def _extreme(test: ir.Compare, s: ir.If) -> ir.Stmt:
    """One statement under the test that decides about it as a maximum or minimum; more of them under that test."""
    one = s.then[0]
    if len(s.then) > 1 or test.op not in ("<", ">"):
        return ir.If(test, s.then, at=s.at)
    old = _old(one)
    assert old is not None and isinstance(one, ir.Set | ir.Store)
    op: ir.ReduceOp = "max" if (test.op == ">") == (test.left == one.value) else "min"
    if isinstance(one, ir.Store):
        return ir.Update(one.array, one.index, op, one.value, at=s.at)
    return ir.Set(one.name, ir.Binary(op, old, one.value), at=s.at)
