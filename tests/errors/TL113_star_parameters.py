# expect: TL113 at 12:28-12:29
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def add(Y: Tensor[f32, N], *X: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[0][i] + X[1][i]
