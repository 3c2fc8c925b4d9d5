# expect: TL116 at 13:5-13:15
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def roots(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    import math
    for i in range(N):
        Y[i] = math.sqrt(X[i])
