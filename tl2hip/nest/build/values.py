"""What an expression of the source stands for while a nest is built: a scalar or an array of scalars.

A value is `weak` where NumPy 2 lets the other operand decide the dtype: Python numbers, loop variables and
`n: int`. A weak value still has a dtype, the one it is carried in when nothing else decides: i64, f64 or bool
(f32 for `math.f(x)` of an f32 or narrower x).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tl2hip.dtypes import DType
from tl2hip.nest.ir import Expr


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """One number. `instead`: what Python may have in its place, where the data decide: most often the Python number
    that a name started as. It is the same number, but what is computed with it need not be (see undecided.py)."""

    expr: Expr
    weak: bool = False
    instead: tuple[ScalarValue, ...] = ()

    @property
    def dtype(self) -> DType:
        return self.expr.dtype


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An array expression not yet computed: its extents (i64) and its element at given i64 indices.

    `reads` names the arrays that `element` loads, so that a store into one of them can be ordered right.
    `element` may be called any number of times and builds a pure expression. `shares`: NumPy may give a view here,
    or a copy, by what the sizes are: it can be computed with, and not be kept under a name.
    """

    shape: tuple[Expr, ...]
    dtype: DType
    element: Callable[[tuple[Expr, ...]], Expr]
    reads: frozenset[str]
    weak: bool = False
    shares: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A place in an array: what a subscript may be stored through, and what a row view aliases.

    `index` maps indices over `shape` to a full index of `array`. `whole` says of each axis whether it is an
    axis of the array itself, unsliced: its index then passes through, negative ones included.
    """

    array: str
    shape: tuple[Expr, ...]
    dtype: DType
    index: Callable[[tuple[Expr, ...]], tuple[Expr, ...]]
    whole: tuple[bool, ...] = ()


Value = ScalarValue | ArrayValue | View
