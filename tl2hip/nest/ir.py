"""The one intermediate form: nests of scalar statements over named axes.

A `Nest` is a whole kernel function: typed arrays and scalars, and a body of loops, guards and scalar statements
in the user's order, so that it prints as Python loops that run. It says what is computed, never where: the
kind of an axis comes from `nest.dependence`, its place on the machine from `plan`.

Every expression is fully typed. The builder has resolved NumPy 2's promotion, so both operands of a binary
operation have one dtype, which is the dtype it is computed in, and each promotion is an explicit `Cast`.
The meaning of each operation is stated here once; the interpreter, the printer and the running bound follow it.

Binary (both operands and the result have one dtype unless said otherwise)
    + - *        integers wrap in two's complement; floats round once in their own dtype, never fused
    /            floats only
    // %         Python's floor semantics; integer `//0` and `%0` give 0; floats as NumPy's floor_divide, remainder
    **           integers: exponent below 0 gives 0; floats as C's pow
    & | ^        integers and bool
    << >>        integers; counts past the width as NumPy (0, or -1 for a negative value shifted right)
    min max      Python's: `max` is `b if b > a else a`, `min` is `b if b < a else a`: a NaN on the right is skipped
    minimum maximum    NumPy's: a NaN on either side propagates
    fmin fmax    C's: a NaN is dropped
Compare gives bool: < <= > >= == != (any comparison with NaN is false, != true).
Logic gives bool and evaluates its right side only if needed; operands are bool.
Unary: - ~ not abs (abs of the lowest integer wraps).
Cast: float to int truncates (NaN gives 0, out of range saturates to i64 or u32, then wraps to the width);
    int to int wraps; anything to bool is `!= 0`; float to float rounds to nearest even, fp8 without saturation.
Call: a float function of `FUNCTIONS`, computed in its dtype (f32 or f64; the builder casts halves to f32 and back).
Load and Store, `proven`: surely inside 0 … n-1; `always`: even where a test above fails, so it may go first.
    Not proven, they follow Python: -n … -1 wraps, any other index loads 0 or drops the store.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tl2hip.dtypes import BOOL, I64, DType
from tl2hip.source.span import NOWHERE, Source, Span

FUNCTIONS: dict[str, int] = {
    **dict.fromkeys(
        "sqrt rsqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh erf erfc"
        " floor ceil trunc rint isnan isinf isfinite".split(),
        1,
    ),
    **dict.fromkeys("pow atan2 hypot fmod copysign".split(), 2),
}
"""Every function a `Call` may name, with its number of arguments; isnan, isinf and isfinite give bool."""

ReduceOp = Literal["+", "*", "min", "max", "minimum", "maximum", "fmin", "fmax", "&", "|", "^", "and", "or"]


# --- expressions -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    """A literal; `value` is exact (an int, a bool, or the float it stands for, inf and nan included)."""

    value: int | float | bool
    dtype: DType


@dataclass(frozen=True, slots=True)
class AxisRef:
    """The value of a loop variable inside its loop (not the trip number)."""

    axis: str

    @property
    def dtype(self) -> DType:
        return I64


@dataclass(frozen=True, slots=True)
class Dim:
    """A symbolic extent, 0 or more: a run-time argument, or a constant once bound with `--set`."""

    name: str

    @property
    def dtype(self) -> DType:
        return I64


@dataclass(frozen=True, slots=True)
class Scalar:
    """A run-time scalar argument; never written."""

    name: str
    dtype: DType


@dataclass(frozen=True, slots=True)
class Var:
    """The current value of a scalar local."""

    name: str
    dtype: DType


@dataclass(frozen=True, slots=True)
class Load:
    """One element of an array; every index is i64. `proven`: the index is known to lie in 0 … n-1 where it is read;
    `always`: even where a test that it stands under fails, so that it may be read ahead of the test."""

    array: str
    index: tuple[Expr, ...]
    dtype: DType
    proven: bool = False
    always: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    op: str
    value: Expr

    @property
    def dtype(self) -> DType:
        return BOOL if self.op == "not" else self.value.dtype


@dataclass(frozen=True, slots=True)
class Binary:
    op: str
    left: Expr
    right: Expr

    @property
    def dtype(self) -> DType:
        return self.left.dtype


@dataclass(frozen=True, slots=True)
class Compare:
    op: str
    left: Expr
    right: Expr

    @property
    def dtype(self) -> DType:
        return BOOL


@dataclass(frozen=True, slots=True)
class Logic:
    """`op` is "and" or "or"."""

    op: str
    left: Expr
    right: Expr

    @property
    def dtype(self) -> DType:
        return BOOL


@dataclass(frozen=True, slots=True)
class Select:
    """`then if test else orelse`: only the chosen side is evaluated."""

    test: Expr
    then: Expr
    orelse: Expr

    @property
    def dtype(self) -> DType:
        return self.then.dtype


@dataclass(frozen=True, slots=True)
class Cast:
    """A change of dtype. `explicit`: the user wrote it (`f16(x)`), so the reference rounds here too; an implicit
    one is a promotion or a store."""

    value: Expr
    dtype: DType
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function of `FUNCTIONS`."""

    name: str
    args: tuple[Expr, ...]
    dtype: DType


Expr = Const | AxisRef | Dim | Scalar | Var | Load | Unary | Binary | Compare | Logic | Select | Cast | Call


# --- statements ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark of a user on an axis: `waves(2)` is ("waves", 2), `serial` is ("serial", None); `word` is another
    notation's own word for it, where it was written so."""

    name: str
    value: int | None = None
    at: Span = field(default=NOWHERE, compare=False)
    word: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        """The mark as it was written."""
        return self.word or (self.name if self.value is None else f"{self.name}({self.value})")


@dataclass(frozen=True, slots=True)
class Axis:
    """One loop's axis: the values start, start + step, … before stop (Python's range; step is not 0).

    `name` is unique in the nest, AxisRef names it; `user` is the name in the source ("" for an axis that a slice
    or a reduction made). `step` is a constant of either sign; `tile` is the user's tile size, written at `tile_at`,
    that of the blocks by which the user's own loop goes where `blocks`.
    """

    name: str
    start: Expr
    stop: Expr
    step: int = 1
    user: str = ""
    tile: int | None = None
    marks: tuple[Mark, ...] = ()
    blocks: bool = field(default=False, compare=False)
    tile_at: Span = field(default=NOWHERE, compare=False)

    def marked(self, name: str) -> bool:
        return any(m.name == name for m in self.marks)

    def mark(self, name: str) -> int | None:
        """The value of a mark; None where there is no such mark, or it takes no value."""
        return next((m.value for m in self.marks if m.name == name), None)


@dataclass(frozen=True, slots=True)
class Loop:
    axis: Axis
    body: tuple[Stmt, ...]
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class While:
    test: Expr
    body: tuple[Stmt, ...]
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class If:
    test: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Set:
    """`name = value`: a scalar local takes a value of its own dtype."""

    name: str
    value: Expr
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Store:
    """`array[index] = value`; the value has the array's dtype."""

    array: str
    index: tuple[Expr, ...]
    value: Expr
    proven: bool = False
    always: bool = field(default=False, compare=False)
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Update:
    """`array[index] = array[index] op value`, read, computed and written in the array's dtype.

    `op` is a ReduceOp whose order may change. Made from `a[i] += x`, `a[i] = a[i] + x`, `a[i] = max(a[i], x)`,
    `np.add.at`; a subtraction is an addition of the negative. `atomic` is set by the plan.
    Where computing in the array's dtype is not what NumPy does (`i32[i] += f64`, `f16[i] += f32`), the builder
    keeps a Load, a Cast and a Store.
    """

    array: str
    index: tuple[Expr, ...]
    op: ReduceOp
    value: Expr
    proven: bool = False
    atomic: bool = False
    always: bool = field(default=False, compare=False)
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Alloc:
    """A local array comes to life here, with undefined elements, anew each time this is reached.
    `np.zeros` is an Alloc followed by loops that store 0."""

    array: str
    at: Span = field(default=NOWHERE, compare=False)


Stmt = Loop | While | If | Set | Store | Update | Alloc


# --- the nest --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Array:
    """An array of the kernel: a parameter, a result (allocated inside and returned) or a local.

    `shape`, `strides` (in elements; None is row-major): i64 of Dim, Scalar, Const; in loops AxisRef and Var too.
    """

    name: str
    dtype: DType
    shape: tuple[Expr, ...]
    role: Literal["parameter", "result", "local"]
    strides: tuple[Expr, ...] | None = None
    marks: tuple[Mark, ...] = ()
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar local and its one dtype. `numpy`: the narrower one that NumPy holds the same number in."""

    name: str
    dtype: DType
    numpy: DType | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Check:
    """A user's `assert` over Dim and Scalar: checked by the launcher, used by the plan."""

    test: Expr
    text: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Idiom:
    """What a rule recognised: its name, what each hole stands for, `axes` by their roles ("over", "rows", "cols",
    "row"), and `at`, the statement that anchors it."""

    rule: str
    axes: tuple[tuple[str, tuple[str, ...]], ...]
    values: tuple[tuple[str, str], ...] = ()
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Nest:
    """A kernel function, whole.

    `order` lists the parameters as the user wrote them (array and scalar names); `dims` the symbolic extents as
    they appear; `results` the returned arrays in order (`scalar_results` those of shape (1,) that Python returns
    as a number). `distinct` names index arrays asserted to hold distinct elements, `offsets` rising ones from 0 up.
    """

    name: str
    source: Source
    order: tuple[str, ...]
    dims: tuple[str, ...]
    scalars: tuple[Scalar, ...]
    arrays: tuple[Array, ...]
    variables: tuple[Variable, ...]
    body: tuple[Stmt, ...]
    checks: tuple[Check, ...] = ()
    results: tuple[str, ...] = ()
    scalar_results: tuple[str, ...] = ()
    distinct: tuple[str, ...] = ()
    offsets: tuple[str, ...] = ()
    idioms: tuple[Idiom, ...] = ()
    doc: str = ""
    at: Span = field(default=NOWHERE, compare=False)

    def array(self, name: str) -> Array:
        """The array of that name; KeyError where there is none."""
        for a in self.arrays:
            if a.name == name:
                return a
        raise KeyError(name)

    def dtype_of(self, variable: str) -> DType:
        """The dtype of a scalar local; KeyError where there is none."""
        for v in self.variables:
            if v.name == variable:
                return v.dtype
        raise KeyError(variable)
