# expect: TL204 at 8:18-8:18
from tl2hip import Tensor, Tile, dims, f32, kernel, stages, unroll, waves

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, N]
    for i in range(N):
        y[i] = x[i]
