# expect: TL315 at 7:48-7:52
from tl2hip import Tensor, Tile, dims, f32, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N], *, block: int) -> None:
    i: Tile[int, block]
    for i in range(N):
        y[i] = x[i]
