# expect: TL234 at 10:9-10:12
import numpy as np
from tl2hip import Tensor, dims, f16, f32, kernel, tile

M, N = dims("M N")

@kernel
def f(X: Tensor[f32, M, N], Y: Tensor[f32, M, N], S: Tensor[f32, M]) -> None:
    for i in tile.range(M, 64):
        S[i] = S[i] * 2
        j = tile.all(N)
        Y[i, j] = X[i, j] + S[i + 1]
