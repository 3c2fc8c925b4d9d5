"""Files that cannot be read at all (TL10x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class NotPython(Problem):
    code: ClassVar[str] = "TL101"
    title: ClassVar[str] = "Not valid Python"
    message: ClassVar[str] = "not valid Python: {reason}"
    help: ClassVar[str] = "python itself refuses this file; make `python -m py_compile` pass first"
    why: ClassVar[str] = (
        "A kernel is an ordinary Python function that runs as it stands. The message and the place are "
        "those of the Python that runs tl2hip: a file that uses newer syntax needs that newer Python here "
        "too."
    )
    example: ClassVar[str] = """\
from tl2hip import Tensor, dims, f32, kernel

N = dims("N")

@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N)
        Y[i] = X[i] * 2
"""
    rewrite: ClassVar[str] = """\
from tl2hip import Tensor, dims, f32, kernel

N = dims("N")

@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    reason: str


@dataclass(frozen=True)
class TooDeep(Problem):
    code: ClassVar[str] = "TL102"
    title: ClassVar[str] = "Nested too deeply"
    message: ClassVar[str] = "nested too deeply: more than {limit} levels"
    help: ClassVar[str] = "name the parts of the long expression, or use a loop"
    why: ClassVar[str] = (
        "Parsers and all later stages walk an expression level by level, and each term of a long chain such "
        "as `a + b + c + …` is one level. A file beyond the limit is refused as a whole, before it can "
        "exhaust the stack of the process."
    )
    example: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, 600], Y: Tensor[f32, 1]) -> None:
    Y[0] = X[0] + X[1] + X[2] + ...  # and so on, 600 terms written out
"""
    rewrite: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, 600], Y: Tensor[f32, 1]) -> None:
    s = f32(0)
    for i in range(600):
        s += X[i]
    Y[0] = s
"""
    limit: int


@dataclass(frozen=True)
class Unreadable(Problem):
    code: ClassVar[str] = "TL103"
    title: ClassVar[str] = "The file cannot be read"
    message: ClassVar[str] = "cannot be read: {reason}"
    help: ClassVar[str] = "give the path of a Python file that you may read"
    why: ClassVar[str] = "The file is missing, is no file, or the system refuses to open it."
    example: ClassVar[str] = "tl2hip emit no_such_file.py\n"
    rewrite: ClassVar[str] = "tl2hip emit kernel.py\n"
    reason: str


@dataclass(frozen=True)
class Undecodable(Problem):
    code: ClassVar[str] = "TL104"
    title: ClassVar[str] = "Bytes that are not text"
    message: ClassVar[str] = "not text in the encoding {encoding}: {reason}"
    help: ClassVar[str] = "save the file as UTF-8, or name its encoding in the first line (`# coding: latin-1`)"
    why: ClassVar[str] = (
        "Python reads source as UTF-8 unless a byte order mark or a `coding` comment in the first two lines "
        "says otherwise, and so does tl2hip. A byte that does not fit is never guessed at."
    )
    example: ClassVar[str] = "# a comment saved as latin-1 with the single byte E9 for é\n"
    rewrite: ClassVar[str] = "# coding: latin-1\n# the same comment, the encoding named\n"
    encoding: str
    reason: str


@dataclass(frozen=True)
class UnknownSyntax(Problem):
    code: ClassVar[str] = "TL105"
    title: ClassVar[str] = "Syntax that tl2hip does not know"
    message: ClassVar[str] = "tl2hip does not know this syntax: {what}"
    help: ClassVar[str] = "write it in older Python"
    why: ClassVar[str] = (
        "Python accepts this, but it is newer than tl2hip's reader. Every construct is either understood or "
        "refused; one that is not known is never skipped."
    )
    example: ClassVar[str] = "# whatever the next Python brings\n"
    rewrite: ClassVar[str] = "# the same in the Python of today\n"
    what: str


@dataclass(frozen=True)
class BracketedTarget(Problem):
    code: ClassVar[str] = "TL107"
    title: ClassVar[str] = "Brackets around what is annotated"
    message: ClassVar[str] = "`{target}` stands in brackets before its annotation"
    help: ClassVar[str] = "take the brackets away: `{target}: …`"
    why: ClassVar[str] = (
        "In brackets a name is any place to Python and no local of its own: `(i): Tile[int, 64]` says nothing of "
        "`i`. An annotation is honoured or refused, and tl2hip's reader does not know this form."
    )
    example: ClassVar[str] = """\
@kernel
def scale(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    (factor): float = 2.0
    for i in range(N):
        Y[i] = X[i] * factor
"""
    rewrite: ClassVar[str] = """\
@kernel
def scale(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    factor: float = 2.0
    for i in range(N):
        Y[i] = X[i] * factor
"""
    target: str


@dataclass(frozen=True)
class AnnotationText(Problem):
    code: ClassVar[str] = "TL106"
    title: ClassVar[str] = "A quoted annotation that is no expression"
    message: ClassVar[str] = "the quoted annotation is no expression: {reason}"
    help: ClassVar[str] = "write the annotation without quotes, or correct it"
    why: ClassVar[str] = (
        "An annotation in quotes means the expression in it. Python never looks inside, tl2hip does: an "
        "annotation is honoured or refused."
    )
    example: ClassVar[str] = """\
@kernel
def double(X: "Tensor[f32, N", Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    rewrite: ClassVar[str] = """\
@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    reason: str
