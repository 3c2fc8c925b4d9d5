# expect: TL213 at 8:23-8:31
from tl2hip import Tensor, Tile, dims, f32, kernel, stages, unroll, waves

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, 128, stages(2)]
    for i in range(N):
        y[i] = x[i]
