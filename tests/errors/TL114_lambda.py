# expect: TL114 at 13:14-13:28
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def squares(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    square = lambda x: x * x
    for i in range(N):
        Y[i] = square(X[i])
