"""The running bound of a softmax that is taken in one pass, with sums brought from one maximum to the next.

In a nest a weight is exp(x) with x = score - most. A kernel that joins the loops holds each term of a sum as a
power of two over the greatest score of the tiles so far, and multiplies all sums by 2**(old - new) where a tile has
a greater one. With u the unit roundoff of f32, and the identities exp(x) = exp2(x * log2(e)),
exp(a) * exp(b) = exp(a + b) and a constant factor moved:

- A score is never rounded by itself, and neither is the maximum: the product of a query and a key, off by the bound
  of its sum, goes into a difference. What the nest rounds on that way bounds what a kernel rounds, but only where
  every step is taken to round: `loosened` says so of the product, which would else count as exact for small
  integers.
- The exponent is a difference times a constant. The constant is log2(e), rounded (0.22 u), times the factor of the
  score, rounded (u); their product with the difference is rounded (u). All are relative, so that exp(x) is off by
  2.25 u |x|. The differences of a weight and of all later maxima add up to x, and so do their roundings, of which x
  already has the one of score - most.
- A power of another base is exp(x) with x in units of that base: 2**x is exp(x * log(2)). Where the nest scales the
  difference, it rounds once more, and so does a kernel, which takes the factor into its constant.
- The power itself is within one unit in the last place, 2 u, and 0 below 2**-126.
- Each of the later tiles may bring a greater maximum: a power (2 u) and a multiplication (u). So may, at the end,
  the number that a maximum starts from.

A weight that is rounded to a narrower type is rounded as a multiple of the greatest one so far, not of the greatest
of all. Relative errors do not change with that; in the range of subnormals the error is at most half the smallest
one times a factor of at most 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from tl2hip.dtypes import F32, DType
from tl2hip.nest.index import add, floor_div, number
from tl2hip.nest.ir import Binary, Call, Cast, Expr, Load, Loop, Nest, Stmt, Var
from tl2hip.nest.run import arithmetic as typed
from tl2hip.nest.walk import map_exprs, map_stmts
from tl2hip.plan.softmax_ir import Joined
from tl2hip.prove import interval
from tl2hip.prove.values import APPROXIMATE, REORDERED, SLACK, Bounded, pair, smallest, unit

LOOSENED, NARROWED = "loosened", "weight at another scale"
WEIGHED = {"exp": "weight of a softmax", "exp2": "weight of a softmax, a power of 2"}
ROUNDED = "rounded, small numbers left out"
"""Functions that stand in nests for the running bound alone."""

FLUSHED = 2.0**-126
"""Powers below this are 0 (v_exp_f32, CDNA3 ISA guide)."""


def marked(nest: Nest, joins: tuple[Joined, ...]) -> Nest:
    """The nest with the functions above where a plan joins the loops of a softmax."""
    for j in joins:
        nest = replace(nest, body=_marked(nest.body, j))
    return nest


def _marked(body: tuple[Stmt, ...], j: Joined) -> tuple[Stmt, ...]:
    def product(s: Stmt) -> Stmt:
        if not isinstance(s, Loop) or not any(_is_over(x, j) for x in s.body):
            return s
        return replace(s, body=tuple(x if _is_over(x, j) else _loosened(x, j) for x in s.body))

    return map_exprs(lambda e: _weight(e, j), map_stmts(product, body))


def _is_over(s: Stmt, j: Joined) -> bool:
    return isinstance(s, Loop) and s.axis.name == j.over


def _loosened(s: Stmt, j: Joined) -> Stmt:
    product = Var(j.product, F32)
    (done,) = map_exprs(lambda e: Call(LOOSENED, (e,), F32) if e == product else e, (s,))
    return done


def _weight(e: Expr, j: Joined) -> Expr:
    match e:
        case Call(name="exp" | "exp2" as name, args=(x,)) if _is_less(x, j):
            tiles = floor_div(add(j.count, number(j.keys - 1)), j.keys)
            return Call(WEIGHED[name], (x, add(tiles, number(1)) if j.sown else tiles), F32)
        case Cast(value=Call(name=name) as weight, explicit=True) if name in WEIGHED.values():
            return Call(NARROWED, (weight,), e.dtype)
    return e


def _is_less(x: Expr, j: Joined) -> bool:
    """Whether an exponent is how far a score is from the maximum, scaled or not."""
    match x:
        case Binary(op="-", left=Load(array=scores), right=Var(name=most)):
            return (scores, most) == (j.scores, j.most)
        case Binary(op="*", left=left, right=right):
            return _is_less(left, j) or _is_less(right, j)
        case Binary(op="/", left=left):
            return _is_less(left, j)
    return False


# --- what they give --------------------------------------------------------------------------------------


def _loose(args: list[Bounded], dtype: DType) -> Bounded:
    """The value, of which every later step rounds."""
    (x,) = args
    return Bounded(x.typed, x.flags | np.uint8(REORDERED), dtype, x.wide, x.error)


def _weighed(args: list[Bounded], dtype: DType, name: str = "exp") -> Bounded:
    """A power of the first argument, brought to the greatest score of so many tiles."""
    x, tiles = args
    wide, error = interval.call(name, [pair(x)])
    rescaled = np.maximum(tiles.typed - 1, 0)
    size = np.where(np.isfinite(pair(x)[0]), np.abs(pair(x)[0]), 0.0)
    size = size if name == "exp" else size * math.log(2)
    step = SLACK * unit(dtype) * (2.25 * size + 2 + 3 * rescaled) * (np.abs(wide) + error) + FLUSHED
    grown = np.where(np.isfinite(wide), error + step, error)
    return Bounded(typed.call(name, [x.typed], dtype), x.flags | np.uint8(APPROXIMATE), dtype, wide, grown)


def _narrowed(args: list[Bounded], dtype: DType) -> Bounded:
    """A weight rounded to a narrower type as a multiple of another one."""
    (x,) = args
    wide, error = pair(x)
    step = SLACK * unit(dtype) * (np.abs(wide) + error) + smallest(dtype)
    grown = np.where(np.isfinite(wide), error + step, error)
    return Bounded(typed.cast(x.typed, x.dtype, dtype), x.flags | np.uint8(REORDERED), dtype, wide, grown)


def _rounded(args: list[Bounded], dtype: DType) -> Bounded:
    """A value rounded to a narrower type, in the range of whose subnormals it stays as it is."""
    (x,) = args
    wide, error = pair(x)
    narrow = wide.astype(np.float64).astype(typed.numpy_type(dtype)).astype(wide.dtype)
    normal = 2 * smallest(dtype) * 2.0**dtype.mantissa
    center = np.where(np.abs(wide) < normal, wide, narrow)
    grown = error + np.abs(center - wide)
    return Bounded(typed.cast(x.typed, x.dtype, dtype), x.flags | np.uint8(REORDERED), dtype, center, grown)


CALLS: dict[str, Callable[[list[Bounded], DType], Bounded]] = {
    LOOSENED: _loose,
    **{word: partial(_weighed, name=name) for name, word in WEIGHED.items()},
    NARROWED: _narrowed,
    ROUNDED: _rounded,
}
"""What `Bounds.call` asks for the functions above."""
