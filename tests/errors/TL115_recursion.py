# expect: TL115 at 12:35-12:49
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)

@kernel
def cubes(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = power(X[i], 3)
