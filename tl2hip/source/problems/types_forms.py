"""Forms of expressions, calls and statements that do not convert (TL34x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class NotSupported(Problem):
    code: ClassVar[str] = "TL340"
    title: ClassVar[str] = "A form that does not convert"
    message: ClassVar[str] = "{what} does not convert"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "tl2hip converts the part of Python that loops over numbers are written in. What is outside is "
        "refused at its place, never skipped."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
    x[0]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    what: str
    way: str


@dataclass(frozen=True)
class UnknownFunction(Problem):
    code: ClassVar[str] = "TL341"
    title: ClassVar[str] = "Call that does not convert"
    message: ClassVar[str] = "no conversion for a call of `{name}`"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "Calls are converted where tl2hip knows what they do: Python's own functions of numbers, `math`, "
        "NumPy's elementwise functions and reductions, casts, and functions of the same file."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    y[:] = np.fft.fft(x)
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    y[:] = np.sqrt(x)
"""
    name: str
    way: str = "write it out in loops over elements"


@dataclass(frozen=True)
class WrongArguments(Problem):
    code: ClassVar[str] = "TL342"
    title: ClassVar[str] = "Arguments that do not convert"
    message: ClassVar[str] = "`{name}` {reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = "An argument that is ignored would change the result silently."
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    t = np.zeros(N, dtype=np.float32, order='F')
    y[:] = t
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    t = np.zeros(N, dtype=np.float32)
    y[:] = t
"""
    name: str
    reason: str
    way: str = "see its documentation for what it takes"


@dataclass(frozen=True)
class UnknownAttribute(Problem):
    code: ClassVar[str] = "TL343"
    title: ClassVar[str] = "Attribute that does not convert"
    message: ClassVar[str] = "no conversion for `.{name}` here"
    help: ClassVar[str] = "arrays have .shape .size .ndim .dtype .T and the methods sum mean max min prod"
    why: ClassVar[str] = "Of what an array says about itself, shapes and dtype convert."
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x.itemsize
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x.size
"""
    name: str


@dataclass(frozen=True)
class NotARange(Problem):
    code: ClassVar[str] = "TL344"
    title: ClassVar[str] = "Loop over something that is not a range"
    message: ClassVar[str] = "a loop must run over `range(…)`"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "Loops become axes of an index space. Their length has to be known before the first turn, and each "
        "turn has to be found by its number: ranges, arrays, tuples and lists are so, other iterables are not."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in N:
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
    way: str = "write `for i in range(n):` and index inside"


@dataclass(frozen=True)
class BadStep(Problem):
    code: ClassVar[str] = "TL345"
    title: ClassVar[str] = "Step that is not known well enough"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "The direction of a loop, and the number of its turns, follow from its step, and Python raises where it "
        "is 0. A step known at run time converts where its sign is known; the launcher checks what is asserted."
    )
    example: ClassVar[str] = """\
@kernel
def f(n: int, y: Tensor[f32, N]) -> None:
    for i in range(0, N, n):
        y[i] = 0
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(n: int, y: Tensor[f32, N]) -> None:
    assert n > 0
    for i in range(0, N, n):
        y[i] = 0
"""
    reason: str
    way: str


@dataclass(frozen=True)
class BadReturn(Problem):
    code: ClassVar[str] = "TL347"
    title: ClassVar[str] = "Return that does not convert"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "What a kernel returns becomes an output parameter, allocated by the caller before the kernel runs. "
        "So it returns arrays made inside and numbers, and as many on every way through it."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N]) -> object:
    if N > 5:
        return x[0] + x[1]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N]) -> object:
    if N > 5:
        return x[0] + x[1]
    return f32(0)
"""
    reason: str
    way: str


@dataclass(frozen=True)
class ReturnHint(Problem):
    code: ClassVar[str] = "TL318"
    title: ClassVar[str] = "Annotation of a result that does not hold"
    message: ClassVar[str] = "`{function}` returns `{right}`, and this says something else"
    help: ClassVar[str] = "say `{right}` here, or {otherwise}"
    why: ClassVar[str] = (
        "Python does not look at the annotation of a result, so it does not cast. The printed launcher has a "
        "parameter of the dtype and extents that are returned; an annotation that says others would promise what "
        "does not happen."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N]) -> Tensor[f16, N]:
    return x + 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N]) -> Tensor[f32, N]:
    return x + 1
"""
    function: str
    right: str
    otherwise: str = "cast what is returned"


@dataclass(frozen=True)
class ChangesInside(Problem):
    code: ClassVar[str] = "TL350"
    title: ClassVar[str] = "Function that changes an array, called inside an expression"
    message: ClassVar[str] = "`{name}` changes `{array}`, and is called inside an expression"
    help: ClassVar[str] = "call it on a line of its own, `value = {name}(…)`, and use `value`"
    why: ClassVar[str] = (
        "Python works an expression out from left to right, so what stands beside such a call may be read before "
        "the array changes or after. With the call on its own line the order can be seen."
    )
    example: ClassVar[str] = """\
def bump(a, i):
    a[i] += 1
    return a[i]


@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * 10 + bump(x, i)
"""
    rewrite: ClassVar[str] = """\
def bump(a, i):
    a[i] += 1
    return a[i]


@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        old = x[i]
        value = bump(x, i)
        y[i] = old * 10 + value
"""
    name: str
    array: str


@dataclass(frozen=True)
class AssertNotSizes(Problem):
    code: ClassVar[str] = "TL348"
    title: ClassVar[str] = "Assertion over data"
    message: ClassVar[str] = "an assertion can speak of sizes and scalar parameters, and stands outside all loops"
    help: ClassVar[str] = (
        "check the data in Python before the call, or state `assert distinct(index)` or `assert offsets(start)`"
    )
    why: ClassVar[str] = (
        "The launcher checks assertions on the host, before anything runs there: it knows sizes and scalar "
        "arguments, not the contents of arrays."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    assert x[0] > 0
    for i in range(N):
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    assert N % 4 == 0
    for i in range(N):
        y[i] = x[i]
"""


@dataclass(frozen=True)
class NeverTrue(Problem):
    code: ClassVar[str] = "TL349"
    title: ClassVar[str] = "Assertion that cannot hold"
    message: ClassVar[str] = "this assertion is false for every call"
    help: ClassVar[str] = "change the assertion, or the values that were set"
    why: ClassVar[str] = (
        "An assertion that is false whatever the arguments are would make a kernel that always refuses."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    assert N < N
    for i in range(N):
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    assert N > 0
    for i in range(N):
        y[i] = x[i]
"""
