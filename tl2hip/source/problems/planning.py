"""Budgets and plans (TL5xx)."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class PrivateArrayExtent(Problem):
    code = "TL501"
    title = "A private array whose extent changes"
    message = "the array `{name}`, made anew in each turn of a parallel loop, has an extent that changes with it"
    help = "allocate it with its largest extent, over sizes only, and use the part you need"
    why = (
        "Each thread or block that runs the loop needs an array of its own. The launcher sets that memory aside"
        " before the kernel runs, so the extent may depend on dims, scalars and constants, not on a loop variable"
        " or on a value computed on the device."
    )
    example = (
        "for i in range(N):\n    t = np.empty(i, np.float32)\n    for j in range(i):\n        t[j] = A[i, j] * 2\n"
    )
    rewrite = (
        "for i in range(N):\n    t = np.empty(N, np.float32)\n    for j in range(i):\n        t[j] = A[i, j] * 2\n"
    )

    name: str


@dataclass(frozen=True)
class WorkspaceExtent(Problem):
    code = "TL502"
    title = "A local array whose extent is not known at launch"
    message = "the extent of `{name}` depends on a value computed on the device or on a loop around it"
    help = "allocate it with an extent over sizes and scalar arguments only"
    why = (
        "A local array that is shared between launches lives in the workspace, whose size the caller asks for"
        " before anything runs."
    )
    example = "n = int(counts[0])\nt = np.empty(n, np.float32)\n"
    rewrite = "t = np.empty(N, np.float32)\n"

    name: str


@dataclass(frozen=True)
class NothingParallel(Problem):
    code = "TL503"
    title = "A while loop with nothing to share out"
    message = "this `while` has no parallel loop inside, so one thread of the whole GPU would run it"
    help = "{way}"
    why = (
        "A kernel is worth launching when its work can be shared out over many threads. A loop that only one"
        " thread can run is refused rather than run at a thousandth of the speed of the host."
    )
    example = "while x[0] > eps[0]:\n    x[0] = x[0] / 2\n"
    rewrite = "for i in range(N):\n    while x[i] > eps[i]:\n        x[i] = x[i] / 2\n"

    way: str = "put it inside a parallel loop, one `while` for each element, or keep it on the host"


def _tiled(j: int) -> str:
    return f"""\
from tl2hip import Tensor, Tile, dims, f16, f32, kernel, waves

M, N, K = dims("M N K")

@kernel
def gemm(A: Tensor[f16, M, K], B: Tensor[f16, N, K], C: Tensor[f32, M, N]) -> None:
    i: Tile[int, 256, waves(2)]
    j: Tile[int, {j}, waves(4)]
    k: Tile[int, 32]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[j, k])
            C[i, j] = s
"""


@dataclass(frozen=True)
class TooManyThreads(Problem):
    code = "TL504"
    title = "A block of more threads than there can be"
    message = "{kernel} needs {threads} threads in a block; gfx942 has {limit}"
    help = "{advice}"
    why = (
        "A block has the product of all waves of its loops, of 64 lanes each. The hardware takes up to 16 waves, so"
        " a plan with more is refused."
    )
    example = _tiled(256).replace("waves(2)", "waves(8)")
    rewrite = _tiled(256)

    kernel: str
    threads: str
    limit: str
    advice: str


@dataclass(frozen=True)
class TooManyRegisters(Problem):
    code = "TL505"
    title = "Tiles that need more registers than a lane has"
    message = "{kernel} needs about {needed} registers a lane ({pieces}); {reason}"
    help = "{advice}"
    why = (
        "A SIMD has 512 registers a lane for all its waves together. A block of many waves, or a plan that wants"
        " several waves a SIMD, leaves less for each. What does not fit is kept in memory, which costs more than"
        " all the rest, so the plan is refused. Vectors are counted exactly, scalars and addresses are estimated."
    )
    example = _tiled(512)
    rewrite = _tiled(256)

    kernel: str
    needed: int
    pieces: str
    reason: str
    advice: str
