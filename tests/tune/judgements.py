"""Judgements made by hand, and a small kernel with its task."""

from __future__ import annotations

from tl2hip.tune.judge import Figures, Judged
from tl2hip.tune.space import Space, space
from tl2hip.tune.task import Task
from tl2hip.tune.write import stated

ROWS = '''\
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def totals(X: Tensor[f32, M, N], Y: Tensor[f32, M]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += X[i, j]
        Y[i] = s
'''

TASK = Task("rows.py", ROWS, "totals", sizes=(("M", 608), ("N", 512)))


def space_of(task: Task, *marks: str) -> Space:
    """The candidates of a task."""
    return space(stated(task.text, task.kernel), marks, keep=False)


def judged(
    code: str,
    clocks: float,
    machine: str = "",
    registers: int = 64,
    launches: int = 1,
    behind: float | None = None,
) -> Judged:
    """A judgement with so many clocks at all settings, and bytes of a launch from behind L2."""
    kernel = Figures(
        name="totals_kernel", machine=machine or code, threads=256, registers=registers, lds=0, waves=8, blocks=608,
        launches=launches, clocks=(clocks, clocks, clocks), busy=(0.0, 0.5, 0.0, 0.5), waits=(("vmcnt", 0.5),),
        behind=behind, share=None if behind is None else 0.5,
    )  # fmt: skip
    return Judged(code, kernels=(kernel,))
