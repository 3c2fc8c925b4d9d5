"""The planner's choice against the best of a search: `python -m tests.bench.tune [WORD …]` prints a table.

Each kernel is written without marks and converted for one shape, which tl2hip therefore knows. A line has the score
of what tl2hip chooses, that of the best candidate, their ratio (1: there is none better) and the best candidate's
marks. Without `--budget N` every candidate is judged, which takes hours for a matrix product, so that with one the
best is that of the search. WORD picks the shapes whose names hold one of the words. Scores are the model's:
nothing here is a time.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.bench.sources import PRODUCT
from tl2hip.cli.talk import Progress
from tl2hip.cli.tune import cores
from tl2hip.tune.executors import processes
from tl2hip.tune.search import Found, search
from tl2hip.tune.space import GROUP, VALUES, space, spelled
from tl2hip.tune.store import store_of
from tl2hip.tune.task import Task
from tl2hip.tune.workers import Workers
from tl2hip.tune.write import stated, write

MARKS = tuple(mark for mark in VALUES if mark not in ("unroll", GROUP))
"""The marks that are searched: repeating a body changes what is printed, and seldom what is executed;
orders of blocks change no scores."""

ROWS = '''\
import math

from tl2hip import Tensor, dims, f16, f32, kernel

M, N = dims("M N")


@kernel
def softmax(X: Tensor[f16, M, N], Y: Tensor[f16, M, N]) -> None:
    for i in range(M):
        m = f32(-math.inf)
        for j in range(N):
            m = max(m, f32(X[i, j]))
        total = f32(0)
        for j in range(N):
            total += f32(math.exp(f32(X[i, j]) - m))
        for j in range(N):
            Y[i, j] = f16(f32(math.exp(f32(X[i, j]) - m)) / total)


@kernel
def rmsnorm(X: Tensor[f16, M, N], W: Tensor[f16, N], Y: Tensor[f16, M, N]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += f32(X[i, j]) * f32(X[i, j])
        r = f32(1) / f32(math.sqrt(s / f32(N) + f32(1e-5)))
        for j in range(N):
            Y[i, j] = f16(f32(X[i, j]) * r * f32(W[j]))
'''
"""Kernels of rows, without marks."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A kernel and the sizes that it is tuned for."""

    name: str
    text: str
    kernel: str
    sizes: Mapping[str, int]

    @property
    def task(self) -> Task:
        """What is searched: the kernel for these sizes alone."""
        return Task("kernel.py", self.text, self.kernel, sets=tuple(self.sizes.items()))


def product(t: str, acc: str = "f32", layout: str = "NK") -> str:
    """The text of C = A @ B, or of A @ B.T, without marks."""
    b, at = ("K, N", "k, j") if layout == "KN" else ("N, K", "j, k")
    text = PRODUCT.format(t=t, b=b, at=at, c=acc, acc=acc, result="s", m=128, n=128, k=64, across=2)
    return write(text, "gemm", {"i": (), "j": (), "k": ()})


def _gemm(name: str, m: int, n: int, k: int, t: str = "f16", acc: str = "f32", layout: str = "NK") -> Shape:
    return Shape(f"{name} {t} {m}x{n}x{k}", product(t, acc, layout), "gemm", {"M": m, "N": n, "K": k})


def _rows(kernel: str, m: int, n: int) -> Shape:
    return Shape(f"{kernel} f16 {m}x{n}", ROWS, kernel, {"M": m, "N": n})


SHAPES = (
    _gemm("gemm", 4096, 4096, 4096),
    _gemm("gemm-nn", 4096, 4096, 4096, layout="KN"),
    _gemm("gemm", 8192, 8192, 8192),
    _gemm("gemm", 1024, 1024, 1024),
    _gemm("gemm", 2048, 8192, 4096, "bf16"),
    _gemm("gemm", 256, 4096, 4096),
    _gemm("skinny", 64, 4096, 4096),
    _gemm("gemm", 4096, 4096, 4096, "f8e4m3"),
    _gemm("gemm", 4096, 4096, 4096, "i8", "i32"),
    _gemm("short-sum", 4096, 4096, 128),
    _gemm("odd", 4001, 4003, 4005),
    _rows("softmax", 8192, 512),
    _rows("softmax", 4096, 8192),
    _rows("rmsnorm", 16384, 1024),
    _rows("rmsnorm", 4096, 8192),
)


def tuned(shape: Shape, workers: Workers, budget: int | None) -> Found:
    """What a search finds for a shape."""
    task = shape.task
    candidates = space(stated(shape.text, shape.kernel), MARKS, keep=False)
    progress = Progress()
    try:
        return search(task, candidates, workers, store_of(task), budget=budget, tell=progress.bar)
    finally:
        progress.clear()


def line(shape: Shape, found: Found) -> str:
    """A line of the table; the ratio is to the best score, whatever stands before it in its band."""
    if found.bare is None:
        return f"{shape.name:34} what tl2hip chooses cannot be ranked: {found.unfit or found.refused}"
    best = min(found.ranked, key=lambda one: one.judged.score)
    ratio = found.bare.score / best.judged.score
    ended = "" if found.whole else "  (the budget ended it)"
    scores = f"{found.bare.score:12,.0f} {best.judged.score:12,.0f} {ratio:6.2f}"
    return f"{shape.name:34} {scores}  {spelled(best.candidate)}{ended}"


def main(argv: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="what tl2hip chooses against the best of a search")
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--budget", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=cores())
    args = parser.parse_args(argv)
    print(f"{'shape':34} {'chosen':>12} {'best':>12} {'ratio':>6}  marks of the best")
    with Workers(processes(args.jobs), 2 * args.jobs) as workers:
        for shape in SHAPES:
            if not args.words or any(word in shape.name for word in args.words):
                print(line(shape, tuned(shape, workers, args.budget)), flush=True)


if __name__ == "__main__":
    main()
