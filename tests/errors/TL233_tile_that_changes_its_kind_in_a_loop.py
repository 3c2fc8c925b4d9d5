# expect: TL233 at 12:13-12:38
import numpy as np
from tl2hip import Tensor, dims, f16, f32, kernel, tile

M, N = dims("M N")

@kernel
def f(X: Tensor[f32, M, N], Y: Tensor[f32, M, N], S: Tensor[f32, M]) -> None:
    for i in tile.range(M, 64):
        acc = tile.zeros(i, dtype=f16)
        for j in tile.range(N, 64):
            acc += X[i, j].sum(axis=1)
        S[i] = acc
