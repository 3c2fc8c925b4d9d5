# expect: TL231 at 10:15-10:27
import numpy as np
from tl2hip import Tensor, dims, f16, f32, kernel, tile

M, N = dims("M N")

@kernel
def f(X: Tensor[f32, M, N], Y: Tensor[f32, M, N], S: Tensor[f32, M]) -> None:
    for i in tile.range(M, 64):
        acc = tile.zeros(i)
        S[i] = acc
