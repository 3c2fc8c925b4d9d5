"""Marks and options that are understood, and that the plan of their loop cannot honour (TL213, TL214)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem
from tl2hip.source.problems.marks_examples import marked

_OPTION = """\
from tl2hip import Tensor, dims, f32, kernel, lds, vec

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N{option}], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""


@dataclass(frozen=True)
class MarkNotHonoured(Problem):
    code: ClassVar[str] = "TL213"
    title: ClassVar[str] = "Mark that the plan of its loop cannot honour"
    message: ClassVar[str] = "{mark} on `{axis}` cannot be honoured: {reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "Marks are constraints: what a mark says, the kernel does. The plan of a loop depends on what the loop"
        " computes: a matrix product shares its tile out over waves and keeps stages of it under way, an"
        " elementwise loop moves vectors. A mark that says what the plan cannot do is refused rather than ignored."
    )
    example: ClassVar[str] = marked("i: Tile[int, 128, stages(2)]")
    rewrite: ClassVar[str] = marked("i: Tile[int, 128]")
    mark: str
    axis: str
    reason: str
    way: str


@dataclass(frozen=True)
class OptionNotHonoured(Problem):
    code: ClassVar[str] = "TL214"
    title: ClassVar[str] = "Option of a Tensor that no plan can honour"
    message: ClassVar[str] = "{mark} on `{array}` cannot be honoured: {reason}"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "`lds(…)` asks that the tensor goes through LDS, and `vec(n)` that n of its elements are moved at a time,"
        " in every loop that uses it. Plans of matrix products and of transposes go through LDS; the others read"
        " each element straight from memory, once or so, and LDS would only cost time."
    )
    example: ClassVar[str] = _OPTION.format(option=", lds(pad=8)")
    rewrite: ClassVar[str] = _OPTION.format(option=", vec(4)")
    mark: str
    array: str
    reason: str
    way: str
