"""What expressions are refused for: dtypes, indices, shapes (TL32x, TL33x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class NoCommonType(Problem):
    code: ClassVar[str] = "TL320"
    title: ClassVar[str] = "Two dtypes with no common one"
    message: ClassVar[str] = "{left} {op} {right} has no common dtype"
    help: ClassVar[str] = "cast one of them first, as in `f32(x)`"
    why: ClassVar[str] = (
        "NumPy promotes two operands to a common dtype. bf16 and f16 have none, nor has bf16 with an integer "
        "of more than 8 bits: NumPy raises, or falls back to objects."
    )
    example: ClassVar[str] = """\
from tl2hip import Tensor, bf16, dims, f16, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[bf16, N], y: Tensor[f16, N]) -> None:
    for i in range(N):
        y[i] = x[i] + y[i]
"""
    rewrite: ClassVar[str] = """\
from tl2hip import Tensor, bf16, dims, f16, f32, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[bf16, N], y: Tensor[f16, N]) -> None:
    for i in range(N):
        y[i] = f32(x[i]) + f32(y[i])
"""
    op: str
    left: str
    right: str


@dataclass(frozen=True)
class LiteralOutOfRange(Problem):
    code: ClassVar[str] = "TL321"
    title: ClassVar[str] = "Number that its dtype cannot hold"
    message: ClassVar[str] = "{value} does not fit into {dtype}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "A Python integer takes the dtype of the integer it meets, and NumPy raises OverflowError where it "
        "does not fit."
    )
    example: ClassVar[str] = """\
from tl2hip import Tensor, dims, kernel, u8

M, N = dims("M N")

@kernel
def f(x: Tensor[u8, N]) -> None:
    for i in range(N):
        x[i] = 300
"""
    rewrite: ClassVar[str] = """\
from tl2hip import Tensor, dims, kernel, u8

M, N = dims("M N")

@kernel
def f(x: Tensor[u8, N]) -> None:
    for i in range(N):
        x[i] = 44
"""
    value: str
    dtype: str
    way: str


@dataclass(frozen=True)
class NotDefinedFor(Problem):
    code: ClassVar[str] = "TL322"
    title: ClassVar[str] = "Operation that a dtype does not have"
    message: ClassVar[str] = "`{op}` is not defined for {dtype}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "NumPy defines each operation for some dtypes only. The fp8 types are for storing: cast them, "
        "compute, and cast back."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] & 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = int(x[i]) & 1
"""
    op: str
    dtype: str
    way: str = "cast the value first"


@dataclass(frozen=True)
class NotBoolean(Problem):
    code: ClassVar[str] = "TL324"
    title: ClassVar[str] = "`and` or `or` of numbers as a value"
    message: ClassVar[str] = "`{op}` returns one of its operands in Python, and these are not all bools"
    help: ClassVar[str] = "compare the operands, or write `a if test else b`"
    why: ClassVar[str] = (
        "In Python `a and b` is a or b themselves. As a test, and of bools, this is plain logic; of numbers "
        "it is a choice that hardly anyone means."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] or 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] if x[i] != 0 else 1
"""
    op: str


@dataclass(frozen=True)
class ArrayAsTest(Problem):
    code: ClassVar[str] = "TL326"
    title: ClassVar[str] = "An array where one value is needed"
    message: ClassVar[str] = "{what} needs one value, and this is an array"
    help: ClassVar[str] = "index it, or reduce it with `.sum()`, `.max()`, `np.any` or `np.all`"
    why: ClassVar[str] = (
        "A test, an index of a loop or a Python function of numbers takes one value. NumPy raises for the "
        "truth of an array."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    if x > 0:
        y[0] = 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    if np.any(x > 0):
        y[0] = 1
"""
    what: str


@dataclass(frozen=True)
class NeedsArray(Problem):
    code: ClassVar[str] = "TL327"
    title: ClassVar[str] = "One value where an array is needed"
    message: ClassVar[str] = "{what} needs an array, and this is one value"
    help: ClassVar[str] = "take the index off, or drop the call"
    why: ClassVar[str] = "Indexing, `len`, `@` and reductions work on axes, and one value has none."
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i].sum()
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    what: str


@dataclass(frozen=True)
class WrongRank(Problem):
    code: ClassVar[str] = "TL330"
    title: ClassVar[str] = "Wrong number of indices"
    message: ClassVar[str] = "{given} indices for an array of {rank}"
    help: ClassVar[str] = "index it with at most {rank}"
    why: ClassVar[str] = "An array of n axes takes up to n indices; slices and `...` count too."
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i, 0]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    rank: int
    given: int


@dataclass(frozen=True)
class IndexNotInteger(Problem):
    code: ClassVar[str] = "TL331"
    title: ClassVar[str] = "Index that is not an integer"
    message: ClassVar[str] = "an index must be an integer, and this is {dtype}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "An index is an integer. `/` gives a float even where it divides evenly, and a bool would be a mask."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i / 2]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i // 2]
"""
    dtype: str
    way: str = "write `int(…)`, or `//` in place of `/`"


@dataclass(frozen=True)
class ShapesDiffer(Problem):
    code: ClassVar[str] = "TL332"
    title: ClassVar[str] = "Shapes that need not match"
    message: ClassVar[str] = "shapes ({left}) and ({right}) need not match"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "Extents must be equal for every call, or 1. Two dims of different names need not be equal, and NumPy "
        "would raise or stretch one."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, M], y: Tensor[f32, N]) -> None:
    y[:] = x
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, M], y: Tensor[f32, N]) -> None:
    assert M == N
    y[:] = x
"""
    left: str
    right: str
    way: str = "use one dim for both extents, or state it: `assert A.shape[0] == B.shape[0]`"


@dataclass(frozen=True)
class WrongAxis(Problem):
    code: ClassVar[str] = "TL333"
    title: ClassVar[str] = "Axis that the array does not have"
    message: ClassVar[str] = "axis {axis} of an array of {rank} axes"
    help: ClassVar[str] = "count axes from 0, or from -1 backwards"
    why: ClassVar[str] = "Axes are counted from 0 up to the rank, or from -1 downwards."
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
    y[:] = x.sum(axis=2)
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
    y[:] = x.sum(axis=1)
"""
    axis: int
    rank: int


@dataclass(frozen=True)
class ElementNeedsOneValue(Problem):
    code: ClassVar[str] = "TL334"
    title: ClassVar[str] = "An array stored into one element"
    message: ClassVar[str] = "an array cannot be stored into one element"
    help: ClassVar[str] = "index the array, or store into a slice such as `Y[i, :]`"
    why: ClassVar[str] = "One element holds one number."
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    y[:] = x
"""


@dataclass(frozen=True)
class FoldedStore(Problem):
    code: ClassVar[str] = "TL335"
    title: ClassVar[str] = "Store into elements that share memory"
    message: ClassVar[str] = "elements of `{array}` share memory by a stride of 0: which store is last counts"
    help: ClassVar[str] = "leave the axis of that stride out of its shape, and store once for each element"
    why: ClassVar[str] = (
        "Iterations run at the same time. Elements that share memory can be read by all of them, and stored by "
        "none; for strides known at run time the launcher refuses those."
    )
    example: ClassVar[str] = """\
from tl2hip import Tensor, dims, f32, kernel, strides

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, M, N], y: Tensor[f32, M, N, strides(1, 0)]) -> None:
    for i in range(M):
        for j in range(N):
            y[i, j] = x[i, j]
"""
    rewrite: ClassVar[str] = """\
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
    for i in range(M):
        if N > 0:
            y[i] = x[i, N - 1]
"""
    array: str
