# expect: TL304 at 18:16-18:16
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        if x[i] > 0:
            t = f16(1)
        else:
            t = f32(2)
        y[i] = t
