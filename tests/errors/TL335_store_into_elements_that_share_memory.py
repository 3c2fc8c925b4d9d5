# expect: TL335 at 15:13-15:29
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel, strides

M, N = dims("M N")
@kernel
def f(x: Tensor[f32, M, N], y: Tensor[f32, M, N, strides(1, 0)]) -> None:
    for i in range(M):
        for j in range(N):
            y[i, j] = x[i, j]
