"""The running bound of products whose factors may be rounded, because the user says so: the mark xf32.

Of such a factor ten bits of mantissa take part (xf32, AMD CDNA 3 white paper). Whether the others are cut off
or rounded away is not taken for known. Cut off, a factor x is off by less than 2**-10 |x|, rounded by half of
that. The bound allows the former, which is what the emulated unit and the executor of machine code do. Below
the smallest normal number the step between factors stays the same, 2**-136. Factors with no more than ten bits
are exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tl2hip.dtypes import F32, DType
from tl2hip.nest.ir import Binary, Call, Expr, Loop, Nest, Set, Stmt, Update
from tl2hip.nest.walk import map_stmts
from tl2hip.prove.values import REORDERED, Bounded, pair

TEN_BITS = "ten bits of mantissa"
"""The function that stands around such factors in nests for the running bound alone."""

MARK = "xf32"
UNIT, SMALLEST = 2.0**-10, 2.0**-136
LOST = np.uint32(0x1FFF)
"""The bits of an f32 that take no part."""


def asked(nest: Nest) -> Nest:
    """The nest with the function around the factors of all products in loops of that mark."""

    def one(s: Stmt) -> Stmt:
        return replace(s, body=map_stmts(_rounding, s.body)) if isinstance(s, Loop) and s.axis.marked(MARK) else s

    return replace(nest, body=map_stmts(one, nest.body))


def _rounding(s: Stmt) -> Stmt:
    return replace(s, value=_term(s.value)) if isinstance(s, Set | Update) else s


def _term(e: Expr) -> Expr:
    """A sum, the factors of its terms rounded."""
    match e:
        case Binary(op="+", left=a, right=b):
            return replace(e, left=_term(a), right=_term(b))
        case Binary(op="*", left=a, right=b) if a.dtype is F32 and b.dtype is F32:
            return replace(e, left=Call(TEN_BITS, (a,), F32), right=Call(TEN_BITS, (b,), F32))
    return e


def ten_bits(args: list[Bounded], dtype: DType) -> Bounded:
    """A factor, and how far off one may be whose mantissa has ten bits."""
    (x,) = args
    wide, error = pair(x)
    lost = (np.ascontiguousarray(x.typed, np.float32).view(np.uint32) & LOST) != 0
    inexact = (lost | (error > 0)) & np.isfinite(wide)
    grown = np.where(inexact, error + UNIT * (np.abs(wide) + error) + SMALLEST, error)
    flags = x.flags | np.where(inexact, np.uint8(REORDERED), np.uint8(0))
    return Bounded(x.typed, flags, dtype, wide, grown)
