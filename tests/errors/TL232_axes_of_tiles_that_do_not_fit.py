# expect: TL232 at 11:13-11:26
import numpy as np
from tl2hip import Tensor, dims, f16, f32, kernel, tile

M, N = dims("M N")

@kernel
def f(X: Tensor[f32, M, N], Y: Tensor[f32, M, N], S: Tensor[f32, M]) -> None:
    for i in tile.range(M, 64):
        for j in tile.range(N, 64):
            S[i] = X[i, j]
