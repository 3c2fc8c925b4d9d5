# expect: TL126 at 16:9-16:13
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        x = X[i]
        Y[i] = x * 2
        del x
