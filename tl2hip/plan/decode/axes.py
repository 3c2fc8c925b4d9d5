"""What a nest says of single axes and indices: which heads share keys, how long a row is, what lies in an array."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tl2hip.nest.index import ONE, ZERO, maximum, value_of
from tl2hip.nest.ir import Axis, AxisRef, Binary, Const, Expr, Load, Loop, Store, Var
from tl2hip.nest.walk import all_parts
from tl2hip.plan.chain import Chain
from tl2hip.plan.unfit import Unfit

MOST_OWN = 32
"""Rows of queries that share all keys and values, at most: more are no decoding, and worth tiles of their own."""


def heads_of(chain: Chain, cached: tuple[Expr, ...], keys: Axis) -> tuple[Axis, Expr, Expr | None]:
    """The axis of which neighbours share keys and values, how many do, and how these count the groups."""
    around = (*cached, keys.start, keys.stop)
    apart = [a for a in chain.axes if AxisRef(a.name) not in parts_of(cached)]
    if apart:
        size = value_of(apart[0].stop)
        if len(apart) > 1 or size is None or size > MOST_OWN or AxisRef(apart[0].name) in parts_of(around):
            raise Unfit("many queries share keys")
        return apart[0], apart[0].stop, None
    for a in chain.axes:
        quotients = (e for e in parts_of(around) if isinstance(e, Binary) and e.op == "//")
        shared = {e for e in quotients if e.left == AxisRef(a.name)}
        if len(shared) == 1:
            (one,) = shared
            assert isinstance(one, Binary)
            others = sum(e == AxisRef(a.name) for e in parts_of(around))
            alone = others == sum(e == one for e in parts_of(around))
            if alone and not moves(one.right):
                return a, maximum(one.right, ONE), one
    return chain.axes[-1], ONE, None


def moves(e: Expr) -> bool:
    """Whether an expression changes while a kernel runs."""
    return any(isinstance(p, AxisRef | Var | Load) for p in all_parts(e))


def parts_of(exprs: Iterable[Expr]) -> tuple[Expr, ...]:
    """Every node of some expressions."""
    return tuple(p for e in exprs for p in all_parts(e))


def size_of(axis: Axis) -> int:
    """How many elements a row has."""
    size = value_of(axis.stop)
    if axis.start != ZERO or axis.step != 1 or size is None:
        raise Unfit("how many elements a row has is not known", "fix it with --set, or write the number")
    return size


def filled(loop: Loop) -> str:
    """The array that a loop fills with a constant; no name for any other loop."""
    match loop.body:
        case (Store(array=array, value=Const()),):
            return array
        case (Loop() as inner,):
            return filled(inner)
    return ""


def surely_natural(e: Expr) -> bool:
    """Whether a whole number is surely 0 or more."""
    match e:
        case Binary(op="max", left=a, right=b):
            return surely_natural(a) or surely_natural(b)
    known = value_of(e)
    return known is not None and known >= 0


def surely_inside(index: Expr, extent: Expr, axes: Mapping[str, Axis]) -> bool:
    """Whether an index surely lies in 0 ... extent - 1."""
    size, value = value_of(extent), value_of(index)
    if value is not None:
        return size is not None and 0 <= value < size
    match index:
        case AxisRef(axis=name) if name in axes:
            axis = axes[name]
            return surely_natural(axis.start) and axis.stop == extent
        case Binary(op="%", right=by):
            n = value_of(by)
            return n is not None and n > 0 and (by == extent or (size is not None and n <= size))
        case Binary(op="//", left=AxisRef(axis=name), right=by) if name in axes:
            n, stop = value_of(by), value_of(axes[name].stop)
            return None not in (n, stop, size) and n > 0 and (stop - 1) // n < size  # type: ignore[operator]
    return False
