"""Marks that are warned of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class NotPlannedYet(Problem):
    code: ClassVar[str] = "TL209"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "Mark that is checked and kept, and not planned yet"
    message: ClassVar[str] = "{name} is checked and kept, and not planned yet"
    help: ClassVar[str] = "the kernel is right without it"
    why: ClassVar[str] = (
        "The mark is checked for its range and kept in the nest, and the kernel is right. It does not shape "
        "the kernel yet."
    )
    example: ClassVar[str] = """\
from tl2hip import Tensor, Tile, dims, f32, kernel, stages, unroll, waves

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, 128, stages(2)]
    for i in range(N):
        y[i] = x[i]
"""
    rewrite: ClassVar[str] = """\
from tl2hip import Tensor, Tile, dims, f32, kernel, unroll

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, 128, unroll(2)]
    for i in range(N):
        y[i] = x[i]
"""
    name: str
