# expect: TL112 at 11:1-11:6
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@cache
def weight(x):
    return x * x

@kernel
def apply(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = weight(X[i])
