# expect: TL130 at 14:13-14:21
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def relu(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        if (x := X[i]) > 0:
            Y[i] = x
