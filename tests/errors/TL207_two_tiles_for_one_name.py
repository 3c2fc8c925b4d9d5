# expect: TL207 at 9:5-9:20
from tl2hip import Tensor, Tile, dims, f32, kernel, stages, unroll, waves

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, 128]
    i: Tile[int, 64]
    for i in range(N):
        y[i] = x[i]
