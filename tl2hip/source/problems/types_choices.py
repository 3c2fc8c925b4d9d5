"""What is refused because the data would decide about a dtype (TL323, TL325, TL328)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class TwoTypes(Problem):
    code: ClassVar[str] = "TL323"
    title: ClassVar[str] = "A choice between two dtypes"
    message: ClassVar[str] = "{what} chooses between {left} and {right}: its dtype would depend on the data"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "`max(a, b)`, `min(a, b)` and `a if test else b` give one of two values. Where these have different "
        "dtypes, so has the result, from element to element. A Python number takes the dtype of the other value "
        "where that holds it exactly: in Python it stays the number that it is."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f16, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = max(x[i], y[i])
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f16, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = max(f32(x[i]), y[i])
"""
    what: str
    left: str
    right: str
    way: str = "cast, so that both are of one dtype"


@dataclass(frozen=True)
class PowerSign(Problem):
    code: ClassVar[str] = "TL325"
    title: ClassVar[str] = "Integer power whose type depends on its sign"
    message: ClassVar[str] = "an integer to an integer power is a float where the exponent is below zero"
    help: ClassVar[str] = "cast the base, as in `f32(x) ** n`, or use a constant exponent from 0 up"
    why: ClassVar[str] = "`2 ** n` is an int for n from 0 up and a float below, so its type depends on a value."
    example: ClassVar[str] = """\
@kernel
def f(n: int, y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = 2 ** n
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(n: int, y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = f32(2) ** n
"""


@dataclass(frozen=True)
class StillPython(Problem):
    code: ClassVar[str] = "TL328"
    title: ClassVar[str] = "A name that may still be the Python number it started as"
    message: ClassVar[str] = (
        "the data decide whether {name} is {number} or of dtype {dtype}: "
        "this would be {other} for the one and {found} for the other"
    )
    help: ClassVar[str] = "start with `{dtype}({start})`, or cast where it is used, as in `f32(…)` or `i32(…)`"
    why: ClassVar[str] = (
        "A Python number that meets NumPy's numbers in `max`, `min`, an `if` or a loop is one of several that a "
        "name may be. In Python it stays what it is: 5 times 100 is 500, and an i8 that holds 5 wraps. A kernel "
        "has one dtype for the name, so what is computed with it must come out the same for both."
    )
    example: ClassVar[str] = """\
from tl2hip import Tensor, dims, i8, i32, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[i8, M, N], y: Tensor[i32, M]) -> None:
    for i in range(M):
        m = 5
        for j in range(N):
            m = max(m, x[i, j])
        y[i] = m * 100
"""
    rewrite: ClassVar[str] = """\
from tl2hip import Tensor, dims, i8, i32, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[i8, M, N], y: Tensor[i32, M]) -> None:
    for i in range(M):
        m = 5
        for j in range(N):
            m = max(m, x[i, j])
        y[i] = i32(m) * 100
"""
    name: str
    number: str
    dtype: str
    other: str
    found: str
    start: str
