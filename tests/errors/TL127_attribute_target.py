# expect: TL127 at 14:9-14:17
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def total(X: Tensor[f32, N], state) -> None:
    for i in range(N):
        state.sum += X[i]
