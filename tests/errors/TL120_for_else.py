# expect: TL120 at 18:9-19:20
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def positive(X: Tensor[f32, M, N], Y: Tensor[i32, M]) -> None:
    for i in range(M):
        for j in range(N):
            if X[i, j] <= 0:
                Y[i] = 0
                break
        else:
            Y[i] = 1
