"""Small proofs about i64 expressions: linear forms over what is not taken apart, and the bounds of axes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from tl2hip.dtypes import I64
from tl2hip.nest import ir

Linear = dict[ir.Expr, int]
"""Terms with their factors; the constant stands under `ONE`."""

ONE: ir.Expr = ir.Const(1, I64)

Limits = dict[ir.Expr, tuple[int | None, int | None]]
"""The least and the greatest value of terms, None where it is not known."""

_UNLIMITED: Limits = {}

_STEPS = 12
"""Replacements of axes by their bounds before a proof is given up."""


def linear(e: ir.Expr) -> Linear:
    """The expression as a sum of terms with constant factors."""
    match e:
        case ir.Const(value=value):
            return {ONE: int(value)} if value else {}
        case ir.Unary(op="-", value=value):
            return _scaled(linear(value), -1)
        case ir.Binary(op="+", left=a, right=b):
            return _sum(linear(a), linear(b))
        case ir.Binary(op="-", left=a, right=b):
            return _sum(linear(a), _scaled(linear(b), -1))
        case ir.Binary(op="*", left=ir.Const(value=value), right=b):
            return _scaled(linear(b), int(value))
        case ir.Binary(op="*", left=a, right=ir.Const(value=value)):
            return _scaled(linear(a), int(value))
        case _:
            return {e: 1}


def _scaled(a: Linear, factor: int) -> Linear:
    return {term: factor * count for term, count in a.items()} if factor else {}


def _sum(a: Linear, b: Linear) -> Linear:
    total = dict(a)
    for term, count in b.items():
        total[term] = total.get(term, 0) + count
    return {term: count for term, count in total.items() if count}


def same(a: ir.Expr, b: ir.Expr) -> bool:
    """Whether two expressions are equal for every value of their terms.

    >>> from tl2hip.nest.ir import Binary, Const, Dim
    >>> n, one = Dim("N"), Const(1, I64)
    >>> same(Binary("-", Binary("+", one, n), one), n)
    True
    """
    return a == b or _key(a) == _key(b)


def _key(e: ir.Expr) -> Hashable:
    """Equal for expressions that are sums of the same terms, at any depth."""
    return frozenset((_term_key(term), count) for term, count in linear(e).items())


def _term_key(term: ir.Expr) -> Hashable:
    if isinstance(term, ir.Binary):
        sides = (_key(term.left), _key(term.right))
        return (term.op, frozenset(sides) if term.op in ("min", "max", "*") else sides)
    return term


def difference(a: ir.Expr, b: ir.Expr) -> Linear:
    """`a - b` as a sum of terms."""
    return _sum(linear(a), _scaled(linear(b), -1))


def at_most(a: ir.Expr, b: ir.Expr, axes: Mapping[str, ir.Axis], limits: Limits = _UNLIMITED) -> bool:
    """Whether `a <= b` is proven inside the loops of `axes`, dims being 0 or more. False: not known.

    >>> from tl2hip.nest.ir import Axis, AxisRef, Const, Dim
    >>> axes = {"i": Axis("i", Const(0, I64), Dim("N"))}
    >>> at_most(AxisRef("i"), Dim("N"), axes), at_most(Dim("N"), AxisRef("i"), axes)
    (True, False)
    """
    rest = difference(b, a)
    for _ in range(_STEPS):
        axis = next((t for t in rest if isinstance(t, ir.AxisRef) and t.axis in axes), None)
        if axis is None:
            break
        count = rest.pop(axis)
        low, high = _range(axes[axis.axis])
        rest = _sum(rest, _scaled(low if count > 0 else high, count))
    rest = _limited(rest, limits)
    return all(count > 0 and _never_negative(term) for term, count in rest.items())


def _limited(form: Linear, limits: Limits) -> Linear:
    """The least that a form can be, as far as limits of its terms tell."""
    total: Linear = {}
    for term, count in form.items():
        low, high = limits.get(term, (None, None))
        bound = low if count > 0 else high
        total = _sum(total, {term: count} if bound is None else _scaled(linear(ir.Const(bound, I64)), count))
    return total


def _range(axis: ir.Axis) -> tuple[Linear, Linear]:
    """The lowest and the highest value an axis may take where its loop runs at all."""
    if axis.step > 0:
        return linear(axis.start), _sum(linear(axis.stop), {ONE: -1})
    return _sum(linear(axis.stop), {ONE: 1}), linear(axis.start)


def _never_negative(term: ir.Expr) -> bool:
    match term:
        case ir.Dim():
            return True
        case ir.Const(value=value):
            return value >= 0
        case ir.Binary(op="max", left=a, right=b):
            return _never_negative(a) or _never_negative(b)
        case ir.Binary(op="min" | "*" | "//", left=a, right=b):
            return _never_negative(a) and _never_negative(b)
        case ir.Binary(op="%", right=b):
            return _never_negative(b)
        case ir.Binary(op="&", left=a, right=b):
            return _never_negative(a) or _never_negative(b)
        case ir.Cast(value=inner):
            return term.dtype is I64 and inner.dtype.kind in ("uint", "bool")
        case _:
            return False


def never_negative(e: ir.Expr, axes: Mapping[str, ir.Axis]) -> bool:
    """Whether the expression is proven to be 0 or more."""
    return at_most(ir.Const(0, I64), e, axes)
