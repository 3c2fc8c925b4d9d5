# expect: TL135 at 14:12-14:20
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def zeros(X: Tensor[i32, N], Y: Tensor[i32, N]) -> None:
    for i in range(N):
        if X[i] is 0:
            Y[i] = 1
