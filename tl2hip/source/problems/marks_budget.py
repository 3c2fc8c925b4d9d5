"""Tiles and stages that ask for more LDS than there is (TL203)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem

_GEMM = """\
from tl2hip import Tensor, Tile, dims, f16, f32, kernel, stages

M, N, K = dims("M N K")

@kernel
def gemm(A: Tensor[f16, M, K], B: Tensor[f16, N, K], C: Tensor[f32, M, N]) -> None:
    i: Tile[int, 128]
    j: Tile[int, 128]
    k: Tile[int, {tile}, stages({stages})]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[j, k])
            C[i, j] = s
"""


@dataclass(frozen=True)
class TooMuchLds(Problem):
    code: ClassVar[str] = "TL203"
    title: ClassVar[str] = "Tiles that need more LDS than there is"
    message: ClassVar[str] = "{kernel} needs {needed} bytes of LDS ({pieces}); gfx942 has {limit}"
    help: ClassVar[str] = "{advice}"
    why: ClassVar[str] = (
        "The tiles that a block shares lie in LDS, once for each stage, together with what reductions over the"
        " block need. A block that asks for more than gfx942 has cannot be launched, so the plan is refused."
    )
    example: ClassVar[str] = _GEMM.format(tile=128, stages=3)
    rewrite: ClassVar[str] = _GEMM.format(tile=64, stages=2)
    kernel: str
    needed: str
    pieces: str
    limit: str
    advice: str
