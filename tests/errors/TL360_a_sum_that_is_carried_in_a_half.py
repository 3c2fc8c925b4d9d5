# expect: TL360 at 13:5-13:11
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: Tensor[f16, N], y: Tensor[f16, N]) -> None:
    s = 0.0
    for i in range(N):
        s += x[i]
    y[0] = s
