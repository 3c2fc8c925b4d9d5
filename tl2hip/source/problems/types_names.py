"""What a kernel's names and parameters are refused for (TL30x, TL31x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class UndefinedName(Problem):
    code: ClassVar[str] = "TL301"
    title: ClassVar[str] = "Undefined name"
    message: ClassVar[str] = "`{name}` is not defined"
    help: ClassVar[str] = "assign it before this line, make it a parameter, or bind it at file level to a number"
    why: ClassVar[str] = (
        "A name is looked up as Python does: among what the function assigns, then at file level, then among "
        "Python's own. A dim has to be bound with `dims`, a constant to a number."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * scale
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N], scale: f32) -> None:
    for i in range(N):
        y[i] = x[i] * scale
"""
    name: str


@dataclass(frozen=True)
class MaybeUndefined(Problem):
    code: ClassVar[str] = "TL302"
    title: ClassVar[str] = "Name that may have no value"
    message: ClassVar[str] = "`{name}` may have no value here: {reason}"
    help: ClassVar[str] = "give `{name}` a value before {before}"
    why: ClassVar[str] = (
        "A name that only one way through the code gives a value, or only a loop that may have no turns, "
        "would raise in Python where the other way is taken. The kernel cannot raise, so the name needs a "
        "value on every way. The variable of a loop has no value after it for the same reason."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        if x[i] > 0:
            t = x[i]
        y[i] = t
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        t = f32(0)
        if x[i] > 0:
            t = x[i]
        y[i] = t
"""
    name: str
    reason: str
    before: str


@dataclass(frozen=True)
class NotANumber(Problem):
    code: ClassVar[str] = "TL303"
    title: ClassVar[str] = "File-level name that is not a constant"
    message: ClassVar[str] = "the value of `{name}` is not known without running the file"
    help: ClassVar[str] = "bind it to a number, or to arithmetic on numbers, or make it a parameter"
    why: ClassVar[str] = (
        "A file is read and never run, so a file-level name can be used in a kernel only if its value follows "
        "from the text: a number, or arithmetic on numbers, of the module `math`, or of other such names."
    )
    example: ClassVar[str] = """\
SCALE = float(input())

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * SCALE
"""
    rewrite: ClassVar[str] = """\
SCALE = 1 / math.sqrt(64)

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * SCALE
"""
    name: str


@dataclass(frozen=True)
class TypeChanges(Problem):
    code: ClassVar[str] = "TL304"
    title: ClassVar[str] = "Name of two types"
    message: ClassVar[str] = "`{name}` is {one} on one way here and {other} on another"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "A local of a kernel has one dtype wherever two ways meet. A Python number takes that of what it meets, if "
        "that holds it exactly; two NumPy dtypes would make it depend on the data, or on how often a loop turned."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        if x[i] > 0:
            t = f16(1)
        else:
            t = f32(2)
        y[i] = t
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        if x[i] > 0:
            t = f32(1)
        else:
            t = f32(2)
        y[i] = t
"""
    name: str
    one: str
    other: str
    way: str = "cast, so that both are of one type, or use two names"


@dataclass(frozen=True)
class UnknownSetting(Problem):
    code: ClassVar[str] = "TL305"
    title: ClassVar[str] = "Nothing of that name to set"
    message: ClassVar[str] = "`{function}` has no dim and no keyword-only parameter `{name}` to set"
    help: ClassVar[str] = "it has: {known}"
    why: ClassVar[str] = (
        "`--set` binds dims, extents taken from an array (`A_0` is the first of A) and keyword-only "
        "parameters. A name that is none of these is a mistake and would be ignored."
    )
    example: ClassVar[str] = """\
tl2hip emit kernel.py --set Q=64
"""
    rewrite: ClassVar[str] = """\
tl2hip emit kernel.py --set N=64
"""
    function: str
    name: str
    known: str


@dataclass(frozen=True)
class BadSetting(Problem):
    code: ClassVar[str] = "TL306"
    title: ClassVar[str] = "Value that a dim cannot take"
    message: ClassVar[str] = "`{name}` cannot be {value}: {reason}"
    help: ClassVar[str] = "set it to a size from 0 up, within 64 bits"
    why: ClassVar[str] = "A dim is the extent of an axis, and whole numbers have 64 bits."
    example: ClassVar[str] = """\
tl2hip emit kernel.py --set N=-1
"""
    rewrite: ClassVar[str] = """\
tl2hip emit kernel.py --set N=64
"""
    name: str
    value: int
    reason: str


@dataclass(frozen=True)
class DimWithoutExtent(Problem):
    code: ClassVar[str] = "TL307"
    title: ClassVar[str] = "Dim that is the extent of nothing"
    message: ClassVar[str] = "nothing says what `{name}` is: no parameter of `{function}` has it as an extent"
    help: ClassVar[str] = "name it in the shape of a parameter, or pass it as a number: `{name}: int`"
    why: ClassVar[str] = "Dims get their values from the shapes of the arrays that a kernel is called with."
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, :], y: Tensor[f32, M]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    name: str
    function: str


@dataclass(frozen=True)
class NoHint(Problem):
    code: ClassVar[str] = "TL310"
    title: ClassVar[str] = "Parameter without a type"
    message: ClassVar[str] = "parameter `{name}` has no type"
    help: ClassVar[str] = (
        "write `{name}: Tensor[f32, M, N]`, `{name}: f32` or `{name}: int`, or give it with `--types`"
    )
    why: ClassVar[str] = "The printed kernel has typed parameters, and nothing but the annotation can say which."
    example: ClassVar[str] = """\
@kernel
def f(x, y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    name: str


@dataclass(frozen=True)
class HintNotUnderstood(Problem):
    code: ClassVar[str] = "TL311"
    title: ClassVar[str] = "Type of a parameter that says too little"
    message: ClassVar[str] = "the type of parameter `{name}` gives no dtype and extents"
    help: ClassVar[str] = "write `{name}: Tensor[f32, M, N]`, `{name}: f32`, `{name}: int` or `{name}: bool`"
    why: ClassVar[str] = (
        "A tensor needs a dtype and the extent of each axis, a scalar a dtype: annotations such as `list` or "
        "`np.ndarray` leave both open."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: list, y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    name: str


@dataclass(frozen=True)
class UnknownDType(Problem):
    code: ClassVar[str] = "TL312"
    title: ClassVar[str] = "Unknown dtype"
    message: ClassVar[str] = "not a dtype that tl2hip carries"
    help: ClassVar[str] = "one of f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 u8 u32 bool, or NumPy's name of one"
    why: ClassVar[str] = (
        "tl2hip carries the types that gfx942 computes with or loads. Others, such as complex or u64, have no "
        "conversion."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[np.complex64, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = 0
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[np.float32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = 0
"""


@dataclass(frozen=True)
class BadExtent(Problem):
    code: ClassVar[str] = "TL313"
    title: ClassVar[str] = "Extent that is not an integer of sizes"
    message: ClassVar[str] = "an extent must be an integer made of dims, constants and `int` parameters"
    help: ClassVar[str] = 'bind dims at file level, `M, N = dims("M N")`, or write `:` to take it from the array'
    why: ClassVar[str] = (
        "Extents are worked out on the host, before the kernel runs, from dims and scalar arguments."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, 1:N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = 0
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N - 1], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = 0
"""


@dataclass(frozen=True)
class LocalHint(Problem):
    code: ClassVar[str] = "TL314"
    title: ClassVar[str] = "Annotation of a local that does not hold"
    message: ClassVar[str] = "annotating `{name}` does not cast it: its value is {dtype}"
    help: ClassVar[str] = "cast the value, as in `{name} = f32(…)`, and leave the annotation out"
    why: ClassVar[str] = (
        "Python does not evaluate the annotation of a local, so it does not cast. One that says another type than "
        "the value has would promise what does not happen. So does a parameter's, of a function a kernel calls."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s: f32 = 0.0
    for i in range(N):
        s += x[i]
    y[0] = s
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        s += x[i]
    y[0] = s
"""
    name: str
    dtype: str


@dataclass(frozen=True)
class ConstantWithoutValue(Problem):
    code: ClassVar[str] = "TL315"
    title: ClassVar[str] = "Compile-time constant without a value"
    message: ClassVar[str] = "`{name}` stands in a mark, so it must be known when the kernel is printed"
    help: ClassVar[str] = "give it a default, or a value with --set {name}=…"
    why: ClassVar[str] = (
        "A keyword-only parameter used in a mark is a compile-time constant: tile sizes shape the printed text."
    )
    example: ClassVar[str] = """\
from tl2hip import Tensor, Tile, dims, f32, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N], *, block: int) -> None:
    i: Tile[int, block]
    for i in range(N):
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
from tl2hip import Tensor, Tile, dims, f32, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N], *, block: int = 64) -> None:
    i: Tile[int, block]
    for i in range(N):
        y[i] = x[i]
"""
    name: str


@dataclass(frozen=True)
class BadTypes(Problem):
    code: ClassVar[str] = "TL316"
    title: ClassVar[str] = "Types from outside that are not understood"
    message: ClassVar[str] = "the types given for `{function}` are not understood: {reason}"
    help: ClassVar[str] = "write them as `x=f32[N], y=f32[M, N], n=int`, or in the order of the parameters"
    why: ClassVar[str] = (
        "`--types 'f(x=f32[N], n=int)'` types the parameters of a function that says nothing itself, or less. Each "
        "is a dtype with the extent of each axis, or a dtype alone for a number."
    )
    example: ClassVar[str] = """\
tl2hip emit kernel.py --types 'f(z=f32[N])'
"""
    rewrite: ClassVar[str] = """\
tl2hip emit kernel.py --types 'f(x=f32[N])'
"""
    function: str
    reason: str


@dataclass(frozen=True)
class ForeignType(Problem):
    code: ClassVar[str] = "TL317"
    title: ClassVar[str] = "Type of another tool that says too little"
    message: ClassVar[str] = "the type of `{name}` cannot be used: {reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "`NDArray[np.float32]`, jaxtyping's `Float32[np.ndarray, 'M N']`, Pyccel's `'float32[:,:]'` and Numba's "
        "signatures are read as `Tensor`s where they say the dtype, and say or show the axes. Nothing is guessed."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: np.ndarray, y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    name: str
    reason: str
    way: str
