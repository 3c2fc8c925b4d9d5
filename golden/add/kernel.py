"""Two vectors, added element by element."""

from tl2hip import Tensor, Tile, dims, f32, kernel

N = dims("N")


@kernel
def add(a: Tensor[f32, N], b: Tensor[f32, N], out: Tensor[f32, N]) -> None:
    """out = a + b."""
    i: Tile[int, 1024]
    for i in range(N):
        out[i] = a[i] + b[i]
