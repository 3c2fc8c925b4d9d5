# expect: TL121 at 14:9-17:20
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def inverse(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        try:
            Y[i] = 1 / X[i]
        except ZeroDivisionError:
            Y[i] = 0
