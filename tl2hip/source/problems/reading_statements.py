"""Statements that a kernel has no meaning for (TL12x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class LoopElse(Problem):
    code: ClassVar[str] = "TL120"
    title: ClassVar[str] = "`else` of a loop"
    message: ClassVar[str] = "`{loop} … else` inside a kernel"
    help: ClassVar[str] = "note in a variable whether the loop was left early, and test it after the loop"
    why: ClassVar[str] = (
        "The `else` of a loop runs unless a `break` left it. Thousands of lanes run the loop side by side "
        "and leave it at different times; a variable says plainly what each of them found."
    )
    example: ClassVar[str] = """\
@kernel
def positive(X: Tensor[f32, M, N], Y: Tensor[i32, M]) -> None:
    for i in range(M):
        for j in range(N):
            if X[i, j] <= 0:
                Y[i] = 0
                break
        else:
            Y[i] = 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def positive(X: Tensor[f32, M, N], Y: Tensor[i32, M]) -> None:
    for i in range(M):
        found = i32(1)
        for j in range(N):
            if X[i, j] <= 0:
                found = i32(0)
        Y[i] = found
"""
    loop: str


@dataclass(frozen=True)
class Exceptions(Problem):
    code: ClassVar[str] = "TL121"
    title: ClassVar[str] = "Exceptions"
    message: ClassVar[str] = "`{word}` inside a kernel"
    help: ClassVar[str] = "test the value with `if`; state a condition on sizes with `assert`"
    why: ClassVar[str] = (
        "A GPU lane cannot raise or catch. Where Python would raise, a kernel stays in bounds and gives the "
        "IEEE value; conditions on the arguments are written as `assert` and checked before the launch."
    )
    example: ClassVar[str] = """\
@kernel
def inverse(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        try:
            Y[i] = 1 / X[i]
        except ZeroDivisionError:
            Y[i] = 0
"""
    rewrite: ClassVar[str] = """\
@kernel
def inverse(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        if X[i] == 0:
            Y[i] = 0
        else:
            Y[i] = 1 / X[i]
"""
    word: str


@dataclass(frozen=True)
class OtherContext(Problem):
    code: ClassVar[str] = "TL122"
    title: ClassVar[str] = "A `with` that means nothing to a kernel"
    message: ClassVar[str] = "`with {context}` inside a kernel"
    help: ClassVar[str] = (
        "only `with PipelineStage(…):` and `with Unroll(…):` of tl2hip, one at a time, have a meaning here"
    )
    why: ClassVar[str] = (
        "A context manager runs code on entering and leaving. Only tl2hip's own contexts say something "
        "about the printed kernel; any other would be silently dropped, so it is refused."
    )
    example: ClassVar[str] = """\
@kernel
def roots(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    with np.errstate(invalid="ignore"):
        for i in range(N):
            Y[i] = np.sqrt(X[i])
"""
    rewrite: ClassVar[str] = """\
@kernel
def roots(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = np.sqrt(X[i])
"""
    context: str


@dataclass(frozen=True)
class Suspends(Problem):
    code: ClassVar[str] = "TL123"
    title: ClassVar[str] = "A function that pauses"
    message: ClassVar[str] = "`{word}` in a kernel"
    help: ClassVar[str] = "write the results into an array parameter instead"
    why: ClassVar[str] = (
        "`yield`, `await` and `async` hand control back to the caller in the middle of the function. A "
        "kernel launch runs to its end."
    )
    example: ClassVar[str] = """\
@kernel
def doubles(X: Tensor[f32, N]):
    for i in range(N):
        yield X[i] * 2
"""
    rewrite: ClassVar[str] = """\
@kernel
def doubles(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    word: str


@dataclass(frozen=True)
class OuterNames(Problem):
    code: ClassVar[str] = "TL124"
    title: ClassVar[str] = "Changing variables of the outside"
    message: ClassVar[str] = "`{word} {names}` inside a kernel"
    help: ClassVar[str] = "make it a parameter; a result goes into an array"
    why: ClassVar[str] = (
        "A kernel changes the arrays that it is given and nothing else. Variables of the file are constants to it."
    )
    example: ClassVar[str] = """\
count = 0

@kernel
def positives(X: Tensor[f32, N]) -> None:
    global count
    for i in range(N):
        if X[i] > 0:
            count += 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def positives(X: Tensor[f32, N], count: Tensor[i32, 1]) -> None:
    for i in range(N):
        if X[i] > 0:
            count[0] += 1
"""
    word: str
    names: str


@dataclass(frozen=True)
class MatchInside(Problem):
    code: ClassVar[str] = "TL125"
    title: ClassVar[str] = "`match`"
    message: ClassVar[str] = "`match` inside a kernel"
    help: ClassVar[str] = "write it as `if` and `elif`"
    why: ClassVar[str] = (
        "Patterns ask for the classes and the parts of objects. The values of a kernel are numbers, for "
        "which `if` and `elif` say the same."
    )
    example: ClassVar[str] = """\
@kernel
def pick(S: Tensor[i32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        match S[i]:
            case 0:
                Y[i] = 1
            case _:
                Y[i] = 2
"""
    rewrite: ClassVar[str] = """\
@kernel
def pick(S: Tensor[i32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        if S[i] == 0:
            Y[i] = 1
        else:
            Y[i] = 2
"""


@dataclass(frozen=True)
class Deletes(Problem):
    code: ClassVar[str] = "TL126"
    title: ClassVar[str] = "`del`"
    message: ClassVar[str] = "`del` inside a kernel"
    help: ClassVar[str] = "remove the line"
    why: ClassVar[str] = (
        "Values of a kernel live in registers and end with their last use; array elements cannot be deleted."
    )
    example: ClassVar[str] = """\
@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        x = X[i]
        Y[i] = x * 2
        del x
"""
    rewrite: ClassVar[str] = """\
@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        x = X[i]
        Y[i] = x * 2
"""


@dataclass(frozen=True)
class OtherTarget(Problem):
    code: ClassVar[str] = "TL127"
    title: ClassVar[str] = "Something a kernel cannot assign to"
    message: ClassVar[str] = "{what} cannot be {verb}"
    help: ClassVar[str] = "{instead}"
    why: ClassVar[str] = (
        "A kernel assigns to variables and to elements of arrays, loops over variables, and annotates "
        "variables. Attributes of objects do not exist on the GPU."
    )
    example: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, N], state) -> None:
    for i in range(N):
        state.sum += X[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, N], S: Tensor[f32, 1]) -> None:
    for i in range(N):
        S[0] += X[i]
"""
    what: str
    verb: str
    instead: str


@dataclass(frozen=True)
class Starred(Problem):
    code: ClassVar[str] = "TL128"
    title: ClassVar[str] = "Unpacking with a star"
    message: ClassVar[str] = "`{what}` unpacks a number of values that is not written here"
    help: ClassVar[str] = "write the values one by one"
    why: ClassVar[str] = (
        "How many values a star stands for is known only when the program runs; how many arguments, indices "
        "and variables a kernel has must be known before."
    )
    example: ClassVar[str] = """\
def line(x, a, b):
    return a * x + b

@kernel
def lines(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    weights = (2, 3)
    for i in range(N):
        Y[i] = line(X[i], *weights)
"""
    rewrite: ClassVar[str] = """\
def line(x, a, b):
    return a * x + b

@kernel
def lines(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = line(X[i], 2, 3)
"""
    what: str
