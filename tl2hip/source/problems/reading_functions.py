"""Functions that cannot be a kernel or its helper (TL11x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class NotAtFileLevel(Problem):
    code: ClassVar[str] = "TL110"
    title: ClassVar[str] = "A kernel that is not at file level"
    message: ClassVar[str] = "kernel {name} stands inside {holder}"
    help: ClassVar[str] = "move it to file level; what it takes from around it becomes a parameter"
    why: ClassVar[str] = (
        "A function inside a class or another function may use names that exist only while that one runs. "
        "The command line reads files and never runs them, so it converts functions at file level."
    )
    example: ClassVar[str] = """\
class Ops:
    @kernel
    def double(self, X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
        for i in range(N):
            Y[i] = X[i] * self.factor
"""
    rewrite: ClassVar[str] = """\
@kernel
def scale(X: Tensor[f32, N], Y: Tensor[f32, N], factor: f32) -> None:
    for i in range(N):
        Y[i] = X[i] * factor
"""
    name: str
    holder: str


@dataclass(frozen=True)
class DefinedTwice(Problem):
    code: ClassVar[str] = "TL111"
    title: ClassVar[str] = "Two functions of one name"
    message: ClassVar[str] = "{name} is defined again; the first is in line {line}"
    help: ClassVar[str] = "give each function a name of its own"
    why: ClassVar[str] = (
        "Python calls the later of two functions with one name. Two kernels, or a kernel's helper, under "
        "one name would make one printed file stand for two functions."
    )
    example: ClassVar[str] = """\
@kernel
def scale(X: Tensor[f32, N]) -> None:
    for i in range(N):
        X[i] = X[i] * 2

@kernel
def scale(X: Tensor[f32, N]) -> None:
    for i in range(N):
        X[i] = X[i] * 3
"""
    rewrite: ClassVar[str] = """\
@kernel
def scale2(X: Tensor[f32, N]) -> None:
    for i in range(N):
        X[i] = X[i] * 2

@kernel
def scale3(X: Tensor[f32, N]) -> None:
    for i in range(N):
        X[i] = X[i] * 3
"""
    name: str
    line: int


@dataclass(frozen=True)
class OtherDecorator(Problem):
    code: ClassVar[str] = "TL112"
    title: ClassVar[str] = "A decorator other than @kernel"
    message: ClassVar[str] = "the decorator {name} may change what the function does"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "A decorator replaces the function by whatever it returns, and that is known only when it runs. "
        "tl2hip prints what the function says, so nothing may stand between the two."
    )
    example: ClassVar[str] = """\
@cache
def weight(x):
    return x * x

@kernel
def apply(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = weight(X[i])
"""
    rewrite: ClassVar[str] = """\
def weight(x):
    return x * x

@kernel
def apply(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = weight(X[i])
"""
    name: str
    way: str = "remove it; a kernel carries `@kernel`, a helper function none"


@dataclass(frozen=True)
class OpenParameters(Problem):
    code: ClassVar[str] = "TL113"
    title: ClassVar[str] = "Parameters without a fixed number"
    message: ClassVar[str] = "{what} has no fixed number of arguments"
    help: ClassVar[str] = "name each parameter"
    why: ClassVar[str] = (
        "A HIP kernel has a fixed list of parameters, each with a type. `*args` and `**options` leave both "
        "open until the call."
    )
    example: ClassVar[str] = """\
@kernel
def add(Y: Tensor[f32, N], *X: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[0][i] + X[1][i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def add(Y: Tensor[f32, N], A: Tensor[f32, N], B: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = A[i] + B[i]
"""
    what: str


@dataclass(frozen=True)
class DefinitionInside(Problem):
    code: ClassVar[str] = "TL114"
    title: ClassVar[str] = "A definition inside a kernel"
    message: ClassVar[str] = "{what} inside a kernel"
    help: ClassVar[str] = "define a function at file level and call it by its name"
    why: ClassVar[str] = (
        "Functions and classes made while the kernel runs are values that may be stored, returned and may "
        "capture variables. A kernel may call functions at file level; these are read and put in place."
    )
    example: ClassVar[str] = """\
@kernel
def squares(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    square = lambda x: x * x
    for i in range(N):
        Y[i] = square(X[i])
"""
    rewrite: ClassVar[str] = """\
def square(x):
    return x * x

@kernel
def squares(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = square(X[i])
"""
    what: str


@dataclass(frozen=True)
class Recursion(Problem):
    code: ClassVar[str] = "TL115"
    title: ClassVar[str] = "Recursion"
    message: ClassVar[str] = "{name} calls itself{through}"
    help: ClassVar[str] = "write it as a loop"
    why: ClassVar[str] = (
        "Called functions are put in place of the call, so that a kernel is one nest of loops whose "
        "registers and memory are known before it runs. Recursion has no such bound."
    )
    example: ClassVar[str] = """\
def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)

@kernel
def cubes(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = power(X[i], 3)
"""
    rewrite: ClassVar[str] = """\
@kernel
def cubes(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        p = f32(1)
        for n in range(3):
            p *= X[i]
        Y[i] = p
"""
    name: str
    through: str


@dataclass(frozen=True)
class ImportInside(Problem):
    code: ClassVar[str] = "TL116"
    title: ClassVar[str] = "An import inside a kernel"
    message: ClassVar[str] = "an import inside a kernel"
    help: ClassVar[str] = "move the import to the top of the file"
    why: ClassVar[str] = (
        "What `np` or `exp` stands for is settled once, by the imports of the file. An import inside a "
        "function could mean another thing from one call to the next."
    )
    example: ClassVar[str] = """\
@kernel
def roots(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    import math
    for i in range(N):
        Y[i] = math.sqrt(X[i])
"""
    rewrite: ClassVar[str] = """\
import math

@kernel
def roots(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = math.sqrt(X[i])
"""


@dataclass(frozen=True)
class TypeParameters(Problem):
    code: ClassVar[str] = "TL117"
    title: ClassVar[str] = "Type parameters"
    message: ClassVar[str] = "{name} has type parameters"
    help: ClassVar[str] = "write one function for each dtype; a helper function needs no annotations at all"
    why: ClassVar[str] = (
        "A kernel is printed for the dtypes that its annotations name; a type parameter names none."
    )
    example: ClassVar[str] = """\
@kernel
def double[T](X: Tensor[T, N], Y: Tensor[T, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    rewrite: ClassVar[str] = """\
@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    name: str
