# expect: TL230 at 10:21-10:23
import numpy as np
from tl2hip import Tensor, dims, f16, f32, kernel, tile

M, N = dims("M N")

@kernel
def f(X: Tensor[f32, M, N], Y: Tensor[f32, M, N], S: Tensor[f32, M]) -> None:
    for i in tile.range(M, 64):
        S[i] = X[i, 0:3].sum(axis=1)
