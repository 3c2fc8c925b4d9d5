# expect: TL206 at 8:8-8:21
from tl2hip import Tensor, Tile, dims, f32, kernel, stages, unroll, waves

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    k: Tile[int, 128]
    for i in range(N):
        y[i] = x[i]
