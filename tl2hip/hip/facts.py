"""What can be shown about an integer expression: its bounds, that it is an index, that it is not negative.

Only what is shown prints as a bare C++ operator; the rest goes through a helper that wraps.
"""

from __future__ import annotations

from tl2hip.dtypes import I64
from tl2hip.hip.context import Known
from tl2hip.nest.ir import AxisRef, Binary, Cast, Const, Dim, Expr, Scalar, Select, Var
from tl2hip.nest.walk import all_parts

Bounds = tuple[int, int]


def bounds(e: Expr) -> Bounds:
    """Bounds of an integer expression as its types and constants give them."""
    low, high = e.dtype.limits
    match e:
        case Const(value=v):
            return int(v), int(v)
        case Cast(value=v) if not v.dtype.is_float:
            inner = bounds(v)
            return inner if low <= inner[0] and inner[1] <= high else (low, high)
        case Binary(op="+" | "-" | "*" as op, left=a, right=b):
            exact = _arithmetic(op, bounds(a), bounds(b))
            return exact if low <= exact[0] and exact[1] <= high else (low, high)
        case Binary(op="&", left=a, right=b):
            tops = [t for s, t in (bounds(a), bounds(b)) if s >= 0]
            return (0, min(tops)) if tops else (low, high)
        case Binary(op="%", right=Const(value=v)) if v > 0:
            return 0, int(v) - 1
        case Select(then=a, orelse=b):
            (a0, a1), (b0, b1) = bounds(a), bounds(b)
            return min(a0, b0), max(a1, b1)
        case _:
            return low, high


def _arithmetic(op: str, a: Bounds, b: Bounds) -> Bounds:
    if op == "+":
        return a[0] + b[0], a[1] + b[1]
    if op == "-":
        return a[0] - b[1], a[1] - b[0]
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def stays_inside(op: str, a: Expr, b: Expr) -> bool:
    """Whether `a op b` cannot leave its dtype, whatever the operands hold."""
    low, high = a.dtype.limits
    least, most = _arithmetic(op, bounds(a), bounds(b))
    return low <= least and most <= high


def is_index(e: Expr, known: Known) -> bool:
    """Whether an i64 counts or addresses things: made of loop variables, extents and numbers under 2**33."""
    match e:
        case Const(value=v):
            return abs(v) < 2**33
        case Dim():
            return True
        case AxisRef(axis=name) | Var(name=name) | Scalar(name=name):
            return e.dtype is I64 and name in known.index
        case _:
            found = known.indices.get(id(e))
            if found is None:
                found = known.indices[id(e)] = (e, _makes_index(e, known))
            return found[1]


def _makes_index(e: Expr, known: Known) -> bool:
    """Whether an operation on indices gives one."""
    match e:
        case Cast(value=v):
            return not v.dtype.is_float and (v.dtype.bits <= 32 or is_index(v, known))
        case Binary(op="+" | "-" | "*" | "//" | "%" | "min" | "max" | "minimum" | "maximum", left=a, right=b):
            return is_index(a, known) and is_index(b, known)
        case Binary(op=">>", left=a, right=Const()):
            return is_index(a, known)
        case Binary(op="^", left=a, right=b):
            return all(is_index(x, known) and is_natural(x, known) for x in (a, b))
        case Select(then=a, orelse=b):
            return is_index(a, known) and is_index(b, known)
        case _:
            return False


def is_natural(e: Expr, known: Known) -> bool:
    """Whether an i64 index is 0 or more."""
    match e:
        case Dim():
            return True
        case AxisRef(axis=name) | Var(name=name) | Scalar(name=name):
            return name in known.natural
        case Binary(op="+" | "*" | "^", left=a, right=b):
            return is_index(e, known) and is_natural(a, known) and is_natural(b, known)
        case Binary(op="-", left=a, right=Const(value=1)):
            return is_index(a, known) and is_positive(a, known)
        case Binary(op="//" | "min" | "minimum", left=a, right=b):
            return is_natural(a, known) and is_natural(b, known)
        case Binary(op="%", right=b):
            return is_natural(b, known)
        case Binary(op="max" | "maximum", left=a, right=b):
            return is_natural(a, known) or is_natural(b, known)
        case Select(then=a, orelse=b):
            return is_natural(a, known) and is_natural(b, known)
        case _:
            return not e.dtype.is_float and bounds(e)[0] >= 0


def is_positive(e: Expr, known: Known) -> bool:
    """Whether an i64 index is 1 or more."""
    match e:
        case Const(value=v):
            return v > 0
        case Var(name=name):
            return name in known.positive
        case Binary(op="+", left=a, right=b):
            either = is_positive(a, known) or is_positive(b, known)
            return either and is_index(e, known) and is_natural(a, known) and is_natural(b, known)
        case Binary(op="*", left=a, right=b):
            return is_index(e, known) and is_positive(a, known) and is_positive(b, known)
        case Binary(op="max" | "maximum", left=a, right=b):
            return is_positive(a, known) or is_positive(b, known)
        case Select(then=a, orelse=b):
            return is_positive(a, known) and is_positive(b, known)
        case _:
            return False


def is_narrow(e: Expr, known: Known) -> bool:
    """Whether C++ computes an i64 in 32 bits, as it prints: made of numbers and of names that are kept so."""
    match e:
        case Const(value=v):
            return abs(v) < 2**31
        case AxisRef(axis=name) | Var(name=name):
            return name in known.small
        case Binary(op="+" | "-" | "*" | "//" | "%" | "&" | "|" | "^" | "<<" | ">>", left=a, right=b):
            return is_narrow(a, known) and is_narrow(b, known)
        case Select(then=a, orelse=b):
            return is_narrow(a, known) and is_narrow(b, known)
        case _:
            return False


def is_inside(index: Expr, extent: Expr, known: Known) -> bool:
    """Whether an index is a loop variable that runs within 0 … extent - 1."""
    if not isinstance(index, AxisRef) or index.axis not in known.natural:
        return False
    stop = known.below.get(index.axis)
    return stop is not None and extent in _at_least(stop)


def _at_least(e: Expr) -> tuple[Expr, ...]:
    """Expressions that are not less than this one: itself, and the sides of a min."""
    if isinstance(e, Binary) and e.op in ("min", "minimum"):
        return (e, *_at_least(e.left), *_at_least(e.right))
    return (e,)


def divides_below(value: Expr, divisor: Expr, known: Known) -> bool:
    """Whether a divisor is surely more than 0: a natural, and a factor of what a loop variable in `value`, itself 0
    or more, stays below."""
    if not is_natural(divisor, known):
        return False
    axes = {p.axis for p in all_parts(value) if isinstance(p, AxisRef)} & known.natural
    stops = (known.below.get(a) for a in axes)
    return any(divisor in _factors(s) for s in stops if s is not None)


def _factors(e: Expr) -> tuple[Expr, ...]:
    """The factors of a product that cannot wrap around; of anything else itself."""
    if isinstance(e, Binary) and e.op == "*":
        return (*_factors(e.left), *_factors(e.right))
    return (e,)
