"""Expressions that a kernel has no meaning for (TL13x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class Walrus(Problem):
    code: ClassVar[str] = "TL130"
    title: ClassVar[str] = "Assignment inside an expression"
    message: ClassVar[str] = "`:=` inside a kernel"
    help: ClassVar[str] = "assign in a line of its own, before the expression"
    why: ClassVar[str] = (
        "The expressions of a kernel have no effects, so that they can be moved, repeated and computed side "
        "by side."
    )
    example: ClassVar[str] = """\
@kernel
def relu(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        if (x := X[i]) > 0:
            Y[i] = x
"""
    rewrite: ClassVar[str] = """\
@kernel
def relu(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        x = X[i]
        if x > 0:
            Y[i] = x
"""


@dataclass(frozen=True)
class BuiltContainer(Problem):
    code: ClassVar[str] = "TL131"
    title: ClassVar[str] = "A container built from a loop"
    message: ClassVar[str] = "{what} as data inside a kernel"
    help: ClassVar[str] = "allocate an array (`np.empty`, `np.zeros`) and fill it in a loop"
    why: ClassVar[str] = (
        "A kernel's data are arrays of known type and shape. A comprehension makes a new list of Python objects."
    )
    example: ClassVar[str] = """\
@kernel
def norms(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    squares = [X[i] * X[i] for i in range(N)]
    for i in range(N):
        Y[i] = squares[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def norms(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    squares = np.empty(N, np.float32)
    for i in range(N):
        squares[i] = X[i] * X[i]
    for i in range(N):
        Y[i] = squares[i]
"""
    what: str


@dataclass(frozen=True)
class HashedContainer(Problem):
    code: ClassVar[str] = "TL132"
    title: ClassVar[str] = "Sets and dictionaries"
    message: ClassVar[str] = "{what} inside a kernel"
    help: ClassVar[str] = "use arrays; a small table of choices is an `if` and `elif`"
    why: ClassVar[str] = "Sets and dictionaries hash Python objects in memory that grows; a GPU kernel has neither."
    example: ClassVar[str] = """\
@kernel
def weigh(S: Tensor[i32, N], Y: Tensor[f32, N]) -> None:
    weight = {0: 0.5, 1: 2.0}
    for i in range(N):
        Y[i] = weight[S[i]]
"""
    rewrite: ClassVar[str] = """\
@kernel
def weigh(S: Tensor[i32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = 0.5 if S[i] == 0 else 2.0
"""
    what: str


@dataclass(frozen=True)
class GeneratorPlace(Problem):
    code: ClassVar[str] = "TL133"
    title: ClassVar[str] = "A generator that is not summed up in place"
    message: ClassVar[str] = "{what}"
    help: ClassVar[str] = "give it to sum, min, max, any or all where it stands, or write the loop"
    why: ClassVar[str] = (
        "`sum(x * y for …)` is a loop with an accumulator and is read as one. A generator anywhere else is "
        "an object that hands out values later."
    )
    example: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, M, N], Y: Tensor[f32, 1]) -> None:
    products = (X[i, j] * X[i, j] for i in range(M) for j in range(N))
    Y[0] = sum(products)
"""
    rewrite: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, M, N], Y: Tensor[f32, 1]) -> None:
    Y[0] = sum(X[i, j] * X[i, j] for i in range(M) for j in range(N))
"""
    what: str


@dataclass(frozen=True)
class FormattedText(Problem):
    code: ClassVar[str] = "TL134"
    title: ClassVar[str] = "Formatted text"
    message: ClassVar[str] = "formatted text inside a kernel"
    help: ClassVar[str] = "write plain text, or format outside of the kernel"
    why: ClassVar[str] = (
        "Text is made from values at run time and on the CPU. Only the message of an `assert` may be an "
        "f-string: it is kept as it is written."
    )
    example: ClassVar[str] = """\
def double(M, N, block_m, block_n):
    X = tl.InputTensor(f"X{1}", [M, N], "float32")
    Y = tl.OutputTensor(f"Y{1}", [M, N], "float32")
    i, j = tl.TileLoop([M, N], [block_m, block_n])
    Y[i, j].store(X[i, j].load() * 2)
    return tl.CompileKernel(double)


double(256, 512, 64, 64)
"""
    rewrite: ClassVar[str] = """\
def double(M, N, block_m, block_n):
    X = tl.InputTensor("X", [M, N], "float32")
    Y = tl.OutputTensor("Y", [M, N], "float32")
    i, j = tl.TileLoop([M, N], [block_m, block_n])
    Y[i, j].store(X[i, j].load() * 2)
    return tl.CompileKernel(double)


double(256, 512, 64, 64)
"""


@dataclass(frozen=True)
class Identity(Problem):
    code: ClassVar[str] = "TL135"
    title: ClassVar[str] = "`is`"
    message: ClassVar[str] = "`{word}` asks for the same object, and values of a kernel are none"
    help: ClassVar[str] = "compare numbers with `==` or `!=`"
    why: ClassVar[str] = (
        "Numbers in registers have a value and no identity, and every argument of a kernel is there: none "
        "is `None`."
    )
    example: ClassVar[str] = """\
@kernel
def zeros(X: Tensor[i32, N], Y: Tensor[i32, N]) -> None:
    for i in range(N):
        if X[i] is 0:
            Y[i] = 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def zeros(X: Tensor[i32, N], Y: Tensor[i32, N]) -> None:
    for i in range(N):
        if X[i] == 0:
            Y[i] = 1
"""
    word: str


@dataclass(frozen=True)
class Membership(Problem):
    code: ClassVar[str] = "TL136"
    title: ClassVar[str] = "`in`"
    message: ClassVar[str] = "`{word}` as a test inside a kernel"
    help: ClassVar[str] = "compare with each value, or search in a loop"
    why: ClassVar[str] = "Searching a container is a loop with an early end; written out, it is seen what it costs."
    example: ClassVar[str] = """\
@kernel
def marked(X: Tensor[i32, N], Y: Tensor[i32, N]) -> None:
    for i in range(N):
        if X[i] in (2, 3):
            Y[i] = 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def marked(X: Tensor[i32, N], Y: Tensor[i32, N]) -> None:
    for i in range(N):
        if X[i] == 2 or X[i] == 3:
            Y[i] = 1
"""
    word: str


@dataclass(frozen=True)
class OtherLiteral(Problem):
    code: ClassVar[str] = "TL137"
    title: ClassVar[str] = "Complex numbers and bytes"
    message: ClassVar[str] = "{what} inside a kernel"
    help: ClassVar[str] = "{instead}"
    why: ClassVar[str] = "A kernel computes with integers, floats and bools; there is no dtype for other literals."
    example: ClassVar[str] = """\
@kernel
def spiral(C: Tensor[f32, N, 2], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        z = C[i, 0] + 1j * C[i, 1]
        Y[i] = abs(z)
"""
    rewrite: ClassVar[str] = """\
@kernel
def spiral(C: Tensor[f32, N, 2], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = math.sqrt(C[i, 0] * C[i, 0] + C[i, 1] * C[i, 1])
"""
    what: str
    instead: str
