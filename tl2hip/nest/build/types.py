"""The dtype of an operation by NumPy 2's rules: Python numbers are weak, array elements strong.

>>> from tl2hip.dtypes import F16, F64
>>> joined(Typed(F64, weak=True), Typed(F16, weak=False)) == Typed(F16, weak=False)
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tl2hip.dtypes import BF16, BOOL, F8E4M3, F8E5M2, F16, F32, F64, I32, I64, U32, DType, promote
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.constants import converted, fits
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.values import ArrayValue, ScalarValue, View
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span

FP8 = (F8E4M3, F8E5M2)

_MOST = 3
"""Numbers that are told apart where a value may be any of several."""


@dataclass(frozen=True, slots=True)
class Typed:
    """What promotion looks at: the dtype, whether it is weak, and whether the value is a constant. `instead` goes
    along with the type of a name that carries such a value."""

    dtype: DType
    weak: bool
    constant: bool = False
    instead: tuple[ScalarValue, ...] = ()

    @classmethod
    def of(cls, value: ScalarValue | ArrayValue | View) -> Typed:
        if isinstance(value, ScalarValue):
            return cls(value.dtype, value.weak, isinstance(value.expr, ir.Const), value.instead)
        return cls(value.dtype, isinstance(value, ArrayValue) and value.weak)

    @property
    def level(self) -> int:
        """bool below int below float."""
        return 2 if self.dtype.is_float else 1 if self.dtype.is_int else 0


def joined(a: Typed, b: Typed) -> Typed | None:
    """The type of `a op b` for + - * and their kin; None where NumPy has none."""
    if a.weak and b.weak:
        return Typed(_both_weak(a, b), True)
    if not a.weak and not b.weak:
        strong = promote(a.dtype, b.dtype)
        return None if strong is None else Typed(strong, False)
    weak, strong_one = (a, b) if a.weak else (b, a)
    return Typed(_weak_with_strong(weak, strong_one), False)


def _both_weak(a: Typed, b: Typed) -> DType:
    """Python's numbers: bool and int give int, a float makes it float. f32 is what `math.exp` of an f32 is
    held in: a constant or an integer beside it does not widen it."""
    level = max(a.level, b.level)
    if level < 2:
        return I64
    if a.level == b.level:
        if a.dtype is b.dtype:
            return a.dtype
        wide = a if a.dtype is F64 else b
        return F32 if wide.constant else F64
    return a.dtype if a.level == 2 else b.dtype


def _weak_with_strong(weak: Typed, strong: Typed) -> DType:
    if weak.level == 2 and strong.dtype in (BF16, *FP8):
        return F32  # what ml_dtypes gives for bf16 with a Python float
    if weak.level <= strong.level:
        return strong.dtype
    return F64 if weak.level == 2 else I64


def common(op: str, a: ScalarValue | ArrayValue | View, b: ScalarValue | ArrayValue | View, at: Span) -> Typed:
    """The type that `a op b` is computed in; refused where NumPy has none."""
    found = joined(Typed.of(a), Typed.of(b))
    if found is None:
        raise Refused(problems.NoCommonType(op, a.dtype.name, b.dtype.name, at=at))
    if found.dtype in FP8:
        way = "cast to f32 first, and back when it is stored"
        raise Refused(problems.NotDefinedFor(op, found.dtype.name, way, at=at))
    return found


def in_type(value: ScalarValue, dtype: DType, at: Span) -> ir.Expr:
    """A value as an operand of an operation in `dtype`; a Python integer that it cannot hold is refused,
    as NumPy raises OverflowError."""
    e = value.expr
    if value.weak and dtype.is_int and isinstance(e, ir.Const) and e.dtype.is_int:
        number = int(e.value)
        if not fits(number, dtype):
            way = f"use a wider dtype, or cast to wrap on purpose: `{dtype}(i64({number}))`"
            raise Refused(problems.LiteralOutOfRange(str(number), dtype.name, way, at=at))
    return fold.cast(e, dtype)


def stored(value: ScalarValue, dtype: DType, at: Span) -> ir.Expr:
    """A value as NumPy's assignment to an element of `dtype` leaves it."""
    return in_type(value, dtype, at)


def merged(one: ScalarValue, other: ScalarValue) -> Typed | None:
    """The one type that carries a name which is `one` on one way and `other` on another; None for a conflict.

    A weak value takes the strong type. Two strong types never meet: what is computed with the name would have the
    one dtype or the other as the data decide, or as a loop has turned.
    """
    found = _merged(Typed.of(one), Typed.of(other))
    if found is None:
        return None
    return replace(found, instead=gathered(*(instead(value, found.weak) for value in (one, other))))


def _merged(a: Typed, b: Typed) -> Typed | None:
    if a.dtype is b.dtype:
        return Typed(a.dtype, a.weak and b.weak)
    if a.weak and b.weak:
        return Typed(_both_weak(a, b), True)
    if a.weak or b.weak:
        weak, strong = (a, b) if a.weak else (b, a)
        return Typed(strong.dtype, False) if weak.level <= strong.level else None
    return None


def instead(value: ScalarValue, weak: bool) -> tuple[ScalarValue, ...]:
    """What may stand in the place of a value once it is carried with others, weak only where they all are."""
    if weak or not value.weak:
        return value.instead
    if isinstance(value.expr, ir.Select):
        sides = (value.expr.then, value.expr.orelse)
        return gathered(*(instead(ScalarValue(side, True), weak) for side in sides))
    return (value,) if isinstance(value.expr, ir.Const) else (unknown(value.dtype),)


def unknown(dtype: DType, weak: bool = True) -> ScalarValue:
    """A number of which no more than its type is known."""
    return ScalarValue(ir.Var("?", dtype), weak)


def gathered(*several: tuple[ScalarValue, ...]) -> tuple[ScalarValue, ...]:
    """All of some numbers, each once; of too many, as a loop may make them without end, their types alone."""
    found = tuple(dict.fromkeys(v for some in several for v in some))
    if len(found) <= _MOST:
        return found
    return tuple(dict.fromkeys(unknown(v.dtype, v.weak) for v in found))


def keeps(ctx: Context, value: ScalarValue, dtype: DType) -> bool:
    """Whether a Python number that a choice may give is the same number in the dtype of the choice, as in Python it
    stays what it is. f32 may round a constant; i32, f32 and wider ones are taken to hold what is no constant."""
    if not value.weak or value.dtype is BOOL or (dtype is F32 and isinstance(value.expr, ir.Const)):
        return True
    if isinstance(value.expr, ir.Select):
        sides = (value.expr.then, value.expr.orelse)
        return all(keeps(ctx, ScalarValue(side, True), dtype) for side in sides)
    if isinstance(value.expr, ir.Const):
        number = value.expr.value
        held = converted(number, dtype)
        return held == number or (held != held and number != number)
    if dtype.bits >= 32 and dtype is not U32:
        return True
    low, high = dtype.limits if dtype.is_int else (-(2 ** (dtype.mantissa + 1)), 2 ** (dtype.mantissa + 1))
    e = value.expr
    return e.dtype is I64 and ctx.at_most(fold.number(low), e) and ctx.at_most(e, fold.number(high))


def one_type(ctx: Context, what: str, a: ScalarValue, b: ScalarValue, at: Span) -> Typed:
    """The type of a choice between two values; refused where it would depend on the data.

    What a loop carries as a Python number may turn out to be strong once its body is built: then it is built again,
    and what was told here is forgotten.
    """
    found = merged(a, b)
    if found is None:
        raise Refused(problems.TwoTypes(what, described(a), described(b), at=at))
    if rounds(ctx, found.dtype, at):
        return found
    check_kept(ctx, what, (a, b), found.dtype, at)
    return found


def rounds(ctx: Context, dtype: DType, at: Span) -> bool:
    """Whether a choice goes straight into an element of its dtype: the store rounds what Python chose, which is the
    same, as rounding keeps the order."""
    return dtype.is_float and dtype is ctx.stored[0] and at in ctx.stored[1]


def check_kept(ctx: Context, what: str, values: tuple[ScalarValue, ...], dtype: DType, at: Span) -> None:
    """Refuses a choice whose dtype does not keep a Python number among its values."""
    for value in values:
        if keeps(ctx, value, dtype):
            continue
        problem = problems.TwoTypes(what, unkept(value, dtype), dtype.name, rounding(value, dtype), at=at)
        if not isinstance(value.expr, ir.Var):
            raise Refused(problem)
        ctx.tell(problem)


def unkept(value: ScalarValue, dtype: DType) -> str:
    """A Python number that a dtype does not keep, as messages name it."""
    kind = described(value)
    if isinstance(value.expr, ir.Const):
        return f"the {kind} {value.expr.value} ({dtype} does not hold it)"
    return f"a Python {kind} ({dtype} need not hold it)"


def rounding(value: ScalarValue, dtype: DType) -> str:
    """The way out where a dtype does not keep a Python number."""
    number = value.expr.value if isinstance(value.expr, ir.Const) else "…"
    if isinstance(number, float):
        number = written(number)
    if dtype is F64:
        return f"write `f64({number})` to have it rounded"
    if dtype.is_float:
        return f"write `{dtype}({number})` to have it rounded, or compute in f32, `f32({number})` beside `f32(…)`"
    wide = I64 if dtype.bits >= 32 or (isinstance(number, int) and not fits(number, I32)) else I32
    return f"compute in a dtype that holds both, `{wide}({number})` beside `{wide}(…)`"


def written(number: float | int | bool) -> str:
    """A number as source has it."""
    if isinstance(number, float) and math.isinf(number):
        return "math.inf" if number > 0 else "-math.inf"
    return "math.nan" if number != number else str(number)


def described(value: ScalarValue | ArrayValue | View) -> str:
    """A type as messages name it: Python's own for weak values."""
    if isinstance(value, View | ArrayValue) and value.shape:
        return f"an array of {value.dtype}"
    typed = Typed.of(value)
    return {0: "bool", 1: "int", 2: "float"}[typed.level] if typed.weak else typed.dtype.name


def element_type(dtype: DType) -> DType:
    """The dtype NumPy's float functions give for an argument: halves and small integers stay narrow."""
    if dtype.is_float:
        return dtype
    return {8: F16, 16: F32, 32: F64, 64: F64}[dtype.bits]
