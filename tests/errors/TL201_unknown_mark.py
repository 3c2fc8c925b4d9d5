# expect: TL201 at 8:23-8:23
from tl2hip import Tensor, Tile, dims, f32, kernel, stages, unroll, waves

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, 128, 4]
    for i in range(N):
        y[i] = x[i]
