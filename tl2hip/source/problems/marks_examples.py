"""The kernel that the examples of marks share: one loop, one annotation."""

from __future__ import annotations


def marked(annotation: str, names: str = "stages, unroll, waves") -> str:
    """The text of a kernel with that annotation above its loop; `names` are the marks it imports."""
    return f"""\
from tl2hip import Tensor, Tile, dims, f32, kernel, {names}

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    {annotation}
    for i in range(N):
        y[i] = x[i]
"""


MARKED = marked("i: Tile[int, 128, unroll(2)]", "unroll")
"""One that converts."""
