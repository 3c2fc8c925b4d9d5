# expect: TL123 at 14:9-14:22
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def doubles(X: Tensor[f32, N]):
    for i in range(N):
        yield X[i] * 2
