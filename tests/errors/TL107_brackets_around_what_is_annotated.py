# expect: TL107 at 13:6-13:6
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, Tile, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    (i): Tile[int, 64]
    for i in range(N):
        Y[i] = X[i] * 2
