# expect: TL235 at 12:20-12:44
import numpy as np
from tl2hip import Tensor, dims, f16, f32, kernel, tile

M, N = dims("M N")

@kernel
def f(X: Tensor[f32, M, N], Y: Tensor[f32, M, N], S: Tensor[f32, M]) -> None:
    for i in tile.range(M, 64):
        j = tile.all(N)
        for h in X[0]:
            S[i] = (X[i, j] * h).sum(axis=1)
